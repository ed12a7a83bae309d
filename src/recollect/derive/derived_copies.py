"""Copies observations, document summaries and chapters with their graph; threads are not copied."""

from collections.abc import Callable, Mapping, Sequence

from recollect.derive import chapters
from recollect.store import numbers, rows
from recollect.store.protocol import Transaction
from recollect.store.queries.observations import ObservationRow
from recollect.store.queries.summaries import SummaryRow

Pairs = Sequence[tuple[int, int]]
Moved = Callable[[str], str]


def copy(
    tx: Transaction, source_id: int, target_id: int, *, entities: Pairs, facts: Pairs, moved: Moved
) -> list[tuple[int, int]]:
    """Copy what was derived from the original graph into its copy.

    *entities* and *facts* are pairs of an original's row id and its copy's. Returns such pairs for
    observations. *moved* maps a uuid of the original to that of its copy.
    """
    same_entity, same_fact = dict(entities), dict(facts)
    made = []
    for old in tx.observations.copied(graph_id=source_id):
        if old.entity_id in same_entity:
            new = _observation(tx, old, target_id, same_entity, moved)
            behind = tx.observations.fact_ids(id=old.id)
            listed = [same_fact[number] for number in behind if number in same_fact]
            tx.observations.facts_add(id=new, facts=rows.to_json(listed))
            made.append((old.id, new))
    for summary in tx.summaries.copied(graph_id=source_id):
        _summary(tx, summary, target_id, same_fact, moved)
    chapters.copy(tx, source_id, target_id, facts=facts)
    return made


def key_with(key: str, rename: Moved) -> str:
    """An observation's key with the uuid of its entity replaced, for a copy of its graph."""
    predicate, slot, target, *rest = rows.from_json(key)
    return rows.to_json([predicate, slot, target and rename(target), *rest]) or ""


def _observation(
    tx: Transaction, old: ObservationRow, graph_id: int, same: Mapping[int, int], moved: Moved
) -> int:
    def copied(uuid: str) -> str:
        place = tx.entities.place(uuid=uuid)
        entity = None if place is None else tx.entities.by_id(id=same.get(place.id))
        return uuid if entity is None else str(entity.uuid)

    return tx.observations.insert(
        **numbers.of_graph(graph_id),
        uuid=moved(old.uuid),
        graph_id=graph_id,
        entity_id=same[old.entity_id],
        kind=old.kind,
        key=key_with(old.key, copied),
        name=old.name,
        summary=old.summary,
        label=old.label,
        start_at=old.start_at,
        latest_evidence_at=old.latest_evidence_at,
        end_at=old.end_at,
        created_at=old.created_at,
    )


def _summary(
    tx: Transaction, old: SummaryRow, graph_id: int, same: Mapping[int, int], moved: Moved
) -> None:
    new = tx.summaries.insert(
        **numbers.of_graph(graph_id),
        uuid=moved(old.uuid),
        graph_id=graph_id,
        thread_id=None,
        document_id=old.document_id,
        summary=old.summary,
        now=old.created_at,
        covered_at=old.covered_at,
    )
    tx.summaries.update(
        id=new,
        summary=old.summary,
        episode_count=old.episode_count,
        updated_at=old.updated_at,
        covered_at=old.covered_at,
        forget=False,
    )
    behind = [row.id for row in tx.summaries.facts_kept(id=old.id)]
    listed = [same[number] for number in behind if number in same]
    tx.summaries.facts_add(id=new, facts=rows.to_json(listed))
