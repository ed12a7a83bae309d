"""The short-term and the long-term memory of sessions, embedded in a program without a server.

    async with Memory.open("my-memory") as memory:
        async with memory.episodic.session("acme/support") as session:
            await session.add(EpisodeEntry(content="I moved to Lisbon.", producer_id="ann"))
            found = await session.query("Where does Ann live?")

A session is what MemMachine's clients call a project of an organisation; a server on the same folder
serves the same sessions.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from recollect.app import episodic_sessions
from recollect.app.episodic_sessions import session_of
from recollect.episodic_memory import entries, filter_language, names
from recollect.episodic_memory.entries import MemoryEntry, moment
from recollect.episodic_memory.manager import (
    FACTORY,
    InstanceManager,
    MemoryMetrics,
    MetricsFactory,
)
from recollect.episodic_memory.settings import (
    Bounds,
    MemoryQuery,
    MemorySettings,
    Recalled,
    SettingsChange,
)
from recollect.errors import Conflict, InvalidInput
from recollect.graph import checks
from recollect.graph.episode_filters import (
    DEFAULT_PRODUCER,
    EPISODE_TYPE,
    addressee_of,
    producer_of,
    role_of,
)
from recollect.graph.types import Episode, Graph, NewEpisode
from recollect.library import engine
from recollect.library.engine import Engine
from recollect.limits import (
    INSTANCE_WAIT_S,
    MEMORY_EXPAND_MAX,
    MEMORY_SEARCH_LIMIT_MAX,
    SEARCH_QUERY_CHARS_MAX,
)

__all__ = [
    "EpisodeEntry",
    "EpisodeType",
    "EpisodicMemory",
    "EpisodicMemoryManager",
    "EpisodicMemoryParams",
    "LongTermMemory",
    "MetricsFactory",
    "QueryResult",
    "ShortTermMemory",
]


When = datetime | str | int | float


class EpisodeType(StrEnum):
    """The type of an episode."""

    MESSAGE = EPISODE_TYPE


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeEntry:
    """A message: what was said, by whom, for whom and when, in UTC.

    A time may have any form that `recollect.episodic_memory.entries` reads; the default is now. *uid* is set
    once it is stored, *score* if it was found by a search.
    """

    content: str
    producer_id: str = DEFAULT_PRODUCER
    produced_for_id: str = ""
    producer_role: str = ""
    created_at: datetime | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    episode_type: EpisodeType = EpisodeType.MESSAGE
    uid: str | None = None
    score: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.content, str):
            raise InvalidInput(f"content: must be a string, got {type(self.content).__name__}")
        object.__setattr__(self, "created_at", _in_utc("created_at", self.created_at))
        object.__setattr__(self, "episode_type", EpisodeType(self.episode_type))

    @classmethod
    def from_message(
        cls,
        content: str,
        *,
        producer: str | None = None,
        produced_for: str | None = None,
        role: str | None = None,
        timestamp: When | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Self:
        """A message from arguments with the names that MemMachine's client uses."""
        return cls(
            content=content,
            producer_id=producer or DEFAULT_PRODUCER,
            produced_for_id=produced_for or "",
            producer_role=role or "",
            created_at=_in_utc("timestamp", timestamp),
            metadata=dict(metadata or {}),
        )


def _in_utc(field_name: str, value: When | None) -> datetime | None:
    return moment(field_name, value.isoformat() if isinstance(value, datetime) else value)


def sent(entry: EpisodeEntry) -> MemoryEntry:
    """An entry to store, in the form that the checks for all of MemMachine's clients take."""
    at = entry.created_at
    return MemoryEntry(
        content=entry.content,
        producer=entry.producer_id,
        addressee=entry.produced_for_id,
        role=entry.producer_role,
        timestamp=None if at is None else at.isoformat(),
        metadata=entry.metadata,
        kind=entry.episode_type.value,
    )


def kept(episode: Episode, score: float | None = None) -> EpisodeEntry:
    """An episode of the log as an entry."""
    return EpisodeEntry(
        content=episode.content,
        producer_id=producer_of(episode),
        produced_for_id=addressee_of(episode) or "",
        producer_role=role_of(episode),
        created_at=episode.created_at,
        metadata={**(episode.metadata or {}), **(episode.extra or {})},
        uid=episode.uuid,
        score=score,
    )


