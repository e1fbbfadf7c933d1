"""Random calls: whatever is asked, the answer is an answer, an error of the package, or what Python and NumPy raise for arguments that make no
sense; and memory does not grow.

`make fuzz-python` runs it in the environment of `make test-python` (SECONDS=, SEED=).
"""

import os
import random
import resource
import sys
import time
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
import systole as sy

#: What is searched in milliseconds.
KERNELS = ["matmul", "matvec", "fir", "conv1d", "trisolve", "prefix_sum", "naive/gram", "naive/two_terms", "naive/mvt", "edit_distance"]
TEXTS = [
    "", "kernel", "kernel k(N)\nin x[N]\nout y[N]\ny[i] = x[i] + 1\n", "kernel k(N)\nin x[N]\nout y[N]\ny[i] = x[i + 1]\n",
    "kernel k(N)\nout y[N]\ny[i] = y[i]\n", "kernel \N{GREEK SMALL LETTER LAMDA}(N)\n", "ij,jk->ik", "\0", "x" * 10_000,
]
WORDS = ["", "-1", "0", "all", "N=3", "streams", "\N{SNOWMAN}", "1e9", "--json", "cycles", None, True, False, -1, 0, 1, 2, [], {}, [1, 2], {"N": 0}]
FLAGS = ["schedule", "objective", "rank", "bound", "steps", "tile", "fold", "budget", "seconds", "transports", "reuse", "machine", "latency", "design",
         "limit", "seed", "forms", "all", "no_such_flag"]
METHODS = ["check", "search", "prove", "derive", "explain", "emit", "design", "run", "explore", "equal"]


def arrays(chance: random.Random, k: sy.Kernel) -> dict:
    """An array for some of the inputs, which fits or not."""
    kinds = [float, np.float32, np.int8, bool, complex, object, "U1"]
    values = [0.0, 1.0, -2.5, np.nan, np.inf, 1e308]
    found = {}
    for name in k.inputs:
        if chance.random() < 0.7:
            shape = [chance.choice([0, 1, 2, 3]) for _ in range(chance.choice([0, 1, 2, 2, 3]))]
            with np.errstate(all="ignore"):
                array = np.full(shape, chance.choice(values)).astype(chance.choice(kinds))
            found[name] = np.asfortranarray(array) if chance.random() < 0.3 else array
    return found


def call(chance: random.Random) -> str:
    """One call, and what became of it."""
    make = chance.choice([sy.load, sy.load, sy.load, sy.kernel, sy.einsum])
    k = make(chance.choice(KERNELS) if make is sy.load else chance.choice(TEXTS))
    method = chance.choice(METHODS)
    given = {}
    if chance.random() < 0.7:
        given["size"] = {name: chance.choice([0, 1, 2, 3, -1]) if chance.random() < 0.1 else chance.choice([1, 2, 3]) for name in "MNKLTD"}
    for _ in range(chance.choice([0, 0, 1, 2])):
        given[chance.choice(FLAGS)] = chance.choice(WORDS)
    # Nothing takes long.
    given.setdefault("seconds", 1) if method not in ("check", "derive", "equal") else None
    if method == "run":
        given |= arrays(chance, k)
    words = ["C", "A"] if method == "equal" else []
    if method == "explore":
        given["sweep"] = {"link.latency": range(1, chance.choice([2, 3]))}
    if "size" in given and chance.random() < 0.9:
        given["size"] = {name: value for name, value in given["size"].items() if name in k.parameters}
    found = getattr(k, method)(*words, **given)
    if method == "emit" and chance.random() < 0.5:
        found = found.sim(size=given.get("size"))
    if method == "search" and len(found):
        design = chance.choice(found.designs)
        # With `all` and with `forms` designs are entries alone.
        found = found if isinstance(design, dict) else design.run()
    return type(found).__name__


def in_use() -> int:
    """Kilobytes of memory that the process has now."""
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS:")).split()[1])


def main() -> int:
    seconds, seed = float(os.environ.get("SECONDS") or 600), int(os.environ.get("SEED") or 1)
    chance, counts, start, held = random.Random(seed), {}, time.monotonic(), [[], [], [], []]
    while (passed := time.monotonic() - start) < seconds:
        try:
            what = call(chance)
        except (sy.Error, TypeError, ValueError) as wrong:
            what = type(wrong).__name__
        except BaseException:
            print(f"seed {seed}, call {sum(counts.values())}", file=sys.stderr)
            raise
        counts[what] = counts.get(what, 0) + 1
        held[min(int(4 * passed / seconds), 3)].append(in_use())
    # What is kept from call to call shows from the second quarter to the last; in the first all kinds of calls are still new.
    quarters = [median(quarter) for quarter in held if quarter]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = ", ".join(f"{kilobytes / 1024:.0f}" for kilobytes in quarters)
    print(f"{sum(counts.values())} calls; in use after a call, by quarters: {megabytes} MB, at most {peak >> 10} MB: {counts}")
    return 0 if len(quarters) < 4 or quarters[3] <= 1.1 * quarters[1] else 1


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.exit(main())
