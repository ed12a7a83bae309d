"""Bulk batches: draft, fill, process, follow."""

import msgspec

from recollect.api.compat.zep import wire, wire_batches
from recollect.api.http import explain
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import NewEpisode
from recollect.ingest import batches
from recollect.ingest.batches import Batch, Item, NewItem
from recollect.limits import (
    LIST_ALL_DEFAULT,
    LIST_ALL_MAX,
    PAGE_DEFAULT,
    PAGE_MAX,
)

_decode_item = msgspec.json.Decoder(wire_batches.BatchAddItem).decode


def _summary(found: Batch) -> wire_batches.BatchSummary:
    progress = found.progress
    return wire_batches.BatchSummary(
        batch_id=found.uuid,
        status=found.status,
        item_count=found.item_count,
        progress=wire_batches.BatchProgress(
            total_items=progress.total,
            queued_items=progress.queued,
            processing_items=progress.processing,
            succeeded_items=progress.succeeded,
            failed_items=progress.failed,
            skipped_items=progress.skipped,
            canceled_items=progress.canceled,
            percent_complete=progress.percent,
        ),
        ignore_roles=found.ignore_roles,
        strict_ontology=found.strict_ontology,
        metadata=found.metadata,
        created_at=found.created_at,
        updated_at=found.updated_at,
        processed_at=found.processed_at,
        completed_at=found.completed_at,
    )


def _detail(found: Item) -> wire_batches.BatchItemDetail:
    error = None
    if found.error is not None:
        error = wire_batches.BatchItemError(code=found.error.code, message=found.error.message)
    return wire_batches.BatchItemDetail(
        item_id=found.uuid,
        sequence_index=found.sequence_index,
        kind=found.kind,
        status=found.status,
        episode_uuid=found.uuid,
        source_uuid=found.uuid,
        error=error,
        user_id=found.user_id,
        user_uuid=found.user_uuid,
        graph_id=found.graph_id,
        graph_uuid=found.graph_uuid,
        thread_id=found.thread_id,
        document_id=found.document_id,
        created_at=found.created_at,
        updated_at=found.updated_at,
    )


def _decoded(field: str, raw: msgspec.Raw) -> wire_batches.BatchAddItem:
    try:
        return _decode_item(raw)
    except msgspec.ValidationError as error:
        what = explain(str(error))
        # Without a field of its own, the complaint is about the item as a whole.
        what = what.removeprefix("body") if what.startswith("body:") else f".{what}"
        raise InvalidInput(f"{field}{what}") from error


def _new_item(number: int, raw: msgspec.Raw) -> NewItem:
    field = f"items[{number}]"
    sent = _decoded(field, raw)
    return _message(field, sent) if sent.type == "thread_message" else _data(field, sent)


def _message(field: str, sent: wire_batches.BatchAddItem) -> NewItem:
    for name in ("thread_id", "content", "role"):
        if getattr(sent, name) is None:
            raise InvalidInput(f"{field}.{name}: is required")
    return NewItem(
        thread_id=sent.thread_id,
        episode=NewEpisode(
            kind="message",
            content=sent.content or "",
            role_type=sent.role,
            role=sent.name,
            metadata=sent.metadata,
            created_at=checks.moment(f"{field}.created_at", sent.created_at),
        ),
    )


def _data(field: str, sent: wire_batches.BatchAddItem) -> NewItem:
    if sent.data is None:
        raise InvalidInput(f"{field}.data: is required")
    return NewItem(
        user_id=sent.user_id,
        graph_id=sent.graph_id,
        episode=NewEpisode(
            kind=sent.data_type or "text",
            content=sent.data,
            source_description=sent.source_description,
            document_id=sent.document_id,
            metadata=sent.metadata,
            created_at=checks.moment(f"{field}.created_at", sent.created_at),
        ),
    )


