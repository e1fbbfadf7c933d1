"""Kernels: equations, and what can be done with them."""

from __future__ import annotations

import re
import shutil
import weakref
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _border
from ._results import Chosen, Derived, Front, Program, Proofs, Result, Run, Tuned, run

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def kernels() -> list[str]:
    """The names of the kernels that ship, for :func:`load`."""
    root = _border.DATA / "kernels"
    return sorted(path.relative_to(root).with_suffix("").as_posix() for path in root.rglob("*.rec"))


def machines() -> list[str]:
    """The names of the machines that ship, for ``machine=``."""
    return sorted(path.stem for path in (_border.DATA / "machines").glob("*.toml"))


def load(path: str | PathLike[str]) -> Kernel:
    """The kernel of a file, or one that ships by its name."""
    name = fspath(path)
    shipped = _border.DATA / "kernels" / f"{name}.rec"
    # What begins as a flag does is a file all the same.
    name = f"./{name}" if name.startswith("-") else name
    return Kernel(str(shipped) if shipped.is_file() and not Path(name).exists() else name)


def kernel(text: str) -> Kernel:
    """The kernel of a text in the language of ``.rec`` files."""
    return _in_a_file(text, "rec")


class _Folder:
    """A folder that goes away with the last who has it."""

    def __init__(self) -> None:
        self.name = mkdtemp()
        weakref.finalize(self, shutil.rmtree, self.name, True)


def _in_a_file(text: str, ending: str) -> Kernel:
    """The kernel of a file of its own, which goes away with it and its copies."""
    folder = _Folder()
    # A kernel has the name of its file; messages show it.
    found = re.search(r"^\s*kernel\s+(\w+)", text, re.MULTILINE)
    path = Path(folder.name) / f"{found.group(1) if found else 'kernel'}.{ending}"
    path.write_text(text, encoding="utf-8")
    made = Kernel(str(path))
    made._folder = folder
    return made


def einsum(text: str) -> Kernel:
    """The kernel of an einsum: ``einsum("ik,kj->ij")``. Where no output is said it has the letters that occur once, as NumPy has it."""
    if not re.fullmatch(r"([A-Za-z,\s]|\.\.\.)*(->([A-Za-z\s]|\.\.\.)*)?", text):
        raise ValueError(f"`{text}` is no einsum, such as `ik,kj->ij`")
    if "->" not in text and "." not in text:
        letters = re.sub(r"[^A-Za-z]", "", text)
        text = f"{text}->{''.join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))}"
    return Kernel(text)


