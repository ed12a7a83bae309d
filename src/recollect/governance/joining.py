"""Two entities made one by hand: facts, mentions and names of the one go over to the other.

Nothing is closed and no fact is taken for another: that two people were one does not say which of two
contradicting sentences holds. What each of them was called is kept, so that both go on being found.
"""

from collections.abc import Sequence

from recollect.graph import merge, summary
from recollect.graph.gist import mark
from recollect.graph.types import Json
from recollect.store import derived, findable, index, knowledge, rows, taken_in, user_sides
from recollect.store.protocol import Row, Transaction


def join(tx: Transaction, kept: Row, gone: Row, *, called: str) -> None:
    """Let *kept* take in *gone*, which the one who asked for it *called* by that uuid."""
    graph_id, both = kept["graph_id"], rows.to_json([gone["id"]])
    facts = [row["id"] for row in tx.all("facts_of_entities", ids=both)]
    said = [row["episode_id"] for row in tx.all("mentions_of_entity", entity_id=gone["id"])]
    resting = derived.resting_on(tx, facts=facts, entities=[kept["id"], gone["id"]])
    to = {"kept": kept["id"], "gone": gone["id"]}
    for query in ("facts_join_sources", "facts_join_targets", "mentions_join"):
        tx.run(query, **to)
    _join_observations(tx, kept, gone)
    walls = tx.one("graph_has_walls", graph_id=graph_id) is not None
    _learn(tx, kept, gone, walls=walls)
    # What someone wrote of one side would be told on all of them.
    written = not (walls and kept["is_user"])
    _answer_for(tx, kept, gone, called, written=written)
    tx.run("entity_delete", id=gone["id"])
    _tell(tx, kept, gone, written=written)
    index.remove(tx, graph_id, "entity", [gone["id"]])
    index.touch(tx, graph_id, "fact", facts)
    index.touch(tx, graph_id, "episode", said)
    findable.settle(tx, derived.renew(tx, resting))


def _learn(tx: Transaction, kept: Row, gone: Row, *, walls: bool) -> None:
    """Names, type and attributes; a user's own node learns them on one side of the walls only."""
    side = gone["side"] if walls else None
    before = knowledge.known_on(tx, kept, side)
    changed = merge.as_changed(before, merge.joined(before, knowledge.known_on(tx, gone, side)))
    if changed is None:
        return
    if walls and kept["is_user"]:
        whole = knowledge.known_on(tx, kept, None)
        changed = user_sides.learn(tx, kept["id"], gone["side"], whole, changed)
    knowledge.change_entity(tx, kept["graph_id"], kept["id"], changed)


def _answer_for(tx: Transaction, kept: Row, gone: Row, called: str, *, written: bool) -> None:
    """Remember whom an entity took in, and whom that one had."""
    names = dict.fromkeys([gone["name"], *rows.from_json(gone["names"])])
    told: Json = {"marks": sorted({mark(name) for name in names}), "side": gone["side"]}
    others = taken_in.by(gone) | dict.fromkeys((called, gone["uuid"]), told)
    given: Json = rows.from_json(kept["given"]) or {}
    given[taken_in.FIELD] = taken_in.by(kept) | others
    other = (rows.from_json(gone["given"]) or {}).get("summary")
    if other and written:
        given["summary"] = " ".join(filter(None, (given.get("summary"), other)))
    tx.run("entity_set_given", id=kept["id"], given=rows.to_json(given))
    for uuid, one in others.items():
        named = {"graph_id": kept["graph_id"], "entity_id": kept["id"]}
        tx.run("entity_name_insert", key=taken_in.key(uuid, one["side"]), **named)


def _tell(tx: Transaction, kept: Row, gone: Row, *, written: bool) -> None:
    """The summaries of both as one: the facts that either told, in the order they were learned."""
    (row,) = tx.all("entities_by_ids", ids=rows.to_json([kept["id"]]))
    facts = [one["fact"] for one in tx.all("facts_around", ids=rows.to_json([kept["id"]]))]
    told, others = summary.taken_apart(kept["summary"], facts)
    also, rest = summary.taken_apart(gone["summary"], facts)
    spoken = [facts[place] for place in sorted({*told, *also})]
    text = summary.composed([*others, *(rest if written else ())], spoken)
    tx.run("entities_set_summaries", pairs=rows.to_json([[kept["id"], text]]))
    index.put(tx, kept["graph_id"], [index.entity_item(kept["id"], row["name"], text)])


def _join_observations(tx: Transaction, kept: Row, gone: Row) -> None:
    """Let what was observed of one be observed of the other; where both have it, the latter's stays."""
    for row in tx.all("observations_about", entity_id=gone["id"], uuid=gone["uuid"]):
        key = rows.to_json(_renamed(rows.from_json(row["key"]), gone["uuid"], kept["uuid"]))
        of = kept["id"] if row["entity_id"] == gone["id"] else row["entity_id"]
        there = tx.one("observation_at", entity_id=of, kind=row["kind"], key=key)
        if there is None:
            tx.run("observation_move", id=row["id"], entity_id=of, key=key)
        else:
            tx.run("observation_delete", id=row["id"])


def _renamed(key: Sequence[str | None], old: str, new: str) -> list[str | None]:
    """The key of an observation, which has the uuid of whom it is about at its third place."""
    predicate, slot, target, *rest = key
    return [predicate, slot, new if target == old else target, *rest]
