"""The form of the model's answer. What its fields mean is told by the prompt of that version."""

from recollect.graph.found import EntityKind, Mood
from recollect.graph.types import Record

# No field has a default: strict endpoints want each of them, null where there is nothing.


class AnswerAttribute(Record, forbid_unknown_fields=True):
    """A field of a type. A list of pairs, because strict schemas know no free keys."""

    name: str
    value: str | int | float | bool | None


class AnswerEntity(Record, forbid_unknown_fields=True):
    """Someone or something. *known_id* is an id of an entity that was shown."""

    name: str
    known_id: str | None
    rename_to: str | None
    kind: EntityKind | None
    label: str | None
    aliases: list[str]
    attributes: list[AnswerAttribute]


class AnswerFact(Record, forbid_unknown_fields=True):
    """A sentence between two entities, given by position. The quote comes first, on purpose: a model
    writes in this order, and what follows should rest on the words.

    *same_as*, *replaces*, *ends* and *corrects* are ids of facts that were shown; *stopped* alone
    says that something is over, whether or not it was shown.
    """

    quote: str | None
    sentence: str
    source: int
    target: int | None
    relation: str
    same_as: str | None
    replaces: list[str]
    ends: list[str]
    corrects: list[str]
    stopped: bool
    negated: bool
    mood: Mood
    valid_at: str | None
    invalid_at: str | None
    event_time: str | None
    slot: str | None
    attributes: list[AnswerAttribute]
    rating: float | None


class Answer(Record, forbid_unknown_fields=True):
    """Everything the model found in one episode."""

    entities: list[AnswerEntity]
    facts: list[AnswerFact]
