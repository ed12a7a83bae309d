"""The ways to read an episode, as workers use them: one extractor per worker."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from recollect.errors import BudgetExhausted, ModelAnswerInvalid, ModelUnavailable
from recollect.extract.background import ExtractionProcess, ExtractionThread
from recollect.extract.brief import Brief, Extracted, RereadRequest
from recollect.extract.llm import ModelExtractor
from recollect.graph import predicates
from recollect.graph.found import Found
from recollect.graph.types import DIRECT_KINDS
from recollect.limits import JOBS_PER_COMMIT_MAX
from recollect.models.judge import Opinion, Pair

# Trivial input for the health check: a text to read, and two sentences to judge.
_HARMLESS = Brief(kind="text", content="Ann lives in Lisbon.", at=datetime(2024, 1, 1, tzinfo=UTC))
_HARMLESS_PAIR = Pair("Ann lives in Lisbon.", "Ann moved to Porto.", "Ann Ann", 0.8, 0.0, 1.0)
_NO_ANSWER = (ModelUnavailable, ModelAnswerInvalid, BudgetExhausted)
_BEHIND = "earlier episodes of the graph wait for the language model"
_DOWN = "the language model did not answer a moment ago"
_FOR_AGENTS = "agents read what was told"


class EmbeddedExtractor:
    """Reads with the built-in models and rules.

    Extraction runs in a separate process; with *here*, in a thread of this one.
    """

    together = JOBS_PER_COMMIT_MAX
    wants_known = False

    def __init__(self, models: Path, table: Path | None = None, *, here: bool = False) -> None:
        self.predicates = predicates.load(table)
        self._process = _place(models, table, here=here)

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each episode says, in order."""
        return await self._process.read(readings)

    async def finish(self, reading: Brief, found: Found) -> Extracted:
        """What another reader found, with ratings and vectors added."""
        return await self._process.finish(reading, found)

    async def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """What the newer sentence of each pair does to the older one."""
        return await self._process.judge(pairs)

    async def check(self, *, judges: bool) -> None:
        """Read a trivial text; raises if even that fails."""
        await self.extract([_HARMLESS])
        if judges:
            await self.judge([_HARMLESS_PAIR])

    async def close(self) -> None:
        """End the process."""
        await self._process.close()


class AgentExtractor:
    """Reads with the built-in models, and requests a second reading by agents."""

    together = JOBS_PER_COMMIT_MAX
    wants_known = False

    def __init__(self, models: Path, table: Path | None = None, *, here: bool = False) -> None:
        self.embedded = EmbeddedExtractor(models, table, here=here)
        self.predicates = self.embedded.predicates

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """The first reading of each episode, in order."""
        found = await self.embedded.extract(readings)
        return [_for_agents(reading, one) for reading, one in zip(readings, found, strict=True)]

    async def close(self) -> None:
        """End the process."""
        await self.embedded.close()


def _for_agents(reading: Brief, found: Extracted) -> Extracted:
    if not _is_read(reading):
        return found
    return replace(found, again=RereadRequest(reader="agent", reason=_FOR_AGENTS))


class LanguageModelExtractor:
    """Asks a language model, once per episode; ratings and vectors are still computed here.

    Without a usable answer the episode is read as if there were no model, so that nobody waits for it,
    and is read again when the model is back.
    """

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
        self.embedded = EmbeddedExtractor(models, table, here=here)
        self.predicates = self.embedded.predicates
        self._model = model

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each episode says, in order.

        Direct writes, and episodes that nothing should be learned from, need no model.
        """
        return [await self._extract(reading) for reading in readings]

    async def _extract(self, reading: Brief) -> Extracted:
        if not _is_read(reading):
            return await self._at_first_sight(reading)
        if reading.behind or self._model.is_down:
            return await self._at_first_sight(reading, _BEHIND if reading.behind else _DOWN)
        try:
            found = await self._model.read(reading)
        except _NO_ANSWER as error:
            return await self._at_first_sight(reading, error.message)
        return await self.embedded.finish(reading, found)

    async def _at_first_sight(self, reading: Brief, reason: str | None = None) -> Extracted:
        (found,) = await self.embedded.extract([reading])
        return (
            found
            if reason is None
            else replace(found, again=RereadRequest(reader="model", reason=reason))
        )

    async def close(self) -> None:
        """End the process."""
        await self.embedded.close()


def _is_read(reading: Brief) -> bool:
    """Whether a reader could find anything in it."""
    return reading.learn and reading.kind not in DIRECT_KINDS


def _place(models: Path, table: Path | None, *, here: bool) -> ExtractionProcess | ExtractionThread:
    return ExtractionThread(models, table) if here else ExtractionProcess(models, table)