class EpisodicSession:
    """The storage of a session, which its first episode creates."""

    def __init__(self, engine: Engine, key: str) -> None:
        self.engine = engine
        self.key = key
        self.place = session_of(key)

    async def look(self) -> tuple[Graph | None, MemorySettings]:
        """The graph, if there is one, and the settings of its memories."""
        return await self.engine.ask(episodic_sessions.look, self.place)

    async def add(self, new: Sequence[NewEpisode], *, wait: bool) -> list[str]:
        """Store validated episodes, and with *wait*, wait until they have been learned."""
        access = self.engine.acts("memory.add", self.place.target)
        stored = await self.engine.act(access, episodic_sessions.add, self.place, new)
        if wait and stored.task_uuid is not None:
            await self.engine.learned(stored.task_uuid)
        return stored.uuids

    async def choose(self, **change: Any) -> None:
        """Change the settings of this session, which must exist."""
        access = self.engine.acts("memory.config.set", self.place.target)
        await self.engine.act(
            access, episodic_sessions.choose, self.place, SettingsChange(**change)
        )


class ShortTermMemory:
    """The window over the newest episodes of a session, and a summary of what came before."""

    def __init__(self, session: EpisodicSession) -> None:
        self.session = session

    async def read(
        self, *, limit: int | None = None, only: str = ""
    ) -> tuple[tuple[EpisodeEntry, ...], str]:
        """The newest episodes that pass the filter *only*, oldest first, and a summary of those that
        left the window; empty if this memory is switched off."""
        tree = filter_language.parse(only)
        graph, chosen = await self.session.look()
        if graph is None or not chosen.short_term:
            return (), ""
        found = await self.session.engine.ask(
            episodic_sessions.newest, graph, chosen.window, tree, limit
        )
        return tuple(map(kept, found.episodes)), " ".join(found.summary)

    async def size(self) -> Bounds:
        """The capacity of the window, in episodes and in characters."""
        return (await self.session.look())[1].window

    async def configure(
        self,
        *,
        enabled: bool | None = None,
        message_capacity: int | None = None,
        character_capacity: int | None = None,
    ) -> None:
        """Switch it on or off, or resize its window; None leaves a setting as it is."""
        await self.session.choose(
            short_term=enabled, episodes=message_capacity, chars=character_capacity
        )


class LongTermMemory:
    """Everything that a session remembers, searched by words and meaning."""

    def __init__(self, session: EpisodicSession) -> None:
        self._session = session

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        expand_context: int = 0,
        score_threshold: float | None = None,
        only: str = "",
        without: Collection[str] = (),
    ) -> tuple[EpisodeEntry, ...]:
        """The best matching episodes in chronological order, with up to *expand_context* around each.

        Episodes whose uids are in *without* are skipped. Empty if this memory is switched off.
        """
        engine = self._session.engine
        now = engine.opened.services.clock()
        asked = _asked(now, query, limit, expand_context, score_threshold, only)
        graph, chosen = await self._session.look()
        if graph is None or not chosen.long_term:
            return ()
        found = await engine.ask(episodic_sessions.search, graph, asked, without=without)
        return tuple(kept(hit.item, hit.score) for hit in found)

    async def configure(self, *, enabled: bool | None = None) -> None:
        """Switch it on or off; None leaves it as it is."""
        await self._session.choose(long_term=enabled)


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodicMemoryParams:
    """The parts of an `EpisodicMemory`."""

    session_key: str
    long_term_memory: LongTermMemory
    short_term_memory: ShortTermMemory
    metrics_factory: MetricsFactory = FACTORY


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """The answers of both memories; no episode is in both."""

    short_term_memory: tuple[EpisodeEntry, ...]
    episode_summary: str
    long_term_memory: tuple[EpisodeEntry, ...]


def _asked(
    now: datetime, query: str, limit: int, expand: int, score_min: float | None, only: str
) -> MemoryQuery:
    """A validated query to a memory."""
    checks.text("query", query, SEARCH_QUERY_CHARS_MAX)
    if not 1 <= limit <= MEMORY_SEARCH_LIMIT_MAX:
        raise InvalidInput(f"limit: must be from 1 to {MEMORY_SEARCH_LIMIT_MAX}, got {limit}")
    return MemoryQuery(
        text=query,
        now=now,
        limit=limit,
        expand=min(expand, MEMORY_EXPAND_MAX),
        score_min=score_min,
        tree=filter_language.parse(only),
    )


