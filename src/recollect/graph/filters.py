"""What a search or a list is narrowed by. Empty means everything; what is given holds together."""

from datetime import datetime
from typing import Literal

from recollect.graph.episode_filters import EpisodeTree
from recollect.graph.types import Record

Operator = Literal["=", "<>", ">", "<", ">=", "<=", "IS NULL", "IS NOT NULL", "CONTAINS"]
Scalar = str | int | float | bool


class DateTest(Record):
    """A moment compared with a given one, or asked for whether there is one."""

    operator: Operator
    moment: datetime | None = None


class ValueTest(Record):
    """A named value compared with a given one; `CONTAINS` takes any of several."""

    name: str
    operator: Operator
    value: Scalar | tuple[Scalar, ...] | None = None


class MetadataTree(Record):
    """Tests of one episode's metadata, joined by `and` or `or`, with trees inside."""

    joined_by: Literal["and", "or"]
    tests: tuple[ValueTest, ...] = ()
    trees: tuple["MetadataTree", ...] = ()


Dates = tuple[tuple[DateTest, ...], ...]  # any of these, each of which is all of those


class Filters(Record):
    """Every way to narrow. A uuid list that is None does not narrow; an empty one lets none by."""

    node_labels: tuple[str, ...] = ()
    exclude_node_labels: tuple[str, ...] = ()
    edge_types: tuple[str, ...] = ()
    exclude_edge_types: tuple[str, ...] = ()
    created_at: Dates = ()
    valid_at: Dates = ()
    invalid_at: Dates = ()
    expired_at: Dates = ()
    properties: tuple[ValueTest, ...] = ()
    edge_uuids: tuple[str, ...] | None = None
    episode_uuids: tuple[str, ...] | None = None
    source_node_uuids: tuple[str, ...] | None = None
    target_node_uuids: tuple[str, ...] | None = None
    connected_node_uuids: tuple[str, ...] | None = None
    episode_metadata: MetadataTree | None = None
    episodes: EpisodeTree | None = None  # at least one episode behind it satisfies the whole tree
    recallable_only: bool = False  # of episodes: without those kept for the semantic memory alone
    rating_min: float | None = None
    # As of both clocks: what was true then, and what was known then. Facts only.
    valid_on: datetime | None = None
    known_on: datetime | None = None


NO_FILTERS = Filters()
