"""Bulk batches: create a draft, fill it, process it, follow its progress."""

import msgspec
from msgspec.structs import replace

from recollect.api.http import Reply, explain
from recollect.api.router import Call, Route
from recollect.app import batches
from recollect.app.batches import BatchEntry, Items, Started
from recollect.app.refs import GraphRef, ThreadRef
from recollect.compat.zep.v4 import idempotency, paging, translate
from recollect.compat.zep.v4.wire import project as wire
from recollect.compat.zep.v4.wire.base import Page4, PageQuery4
from recollect.compat.zep.wire.base import shaped
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import NewEpisode
from recollect.limits import BATCH_ITEMS_PER_CALL_MAX, BATCHES_PER_PAGE_MAX, PAGE_MAX

_decode = msgspec.json.Decoder(wire.BatchItemInput4).decode


async def create(call: Call) -> Reply:
    """A new, empty draft."""
    sent: wire.CreateBatch4 = call.body
    create = batches.create.bind(
        call.services,
        call.access,
        ignore_roles=sent.ignore_roles or (),
        strict_ontology=bool(sent.strict_ontology),
        metadata=sent.metadata,
    )
    return await idempotency.write(call, create, translate.batch)


async def get(call: Call) -> wire.Batch4:
    """A batch with its progress."""
    found = await batches.get(call.services, call.access, call.path["batch_uuid"])
    return translate.batch(found)


async def list_all(call: Call) -> Page4[wire.Batch4]:
    """A page of at most twenty batches, newest first."""
    asked: wire.BatchesQuery4 = call.query
    page = await batches.page(
        call.services,
        call.access,
        status=asked.status,
        limit=paging.size(asked, BATCHES_PER_PAGE_MAX, BATCHES_PER_PAGE_MAX),
        cursor=paging.offset(asked) or None,
    )
    following = None if page.next_cursor is None else paging.cursor(page.next_cursor)
    return Page4(items=[translate.batch(batch) for batch in page.batches], next_cursor=following)


def _items(found: Items) -> list[wire.BatchItem4]:
    return [
        shaped(
            wire.BatchItem4,
            one,
            type=one.kind,
            thread_uuid=found.thread_uuids.get(one.thread_id or ""),
            episode_uuid=one.uuid,
        )
        for one in found.items
    ]


async def list_items(call: Call) -> Page4[wire.BatchItem4]:
    """A page of a batch's items, in the order they were added."""
    asked: PageQuery4 = call.query
    page = await batches.items(
        call.services,
        call.access,
        call.path["batch_uuid"],
        status=None,
        limit=paging.size(asked, PAGE_MAX),
        cursor=paging.offset(asked) or None,
    )
    following = None if page.next_cursor is None else paging.cursor(page.next_cursor)
    return Page4(items=_items(page), next_cursor=following)


def _decoded(raw: msgspec.Raw) -> wire.BatchItemInput4:
    try:
        return _decode(raw)
    except msgspec.ValidationError as error:
        raise InvalidInput(explain(str(error), "item")) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput("item: not valid JSON in UTF-8") from error


def _entry(raw: msgspec.Raw) -> BatchEntry | InvalidInput:
    """An item, or the error if it cannot be decoded."""
    try:
        sent = _decoded(raw)
        return _message(sent) if sent.type == "thread_message" else _data(sent)
    except InvalidInput as error:
        return error


def _message(sent: wire.BatchItemInput4) -> BatchEntry:
    for name in ("thread_uuid", "content", "role"):
        if getattr(sent, name) is None:
            raise InvalidInput(f"{name}: is required")
    return BatchEntry(
        target=ThreadRef(uuid=sent.thread_uuid),
        episode=NewEpisode(
            kind="message",
            content=sent.content or "",
            role=sent.role,
            speaker=sent.name,
            metadata=sent.metadata,
            created_at=checks.moment("reference_time", sent.reference_time),
        ),
    )


def _data(sent: wire.BatchItemInput4) -> BatchEntry:
    if sent.data is None:
        raise InvalidInput("data: is required")
    named = [uuid for uuid in (sent.graph_uuid, sent.user_uuid) if uuid is not None]
    if len(named) != 1:
        raise InvalidInput("graph_uuid and user_uuid: give exactly one of them")
    return BatchEntry(
        target=GraphRef(uuid=named[0]),
        episode=NewEpisode(
            kind=sent.data_type or "text",
            content=sent.data,
            source_description=sent.source_description,
            document_id=sent.document_id,
            metadata=sent.metadata,
            created_at=checks.moment("reference_time", sent.reference_time),
        ),
    )


def _added(found: Items) -> wire.BatchItems4:
    rejected = [wire.RejectedItem4(index=one.number, reason=one.reason) for one in found.rejected]
    return wire.BatchItems4(items=_items(found), rejected_items=rejected)


async def add_items(call: Call) -> Reply:
    """Items at the end of a draft; those that cannot be taken are named, the others are taken."""
    sent: wire.AddBatchItems4 = call.body
    if not 1 <= len(sent.items) <= BATCH_ITEMS_PER_CALL_MAX:
        raise InvalidInput(
            f"items: 1 to {BATCH_ITEMS_PER_CALL_MAX} per call, got {len(sent.items)}"
        )
    entries = [_entry(raw) for raw in sent.items]
    uuid = call.path["batch_uuid"]
    add = batches.add_fitting.bind(call.services, call.access, uuid, entries)
    return await idempotency.write(call, add, _added)


def _started(found: Started) -> wire.ProcessBatch4:
    task = None if found.task is None else translate.task(found.task)
    if task is not None and not found.is_seen:
        task = replace(task, progress=None, result=None)
    return wire.ProcessBatch4(batch=translate.batch(found.batch), task=task)


async def process(call: Call) -> Reply:
    """Start a draft; with a target that is gone it becomes invalid instead, and has no task."""
    process = batches.process.bind(call.services, call.access, call.path["batch_uuid"])
    return await idempotency.write(call, process, _started)


async def delete(call: Call) -> Reply:
    """Remove a batch that was not processed."""
    delete = batches.delete.bind(call.services, call.access, call.path["batch_uuid"])
    return await idempotency.write(call, delete)


ROUTES = [
    Route("GET", "/batches", "batch.list", list_all, "List batches", query=wire.BatchesQuery4),
    Route(
        "POST",
        "/batches",
        "batch.create",
        create,
        "Create a draft batch",
        body=wire.CreateBatch4,
        answer=wire.Batch4,
    ),
    Route("GET", "/batches/{batch_uuid}", "batch.get", get, "Get a batch"),
    Route(
        "DELETE",
        "/batches/{batch_uuid}",
        "batch.delete",
        delete,
        "Delete a draft or invalid batch",
        status=204,
    ),
    Route(
        "GET",
        "/batches/{batch_uuid}/items",
        "batch.list_items",
        list_items,
        "List the items of a batch",
        query=PageQuery4,
    ),
    Route(
        "POST",
        "/batches/{batch_uuid}/items",
        "batch.add",
        add_items,
        "Add items to a draft batch",
        body=wire.AddBatchItems4,
        answer=wire.BatchItems4,
    ),
    Route(
        "POST",
        "/batches/{batch_uuid}/process",
        "batch.process",
        process,
        "Process a batch",
        answer=wire.ProcessBatch4,
    ),
]
