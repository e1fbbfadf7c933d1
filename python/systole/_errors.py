"""Messages as exceptions. The text of each is what the command says on standard error."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Span:
    """A place in a file; lines and columns count from 1, bytes from 0."""

    file: str
    start: tuple[int, int]
    end: tuple[int, int]
    bytes: tuple[int, int]
    text: str
    label: str


@dataclass(frozen=True)
class Diagnostic:
    """One message."""

    severity: str
    code: str
    message: str
    notes: list[str]
    help: str | None
    spans: list[Span]
    counterexample: dict[str, int] = field(default_factory=dict)
    refusal: dict | None = None

    @staticmethod
    def of(one: dict) -> Diagnostic:
        return Diagnostic(
            one["severity"], one["code"], one["message"], one["notes"], one["help"],
            [_span(span) for span in one["spans"]], one.get("counterexample", {}), one.get("refusal"),
        )


def _span(span: dict) -> Span:
    begin, end = span["from"], span["to"]
    return Span(
        span["file"], (begin["line"], begin["column"]), (end["line"], end["column"]), (begin["byte"], end["byte"]),
        span["text"], span["label"],
    )


class Error(Exception):
    """A command could not do what was asked; ``diagnostics`` says why, as data."""

    def __init__(self, text: str, found: dict):
        super().__init__(text.rstrip())
        self.found = found
        self.diagnostics = [Diagnostic.of(one) for one in found.get("diagnostics", [])]


class InputError(Error):
    """What was given is wrong: a kernel, a file, an array, a flag."""


class Refuted(Error):
    """A claim does not hold, or there is no design."""

    @property
    def counterexample(self) -> dict[str, int]:
        """A value for each size and index of the first claim that has a case against it."""
        return next((one.counterexample for one in self.diagnostics if one.counterexample), {})


class Unknown(Error):
    """The solver did not decide."""


class Deadlock(Error):
    """Everybody waits; the notes of the diagnostic say who for whom."""


class Mismatch(Error):
    """A run has other values than the reference."""


#: Codes of messages about what was given.
_INPUT = {"command-line", "file", "syntax", "kernel", "machine-file", "rules", "program", "array"}


def error_of(code: int, found: dict, said: str) -> Error:
    """The error of a command that ended with this code."""
    codes = [one["code"] for one in found.get("diagnostics", [])]
    run = found.get("sim", found)
    if code == 3:
        kind: type[Error] = Unknown
    elif code == 2 or any(one in _INPUT for one in codes):
        kind = InputError
    elif "deadlock" in codes:
        kind = Deadlock
    elif not codes and run.get("matches_reference") is False:
        return Mismatch("the values differ from those of the reference", found)
    elif codes and codes[0] not in ("run", "solver"):
        kind = Refuted
    else:
        kind = Error
    return kind(said, found)