class Kernel:
    """Equations. Every method is a command, its keywords are the command's flags."""

    def __init__(self, words: str):
        self._words = words
        self._checked: Result | None = None
        self._checked_text: str | None = None
        # That of a text is there as long as a kernel of it is.
        self._folder: _Folder | None = None

    def __repr__(self) -> str:
        checked = self.check()
        return f"{checked['kernel']}({', '.join(checked['parameters'])})"

    def check(self) -> Result:
        """The normal form, the sizes, the tensors; refuses what is wrong."""
        path = Path(self._words)
        # A file that is edited meanwhile is read again.
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
        if self._checked is None or self._checked_text != text:
            self._checked, self._checked_text = Result(_border.command(["check", self._words])[1]), text
        return self._checked

    def _declared(self, role: str) -> dict[str, list[str]]:
        """The tensors of a role, each with its shape as text."""
        found = re.findall(rf"^  {role} +(\w+)(?:\[([^\]]*)\])?", self.check()["normal_form"], re.MULTILINE)
        return {name: [part.strip() for part in shape.split(",") if part.strip()] for name, shape in found}

    @property
    def inputs(self) -> list[str]:
        return list(self._declared("in"))

    @property
    def outputs(self) -> list[str]:
        return list(self._declared("out"))

    @property
    def parameters(self) -> list[str]:
        return self.check()["parameters"]

    def search(self, **given: Any) -> Front:
        """The best designs for a machine and sizes."""
        return Front(self._command("search", given)[1], self, given)

    def schedule(self, name: str) -> Chosen:
        """What a schedule of the kernel's file fixes."""
        return Chosen(self, {"schedule": name})

    def prove(self, check: bool = False, **given: Any) -> Proofs:
        """The verdict of each obligation. A claim that is refuted raises with ``check=True`` only."""
        code, found, said = self._command("prove", given, (0,) if check else (0, 1, 3))
        if "obligations" not in found:
            raise _border.error_of(code, found, said)
        return Proofs(found)

    def derive(self, **given: Any) -> Derived:
        """Other forms of the equations, by the laws of algebra."""
        return Derived(self._command("derive", given)[1])

    def explain(self, **given: Any) -> Result:
        """The rules that lead to a schedule."""
        return Result(self._command("explain", given)[1])

    def equal(self, one: str, other: str, **given: Any) -> dict:
        """Whether two tensors are equal."""
        return self._command("equal", given, (0, 1, 3), one, other)[1]

    def explore(self, **given: Any) -> Result:
        """The best design at each point of a ``sweep`` over sizes and keys of a machine: ``sweep={"size.M": range(2, 9)}``."""
        return Result(self._command("explore", given)[1])

    def tune(self, **given: Any) -> Tuned:
        """Schedule, tiles, grid and all else for the machine file of a cluster, by prediction; the program that is chosen is proved."""
        text, found = self._written("tune", given)
        return Tuned(found, Program(text))

    def emit(self, **given: Any) -> Program:
        """The program of the best design."""
        return Program(self._written("emit", given)[0])

    def emit_c(self, folder: str | PathLike[str], **given: Any) -> Path:
        """The same as C, in a folder of its own."""
        self._command("emit", {**given, "target": "c", "output": folder})
        return Path(folder)

    def design(self, **given: Any) -> str:
        """The best design as the text of a file, which `load` reads."""
        return self._written("emit", {**given, "stop_after": "design"})[0]

    def run(self, *arrays: ArrayLike, inputs: Mapping[str, ArrayLike] | None = None, page: bool = False, **given: Any) -> Run:
        """Search, prove, emit, simulate, compare. Arrays come in the order of the kernel or by name; sizes follow from them."""
        named = self._arrays(arrays, inputs, given)
        given["size"] = {**self._sizes(named), **given.get("size", {})}
        with TemporaryDirectory() as name:
            folder = Path(name)
            if page:
                given["report"] = folder / "run.html"
            done = run(["run", self._words], folder, named, self.outputs, given)
            done._page = (folder / "run.html").read_text(encoding="utf-8") if page else None
            return done

    def __call__(self, *arrays: ArrayLike, **given: Any) -> np.ndarray | tuple[np.ndarray, ...]:
        """The outputs for these inputs: the array, or a tuple of all."""
        done = self.run(*arrays, **given)
        found = tuple(done.outputs[name] for name in self.outputs)
        return found[0] if len(found) == 1 else found

    def _arrays(
        self, arrays: tuple[ArrayLike, ...], inputs: Mapping[str, ArrayLike] | None, given: dict[str, Any]
    ) -> dict[str, ArrayLike]:
        names = self.inputs
        if len(arrays) > len(names):
            raise TypeError(f"`{self.check()['kernel']}` has {len(names)} inputs, {len(arrays)} were given")
        named: dict[str, ArrayLike] = dict(zip(names, arrays))
        others = [*(inputs or {}).items(), *((name, given.pop(name)) for name in names if name in given)]
        for name, array in others:
            if name in named:
                raise TypeError(f"`{name}` is given twice")
            named[name] = array
        for name, array in named.items():
            if array is None:
                raise TypeError(f"`{name}` is None: leave an input out, and it is filled")
        for name, array in given.items():
            if isinstance(array, np.ndarray):
                raise TypeError(f"`{name}` is no input of `{self.check()['kernel']}`: it has {', '.join(names) or 'none'}")
        return named

    def _sizes(self, named: Mapping[str, ArrayLike]) -> dict[str, int]:
        """The sizes that the shapes of arrays say."""
        sizes: dict[str, int] = {}
        for name, shape in self._declared("in").items():
            if name in named:
                sides = zip(shape, np.shape(named[name]))
                sizes |= {extent: side for extent, side in sides if extent in self.parameters}
        return sizes

    def _of_design(self, text: str) -> Kernel:
        return _in_a_file(text, "design")

    def _command(
        self, name: str, given: Mapping[str, Any], accepted: tuple[int, ...] = (0,), *words: str
    ) -> tuple[int, dict, str]:
        return _border.command([name, self._words, *words], given, accepted)

    def _written(self, name: str, given: Mapping[str, Any]) -> tuple[str, dict]:
        if "output" in given:
            raise TypeError(f"`{name}` gives its text: write that where you like")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "written"
            found = self._command(name, {**given, "output": path})[1]
            return path.read_text(encoding="utf-8"), found
