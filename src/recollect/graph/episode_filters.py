"""Conditions on single episodes: who they are by and for, when they happened, their metadata."""

from datetime import datetime
from typing import Literal

from recollect.graph.types import Record

Field = Literal[
    "uid",
    "producer_id",
    "producer_role",
    "produced_for_id",
    "episode_type",
    "created_at",
    "metadata",
]
Comparison = Literal["=", "<>", ">", "<", ">=", "<=", "IN", "IS NULL"]
Literals = str | int | float | bool | datetime


class EpisodeTest(Record):
    """One field of an episode compared with what is given; *key* names one of its metadata.

    `IN` takes any of several values. The value says how what is stored is read: a number compares
    with stored numbers and with texts that are numbers, a text with texts, and so on.
    """

    field: Field
    comparison: Comparison
    key: str = ""
    value: Literals | tuple[Literals, ...] | None = None


class EpisodeTree(Record):
    """Tests joined by `and` or `or`; `not` holds when none of its parts does."""

    joined_by: Literal["and", "or", "not"]
    tests: tuple[EpisodeTest, ...] = ()
    trees: tuple["EpisodeTree", ...] = ()
