"""Items as the caller sees them: only what is visible, with metadata.

Hidden items are left out. One query per answer loads the metadata of all its items.
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
    """The visible summaries.

    One that mentions anything hidden is rebuilt without it, and reaches only as far as the newest visible
    episode.
    """
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
    """The episodes that something was already learned from."""
    return [row for row in seen if row.processed_at is not None and not row.ignored]


def _newest(moments: Iterable[int | None]) -> datetime | None:
    """The latest of some times."""
    known = [moment for moment in moments if moment is not None]
    return rows.moment(max(known)) if known else None


Placed = TypeVar("Placed", Fact, Entity)
Derived = TypeVar("Derived", Fact, Entity, Observation, ThreadSummary, DocumentSummary)


def facts(tx: Transaction, access: Access, found: Sequence[Fact]) -> list[Fact]:
    """The visible facts, with the graph they are in."""
    if access.visibility is not None:
        return _placed(tx, seeing.facts(tx, access, found))
    return _placed(tx, _carrying(tx, "fact", found))


def entities(tx: Transaction, access: Access, found: Sequence[Entity]) -> list[Entity]:
    """The visible entities, with the graph they are in."""
    if access.visibility is not None:
        return _placed(tx, seeing.entities(tx, access, found))
    return _placed(tx, _carrying(tx, "entity", found))


def observations(
    tx: Transaction, access: Access, found: Sequence[Observation]
) -> list[Observation]:
    """The visible observations."""
    if access.visibility is not None:
        return seeing.observations(tx, access, found)
    return _carrying(tx, "observation", found)


def thread_summaries(
    tx: Transaction, access: Access, found: Sequence[ThreadSummary]
) -> list[ThreadSummary]:
    """The visible thread summaries."""
    if access.visibility is not None:
        return seen_summaries(tx, access, "thread_summary", found)
    return _carrying(tx, "thread_summary", found)


def document_summaries(
    tx: Transaction, access: Access, found: Sequence[DocumentSummary]
) -> list[DocumentSummary]:
    """The visible document summaries."""
    if access.visibility is not None:
        return seen_summaries(tx, access, "document_summary", found)
    return _carrying(tx, "document_summary", found)


def _carrying(tx: Transaction, kind: DerivedKind, found: Sequence[Derived]) -> list[Derived]:
    carried = effective.of(tx, kind, [one.id for one in found])
    return [replace(one, metadata=carried[one.id]) for one in found]


def _placed(tx: Transaction, found: Sequence[Placed]) -> list[Placed]:
    """Add the uuid of each item's graph."""
    rows = ((id_, tx.graphs.by_id(id=id_)) for id_ in {one.graph_id for one in found})
    uuids = {id_: row.uuid for id_, row in rows if row is not None}
    return [replace(one, graph_uuid=uuids.get(one.graph_id)) for one in found]
