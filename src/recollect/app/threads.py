"""Threads: their messages, and analyses of a whole thread: its class, the fields of a schema, a summary, its
last question. The results of analyses are not stored, except a class on request.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from recollect.app import refs, tasks
from recollect.app.embedding import Embed, embedding
from recollect.app.idempotency import Done, Once, repeatable, write
from recollect.app.refs import GraphRef, InGraph, ThreadRef, UserRef
from recollect.app.services import Services
from recollect.app.tasks import Tracked
from recollect.app.units import glances, reads, writes
from recollect.errors import InvalidInput, NotFound
from recollect.extract import sessions
from recollect.extract.brief import Turn
from recollect.graph.types import Access, Episode, Json, Record, Thread, ThreadSummary
from recollect.limits import (
    INTEGER_MAX,
    SESSION_MESSAGES_DEFAULT,
    SESSION_MESSAGES_MAX,
    SESSION_SUMMARY_CHARS_MAX,
)
from recollect.records import derived, episodes, erasing, lookups, threads
from recollect.records.pages import Page, PageRequest
from recollect.store.protocol import Transaction


class Messages(Record):
    """Some messages of a thread, and how many it has."""

    thread: Thread
    messages: list[Episode]
    total: int


class MessageIn(Record):
    """A message, and the thread it was said in."""

    thread: Thread
    message: Episode


async def create(
    services: Services,
    access: Access,
    thread_id: str | None,
    user: UserRef,
    *,
    metadata: Json | None = None,
    rating: Json | None = None,
    field: str = "thread_id",
    once: Once | None = None,
) -> Thread:
    """A new thread of a user, under the caller's id or a generated one; *field* is the caller's name
    for the id in error messages."""
    given = (thread_id, user, metadata, rating, field)
    return await write(services, access, once, _create, *given)


def _create(
    tx: Transaction,
    access: Access,
    thread_id: str | None,
    user: UserRef,
    metadata: Json | None,
    rating: Json | None,
    field: str,
) -> Done[Thread]:
    user_id = user.user_id
    if user_id is None:
        user_id = refs.user(tx, access, user).user_id
    made = threads.create(
        tx, access, thread_id, user_id, metadata=metadata, rating=rating, field=field
    )
    return Done(value=made, graph_id=made.graph_id, made=made)


@glances
def get(tx: Transaction, access: Access, ref: ThreadRef) -> Thread:
    """A thread; its `updated_at` is when something was last said in it."""
    (found,) = episodes.with_last_said(tx, access, [refs.thread(tx, access, ref)])
    return found


async def update(
    services: Services, access: Access, thread_id: str, metadata: Json | None, rating: Json | None
) -> Thread:
    """Merge metadata into a thread's; a rating instruction can be changed but not unset."""
    return await services.store.write(
        threads.update, access, thread_id, metadata=metadata, rating=rating
    )


end = writes(threads.end)


@writes
def end_all(tx: Transaction, access: Access, thread_ids: list[str]) -> list[Thread]:
    """Mark several threads as over, all or none."""
    return [threads.end(tx, access, thread_id) for thread_id in thread_ids]


page = reads(threads.page)


async def page_after(
    services: Services, access: Access, request: PageRequest, *, user: UserRef | None
) -> Page[Thread]:
    """A page of threads by cursor, of one user if given."""
    if user is None:
        return await services.store.read(threads.page_after, access, request)
    return await services.store.read(_page_of_user, access, user, request)


def _page_of_user(
    tx: Transaction, access: Access, user: UserRef, request: PageRequest
) -> Page[Thread]:
    user_id = refs.user(tx, access, user).user_id
    return threads.page_of_user(tx, access, user_id, request)


async def delete_keeping_graph(services: Services, access: Access, thread_id: str) -> None:
    """Delete a thread and its messages; what the graph learned stays."""
    await services.store.write(threads.delete_keeping_graph, access, thread_id)
    services.store.scrub_soon()


async def delete(services: Services, access: Access, thread_id: str) -> None:
    """Delete a thread with its episodes, and what only they supported."""
    await services.store.write(threads.delete, access, thread_id)
    services.store.scrub_soon()


@repeatable
def erase(tx: Transaction, access: Access, ref: ThreadRef) -> Done[Tracked]:
    """Erase a thread with a receipt; the task completes once the files are wiped."""
    thread = refs.thread(tx, access, ref)
    erased = erasing.thread(tx, access, thread.thread_id, "delete")
    task = tasks.of_write(tx, access, erased.uuid, "thread.delete")
    return Done(value=task, made=erased, erased=erased)


@reads
def graph_episodes(
    tx: Transaction, access: Access, ref: ThreadRef, limit: int, after: str | None = None
) -> InGraph[list[Episode]]:
    """The next episodes of a thread in its graph after the episode *after*, in order."""
    thread = refs.thread(tx, access, ref)
    position = log_position(tx, access, after) or 0
    found = episodes.in_graph_of_thread(tx, access, thread, limit, position)
    where = refs.graph(tx, access, GraphRef(uuid=thread.graph_uuid))
    said_in = lookups.threads_of(tx, access, found)
    return InGraph(where=where, value=found, thread_uuids=said_in)


def log_position(tx: Transaction, access: Access, after: str | None) -> int | None:
    """The log position of the last episode of the previous page."""
    if after is None:
        return None
    try:
        return episodes.get(tx, access, after).seq
    except NotFound as error:
        raise InvalidInput(
            "cursor: the item it points to was deleted; start again without a cursor"
        ) from error


