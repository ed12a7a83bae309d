"""Translation between a client's search and ours: the query, and the hits."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

from msgspec.structs import replace

from recollect.compat.zep import translate, translate_filters
from recollect.compat.zep.wire import search as search_wire
from recollect.errors import InvalidInput
from recollect.graph.filters import Filters
from recollect.graph.types import Entity, Episode, Fact, Item, Kind, Observation, ThreadSummary
from recollect.limits import SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, SEARCH_ORIGINS_MAX
from recollect.records.listing import ListedEntity
from recollect.search.query import Hit, Query, Reranker

KINDS: dict[str, Kind] = {
    "edges": "fact",
    "nodes": "entity",
    "episodes": "episode",
    "observations": "observation",
    "thread_summaries": "thread_summary",
}
AUTO = "auto"
_SCOPES = (*KINDS, AUTO)
_RERANKERS: tuple[str, ...] = get_args(Reranker)
_NOT_OVER_ALL = ("node_distance", "episode_mentions")


def scope(sent: search_wire.Search) -> str:
    """The requested scope, after validating everything that a search may name."""
    chosen = sent.scope or "edges"
    _one_of("scope", chosen, _SCOPES)
    if sent.reranker is not None:
        _one_of("reranker", sent.reranker, _RERANKERS)
    if chosen == AUTO and sent.reranker in _NOT_OVER_ALL:
        raise InvalidInput(f"reranker: {sent.reranker} cannot rank what scope auto finds")
    if sent.reranker == "node_distance" and not sent.center_node_uuid:
        raise InvalidInput("center_node_uuid: reranker node_distance needs it")
    if sent.mmr_lambda is not None and not 0 <= sent.mmr_lambda <= 1:
        raise InvalidInput(f"mmr_lambda: must be from 0 to 1, got {sent.mmr_lambda}")
    if len(sent.bfs_origin_node_uuids or ()) > SEARCH_ORIGINS_MAX:
        raise InvalidInput(f"bfs_origin_node_uuids: at most {SEARCH_ORIGINS_MAX}")
    return chosen


def _one_of(field: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise InvalidInput(f"{field}: must be one of {', '.join(known)}; got {value[:100]!r}")


def filters(sent: search_wire.Search, chosen: str) -> Filters:
    """All filters of a search, including those outside `search_filters`."""
    edges = chosen in ("edges", AUTO)
    given = translate_filters.filters(sent.search_filters, "search_filters", edges=edges)
    rated = translate_filters.rating("min_fact_rating", sent.min_fact_rating)
    return translate_filters.as_of(replace(given, rating_min=rated), sent.valid_at, sent.known_at)


def question(
    sent: search_wire.Search,
    kind: Kind,
    chosen: Filters,
    *,
    chars_max: int,
    now: datetime,
    time_zone: str | None,
) -> Query:
    """A query for one kind; a text that is too long is cut, never refused."""
    reranker: Reranker | None = sent.reranker  # type: ignore[assignment]
    return Query(
        text=sent.query[:chars_max],
        kind=kind,
        now=now,
        limit=min(sent.limit or SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX),
        filters=translate_filters.for_kind(chosen, kind),
        reranker=reranker,
        mmr_lambda=0.5 if sent.mmr_lambda is None else sent.mmr_lambda,
        center_uuid=sent.center_node_uuid,
        origin_uuids=tuple(dict.fromkeys(sent.bfs_origin_node_uuids or ())),
        score_min=sent.min_score,
        time_zone=time_zone,
    )


def lists(
    hits: Sequence[Hit[Any]],
    listed: Mapping[int, ListedEntity],
    *,
    scopes: Sequence[str],
    selected: bool,
) -> dict[str, Any]:
    """The lists of a response by name; *selected* adds each hit's rank over all lists."""
    found: dict[str, list[Any]] = {name: [] for name in scopes}
    for rank, hit in enumerate(hits, start=1):
        name, shown = _shown(hit.item, listed)
        given = {"score": hit.score, "relevance": hit.relevance}
        found[name].append(replace(shown, **given, selection_rank=rank if selected else None))
    return found


def _shown(item: Item, listed: Mapping[int, ListedEntity]) -> tuple[str, Any]:
    if isinstance(item, Fact):
        return "edges", translate.edge(item)
    if isinstance(item, Entity):
        known = listed.get(item.id)
        return "nodes", translate.node(item) if known is None else translate.listed_node(known)
    if isinstance(item, Episode):
        return "episodes", translate.episode(item)
    if isinstance(item, Observation):
        return "observations", translate.observation(item)
    return "thread_summaries", _thread_summary(item)


def _thread_summary(found: ThreadSummary) -> search_wire.FoundThreadSummary:
    return search_wire.FoundThreadSummary(
        uuid=found.uuid,
        name=found.thread_id,
        summary=found.summary,
        labels=["ThreadSummary"],
        metadata=found.metadata,
        created_at=found.created_at,
        last_summarized_at=found.updated_at,
        last_summarized_episode_valid_at=found.covered_at,
    )
