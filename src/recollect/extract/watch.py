"""Noticing that a process which owes an answer does nothing any more, or takes too long."""

import threading
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Self

_LOOKS = 10  # in the time after which a process that uses no processor is given up


class Watch:
    """Kills a process that uses no processor for a while, or that takes too long.

    Whoever waits for its answer then reads an end of file. Time is counted in looks, so that a
    machine that slept finds no process guilty. *verdict* says what it was killed for.
    """

    def __init__(self, process: BaseProcess, seconds_max: float, idle_s_max: float) -> None:
        self._process = process
        self._seconds_max = seconds_max
        self._idle_s_max = idle_s_max
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="reader-watch", daemon=True)
        self.verdict: str | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        pause = min(self._idle_s_max, self._seconds_max) / _LOOKS
        waited = idle = 0.0
        used = _processor_s(self._process)
        while not self._over.wait(pause):
            before, used = used, _processor_s(self._process)
            waited += pause
            idle = idle + pause if used is not None and used == before else 0.0
            if idle >= self._idle_s_max:
                self._kill(f"it did nothing for {self._idle_s_max:g} seconds")
                break
            if waited >= self._seconds_max:
                self._kill(f"not read within {self._seconds_max:g} seconds")
                break

    def _kill(self, verdict: str) -> None:
        self.verdict = verdict
        with suppress(ValueError):  # closed already
            self._process.kill()


def _processor_s(process: BaseProcess) -> int | None:
    """What a process used of the processor, in ticks; None where the system does not tell."""
    try:
        told = Path(f"/proc/{process.pid}/stat").read_text()
    except OSError:
        return None
    user, system = told.rpartition(")")[2].split()[11:13]
    return int(user) + int(system)
