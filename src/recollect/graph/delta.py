"""What reconciliation sees and what it decides: plain values, which the store writes."""

from datetime import datetime
from typing import Literal

from recollect.graph.found import EntityKind
from recollect.graph.types import Json, Record

SupportRole = Literal["states", "restates", "closes"]


class KnownEntity(Record):
    """An entity as reconciliation sees it, old or new.

    *names* are all its names, including *name*; *taken_in* are marks of the names of entities that
    someone merged into it by hand.
    """

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
    """A fact as reconciliation sees it; one found may restate or close it.

    *said_at* is the time of the episode that first stated it, if that still exists; a fact that
    begins at exactly this time has no date of its own, its beginning is assumed. *event_at* is when
    something happens or is due; what took place begins when it happened. *kept_against* are marks
    (`gist.mark`) of facts that must not close it, because someone undid that by hand.
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

    @property
    def took_place(self) -> bool:
        """Whether it states something that had already happened when it was said.

        That is never over: it can be corrected, but nothing that happens later ends it. The value of a
        slot is not such a fact: it is whatever the document says last.
        """
        if self.event_at is None or self.event_at != self.valid_at or self.slot is not None:
            return False
        return self.said_at is None or self.event_at <= self.said_at


class Known(Record):
    """The part of a graph that the things found can affect."""

    entities: tuple[KnownEntity, ...] = ()
    facts: tuple[KnownFact, ...] = ()


class ChangedEntity(KnownEntity):
    """An entity with its changes applied; *new_names* are the names it did not have before."""

    new_names: tuple[str, ...]


class NewFact(KnownFact):
    """A fact to add, between entities given by uuid. *found* is its index among the facts found."""

    found: int
    rating: float | None
    confidence: float


class ClosedFact(Record):
    """The end times of a fact. While the end lies in the future, *expired_at* stays empty."""

    uuid: str
    invalid_at: datetime
    expired_at: datetime | None


class Closing(Record):
    """What ended a fact: another fact, *by*, or the episode itself.

    *ours*: the episode at hand brought the closing fact; otherwise it was known already. Ends that
    do not take effect because of an earlier one are recorded too. *judge* is who decided: `table`
    for the table of relations and its rules, `episode` where a fact states its own end, otherwise
    the name of the reader, with how *sure* it was. (The store also has `hand`, for ends set by
    someone.)
    """

    fact: str
    by: str | None
    ended_at: datetime | None
    expired_at: datetime | None
    ours: bool = True
    judge: str = "table"
    sure: float | None = None


class NewDoubt(Record):
    """A known fact that may be over because of a new one, *by*; the *judge* is not *sure* enough to
    end it."""

    fact: str
    by: str
    judge: str
    sure: float


class Support(Record):
    """The episode at hand supports a fact: it states, restates or closes it. *cites* are the log
    positions of earlier episodes that support it as well."""

    fact: str
    role: SupportRole
    span: tuple[int, int] | None = None
    cites: tuple[int, ...] = ()


class Delta(Record):
    """Everything one episode changes. Each tuple is in the order of writing."""

    new_entities: tuple[KnownEntity, ...] = ()
    changed_entities: tuple[ChangedEntity, ...] = ()
    new_facts: tuple[NewFact, ...] = ()
    closed_facts: tuple[ClosedFact, ...] = ()
    closings: tuple[Closing, ...] = ()
    doubts: tuple[NewDoubt, ...] = ()
    supports: tuple[Support, ...] = ()
    mentions: tuple[str, ...] = ()
