"""Things as they are told to an asker: as far as they may be seen, with the metadata they carry.

What may not be seen is left out. One query for each answer gives all its items their metadata.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec.structs import replace

from recollect.derive import effective, summaries
from recollect.derive.effective import DerivedKind
from recollect.graph import visibility as rules
from recollect.graph.types import (
    Access,
    DocumentSummary,
    Entity,
    Fact,
    Observation,
    ThreadSummary,
)
from recollect.graph.visibility import Visibility
from recollect.records import seeing
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.episodes import EpisodesOfSummaryRow

Summary = TypeVar("Summary", ThreadSummary, DocumentSummary)


def seen_summaries(
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


Placed = TypeVar("Placed", Fact, Entity)
Derived = TypeVar("Derived", Fact, Entity, Observation, ThreadSummary, DocumentSummary)


def facts(tx: Transaction, access: Access, found: Sequence[Fact]) -> list[Fact]:
    """Facts as they may be told, with the graph they are in."""
    if access.visibility is not None:
        return _placed(tx, seeing.facts(tx, access, found))
    return _placed(tx, _carrying(tx, "fact", found))


def entities(tx: Transaction, access: Access, found: Sequence[Entity]) -> list[Entity]:
    """Entities as they may be told, with the graph they are in."""
    if access.visibility is not None:
        return _placed(tx, seeing.entities(tx, access, found))
    return _placed(tx, _carrying(tx, "entity", found))


def observations(
    tx: Transaction, access: Access, found: Sequence[Observation]
) -> list[Observation]:
    """Observations as they may be told."""
    if access.visibility is not None:
        return seeing.observations(tx, access, found)
    return _carrying(tx, "observation", found)


def thread_summaries(
    tx: Transaction, access: Access, found: Sequence[ThreadSummary]
) -> list[ThreadSummary]:
    """Summaries of threads as they may be told."""
    if access.visibility is not None:
        return seen_summaries(tx, access, "thread_summary", found)
    return _carrying(tx, "thread_summary", found)


def document_summaries(
    tx: Transaction, access: Access, found: Sequence[DocumentSummary]
) -> list[DocumentSummary]:
    """Summaries of documents as they may be told."""
    if access.visibility is not None:
        return seen_summaries(tx, access, "document_summary", found)
    return _carrying(tx, "document_summary", found)


def _carrying(tx: Transaction, kind: DerivedKind, found: Sequence[Derived]) -> list[Derived]:
    carried = effective.of(tx, kind, [one.id for one in found])
    return [replace(one, metadata=carried[one.id]) for one in found]


def _placed(tx: Transaction, found: Sequence[Placed]) -> list[Placed]:
    """With the uuid of their graph, as those who ask know it."""
    rows = ((id_, tx.graphs.by_id(id=id_)) for id_ in {one.graph_id for one in found})
    uuids = {id_: row.uuid for id_, row in rows if row is not None}
    return [replace(one, graph_uuid=uuids.get(one.graph_id)) for one in found]
