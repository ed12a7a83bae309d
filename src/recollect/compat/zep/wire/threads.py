"""Threads, which Zep v2 calls sessions."""

from datetime import datetime

from recollect.compat.zep.wire.base import FactRatingInstruction, Json, PageNumber, Request, Wire


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
