"""Users."""

from datetime import datetime

import msgspec
from msgspec import UNSET, UnsetType

from recollect.compat.zep.wire.base import FactRatingInstruction, Json, PageNumber, Request, Wire


class User(Wire):
    """A user as Zep v2 and v3 read it."""

    uuid: str
    user_id: str
    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    metadata: Json | None = None
    time_zone: str | None = None
    disable_default_ontology: bool | None = None
    fact_rating_instruction: Json | None = None
    session_count: int | None = None
    graph_uuid: str
    project_uuid: str
    created_at: datetime
    updated_at: datetime


class AddUser(Request):
    """POST users."""

    user_id: str
    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    metadata: Json | None = None
    time_zone: str | None = None
    disable_default_ontology: bool | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class UpdateUser(Request):
    """PATCH users/{user_id}; what is absent stays, a null clears."""

    email: str | UnsetType | None = UNSET
    first_name: str | UnsetType | None = UNSET
    last_name: str | UnsetType | None = UNSET
    metadata: Json | UnsetType | None = UNSET
    time_zone: str | UnsetType | None = UNSET
    disable_default_ontology: bool | UnsetType | None = UNSET
    fact_rating_instruction: FactRatingInstruction | UnsetType | None = UNSET


class UserList(Wire):
    """A page of users."""

    users: list[User]
    row_count: int
    total_count: int


class ListQuery(Request):
    """Pages as users and graphs spell them."""

    page_number: PageNumber = msgspec.field(name="pageNumber", default=1)
    page_size: PageNumber | None = msgspec.field(name="pageSize", default=None)
    search: str = ""
    order_by: str | None = None
    asc: bool = False
