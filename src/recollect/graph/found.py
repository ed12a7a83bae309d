"""What extraction proposes: the entities and facts of one episode, before they meet the graph."""

from datetime import datetime
from typing import Literal

from recollect.graph.types import Json, Record

EntityKind = Literal[
    "person",
    "animal",
    "organization",
    "place",
    "event",
    "document",
    "topic",
    "object",
    "value",
]
Mood = Literal["stated", "requested"]


class FoundEntity(Record):
    """Someone or something that an episode names.

    *kind* is the sort of thing as far as the text tells; it keeps a person from merging with a
    place. *guessed*: nothing but the look of the name tells its kind. *label* is one type of the ontology besides `Entity`. *aliases* are other names the text
    gives the same thing: an e-mail address, an id, a full name. *who* marks the two that are known
    without a name. *uuid* is one that a caller asked for.
    """

    name: str
    kind: EntityKind | None = None
    label: str | None = None
    aliases: tuple[str, ...] = ()
    who: Literal["user", "assistant"] | None = None
    attributes: Json | None = None
    summary: str | None = None
    uuid: str | None = None
    guessed: bool = False


class FoundFact(Record):
    """A sentence that holds for a time and joins two entities of the same `Found`, by position.

    A clause without a second entity has its source as its target.
    *name* is what clients see (`WORKS_AT`, `DOES_NOT_LIKE`); *predicate* is the relation that the
    table of predicates knows (`LIKES`), by which facts are compared. *negated*: it says that the
    relation does not hold. *ends*: it says that a relation stopped; what it closes is decided by
    the table of predicates and by its entities. *corrects*: the speaker takes something back ("no,
    I meant", "actually"). *valid_at* is when it began to hold; *dated* tells a stated time from one
    assumed because the clause is about the present. *slot* is the key path of a value in JSON:
    facts of one entity and one slot replace each other. *span* is where in the episode's content
    it was read. *mood* `requested` is a wish or a command, kept only when the ontology wants it.
    *cites* are the places in the log of earlier episodes that bear it out as well.
    """

    source: int
    target: int
    name: str
    predicate: str
    fact: str
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    dated: bool = False
    negated: bool = False
    ends: bool = False
    corrects: bool = False
    mood: Mood = "stated"
    slot: str | None = None
    attributes: Json | None = None
    span: tuple[int, int] | None = None
    confidence: float = 1.0
    rating: float | None = None
    uuid: str | None = None
    expired_at: datetime | None = None
    cites: tuple[int, ...] = ()


class Found(Record):
    """Everything that one episode says. *extractor* is what read it, with its version."""

    entities: tuple[FoundEntity, ...] = ()
    facts: tuple[FoundFact, ...] = ()
    extractor: str = "embedded.1"
