"""Users, and what is looked up by ids that callers chose."""

from datetime import datetime
from typing import Literal

from msgspec import UNSET, UnsetType

from recollect.compat.zep.v4.wire.base import Json, Order, PageQuery4, Request, Wire
from recollect.compat.zep.v4.wire.content_policy import GraphContentPolicyRequest4


class User4(Wire):
    """A user. `user_id` is the caller's id, or the uuid where the caller gave none."""

    uuid: str
    user_id: str
    graph_uuid: str
    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    metadata: Json | None = None
    time_zone: str | None = None
    disable_default_ontology: bool
    created_at: datetime


class CreateUser4(Request):
    """POST users."""

    user_id: str | None = None
    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    metadata: Json | None = None
    time_zone: str | None = None
    disable_default_ontology: bool | None = None
    content_policy: GraphContentPolicyRequest4 | None = None


class UpdateUser4(Request):
    """PATCH users/{user_uuid}: what is left out stays, a null clears."""

    email: str | UnsetType | None = UNSET
    first_name: str | UnsetType | None = UNSET
    last_name: str | UnsetType | None = UNSET
    metadata: Json | UnsetType | None = UNSET
    time_zone: str | UnsetType | None = UNSET
    disable_default_ontology: bool | UnsetType | None = UNSET


class UsersQuery4(PageQuery4):
    """Which page of the users, in which order."""

    order_by: Literal["created_at", "user_id", "email", "uuid"] | None = None
    order: Order | None = None


class Lookup4(Request):
    """One id that a caller chose: of a user, a thread or a graph."""

    user_id: str | None = None
    thread_id: str | None = None
    graph_id: str | None = None


class LookupBatch4(Request):
    """POST lookup: ids that callers chose, by kind."""

    users: list[str] | None = None
    threads: list[str] | None = None
    graphs: list[str] | None = None


class LookupItem4(Wire):
    """What one id stands for."""

    resource_type: Literal["user", "thread", "graph"]
    legacy_id: str
    found: bool
    uuid: str | None = None


class LookupAnswer4(Wire):
    """What several ids stand for, in the order asked, users first and graphs last."""

    items: list[LookupItem4]
