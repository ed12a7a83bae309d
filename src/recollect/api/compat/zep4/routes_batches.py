"""Bulk batches: draft, fill, process, follow."""

from typing import Any

import msgspec

from recollect.api import once
from recollect.api.compat.zep4 import answers, paging, show_project
from recollect.api.compat.zep4.wire import project as wire
from recollect.api.compat.zep4.wire.base import Page4, PageQuery4
from recollect.api.http import Reply, explain
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput, NotFound
from recollect.graph import checks
from recollect.graph.types import Access, NewEpisode
from recollect.ingest import batches
from recollect.ingest.batches import Item, NewItem
from recollect.limits import BATCH_ITEMS_PER_CALL_MAX, BATCHES_PER_PAGE_MAX, PAGE_MAX
from recollect.store.protocol import Transaction
from recollect.subjects import lookups

_decode = msgspec.json.Decoder(wire.BatchItemInput4).decode


def _create(tx: Transaction, access: Access, sent: wire.CreateBatch4) -> Done:
    made = batches.create(
        tx,
        access,
        ignore_roles=sent.ignore_roles or (),
        strict_ontology=bool(sent.strict_ontology),
        metadata=sent.metadata,
    )
    return Done(answer=show_project.batch(made), made=made)


async def create(call: Call) -> Reply:
    """A new, empty draft."""
    return await once.write(call, _create, call.body)


def _get(tx: Transaction, access: Access, uuid: str) -> wire.Batch4:
    return show_project.batch(batches.get(tx, access, uuid))


async def get(call: Call) -> wire.Batch4:
    """A batch with its progress."""
    return await call.services.store.read(_get, call.access, call.path["batch_uuid"])


async def list_all(call: Call) -> Page4[wire.Batch4]:
    """A page of at most twenty batches, newest first."""
    asked: wire.BatchesQuery4 = call.query
    page = await call.services.store.read(
        batches.page,
        call.access,
        status=asked.status,
        limit=paging.size(asked, BATCHES_PER_PAGE_MAX, BATCHES_PER_PAGE_MAX),
        cursor=paging.offset(asked) or None,
    )
    following = None if page.next_cursor is None else paging.cursor(page.next_cursor)
    return Page4(items=[show_project.batch(batch) for batch in page.batches], next_cursor=following)


def _items(tx: Transaction, access: Access, found: list[Item]) -> list[wire.BatchItem4]:
    said_in = lookups.thread_uuids(tx, access, [one.thread_id for one in found if one.thread_id])
    return [
        wire.BatchItem4(
            uuid=one.uuid,
            sequence_index=one.sequence_index,
            type=one.kind,
            status=one.status,
            graph_uuid=one.graph_uuid,
            thread_uuid=said_in.get(one.thread_id or ""),
            user_uuid=one.user_uuid,
            episode_uuid=one.uuid,
            created_at=one.created_at,
        )
        for one in found
    ]


def _page(tx: Transaction, access: Access, uuid: str, asked: PageQuery4) -> Page4[wire.BatchItem4]:
    page = batches.items(
        tx,
        access,
        uuid,
        status=None,
        limit=paging.size(asked, PAGE_MAX),
        cursor=paging.offset(asked) or None,
    )
    following = None if page.next_cursor is None else paging.cursor(page.next_cursor)
    return Page4(items=_items(tx, access, page.items), next_cursor=following)


async def list_items(call: Call) -> Page4[wire.BatchItem4]:
    """A page of a batch's items, in the order they were added."""
    return await call.services.store.read(_page, call.access, call.path["batch_uuid"], call.query)


def _decoded(raw: msgspec.Raw) -> wire.BatchItemInput4:
    try:
        return _decode(raw)
    except msgspec.ValidationError as error:
        raise InvalidInput(explain(str(error), "item")) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput("item: not valid JSON in UTF-8") from error


