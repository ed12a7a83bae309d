"""Facts and entities without a question: what holds, what is known of someone, and why."""

from datetime import datetime

from msgspec.structs import replace

from recollect.context.order import holds
from recollect.errors import InvalidInput
from recollect.graph.filters import Filters
from recollect.graph.types import Access, Entity, Episode, Fact, Graph
from recollect.library import places
from recollect.library.adding import Moment, moment
from recollect.library.engine import Engine
from recollect.library.places import Place
from recollect.limits import PAGE_MAX
from recollect.store.protocol import Transaction
from recollect.subjects import derived, episodes, knowledge, provenance, threads
from recollect.subjects.pages import PageRequest

_NEWEST_FIRST = "created_at/desc"


async def facts(
    engine: Engine,
    place: Place,
    *,
    at: Moment | None,
    known_at: Moment | None,
    ended: bool,
    limit: int,
) -> list[Fact]:
    """What holds now, or at a time; with *ended* everything. Newest knowledge first."""
    _check(limit)
    if ended and (at is not None or known_at is not None):
        raise InvalidInput("ended: everything and what held at a time exclude each other")
    graph = await engine.read(places.graph_of, place)
    if ended:
        return await engine.read(_page, graph, None, limit)
    if at is None and known_at is None:
        return await engine.read(knowledge.facts_holding, graph, limit)
    services, access = engine.opened
    wanted = Filters(valid_on=moment("at", at), known_on=moment("known_at", known_at))
    among = await services.finder.matching(access, graph, "fact", wanted)
    return await engine.read(_page, graph, among, limit)


def _check(limit: int) -> None:
    if not 1 <= limit <= PAGE_MAX:
        raise InvalidInput(f"limit: must be from 1 to {PAGE_MAX}, got {limit}")


def _page(
    tx: Transaction, access: Access, graph: Graph, among: list[int] | None, limit: int
) -> list[Fact]:
    request = PageRequest(order=_NEWEST_FIRST, limit=limit)
    return knowledge.facts_page(tx, access, graph, request, among).items


def entity(tx: Transaction, access: Access, place: Place, called: str) -> tuple[Entity, list[Fact]]:
    """An entity and the facts at it that hold now."""
    graph = places.graph_of(tx, access, place)
    found = provenance.entity_called(tx, access, graph, called)
    if found.is_user and graph.kind == "user":
        found = replace(found, summary=derived.user_summary(tx, access, graph.graph_id))
    known = knowledge.facts_of_entity(tx, access, found, PAGE_MAX)
    return found, [fact for fact in known if holds(fact, tx.now)]


def timeline(
    tx: Transaction, access: Access, place: Place, called: str, limit: int
) -> tuple[Entity, list[Fact]]:
    """An entity and all facts at it, in the order in which they became true."""
    _check(limit)
    graph = places.graph_of(tx, access, place)
    found = provenance.entity_called(tx, access, graph, called)
    known = knowledge.facts_of_entity(tx, access, found, PAGE_MAX)
    return found, sorted(known, key=_began)[-limit:]


def _began(fact: Fact) -> tuple[datetime, int]:
    return fact.valid_at or fact.created_at, fact.id


def messages(tx: Transaction, access: Access, thread_id: str, limit: int) -> list[Episode]:
    """The newest messages of a thread, oldest first."""
    found = threads.get(tx, access, thread_id)
    return episodes.last_messages(tx, access, found, max(0, min(limit, PAGE_MAX)))


def learned(tx: Transaction, access: Access, episode: str) -> list[Fact]:
    """The facts that an episode states, restates or closes."""
    return knowledge.mentions(tx, access, episodes.get(tx, access, episode), PAGE_MAX)[1]
