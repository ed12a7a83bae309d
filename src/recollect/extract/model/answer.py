"""The form of the model's answer. What its fields mean is told by the prompt of that version."""

from recollect.graph.found import EntityKind, Mood
from recollect.graph.types import Record

# No field has a default: strict endpoints want each of them, null where there is nothing.


class AnswerAttribute(Record, forbid_unknown_fields=True):
    """A field of a type. A list of pairs, because strict schemas know no free keys."""

    name: str
    value: str | int | float | bool | None


class AnswerEntity(Record, forbid_unknown_fields=True):
    """Someone or something."""

    name: str
    kind: EntityKind | None
    label: str | None
    aliases: list[str]
    attributes: list[AnswerAttribute]


class AnswerFact(Record, forbid_unknown_fields=True):
    """A sentence between two entities, given by position. The quote comes first, on purpose:
    a model writes in this order, and what follows should rest on the words."""

    quote: str | None
    source: int
    target: int | None
    relation: str
    sentence: str
    mood: Mood
    negated: bool
    ends: bool
    corrects: bool
    valid_at: str | None
    invalid_at: str | None
    slot: str | None
    attributes: list[AnswerAttribute]
    rating: float | None


class Answer(Record, forbid_unknown_fields=True):
    """Everything the model found in one episode."""

    entities: list[AnswerEntity]
    facts: list[AnswerFact]
