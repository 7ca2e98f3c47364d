"""Ctrl-C while there is something to take back: the first stops, later ones do not stop that."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def interrupted_once() -> Iterator[None]:
    """The first Ctrl-C raises KeyboardInterrupt; an impatient second one is ignored."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    with handled_by(stop):
        yield


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C is ignored."""
    with handled_by(signal.SIG_IGN):
        yield


@contextlib.contextmanager
def handled_by(handler: "signal._HANDLER") -> Iterator[None]:
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
