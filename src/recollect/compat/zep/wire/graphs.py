"""Standalone graphs, which Zep v2 calls groups."""

from datetime import datetime

from msgspec import UNSET, UnsetType

from recollect.compat.zep.wire.base import FactRatingInstruction, Json, Request, Wire


class Graph(Wire):
    """A standalone graph as Zep v3 reads it."""

    uuid: str
    graph_id: str
    name: str | None = None
    description: str | None = None
    time_zone: str | None = None
    canonical_graph_uuid: str | None = None
    project_uuid: str
    created_at: datetime
    updated_at: datetime


class Group(Wire):
    """A standalone graph as Zep v2 reads it."""

    uuid: str
    group_id: str
    name: str | None = None
    description: str | None = None
    fact_rating_instruction: Json | None = None
    project_uuid: str
    created_at: datetime


class CreateGraph(Request):
    """POST graph/create."""

    graph_id: str
    name: str | None = None
    description: str | None = None
    time_zone: str | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class AddGroup(Request):
    """POST groups."""

    group_id: str
    name: str | None = None
    description: str | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class UpdateGraph(Request):
    """PATCH of a graph or group; what is absent stays, a null clears."""

    name: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET
    time_zone: str | UnsetType | None = UNSET
    fact_rating_instruction: FactRatingInstruction | UnsetType | None = UNSET


class GraphList(Wire):
    """A page of graphs."""

    graphs: list[Graph]
    page_number: int
    page_size: int
    row_count: int
    total_count: int


class GroupList(Wire):
    """A page of groups."""

    groups: list[Group]
    row_count: int
    total_count: int
