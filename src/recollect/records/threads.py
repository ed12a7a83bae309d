"""Threads: conversations of a user (called sessions by older clients)."""

from typing import Any

from recollect.derive import readings
from recollect.errors import AlreadyExists, NotFound
from recollect.governance import audit, erasure
from recollect.governance.erasure import Mode, Removed
from recollect.graph import checks
from recollect.graph.types import Access, Json, Record, Thread
from recollect.records import episodes, pages, users
from recollect.records.pages import Page, PageRequest
from recollect.store import index, rows
from recollect.store.protocol import Transaction
from recollect.store.queries.threads import ThreadRow
from recollect.store.statements import Keyed


class ThreadPage(Record):
    """Some threads, and how many there are."""

    threads: list[Thread]
    total: int


def create(
    tx: Transaction,
    access: Access,
    thread_id: str | None,
    user_id: str,
    *,
    metadata: Json | None = None,
    rating: Json | None = None,
    field: str = "thread_id",
) -> Thread:
    """Create a thread of an existing user. *field* is the caller's name for the id.

    Without an id, the server's own becomes the thread id.
    """
    uuid = tx.new_id()
    thread_id = uuid if thread_id is None else thread_id
    checks.caller_id(field, thread_id)
    checks.json_object("metadata", metadata)
    checks.json_object("fact_rating_instruction", rating)
    user = users.get(tx, access, user_id)
    if tx.threads.by_name(project_id=access.project_id, thread_id=thread_id) is not None:
        raise AlreadyExists(f"{field}: {thread_id!r} exists already")
    tx.threads.insert(
        uuid=uuid,
        project_id=access.project_id,
        thread_id=thread_id,
        user_id=user.id,
        graph_id=user.graph_id,
        metadata=rows.to_json(metadata),
        rating=rows.to_json(rating),
        now=rows.micros(tx.now),
    )
    _count(tx, access, user_id, 1)
    return get(tx, access, thread_id)


def _count(tx: Transaction, access: Access, user_id: str, change: int) -> None:
    tx.users.count_threads(project_id=access.project_id, user_id=user_id, change=change)


def get(tx: Transaction, access: Access, thread_id: str) -> Thread:
    """A thread by the caller's id."""
    row = tx.threads.by_name(project_id=access.project_id, thread_id=thread_id)
    if row is None:
        raise NotFound(f"thread not found: {thread_id}")
    return rows.thread(row)


def told(tx: Transaction, access: Access, thread_id: str) -> Thread:
    """The same, with the time of its last message as `updated_at`."""
    (thread,) = episodes.with_last_said(tx, access, [get(tx, access, thread_id)])
    return thread


def told_of_user(tx: Transaction, access: Access, user_id: str, limit: int) -> list[Thread]:
    """A user's newest threads, newest first, with the time of the last message as `updated_at`."""
    return episodes.with_last_said(tx, access, of_user(tx, access, user_id, limit))


def update(
    tx: Transaction,
    access: Access,
    thread_id: str,
    *,
    metadata: Json | None,
    rating: Json | None,
) -> Thread:
    """Merge metadata into a thread's; a rating instruction can be changed but not removed."""
    thread = get(tx, access, thread_id)
    merged = thread.metadata if metadata is None else checks.merge(thread.metadata, metadata)
    checks.json_object("metadata", merged)
    checks.json_object("fact_rating_instruction", rating)
    tx.threads.update(
        id=thread.id,
        metadata=rows.to_json(merged),
        rating=rows.to_json(rating or thread.rating),
        ended_at=rows.micros_or_none(thread.ended_at),
        now=rows.micros(tx.now),
    )
    return get(tx, access, thread_id)


def put_class(tx: Transaction, access: Access, thread_id: str, name: str, value: str) -> Thread:
    """Write a thread's class into its metadata, under the question's name."""
    thread = get(tx, access, thread_id)
    known = {**classes(thread), name: value}
    system = (thread.metadata or {}).get("system")
    merged = {**(system if isinstance(system, dict) else {}), "classes": known}
    return update(tx, access, thread_id, metadata={"system": merged}, rating=None)


def classes(thread: Thread) -> dict[str, str]:
    """The classes of a thread, by question name."""
    system = (thread.metadata or {}).get("system")
    found = system.get("classes") if isinstance(system, dict) else None
    if not isinstance(found, dict):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str)}


