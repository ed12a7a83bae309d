"""Bulk batches: draft, fill, process, follow."""

from typing import cast

import msgspec

from recollect.api.http import explain
from recollect.api.router import Call, Route
from recollect.app import batches
from recollect.app.batches import Batch, BatchItem, NewItem
from recollect.compat.zep.wire import batches as batches_wire
from recollect.compat.zep.wire.base import RoleType, Success, shaped
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import NewEpisode
from recollect.limits import BATCHES_PER_PAGE_MAX, PAGE_DEFAULT, PAGE_MAX

_decode_item = msgspec.json.Decoder(batches_wire.BatchAddItem).decode


def _summary(found: Batch) -> batches_wire.BatchSummary:
    progress = found.progress
    return shaped(
        batches_wire.BatchSummary,
        found,
        batch_id=found.uuid,
        progress=batches_wire.BatchProgress(
            total_items=progress.total,
            queued_items=progress.queued,
            processing_items=progress.processing,
            succeeded_items=progress.succeeded,
            failed_items=progress.failed,
            skipped_items=progress.skipped,
            canceled_items=progress.canceled,
            percent_complete=progress.percent,
        ),
        ignore_roles=cast(list[RoleType], found.ignore_roles),
    )


def _detail(found: BatchItem) -> batches_wire.BatchItemDetail:
    error = None
    if found.error is not None:
        error = batches_wire.BatchItemError(code=found.error.code, message=found.error.message)
    return shaped(
        batches_wire.BatchItemDetail,
        found,
        item_id=found.uuid,
        episode_uuid=found.uuid,
        source_uuid=found.uuid,
        error=error,
    )


def _decoded(field: str, raw: msgspec.Raw) -> batches_wire.BatchAddItem:
    try:
        return _decode_item(raw)
    except msgspec.ValidationError as error:
        what = explain(str(error))
        # Without a field, the error is about the item as a whole.
        what = what.removeprefix("body") if what.startswith("body:") else f".{what}"
        raise InvalidInput(f"{field}{what}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{field}: not valid JSON in UTF-8") from error


def _new_item(number: int, raw: msgspec.Raw) -> NewItem:
    field = f"items[{number}]"
    sent = _decoded(field, raw)
    return _message(field, sent) if sent.type == "thread_message" else _data(field, sent)


def _message(field: str, sent: batches_wire.BatchAddItem) -> NewItem:
    for name in ("thread_id", "content", "role"):
        if getattr(sent, name) is None:
            raise InvalidInput(f"{field}.{name}: is required")
    return NewItem(
        thread_id=sent.thread_id,
        episode=NewEpisode(
            kind="message",
            content=sent.content or "",
            role=sent.role,
            speaker=sent.name,
            metadata=sent.metadata,
            created_at=checks.moment(f"{field}.created_at", sent.created_at),
        ),
    )


def _data(field: str, sent: batches_wire.BatchAddItem) -> NewItem:
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


async def create(call: Call) -> batches_wire.BatchSummary:
    """A new, empty draft."""
    sent: batches_wire.CreateBatch = call.body
    made = await batches.create(
        call.services,
        call.access,
        ignore_roles=sent.ignore_roles or (),
        strict_ontology=bool(sent.strict_ontology),
        metadata=sent.metadata,
    )
    return _summary(made)


async def get(call: Call) -> batches_wire.BatchSummary:
    """A batch with its progress."""
    found = await batches.get(call.services, call.access, call.path["batch_id"])
    return _summary(found)


async def list_all(call: Call) -> batches_wire.BatchList:
    """A page of at most twenty batches, newest first."""
    sent: batches_wire.BatchesQuery = call.query
    page = await batches.page(
        call.services,
        call.access,
        status=sent.status,
        limit=min(sent.limit or BATCHES_PER_PAGE_MAX, BATCHES_PER_PAGE_MAX),
        cursor=sent.cursor,
    )
    found = [_summary(batch) for batch in page.batches]
    return batches_wire.BatchList(batches=found, next_cursor=page.next_cursor)


async def add(call: Call) -> list[batches_wire.BatchItemDetail]:
    """Items at the end of a draft."""
    sent: batches_wire.AddBatchItems = call.body
    new = [_new_item(number, raw) for number, raw in enumerate(sent.items)]
    batches.check_items(new)
    made = await batches.add(call.services, call.access, call.path["batch_id"], new)
    return [_detail(item) for item in made]


async def list_items(call: Call) -> batches_wire.BatchItemList:
    """A page of a batch's items, in the order they were added."""
    sent: batches_wire.BatchItemsQuery = call.query
    page = await batches.items(
        call.services,
        call.access,
        call.path["batch_id"],
        status=sent.status,
        limit=min(sent.limit or PAGE_DEFAULT, PAGE_MAX),
        cursor=sent.cursor,
    )
    found = [_detail(item) for item in page.items]
    return batches_wire.BatchItemList(items=found, next_cursor=page.next_cursor)


async def process(call: Call) -> batches_wire.BatchSummary:
    """Start a draft; with an unknown target it becomes invalid instead."""
    made = await batches.process(call.services, call.access, call.path["batch_id"])
    return _summary(made.batch)


async def delete(call: Call) -> Success:
    """Remove a batch that was not processed."""
    await batches.delete(call.services, call.access, call.path["batch_id"])
    return Success(message="batch deleted")


ROUTES = [
    Route(
        "POST",
        "/batches",
        "batch.create",
        create,
        "Create a draft batch",
        body=batches_wire.CreateBatch,
    ),
    Route(
        "GET", "/batches", "batch.list", list_all, "List batches", query=batches_wire.BatchesQuery
    ),
    Route("GET", "/batches/{batch_id}", "batch.get", get, "Get a batch with its progress"),
    Route(
        "DELETE", "/batches/{batch_id}", "batch.delete", delete, "Delete a draft or invalid batch"
    ),
    Route(
        "GET",
        "/batches/{batch_id}/items",
        "batch.list_items",
        list_items,
        "List the items of a batch",
        query=batches_wire.BatchItemsQuery,
    ),
    Route(
        "POST",
        "/batches/{batch_id}/items",
        "batch.add",
        add,
        "Add items to a draft batch",
        body=batches_wire.AddBatchItems,
    ),
    Route("POST", "/batches/{batch_id}/process", "batch.process", process, "Process a batch"),
]
