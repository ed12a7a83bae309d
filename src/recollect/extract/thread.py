"""Extraction in a thread of this process, for a program that has the memory inside it.

A process of its own would have to be told what the main module of that program is, and would run
it again unless it guards itself against that; and it would hold the models a second time.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from recollect.errors import ModelUnavailable
from recollect.extract.brief import Brief, Extracted
from recollect.graph.found import Found
from recollect.models.judge import Opinion
from recollect.models.pair_signs import Pair

if TYPE_CHECKING:
    from recollect.extract.embedded import Embedded

T = TypeVar("T")


class ExtractionThread:
    """One thread that reads; the models are loaded for the first episode."""

    def __init__(self, models: Path, table: Path | None = None) -> None:
        self._arguments = (models, table)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recollect-extraction")
        self._embedded: Embedded | None = None
        self._closed = False

    async def read(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What the embedded extractor finds."""
        return await self._run(lambda: self._loaded().read(readings))

    async def finish(self, reading: Brief, found: Found) -> Extracted:
        """What another extractor found, rated and made findable."""
        return await self._run(lambda: self._loaded().finish(reading, found))

    async def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """What the newer sentence of each pair does to the older one."""
        return await self._run(lambda: self._loaded().judge(pairs))

    async def close(self) -> None:
        """End the thread after what it is reading; nothing is read any more."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)

    async def _run(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise ModelUnavailable("the extraction thread was closed")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _loaded(self) -> "Embedded":
        if self._embedded is None:
            from recollect.extract.embedded import Embedded  # a second that only reading pays

            self._embedded = Embedded(*self._arguments)
        return self._embedded
