"""Bulk batches: create a draft, fill it, process it, follow its progress."""

from collections.abc import Sequence

import msgspec

from recollect.app import refs, tasks
from recollect.app.idempotency import Done, repeatable
from recollect.app.refs import GraphRef, ThreadRef
from recollect.app.tasks import Tracked
from recollect.app.units import reads, writes
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
    """An item whose thread or graph is given by a server-side id."""

    episode: NewEpisode
    target: ThreadRef | GraphRef


class Rejected(Record):
    """An item that was not accepted: its index, and why."""

    number: int
    reason: str


class Items(Record):
    """Items of a batch, with the uuid of each thread by its id; *rejected* ones were not added."""

    items: list[BatchItem]
    thread_uuids: dict[str, str]
    next_cursor: int | None = None
    rejected: list[Rejected] = msgspec.field(default_factory=list)


class Started(Record):
    """A started batch and its task, which an invalid batch does not have.

    *is_seen* is False if the caller may not see the episodes that the task is about.
    """

    batch: Batch
    task: Tracked | None
    is_seen: bool = True


@repeatable
def create(
    tx: Transaction,
    access: Access,
    *,
    ignore_roles: Sequence[str],
    strict_ontology: bool,
    metadata: Json | None,
) -> Done[Batch]:
    """A new, empty draft."""
    made = batches.create(
        tx, access, ignore_roles=ignore_roles, strict_ontology=strict_ontology, metadata=metadata
    )
    return Done(value=made, made=made)


get = reads(batches.get)
page = reads(batches.page)


@reads
def items(
    tx: Transaction,
    access: Access,
    uuid: str,
    *,
    status: ItemStatus | None,
    limit: int,
    cursor: int | None,
) -> Items:
    """A page of a batch's items, in the order they were added."""
    found = batches.items(tx, access, uuid, status=status, limit=limit, cursor=cursor)
    said_in = _thread_uuids(tx, access, found.items)
    return Items(items=found.items, thread_uuids=said_in, next_cursor=found.next_cursor)


def _thread_uuids(tx: Transaction, access: Access, found: Sequence[BatchItem]) -> dict[str, str]:
    return lookups.thread_uuids(tx, access, [one.thread_id for one in found if one.thread_id])


add = writes(batches.add)


@repeatable
def add_fitting(
    tx: Transaction, access: Access, uuid: str, new: Sequence[BatchEntry | InvalidInput]
) -> Done[Items]:
    """Append items to a draft.

    Items that could not be decoded (passed in as an error) or are invalid are reported, the rest are added.
    """
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
    """An item as it is stored, validated; its thread or graph must exist."""
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


@repeatable
def process(tx: Transaction, access: Access, uuid: str) -> Done[Started]:
    """Start processing a draft; it becomes invalid instead if a target is gone."""
    made = batches.process(tx, access, uuid)
    if made.status == "invalid":
        return Done(value=Started(batch=made, task=None), made=made)
    return Done(value=_started(tx, access, made), made=made)


def _started(tx: Transaction, access: Access, made: Batch) -> Started:
    try:
        return Started(batch=made, task=ingest_tasks.get(tx, access, made.uuid))
    except NotFound:  # filled by others, and the caller may see none of its episodes
        whole = tasks.of_write(tx, access, made.uuid, "batch.process")
        return Started(batch=made, task=whole, is_seen=False)


@repeatable
def delete(tx: Transaction, access: Access, uuid: str) -> Done[None]:
    """Delete a batch that has not been processed."""
    batches.delete(tx, access, uuid)
    return Done(value=None)
