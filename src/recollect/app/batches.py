"""Bulk batches: draft, fill, process, follow."""

from collections.abc import Sequence

import msgspec

from recollect.app import refs, tasks
from recollect.app.idempotency import Done, Once, write
from recollect.app.refs import GraphRef, ThreadRef
from recollect.app.services import Services
from recollect.app.tasks import Tracked
from recollect.errors import InvalidInput, NotFound
from recollect.graph.types import Access, Json, NewEpisode, Record
from recollect.ingest import batches
from recollect.ingest import tasks as ingest_tasks
from recollect.ingest.batches import (
    Batch,
    BatchItem,
    BatchPage,
    BatchStatus,
    ItemKind,
    ItemStatus,
    NewItem,
    check_items,
)
from recollect.records import lookups
from recollect.store.protocol import Transaction

__all__ = [
    "Batch",
    "BatchItem",
    "BatchPage",
    "BatchStatus",
    "ItemKind",
    "ItemStatus",
    "NewItem",
    "check_items",
]


class BatchEntry(Record):
    """An item whose thread or graph is named by the server's ids."""

    episode: NewEpisode
    target: ThreadRef | GraphRef


class Rejected(Record):
    """An item that was not taken: its number, and why."""

    number: int
    reason: str


class Items(Record):
    """Items of a batch with the uuids of their threads by their ids; *rejected* were not taken."""

    items: list[BatchItem]
    thread_uuids: dict[str, str]
    next_cursor: int | None = None
    rejected: list[Rejected] = msgspec.field(default_factory=list)


class Started(Record):
    """A batch that was started, and its task; an invalid one has none. What the task is about is told
    as far as it may be seen."""

    batch: Batch
    task: Tracked | None
    is_seen: bool = True


async def create(
    services: Services,
    access: Access,
    *,
    ignore_roles: Sequence[str],
    strict_ontology: bool,
    metadata: Json | None,
    once: Once | None = None,
) -> Batch:
    """A new, empty draft."""
    return await write(
        services, access, once, _create, ignore_roles, metadata, strict_ontology=strict_ontology
    )


def _create(
    tx: Transaction,
    access: Access,
    ignore_roles: Sequence[str],
    metadata: Json | None,
    *,
    strict_ontology: bool,
) -> Done[Batch]:
    made = batches.create(
        tx, access, ignore_roles=ignore_roles, strict_ontology=strict_ontology, metadata=metadata
    )
    return Done(value=made, made=made)


async def get(services: Services, access: Access, uuid: str) -> Batch:
    """A batch with its progress."""
    return await services.store.read(batches.get, access, uuid)


async def page(
    services: Services,
    access: Access,
    *,
    status: BatchStatus | None,
    limit: int,
    cursor: int | None,
) -> BatchPage:
    """A page of batches, newest first."""
    return await services.store.read(
        batches.page, access, status=status, limit=limit, cursor=cursor
    )


async def items(
    services: Services,
    access: Access,
    uuid: str,
    *,
    status: ItemStatus | None,
    limit: int,
    cursor: int | None,
) -> Items:
    """A page of a batch's items, in the order they were added."""
    return await services.store.read(
        _items, access, uuid, status=status, limit=limit, cursor=cursor
    )


def _items(
    tx: Transaction,
    access: Access,
    uuid: str,
    *,
    status: ItemStatus | None,
    limit: int,
    cursor: int | None,
) -> Items:
    found = batches.items(tx, access, uuid, status=status, limit=limit, cursor=cursor)
    said_in = _thread_uuids(tx, access, found.items)
    return Items(items=found.items, thread_uuids=said_in, next_cursor=found.next_cursor)


def _thread_uuids(tx: Transaction, access: Access, found: Sequence[BatchItem]) -> dict[str, str]:
    return lookups.thread_uuids(tx, access, [one.thread_id for one in found if one.thread_id])


async def add(services: Services, access: Access, uuid: str, new: list[NewItem]) -> list[BatchItem]:
    """Items at the end of a draft, all or none."""
    return await services.store.write(batches.add, access, uuid, new)


async def add_fitting(
    services: Services,
    access: Access,
    uuid: str,
    new: Sequence[BatchEntry | InvalidInput],
    *,
    once: Once | None = None,
) -> Items:
    """Items at the end of a draft; those that cannot be read (which come as an error) or taken are
    named, the others are taken."""
    return await write(services, access, once, _add_fitting, uuid, new)


def _add_fitting(
    tx: Transaction, access: Access, uuid: str, new: Sequence[BatchEntry | InvalidInput]
) -> Done[Items]:
    taken, rejected = [], []
    batches.get(tx, access, uuid)
    for number, entry in enumerate(new):
        try:
            taken.append(_item(tx, access, entry))
        except (InvalidInput, NotFound) as error:
            rejected.append(Rejected(number=number, reason=error.message))
    made = batches.add(tx, access, uuid, taken)
    said_in = _thread_uuids(tx, access, made)
    return Done(value=Items(items=made, thread_uuids=said_in, rejected=rejected))


def _item(tx: Transaction, access: Access, entry: BatchEntry | InvalidInput) -> NewItem:
    """An item as we keep it, checked by itself; whom it names must exist."""
    if isinstance(entry, InvalidInput):
        raise entry
    if isinstance(entry.target, ThreadRef):
        thread_id = refs.thread(tx, access, entry.target).thread_id
        item = NewItem(thread_id=thread_id, episode=entry.episode)
    else:
        where = refs.graph(tx, access, entry.target)
        item = NewItem(user_id=where.user_id, graph_id=where.graph_id, episode=entry.episode)
    batches.check_item("item", item)
    return item


async def process(
    services: Services, access: Access, uuid: str, *, once: Once | None = None
) -> Started:
    """Start a draft; with a target that is gone it becomes invalid instead."""
    return await write(services, access, once, _process, uuid)


def _process(tx: Transaction, access: Access, uuid: str) -> Done[Started]:
    made = batches.process(tx, access, uuid)
    if made.status == "invalid":
        return Done(value=Started(batch=made, task=None), made=made)
    return Done(value=_started(tx, access, made), made=made)


def _started(tx: Transaction, access: Access, made: Batch) -> Started:
    try:
        return Started(batch=made, task=ingest_tasks.get(tx, access, made.uuid))
    except NotFound:  # others filled it, and none of its episodes may be seen
        whole = tasks.of_write(tx, access, made.uuid, "batch.process")
        return Started(batch=made, task=whole, is_seen=False)


async def delete(
    services: Services, access: Access, uuid: str, *, once: Once | None = None
) -> None:
    """Remove a batch that was not processed."""
    await write(services, access, once, _delete, uuid)


def _delete(tx: Transaction, access: Access, uuid: str) -> Done[None]:
    batches.delete(tx, access, uuid)
    return Done(value=None)
