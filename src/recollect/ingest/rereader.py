"""Makes second readings in the background, by the language model or again by the embedded reader.

Replacing a reading and removing it from the queue are one transaction; the graph is folded after that.
Whatever happens in between, the episode either still waits or was read. A graph that was not folded is
folded before more of it is read.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from typing import get_args

from msgspec.structs import replace
from prometheus_client import Counter

from recollect import log
from recollect.clock import Clock
from recollect.errors import (
    BudgetExhausted,
    Conflict,
    ModelAnswerInvalid,
    ModelRejected,
    ModelUnavailable,
    NotFound,
    ReaderLost,
    ReaderStopped,
    Unavailable,
    described,
    is_shortage,
)
from recollect.extract.brief import Brief, Extracted, ReaderKind, RereadRequest
from recollect.extract.llm import ModelExtractor
from recollect.graph.types import DIRECT_KINDS
from recollect.ingest import briefing, known, rereadings
from recollect.ingest.extractors import EmbeddedExtractor
from recollect.ingest.folder import Folder
from recollect.ingest.judging import Judge, one_judged
from recollect.ingest.rereadings import Held
from recollect.limits import OUTSIDE_PAUSE_MAX_S, READING_LEASE_S, READINGS_PER_CLAIM_MAX
from recollect.models.language_model import LanguageModel
from recollect.search.finder import Finder
from recollect.store.protocol import Store

_log = log.get(__name__)
_POLL_S = 1.0
_REREAD = Counter(
    "recollect_rereadings_total", "Second readings that ended, by outcome.", ["outcome"]
)
_NOT_OURS = (Conflict, NotFound)  # claimed by another, answered or forgotten meanwhile


class Rereader:
    """Runs until stopped; *lanes* is how many episodes, of different graphs, it reads at once.

    *lease_s* must outlast the longest call. *then*: who reads next what the embedded reader read again.
    """

    def __init__(
        self,
        store: Store,
        folder: Folder,
        finder: Finder,
        embedded: EmbeddedExtractor,
        *,
        owner: str,
        clock: Clock,
        attempts_max: int,
        backoff_first_s: float,
        model: LanguageModel | None = None,
        lanes: int = 1,
        lease_s: float = READING_LEASE_S,
        then: ReaderKind = "embedded",
        judge: Judge | None = None,
    ) -> None:
        self._store = store
        self._folder = folder
        self._finder = finder
        self._embedded = embedded
        self._owner = owner
        self._clock = clock
        self._attempts_max = attempts_max
        self._backoff_first_s = backoff_first_s
        self._model = model
        self._reader = None if model is None else ModelExtractor(model, embedded.predicates)
        self._lanes = lanes
        self._lease_s = lease_s
        self._then = then
        self._judge = judge
        self._stop = asyncio.Event()
        self._was_down = True  # it may have been, before this process started
        self._seen_at = clock()

    def stop(self) -> None:
        """Ask `run` to stop after the readings in progress."""
        self._stop.set()

    async def run(self) -> None:
        """Read until stopped; errors are logged, and retried after a pause."""
        await asyncio.gather(*(self._lane() for _ in range(self._lanes)))

    async def _lane(self) -> None:
        while not self._stop.is_set():
            try:
                busy = await self.step()
            except Exception as error:  # noqa: BLE001 - a reader outlives whatever went wrong
                _log.error("rereader.stumbled", exc_info=error)
                busy = False
            if not busy:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), _POLL_S)

    async def step(self) -> bool:
        """Make the next reading for either reader; False if there was nothing to do."""
        await self._look_at_clock()
        return await self._do_over() or await self._ask_again()

    async def _look_at_clock(self) -> None:
        """If the clock was set back, make all retries due: their times lie too far in the future."""
        before, self._seen_at = self._seen_at, self._clock()
        if self._seen_at < before:
            for reader in get_args(ReaderKind):
                await self._store.write(rereadings.due_now, reader)

    async def _do_over(self) -> bool:
        """Read some episodes of one graph again with the embedded reader.

        It knows nothing of the graph, so one fold is enough once all of its episodes were read.
        """
        if await self._store.read(rereadings.next_due, "embedded", folded=False) is None:
            return await self._fold_left("embedded")
        group = await self._store.write(
            rereadings.claim_group,
            "embedded",
            owner=self._owner,
            limit=READINGS_PER_CLAIM_MAX,
            lease_s=self._lease_s,
        )
        if not group:
            return False
        async with self._holding(group):
            await self._read_over(group)
            graph_id = group[0].episode.graph_id
            if not await self._store.read(rereadings.are_waiting, graph_id, "embedded"):
                await self._folder.fold(graph_id)
        return True

    async def _read_over(self, group: Sequence[Held]) -> None:
        """Read the group at once; if that fails, one by one."""
        briefs = await self._briefs(group)
        try:
            read = await self._embedded.extract([brief for _, brief in briefs])
        except Exception as error:  # noqa: BLE001 - whatever it was, it is retried, then parked
            if len(group) == 1:
                await self._blame(group[0], error)
                return
            for one in group:
                await self._read_over([one])
            return
        for (one, brief), found in zip(briefs, read, strict=True):
            await self._keep(one, self._followed(brief, found))

    def _followed(self, brief: Brief, found: Extracted) -> Extracted:
        """A reading by the embedded reader, with a request for the reader that follows it, if any."""
        if self._then == "embedded" or not brief.learn or brief.kind in DIRECT_KINDS:
            return found
        return replace(found, again=RereadRequest(reader=self._then, reason="it was read over"))

    async def _briefs(self, group: Sequence[Held]) -> list[tuple[Held, Brief]]:
        found = [(one, await self._brief(one)) for one in group]
        return [
            (one, replace(brief, learn=one.episode.kept_for != "episodic"))
            for one, brief in found
            if brief is not None
        ]

    async def _brief(self, one: Held) -> Brief | None:
        episode, strict = one.episode, one.strict_ontology
        if one.reader == "embedded":
            return await self._store.read(
                briefing.of_episode, episode, strict=strict, wants_known=False
            )
        project_id = await self._store.glance(known.project_of, episode.graph_id)
        if project_id is None:
            return None
        everyone = known.everyone(project_id)
        return await known.brief(self._store, self._finder, everyone, episode, strict=strict)

    async def _ask_again(self) -> bool:
        """Read one episode with the language model, unless that is known to be down."""
        if self._model is None or self._reader is None or self._model.outage.rest_until is not None:
            return False
        if self._was_down and not self._model.outage.is_on:
            await self._back()
        if await self._store.read(rereadings.next_due, "model") is None:
            return await self._fold_left("model")
        taken = await self._store.write(
            rereadings.claim, "model", owner=self._owner, lease_s=self._lease_s
        )
        if taken is None:
            return False
        async with self._holding([taken]):
            for one, brief in await self._briefs([taken]):
                await self._ask(self._model, self._reader, one, brief)
        return True

    async def _ask(
        self, model: LanguageModel, reader: ModelExtractor, one: Held, brief: Brief
    ) -> None:
        try:
            read = await self._embedded.finish(brief, await reader.read(brief))
        except BudgetExhausted as error:
            await self._put_off(one, error.message, error.retry_at)
        except (ModelRejected, ModelAnswerInvalid) as error:
            await self._fail(one, error.message)
        except Exception as error:  # noqa: BLE001 - whatever it was, it is retried, then parked
            if isinstance(error, ModelUnavailable) and model.outage.is_on:
                await self._put_off(one, error.message, model.outage.rest_until)
            else:
                await self._blame(one, error)
        else:
            await self._keep(one, read)
            await self._folder.fold(one.episode.graph_id)

    async def _back(self) -> None:
        """The model answers again: make everything that waits for it due."""
        self._was_down = False
        count = await self._store.write(rereadings.due_now, "model")
        _log.info("model.back", readings=count)

    async def _keep(self, one: Held, read: Extracted) -> None:
        if self._judge is not None:
            read = await one_judged(self._store, self._finder, self._judge, one.episode, read)
        try:
            await self._store.write(rereadings.succeed, one, read)
        except _NOT_OURS as error:
            _log.warning("reading.lost", episode=one.episode.uuid, error=error.message)
            return
        _REREAD.labels("succeeded").inc()
        _log.info("reading.replaced", episode=one.episode.uuid, reader=read.found.extractor)

    async def _put_off(self, one: Held, error: str, until: datetime | None) -> None:
        """Try again later; this does not count as an attempt."""
        self._was_down = True
        await self._store.write(rereadings.give_back, one, until=until, error=error)
        _REREAD.labels("put_off").inc()
        _log.warning("reading.put_off", episode=one.episode.uuid, error=error)

    async def _blame(self, one: Held, error: Exception) -> None:
        """Count a failure of the embedded reader against the episode, if it can read anything else."""
        said, outside = described(error), isinstance(error, Unavailable) or is_shortage(error)
        if isinstance(error, ReaderLost):
            outside = error.others_die or isinstance(error, ReaderStopped)
        try:
            await self._embedded.check(judges=self._judge is not None)
        except Exception as trouble:  # noqa: BLE001 - whatever it is, it is what is wrong
            said, outside = described(trouble), True
        if outside:
            pause = timedelta(seconds=OUTSIDE_PAUSE_MAX_S)
            await self._store.write(rereadings.give_back_after, one, pause, said)
            _REREAD.labels("put_off").inc()
            _log.warning("reading.put_off", episode=one.episode.uuid, error=said)
        else:
            await self._fail(one, said)

    async def _fail(self, one: Held, error: str) -> None:
        try:
            parked = await self._store.write(
                rereadings.fail,
                one,
                error,
                attempts_max=self._attempts_max,
                backoff_first_s=self._backoff_first_s,
            )
        except _NOT_OURS:
            return
        outcome = "parked" if parked else "retried"
        _REREAD.labels(outcome).inc()
        _log.error(f"reading.{outcome}", episode=one.episode.uuid, error=error)

    async def _fold_left(self, reader: ReaderKind) -> bool:
        """Fold graphs whose episodes wait only for that, because a process died before folding."""
        graphs = await self._store.read(rereadings.unfolded, reader)
        for graph_id in graphs:
            await self._folder.fold(graph_id)
        return bool(graphs)

    @asynccontextmanager
    async def _holding(self, group: Sequence[Held]) -> AsyncIterator[None]:
        """On a store error or a forced stop, release the leases, so that others can take what is left."""
        try:
            yield
        except BaseException:
            with suppress(Exception):  # if not even this can be written, the leases run out
                for one in group:
                    await self._store.write(rereadings.give_back, one)
            raise
