"""Removes the text of a deleted fact from the episode that was written to state it.

A caller wrote the fact together with its nodes, and the nodes stay. So the episode becomes one that
states only its nodes.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from recollect.derive import readings
from recollect.graph import names
from recollect.graph.found import FoundEntity, Nodes, encode_direct, read_direct
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.episodes import TriplesStatingNothingRow
from recollect.store.queries.shapes import EntityRow


def unsay(tx: Transaction, episode_ids: Sequence[int]) -> int:
    """Blank those of the episodes that no longer state a fact; returns how many."""
    found = tx.episodes.triples_stating_nothing(ids=rows.to_json(list(episode_ids)))
    for row in found:
        _keep_nodes(tx, row)
    return len(found)


def _keep_nodes(tx: Transaction, row: TriplesStatingNothingRow) -> None:
    """Rewrite an episode to state only the nodes that still exist, under their current uuids."""
    there = tx.entities.mentioned_by(episode_id=row.id)
    said = read_direct("fact_triple", row.content)
    kept = [(one, uuid) for one in said.entities if (uuid := _uuid(one, there)) is not None]
    content = encode_direct(Nodes(nodes=tuple(one for one, _ in kept)))
    tx.episodes.becomes_nodes(id=row.id, content=content)
    reading = readings.of_episode(tx, row.id)
    if reading is not None:
        nodes = tuple(replace(one, uuid=uuid) for one, uuid in kept)
        readings.put(tx, row.id, replace(reading.found, entities=nodes, facts=()), ())


def _uuid(entity: FoundEntity, there: Sequence[EntityRow]) -> str | None:
    """The uuid of the node that an entity became, if it still exists."""
    form = names.normal(entity.name)
    for row in there:
        if (entity.who == "user" and row.is_user) or entity.uuid == row.uuid:
            return str(row.uuid)
        if form in {names.normal(name) for name in (row.name, *rows.from_json(row.names))}:
            return str(row.uuid)
    return None
