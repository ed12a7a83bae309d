"""Messages, and the context they give."""

from datetime import datetime

import msgspec

from recollect.compat.zep.wire.base import Count, Json, Request, RoleType, Wire
from recollect.compat.zep.wire.knowledge import Fact2
from recollect.compat.zep.wire.threads import Summary


class Message2(Wire):
    """A message as Zep v2 reads it: `role` is who, `role_type` is what."""

    uuid: str
    content: str
    role: str | None = None
    role_type: RoleType
    metadata: Json | None = None
    processed: bool | None = None
    created_at: datetime
    updated_at: datetime


class Message3(Wire):
    """A message as Zep v3 reads it: `name` is who, `role` is what."""

    uuid: str
    content: str
    name: str | None = None
    role: RoleType
    metadata: Json | None = None
    processed: bool | None = None
    created_at: datetime


class NewMessage2(Request):
    """A message as Zep v2 sends it. `expires_at` is ours: when it expires."""

    content: str
    role_type: RoleType
    role: str | None = None
    metadata: Json | None = None
    created_at: str | None = None
    expires_at: str | None = None


class NewMessage3(Request):
    """A message as Zep v3 sends it. `expires_at` is ours: when it expires."""

    content: str
    role: RoleType
    name: str | None = None
    metadata: Json | None = None
    created_at: str | None = None
    expires_at: str | None = None


class AddMemory(Request):
    """POST sessions/{session_id}/memory."""

    messages: list[NewMessage2]
    ignore_roles: list[RoleType] | None = None
    return_context: bool | None = None


class AddMessages(Request):
    """POST threads/{thread_id}/messages."""

    messages: list[NewMessage3]
    ignore_roles: list[RoleType] | None = None
    return_context: bool | None = None
    strict_ontology: bool | None = None


class AddMemoryAnswer(Wire):
    """What Zep v2 hears of added messages."""

    context: str | None = None


class AddMessagesAnswer(Wire):
    """What Zep v3 hears of added messages."""

    message_uuids: list[str]
    task_id: str | None = None
    context: str | None = None


class MemoryQuery(Request):
    """GET sessions/{session_id}/memory."""

    lastn: Count | None = None
    min_rating: float | None = msgspec.field(name="minRating", default=None)


class MessagesQuery(Request):
    """GET …/messages; `cursor` counts the messages already seen, `lastn` wins over both."""

    limit: Count | None = None
    cursor: Count | None = None
    lastn: Count | None = None


class MessageList2(Wire):
    """A page of messages, Zep v2."""

    messages: list[Message2]
    row_count: int
    total_count: int


class MessageList3(Wire):
    """A page of messages, Zep v3."""

    messages: list[Message3]
    row_count: int
    total_count: int
    thread_created_at: datetime
    user_id: str
    user_uuid: str


class UpdateMetadata(Request):
    """PATCH of a message or an episode: a merge, a null value takes a key away."""

    metadata: Json


class Memory(Wire):
    """What Zep v2 reads before a turn: context, facts, newest messages."""

    context: str
    messages: list[Message2]
    facts: list[str]
    relevant_facts: list[Fact2]
    summary: Summary | None = None
    metadata: Json | None = None


class ContextQuery(Request):
    """GET threads/{thread_id}/context."""

    template_id: str | None = None
    mode: str | None = None
    min_rating: float | None = msgspec.field(name="minRating", default=None)
    max_characters: int | None = None
    sections: str | None = None


class ContextAnswer(Wire):
    """The context block."""

    context: str
