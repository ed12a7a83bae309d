"""Knowledge that a caller writes down directly, and copies of whole graphs.

Zep v2 says group where Zep v3 says graph; both speak to the same routes.
"""

from datetime import datetime

from recollect.compat.zep.wire.base import Json, Request, Wire
from recollect.compat.zep.wire.knowledge import Edge, Node


class AddFactTriple(Request):
    """POST graph/add-fact-triple."""

    fact: str
    fact_name: str
    fact_uuid: str | None = None
    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None
    source_node_name: str | None = None
    source_node_uuid: str | None = None
    source_node_summary: str | None = None
    source_node_labels: list[str] | None = None
    source_node_attributes: Json | None = None
    target_node_name: str | None = None
    target_node_uuid: str | None = None
    target_node_summary: str | None = None
    target_node_labels: list[str] | None = None
    target_node_attributes: Json | None = None
    edge_attributes: Json | None = None
    metadata: Json | None = None
    created_at: str | None = None
    valid_at: str | None = None
    invalid_at: str | None = None
    expired_at: str | None = None


class AddTripleAnswer(Wire):
    """What became of a triple; only the task while it is still waiting."""

    edge: Edge | None = None
    source_node: Node | None = None
    target_node: Node | None = None
    task_id: str | None = None


class AddNodeItem(Request):
    """One node to add."""

    name: str
    label: str | None = None
    summary: str | None = None
    attributes: Json | None = None
    metadata: Json | None = None
    created_at: str | None = None


class AddNodes(Request):
    """POST graph/nodes."""

    nodes: list[AddNodeItem]
    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None


class AddedNode(Wire):
    """A node as it was asked for, with its uuid once it is in the graph."""

    uuid: str | None = None
    name: str
    label: str | None = None
    summary: str | None = None
    attributes: Json | None = None
    metadata: Json | None = None
    created_at: datetime | None = None


class AddNodesAnswer(Wire):
    """The nodes in the order asked for, and the task that adds them."""

    nodes: list[AddedNode]
    task_id: str | None = None


class CloneGraph(Request):
    """POST graph/clone."""

    source_user_id: str | None = None
    source_graph_id: str | None = None
    source_group_id: str | None = None
    target_user_id: str | None = None
    target_graph_id: str | None = None
    target_group_id: str | None = None


class CloneAnswer(Wire):
    """Whose the copy is, by both words for a graph."""

    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None
    task_id: str | None = None
