"""What an extractor is given, and what it gives back."""

from datetime import datetime
from typing import Literal

from recollect.graph.found import EntityKind, Found
from recollect.graph.types import EpisodeKind, Json, Record
from recollect.subjects.guidance import Instruction, Ontology

ReaderKind = Literal["embedded", "model", "agent"]


class Turn(Record):
    """Something said before, in the same thread or document, or in the one before it."""

    content: str
    role: str | None = None
    speaker: str | None = None
    at: datetime | None = None


class Profile(Record):
    """The user whose graph this is. *name* is how the user's node is called."""

    name: str
    user_id: str
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None


class KnownName(Record):
    """An entity of the graph whose name occurs in the text."""

    name: str
    kind: EntityKind | None = None
    label: str | None = None


class ShownEntity(Record):
    """An entity of the graph, as a reader is shown it. *first* is the name it was born with, by which
    it is known again later; *gloss* says in a line who or what it is."""

    uuid: str
    name: str
    first: str
    aliases: tuple[str, ...] = ()
    kind: EntityKind | None = None
    label: str | None = None
    gloss: str = ""
    who: Literal["user", "assistant"] | None = None


class ShownFact(Record):
    """A fact of the graph that holds as far as is known where the episode stands in the log.

    *twins* are further facts in the same words. *source* and *target* are uuids of entities.
    *rank* is how near to the episode it is, from 0 on: where there is no room for all, the
    farthest go first.
    """

    uuid: str
    sentence: str
    relation: str
    source: str
    target: str
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    event_at: datetime | None = None
    twins: tuple[str, ...] = ()
    rank: int = 0


class Shown(Record):
    """What a reader is shown of the graph: the oldest first, so that what two episodes have in common
    comes first, too. Short ids are places in these tuples: `e1` is the first entity, `f1` the first
    fact. *relations* are names in use besides those of the table."""

    entities: tuple[ShownEntity, ...] = ()
    facts: tuple[ShownFact, ...] = ()
    relations: tuple[str, ...] = ()


class Guidance(Record):
    """What the project wants of its graph.

    *defaults*: the default types hold, as they do in a user's graph that did not opt out.
    *rating* is {"instruction": str, "examples": {"high": str, "medium": str, "low": str}}.
    """

    ontology: Ontology = Ontology()
    defaults: bool = False
    rating: Json | None = None
    instructions: tuple[Instruction, ...] = ()


class Brief(Record):
    """One episode to be read. *at* is when it happened; *before* has the newest turn last.

    *shown* is what a reader that judges is shown of the graph, and *earlier* the last turns of the
    conversation before, when this one is young; the embedded reader does without both. *addressee* is whom it is said to,
    where that is told. What is not to be learned from is made findable, and nothing else. *behind*:
    earlier episodes of the graph still wait for the language model, and it is not this one's turn.
    """

    kind: EpisodeKind
    content: str
    at: datetime
    role: str | None = None
    speaker: str | None = None
    addressee: str | None = None
    source_description: str | None = None
    time_zone: str | None = None
    before: tuple[Turn, ...] = ()
    earlier: tuple[Turn, ...] = ()
    user: Profile | None = None
    known: tuple[KnownName, ...] = ()
    shown: Shown | None = None
    guidance: Guidance = Guidance()
    strict: bool = False
    learn: bool = True
    behind: bool = False


class Again(Record):
    """That an episode is to be read once more: by whom, and why."""

    reader: ReaderKind
    reason: str


class Extracted(Record):
    """What an episode says, and what it takes to find it again.

    *vector* is the episode's own, or several one behind the other: that of the whole, then those
    of its sentences. *fact_vectors* are those of its facts, in order; without the models there
    are none. *again*: this is what there is for now, and somebody else is to read it.
    """

    found: Found
    vector: bytes | None = None
    fact_vectors: tuple[bytes | None, ...] = ()
    again: Again | None = None
