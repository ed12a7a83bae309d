"""The stages of a search: a `Query` is asked, a `PreparedQuery` is ranked, a `Hit` is returned."""

from collections.abc import Mapping
from datetime import datetime
from typing import Generic, Literal, TypeVar

from recollect.dates import Tense
from recollect.graph.filters import NO_FILTERS, Filters
from recollect.graph.types import Kind, Record
from recollect.limits import SEARCH_LIMIT_DEFAULT
from recollect.search.columns import Floats
from recollect.search.times import TimedEvent, TimeWindow

Reranker = Literal["rrf", "mmr", "node_distance", "episode_mentions", "cross_encoder"]

T = TypeVar("T")


class Query(Record):
    """A search for things of one kind. Without a reranker our own fused score decides."""

    text: str
    kind: Kind
    now: datetime
    limit: int = SEARCH_LIMIT_DEFAULT
    filters: Filters = NO_FILTERS
    reranker: Reranker | None = None
    mmr_lambda: float = 0.5
    center_uuid: str | None = None
    near_uuid: str | None = None  # facts close to this entity get a small bonus
    origin_uuids: tuple[str, ...] = ()  # entities or episodes that breadth-first search starts at
    score_min: float | None = None
    time_zone: str | None = None  # for words like "yesterday"


class NamedEntity(Record):
    """An entity that a query names, and where its name occurs in the text."""

    entity_id: int
    start: int
    end: int


class Lookups(Record):
    """The row ids of what a query refers to by uuid or by name; None where nothing was given."""

    facts: tuple[int, ...] | None = None
    episodes: tuple[int, ...] | None = None
    sources: tuple[int, ...] | None = None
    targets: tuple[int, ...] | None = None
    connected: tuple[int, ...] | None = None
    center: tuple[int, ...] = ()
    near: tuple[int, ...] = ()
    origin_entities: tuple[int, ...] = ()
    origin_episodes: tuple[int, ...] = ()
    named: tuple[NamedEntity, ...] = ()
    tested: Mapping[str, int] = {}  # episodes that filter conditions name, by uuid


NO_LOOKUPS = Lookups()


class PreparedQuery(Record):
    """A query ready to be ranked against one segment.

    *people* are the speakers of the graph that it names, by their folded first names, in the order
    of mention. *together*: it asks about what they share. *own*: it is about the person who asks.
    *tense* is that of the question, None if its words do not show it. *event* is what happened at the
    time in question, if the question gives its time that way. *hashes* are the terms searched for;
    *plain* all but names; *content* those not written like a name; *names* those that are, except the
    names of speakers.
    """

    query: Query
    lookups: Lookups
    hashes: tuple[int, ...]
    vector: Floats | None
    plain: tuple[int, ...] = ()
    content: tuple[int, ...] = ()
    names: tuple[int, ...] = ()
    people: tuple[str, ...] = ()
    together: bool = False
    own: bool = False
    tense: Tense | None = None
    windows: tuple[TimeWindow, ...] = ()
    event: TimedEvent | None = None


class Hit(Record, Generic[T]):
    """Something found, and how well it fits. `relevance` comes from the cross-encoder only.

    *over* is the chance that a fact is outdated as an answer: a newer one took its place.
    """

    item: T
    score: float
    relevance: float | None = None
    over: float = 0.0
