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


class Result:
    """The object of a command, with its text."""

    def __init__(self, found: dict):
        self._found = found

    def to_dict(self) -> dict:
        """What the command writes with ``--json``."""
        return self._found

    def __getitem__(self, key: str) -> Any:
        return self._found[key]


class Front(Result):
    """The best designs; ``front[0]`` is the winner's entry, and so on."""

    def __init__(self, found: dict):
        super().__init__(found)
        self.designs: list[dict] = found.get("front") or found.get("all") or []

    def __len__(self) -> int:
        return len(self.designs)

    def __iter__(self) -> Iterator[dict]:
        return iter(self.designs)

    def __getitem__(self, key: Any) -> Any:
        return self.designs[key] if isinstance(key, (int, slice)) else super().__getitem__(key)

    @property
    def winner(self) -> dict:
        """The design that commands go on with."""
        return self.designs[self["winner"]]

    def _repr_html_(self) -> str:
        keys = ["cycles", "pes", "channel_words", "memory_words", "buffers"]
        head = "".join(f"<th>{key.replace('_', ' ')}</th>" for key in keys) + "<th>place</th><th>step</th>"
        cell = lambda value: f"<td>{html.escape(str(value))}</td>"
        rows = ("".join(map(cell, [*(one.get(key) for key in keys), one["place"], one["step"]])) for one in self.designs)
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


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
        path = folder / f"{name}.in.npy"
        np.save(path, value if isinstance(value, np.ndarray) else np.asarray(value, dtype=float))
        words = [*words, flag, f"{name}={path}"]
    for name in outputs:
        words = [*words, "--output", f"{name}={folder / f'{name}.out.npy'}"]
    _, found, _ = _border.command([*words, *_border.flags(given)])
    return Run(found, {name: np.load(folder / f"{name}.out.npy") for name in outputs})