async def create(call: Call) -> wire_batches.BatchSummary:
    """A new, empty draft."""
    sent: wire_batches.CreateBatch = call.body
    made = await call.services.store.write(
        batches.create,
        call.access,
        ignore_roles=sent.ignore_roles or (),
        strict_ontology=bool(sent.strict_ontology),
        metadata=sent.metadata,
    )
    return _summary(made)


async def get(call: Call) -> wire_batches.BatchSummary:
    """A batch with its progress."""
    found = await call.services.store.read(batches.get, call.access, call.path["batch_id"])
    return _summary(found)


async def list_all(call: Call) -> wire_batches.BatchList:
    """A page of batches, newest first."""
    sent: wire_batches.BatchesQuery = call.query
    page = await call.services.store.read(
        batches.page,
        call.access,
        status=sent.status,
        limit=min(sent.limit or LIST_ALL_DEFAULT, LIST_ALL_MAX),
        cursor=sent.cursor,
    )
    found = [_summary(batch) for batch in page.batches]
    return wire_batches.BatchList(batches=found, next_cursor=page.next_cursor)


async def add(call: Call) -> list[wire_batches.BatchItemDetail]:
    """Items at the end of a draft."""
    sent: wire_batches.AddBatchItems = call.body
    new = [_new_item(number, raw) for number, raw in enumerate(sent.items)]
    batches.check_items(new)
    made = await call.services.store.write(batches.add, call.access, call.path["batch_id"], new)
    return [_detail(item) for item in made]


async def list_items(call: Call) -> wire_batches.BatchItemList:
    """A page of a batch's items, in the order they were added."""
    sent: wire_batches.BatchItemsQuery = call.query
    page = await call.services.store.read(
        batches.items,
        call.access,
        call.path["batch_id"],
        status=sent.status,
        limit=min(sent.limit or PAGE_DEFAULT, PAGE_MAX),
        cursor=sent.cursor,
    )
    found = [_detail(item) for item in page.items]
    return wire_batches.BatchItemList(items=found, next_cursor=page.next_cursor)


async def process(call: Call) -> wire_batches.BatchSummary:
    """Start a draft; with an unknown target it becomes invalid instead."""
    made = await call.services.store.write(batches.process, call.access, call.path["batch_id"])
    call.services.wake_workers()
    return _summary(made)


async def delete(call: Call) -> wire.Success:
    """Remove a batch that was not processed."""
    await call.services.store.write(batches.delete, call.access, call.path["batch_id"])
    return wire.Success(message="batch deleted")


ROUTES = [
    Route(
        "POST",
        "/batches",
        "batch.create",
        create,
        "Create a draft batch",
        body=wire_batches.CreateBatch,
        answer=wire_batches.BatchSummary,
    ),
    Route(
        "GET",
        "/batches",
        "batch.list",
        list_all,
        "List batches",
        query=wire_batches.BatchesQuery,
        answer=wire_batches.BatchList,
    ),
    Route(
        "GET",
        "/batches/{batch_id}",
        "batch.get",
        get,
        "Get a batch with its progress",
        answer=wire_batches.BatchSummary,
    ),
    Route(
        "DELETE",
        "/batches/{batch_id}",
        "batch.delete",
        delete,
        "Delete a draft or invalid batch",
        answer=wire.Success,
    ),
    Route(
        "GET",
        "/batches/{batch_id}/items",
        "batch.list_items",
        list_items,
        "List the items of a batch",
        query=wire_batches.BatchItemsQuery,
        answer=wire_batches.BatchItemList,
    ),
    Route(
        "POST",
        "/batches/{batch_id}/items",
        "batch.add",
        add,
        "Add items to a draft batch",
        body=wire_batches.AddBatchItems,
        answer=list[wire_batches.BatchItemDetail],
    ),
    Route(
        "POST",
        "/batches/{batch_id}/process",
        "batch.process",
        process,
        "Process a batch",
        answer=wire_batches.BatchSummary,
    ),
]
