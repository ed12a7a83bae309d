"""What extraction proposes: the entities and facts of one episode, before they meet the graph.

Knowledge that a caller writes directly (a fact triple, or nodes) also goes through the log, as an
episode whose content is JSON, so that order, provenance and rebuilding cover it too.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Literal

import msgspec

from recollect.graph.types import EpisodeKind, Json, Record

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
Verdict = Literal["same", "replaces", "ends", "corrects", "doubts"]


class EntityRef(Record):
    """An entity of the graph that a reader was shown.

    The name shows whether the uuid still means the same entity, since an earlier episode may have been
    read again.
    """

    uuid: str
    name: str


class Judgement(Record, omit_defaults=True):
    """What a reader says a fact does to one it was shown.

    It says the *same*, *replaces* it with something newer, says that it *ends*, *corrects* it (it
    never held), or *doubts* it (it may be over, but not surely enough to end it). *mark* is the
    `gist.mark` of the fact as it was shown. *by* is who says so, if not the reader itself.
    """

    fact: str
    mark: str
    verdict: Verdict
    sure: float = 1.0
    by: str | None = None


class FoundEntity(Record, omit_defaults=True):
    """Someone or something that an episode names.

    *kind* is what the text reveals of its kind; it keeps a person from merging with a place.
    *guessed*: the kind was inferred from the look of the name alone. *label* is one type of the
    ontology besides `Entity`. *aliases* are other names in the text: an e-mail address, an id, a
    full name. *who* marks the user and the assistant, who need no name. *uuid* was requested by a
    caller. *known* is the entity of the graph that a reader says it is; *rename* is its new name.
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
    known: EntityRef | None = None
    rename: str | None = None


class FoundFact(Record, omit_defaults=True):
    """A sentence that holds for a time and joins two entities of the same `Found`, by position.

    A clause without a second entity has its source as its target.
    *name* is what clients see (`WORKS_AT`, `DOES_NOT_LIKE`); *predicate* is the relation that the
    table of predicates knows (`LIKES`), by which facts are compared. *negated*: it says that the
    relation does not hold. *ends*: it says that a relation stopped; what it closes is decided by
    the table of predicates and by its entities. *corrects*: the speaker takes something back ("no,
    I meant", "actually"). *valid_at* is when it began to hold; *dated*: that time was stated, and not
    assumed because the clause is about the present. *slot* is the key path of a value in JSON:
    facts of one entity and one slot replace each other. *span* is where in the episode's content
    it was read. *mood* `requested` is a wish or a command, kept only when the ontology wants it.
    *cites* are the log positions of earlier episodes that support it as well. *event_at* is when
    something happens or is due; if it equals `valid_at` and lies in the past, the fact states something
    that took place, which has no end.
    *judged* is what it does to facts that the reader was shown.
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
    event_at: datetime | None = None
    judged: tuple[Judgement, ...] = ()


class Found(Record, omit_defaults=True):
    """Everything that one episode says. *extractor* is what read it, with its version.

    *shown* are the marks of the facts that it was shown: it judged some of them, and its silence about
    the others counts as well. *judged* is what the episode as a whole does to known facts, whatever
    was found in it. *guarded* are the metadata keys that policies guarded when it was read: an entity
    on another side of these walls does not count as named in it; None if they were not recorded.
    *placed*: a new item gets its uuid from its position in this reading, so that the uuid does not
    change when an item before it turns out to be new as well. In readings of earlier versions only
    new items are counted.
    """

    entities: tuple[FoundEntity, ...] = ()
    facts: tuple[FoundFact, ...] = ()
    extractor: str = "embedded.1"
    shown: tuple[str, ...] = ()
    judged: tuple[Judgement, ...] = ()
    guarded: tuple[str, ...] | None = None
    placed: bool = False


def part(
    entities: Sequence[FoundEntity], places: Collection[int], facts: Iterable[FoundFact]
) -> tuple[tuple[FoundEntity, ...], tuple[FoundFact, ...]]:
    """The entities at *places*, and facts between them, renumbered to the new positions."""
    kept = sorted(places)
    moved = {old: new for new, old in enumerate(kept)}
    return tuple(entities[old] for old in kept), tuple(
        msgspec.structs.replace(fact, source=moved[fact.source], target=moved[fact.target])
        for fact in facts
    )


class Triple(Record):
    """The content of an episode of kind `fact_triple`."""

    source: FoundEntity
    target: FoundEntity
    fact: FoundFact


class Nodes(Record):
    """The content of an episode of kind `nodes`."""

    nodes: tuple[FoundEntity, ...]


def read_direct(kind: EpisodeKind, content: str) -> Found:
    """What the caller wrote directly; it was validated on arrival."""
    if kind == "nodes":
        return Found(entities=msgspec.json.decode(content, type=Nodes).nodes)
    triple = _triple(content)
    return Found(entities=(triple.source, triple.target), facts=(triple.fact,))


def triple_sentence(content: str) -> str:
    """The sentence of an episode of kind `fact_triple`."""
    return _triple(content).fact.fact


def _triple(content: str) -> Triple:
    return msgspec.json.decode(content, type=Triple)


def encode_direct(content: Nodes | Triple) -> str:
    """Direct knowledge as the content of an episode."""
    return msgspec.json.encode(content).decode()
