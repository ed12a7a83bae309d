"""The memory of a user, a graph or a thread, by the caller's own ids; created when missing.

Programs that embed the memory use these; clients over the wire name one thing at a time.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from msgspec.structs import asdict, replace

from recollect.app import injections
from recollect.app.services import Services
from recollect.app.units import reads, writes
from recollect.context import blocks, gather
from recollect.context.gather import ContextRequest
from recollect.context.lines import holds
from recollect.errors import InvalidInput, NotFound
from recollect.graph.acting import Target
from recollect.graph.filters import Filters
from recollect.graph.types import (
    Access,
    Entity,
    Episode,
    Fact,
    Graph,
    Json,
    NewEpisode,
    Thread,
    User,
)
from recollect.ingest import intake
from recollect.ingest.intake import Receipt, check_episode, check_messages
from recollect.limits import BLOCK_MESSAGES_3, BLOCK_QUERY_CHARS_MAX, PAGE_MAX
from recollect.records import (
    derived,
    episodes,
    graphs,
    knowledge,
    listing,
    provenance,
    threads,
    users,
)
from recollect.records.graphs import GraphDetails
from recollect.records.pages import PageRequest
from recollect.records.users import UserDetails
from recollect.search.query import Hit, Query
from recollect.store.protocol import Transaction
from recollect.store.work import beside_others

__all__ = ["Receipt", "check_episode", "check_messages"]

_NEWEST_FIRST = "created_at/desc"
_DETAILS = ("email", "first_name", "last_name", "metadata", "time_zone")


class MemoryRef(NamedTuple):
    """A user, a graph, or a thread, optionally with its user."""

    user: str | None = None
    graph: str | None = None
    thread: str | None = None

    @property
    def target(self) -> Target:
        """The memory as a target in the audit log."""
        kind = "thread" if self.thread else "user" if self.user else "graph"
        return Target(kind, self.thread or self.user or self.graph or "", chosen=True)


def one_memory(user: str | None, graph: str | None, thread: str | None = None) -> MemoryRef:
    """The one memory that the arguments name; a thread may be named with its user."""
    if graph is not None and (user is not None or thread is not None):
        raise InvalidInput("graph: give either a graph or a user, not both")
    if user is None and graph is None and thread is None:
        raise InvalidInput("user, graph or thread: give one of them, to choose the memory")
    return MemoryRef(user, graph, thread)


def graph_of(tx: Transaction, access: Access, place: MemoryRef) -> Graph:
    """The graph of a memory, which must exist."""
    if place.thread is not None:
        thread = thread_of(tx, access, place.thread, place.user)
        return graphs.of_user(tx, access, thread.user_id)
    return graphs.target(tx, access, place.user, place.graph)


def thread_of(tx: Transaction, access: Access, thread_id: str, user: str | None) -> Thread:
    """A thread, which must exist, and belong to *user* if given."""
    found = threads.get(tx, access, thread_id)
    if user is not None and found.user_id != user:
        raise InvalidInput(f"thread: {thread_id!r} is a thread of {found.user_id!r}")
    return found


async def ensure(services: Services, access: Access, place: MemoryRef) -> None:
    """Create whatever is missing of a memory."""
    await services.store.write(_make, access, place)


def _make(tx: Transaction, access: Access, place: MemoryRef) -> None:
    if place.graph is not None:
        _make_graph(tx, access, place.graph)
    if place.user is not None:
        _make_user(tx, access, place.user, {})
    if place.thread is not None:
        _make_thread(tx, access, place.thread, place.user)


def _make_graph(tx: Transaction, access: Access, graph_id: str) -> None:
    try:
        graphs.get(tx, access, graph_id)
    except NotFound:
        graphs.create(tx, access, graph_id, GraphDetails(), field="graph")


async def ensure_user(
    services: Services, access: Access, user_id: str, told: Mapping[str, Any]
) -> User:
    """Create or update a user with the fields in *told*; other fields keep their value."""
    return await services.store.write(_make_user, access, user_id, told)


def _make_user(tx: Transaction, access: Access, user_id: str, told: Mapping[str, Any]) -> User:
    try:
        old = users.get(tx, access, user_id)
    except NotFound:
        return users.create(tx, access, user_id, UserDetails(**told))
    if not told:
        return old
    kept = UserDetails(
        **{name: getattr(old, name) for name in _DETAILS},
        disable_default_ontology=old.disable_default_ontology,
        rating=old.rating,
    )
    return users.update(tx, access, user_id, replace(kept, **told))


async def ensure_thread(
    services: Services, access: Access, thread_id: str, user: str | None
) -> Thread:
    """Get or create a thread; a new one needs its user."""
    return await services.store.write(_make_thread, access, thread_id, user)


def _make_thread(tx: Transaction, access: Access, thread_id: str, user: str | None) -> Thread:
    try:
        return thread_of(tx, access, thread_id, user)
    except NotFound:
        if user is None:
            message = f"thread not found: {thread_id}; give its user to make it"
            raise NotFound(message) from None
    _make_user(tx, access, user, {})
    return threads.create(tx, access, thread_id, user, field="thread")


async def remember(
    services: Services, access: Access, place: MemoryRef, new: NewEpisode
) -> Receipt:
    """Append a validated episode to a memory; returns once it is on disk, and wakes the workers."""
    stored = await services.store.write(_remember, access, place, new)
    services.wake_workers()
    return stored


@beside_others
def _remember(tx: Transaction, access: Access, place: MemoryRef, new: NewEpisode) -> Receipt:
    _make(tx, access, place)
    if place.thread is not None:
        return intake.add_messages(tx, access, place.thread, [new])
    return intake.add_episodes(tx, access, place.user, place.graph, [new])


@writes
def rate(tx: Transaction, access: Access, place: MemoryRef, rating: Json) -> None:
    """Rate every new fact of a user or a graph from now on; creates the user or graph if missing."""
    if place.user is not None:
        _make_user(tx, access, place.user, {"rating": rating})
    elif place.graph is not None:
        _make(tx, access, place)
        old = asdict(graphs.get(tx, access, place.graph))
        kept = GraphDetails(**{name: old[name] for name in GraphDetails.__struct_fields__})
        graphs.update(tx, access, place.graph, replace(kept, rating=rating))


async def search(
    services: Services, access: Access, place: MemoryRef, query: Query
) -> list[Hit[Any]]:
    """What matches a query best; words like "yesterday" are resolved in the memory's time zone."""
    graph, zone = await services.store.read(_graph_and_zone, access, place)
    return await services.finder.find(access, graph, replace(query, time_zone=zone))


