"""Forgetting episodes, and with them whatever rested on nothing else."""

from collections.abc import Iterable

from recollect.store import derived, findable, index, rows
from recollect.store.index import ItemKind
from recollect.store.protocol import Row, Transaction


def forget_episodes(tx: Transaction, episode_ids: Iterable[int]) -> None:
    """Remove episodes from the log and from every association.

    A fact or an entity goes only when no other episode stands behind it; the user's own node
    never goes, and neither does a node that a surviving fact touches.
    """
    ids = list(episode_ids)
    if not ids:
        return
    listed = rows.to_json(ids)
    resting = derived.resting_on(tx, episodes=ids)
    places = tx.all("episode_places", ids=listed)
    lonely = tx.all("facts_supported_only_by", episodes=listed)
    touched = {row["entity_id"] for row in tx.all("entity_ids_mentioned_by", episodes=listed)}
    touched.update(row["source_id"] for row in lonely)
    touched.update(row["target_id"] for row in lonely)
    tx.run("facts_delete", ids=rows.to_json([row["id"] for row in lonely]))
    tx.run("episodes_delete", ids=listed)
    removed = tx.all("entities_delete_unsupported", ids=rows.to_json(sorted(touched)))
    _unindex(tx, "fact", lonely)
    _unindex(tx, "entity", removed)
    for graph_id in _unindex(tx, "episode", places):
        tx.run("graph_edited", id=graph_id)
    findable.settle(tx, derived.renew(tx, resting))


def _unindex(tx: Transaction, kind: ItemKind, gone: Iterable[Row]) -> list[int]:
    """Make what is gone unfindable; tells in which graphs it was."""
    ids: dict[int, list[int]] = {}
    for row in gone:
        ids.setdefault(row["graph_id"], []).append(row["id"])
    for graph_id, numbers in ids.items():
        index.remove(tx, graph_id, kind, numbers)
    return list(ids)
