"""Filters of searches, lists and walks. Unknown fields are refused: a filter that is not understood
must not be passed over."""

from typing import Any, Literal

from recollect.compat.zep.v4.wire.base import Request
from recollect.compat.zep.wire.base import Strict

DateField4 = Literal["created_at", "valid_at", "invalid_at", "expired_at"]
Operator4 = Literal[
    "eq", "ne", "gt", "lt", "gte", "lte", "in", "contains", "starts_with", "is_null", "is_not_null"
]


class DateFilter4(Strict):
    """A test of one time; the null tests take no value."""

    field: DateField4
    operator: Literal["eq", "ne", "gt", "lt", "gte", "lte", "is_null", "is_not_null"]
    value: str | None = None


class DateFilterGroup4(Strict):
    """Tests that all have to hold."""

    all_of: list[DateFilter4]


class DateFilters4(Strict):
    """Groups of tests, one of which has to hold."""

    any_of: list[DateFilterGroup4]


class ValueFilter4(Strict):
    """A test of one named value; the null tests take no value."""

    property_name: str
    operator: Operator4
    value: Any = None


class MetadataFilterGroup4(Strict):
    """Tests of an episode's metadata, joined by `and` or `or`, with groups inside."""

    type: Literal["and", "or"] = "and"
    filters: list[ValueFilter4] | None = None
    groups: list["MetadataFilterGroup4"] | None = None


class EpisodeFilters4(Strict):
    """What episodes are narrowed by."""

    metadata_filters: MetadataFilterGroup4 | None = None
    content_policy_violated: bool | None = None


class EpisodeListFilters4(EpisodeFilters4):
    """What lists of episodes are narrowed by."""

    mentioned_node_uuids: list[str] | None = None


class SummaryFilters4(Strict):
    """What lists of summaries are narrowed by."""

    date_filters: DateFilters4 | None = None
    metadata_filters: MetadataFilterGroup4 | None = None
    property_filters: list[ValueFilter4] | None = None


class ThreadSummarySearchFilters4(Strict):
    """What searches of thread summaries are narrowed by."""

    metadata_filters: MetadataFilterGroup4 | None = None


class ObservationFilters4(Strict):
    """What observations are narrowed by."""

    date_filters: DateFilters4 | None = None
    property_filters: list[ValueFilter4] | None = None


class NodeSearchFilters4(Strict):
    """What searches of nodes are narrowed by."""

    episode_uuids: list[str] | None = None
    exclude_node_labels: list[str] | None = None
    node_labels: list[str] | None = None
    metadata_filters: MetadataFilterGroup4 | None = None
    property_filters: list[ValueFilter4] | None = None


class EdgeSearchFilters4(Strict):
    """What searches of edges are narrowed by."""

    connected_node_uuids: list[str] | None = None
    source_node_uuids: list[str] | None = None
    target_node_uuids: list[str] | None = None
    edge_uuids: list[str] | None = None
    episode_uuids: list[str] | None = None
    edge_types: list[str] | None = None
    exclude_edge_types: list[str] | None = None
    date_filters: DateFilters4 | None = None
    metadata_filters: MetadataFilterGroup4 | None = None
    property_filters: list[ValueFilter4] | None = None


class WalkFilters4(EdgeSearchFilters4):
    """What lists of nodes and edges, walks and contexts are narrowed by."""

    node_labels: list[str] | None = None
    exclude_node_labels: list[str] | None = None
    content_policy_violated: bool | None = None


AnyFilters4 = (
    EpisodeFilters4
    | SummaryFilters4
    | ThreadSummarySearchFilters4
    | ObservationFilters4
    | NodeSearchFilters4
    | EdgeSearchFilters4
)


class ListKnowledge4(Request):
    """Nodes or edges to be listed."""

    filters: WalkFilters4 | None = None


class ListEpisodes4(Request):
    """POST graphs/{graph_uuid}/episodes/list."""

    filters: EpisodeListFilters4 | None = None


class ListObservations4(Request):
    """POST graphs/{graph_uuid}/observations/list."""

    filters: ObservationFilters4 | None = None


class ListSummaries4(Request):
    """Summaries of threads or documents to be listed."""

    filters: SummaryFilters4 | None = None
