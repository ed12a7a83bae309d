"""Searching one graph, and answering questions from what is found."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from recollect import log
from recollect.app import refs
from recollect.app.refs import GraphRef, OwnedGraph
from recollect.app.services import Services
from recollect.app.units import reads
from recollect.context import gather, templates
from recollect.context.answer import answer as answer_from_hits
from recollect.context.gather import Gatherer
from recollect.context.lines import line
from recollect.errors import RecollectError
from recollect.extract.llm import free_text
from recollect.graph.types import Access, Entity, Fact, Record
from recollect.records import guidance, listing, lookups
from recollect.records.listing import ListedEntity
from recollect.search.prepare import query_time
from recollect.search.query import Hit, Query
from recollect.store.protocol import Transaction

Recency = Literal["off", "mild", "strong"]

_log = log.get(__name__)
_HITS_PER_KIND = 20
# How much more something of this very moment counts, and after how many days half of that is left.
_RECENCY_WEIGHTS: dict[Recency, float] = {"off": 0.0, "mild": 0.25, "strong": 1.0}
_HALF_LIFE_DAYS = 30.0


class Searchable(Record):
    """A graph to be searched, and the zone in which its owner means times."""

    where: OwnedGraph
    time_zone: str | None


class HitDetails(Record):
    """What answers tell of hits besides the hits: entities with their episodes by row id, and the uuids
    of threads by their ids."""

    entities: dict[int, ListedEntity] = msgspec.field(default_factory=dict)
    thread_uuids: dict[str, str] = msgspec.field(default_factory=dict)


async def searchable(services: Services, access: Access, ref: GraphRef) -> Searchable:
    """The graph that is meant, ready to be searched."""
    return await services.store.glance(_searchable, access, ref)


def _searchable(tx: Transaction, access: Access, ref: GraphRef) -> Searchable:
    where = refs.graph(tx, access, ref)
    return Searchable(where=where, time_zone=listing.time_zone(tx, where.graph))


@reads
def searchables(tx: Transaction, access: Access, graphs: Sequence[GraphRef]) -> list[Searchable]:
    """The same of several graphs."""
    return [_searchable(tx, access, ref) for ref in graphs]


async def find(
    services: Services, access: Access, where: OwnedGraph, query: Query
) -> list[Hit[Any]]:
    """What fits a query best; a blank one finds nothing, whatever else it says."""
    if not query.text.strip():
        return []
    return await services.finder.find(access, where.graph, query)


async def find_all_kinds(
    services: Services, access: Access, where: OwnedGraph, queries: Sequence[Query]
) -> list[Hit[Any]]:
    """What is found for queries of all kinds; the reranker and limit are our own.

    The fused score means the same for every kind, so that one order over all makes sense. The first
    query is asked alone, because the others then know what it means.
    """
    asked = [replace(one, reranker=None, limit=_HITS_PER_KIND) for one in queries]
    first = await find(services, access, where, asked[0])
    rest = await asyncio.gather(*(find(services, access, where, one) for one in asked[1:]))
    return [hit for hits in (first, *rest) for hit in hits]


async def details(
    services: Services, access: Access, hits: Sequence[Hit[Any]], *, threads: bool = False
) -> HitDetails:
    """What answers tell of hits besides the hits; of *threads* only if asked for."""
    entities = [hit.item for hit in hits if isinstance(hit.item, Entity)]
    ids = [getattr(hit.item, "thread_id", None) for hit in hits] if threads else []
    named = [id_ for id_ in ids if id_]
    if not entities and not named:
        return HitDetails()
    return await services.store.read(_details, access, entities, named)


def _details(
    tx: Transaction, access: Access, entities: Sequence[Entity], thread_ids: Sequence[str]
) -> HitDetails:
    listed = listing.with_episodes(tx, access, entities)
    return HitDetails(
        entities={one.entity.id: one for one in listed},
        thread_uuids=lookups.thread_uuids(tx, access, thread_ids) if thread_ids else {},
    )


def time_note(query: Query) -> str:
    """The time that words of the query were read as, which the reader should know."""
    time = query_time(query)
    if time is None or not time.windows:
        return ""
    spans = " or ".join(f"{_day(one.start)} to {_day(one.end)}" for one in time.windows)
    return f"Preferred: {spans} ({time.words!r})"


def _day(moment: datetime | None) -> str:
    return "any time" if moment is None else moment.strftime("%Y-%m-%d %H:%M")


def favour_recent(hits: list[Hit[Any]], bias: Recency, now: datetime) -> list[Hit[Any]]:
    """The same with scores that favour what is recent, as strongly as was asked for."""
    weight = _RECENCY_WEIGHTS[bias]
    if not weight:
        return hits
    return sorted((_weighed(hit, weight, now) for hit in hits), key=_worse)


def _worse(hit: Hit[Any]) -> float:
    return -hit.score


def _weighed(hit: Hit[Any], weight: float, now: datetime) -> Hit[Any]:
    if isinstance(hit.item, Entity):  # one is as old as what is known of it, which is found as well
        return hit
    days = max(0.0, (now - _moment(hit.item)).total_seconds() / 86_400)
    return replace(hit, score=hit.score * (1 + weight * 0.5 ** (days / _HALF_LIFE_DAYS)))


def _moment(item: Any) -> datetime:
    """When something began to be so, or was last said."""
    if isinstance(item, Fact):
        return item.valid_at or item.created_at
    moment: datetime = getattr(item, "updated_at", item.created_at)
    return moment


async def fill_template(
    services: Services, access: Access, ref: GraphRef, template_uuid: str, text: str, room: int
) -> str:
    """The block that a context template makes of what a graph knows for a text."""
    asked, template = await services.store.read(_ask_graph, access, ref, template_uuid, text)
    gatherer = Gatherer(services.store, services.finder, access, asked, services.clock())
    return await templates.render(templates.parse(template), gatherer, room)


def _ask_graph(
    tx: Transaction, access: Access, ref: GraphRef, template_uuid: str, text: str
) -> tuple[gather.ContextRequest, str]:
    template = guidance.template_by_uuid(tx, access, template_uuid)
    where = refs.graph(tx, access, ref)
    return gather.graph_request(tx, access, where.graph, text), template.text


async def answer(
    services: Services, question: str, hits: Sequence[Hit[Any]], instruction: str, now: datetime
) -> tuple[str | None, list[int]]:
    """An answer to a question and the numbers of the hits it rests on: by the language model where
    there is one, else by what was found itself."""
    model = services.language_model
    if model is not None and hits:
        lines = [line(hit.item).strip().removeprefix("- ") for hit in hits]
        try:
            written = await free_text.answer_question(model, question, lines, instruction)
        except RecollectError as error:
            _log.warning("query.model_failed", reason=error.message)
        else:
            return written.answer, list(written.rests_on)
    text, chosen = answer_from_hits(hits, now)
    return text or None, chosen