def end(tx: Transaction, access: Access, thread_id: str) -> Thread:
    """Mark a thread as ended; the first end is kept."""
    thread = get(tx, access, thread_id)
    tx.threads.update(
        id=thread.id,
        metadata=rows.to_json(thread.metadata),
        rating=rows.to_json(thread.rating),
        ended_at=rows.micros(thread.ended_at or tx.now),
        now=rows.micros(tx.now),
    )
    return get(tx, access, thread_id)


def delete(tx: Transaction, access: Access, thread_id: str, mode: Mode = "delete") -> Removed:
    """Delete a thread with its episodes, and what rested on them alone."""
    return _delete(tx, access, get(tx, access, thread_id), ignored_only=False, mode=mode)


def delete_keeping_graph(tx: Transaction, access: Access, thread_id: str) -> None:
    """Delete a thread and its message history; what the graph learned from it stays."""
    # Messages of ignored roles were never part of the graph, so nothing keeps them.
    thread = get(tx, access, thread_id)
    said = tx.episodes.ids_of_thread(thread_id=thread.id, ignored_only=False)
    _delete(tx, access, thread, ignored_only=True)
    index.touch(tx, thread.graph_id, "episode", list(said))
    readings.fold_again(tx, thread.graph_id, 0)  # a fold in progress still has the thread


def _delete(
    tx: Transaction, access: Access, thread: Thread, *, ignored_only: bool, mode: Mode = "delete"
) -> Removed:
    erasure.require_full_visibility(access)
    found = tx.episodes.ids_of_thread(thread_id=thread.id, ignored_only=ignored_only)
    removed = erasure.forget_episodes(tx, list(found), mode)
    tx.expiries.forget_thread(graph_id=thread.graph_id, thread_id=thread.thread_id)
    tx.expiries.drop_unsaid(graph_id=thread.graph_id)
    tx.batches.items_forget_thread(
        project_id=access.project_id,
        thread_id=thread.thread_id,
        now=rows.micros(tx.now),
    )
    told = tx.summaries.thread_summary_ids(thread_id=thread.id)
    index.remove(tx, thread.graph_id, "thread_summary", list(told))
    tx.threads.delete(id=thread.id)
    _count(tx, access, thread.user_id, -1)
    audit.redact(tx, access.project_id, [f"thread:{thread.thread_id}"])
    return removed


def page(
    tx: Transaction, access: Access, *, order: str, limit: int, offset: int, search: str = ""
) -> ThreadPage:
    """Threads in the requested order, with the time of the last message as `updated_at`.

    *search* selects by the thread's or the user's id. A caller with restricted visibility gets them
    ordered by their own changes: the other order would reveal when hidden messages were said.
    """
    wanted: dict[str, Any] = {"project_id": access.project_id, "search": search}
    by_said = order.startswith("updated_at/") and access.visibility is None
    read = tx.threads.page_said if by_said else tx.threads.page
    found = read(order=order, limit=limit, offset=offset, **wanted)
    count = tx.threads.count(**wanted)
    told = episodes.with_last_said(tx, access, [rows.thread(row) for row in found])
    return ThreadPage(threads=told, total=count or 0)


def page_after(tx: Transaction, access: Access, request: PageRequest) -> Page[Thread]:
    """The same as keyset pages."""
    by_said = request.order.startswith("updated_at/") and access.visibility is None
    read = tx.threads.page_said_after if by_said else tx.threads.page_after
    found = read(order=request.order, project_id=access.project_id, **request.bounds())
    count = tx.threads.count(project_id=access.project_id, search="")
    return _told_page(tx, access, found, request, count)


def page_of_user(
    tx: Transaction, access: Access, user_id: str, request: PageRequest
) -> Page[Thread]:
    """A user's threads in the requested order, after the cursor."""
    user = users.get(tx, access, user_id)
    found = tx.threads.page_of_user(order=request.order, user_id=user.id, **request.bounds())
    return _told_page(tx, access, found, request, user.thread_count)


def _told_page(
    tx: Transaction,
    access: Access,
    found: list[Keyed[ThreadRow]],
    request: PageRequest,
    count: int | None,
) -> Page[Thread]:
    told = episodes.with_last_said(tx, access, [rows.thread(one.row) for one in found])
    keyed = [Keyed(thread, one.key) for thread, one in zip(told, found, strict=True)]
    return pages.counted(keyed, request, count)


def of_user(tx: Transaction, access: Access, user_id: str, limit: int) -> list[Thread]:
    """A user's newest threads, newest first."""
    user = users.get(tx, access, user_id)
    return [rows.thread(row) for row in tx.threads.of_user(id=user.id, limit=limit)]
