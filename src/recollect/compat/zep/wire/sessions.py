"""What Zep v2 asks about a session as a whole: a class, fields, facts, a question."""

from datetime import datetime

import msgspec

from recollect.compat.zep.wire.base import Count, Json, Request, Wire
from recollect.compat.zep.wire.threads import Session


class ClassifySession(Request):
    """POST sessions/{session_id}/classify; `name` is what the caller calls the question."""

    name: str
    classes: list[str]
    instruction: str | None = None
    last_n: Count | None = None
    persist: bool | None = None


class SessionClassification(Wire):
    """The class that fits best, under the name of the question."""

    class_: str = msgspec.field(name="class")
    label: str


class EndSession(Request):
    """POST sessions/{session_id}/end."""

    classify: ClassifySession | None = None
    instruction: str | None = None


class EndSessionAnswer(Wire):
    """The session that ended, and its class if one was asked for."""

    session: Session
    classification: SessionClassification | None = None


class ExtractData(Request):
    """POST sessions/{session_id}/extract; the schema is JSON in a string."""

    model_schema: str
    last_n: Count
    current_date_time: str | None = None
    validate: bool | None = None


class SessionFactsQuery(Request):
    """GET sessions/{session_id}/facts."""

    min_rating: float | None = msgspec.field(name="minRating", default=None)


class NewFact(Request):
    """A sentence to remember about the session's user."""

    fact: str


class AddSessionFacts(Request):
    """POST sessions/{session_id}/facts."""

    facts: list[NewFact]


class Summary(Wire):
    """What a session was about."""

    uuid: str
    content: str
    metadata: Json
    created_at: datetime
    related_message_uuids: list[str]


class SummaryList(Wire):
    """A session's summaries: one, or none while nothing was said."""

    summaries: list[Summary]
    row_count: int
    total_count: int


class QuestionQuery(Request):
    """GET sessions/{session_id}/synthesize_question."""

    last_n_messages: Count | None = msgspec.field(name="lastNMessages", default=None)


class Question(Wire):
    """The question that a conversation has come to."""

    question: str
