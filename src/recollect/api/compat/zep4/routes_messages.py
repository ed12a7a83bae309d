"""The messages of a thread: adding them and reading them back."""

import msgspec

from recollect.api import once
from recollect.api.compat.zep import routes_context, routes_messages
from recollect.api.compat.zep4 import answers, paging, show
from recollect.api.compat.zep4.wire import threads as wire
from recollect.api.compat.zep4.wire.base import Page4
from recollect.api.http import Reply
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import Access, NewEpisode
from recollect.ingest import intake
from recollect.limits import INTEGER_MAX
from recollect.store.protocol import Transaction
from recollect.subjects import episodes, lookups

_read_added = msgspec.json.Decoder(wire.AddedMessages4).decode


def _messages(
    tx: Transaction, access: Access, uuid: str, asked: wire.MessagesQuery4
) -> Page4[wire.Message4]:
    thread = lookups.thread(tx, access, uuid)
    at, most = answers.place_after(tx, access, asked), paging.size(asked) + 1
    if asked.order == "desc":
        found = episodes.last_messages(tx, access, thread, most, at or INTEGER_MAX)[::-1]
    else:
        found = episodes.messages_past(tx, access, thread, most, at or 0)
    told, following = paging.past(asked, found)
    return Page4(
        items=[show.message(uuid, message) for message in told],
        next_cursor=following,
        total_size=episodes.message_count(tx, access, thread),
    )


async def list_messages(call: Call) -> Page4[wire.Message4]:
    """A page of the messages of a thread, the oldest first unless asked otherwise."""
    return await call.services.store.read(
        _messages, call.access, call.path["thread_uuid"], call.query
    )


def _new_message(number: int, sent: wire.AddMessage4, asked: wire.AddMessages4) -> NewEpisode:
    field = f"messages[{number}]"
    if sent.uuid is not None:
        raise InvalidInput(f"{field}.uuid: the server gives messages their ids; leave it out")
    return NewEpisode(
        kind="message",
        content=sent.content,
        role=sent.role,
        speaker=sent.name,
        metadata=sent.metadata,
        ignored=sent.role in (asked.ignore_roles or ()),
        strict_ontology=bool(asked.strict_ontology),
        created_at=checks.moment(f"{field}.reference_time", sent.reference_time),
    )


def _add(tx: Transaction, access: Access, uuid: str, new: list[NewEpisode]) -> Done:
    thread = lookups.thread(tx, access, uuid)
    receipt = intake.add_messages(tx, access, thread.thread_id, new)
    stored = [episodes.as_stored(tx, access, one) for one in receipt.uuids]
    task = answers.task(tx, access, receipt.task_uuid, "thread.add_messages")
    answer = wire.AddedMessages4(
        messages=[show.message(uuid, message) for message in stored], task=task
    )
    return Done(answer=answer, graph_id=thread.graph_id, made=receipt)


async def add_messages(call: Call) -> wire.AddedMessages4:
    """Messages into a thread; they are on disk when this answers."""
    sent: wire.AddMessages4 = call.body
    new = [_new_message(number, message, sent) for number, message in enumerate(sent.messages)]
    intake.check_messages(new)
    uuid = call.path["thread_uuid"]
    added = _read_added((await once.outcome(call, _add, uuid, new)).body)
    if not sent.return_context:
        return added
    thread = await call.services.store.glance(lookups.thread, call.access, uuid)
    context = await routes_messages.context_after(call, routes_context.context3, thread.thread_id)
    return msgspec.structs.replace(added, context=context)


def _message(tx: Transaction, access: Access, path: dict[str, str]) -> wire.Message4:
    thread = lookups.thread(tx, access, path["thread_uuid"])
    found = episodes.of_thread(tx, access, thread, path["message_uuid"])
    return show.message(thread.uuid, found)


async def get_message(call: Call) -> wire.Message4:
    """A message of a thread."""
    return await call.services.store.read(_message, call.access, call.path)


def _update(
    tx: Transaction, access: Access, path: dict[str, str], sent: wire.UpdateMetadata4
) -> Done:
    thread = lookups.thread(tx, access, path["thread_uuid"])
    episodes.of_thread(tx, access, thread, path["message_uuid"])
    made = episodes.update_metadata(tx, access, path["message_uuid"], sent.metadata)
    return Done(answer=show.message(thread.uuid, made), graph_id=thread.graph_id, made=made)


async def update_message(call: Call) -> Reply:
    """Merge metadata into a message's."""
    return await once.write(call, _update, call.path, call.body)


ROUTES = [
    Route(
        "GET",
        "/threads/{thread_uuid}/messages",
        "thread.get",
        list_messages,
        "List the messages of a thread",
        query=wire.MessagesQuery4,
        answer=Page4[wire.Message4],
    ),
    Route(
        "POST",
        "/threads/{thread_uuid}/messages",
        "thread.add_messages",
        add_messages,
        "Add messages to a thread",
        body=wire.AddMessages4,
        answer=wire.AddedMessages4,
    ),
    Route(
        "GET",
        "/threads/{thread_uuid}/messages/{message_uuid}",
        "thread.get",
        get_message,
        "Get a message of a thread",
        answer=wire.Message4,
    ),
    Route(
        "PATCH",
        "/threads/{thread_uuid}/messages/{message_uuid}",
        "thread.message.update",
        update_message,
        "Update a message's metadata",
        body=wire.UpdateMetadata4,
        answer=wire.Message4,
        shows="thread.get",
    ),
]
