"""The input and output of a reader."""

from datetime import datetime
from typing import Literal

from recollect.graph.found import EntityKind, Found
from recollect.graph.types import EpisodeKind, Json, Record
from recollect.records.guidance import Instruction, Ontology

ReaderKind = Literal["embedded", "model", "agent"]


class Turn(Record):
    """An earlier message of the same thread or document, or of the one before it."""

    content: str
    role: str | None = None
    speaker: str | None = None
    at: datetime | None = None


class Profile(Record):
    """The user who owns the graph. *name* is the name of the user's node."""

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
    """An entity of the graph as a reader sees it. *first* is the name it was created with and is
    recognised by later; *gloss* is one line on who or what it is."""

    uuid: str
    name: str
    first: str
    aliases: tuple[str, ...] = ()
    kind: EntityKind | None = None
    label: str | None = None
    gloss: str = ""
    who: Literal["user", "assistant"] | None = None


class ShownFact(Record):
    """A fact that still holds, as far as is known, at the episode's position in the log.

    *twins* are other facts with the same wording; *source* and *target* are uuids of entities.
    *rank* 0 is nearest to the episode: where space runs out, the highest ranks are dropped first.
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

    @property
    def took_place(self) -> bool:
        """Whether the fact is an event, which never ends once it has happened."""
        return self.event_at is not None and self.event_at == self.valid_at


class Shown(Record):
    """What a reader sees of the graph, oldest first, so that the prompts of two episodes begin alike.

    Short ids are positions in these tuples: `e1` is the first entity, `f1` the first fact.
    *relations* are names in use beyond those of the table.
    """

    entities: tuple[ShownEntity, ...] = ()
    facts: tuple[ShownFact, ...] = ()
    relations: tuple[str, ...] = ()


class Guidance(Record):
    """What the project wants from its graph.

    *defaults*: the default types apply, as they do in a user's graph unless it opted out.
    *rating* is {"instruction": str, "examples": {"high": str, "medium": str, "low": str}}.
    """

    ontology: Ontology = Ontology()
    defaults: bool = False
    rating: Json | None = None
    instructions: tuple[Instruction, ...] = ()


class Brief(Record):
    """One episode to read. *at* is when it happened; *before* ends with the newest turn.

    *shown* is what a language model or an agent sees of the graph, *earlier* the end of the previous
    conversation as long as this one is short; the embedded reader uses neither. *addressee* is the
    recipient of a message, if known. Without *learn* the episode is only made findable. *behind*: earlier
    episodes of the graph still wait for the language model, so this one has to wait too.
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


class RereadRequest(Record):
    """Asks for another reading of the episode: by whom, and why."""

    reader: ReaderKind
    reason: str


class Extracted(Record):
    """What an episode says, and the vectors that make it findable.

    *vector* concatenates the vector of the whole episode and those of its sentences;
    *fact_vectors* belong to the facts, in order. Without the models there are none. *again*: this
    reading is provisional, and another one has to follow.
    """

    found: Found
    vector: bytes | None = None
    fact_vectors: tuple[bytes | None, ...] = ()
    again: RereadRequest | None = None
