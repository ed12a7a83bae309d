"""Searches of the library: their kinds, filters and results."""

from collections.abc import Mapping
from typing import Any, Literal, TypedDict, get_args

from recollect.app import memories
from recollect.app.memories import MemoryRef
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.filters import Filters, MetadataTree, Scalar, ValueTest
from recollect.graph.types import Kind as FindableKind
from recollect.library import convert
from recollect.library.convert import Moment, moment
from recollect.library.engine import Engine
from recollect.library.results import Entity, Episode, Fact, Observation, Summary
from recollect.limits import SEARCH_LIMIT_MAX, SEARCH_QUERY_CHARS_MAX
from recollect.search.query import Hit, Query, Reranker

Kind = Literal["facts", "entities", "episodes", "observations", "summaries"]
Results = list[Fact] | list[Entity] | list[Episode] | list[Observation] | list[Summary]
_KINDS: dict[Kind, FindableKind] = {
    "facts": "fact",
    "entities": "entity",
    "episodes": "episode",
    "observations": "observation",
    "summaries": "thread_summary",
}


class Narrowing(TypedDict, total=False):
    """The filters of a search; all of them must match.

    *valid_at*: facts that were true then; *known_at*: as the memory knew it then. *labels* are those of
    entities, *types* the names of facts such as WORKS_AT. *metadata*: values on an episode behind the hit.
    *near* is the uuid of the entity that the reranker `node_distance` starts from.
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
    engine: Engine, place: MemoryRef, text: str, kind: Kind, limit: int, narrow: Narrowing
) -> Results:
    """The best matches, best first."""
    _check(kind, limit, narrow)
    asked = Query(
        text=text[:SEARCH_QUERY_CHARS_MAX],
        kind=_KINDS[kind],
        now=engine.opened.services.clock(),
        limit=limit,
        filters=_filters(narrow),
        reranker=narrow.get("reranker"),
        center_uuid=narrow.get("near"),
        score_min=narrow.get("score_min"),
    )
    return _told(kind, await engine.ask(memories.search, place, asked))


def _check(kind: str, limit: int, narrow: Narrowing) -> None:
    if kind not in _KINDS:
        raise InvalidInput(f"kind: must be one of {', '.join(_KINDS)}; got {kind!r}")
    if not 1 <= limit <= SEARCH_LIMIT_MAX:
        raise InvalidInput(f"limit: must be from 1 to {SEARCH_LIMIT_MAX}, got {limit}")
    unknown = sorted(set(narrow) - set(Narrowing.__annotations__))
    if unknown:
        raise InvalidInput(f"{unknown[0]}: not a known filter")
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


def _told(kind: Kind, found: list[Hit[Any]]) -> Results:
    if kind == "facts":
        return [convert.fact(hit.item, hit.score) for hit in found]
    if kind == "entities":
        return [convert.entity(hit.item, hit.score) for hit in found]
    if kind == "episodes":
        return [convert.episode(hit.item, hit.score) for hit in found]
    if kind == "observations":
        return [convert.observation(hit.item, hit.score) for hit in found]
    return [convert.summary(hit.item, hit.score) for hit in found]