class EpisodicMemory:
    """Both memories of one session, shared by concurrent callers.

    It offers what a server holds for a graph (`memories.instance`), under the names in MemMachine's guide.
    """

    def __init__(self, params: EpisodicMemoryParams) -> None:
        self.params = params
        self._session = params.short_term_memory.session
        self._metrics = MemoryMetrics(params.metrics_factory)
        self._closed = False

    @property
    def session_key(self) -> str:
        """Organisation and project."""
        return self.params.session_key

    async def add(self, *said: EpisodeEntry, wait: bool = True) -> list[str]:
        """Store episodes in the given order, and return their uids; a long one becomes several.

        Returns once they have been learned or, without *wait*, once they are on disk.
        """
        self._refuse_when_closed()
        roles = self._session.engine.settings.memory_roles
        new = entries.episodes([sent(one) for one in said], roles=roles)
        if wait:
            self._session.engine.require_models()
        with self._metrics.ingestion(len(new)):
            return await self._session.add(new, wait=wait)

    async def query(
        self,
        query: str,
        *,
        limit: int = 10,
        expand_context: int = 0,
        score_threshold: float | None = None,
        only: str = "",
    ) -> QueryResult | None:
        """The answers of both memories to a question, *limit* episodes each; None if they are off."""
        self._refuse_when_closed()
        services, access = self._session.engine.opened
        asked = _asked(services.clock(), query, limit, expand_context, score_threshold, only)
        graph, chosen = await self._session.look()
        if not chosen.is_on:
            return None
        found: Recalled | None = Recalled()
        if graph is not None:
            with self._counted():
                async with services.memories.hold(graph) as held:
                    found = await held.recall(access, asked)
        if found is None:  # switched off in the meantime
            return None
        return QueryResult(
            short_term_memory=tuple(map(kept, found.short_term.episodes)),
            episode_summary=" ".join(found.short_term.summary),
            long_term_memory=tuple(kept(hit.item, hit.score) for hit in found.long_term),
        )

    def _counted(self) -> AbstractContextManager[None]:
        """Count a query with a custom metrics factory; the default one counts it in the held memory."""
        return nullcontext() if self.params.metrics_factory is FACTORY else self._metrics.query()

    async def configure_short_term_memory(
        self,
        *,
        enabled: bool | None = None,
        message_capacity: int | None = None,
        character_capacity: int | None = None,
    ) -> None:
        """Switch the short-term memory on or off, or resize its window."""
        self._refuse_when_closed()
        await self.params.short_term_memory.configure(
            enabled=enabled,
            message_capacity=message_capacity,
            character_capacity=character_capacity,
        )

    async def configure_long_term_memory(self, *, enabled: bool | None = None) -> None:
        """Switch the long-term memory on or off."""
        self._refuse_when_closed()
        await self.params.long_term_memory.configure(enabled=enabled)

    async def close(self) -> None:
        """Drop what is cached of the session; the manager calls this."""
        self._closed = True
        services = self._session.engine.opened.services
        graph, _ = await self._session.look()
        if graph is not None:
            services.memories.forget(graph.uuid)

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise Conflict("this session was released: get it from the manager again")


class EpisodicMemoryManager:
    """The sessions of a program: one shared instance for each that is or recently was in use.

    It is created for the first caller, and closed when nobody has held it for `max_life_time` seconds (the
    setting `memory_life_s`), or when there are too many.
    """

    def __init__(self, engine: Engine, *, metrics_factory: MetricsFactory = FACTORY) -> None:
        chosen = engine.settings
        self.max_life_time = chosen.memory_life_s
        self._engine = engine
        self._factory = metrics_factory
        self._sweeper: asyncio.Task[None] | None = None
        self._instances: InstanceManager[EpisodicMemory] = InstanceManager(
            self._create,
            capacity=chosen.memory_instances_max,
            life_s=chosen.memory_life_s,
            wait_s=INSTANCE_WAIT_S,
            metrics=MemoryMetrics(metrics_factory),
        )

    @asynccontextmanager
    async def session(self, session_key: str) -> AsyncIterator[EpisodicMemory]:
        """The memory of a session such as `acme/support`, open until the context manager exits."""
        names.of_session(session_key)
        swept_s = self._engine.opened.services.settings.memory_sweep_s
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._instances.run(swept_s))
        async with self._instances.hold(session_key) as instance:
            yield instance

    def references(self, session_key: str) -> int | None:
        """How many callers hold the instance of a session; None if there is none."""
        return self._instances.holders(session_key)

    @property
    def open_count(self) -> int:
        """How many instances are open."""
        return self._instances.open_count

    async def delete(self, session_key: str) -> None:
        """Erase a session and all that rests on it, once nobody holds it.

        Raises Conflict if it stays held for too long. The graph of a user goes with the user:
        `Memory.forget(user=...)`.
        """
        session = EpisodicSession(self._engine, session_key)
        target = session.place.target
        if target.kind == "user":
            raise InvalidInput(
                "session_key: this session belongs to a user; forget the user instead"
            )
        named = {"graph": target.id}
        await self._instances.delete(session_key, lambda: engine.forget(self._engine, named))

    async def close(self) -> None:
        """Close every instance, and open no more; safe to repeat."""
        await self._instances.close()
        if self._sweeper is not None:
            self._sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._sweeper
            self._sweeper = None

    async def _create(self, session_key: str) -> EpisodicMemory:
        session = EpisodicSession(self._engine, session_key)
        params = EpisodicMemoryParams(
            session_key=session_key,
            long_term_memory=LongTermMemory(session),
            short_term_memory=ShortTermMemory(session),
            metrics_factory=self._factory,
        )
        return EpisodicMemory(params)