def _graph_and_zone(tx: Transaction, access: Access, place: MemoryRef) -> tuple[Graph, str | None]:
    graph = graph_of(tx, access, place)
    return graph, listing.time_zone(tx, graph)


async def context(services: Services, access: Access, place: MemoryRef, text: str | None) -> str:
    """One text for a prompt: who the user is, and what is relevant to the question or the thread."""
    count = services.settings.context_messages or BLOCK_MESSAGES_3
    asked = await services.store.read(_asked, access, place, text, count)
    gatherer = injections.gatherer(services, access, asked)
    found = await gatherer.everything(gather.ALL_KINDS)
    summary = None if asked.user is None else asked.user.summary
    block = blocks.user_block(summary, found, services.settings.context_chars_max)
    return await injections.keep(services, gatherer, "block", block)


def _asked(
    tx: Transaction, access: Access, place: MemoryRef, text: str | None, count: int
) -> ContextRequest:
    cut = text[:BLOCK_QUERY_CHARS_MAX] if text else ""
    if place.thread is None:
        return gather.graph_request(tx, access, graph_of(tx, access, place), cut)
    thread_of(tx, access, place.thread, place.user)
    asked = gather.thread_request(tx, access, place.thread, count)
    return replace(asked, text=cut) if text else asked


async def facts(
    services: Services,
    access: Access,
    place: MemoryRef,
    *,
    at: datetime | None,
    known_at: datetime | None,
    ended: bool,
    limit: int,
) -> list[Fact]:
    """The facts that hold now, or at a given time; with *ended*, all facts. Most recently learned first."""
    _check(limit)
    graph = await services.store.read(graph_of, access, place)
    if ended:
        return await services.store.read(_page, access, graph, None, limit)
    if at is None and known_at is None:
        return await services.store.read(knowledge.facts_holding, access, graph, limit)
    wanted = Filters(valid_on=at, known_on=known_at)
    among = await services.finder.matching(access, graph, "fact", wanted)
    return await services.store.read(_page, access, graph, among, limit)


def _check(limit: int) -> None:
    if not 1 <= limit <= PAGE_MAX:
        raise InvalidInput(f"limit: must be from 1 to {PAGE_MAX}, got {limit}")


def _page(
    tx: Transaction, access: Access, graph: Graph, among: list[int] | None, limit: int
) -> list[Fact]:
    request = PageRequest(order=_NEWEST_FIRST, limit=limit)
    return knowledge.facts_page(tx, access, graph, request, among).items


@reads
def entity(
    tx: Transaction, access: Access, place: MemoryRef, called: str
) -> tuple[Entity, list[Fact]]:
    """An entity by name or uuid, and the facts about it that hold now."""
    graph = graph_of(tx, access, place)
    found = provenance.entity_called(tx, access, graph, called)
    if found.is_user and graph.kind == "user":
        found = replace(found, summary=derived.user_summary(tx, access, graph.graph_id))
    known = knowledge.facts_of_entity(tx, access, found, PAGE_MAX)
    return found, [fact for fact in known if holds(fact, tx.now)]


@reads
def timeline(
    tx: Transaction, access: Access, place: MemoryRef, called: str, limit: int
) -> list[Fact]:
    """All facts about an entity, including ended ones, in the order they became true."""
    _check(limit)
    graph = graph_of(tx, access, place)
    found = provenance.entity_called(tx, access, graph, called)
    known = knowledge.facts_of_entity(tx, access, found, PAGE_MAX)
    return sorted(known, key=_began)[-limit:]


def _began(fact: Fact) -> tuple[datetime, int]:
    return fact.valid_at or fact.created_at, fact.id


@reads
def messages(tx: Transaction, access: Access, thread_id: str, limit: int) -> list[Episode]:
    """The newest messages of a thread, oldest first."""
    found = threads.get(tx, access, thread_id)
    return episodes.last_messages(tx, access, found, max(0, min(limit, PAGE_MAX)))


@reads
def learned_from(tx: Transaction, access: Access, episode: str) -> list[Fact]:
    """The facts that an episode states, restates or closes."""
    return knowledge.mentions(tx, access, episodes.get(tx, access, episode), PAGE_MAX)[1]


known_entity = reads(knowledge.entity)