def _new(tx: Transaction, access: Access, raw: msgspec.Raw) -> NewItem:
    """An item as we keep it, checked by itself; whom it names must exist."""
    sent = _decoded(raw)
    item = _message(tx, access, sent) if sent.type == "thread_message" else _data(tx, access, sent)
    batches.check_item("item", item)
    return item


def _message(tx: Transaction, access: Access, sent: wire.BatchItemInput4) -> NewItem:
    for name in ("thread_uuid", "content", "role"):
        if getattr(sent, name) is None:
            raise InvalidInput(f"{name}: is required")
    return NewItem(
        thread_id=lookups.thread(tx, access, str(sent.thread_uuid)).thread_id,
        episode=NewEpisode(
            kind="message",
            content=sent.content or "",
            role=sent.role,
            speaker=sent.name,
            metadata=sent.metadata,
            created_at=checks.moment("reference_time", sent.reference_time),
        ),
    )


def _data(tx: Transaction, access: Access, sent: wire.BatchItemInput4) -> NewItem:
    if sent.data is None:
        raise InvalidInput("data: is required")
    named = [uuid for uuid in (sent.graph_uuid, sent.user_uuid) if uuid is not None]
    if len(named) != 1:
        raise InvalidInput("graph_uuid and user_uuid: give exactly one of them")
    where = lookups.place(tx, access, named[0])
    return NewItem(
        user_id=where.user_id,
        graph_id=where.graph_id,
        episode=NewEpisode(
            kind=sent.data_type or "text",
            content=sent.data,
            source_description=sent.source_description,
            document_id=sent.document_id,
            metadata=sent.metadata,
            created_at=checks.moment("reference_time", sent.reference_time),
        ),
    )


def _add(tx: Transaction, access: Access, uuid: str, sent: list[msgspec.Raw]) -> Done:
    taken, rejected = [], []
    batches.get(tx, access, uuid)
    for number, raw in enumerate(sent):
        try:
            taken.append(_new(tx, access, raw))
        except (InvalidInput, NotFound) as error:
            rejected.append(wire.RejectedItem4(index=number, reason=error.message))
    made = batches.add(tx, access, uuid, taken)
    items = _items(tx, access, made)
    return Done(answer=wire.BatchItems4(items=items, rejected_items=rejected))


async def add_items(call: Call) -> Reply:
    """Items at the end of a draft; those that cannot be taken are named, the others are taken."""
    sent: wire.AddBatchItems4 = call.body
    if not 1 <= len(sent.items) <= BATCH_ITEMS_PER_CALL_MAX:
        raise InvalidInput(
            f"items: 1 to {BATCH_ITEMS_PER_CALL_MAX} per call, got {len(sent.items)}"
        )
    return await once.write(call, _add, call.path["batch_uuid"], sent.items)


def _process(tx: Transaction, access: Access, uuid: str) -> Done:
    made = batches.process(tx, access, uuid)
    task: Any = None
    if made.status != "invalid":
        task = answers.batch_task(tx, access, uuid)
    return Done(answer=wire.ProcessBatch4(batch=show_project.batch(made), task=task), made=made)


async def process(call: Call) -> Reply:
    """Start a draft; with a target that is gone it becomes invalid instead, and has no task."""
    return await once.write(call, _process, call.path["batch_uuid"])


def _delete(tx: Transaction, access: Access, uuid: str) -> Done:
    batches.delete(tx, access, uuid)
    return Done()


async def delete(call: Call) -> Reply:
    """Remove a batch that was not processed."""
    return await once.write(call, _delete, call.path["batch_uuid"])


ROUTES = [
    Route(
        "GET",
        "/batches",
        "batch.list",
        list_all,
        "List batches",
        query=wire.BatchesQuery4,
        answer=Page4[wire.Batch4],
    ),
    Route(
        "POST",
        "/batches",
        "batch.create",
        create,
        "Create a draft batch",
        body=wire.CreateBatch4,
        answer=wire.Batch4,
    ),
    Route("GET", "/batches/{batch_uuid}", "batch.get", get, "Get a batch", answer=wire.Batch4),
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
        answer=Page4[wire.BatchItem4],
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
