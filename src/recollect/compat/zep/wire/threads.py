"""Users, their threads, and what Zep v2 asks about a session as a whole: a class, fields, facts, a
question.
"""

from datetime import datetime

import msgspec
from msgspec import UNSET, UnsetType

from recollect.compat.zep.wire.base import (
    Count,
    FactRatingInstruction,
    Json,
    PageNumber,
    Request,
    Wire,
)


class User(Wire):
    """A user as Zep v2 and v3 read it."""

    uuid: str
    user_id: str
    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    metadata: Json | None = None
    time_zone: str | None = None
    disable_default_ontology: bool | None = None
    fact_rating_instruction: Json | None = None
    session_count: int | None = None
    graph_uuid: str
    project_uuid: str
    created_at: datetime
    updated_at: datetime


class AddUser(Request):
    """POST users."""

    user_id: str
    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    metadata: Json | None = None
    time_zone: str | None = None
    disable_default_ontology: bool | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class UpdateUser(Request):
    """PATCH users/{user_id}; what is absent stays, a null clears."""

    email: str | UnsetType | None = UNSET
    first_name: str | UnsetType | None = UNSET
    last_name: str | UnsetType | None = UNSET
    metadata: Json | UnsetType | None = UNSET
    time_zone: str | UnsetType | None = UNSET
    disable_default_ontology: bool | UnsetType | None = UNSET
    fact_rating_instruction: FactRatingInstruction | UnsetType | None = UNSET


class UserList(Wire):
    """A page of users."""

    users: list[User]
    row_count: int
    total_count: int


class ListQuery(Request):
    """Pages as users and graphs spell them."""

    page_number: PageNumber = msgspec.field(name="pageNumber", default=1)
    page_size: PageNumber | None = msgspec.field(name="pageSize", default=None)
    search: str = ""
    order_by: str | None = None
    asc: bool = False


class Session(Wire):
    """A thread as Zep v2 reads it."""

    uuid: str
    session_id: str
    user_id: str
    metadata: Json | None = None
    classifications: dict[str, str] | None = None
    fact_rating_instruction: Json | None = None
    project_uuid: str
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None = None


class Thread(Wire):
    """A thread as Zep v3 reads it."""

    uuid: str
    thread_id: str
    user_id: str
    user_uuid: str
    graph_uuid: str
    project_uuid: str
    metadata: Json | None = None
    created_at: datetime
    updated_at: datetime


class AddSession(Request):
    """POST sessions."""

    session_id: str
    user_id: str
    metadata: Json | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class UpdateSession(Request):
    """PATCH sessions/{session_id}; metadata merges, a null value takes a key away."""

    metadata: Json | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class CreateThread(Request):
    """POST threads."""

    thread_id: str
    user_id: str


class ThreadsQuery(Request):
    """Pages as threads and sessions spell them. `search` is ours."""

    page_number: PageNumber = 1
    page_size: PageNumber | None = None
    search: str = ""
    order_by: str | None = None
    asc: bool = False


class SessionList(Wire):
    """A page of sessions."""

    sessions: list[Session]
    response_count: int
    total_count: int


class ThreadList(Wire):
    """A page of threads."""

    threads: list[Thread]
    response_count: int
    total_count: int


class EndSessions(Request):
    """POST sessions/end."""

    session_ids: list[str]
    instruction: str | None = None


class EndSessionsAnswer(Wire):
    """The sessions that ended."""

    sessions: list[Session]


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
