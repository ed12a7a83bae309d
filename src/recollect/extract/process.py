"""Extraction in a process of its own, so that requests are answered while it works."""

import asyncio
import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Protocol

from recollect.errors import ModelUnavailable, ReaderLost, RecollectError, described
from recollect.extract.brief import Brief, Extracted
from recollect.extract.watch import Watch
from recollect.graph.found import Found
from recollect.limits import READER_IDLE_S_MAX, READING_S_MAX
from recollect.models.judge import Opinion
from recollect.models.pair_signs import Pair

_PR_SET_PDEATHSIG = 1
_STOP_S = 5.0


class ReadingFailed(Exception):
    """An episode could not be read; carries what went wrong in the other process."""

    quotes_nothing = True


class Reader(Protocol):
    """What the other process works with."""

    def read(self, readings: Sequence[Brief]) -> list[Extracted]:
        """Everything the episodes say."""

    def finish(self, reading: Brief, found: Found) -> Extracted:
        """What another extractor found, rated and made findable."""

    def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """What the newer sentence of each pair does to the older one."""


Load = Callable[[Path, Path | None], Reader]


def _embedded(models: Path, table: Path | None) -> Reader:
    from recollect.extract.embedded import Embedded  # only the other process pays for the models

    return Embedded(models, table)


class ExtractionProcess:
    """One process with the models loaded. It starts with the first episode.

    If it dies or was stopped, the readings under way fail with ReaderLost, and the next ones get a
    new process. *load* makes what it works with, over there; what takes longer than
    *reading_s_max*, or uses no processor for *idle_s_max*, hangs.
    """

    def __init__(
        self,
        models: Path,
        table: Path | None = None,
        *,
        load: Load = _embedded,
        reading_s_max: float = READING_S_MAX,
        idle_s_max: float = READER_IDLE_S_MAX,
    ) -> None:
        self._arguments = (models, table, load)
        self._bounds = (reading_s_max, idle_s_max)
        # A thread of its own, not one of the pool that requests share. It alone speaks with the
        # other process, question and answer in one go: whoever asks and then waits no longer
        # leaves no answer behind for the next one.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="extraction")
        self._process: BaseProcess | None = None
        self._line: Connection | None = None
        self._closed = False

    async def read(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What the embedded extractor finds."""
        found: list[Extracted] = await self._ask("read", list(readings))
        return found

    async def finish(self, reading: Brief, found: Found) -> Extracted:
        """What another extractor found, rated and made findable."""
        extracted: Extracted = await self._ask("finish", reading, found)
        return extracted

    async def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """What the newer sentence of each pair does to the older one."""
        opinions: list[Opinion] = await self._ask("judge", list(pairs))
        return opinions

    async def close(self) -> None:
        """End the process; what it is reading stays owed, and nothing is read any more."""
        if self._closed:
            return
        self._closed = True
        _kill(self._process)  # whoever waits for an answer gets an end of file
        await asyncio.get_running_loop().run_in_executor(self._thread, self._drop)
        self._thread.shutdown(wait=False)

    async def _ask(self, method: str, *args: Any) -> Any:
        if self._closed:
            raise ModelUnavailable("the extraction process was closed")
        loop = asyncio.get_running_loop()
        answer, error = await loop.run_in_executor(self._thread, self._exchange, method, args)
        if error is not None:
            raise error
        return answer

    def _exchange(self, method: str, args: tuple[Any, ...]) -> tuple[Any, Exception | None]:
        """One question and its answer; a process that owes one after that is of no more use."""
        watch: Watch | None = None
        try:
            line, process = self._present() or self._start()
            with Watch(process, *self._bounds) as watch:
                line.send((method, args))
                answer: tuple[Any, Exception | None] = line.recv()
        except (EOFError, OSError) as broken:
            self._drop()
            verdict = watch.verdict if watch is not None else None
            raise ReaderLost(verdict and f"the extraction process hung: {verdict}") from broken
        return answer

    def _present(self) -> tuple[Connection, BaseProcess] | None:
        """A process that is there; one that died while it had nothing to do is not."""
        if self._process is not None and not self._process.is_alive():
            self._drop()
        if self._line is None or self._process is None:
            return None
        return self._line, self._process

    def _start(self) -> tuple[Connection, BaseProcess]:
        context = multiprocessing.get_context("spawn")
        line, other = context.Pipe()
        process = context.Process(
            target=_serve, args=(other, *self._arguments), name="recollect-extraction", daemon=True
        )
        process.start()
        other.close()  # so that each side notices when the other is gone
        self._line, self._process = line, process
        if self._closed:  # meanwhile: whoever closed did not see this process
            raise EOFError
        return line, process

    def _drop(self) -> None:
        line, process = self._line, self._process
        self._line = self._process = None
        if line is not None:
            line.close()
        if process is not None:
            _kill(process)
            process.join(_STOP_S)
            with suppress(ValueError):  # not even gone by now
                process.close()


def _kill(process: BaseProcess | None) -> None:
    """At once: it keeps nothing that could be lost."""
    if process is not None:
        with suppress(ValueError):  # closed already
            process.kill()


def _serve(line: Connection, models: Path, table: Path | None, load: Load) -> None:
    """The other process: answers until its parent hangs up, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    _be_killed_with_parent()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    reader: Reader | None = None
    while True:
        try:
            method, args = line.recv()
        except (EOFError, OSError):
            return
        try:
            reader = reader or load(models, table)
            answer: tuple[Any, Exception | None] = (getattr(reader, method)(*args), None)
        except RecollectError as error:
            answer = (None, error)
        except Exception as error:  # noqa: BLE001 - the one who asked gets whatever went wrong
            answer = (None, _portable(error))
        try:
            line.send(answer)
        except OSError:
            return


def _be_killed_with_parent() -> None:
    """On Linux the system sees to it, also when this process was stopped and cannot.

    It goes by the thread that started this process, which lives for as long as it is wanted.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_with_parent() -> None:
    """Even in the middle of a long reading: nobody is left who would want it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _portable(error: Exception) -> ReadingFailed:
    """An error that can travel: not every exception can be pickled."""
    failed = ReadingFailed(described(error))
    failed.add_note("".join(traceback.format_tb(error.__traceback__)))
    return failed
