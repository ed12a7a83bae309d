"""Searching sessions, as clients of Zep v2 ask and read it."""

from recollect.compat.zep.wire.base import Count, Json, Request, Wire
from recollect.compat.zep.wire.knowledge import Fact2
from recollect.compat.zep.wire.messages import Message2
from recollect.compat.zep.wire.sessions import Summary


class SearchSession(Request):
    """POST sessions/{session_id}/search."""

    text: str | None = None
    metadata: Json | None = None
    min_fact_rating: float | None = None
    min_score: float | None = None
    mmr_lambda: float | None = None
    search_scope: str | None = None
    search_type: str | None = None


class SearchSessions(Request):
    """POST sessions/search; some sessions, those of a user, or both."""

    text: str
    user_id: str | None = None
    session_ids: list[str] | None = None
    record_filter: Json | None = None
    min_fact_rating: float | None = None
    min_score: float | None = None
    mmr_lambda: float | None = None
    search_scope: str | None = None
    search_type: str | None = None


class SearchLimit(Request):
    """How many hits a search may answer."""

    limit: Count | None = None


class SessionHit(Wire):
    """A hit among sessions. A fact that no session told has none."""

    session_id: str | None = None
    score: float
    message: Message2 | None = None
    fact: Fact2 | None = None
    summary: Summary | None = None


class SessionHits(Wire):
    """What a search over sessions found."""

    results: list[SessionHit]


class MemoryHit(Wire):
    """A hit in one session. For a fact, the message is the newest one that states it."""

    score: float
    message: Message2 | None = None
    fact: Fact2 | None = None
    summary: Summary | None = None
    metadata: Json | None = None
