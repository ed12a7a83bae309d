"""Observations and summaries."""

from datetime import datetime

from recollect.compat.zep.wire.base import Json, Wire


class Observation(Wire):
    """A pattern over facts. `attributes` name the pattern and the facts it rests on.

    Only a search gives it a score.
    """

    uuid: str
    name: str
    summary: str
    labels: list[str]
    attributes: Json | None = None
    episode_ids: list[str]
    metadata: Json
    score: float | None = None
    relevance: float | None = None
    selection_rank: int | None = None
    created_at: datetime
    start_at: datetime | None = None
    latest_evidence_at: datetime | None = None
    end_at: datetime | None = None


class ThreadSummary(Wire):
    """What a thread was about, and how far it was read."""

    uuid: str
    thread_id: str
    summary: str
    metadata: Json
    created_at: datetime
    last_summarized_at: datetime
    last_summarized_episode_valid_at: datetime | None = None


class DocumentSummary(Wire):
    """What the episodes of a document are about."""

    uuid: str
    document_id: str
    summary: str
    metadata: Json
    created_at: datetime
    last_summarized_at: datetime
    last_summarized_episode_valid_at: datetime | None = None
