"""Words in, an object out: how methods call commands."""

import json
from collections.abc import Iterable, Mapping
from os import PathLike, fspath

from . import _systole
from ._errors import error_of


def version() -> str:
    return _systole.command(["--version"])[1].split()[-1]


def flags(given: Mapping[str, object]) -> list[str]:
    """Keywords as flags: ``size={"M": 8}`` is ``--size M=8``, ``forms=True`` is ``--forms``."""
    words: list[str] = []
    for name, value in given.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        words.append(flag)
        if value is not True:
            words.append(_text(value))
    return words


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_text(entry)}" for key, entry in value.items())
    if isinstance(value, (str, PathLike)):
        return fspath(value)
    if isinstance(value, range) and value.step == 1:
        return f"{value.start}..{value.stop - 1}"
    if isinstance(value, Iterable):
        return ",".join(_text(entry) for entry in value)
    return str(value)


def command(words: list[str], accepted: Iterable[int] = (0,)) -> tuple[int, dict, str]:
    """The exit code, the object of ``--json``, and what was said beside it. Other codes than those accepted are errors."""
    code, printed, said = _systole.command([*words, "--json"])
    found = json.loads(printed) if printed.strip() else {}
    if code not in accepted:
        raise error_of(code, found, said)
    return code, found, said


def text(words: list[str]) -> str:
    """What a command prints for people."""
    code, printed, said = _systole.command(words)
    if code != 0:
        raise error_of(code, {}, said)
    return printed


def doctor() -> dict:
    """What this machine has."""
    return command(["doctor"])[1]
