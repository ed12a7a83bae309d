"""Nodes, edges, observations and summaries."""

from datetime import datetime

from msgspec import UNSET, UnsetType

from recollect.compat.zep.wire.base import Json, Request, Wire


class Node(Wire):
    """An entity; `degree` in lists by degree only, `episodes` where it was looked up.

    As on everything derived, `metadata` is what its episodes say together: a list for each key.
    `graph_id` is the uuid of its graph, as the guide prints it; a user has it as `graph_uuid`.
    """

    uuid: str
    name: str
    summary: str
    labels: list[str]
    attributes: Json | None = None
    episodes: list[str] | None = None
    episodes_truncated: bool | None = None
    degree: int | None = None
    metadata: Json
    score: float | None = None
    relevance: float | None = None
    selection_rank: int | None = None
    graph_id: str | None = None
    created_at: datetime


class NodeAnswer(Wire):
    """A user's own node."""

    node: Node


class Edge(Wire):
    """A fact with its two clocks and its episodes; `graph_id` is the uuid of its graph."""

    uuid: str
    name: str
    fact: str
    source_node_uuid: str
    source_node_name: str | None = None
    source_node_labels: list[str] | None = None
    target_node_uuid: str
    target_node_name: str | None = None
    target_node_labels: list[str] | None = None
    attributes: Json | None = None
    rating: float | None = None
    episodes: list[str]
    metadata: Json
    score: float | None = None
    relevance: float | None = None
    selection_rank: int | None = None
    graph_id: str | None = None
    created_at: datetime
    expired_at: datetime | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None


class Mentions(Wire):
    """What came out of an episode."""

    nodes: list[Node]
    edges: list[Edge]


class Fact2(Wire):
    """A fact as the older routes of Zep v2 read it."""

    uuid: str
    fact: str
    content: str
    name: str | None = None
    rating: float | None = None
    source_node_name: str | None = None
    target_node_name: str | None = None
    metadata: Json
    created_at: datetime
    expired_at: datetime | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None


class FactAnswer(Wire):
    """One fact."""

    fact: Fact2


class FactsAnswer(Wire):
    """Several facts."""

    facts: list[Fact2]


class UpdateNode(Request):
    """PATCH graph/node/{uuid}; attributes merge."""

    name: str | UnsetType | None = UNSET
    summary: str | UnsetType | None = UNSET
    labels: list[str] | UnsetType | None = UNSET
    attributes: Json | UnsetType | None = UNSET


class UpdateEdge(Request):
    """PATCH graph/edge/{uuid}; attributes merge."""

    name: str | UnsetType | None = UNSET
    fact: str | UnsetType | None = UNSET
    attributes: Json | UnsetType | None = UNSET
    expired_at: str | UnsetType | None = UNSET
    valid_at: str | UnsetType | None = UNSET
    invalid_at: str | UnsetType | None = UNSET


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
