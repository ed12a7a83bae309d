"""What may cease to be known at a time that is said beforehand."""

from datetime import datetime
from typing import Literal

from recollect.graph.types import GraphKind, Json, Record

ExpiringKind = Literal["episode", "fact"]


class Expired(Record):
    """Something that is not known any more, and what it was, for the operator."""

    uuid: str
    kind: ExpiringKind
    graph_kind: GraphKind
    graph: str
    expires_at: datetime
    hidden_at: datetime
    told: Json
