"""Settings to services: the only place that chooses implementations."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from recollect import ids
from recollect.app import expiry
from recollect.app.expiry import NextExpiry
from recollect.app.stores import open_store
from recollect.clock import Clock, system_clock
from recollect.episodic_memory.instance import Memories
from recollect.errors import ModelUnavailable
from recollect.extract.llm import ModelExtractor
from recollect.governance import receipts
from recollect.governance.audited import AuditedStore
from recollect.governance.receipts import Erased, Receipt
from recollect.graph import predicates
from recollect.graph.predicates import Predicates
from recollect.graph.types import Access
from recollect.ingest import pipeline, queue, rereadings, session_writing, unkept
from recollect.ingest.agents import Agents
from recollect.ingest.expirer import Expirer
from recollect.ingest.extractors import AgentExtractor, EmbeddedExtractor, LanguageModelExtractor
from recollect.ingest.folder import Folder
from recollect.ingest.pipeline import Extractor
from recollect.ingest.readiness import Readiness
from recollect.ingest.rereader import Rereader
from recollect.ingest.session_listeners import Listeners
from recollect.ingest.worker import Worker
from recollect.ingest.writing import Writer
from recollect.limits import JOBS_PER_COMMIT_MAX, READING_LEASE_S
from recollect.models import language_model
from recollect.models.language_model import LanguageModel
from recollect.search.finder import Finder
from recollect.search.segments import Segments
from recollect.settings import Settings
from recollect.store.protocol import Store
from recollect.store.traced import traced
from recollect.webhooks.deliverer import Deliverer


@dataclass(slots=True)
class Services:
    """Everything a request, a job or a command needs, handed in."""

    settings: Settings
    store: Store
    segments: Segments
    finder: Finder
    clock: Clock
    predicates: Predicates = field(default_factory=predicates.load)
    language_model: LanguageModel | None = None
    workers: list[Worker] = field(default_factory=list)
    listeners: Listeners = field(default_factory=Listeners)
    owner: str = field(default_factory=ids.TimeOrderedIds())  # marks turns open in this process
    next_expiry: NextExpiry = field(default_factory=NextExpiry)
    memories: Memories = field(init=False)
    readiness: Readiness = field(init=False)
    folder: Folder = field(init=False)
    agents: Agents = field(init=False)
    reads_here: bool = False  # reads episodes in a thread instead of a child process
    _writer: Writer | None = None
    _deliverer: Deliverer | None = None
    _expirer: Expirer | None = None
    _rereader: Rereader | None = None
    _embedded: EmbeddedExtractor | None = None
    _extractors: list[Extractor] = field(default_factory=list)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.memories = Memories(self.store, self.finder, self.settings)
        self.readiness = Readiness(self.store, self.settings)
        self.folder = Folder(self.store, self.predicates, self._read_unkept)
        self.agents = Agents(
            self.store,
            self.folder,
            self.finder,
            self.predicates,
            self._embedded_reader,
            attempts_max=self.settings.job_attempts_max,
            judges=self.settings.judge == "on",
        )

    @property
    def has_folder_alone(self) -> bool:
        """Whether no other server can be working on the store."""
        return self.settings.store is None

    def wake_workers(self) -> None:
        """Tell the workers that episodes were stored."""
        for worker in self.workers:
            worker.wake()

    async def _read_unkept(self, graph_id: int) -> None:
        """Read the episodes that were processed before readings were stored."""
        if await self.store.read(unkept.there_are, graph_id):
            await unkept.read(self.store, self._embedded_reader(), graph_id)

    def start_workers(self, count: int, *, owner: str) -> None:
        """Start the workers and the other background tasks; *owner* marks the leases they hold."""
        at_work: set[str] = set()
        for _ in range(count):
            extractor = self._new_extractor()
            judges = self.settings.judge == "on"
            embedded = self._embedded if extractor else None
            judge = embedded if judges else None
            worker = Worker(
                self.store,
                owner=owner,
                attempts_max=self.settings.job_attempts_max,
                backoff_first_s=self.settings.job_backoff_first_s,
                process=partial(
                    pipeline.process, extractor=extractor, finder=self.finder, judge=judge
                ),
                together=extractor.together if extractor else JOBS_PER_COMMIT_MAX,
                check=partial(embedded.check, judges=judges) if embedded else None,
                at_work=at_work,
            )
            self.workers.append(worker)
            self._tasks.append(asyncio.create_task(worker.run()))
        if self.workers:
            self.store.on_work(self.wake_workers)
        self._tasks.append(asyncio.create_task(self.folder.run()))
        self._deliverer = Deliverer(self.store, self.settings, self.clock)
        self._tasks.append(asyncio.create_task(self._deliverer.run()))
        self._expirer = Expirer(self.store, self.settings.expired_kept_days, self.wipe)
        self._tasks.append(asyncio.create_task(self._expirer.run()))
        if count and self.settings.extraction != "off":
            self._start_rereader(owner)
        if self.language_model is not None and self.settings.extraction != "off":
            self._writer = Writer(self.store, self.language_model)
            self._tasks.append(asyncio.create_task(self._writer.run()))

    def _start_rereader(self, owner: str) -> None:
        self._rereader = self.new_rereader(owner)
        if self._rereader is not None:
            self._tasks.append(asyncio.create_task(self._rereader.run()))

    def new_rereader(self, owner: str) -> Rereader | None:
        """A rereader for a process that works through second readings itself; None without extraction."""
        chosen, embedded = self.settings, self._embedded_reader()
        if embedded is None:
            return None
        model = self.language_model  # readings may wait for it even if another reader is set now
        return Rereader(
            self.store,
            self.folder,
            self.finder,
            embedded,
            owner=owner,
            clock=self.clock,
            attempts_max=chosen.job_attempts_max,
            backoff_first_s=chosen.job_backoff_first_s,
            model=model,
            lanes=1 if model is None else chosen.llm_concurrency_max,
            lease_s=READING_LEASE_S + chosen.llm_timeout_s,
            then=chosen.read_by,
            judge=embedded if chosen.judge == "on" else None,
        )

    def _embedded_reader(self) -> EmbeddedExtractor | None:
        """The embedded reader that indexes second readings: a worker's own, or one created for this."""
        if self.settings.extraction == "off":
            return None
        if self._embedded is None:
            chosen = self.settings
            made = EmbeddedExtractor(chosen.models, chosen.predicates, here=self.reads_here)
            self._extractors.append(made)
            self._embedded = made
        return self._embedded

    async def take_over(self, owner: str) -> None:
        """Release what a dead process still held; this process must be the only one on the folder."""
        await self.store.write(queue.free, owner)
        await self.store.write(rereadings.free, owner)
        if await self.store.write(session_writing.discard_lost, self.owner):
            self.store.scrub_soon()

    def warm(self) -> None:
        """Load in the background what the first query would otherwise have to wait for."""
        if self.settings.extraction != "off":
            self._tasks.append(asyncio.create_task(self._load()))

    def finish_erasures(self) -> None:
        """Wipe in the background what was erased but not wiped, because of a reader or a crash."""
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(asyncio.create_task(self._scrub()))

    async def _scrub(self) -> None:
        newest = await self.store.read(receipts.unscrubbed)
        if newest is not None and await self.store.scrub():
            await self.store.write(receipts.mark_scrubbed, newest)

    async def _load(self) -> None:
        with suppress(ModelUnavailable):  # the first query reports it
            await asyncio.to_thread(self.finder.load)

    def wipe_soon(self) -> None:
        """Drop what was deleted from memory now, and wipe it from the files soon."""
        self.finder.forget()
        self.store.scrub_soon()

    async def hide_expired(self, access: Access) -> None:
        """Forget what has expired in a project now, and wipe it from the files soon."""
        if await self.next_expiry.is_past(self.store, self.clock()):
            days = self.settings.expired_kept_days
            await expiry.hide_due(self, access, kept_days=days, then=self._let_go)

    def _let_go(self, erased: Erased) -> None:
        self.next_expiry.changed()
        self._drop(erased)
        self.finish_erasures()

    def _drop(self, erased: Erased) -> None:
        self.segments.forget(erased.graph_uuid)
        self.finder.forget()
        self.memories.forget(erased.graph_uuid)

    async def wipe(self, erased: Erased) -> Receipt:
        """Drop what was erased from memory, and wipe it from the files now if possible, else soon."""
        self._drop(erased)
        if not await self.store.scrub():
            self.store.scrub_soon()
            return erased.receipt
        await self.store.write(receipts.mark_scrubbed, erased.receipt.uuid)
        return replace(erased.receipt, scrubbed=True)

    def _new_extractor(self) -> Extractor | None:
        """The extractor of one worker; its models are loaded with the first episode."""
        chosen = self.settings
        if chosen.extraction == "off":
            return None
        given = (chosen.models, chosen.predicates)
        extractor: EmbeddedExtractor | AgentExtractor | LanguageModelExtractor
        if chosen.read_by == "model" and self.language_model is not None:
            reader = ModelExtractor(self.language_model, self.predicates)
            extractor = LanguageModelExtractor(reader, *given, here=self.reads_here)
        elif chosen.read_by == "agent":
            extractor = AgentExtractor(*given, here=self.reads_here)
        else:
            extractor = EmbeddedExtractor(*given, here=self.reads_here)
        self._embedded = (
            extractor if isinstance(extractor, EmbeddedExtractor) else extractor.embedded
        )
        self._extractors.append(extractor)
        return extractor

    async def close(self) -> None:
        """Finish the jobs in progress, then close the store."""
        self.listeners.close()
        self.folder.stop()
        for worker in self.workers:
            worker.stop()
        for background in (self._writer, self._rereader, self._deliverer, self._expirer):
            if background is not None:
                background.stop()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=self.settings.stop_grace_s)
            for task in late:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        await self.memories.close()
        for extractor in self._extractors:
            await extractor.close()
        if self.language_model is not None:
            await self.language_model.close()
        await self.segments.close()
        await self.store.close()


async def open_services(
    settings: Settings,
    *,
    clock: Clock = system_clock,
    reads_here: bool = False,
    check_s: float | None = None,
) -> Services:
    """Open the configured store, and everything built on it.

    *check_s*: how long to wait for an integrity check of the file before it is used; None skips the check.
    """
    # Report broken or missing configuration before opening anything.
    table = predicates.load(settings.predicates)
    model = language_model.from_settings(settings)
    store = await asyncio.to_thread(open_store, settings, clock=clock, check_s=check_s)
    audited = traced(AuditedStore(store))  # not for segments: writing a cache needs no audit entry
    read = traced(store)
    segments = Segments(read, bytes_max=settings.segments_bytes_max)
    return Services(
        settings=settings,
        store=audited,
        segments=segments,
        finder=Finder(read, segments, settings.models, reads_answers=settings.answers == "on"),
        clock=clock,
        predicates=table,
        language_model=model,
        reads_here=reads_here,
    )
