"""Summaries of threads and documents as far as an asker may see what they are about."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec.structs import replace

from recollect.derive import effective, summaries
from recollect.derive.effective import DerivedKind
from recollect.graph import visibility as rules
from recollect.graph.types import Access, DocumentSummary, ThreadSummary
from recollect.graph.visibility import Visibility
from recollect.records import seeing
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.episodes import EpisodesOfSummaryRow

Summary = TypeVar("Summary", ThreadSummary, DocumentSummary)


def told(
    tx: Transaction, access: Access, kind: DerivedKind, found: Sequence[Summary]
) -> list[Summary]:
    """Those that may be seen. One that speaks of anything hidden is told again without it, and
    reaches as far as the newest episode that may be seen."""
    visibility = access.visibility
    if visibility is None or not found:
        return list(found)
    behind = effective.sources(tx, kind, [one.id for one in found])
    return [
        _told(tx, access, visibility, one)
        for one in found
        if visibility.sees(rules.effective(behind[one.id]))
    ]


def _told(tx: Transaction, access: Access, visibility: Visibility, one: Summary) -> Summary:
    every = tx.episodes.of_summary(id=one.id)
    seen = seeing.carriers(access, every)
    metadata = rules.effective(rows.from_json(row.metadata) for row in seen)
    facts = [row.id for row in tx.summaries.facts_kept(id=one.id)]
    visible = seeing.ids(tx, access, "fact", facts)
    if len(seen) == len(every) and visible.issuperset(facts):
        return replace(one, metadata=metadata)
    return replace(
        one,
        summary=summaries.retold(tx, one.id, visible, {row.id for row in _read(seen)}),
        metadata=metadata,
        updated_at=_newest(row.processed_at for row in _read(seen)) or one.created_at,
        covered_at=_newest(row.created_at for row in _read(seen)),
    )


def _read(seen: Sequence[EpisodesOfSummaryRow]) -> list[EpisodesOfSummaryRow]:
    """Those episodes that something was learned from already."""
    return [row for row in seen if row.processed_at is not None and not row.ignored]


def _newest(moments: Iterable[int | None]) -> datetime | None:
    """The latest of some times."""
    known = [moment for moment in moments if moment is not None]
    return rows.moment(max(known)) if known else None
