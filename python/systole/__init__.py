"""Recurrence equations in, a distributed program out that is proved right for every problem size.

    import numpy as np, systole as sy
    k = sy.einsum("ik,kj->ij")
    front = k.search(size=dict(I=8, J=8, K=8))
    front[0].prove()
    r = k.run(np.eye(8), np.ones((8, 8)))
    r.outputs["C"], r.cycles

One method a command, with the flags of the command as keywords (``--objective cycles`` is ``objective="cycles"``).
``to_dict()`` of what a method gives is the object that the command writes with ``--json``. What may take long takes ``progress``:
``True`` for a bar, ``False`` for none, or a function that is told what is done, how much, and of how much.
"""

from ._border import calibrate, check_rules, doctor, layers, version
from ._errors import Deadlock, Diagnostic, Error, InputError, Mismatch, Refuted, Span, Unknown
from ._kernel import Kernel, einsum, kernel, kernels, load, machines
from ._results import Chosen, Derived, Design, Front, Program, Proofs, Result, Run, Tuned

__version__ = version()
__all__ = [
    "Chosen", "Deadlock", "Derived", "Design", "Diagnostic", "Error", "Front", "InputError", "Kernel", "Mismatch", "Program",
    "Proofs", "Refuted", "Result", "Run", "Span", "Tuned", "Unknown", "calibrate", "check_rules", "doctor", "einsum", "kernel",
    "kernels", "layers", "load", "machines",
]