@reads
def summary(tx: Transaction, access: Access, ref: ThreadRef) -> InGraph[ThreadSummary]:
    """The summary of a thread, available once one of its messages was processed."""
    thread = refs.thread(tx, access, ref)
    found = derived.thread_summary(tx, access, thread.thread_id)
    where = refs.graph(tx, access, GraphRef(uuid=thread.graph_uuid))
    return InGraph(where=where, value=found, thread_uuids={thread.thread_id: thread.uuid})


# ---------------------------------------------------------------- messages


@reads
def messages(
    tx: Transaction, access: Access, ref: ThreadRef, *, limit: int, offset: int
) -> Messages:
    """Messages of a thread in order, ignored roles included."""
    thread = refs.thread(tx, access, ref)
    found = episodes.messages(tx, access, thread, limit=limit, offset=offset)
    return Messages(thread=thread, messages=found, total=episodes.message_count(tx, access, thread))


@reads
def last_messages(tx: Transaction, access: Access, ref: ThreadRef, count: int) -> Messages:
    """The newest messages of a thread, oldest first."""
    thread = refs.thread(tx, access, ref)
    found = episodes.last_messages(tx, access, thread, count)
    return Messages(thread=thread, messages=found, total=episodes.message_count(tx, access, thread))


@reads
def messages_after(
    tx: Transaction,
    access: Access,
    ref: ThreadRef,
    limit: int,
    after: str | None,
    *,
    newest_first: bool = False,
) -> Messages:
    """Messages of a thread after the message *after*."""
    thread = refs.thread(tx, access, ref)
    at = log_position(tx, access, after)
    if newest_first:
        found = episodes.last_messages(tx, access, thread, limit, at or INTEGER_MAX)[::-1]
    else:
        found = episodes.messages_past(tx, access, thread, limit, at or 0)
    return Messages(thread=thread, messages=found, total=episodes.message_count(tx, access, thread))


async def message(services: Services, access: Access, ref: ThreadRef, uuid: str) -> MessageIn:
    """One message of a thread."""
    return await services.store.read(_message, access, ref, uuid)


def _message(tx: Transaction, access: Access, ref: ThreadRef, uuid: str) -> MessageIn:
    thread = refs.thread(tx, access, ref)
    return MessageIn(thread=thread, message=episodes.of_thread(tx, access, thread, uuid))


@repeatable
def update_message(
    tx: Transaction, access: Access, ref: ThreadRef, uuid: str, metadata: Json
) -> Done[MessageIn]:
    """Merge metadata into that of a message of a thread."""
    thread = _message(tx, access, ref, uuid).thread
    made = episodes.update_metadata(tx, access, uuid, metadata)
    return Done(value=MessageIn(thread=thread, message=made), graph_id=thread.graph_id, made=made)


update_any_message = writes(episodes.update_message)


async def _last(services: Services, access: Access, thread_id: str, count: int | None) -> Messages:
    wanted = min(count or SESSION_MESSAGES_DEFAULT, SESSION_MESSAGES_MAX)
    ref = ThreadRef(thread_id=thread_id)
    return await last_messages(services, access, ref, wanted)


def _turns(messages: Sequence[Episode]) -> list[Turn]:
    return [Turn(content=m.content, role=m.role, speaker=m.speaker) for m in messages]


async def classify(
    services: Services,
    access: Access,
    thread_id: str,
    classes: Sequence[str],
    instruction: str | None,
    *,
    last_n: int | None,
    keep_as: str | None,
) -> str | None:
    """The class nearest to the last messages of a thread, stored with the thread under *keep_as* if
    given; None for an empty thread."""
    said = (await _last(services, access, thread_id, last_n)).messages
    if not said:
        return None
    text = "\n".join(message.content for message in said)
    found = await embedding(services, _nearest, text, classes, instruction)
    if keep_as is not None:
        await services.store.write(threads.put_class, access, thread_id, keep_as, found)
    return found


def _nearest(embed: Embed, text: str, classes: Sequence[str], instruction: str | None) -> str:
    return sessions.classify_text(text, classes, instruction, embed)


async def extract_fields(
    services: Services,
    access: Access,
    thread_id: str,
    schema: str,
    *,
    last_n: int | None,
    at: datetime | None,
    validate: bool,
) -> dict[str, Any]:
    """The values for the fields of a schema that a thread contains."""
    sessions.read_schema(schema)
    said = (await _last(services, access, thread_id, last_n)).messages
    return await asyncio.to_thread(
        sessions.extract_fields,
        schema,
        _turns(said),
        at=at or services.clock(),
        validate=validate,
    )


async def summarize(services: Services, access: Access, thread_id: str) -> tuple[Messages, str]:
    """The messages of a thread, and an extractive summary of them."""
    found = await _last(services, access, thread_id, SESSION_MESSAGES_MAX)
    if not found.messages:
        return found, ""
    return found, await embedding(services, _summary, _turns(found.messages))


def _summary(embed: Embed, turns: Sequence[Turn]) -> str:
    return sessions.summarize(turns, SESSION_SUMMARY_CHARS_MAX, embed)


async def last_question(
    services: Services, access: Access, thread_id: str, last_n: int | None
) -> str:
    """The last question of a thread, rephrased to be understood on its own."""
    said = (await _last(services, access, thread_id, last_n)).messages
    return await asyncio.to_thread(sessions.synthesize_question, _turns(said))
