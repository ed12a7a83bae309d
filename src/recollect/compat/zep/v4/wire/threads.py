"""Users, what is looked up by ids that callers chose, threads and their messages."""

from datetime import datetime
from typing import Literal

from msgspec import UNSET, UnsetType

from recollect.compat.zep.v4.wire.base import Json, Order, PageQuery4, Request, Role4, Wire
from recollect.compat.zep.v4.wire.tasks import Task4
from recollect.compat.zep.v4.wire.unsupported import GraphContentPolicyRequest4


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


class Thread4(Wire):
    """A conversation of a user."""

    uuid: str
    thread_id: str
    user_uuid: str
    graph_uuid: str
    created_at: datetime
    updated_at: datetime


class CreateThread4(Request):
    """POST threads."""

    user_uuid: str


class ThreadsQuery4(PageQuery4):
    """Which page of the threads, of whom, in which order."""

    order_by: Literal["created_at", "updated_at", "uuid"] | None = None
    order: Order | None = None
    user_uuid: str | None = None


class Message4(Wire):
    """A message of a thread."""

    uuid: str
    thread_uuid: str
    content: str
    role: Role4 | None = None
    name: str | None = None
    metadata: Json | None = None
    processed: bool
    reference_time: datetime
    created_at: datetime


class AddMessage4(Request):
    """A new message. `expires_at` is ours: when it expires."""

    content: str
    role: Role4
    name: str | None = None
    metadata: Json | None = None
    reference_time: str | None = None
    expires_at: str | None = None
    uuid: str | None = None


class AddMessages4(Request):
    """POST threads/{thread_uuid}/messages."""

    messages: list[AddMessage4]
    ignore_roles: list[Role4] | None = None
    return_context: bool | None = None
    strict_ontology: bool | None = None


class AddedMessages4(Wire):
    """The messages as they were stored, and the task of reading them."""

    messages: list[Message4]
    task: Task4 | None = None
    context: str | None = None


class MessagesQuery4(PageQuery4):
    """Which page of the messages, from which end."""

    order_by: Literal["created_at"] | None = None
    order: Order | None = None


class UpdateMetadata4(Request):
    """Metadata to be merged into what is there; a null takes a name away."""

    metadata: Json


class ContextQuery4(Request):
    """What to fill in for a context; without a template, the usual block."""

    template_uuid: str | None = None


class ThreadContext4(Wire):
    """A context block, ready for a prompt."""

    context: str
