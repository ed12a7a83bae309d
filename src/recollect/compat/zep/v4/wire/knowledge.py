"""Nodes and edges, as they are and as callers write them down."""

from datetime import datetime
from typing import Literal

from msgspec import UNSET, UnsetType

from recollect.compat.zep.v4.wire.base import Json, Order, PageQuery4, Request, Wire
from recollect.compat.zep.v4.wire.filters import WalkFilters4
from recollect.compat.zep.v4.wire.tasks import Task4
from recollect.records.walking import Bound


class Node4(Wire):
    """Someone or something, with the episodes that mention it."""

    uuid: str
    graph_uuid: str
    user_uuid: str | None = None
    name: str
    summary: str
    labels: list[str]
    attributes: Json
    episode_uuids: list[str]
    episode_uuids_truncated: bool
    degree: int | None = None
    score: float | None = None
    relevance: float | None = None
    selection_rank: int | None = None
    created_at: datetime


class Edge4(Wire):
    """A fact that holds for a time, between two nodes."""

    uuid: str
    graph_uuid: str
    user_uuid: str | None = None
    name: str
    fact: str
    source_node_uuid: str
    source_node_name: str | None = None
    source_node_labels: list[str] | None = None
    target_node_uuid: str
    target_node_name: str | None = None
    target_node_labels: list[str] | None = None
    attributes: Json
    episode_uuids: list[str]
    score: float | None = None
    relevance: float | None = None
    selection_rank: int | None = None
    created_at: datetime
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    expired_at: datetime | None = None


class NodesQuery4(PageQuery4):
    """Which page of the nodes, in which order."""

    order_by: Literal["uuid", "created_at", "degree"] | None = None
    order: Order | None = None


class EdgesQuery4(PageQuery4):
    """Which page of the edges, in which order."""

    order_by: Literal["uuid", "created_at", "valid_at"] | None = None
    order: Order | None = None


class NeighborsQuery4(PageQuery4):
    """Which page of the neighbours, in which order."""

    order_by: Literal["uuid", "created_at"] | None = None
    order: Order | None = None


class UpdateNode4(Request):
    """PATCH graphs/{graph_uuid}/nodes/{node_uuid}: attributes merge, a null takes one away."""

    name: str | UnsetType = UNSET
    summary: str | UnsetType = UNSET
    attributes: Json | UnsetType = UNSET


class UpdateEdge4(Request):
    """PATCH graphs/{graph_uuid}/edges/{edge_uuid}: attributes merge, a null takes one away."""

    fact: str | UnsetType = UNSET
    attributes: Json | UnsetType = UNSET


class NodeInput4(Request):
    """A node to be found again or made."""

    name: str
    label: str | None = None
    summary: str | None = None
    attributes: Json | None = None
    metadata: Json | None = None


class AddNodes4(Request):
    """POST graphs/{graph_uuid}/nodes."""

    nodes: list[NodeInput4]


class AddedNode4(Wire):
    """A node as it was asked for, and which one it is, if that is known soon."""

    uuid: str | None = None
    name: str
    label: str | None = None
    summary: str | None = None
    attributes: Json | None = None
    metadata: Json | None = None
    created_at: datetime | None = None


class AddedNodes4(Wire):
    """The nodes as they were asked for, and the task of taking them in."""

    nodes: list[AddedNode4]
    task: Task4


class EdgeNodeRef4(Request, omit_defaults=True):
    """An end of an edge: a node by its uuid, or one to be found again or made by its name."""

    uuid: str | None = None
    name: str | None = None
    labels: list[str] | None = None
    summary: str | None = None
    attributes: Json | None = None


class EdgeInput4(Request):
    """A fact between two nodes. `expires_at` is ours: when it expires."""

    fact: str
    fact_name: str
    source_node: EdgeNodeRef4
    target_node: EdgeNodeRef4
    attributes: Json | None = None
    metadata: Json | None = None
    valid_at: str | None = None
    invalid_at: str | None = None
    expired_at: str | None = None
    expires_at: str | None = None


class AddEdges4(Request):
    """POST graphs/{graph_uuid}/edges."""

    edges: list[EdgeInput4]
    deduplicate: bool | None = None


class AddedEdge4(Wire):
    """An edge as it was asked for. One that says nothing new is the one that said so before, whose
    uuid is told if that is known soon."""

    uuid: str
    fact: str
    fact_name: str
    source_node: EdgeNodeRef4
    source_node_uuid: str | None = None
    target_node: EdgeNodeRef4
    target_node_uuid: str | None = None
    attributes: Json | None = None
    metadata: Json | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    expired_at: datetime | None = None


class AddedEdges4(Wire):
    """The edges as they were asked for, and the task of taking them in."""

    edges: list[AddedEdge4]
    task: Task4


class Neighbors4(Request):
    """POST graphs/{graph_uuid}/nodes/{node_uuid}/neighbors."""

    direction: Literal["in", "out", "both"] | None = None
    filters: WalkFilters4 | None = None


class Neighbor4(Wire):
    """A node, and the edges that join it with the one asked about."""

    node: Node4
    edges: list[Edge4]


class SubgraphRequest4(Request):
    """POST graphs/{graph_uuid}/subgraph."""

    seed_node_uuids: list[str]
    depth: int | None = None
    direction: Literal["in", "out", "both"] | None = None
    filters: WalkFilters4 | None = None
    max_edges: int | None = None
    max_nodes: int | None = None


class Subgraph4(Wire):
    """What lies around some nodes."""

    nodes: list[Node4]
    edges: list[Edge4]
    truncated: bool
    truncation_reason: Bound | None = None
