"""Key-value storage in a graph, as the stores of agent frameworks need it.

Each value is a JSON episode, so facts can be learned from it. Overwriting a key erases the old value
with everything that only it supported.
"""

from datetime import datetime
from typing import Any

from recollect.app.services import Services
from recollect.app.units import reads
from recollect.errors import NotFound
from recollect.governance.receipts import Erased
from recollect.graph.types import Access, NewEpisode, Record
from recollect.ingest import intake
from recollect.ingest.intake import Receipt
from recollect.records import erasing, graphs
from recollect.records.graphs import GraphDetails
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.episodes import EpisodeRow

_FIRST = "first_put_at"


class StoredValue(Record):
    """A value as it is stored."""

    uuid: str
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class Put(Record):
    """The result of a put: the receipt of the new value, and the erasure of the old one if any."""

    receipt: Receipt
    erased: Erased | None


async def put(
    services: Services,
    access: Access,
    graph_id: str,
    key: str,
    value: dict[str, Any],
    *,
    found: bool,
) -> str | None:
    """Store a value under a key; returns the task that learns from it.

    Unless it should be *found* by searches, nothing is learned from it.
    """
    done = await services.store.write(_put, access, graph_id, key, value, found)
    if done.erased is not None:
        await services.wipe(done.erased)
    return done.receipt.task_uuid


def _put(
    tx: Transaction, access: Access, graph_id: str, key: str, value: dict[str, Any], found: bool
) -> Put:
    old = _one(tx, access, graph_id, key)
    erased = None if old is None else erasing.episode(tx, access, old.uuid, "forget")
    first = tx.now if old is None else old.created_at
    new = NewEpisode(
        kind="json",
        content=rows.to_json(value) or "",
        document_id=key,
        ignored=not found,
        created_at=tx.now,
        extra={_FIRST: first.isoformat()},
    )
    intake.check_episode("", new)
    _graph(tx, access, graph_id)
    receipt = intake.add_episodes(tx, access, None, graph_id, [new])
    return Put(receipt=receipt, erased=erased)


async def one(services: Services, access: Access, graph_id: str, key: str) -> StoredValue | None:
    """The value under a key, if there is one."""
    return await services.store.read(_one, access, graph_id, key)


def _one(tx: Transaction, access: Access, graph_id: str, key: str) -> StoredValue | None:
    try:
        graph = graphs.get(tx, access, graph_id)
    except NotFound:
        return None
    row = tx.items.newest(graph_id=graph.id, key=key)
    return None if row is None else _item(row)


@reads
def of_graph(tx: Transaction, access: Access, graph_id: str) -> list[StoredValue]:
    """Every value of a graph, in the order they were put."""
    graph = graphs.get(tx, access, graph_id)
    return [_item(row) for row in tx.items.of_graph(graph_id=graph.id)]


@reads
def by_uuids(tx: Transaction, access: Access, uuids: list[str]) -> dict[str, StoredValue]:
    """Values by the uuids of their episodes, which must come from a search by the same caller."""
    found = tx.items.by_uuids(uuids=rows.to_json(uuids))
    return {row.uuid: _item(row) for row in found}


@reads
def graph_ids(tx: Transaction, access: Access, prefix: str) -> list[str]:
    """The graphs with values whose id is *prefix*, or starts with *prefix* and a dot."""
    project = access.project_id
    first, last = f"{prefix}.", f"{prefix}/"  # the slash comes right after the dot
    below = tx.items.graphs(project_id=project, first=first, last=last)
    own = tx.items.graphs(project_id=project, first=prefix, last=f"{prefix}\x00")
    return [row.graph_id for row in [*own, *below]]


def _graph(tx: Transaction, access: Access, graph_id: str) -> None:
    try:
        graphs.get(tx, access, graph_id)
    except NotFound:
        graphs.create(tx, access, graph_id, GraphDetails(), field="namespace")


def _item(row: EpisodeRow) -> StoredValue:
    kept = rows.from_json(row.extra) or {}
    put_at = rows.moment(row.created_at)
    return StoredValue(
        uuid=row.uuid,
        key=row.document_id,
        value=_value(row),
        created_at=datetime.fromisoformat(kept[_FIRST]) if _FIRST in kept else put_at,
        updated_at=put_at,
    )


def _value(row: EpisodeRow) -> dict[str, Any]:
    value = rows.from_json(row.content) if row.kind == "json" else row.content
    return value if isinstance(value, dict) else {"value": value}
