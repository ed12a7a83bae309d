"""Runs the embedded reader in the background, so that requests are answered meanwhile.

The server reads in a child process. A program that embeds the memory reads in a thread: a child
process would run that program's main module again, and load the models a second time.
"""

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
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from recollect.errors import (
    ModelUnavailable,
    ReaderLost,
    ReaderStopped,
    RecollectError,
    described,
    is_shortage,
)
from recollect.extract.brief import Brief, Extracted
from recollect.graph.found import Found
from recollect.limits import READER_IDLE_S_MAX, READING_S_MAX
from recollect.models.judge import Opinion, Pair

if TYPE_CHECKING:
    from recollect.extract.embedded import EmbeddedReader

_PR_SET_PDEATHSIG = 1
_STOP_S = 5.0
_STOPPED = ("T", "t")  # states that only a signal or a debugger causes, never the text being read
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_SLOWER_MAX = 10  # wall-clock limit as a multiple of the time limit, for a busy processor
_LOOKS = 10  # polls within the shorter of the two time limits


class ReadingFailed(Exception):
    """An episode could not be read; says what went wrong in the child process."""

    quotes_nothing = True


class EpisodeReader(Protocol):
    """The reader that runs in the child process."""

    def read(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What the episodes say."""

    def finish(self, reading: Brief, found: Found) -> Extracted:
        """Another reader's findings, rated and embedded."""

    def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """What the newer sentence of each pair does to the older one."""


Load = Callable[[Path, Path | None], EpisodeReader]


def _embedded(models: Path, table: Path | None) -> EpisodeReader:
    from recollect.extract.embedded import EmbeddedReader  # slow, so only in the child process

    return EmbeddedReader(models, table)


class ExtractionProcess:
    """A child process with the models loaded, started for the first episode.

    If it dies or is stopped, the current reading fails with ReaderLost and the next gets a new process.
    *load* creates the reader, in the child. The child counts as hung if a reading takes longer than
    *reading_s_max* or uses no processor time for *idle_s_max*.
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
        # A thread of its own, not one of the pool that requests share. Only this thread talks to the
        # child, and it sends a question and receives the answer in one step: a caller that is cancelled
        # leaves no stale answer for the next.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="extraction")
        self._process: BaseProcess | None = None
        self._line: Connection | None = None
        self._closed = False
        self._died_idle = False  # whether a child died while idle since the last lost reading

    async def read(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What the embedded reader finds."""
        found: list[Extracted] = await self._ask("read", list(readings))
        return found

    async def finish(self, reading: Brief, found: Found) -> Extracted:
        """Another reader's findings, rated and embedded."""
        extracted: Extracted = await self._ask("finish", reading, found)
        return extracted

    async def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """What the newer sentence of each pair does to the older one."""
        opinions: list[Opinion] = await self._ask("judge", list(pairs))
        return opinions

    async def close(self) -> None:
        """Kill the process. The current reading fails, and no other starts."""
        if self._closed:
            return
        self._closed = True
        _kill(self._process)  # the thread waiting for an answer gets an EOFError
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
        """Send one call to the child and return its answer; a child that fails to answer is dropped."""
        watch: Watchdog | None = None
        try:
            line, process = self._present() or self._start()
            with Watchdog(process, *self._bounds) as watch:
                line.send((method, args))
                answer: tuple[Any, Exception | None] = line.recv()
        except (EOFError, OSError) as broken:
            self._drop()
            if is_shortage(broken):  # no process could be started
                raise ModelUnavailable(described(broken)) from broken
            others_die, self._died_idle = self._died_idle, False
            raise _loss(watch, others_die=others_die) from broken
        return answer

    def _present(self) -> tuple[Connection, BaseProcess] | None:
        """The running process, or None if there is none or it died while idle."""
        if self._process is not None and not self._process.is_alive():
            self._died_idle = True
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
        if self._closed:  # `close` ran meanwhile, and could not see this process yet
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
            with suppress(ValueError):  # still alive after being killed
                process.close()


def _loss(watch: "Watchdog | None", *, others_die: bool) -> ReaderLost:
    """The error for a process that did not answer, with the watchdog's verdict if it has one."""
    verdict = watch.verdict if watch is not None else None
    said = verdict and f"the extraction process hung: {verdict}"
    if watch is not None and watch.was_stopped:
        return ReaderStopped(said, others_die=others_die)
    return ReaderLost(said, others_die=others_die)


def _kill(process: BaseProcess | None) -> None:
    """Kill without warning: the child has no state to lose."""
    if process is not None:
        with suppress(ValueError):  # closed already
            process.kill()


def _serve(line: Connection, models: Path, table: Path | None, load: Load) -> None:
    """The main loop of the child: answers until its parent closes the pipe or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    _be_killed_with_parent()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    reader: EpisodeReader | None = None
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
        except MemoryError:
            os._exit(1)  # which frees all of its memory
        except Exception as error:  # noqa: BLE001 - the caller gets whatever went wrong
            answer = (None, _portable(error))
        try:
            line.send(answer)
        except OSError:
            return


def _be_killed_with_parent() -> None:
    """Have Linux kill this process when its parent dies, which works even while this process is stopped.

    The signal is tied to the thread that started this process; that thread lives as long as the
    `ExtractionProcess`.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_with_parent() -> None:
    """Exit when the parent dies, even in the middle of a reading: nobody is left to receive it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _portable(error: Exception) -> Exception:
    """An error that can cross the pipe: not every exception can be pickled."""
    if is_shortage(error):
        return ModelUnavailable(described(error))
    failed = ReadingFailed(described(error))
    failed.add_note("".join(traceback.format_tb(error.__traceback__)))
    return failed


class Watchdog:
    """Kills a process that owes an answer but is idle for too long, or takes too long.

    The waiting side then gets an EOFError. Time is counted in polls, so that the sleep of a laptop does
    not count; neither does processor time that other processes used. *verdict* says why it was killed.
    """

    def __init__(self, process: BaseProcess, seconds_max: float, idle_s_max: float) -> None:
        self._process = process
        self._seconds_max = seconds_max
        self._idle_s_max = idle_s_max
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="reader-watch", daemon=True)
        self.verdict: str | None = None
        self.was_stopped = False

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
        passed = waited = idle = 0.0
        state, used = _seen(self._process)
        while not self._over.wait(pause):
            before = used
            state, used = _seen(self._process)
            passed += pause
            waited += _taken(pause, before, used)
            idle = idle + pause if used is not None and used == before else 0.0
            if idle >= self._idle_s_max:
                self._kill(f"it did nothing for {self._idle_s_max:g} seconds", state)
                break
            if waited >= self._seconds_max or passed >= _SLOWER_MAX * self._seconds_max:
                self._kill(f"not read within {self._seconds_max:g} seconds", state)
                break

    def _kill(self, verdict: str, state: str | None) -> None:
        self.verdict = verdict
        self.was_stopped = state in _STOPPED
        with suppress(ValueError):  # closed already
            self._process.kill()


def _taken(pause: float, before: int | None, used: int | None) -> float:
    """How much of a pause counts against the process: its processor time, or all of an idle pause."""
    if before is None or used is None or used == before:
        return pause
    return min(pause, (used - before) / _TICKS_PER_S)


def _seen(process: BaseProcess) -> tuple[str | None, int | None]:
    """The state of a process and its processor time in ticks; None for both if `/proc` lacks it."""
    try:
        stat = Path(f"/proc/{process.pid}/stat").read_text()
    except OSError:
        return None, None
    told = stat.rpartition(")")[2].split()
    return told[0], int(told[11]) + int(told[12])


T = TypeVar("T")


class ExtractionThread:
    """A thread that reads episodes; the models are loaded for the first one."""

    def __init__(self, models: Path, table: Path | None = None) -> None:
        self._arguments = (models, table)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recollect-extraction")
        self._embedded: EmbeddedReader | None = None
        self._closed = False

    async def read(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What the embedded reader finds."""
        return await self._run(lambda: self._loaded().read(readings))

    async def finish(self, reading: Brief, found: Found) -> Extracted:
        """Another reader's findings, rated and embedded."""
        return await self._run(lambda: self._loaded().finish(reading, found))

    async def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """What the newer sentence of each pair does to the older one."""
        return await self._run(lambda: self._loaded().judge(pairs))

    async def close(self) -> None:
        """Wait for the current reading, and start no other."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)

    async def _run(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise ModelUnavailable("the extraction thread was closed")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _loaded(self) -> "EmbeddedReader":
        if self._embedded is None:
            from recollect.extract.embedded import EmbeddedReader  # takes a second: only if needed

            self._embedded = EmbeddedReader(*self._arguments)
        return self._embedded
