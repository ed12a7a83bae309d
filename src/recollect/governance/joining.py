"""Merges two entities by hand: facts, mentions and names of one move to the other.

No fact is closed or deduplicated: that two people were one does not say which of two contradicting
sentences holds. The names of both are kept, so that both are still found.
"""

from collections.abc import Sequence

from recollect.derive import derived, findable, knowledge, taken_in, user_sides
from recollect.graph import reconcile, summary
from recollect.graph.gist import mark
from recollect.graph.types import Json
from recollect.store import index, rows
from recollect.store.protocol import Transaction
from recollect.store.queries.shapes import EntityRow


def join(tx: Transaction, kept: EntityRow, gone: EntityRow, *, called: str) -> None:
    """Merge *gone* into *kept*; *called* is the uuid by which the caller named *gone*."""
    graph_id, both = kept.graph_id, rows.to_json([gone.id])
    facts = [row.id for row in tx.facts.of_entities(ids=both)]
    said = tx.links.mentions_of_entity(entity_id=gone.id)
    resting = derived.resting_on(tx, facts=facts, entities=[kept.id, gone.id])
    to = {"kept": kept.id, "gone": gone.id}
    for join_links in (tx.facts.join_sources, tx.facts.join_targets, tx.links.mentions_join):
        join_links(**to)
    _join_observations(tx, kept, gone)
    walls = tx.graphs.has_walls(graph_id=graph_id) is not None
    _learn(tx, kept, gone, walls=walls)
    # Otherwise a summary written on one side would be visible on all of them.
    written = not (walls and kept.is_user)
    _answer_for(tx, kept, gone, called, written=written)
    tx.entities.delete(id=gone.id)
    _tell(tx, kept, gone, written=written)
    index.remove(tx, graph_id, "entity", [gone.id])
    index.touch(tx, graph_id, "fact", facts)
    index.touch(tx, graph_id, "episode", said)
    findable.settle(tx, derived.renew(tx, resting))


def _learn(tx: Transaction, kept: EntityRow, gone: EntityRow, *, walls: bool) -> None:
    """Merge names, type and attributes; a user's own node learns them on one side only."""
    side = gone.side if walls else None
    before = knowledge.known_on(tx, kept, side)
    changed = reconcile.as_changed(
        before, reconcile.joined(before, knowledge.known_on(tx, gone, side))
    )
    if changed is None:
        return
    if walls and kept.is_user:
        whole = knowledge.known_on(tx, kept, None)
        changed = user_sides.learn(tx, kept.id, gone.side, whole, changed)
    knowledge.change_entity(tx, kept.graph_id, kept.id, changed)


def _answer_for(
    tx: Transaction, kept: EntityRow, gone: EntityRow, called: str, *, written: bool
) -> None:
    """Remember which entities an entity absorbed, including those that *gone* had absorbed."""
    names = dict.fromkeys([gone.name, *rows.from_json(gone.names)])
    told: Json = {"marks": sorted({mark(name) for name in names}), "side": gone.side}
    others = taken_in.by(gone) | dict.fromkeys((called, gone.uuid), told)
    given: Json = rows.from_json(kept.given) or {}
    given[taken_in.FIELD] = taken_in.by(kept) | others
    other = (rows.from_json(gone.given) or {}).get("summary")
    if other and written:
        given["summary"] = " ".join(filter(None, (given.get("summary"), other)))
    tx.entities.set_given(id=kept.id, given=rows.to_json(given))
    for uuid, one in others.items():
        named = {"graph_id": kept.graph_id, "entity_id": kept.id}
        tx.entities.name_insert(key=taken_in.key(uuid, one["side"]), **named)


def _tell(tx: Transaction, kept: EntityRow, gone: EntityRow, *, written: bool) -> None:
    """Merge both summaries: the facts mentioned in either, in the order they were learned."""
    (row,) = tx.entities.by_ids(ids=rows.to_json([kept.id]))
    facts = [one.fact for one in tx.facts.around(ids=rows.to_json([kept.id]))]
    told, others = summary.taken_apart(kept.summary, facts)
    also, rest = summary.taken_apart(gone.summary, facts)
    spoken = [facts[place] for place in sorted({*told, *also})]
    text = summary.composed([*others, *(rest if written else ())], spoken)
    tx.entities.set_summaries(pairs=rows.to_json([[kept.id, text]]))
    index.put(tx, kept.graph_id, [index.entity_item(kept.id, row.name, text)])


def _join_observations(tx: Transaction, kept: EntityRow, gone: EntityRow) -> None:
    """Move observations to the other entity; where both have the same one, the other's stays."""
    for row in tx.observations.about(entity_id=gone.id, uuid=gone.uuid):
        key = rows.to_json(_renamed(rows.from_json(row.key), gone.uuid, kept.uuid))
        of = kept.id if row.entity_id == gone.id else row.entity_id
        there = tx.observations.at(entity_id=of, kind=row.kind, key=key)
        if there is None:
            tx.observations.move(id=row.id, entity_id=of, key=key)
        else:
            tx.observations.delete(id=row.id)


def _renamed(key: Sequence[str | None], old: str, new: str) -> list[str | None]:
    """Replace the uuid in an observation's key; it is the third part."""
    predicate, slot, target, *rest = key
    return [predicate, slot, new if target == old else target, *rest]
