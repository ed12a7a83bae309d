"""Searches and context blocks, as the server makes them."""

from collections.abc import Mapping
from typing import Literal, TypedDict, get_args

from msgspec.structs import replace

from recollect.context import assemble, gather
from recollect.context.gather import Asked, Gatherer
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.filters import Filters, MetadataTree, Scalar, ValueTest
from recollect.graph.types import Access, Graph
from recollect.library import places, telling
from recollect.library.adding import Moment, moment
from recollect.library.engine import Engine, text_only
from recollect.library.places import Place
from recollect.library.results import Entity, Episode, Fact, Observation, Summary
from recollect.limits import (
    BLOCK_MESSAGES_3,
    BLOCK_QUERY_CHARS_MAX,
    SEARCH_LIMIT_MAX,
    SEARCH_QUERY_CHARS_MAX,
)
from recollect.search import query
from recollect.search.query import Query, Reranker
from recollect.store.protocol import Transaction
from recollect.subjects import listing

Kind = Literal["facts", "entities", "episodes", "observations", "summaries"]
Results = list[Fact] | list[Entity] | list[Episode] | list[Observation] | list[Summary]
_KINDS: dict[Kind, query.Kind] = {
    "facts": "fact",
    "entities": "entity",
    "episodes": "episode",
    "observations": "observation",
    "summaries": "thread_summary",
}


class Narrowing(TypedDict, total=False):
    """What a search can be narrowed by; all of it must hold.

    *valid_at*: facts that were true then; *known_at*: as the memory knew it then. *labels* are of
    entities, *types* the names of facts such as WORKS_AT. *metadata*: an episode behind it carries
    these values. *near* is the uuid of an entity that the reranker `node_distance` starts from.
    """

    valid_at: Moment
    known_at: Moment
    labels: list[str]
    types: list[str]
    metadata: Mapping[str, Scalar]
    rating_min: float
    score_min: float
    reranker: Reranker
    near: str


async def search(
    engine: Engine, place: Place, text: str, kind: Kind, limit: int, narrow: Narrowing
) -> Results:
    """What fits best, best first."""
    _check(kind, limit, narrow)
    services, access = engine.opened
    graph, zone = await engine.read(_graph_and_zone, place)
    asked = Query(
        text=text[:SEARCH_QUERY_CHARS_MAX],
        kind=_KINDS[kind],
        now=services.clock(),
        limit=limit,
        filters=_filters(narrow),
        reranker=narrow.get("reranker"),
        center_uuid=narrow.get("near"),
        score_min=narrow.get("score_min"),
        time_zone=zone,
    )
    with text_only():
        found = await services.finder.find(access, graph, asked)
    return _told(kind, found)


def _graph_and_zone(tx: Transaction, access: Access, place: Place) -> tuple[Graph, str | None]:
    graph = places.graph_of(tx, access, place)
    return graph, listing.time_zone(tx, graph)


def _check(kind: str, limit: int, narrow: Narrowing) -> None:
    if kind not in _KINDS:
        raise InvalidInput(f"kind: must be one of {', '.join(_KINDS)}; got {kind!r}")
    if not 1 <= limit <= SEARCH_LIMIT_MAX:
        raise InvalidInput(f"limit: must be from 1 to {SEARCH_LIMIT_MAX}, got {limit}")
    unknown = sorted(set(narrow) - set(Narrowing.__annotations__))
    if unknown:
        raise InvalidInput(f"{unknown[0]}: nothing can be narrowed by that")
    reranker = narrow.get("reranker")
    if reranker is not None and reranker not in get_args(Reranker):
        raise InvalidInput(f"reranker: must be one of {', '.join(get_args(Reranker))}")
    if reranker == "node_distance" and not narrow.get("near"):
        raise InvalidInput("near: the reranker node_distance needs the uuid of an entity")


def _filters(narrow: Narrowing) -> Filters:
    wanted = checks.episode_metadata("metadata", dict(narrow.get("metadata") or {}))
    tests = tuple(
        ValueTest(name=name, operator="=", value=value) for name, value in (wanted or {}).items()
    )
    return Filters(
        node_labels=tuple(narrow.get("labels", ())),
        edge_types=tuple(narrow.get("types", ())),
        rating_min=narrow.get("rating_min"),
        valid_on=moment("valid_at", narrow.get("valid_at")),
        known_on=moment("known_at", narrow.get("known_at")),
        episode_metadata=MetadataTree(joined_by="and", tests=tests) if tests else None,
    )


def _told(kind: Kind, found: query.Found) -> Results:
    if kind == "facts":
        return [telling.fact(hit.item, hit.score) for hit in found.facts]
    if kind == "entities":
        return [telling.entity(hit.item, hit.score) for hit in found.entities]
    if kind == "episodes":
        return [telling.episode(hit.item, hit.score) for hit in found.episodes]
    if kind == "observations":
        return [telling.observation(hit.item, hit.score) for hit in found.observations]
    return [telling.summary(hit.item, hit.score) for hit in found.thread_summaries]


async def context(engine: Engine, place: Place, text: str | None) -> str:
    """One text for a prompt: who the user is, and what matters to the question or the thread."""
    services, access = engine.opened
    count = services.settings.context_messages or BLOCK_MESSAGES_3
    asked = await engine.read(_asked, place, text, count)
    gatherer = Gatherer(services.store, services.finder, access, asked, services.clock())
    with text_only():
        found = await gatherer.everything(gather.ALL_KINDS)
    summary = None if asked.user is None else asked.user.summary
    return assemble.user_block(summary, found, services.settings.context_chars_max)


def _asked(tx: Transaction, access: Access, place: Place, text: str | None, count: int) -> Asked:
    cut = text[:BLOCK_QUERY_CHARS_MAX] if text else ""
    if place.thread is None:
        return gather.ask_graph(tx, access, places.graph_of(tx, access, place), cut)
    places.thread_of(tx, access, place.thread, place.user)
    asked = gather.ask(tx, access, place.thread, count)
    return replace(asked, text=cut) if text else asked
