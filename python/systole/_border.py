"""Words in, an object out: how methods call commands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path

from . import _systole
from ._errors import error_of
from ._progress import watching

#: What ships: kernels and machines.
DATA = Path(__file__).parent / "data"


def version() -> str:
    return _systole.command(["--version"])[1].split()[-1]


def flags(given: Mapping[str, object]) -> list[str]:
    """Keywords as flags: ``size={"M": 8}`` is ``--size M=8``, ``forms=True`` is ``--forms``; a sweep has a flag for each of its keys."""
    words: list[str] = []
    for name, value in given.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if name == "sweep" and isinstance(value, Mapping):
            words += [word for key, entry in value.items() for word in (flag, _text({key: entry}))]
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


def command(
    words: list[str], given: Mapping[str, object] | None = None, accepted: Iterable[int] = (0,)
) -> tuple[int, dict, str]:
    """The exit code, the object of ``--json``, and what was said beside it. Other codes than those accepted are errors. Of what is given
    ``progress`` says who is told how far it has come, and all else is flags."""
    asked = dict(given or {})
    # A machine that ships may be called by its name.
    machine = asked.get("machine")
    if isinstance(machine, str) and (DATA / "machines" / f"{machine}.toml").is_file():
        asked["machine"] = DATA / "machines" / f"{machine}.toml"
    with watching(asked.pop("progress", None)) as watch:
        code, printed, said = _systole.command([*words, *flags(asked), "--json"], watch)
    found = json.loads(printed) if printed.strip() else {}
    if code not in accepted:
        raise error_of(code, found, said)
    return code, found, said


def doctor() -> dict:
    """What this machine has."""
    return command(["doctor"])[1]


def layers(topology: str | PathLike[str], **given: object) -> dict:
    """The cycles of a network's layers, of a topology of SCALE-Sim, on the array of its configuration ``machine``."""
    return command(["layers", fspath(topology)], given)[1]


def calibrate(**given: object) -> dict:
    """Measures this machine, into the file ``output`` for predictions."""
    return command(["calibrate"], given)[1]


def check_rules(**given: object) -> dict:
    """Tries every rewrite rule, those of the folder ``rules`` too, on random instances; one whose sides differ raises."""
    return command(["rules", "check"], given)[1]
