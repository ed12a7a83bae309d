"""Hyperedges, of which this server has none: their shapes, so that it can say so."""

from datetime import datetime

from recollect.compat.zep.v4.wire.base import Json, Request, Wire
from recollect.compat.zep.v4.wire.knowledge import EdgeNodeRef4
from recollect.compat.zep.wire.filters import Strict


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
