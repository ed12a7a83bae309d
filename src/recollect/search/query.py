"""What is asked of a search, and what it answers."""

from datetime import datetime
from typing import Generic, Literal, TypeVar

from recollect.graph.filters import NO_FILTERS, Filters
from recollect.graph.types import Entity, Episode, Fact, Observation, Record, ThreadSummary
from recollect.limits import SEARCH_LIMIT_DEFAULT

Kind = Literal["fact", "entity", "episode", "observation", "thread_summary"]
Reranker = Literal["rrf", "mmr", "node_distance", "episode_mentions", "cross_encoder"]

T = TypeVar("T")


class Query(Record):
    """One search of one kind of thing. Without a reranker the best fusion we know decides."""

    text: str
    kind: Kind
    now: datetime
    limit: int = SEARCH_LIMIT_DEFAULT
    filters: Filters = NO_FILTERS
    reranker: Reranker | None = None
    mmr_lambda: float = 0.5
    center_uuid: str | None = None
    near_uuid: str | None = None  # a little closeness to this entity counts, too
    origin_uuids: tuple[str, ...] = ()  # entities or episodes that breadth-first search starts at
    score_min: float | None = None
    time_zone: str | None = None  # in which words like "yesterday" are meant


class Ranked(Record, Generic[T]):
    """Something found, and how well it fits. `relevance` comes from the cross-encoder only."""

    item: T
    score: float
    relevance: float | None = None


class Found(Record):
    """The answer of a search: the list of the kind asked for, best first; the others are empty."""

    facts: tuple[Ranked[Fact], ...] = ()
    entities: tuple[Ranked[Entity], ...] = ()
    episodes: tuple[Ranked[Episode], ...] = ()
    observations: tuple[Ranked[Observation], ...] = ()
    thread_summaries: tuple[Ranked[ThreadSummary], ...] = ()
