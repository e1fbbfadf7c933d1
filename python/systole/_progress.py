"""How far a command has come: a bar where there is a terminal or a notebook, or whatever the caller wants told."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Union

#: Is told what a command does, how much of that is done, and of how much (``None`` where nobody knows).
Watch = Callable[[str, int, Union[int, None]], object]


@contextmanager
def watching(progress: bool | Watch | None) -> Iterator[Watch | None]:
    """Who is told: a function of the caller's; or a bar, which there is where tqdm is and somebody looks, unless it is asked for."""
    if callable(progress):
        yield progress
        return
    wanted = _is_looked_at() if progress is None else progress
    bars = _Bars() if wanted and find_spec("tqdm") else None
    try:
        yield bars
    finally:
        if bars is not None:
            bars.close()


def _is_looked_at() -> bool:
    """Whether there is a terminal, or a notebook that can draw a bar."""
    if "ipykernel" in sys.modules:
        return find_spec("ipywidgets") is not None
    return sys.stderr is not None and sys.stderr.isatty()


class _Bars:
    """One bar at a time, which shows itself after a second."""

    def __init__(self):
        self._bar = None
        self._what = ""
        self._start = time.monotonic()

    def __call__(self, what: str, done: int, of: int | None) -> None:
        if what != self._what:
            self.close()
            self._what, self._start = what, time.monotonic()
        if self._bar is None and time.monotonic() - self._start > 1:
            from tqdm.auto import tqdm

            self._bar = tqdm(desc=what, leave=False)
        if self._bar is not None:
            self._bar.total, self._bar.n = of, done
            self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
