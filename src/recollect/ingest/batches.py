"""Bulk batches: drafted item by item, checked as a whole, then appended to the log in one commit.

The outcome of a batch is never stored. It is computed from the jobs and episodes that the batch
became, so it cannot be stale.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Literal

import msgspec

from recollect.errors import Conflict, InvalidInput, InvariantViolated, NotFound
from recollect.governance import quotas
from recollect.graph import checks
from recollect.graph.types import Access, Json, NewEpisode, Record
from recollect.ingest import intake
from recollect.limits import BATCH_ITEMS_MAX, BATCH_ITEMS_PER_CALL_MAX, BATCH_ITEMS_PER_READ
from recollect.records import seeing
from recollect.store import rows, tasks
from recollect.store.protocol import Transaction
from recollect.store.queries.batches import BatchItemsNextRow, BatchItemsPageRow, BatchRow

BatchStatus = Literal[
    "draft", "invalid", "queued", "processing", "succeeded", "partial", "failed", "canceled"
]
ItemStatus = Literal[
    "pending", "queued", "processing", "succeeded", "failed", "skipped", "canceled"
]
ItemKind = Literal["graph_episode", "thread_message"]

_OPEN: tuple[BatchStatus, ...] = ("draft", "invalid", "queued", "processing")
_episode = msgspec.json.Decoder(NewEpisode).decode


class Progress(Record):
    """How many items are in each state."""

    total: int
    queued: int = 0
    processing: int = 0
    succeeded: int = 0
    failed: int = 0
    skipped: int = 0
    canceled: int = 0

    @property
    def percent(self) -> float:
        """How much of the batch has finished, with whatever result."""
        ended = self.succeeded + self.failed + self.skipped + self.canceled
        return round(100 * ended / self.total, 2) if self.total else 0.0


class Batch(Record):
    """The current state of a batch."""

    uuid: str
    status: BatchStatus
    ignore_roles: list[str]
    strict_ontology: bool
    metadata: Json | None
    item_count: int
    progress: Progress
    created_at: datetime
    updated_at: datetime
    processed_at: datetime | None = None
    completed_at: datetime | None = None


class ItemError(Record):
    """Why an item failed: its target is unknown, or its job failed too often."""

    code: Literal["target_not_found", "job_parked"]
    message: str


class BatchItem(Record):
    """The current state of an item. Its uuid is also that of its episode, once there is one."""

    uuid: str
    sequence_index: int
    kind: ItemKind
    status: ItemStatus
    error: ItemError | None = None
    user_id: str | None = None
    user_uuid: str | None = None
    graph_id: str | None = None
    graph_uuid: str | None = None
    thread_id: str | None = None
    document_id: str | None = None
    created_at: datetime
    updated_at: datetime


class NewItem(Record):
    """An episode on its way to the one graph or thread that it names."""

    episode: NewEpisode
    user_id: str | None = None
    graph_id: str | None = None
    thread_id: str | None = None

    @property
    def kind(self) -> ItemKind:
        """A message goes to a thread, anything else to a graph."""
        return "graph_episode" if self.thread_id is None else "thread_message"


class BatchPage(Record):
    """Some batches, newest first, and where the next page begins."""

    batches: list[Batch]
    next_cursor: int | None = None


class ItemPage(Record):
    """Some items in order, and where the next page begins."""

    items: list[BatchItem]
    next_cursor: int | None = None


def create(
    tx: Transaction,
    access: Access,
    *,
    ignore_roles: Sequence[str] = (),
    strict_ontology: bool = False,
    metadata: Json | None = None,
) -> Batch:
    """A new, empty draft."""
    for number, role in enumerate(ignore_roles):
        checks.role(f"ignore_roles[{number}]", role)
    checks.json_object("metadata", metadata)
    uuid = tx.new_id()
    tx.batches.insert(
        uuid=uuid,
        project_id=access.project_id,
        ignore_roles=rows.to_json(list(dict.fromkeys(ignore_roles))),
        strict_ontology=strict_ontology,
        metadata=rows.to_json(metadata),
        now=rows.micros(tx.now),
    )
    return get(tx, access, uuid)


def get(tx: Transaction, access: Access, uuid: str) -> Batch:
    """A batch by its uuid."""
    return _batch(tx, _row(tx, access, uuid))


def page(
    tx: Transaction, access: Access, *, status: BatchStatus | None, limit: int, cursor: int | None
) -> BatchPage:
    """Batches, newest first, those of one status if given."""
    found = tx.batches.page(
        project_id=access.project_id,
        status=status,
        cursor=cursor or None,
        limit=limit + 1,
    )
    kept = found[:limit]
    return BatchPage(
        batches=[_batch(tx, row) for row in kept],
        next_cursor=kept[-1].number if len(found) > limit else None,
    )


def items(
    tx: Transaction,
    access: Access,
    uuid: str,
    *,
    status: ItemStatus | None,
    limit: int,
    cursor: int | None,
) -> ItemPage:
    """Items of a batch in order, those of one status if given."""
    batch_id, after = _row(tx, access, uuid).id, cursor or 0
    found: list[BatchItemsPageRow] = []
    while len(found) <= limit:
        read = tx.batches.items_page(
            batch_id=batch_id, status=status, cursor=after, limit=limit + 1
        )
        found += seeing.carriers(access, read)
        if len(read) <= limit:
            break
        after = read[-1].sequence_index + 1
    return ItemPage(
        items=[_item(row) for row in found[:limit]],
        next_cursor=found[limit].sequence_index if len(found) > limit else None,
    )


def check_items(new: Sequence[NewItem]) -> None:
    """Check the items of one call: their number, and each item."""
    if not new:
        raise InvalidInput("items: at least one is required")
    if len(new) > BATCH_ITEMS_PER_CALL_MAX:
        raise InvalidInput(f"items: at most {BATCH_ITEMS_PER_CALL_MAX} per call, got {len(new)}")
    for number, item in enumerate(new):
        check_item(f"items[{number}]", item)


def check_item(field: str, item: NewItem) -> None:
    """Check that an item is within its bounds and names exactly one target."""
    named = {
        name: value
        for name in ("thread_id", "user_id", "graph_id")
        if (value := getattr(item, name)) is not None
    }
    if len(named) > 1:
        raise InvalidInput(f"{field}: {' and '.join(named)}: give one of them, not both")
    if not named:
        raise InvalidInput(f"{field}: user_id or graph_id: one of them is required")
    for name, value in named.items():
        checks.caller_id(f"{field}.{name}", value)
    if item.kind == "thread_message":
        intake.check_message(field, item.episode)
    else:
        intake.check_episode(f"{field}.", item.episode)


def add(tx: Transaction, access: Access, uuid: str, new: Sequence[NewItem]) -> list[BatchItem]:
    """Append checked items to a draft."""
    batch = _row(tx, access, uuid)
    _require_draft(batch, "takes no more items")
    first: int = batch.item_count
    if first + len(new) > BATCH_ITEMS_MAX:
        raise InvalidInput(
            f"items: at most {BATCH_ITEMS_MAX} in a batch, which has {first} of them already"
        )
    quotas.spend(tx, access, "episodes", len(new))  # not charged again when it is processed
    tx.batches.grow(id=batch.id, count=len(new), now=rows.micros(tx.now))
    return [_insert(tx, batch.id, first + number, item) for number, item in enumerate(new)]


def _insert(tx: Transaction, batch_id: int, index: int, item: NewItem) -> BatchItem:
    uuid = tx.new_id()
    tx.batches.item_insert(
        uuid=uuid,
        batch_id=batch_id,
        sequence_index=index,
        kind=item.kind,
        user_id=item.user_id,
        graph_id=item.graph_id,
        thread_id=item.thread_id,
        content=rows.to_json(item.episode),
        now=rows.micros(tx.now),
    )
    return BatchItem(
        uuid=uuid,
        sequence_index=index,
        kind=item.kind,
        status="pending",
        user_id=item.user_id,
        graph_id=item.graph_id,
        thread_id=item.thread_id,
        document_id=item.episode.document_id,
        created_at=tx.now,
        updated_at=tx.now,
    )


def process(tx: Transaction, access: Access, uuid: str) -> Batch:
    """Turn all items of a draft into episodes and jobs; if any target is unknown, none of them.

    A target that was deleted is unknown, even if a new one has its name.
    """
    batch = _row(tx, access, uuid)
    _require_draft(batch, "was processed already")
    if not batch.item_count:
        raise InvalidInput("items: the batch has none")
    lost = tx.batches.items_refuse_lost(
        batch_id=batch.id,
        project_id=access.project_id,
        now=rows.micros(tx.now),
    )
    if lost:
        # It can never run, so nobody needs the contents of its items.
        tx.batches.items_drop_content(batch_id=batch.id)
    skipped = 0 if lost else _hand_in(tx, access, batch)
    if not lost:
        owed = batch.item_count - skipped
        tasks.note(tx, access.project_id, uuid, "batch.process", owed)
    tx.batches.close(
        id=batch.id,
        status="invalid" if lost else "queued",
        skipped=skipped,
        failed=lost,
        now=rows.micros(tx.now),
    )
    return get(tx, access, uuid)


def _hand_in(tx: Transaction, access: Access, batch: BatchRow) -> int:
    """Append every item to the log; returns how many were skipped: stored, but not read.

    Items are read a few hundred at a time, so that a batch of any size needs little memory.
    """
    for first in range(0, batch.item_count, BATCH_ITEMS_PER_READ):
        span = {"batch_id": batch.id, "first": first, "limit": BATCH_ITEMS_PER_READ}
        found = tx.batches.items_next(project_id=access.project_id, **span)
        # The sort is stable: items of one graph keep their order.
        found.sort(key=lambda row: row.graph_key)
        _append(tx, batch, found)
        tx.batches.items_hand_in(now=rows.micros(tx.now), **span)
    skipped = tx.batches.items_skipped(batch_id=batch.id)
    return skipped or 0


def _append(tx: Transaction, batch: BatchRow, found: Sequence[BatchItemsNextRow]) -> None:
    ignored = frozenset(rows.from_json(batch.ignore_roles))
    strict = bool(batch.strict_ontology)
    for (graph_id, thread_key), run in groupby(found, _place):
        intake.add_planned(
            tx,
            graph_id=graph_id,
            thread_key=thread_key,
            task_uuid=batch.uuid,
            planned=[
                (row.uuid, _decided(_episode(row.content), ignored, strict=strict)) for row in run
            ],
        )


def _place(row: BatchItemsNextRow) -> tuple[int, int | None]:
    return row.graph_key, row.thread_key


def _decided(new: NewEpisode, ignored: frozenset[str], *, strict: bool) -> NewEpisode:
    """An item's episode with the options of the whole batch applied."""
    return msgspec.structs.replace(new, ignored=new.role in ignored, strict_ontology=strict)


