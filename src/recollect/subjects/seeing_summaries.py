"""Summaries of threads and documents as far as an asker may see what they are about."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from msgspec.structs import replace

from recollect.graph import sight as rules
from recollect.graph.sight import Sight
from recollect.graph.types import Access, DocumentSummary, ThreadSummary
from recollect.store import effective, rows, summaries
from recollect.store.effective import DerivedKind
from recollect.store.protocol import Row, Transaction
from recollect.subjects import seeing

Summary = TypeVar("Summary", ThreadSummary, DocumentSummary)


def told(
    tx: Transaction, access: Access, kind: DerivedKind, found: Sequence[Summary]
) -> list[Summary]:
    """Those that may be seen. One that speaks of anything hidden is told again without it, and
    reaches as far as the newest episode that may be seen."""
    sight = access.sight
    if sight is None or not found:
        return list(found)
    behind = effective.sources(tx, kind, [one.id for one in found])
    return [
        _told(tx, access, sight, one)
        for one in found
        if sight.sees(rules.effective(behind[one.id]))
    ]


def _told(tx: Transaction, access: Access, sight: Sight, one: Summary) -> Summary:
    every = tx.all("episodes_of_summary", id=one.id)
    seen = seeing.carriers(access, every)
    metadata = rules.effective(rows.from_json(row["metadata"]) for row in seen)
    facts = [row["id"] for row in tx.all("summary_facts_kept", id=one.id)]
    visible = seeing.ids(tx, access, "fact", facts)
    if len(seen) == len(every) and visible.issuperset(facts):
        return replace(one, metadata=metadata)
    return replace(
        one,
        summary=summaries.retold(tx, one.id, visible, {row["id"] for row in _read(seen)}),
        metadata=metadata,
        updated_at=_newest(seen, "processed_at") or one.created_at,
        covered_at=_newest(seen, "created_at"),
    )


def _read(seen: Sequence[Row]) -> list[Row]:
    """Those episodes that something was learned from already."""
    return [row for row in seen if row["processed_at"] is not None and not row["ignored"]]


def _newest(seen: Sequence[Row], column: str) -> datetime | None:
    """The latest time in a column of the episodes that were read."""
    known = [row[column] for row in _read(seen)]
    return rows.moment(max(known)) if known else None
