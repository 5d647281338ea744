"""SIGTERM and SIGINT, from the first moment on: as process 1 of a container, one without a handler hears neither."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import NoReturn

from hook.errors import Terminated


def on_stop(act: Callable[[], None]) -> None:
    """From now on `act` is called, in the main thread, when either comes."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: act())


def give_up() -> NoReturn:
    """What to do about it as long as nothing was written: raises Terminated."""
    raise Terminated("stopped by SIGTERM before anything was written; run again")