def delete(tx: Transaction, access: Access, uuid: str) -> None:
    """Remove a batch that was not processed, with its items."""
    batch = _row(tx, access, uuid)
    if batch.status == "queued":
        raise Conflict(f"batch {uuid} was processed: only a draft or invalid one can be deleted")
    tx.batches.delete(id=batch.id)


def _row(tx: Transaction, access: Access, uuid: str) -> BatchRow:
    row = tx.batches.by_uuid(uuid=uuid, project_id=access.project_id)
    if row is None:
        raise NotFound(f"batch not found: {uuid}")
    return row


def _require_draft(batch: BatchRow, otherwise: str) -> None:
    if batch.status != "draft":
        raise Conflict(f"batch {batch.uuid} {otherwise}: its status is {batch.state}")


def _batch(tx: Transaction, row: BatchRow) -> Batch:
    counts = tx.batches.progress(id=row.id, uuid=row.uuid)
    if counts is None:
        raise InvariantViolated("counting gave no row")
    others = row.skipped_count + counts.pending + counts.parked + counts.canceled
    ended = [at for at in (counts.succeeded_at, counts.parked_at) if at is not None]
    closed = row.state not in _OPEN
    return Batch(
        uuid=row.uuid,
        status=row.state,
        ignore_roles=rows.from_json(row.ignore_roles),
        strict_ontology=bool(row.strict_ontology),
        metadata=rows.from_json(row.metadata),
        item_count=row.item_count,
        progress=Progress(
            total=row.item_count,
            queued=counts.pending - counts.started,
            processing=counts.started,
            succeeded=row.item_count - others if row.status == "queued" else 0,
            failed=counts.parked + row.failed_count,
            skipped=row.skipped_count,
            canceled=counts.canceled,
        ),
        created_at=rows.moment(row.created_at),
        updated_at=rows.moment(max([row.updated_at, *ended])),
        processed_at=rows.moment_or_none(row.processed_at),
        completed_at=rows.moment(max([row.processed_at or 0, *ended])) if closed else None,
    )


def _item(row: BatchItemsPageRow) -> BatchItem:
    return BatchItem(
        uuid=row.uuid,
        sequence_index=row.sequence_index,
        kind=row.kind,
        status=row.state,
        error=_error(row),
        user_id=row.user_name,
        user_uuid=row.user_uuid,
        graph_id=row.graph_name,
        graph_uuid=row.graph_uuid,
        thread_id=row.thread_name,
        document_id=row.document_id,
        created_at=rows.moment(row.created_at),
        updated_at=rows.moment(row.updated_at),
    )


def _error(row: BatchItemsPageRow) -> ItemError | None:
    if row.error is not None:
        return ItemError(code="target_not_found", message=row.error)
    if row.state == "failed":
        return ItemError(code="job_parked", message=row.job_error or "the job failed")
    return None
