"""What reconciliation sees and what it decides. Values only; the store does what a delta says."""

from datetime import datetime
from typing import Literal

from recollect.graph.found import EntityKind
from recollect.graph.types import Json, Record

SupportRole = Literal["states", "restates", "closes"]


class KnownEntity(Record):
    """An entity of the graph that may be one of those found. *names* are all it answers to,
    *taken_in* marks of what those were called that are one with it by hand."""

    uuid: str
    name: str
    names: tuple[str, ...] = ()
    kind: EntityKind | None = None
    who: Literal["user", "assistant"] | None = None
    labels: tuple[str, ...] = ("Entity",)
    summary: str = ""
    attributes: Json | None = None
    taken_in: tuple[str, ...] = ()


class KnownFact(Record):
    """A fact of the graph that one found may restate or close.

    *said_at* is the time of the episode that first stated it, if that is still there. One that
    begins at this very moment has no date of its own: its beginning is assumed. *event_at* is when
    something happens or is due. *kept_against* are the marks (`gist.mark`) of facts that do not
    close it: someone took that back by hand.
    """

    uuid: str
    source: str
    target: str
    name: str
    predicate: str
    fact: str
    gist: str
    negated: bool = False
    ends: bool = False
    slot: str | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    created_at: datetime
    expired_at: datetime | None = None
    attributes: Json | None = None
    said_at: datetime | None = None
    event_at: datetime | None = None
    kept_against: tuple[str, ...] = ()


class Known(Record):
    """The part of a graph that a set of found things can touch."""

    entities: tuple[KnownEntity, ...] = ()
    facts: tuple[KnownFact, ...] = ()


class NewEntity(Record):
    """An entity to add. *names* are all it answers to, its own name included."""

    uuid: str
    name: str
    names: tuple[str, ...]
    kind: EntityKind | None
    who: Literal["user", "assistant"] | None
    labels: tuple[str, ...]
    summary: str
    attributes: Json | None


class ChangedEntity(Record):
    """An entity as it stands from now on; *new_names* are those it did not answer to before."""

    uuid: str
    name: str
    names: tuple[str, ...]
    new_names: tuple[str, ...]
    kind: EntityKind | None
    labels: tuple[str, ...]
    summary: str
    attributes: Json | None


class NewFact(Record):
    """A fact to add, between entities given by uuid. *found* is its place among the facts found."""

    uuid: str
    found: int
    source: str
    target: str
    name: str
    predicate: str
    fact: str
    gist: str
    negated: bool
    ends: bool
    slot: str | None
    attributes: Json | None
    rating: float | None
    confidence: float
    created_at: datetime
    expired_at: datetime | None
    valid_at: datetime | None
    invalid_at: datetime | None
    event_at: datetime | None = None


class ClosedFact(Record):
    """The end times of a fact; nothing else of it changes. One that ends in the future has not
    been learned to be false: its *expired_at* stays empty."""

    uuid: str
    invalid_at: datetime
    expired_at: datetime | None


class Closing(Record):
    """Something that gives a fact an end: another fact, *by*, or the episode at hand by itself.

    *ours*: whether the episode at hand brought it; else it met a fact that was known already.
    Also an end is told that does not count because an earlier one does. *judge* is on whose word
    it ends: `table` for the table of relations and the rules around it, `episode` where a fact tells
    its own end, else the name of the reader that said so, which is as *sure* as it said. (In the
    store there is also `hand`, for ends that someone set.)
    """

    fact: str
    by: str | None
    ended_at: datetime | None
    expired_at: datetime | None
    ours: bool = True
    judge: str = "table"
    sure: float | None = None


class Doubt(Record):
    """A known fact may be over because of another one, *by*, that the episode at hand brought; the
    *judge* is not *sure* enough to end it."""

    fact: str
    by: str
    judge: str
    sure: float


class Support(Record):
    """The episode at hand stands behind a fact: it states, restates or closes it. *cites* are the
    places in the log of earlier episodes that bear out what it says."""

    fact: str
    role: SupportRole
    span: tuple[int, int] | None = None
    cites: tuple[int, ...] = ()


class Delta(Record):
    """Everything one episode changes. The order inside each tuple is the order of writing."""

    new_entities: tuple[NewEntity, ...] = ()
    changed_entities: tuple[ChangedEntity, ...] = ()
    new_facts: tuple[NewFact, ...] = ()
    closed_facts: tuple[ClosedFact, ...] = ()
    closings: tuple[Closing, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    supports: tuple[Support, ...] = ()
    mentions: tuple[str, ...] = ()
