"""Readiness: whether requests can be served, tested by doing so. Reports contain no file paths."""

import asyncio
import multiprocessing
import time
from pathlib import Path

from recollect.errors import RecollectError
from recollect.limits import READY_ANSWER_S_MAX, READY_WRITE_EVERY_S
from recollect.models import weights
from recollect.settings import Settings
from recollect.store.protocol import Store, Transaction

READER_PROCESS = "recollect-extraction"
_STOPPED = "T"


class Readiness:
    """Checks the store, the models and the reader processes."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._models = settings.models if settings.extraction == "on" else None
        self._written_at = float("-inf")

    async def troubles(self) -> list[str]:
        """The problems found; empty if everything works."""
        found = [await asyncio.to_thread(self._store.trouble), await self._of_store()]
        if self._models is not None:
            found.append(await asyncio.to_thread(_of_models, self._models))
            found.append(_of_readers())
        return [one for one in dict.fromkeys(found) if one is not None]

    async def _of_store(self) -> str | None:
        """Try a read, and a write unless one succeeded a moment ago."""
        try:
            async with asyncio.timeout(READY_ANSWER_S_MAX):
                await self._store.read(_read)
                if time.monotonic() - self._written_at >= READY_WRITE_EVERY_S:
                    await self._store.write(_write)
                    self._written_at = time.monotonic()
        except TimeoutError:
            return f"the store does not answer within {READY_ANSWER_S_MAX:g} s"
        except RecollectError as error:
            return error.message
        return None


def _read(tx: Transaction) -> None:
    tx.projects.first()


def _write(tx: Transaction) -> None:
    """Rewrite a row unchanged, which still goes to the disk."""
    tx.projects.touch()


def _of_models(folder: Path) -> str | None:
    needed = (weights.EMBEDDER, weights.PARSER)
    wrong = [one for one in weights.check(folder, weights=needed) if one.state != "present"]
    told = ", ".join(f"{one.weight.name} is {one.state}" for one in wrong)
    return f"models: {told}; run `recollect models install`" if wrong else None


def _of_readers() -> str | None:
    """Reports reader processes that were stopped from outside; one that ended is replaced anyway."""
    stopped = [
        child
        for child in multiprocessing.active_children()
        if child.name == READER_PROCESS and _state(child.pid) == _STOPPED
    ]
    return f"{len(stopped)} of the processes that read were stopped" if stopped else None


def _state(pid: int | None) -> str | None:
    """The state of a process, on systems that have it in /proc."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return None
