"""Content policies and hyperedges, of which this server has none: their shapes, so that it can say so."""

from datetime import datetime
from typing import Literal

from recollect.compat.zep.v4.wire.base import Json, Request, Wire
from recollect.compat.zep.v4.wire.knowledge import EdgeNodeRef4
from recollect.compat.zep.wire.base import Strict


class ContentPolicyCategoryRequest4(Request):
    """A kind of content."""

    key: str | None = None
    description: str | None = None


class ContentPolicyRuleRequest4(Request):
    """What is not to be kept of a kind of content."""

    category_key: str | None = None
    description: str | None = None
    permitted_examples: list[str] | None = None
    prohibited_examples: list[str] | None = None


class ContentPolicyRequest4(Request):
    """PUT project/content-policy."""

    categories: list[ContentPolicyCategoryRequest4] | None = None
    rules: list[ContentPolicyRuleRequest4] | None = None


class GraphContentPolicyRequest4(ContentPolicyRequest4):
    """A content policy for a new graph."""

    project_revision: int | None = None


class ContentPolicyCategory4(Wire):
    """A kind of content."""

    id: str
    key: str
    description: str


class ContentPolicyRule4(Wire):
    """What is not kept of a kind of content."""

    id: str
    category_key: str
    description: str
    permitted_examples: list[str]
    prohibited_examples: list[str]


class ContentPolicy4(Wire):
    """The content policy of a project."""

    revision: int
    categories: list[ContentPolicyCategory4]
    rules: list[ContentPolicyRule4]


class GraphContentPolicy4(ContentPolicy4):
    """The content policy that a graph is bound to."""

    project_revision: int


class ContentPolicyEventFilters4(Request):
    """Which decisions to list."""

    episode_uuid: str | None = None
    drop_reason: Literal["match", "indeterminate", "oversize", "dependent"] | None = None


class ContentPolicyEvents4(Request):
    """POST graphs/{graph_uuid}/content-policy/events/list."""

    filters: ContentPolicyEventFilters4 | None = None


class ContentPolicyEvent4(Wire):
    """Something that a content policy kept out."""

    id: str
    episode_uuid: str
    revision: int
    drop_reason: Literal["match", "indeterminate", "oversize", "dependent"]
    category_keys: list[str]
    rule_ids: list[str]
    decided_at: datetime


class HyperedgeEdge4(Wire):
    """One of the edges of a hyperedge."""

    uuid: str
    name: str
    source_node_uuid: str
    target_node_uuid: str


class Hyperedge4(Wire):
    """A fact over several edges."""

    uuid: str
    fact: str
    edges: list[HyperedgeEdge4]
    created_at: datetime


class HyperedgeInput4(Request):
    """An edge of a hyperedge."""

    name: str
    source_node: EdgeNodeRef4
    target_node: EdgeNodeRef4


class AddHyperedge4(Request):
    """POST graphs/{graph_uuid}/hyperedges."""

    fact: str
    edges: list[HyperedgeInput4]
    attributes: Json | None = None
    metadata: Json | None = None
    valid_at: str | None = None
    invalid_at: str | None = None
    expired_at: str | None = None


class UpdateHyperedge4(Request):
    """PATCH graphs/{graph_uuid}/hyperedges/{hyperedge_uuid}."""

    fact: str | None = None


class HyperedgeFilters4(Strict):
    """What lists of hyperedges are narrowed by."""

    edge_uuids: list[str] | None = None
    episode_uuids: list[str] | None = None
    node_uuids: list[str] | None = None


class ListHyperedges4(Request):
    """POST graphs/{graph_uuid}/hyperedges/list."""

    filters: HyperedgeFilters4 | None = None
