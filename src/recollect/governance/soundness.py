"""Checks that everything stored rests on something: no orphans, and nothing unfindable.

Foreign keys guarantee most of this. It is checked anyway: a store may have been written by an earlier
release, restored from a broken copy, or repaired by hand.
"""

from recollect.graph import summary
from recollect.graph.types import Record
from recollect.store import rows
from recollect.store.protocol import Transaction

_CHECKS = {
    "facts without an episode": "facts",
    "entities without an episode or a fact": "entities",
    "supports of nothing, or across graphs": "supports",
    "mentions of nothing, or across graphs": "mentions",
    "ends of facts by something that is not there": "closings",
    "names of nothing": "names",
    "index rows of something that is gone": "index_rows",
    "things that no search can find": "unindexed",
    "snapshots of versions that are not there": "snapshots",
    "observations that rest on nothing": "observations",
    "summaries of nothing": "summaries",
    "user summaries that rest on nothing": "written",
    "chapters that keep what none of their episodes says": "chapters",
    "jobs of no episode": "jobs",
    "unread episodes without a job": "unowed",
    "batch items that keep what they should not": "batch_items",
    "graphs of users without a user's node": "users",
    "guidance for nobody": "guidance",
    "session logs that are not at their last episode": "session_logs",
    "episodes of no session log, or under no id": "session_episodes",
    "open turns of nothing, or that miss an episode": "session_turns",
    "feeds of session logs into nothing, or into another graph": "session_feeds",
    "deliveries to webhooks that tell of something that is gone": "deliveries",
}


class Trouble(Record):
    """A violation: what, how many, and one example."""

    what: str
    count: int
    example: str


def check(tx: Transaction) -> list[Trouble]:
    """All violations, in all projects."""
    found = []
    for what, check_ in _CHECKS.items():
        row = tx.soundness.count(check_)
        if row is not None and row.n:
            found.append(Trouble(what=what, count=row.n, example=str(row.one)))
    return found + _unborne(tx)


def _unborne(tx: Transaction) -> list[Trouble]:
    """Entities whose summary mentions what nothing supports any more."""
    unborne = [uuid for graph in tx.graphs.all(graph_id=None) for uuid in _unborne_of(tx, graph.id)]
    what = "summaries of entities that tell of what is gone"
    return [Trouble(what=what, count=len(unborne), example=min(unborne))] if unborne else []


def _unborne_of(tx: Transaction, graph_id: int) -> list[str]:
    entities = {row.id: row for row in tx.graphs.entities_told(graph_id=graph_id)}
    facts: dict[int, list[str]] = {}
    for row in tx.facts.around(ids=rows.to_json(list(entities))):
        facts.setdefault(row.entity_id, []).append(row.fact)
    pairs = []
    for number, entity in entities.items():
        given = (rows.from_json(entity.given) or {}).get("summary") or ""
        _, rest = summary.taken_apart(entity.summary, facts.get(number, []))
        pairs += [(number, text) for text in rest if text not in given]
    listed = rows.to_json(pairs)
    borne = set(tx.graphs.texts_bearing(pairs=listed, among=None))
    return [entities[pair[0]].uuid for place, pair in enumerate(pairs) if place not in borne]
