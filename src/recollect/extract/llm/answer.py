"""The shape of a model's answer. What its fields mean is explained in the prompt of that version."""

from recollect.graph.found import EntityKind, Mood
from recollect.graph.types import Record

# No field has a default: strict endpoints require all of them, null where there is nothing.


class AnswerAttribute(Record, forbid_unknown_fields=True):
    """A field of a type. Fields come as a list of pairs, because strict schemas allow no free keys."""

    name: str
    value: str | int | float | bool | None


class AnswerEntity(Record, forbid_unknown_fields=True):
    """Someone or something. *known_id* is the id of an entity that was shown."""

    name: str
    known_id: str | None
    rename_to: str | None
    kind: EntityKind | None
    label: str | None
    aliases: list[str]
    attributes: list[AnswerAttribute]


class AnswerFact(Record, forbid_unknown_fields=True):
    """A sentence about two entities, given by position. The quote comes first because a model writes
    in this order, and the rest should follow from the quoted words.

    *same_as*, *replaces*, *ends* and *corrects* are ids of facts that were shown; *stopped* says
    that something is over, whether or not it was shown.
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
    """All that the model found in one episode."""

    entities: list[AnswerEntity]
    facts: list[AnswerFact]
