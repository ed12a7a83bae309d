"""The ways to read an episode, as a worker uses them: one extractor per worker."""

from collections.abc import Sequence
from pathlib import Path

from recollect.extract.brief import Brief, Extracted
from recollect.extract.model import ModelExtractor
from recollect.extract.process import ExtractionProcess
from recollect.extract.thread import ExtractionThread
from recollect.graph import predicates
from recollect.graph.types import DIRECT_KINDS
from recollect.limits import JOBS_PER_COMMIT_MAX


class EmbeddedExtractor:
    """Reads with the models and rules that come with the program.

    That happens in a process of its own; with *here*, in a thread of this one.
    """

    together = JOBS_PER_COMMIT_MAX
    wants_known = False

    def __init__(self, models: Path, table: Path | None = None, *, here: bool = False) -> None:
        self.predicates = predicates.load(table)
        self._process = _place(models, table, here=here)

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each episode says, in order."""
        return await self._process.read(readings)

    async def close(self) -> None:
        """End the process."""
        await self._process.close()


class LanguageModelExtractor:
    """Asks a language model, once per episode; ratings and vectors are still made here."""

    together = 1
    wants_known = True

    def __init__(
        self,
        model: ModelExtractor,
        models: Path,
        table: Path | None = None,
        *,
        here: bool = False,
    ) -> None:
        self.predicates = predicates.load(table)
        self._model = model
        self._process = _place(models, table, here=here)

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each episode says, in order.

        What a caller wrote as knowledge, and what nothing is to be learned from, needs no model.
        """
        return [await self._extract(reading) for reading in readings]

    async def _extract(self, reading: Brief) -> Extracted:
        if reading.kind in DIRECT_KINDS or not reading.learn:
            return (await self._process.read([reading]))[0]
        return await self._process.finish(reading, await self._model.read(reading))

    async def close(self) -> None:
        """End the process."""
        await self._process.close()


def _place(models: Path, table: Path | None, *, here: bool) -> ExtractionProcess | ExtractionThread:
    return ExtractionThread(models, table) if here else ExtractionProcess(models, table)
