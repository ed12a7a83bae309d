"""Whether everything that is stored rests on something: no orphans, and nothing that cannot be found.

Foreign keys keep most of this by themselves. It is looked at nevertheless: a store may have been
written by an earlier release, restored from a broken copy, or repaired by hand.
"""

from recollect.graph import summary
from recollect.graph.types import Record
from recollect.store import rows
from recollect.store.protocol import Transaction

_QUERIES = {
    "facts without an episode": "unsound_facts",
    "entities without an episode or a fact": "unsound_entities",
    "supports of nothing, or across graphs": "unsound_supports",
    "mentions of nothing, or across graphs": "unsound_mentions",
    "ends of facts by something that is not there": "unsound_closings",
    "names of nothing": "unsound_names",
    "index rows of something that is gone": "unsound_index_rows",
    "things that no search can find": "unsound_unindexed",
    "snapshots of versions that are not there": "unsound_snapshots",
    "observations that rest on nothing": "unsound_observations",
    "summaries of nothing": "unsound_summaries",
    "user summaries that rest on nothing": "unsound_written",
    "chapters that keep what none of their episodes says": "unsound_chapters",
    "jobs of no episode": "unsound_jobs",
    "unread episodes without a job": "unsound_unowed",
    "batch items that keep what they should not": "unsound_batch_items",
    "graphs of users without a user's node": "unsound_users",
    "guidance for nobody": "unsound_guidance",
    "session logs that are not at their last episode": "unsound_session_logs",
    "episodes of no session log, or under no id": "unsound_session_episodes",
    "open turns of nothing, or that miss an episode": "unsound_session_turns",
    "feeds of session logs into nothing, or into another graph": "unsound_session_feeds",
}


class Trouble(Record):
    """Something that must not be: what, how many of it, and which one for instance."""

    what: str
    count: int
    example: str


def check(tx: Transaction) -> list[Trouble]:
    """Everything that is wrong, of all projects; nothing when all is well."""
    found = []
    for what, query in _QUERIES.items():
        row = tx.one(query)
        if row is not None and row["n"]:
            found.append(Trouble(what=what, count=row["n"], example=str(row["one"])))
    return found + _unborne(tx)


def _unborne(tx: Transaction) -> list[Trouble]:
    """Entities whose summary tells what nothing bears out any more."""
    unborne = [
        uuid
        for graph in tx.all("graphs_all", graph_id=None)
        for uuid in _unborne_of(tx, graph["id"])
    ]
    what = "summaries of entities that tell of what is gone"
    return [Trouble(what=what, count=len(unborne), example=min(unborne))] if unborne else []


def _unborne_of(tx: Transaction, graph_id: int) -> list[str]:
    entities = {row["id"]: row for row in tx.all("graph_entities_told", graph_id=graph_id)}
    facts: dict[int, list[str]] = {}
    for row in tx.all("facts_around", ids=rows.to_json(list(entities))):
        facts.setdefault(row["entity_id"], []).append(row["fact"])
    pairs = []
    for number, row in entities.items():
        given = (rows.from_json(row["given"]) or {}).get("summary") or ""
        _, rest = summary.taken_apart(row["summary"], facts.get(number, []))
        pairs += [(number, text) for text in rest if text not in given]
    listed = rows.to_json(pairs)
    borne = {row["place"] for row in tx.all("texts_bearing", pairs=listed, among=None)}
    return [entities[pair[0]]["uuid"] for place, pair in enumerate(pairs) if place not in borne]
