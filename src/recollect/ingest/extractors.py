"""The ways to read an episode, as a worker uses them: one extractor per worker."""

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

# What anybody can read, and two sentences that anybody can judge.
_HARMLESS = Brief(kind="text", content="Ann lives in Lisbon.", at=datetime(2024, 1, 1, tzinfo=UTC))
_HARMLESS_PAIR = Pair("Ann lives in Lisbon.", "Ann moved to Porto.", "Ann Ann", 0.8, 0.0, 1.0)
_NO_ANSWER = (ModelUnavailable, ModelAnswerInvalid, BudgetExhausted)
_BEHIND = "earlier episodes of the graph wait for the language model"
_DOWN = "the language model did not answer a moment ago"
_FOR_AGENTS = "agents read what was told"


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

    async def finish(self, reading: Brief, found: Found) -> Extracted:
        """What another reader found, rated and made findable."""
        return await self._process.finish(reading, found)

    async def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """What the newer sentence of each pair does to the older one."""
        return await self._process.judge(pairs)

    async def check(self, *, judges: bool) -> None:
        """Read something harmless; raises when not even that can be read."""
        await self.extract([_HARMLESS])
        if judges:
            await self.judge([_HARMLESS_PAIR])

    async def close(self) -> None:
        """End the process."""
        await self._process.close()


class AgentExtractor:
    """Reads with what comes with the program, and leaves a better reading to agents."""

    together = JOBS_PER_COMMIT_MAX
    wants_known = False

    def __init__(self, models: Path, table: Path | None = None, *, here: bool = False) -> None:
        self.embedded = EmbeddedExtractor(models, table, here=here)
        self.predicates = self.embedded.predicates

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each episode says at first sight, in order."""
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
    """Asks a language model, once per episode; ratings and vectors are still made here.

    Where there is no answer, or none that can be used, the episode is read as it would be without
    a model, so that nobody waits for it, and is read again when the model is back.
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

        What a caller wrote as knowledge, and what nothing is to be learned from, needs no model.
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
    """Whether there is something in it that a reader could find."""
    return reading.learn and reading.kind not in DIRECT_KINDS


def _place(models: Path, table: Path | None, *, here: bool) -> ExtractionProcess | ExtractionThread:
    return ExtractionThread(models, table) if here else ExtractionProcess(models, table)
