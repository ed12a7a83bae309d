"""Graphs, episodes, what was read out of them and what is derived from them."""

from datetime import datetime
from typing import Literal

from msgspec import UNSET, UnsetType

from recollect.compat.zep.v4.wire.base import (
    DataType4,
    Json,
    Order,
    PageQuery4,
    Request,
    Role4,
    Wire,
)
from recollect.compat.zep.v4.wire.tasks import Task4
from recollect.compat.zep.v4.wire.unsupported import GraphContentPolicyRequest4


class Graph4(Wire):
    """A graph: a user's own, or a standalone one."""

    uuid: str
    graph_id: str | None = None
    type: Literal["user", "standard"]
    user_uuid: str | None = None
    name: str | None = None
    description: str | None = None
    time_zone: str | None = None
    created_at: datetime
    updated_at: datetime


class CreateGraph4(Request):
    """POST graphs."""

    name: str | None = None
    description: str | None = None
    time_zone: str | None = None
    content_policy: GraphContentPolicyRequest4 | None = None


class UpdateGraph4(Request):
    """PATCH graphs/{graph_uuid}: what is left out stays, a null clears."""

    name: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET
    time_zone: str | UnsetType | None = UNSET


class GraphsQuery4(PageQuery4):
    """Which page of the graphs, in which order."""

    order_by: Literal["created_at", "name", "uuid"] | None = None
    order: Order | None = None


class CloneGraph4(Request):
    """POST graphs/{graph_uuid}/clone: nothing to say, all of it is copied."""


class CloneAnswer4(Wire):
    """The copy, and the task of reading what has to be read for it."""

    graph: Graph4
    task: Task4


class Episode4(Wire):
    """An episode: a message, a text or a piece of JSON as it came."""

    uuid: str
    graph_uuid: str
    user_uuid: str | None = None
    thread_uuid: str | None = None
    document_id: str | None = None
    content: str
    source: Literal["text", "json", "message", "fact_triple"]
    source_description: str | None = None
    role: Role4 | None = None
    role_name: str | None = None
    metadata: Json | None = None
    processed: bool
    score: float | None = None
    relevance: float | None = None
    selection_rank: int | None = None
    reference_time: datetime
    created_at: datetime


class AddEpisode4(Request):
    """POST graphs/{graph_uuid}/episodes. `expires_at` is ours: when it expires."""

    data: str
    type: DataType4 | None = None
    document_id: str | None = None
    metadata: Json | None = None
    reference_time: str | None = None
    expires_at: str | None = None
    source_description: str | None = None
    strict_ontology: bool | None = None


class AddedEpisode4(Wire):
    """The episode as it was stored, and the task of reading it."""

    episode: Episode4
    task: Task4


class EpisodesQuery4(PageQuery4):
    """Which page of the episodes, in which order."""

    order_by: Literal["created_at", "uuid"] | None = None
    order: Order | None = None


class DerivedQuery4(PageQuery4):
    """Which page of observations or summaries, in which order."""

    order_by: Literal["uuid", "created_at"] | None = None
    order: Order | None = None


class Observation4(Wire):
    """A pattern that recurs over facts."""

    uuid: str
    graph_uuid: str
    user_uuid: str | None = None
    name: str
    summary: str
    labels: list[str]
    attributes: Json | None = None
    episode_uuids: list[str]
    score: float | None = None
    relevance: float | None = None
    selection_rank: int | None = None
    created_at: datetime


class ThreadSummary4(Wire):
    """What a thread was about."""

    uuid: str
    graph_uuid: str
    thread_uuid: str | None = None
    summary: str
    score: float | None = None
    relevance: float | None = None
    selection_rank: int | None = None
    created_at: datetime
    last_summarized_at: datetime | None = None
    last_summarized_episode_valid_at: datetime | None = None


class DocumentSummary4(Wire):
    """What a document is about."""

    uuid: str
    document_id: str
    summary: str
    created_at: datetime
    last_summarized_at: datetime | None = None
    last_summarized_episode_valid_at: datetime | None = None


class DebugLogEntry4(Wire):
    """A line about how an episode was read."""

    level: Literal["debug", "info", "warning", "error"]
    message: str
    logged_at: datetime


class DebugLog4(Wire):
    """How the reading of an episode went."""

    status: Literal["running", "completed", "error"]
    entries: list[DebugLogEntry4]
    error: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None


class DebugLogging4(Wire):
    """For how long details of readings are kept: always, here."""

    duration_seconds: int
    ingestion_trace_enabled: bool


class IngestionNode4(Wire):
    """A node as an episode names it."""

    name: str
    labels: list[str]
    summary: str | None = None
    attributes: Json | None = None


class IngestionEdge4(Wire):
    """A fact as an episode states it."""

    name: str
    fact: str
    attributes: Json | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    expired_at: datetime | None = None


class IngestionInput4(Wire):
    """What was read."""

    episode_content: str


class IngestionOutput4(Wire):
    """What was found."""

    extracted_nodes: list[IngestionNode4]
    extracted_edges: list[IngestionEdge4]


class IngestionTrace4(Wire):
    """One step of reading an episode."""

    uuid: str
    step: Literal["combined_extraction"]
    status: Literal["recorded"]
    input: IngestionInput4
    output: IngestionOutput4
    created_at: datetime
