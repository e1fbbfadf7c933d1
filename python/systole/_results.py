"""What commands give."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _border

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._kernel import Kernel


class Result:
    """The object of a command, with its text."""

    def __init__(self, found: dict):
        self._found = found

    def to_dict(self) -> dict:
        """What the command writes with ``--json``."""
        return self._found

    def __getitem__(self, key: str) -> Any:
        return self._found[key]


class Chosen:
    """Designs of a kernel that flags choose: what is done with them is done with the best of these."""

    def __init__(self, kernel: Kernel, given: Mapping[str, Any]):
        self._kernel = kernel
        self._given = dict(given)

    def _meant(self) -> tuple[Kernel, dict[str, Any]]:
        """The kernel, and the flags that go with it."""
        return self._kernel, self._given

    def prove(self, **given: Any) -> Proofs:
        """The verdict of each obligation."""
        kernel, flags = self._meant()
        return kernel.prove(**{**flags, **given})

    def explain(self, **given: Any) -> Result:
        """The rules that lead to it."""
        kernel, flags = self._meant()
        return kernel.explain(**{**flags, **given})

    def run(self, *arrays: ArrayLike, **given: Any) -> Run:
        """Proves it, writes its program, simulates that and compares. Sizes are given, or follow from the arrays."""
        kernel, flags = self._meant()
        return kernel.run(*arrays, **{**flags, **given})

    def program(self, **given: Any) -> Program:
        """Its program."""
        kernel, flags = self._meant()
        return kernel.emit(**{**flags, **given})

    def text(self) -> str:
        """All of it as the text of a file, which :func:`systole.load` reads."""
        kernel, flags = self._meant()
        return kernel.design(**flags)


#: Flags of a search that are about the machine or the kernel, and not about what is looked at.
_OF_A_DESIGN = ("machine", "network", "latency", "cell", "rules", "tile")


class Design(Chosen, dict):
    """A design of a front: an entry of ``--json``, with what can be done with it, at any sizes."""

    def __init__(self, entry: dict, kernel: Kernel, given: Mapping[str, Any], number: int):
        dict.__init__(self, entry)
        Chosen.__init__(self, kernel, {**given, "design": number})
        self._text: str | None = None
        self._alone: Kernel | None = None

    def _meant(self) -> tuple[Kernel, dict[str, Any]]:
        if self._alone is None:
            self._alone = self._kernel._of_design(self.text())
        return self._alone, {name: self._given[name] for name in _OF_A_DESIGN if name in self._given}

    def run(self, *arrays: ArrayLike, **given: Any) -> Run:
        """Proves it, writes its program, simulates that and compares; at the sizes of the search, where neither sizes nor arrays are given."""
        has_sizes = arrays or given.get("size") or given.get("inputs") or any(name in given for name in self._kernel.inputs)
        size = {} if has_sizes or not self._given.get("size") else {"size": self._given["size"]}
        return super().run(*arrays, **{**size, **given})

    def text(self) -> str:
        """All of it as the text of a file, which :func:`systole.load` reads."""
        if self._text is None:
            self._text = self._kernel.design(**self._given)
        return self._text

    def to_dict(self) -> dict:
        """Its entry."""
        return dict(self)


#: A table in a notebook has no more rows.
_MOST_SHOWN = 20


class Front(Result):
    """The best designs, the best first; with ``all=True`` every legal one, as entries alone."""

    def __init__(self, found: dict, kernel: Kernel, given: Mapping[str, Any]):
        super().__init__(found)
        entries = found.get("front") or found.get("all") or []
        flags = {name: value for name, value in given.items() if name not in ("most", "csv", "design", "progress")}
        first = int(given.get("design") or 0)
        # Of `--all` and of other forms only the entries are known.
        is_front = "front" in found and not given.get("forms")
        design = lambda number, entry: Design(entry, kernel, flags, first + number) if is_front else entry
        self.designs: list[Any] = [design(number, entry) for number, entry in enumerate(entries)]

    def __len__(self) -> int:
        return len(self.designs)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.designs)

    def __getitem__(self, key: Any) -> Any:
        return self.designs[key] if isinstance(key, (int, slice)) else super().__getitem__(key)

    @property
    def winner(self) -> Any:
        """The design that commands go on with."""
        return self.designs[self["winner"]]

    def _repr_html_(self) -> str:
        keys = ["cycles", "pes", "channel_words", "memory_words", "buffers"]
        head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in ["", *keys, "design"])
        rows = [[number, *(one.get(key) for key in keys)] for number, one in enumerate(self.designs[:_MOST_SHOWN])]
        left = 'style="text-align: left"'
        body = "".join(
            f"<tr>{''.join(f'<td>{value}</td>' for value in row)}<td {left}>{html.escape(one['design'])}</td></tr>"
            for row, one in zip(rows, self.designs)
        )
        rest = len(self) - len(rows)
        more = f"<p>and {rest} more</p>" if rest else ""
        return f"<table><tr>{head}</tr>{body}</table>{more}"


class Proofs(Result):
    """Verdicts, one an obligation. A refuted one has its ``counterexample``."""

    @property
    def obligations(self) -> list[dict]:
        return self["obligations"]

    @property
    def proved(self) -> bool:
        return self["result"] == "proved"

    def __bool__(self) -> bool:
        return self.proved


class Derived(Result):
    """Other forms of the equations."""

    @property
    def forms(self) -> list[dict]:
        return self["forms"]


class Tuned(Result):
    """What is best for a cluster."""

    def __init__(self, found: dict, program: Program):
        super().__init__(found)
        self.program = program


class Run(Result):
    """A run: its arrays and its cycles."""

    def __init__(self, found: dict, outputs: dict[str, np.ndarray], page: str | None = None):
        super().__init__(found)
        self.outputs = outputs
        self._page = page

    @property
    def _sim(self) -> dict:
        return self._found.get("sim", self._found)

    @property
    def cycles(self) -> int:
        return self._sim["cycles"]

    @property
    def pes(self) -> int:
        return self._sim["pes"]

    @property
    def utilisation(self) -> float:
        return self._sim["utilisation"]

    def __getitem__(self, key: str) -> Any:
        return self.outputs[key] if key in self.outputs else super().__getitem__(key)

    def _repr_html_(self) -> str:
        if self._page is None:
            return f"<p>{self.cycles} cycles on {self.pes} PEs</p>"
        return f'<iframe srcdoc="{html.escape(self._page)}" width="100%" height="640" style="border:0"></iframe>'


class Program:
    """A per-PE program: the bytes that ``systole emit`` writes."""

    def __init__(self, text: str):
        self.text = text

    def __str__(self) -> str:
        return self.text

    def save(self, path: str | PathLike[str]) -> None:
        Path(path).write_bytes(self.text.encode())

    def sim(self, inputs: Mapping[str, ArrayLike] | None = None, **given: Any) -> Run:
        """Runs it on the simulator, cycle by cycle."""
        return self._run("sim", inputs, given)

    def exec(self, inputs: Mapping[str, ArrayLike] | None = None, **given: Any) -> Run:
        """Runs it on threads."""
        return self._run("exec", inputs, given)

    def predict(self, **given: Any) -> Result:
        """How long it would run, on as many ``ranks`` as you like, by the machine file of a cluster."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "program.pe"
            self.save(path)
            return Result(_border.command(["predict", str(path)], given)[1])

    def _run(self, name: str, inputs: Mapping[str, ArrayLike] | None, given: dict[str, Any]) -> Run:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "program.pe"
            self.save(path)
            outputs = [line.split()[1] for line in self.text.splitlines() if line.startswith("  (array") and " out " in line]
            return run([name, str(path)], Path(folder), dict(inputs or {}), outputs, given)


def run(words: list[str], folder: Path, inputs: Mapping[str, ArrayLike], outputs: list[str], given: dict[str, Any]) -> Run:
    """Runs a command that takes arrays and gives arrays."""
    files = [("--input", name, value) for name, value in inputs.items()]
    for flag, name, value in files:
        if isinstance(value, np.ma.MaskedArray):
            raise TypeError(f"`{name}` is masked: give a number for each element")
        path = folder / f"{name}.in.npy"
        np.save(path, value if isinstance(value, np.ndarray) else np.asarray(value, dtype=float))
        words = [*words, flag, f"{name}={path}"]
    for name in outputs:
        words = [*words, "--output", f"{name}={folder / f'{name}.out.npy'}"]
    _, found, _ = _border.command(words, given)
    return Run(found, {name: np.load(folder / f"{name}.out.npy") for name in outputs})
