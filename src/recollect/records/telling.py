"""Things as they are told to an asker: as far as they may be seen, with the metadata they carry.

What may not be seen is left out. One query for each answer gives all its items their metadata.
"""

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from recollect.derive import effective
from recollect.derive.effective import DerivedKind
from recollect.graph.types import (
    Access,
    DocumentSummary,
    Entity,
    Fact,
    Observation,
    ThreadSummary,
)
from recollect.records import seeing, seeing_summaries
from recollect.store.protocol import Transaction

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
        return seeing_summaries.told(tx, access, "thread_summary", found)
    return _carrying(tx, "thread_summary", found)


def document_summaries(
    tx: Transaction, access: Access, found: Sequence[DocumentSummary]
) -> list[DocumentSummary]:
    """Summaries of documents as they may be told."""
    if access.visibility is not None:
        return seeing_summaries.told(tx, access, "document_summary", found)
    return _carrying(tx, "document_summary", found)


def _carrying(tx: Transaction, kind: DerivedKind, found: Sequence[Derived]) -> list[Derived]:
    carried = effective.of(tx, kind, [one.id for one in found])
    return [replace(one, metadata=carried[one.id]) for one in found]


def _placed(tx: Transaction, found: Sequence[Placed]) -> list[Placed]:
    """With the uuid of their graph, as those who ask know it."""
    rows = ((id_, tx.graphs.by_id(id=id_)) for id_ in {one.graph_id for one in found})
    uuids = {id_: row.uuid for id_, row in rows if row is not None}
    return [replace(one, graph_uuid=uuids.get(one.graph_id)) for one in found]
