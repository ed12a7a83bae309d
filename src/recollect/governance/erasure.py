"""Forgetting episodes, and with them whatever rested on nothing else."""

from collections.abc import Iterable

from recollect.store import index, rows
from recollect.store.protocol import Transaction


def forget_episodes(tx: Transaction, episode_ids: Iterable[int]) -> None:
    """Remove episodes from the log and from every association.

    A fact or an entity goes only when no other episode stands behind it; the user's own node
    never goes, and neither does a node that a surviving fact touches.
    """
    ids = list(episode_ids)
    if not ids:
        return
    listed = rows.to_json(ids)
    places = tx.all("episode_places", ids=listed)
    lonely = tx.all("facts_supported_only_by", episodes=listed)
    touched = {row["entity_id"] for row in tx.all("entity_ids_mentioned_by", episodes=listed)}
    touched.update(row["source_id"] for row in lonely)
    touched.update(row["target_id"] for row in lonely)
    tx.run("facts_delete", ids=rows.to_json([row["id"] for row in lonely]))
    tx.run("episodes_delete", ids=listed)
    removed = tx.all("entities_delete_unsupported", ids=rows.to_json(sorted(touched)))
    gone: dict[int, list[str]] = {}
    for row in (*places, *lonely, *removed):
        gone.setdefault(row["graph_id"], []).append(row["uuid"])
    for graph_id, uuids in gone.items():
        index.remove(tx, graph_id, uuids)
        tx.run("graph_edited", id=graph_id)
