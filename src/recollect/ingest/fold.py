"""The graph as a fold: what readers found, taken in place by place, in the order of the log.

A step is what one reading changes, and everything that follows from it: index rows, summaries,
observations, chapters. Readings and changes by hand are all that a graph is made of, so a fold
from the beginning gives the same graph, whoever read and whenever.
"""

from collections.abc import Callable, Sequence
from itertools import count
from typing import TypeVar

import msgspec

from recollect.derive import chapters, derived, findable, readings, remainders, taken_in
from recollect.derive import summaries as thread_summaries
from recollect.derive.knowledge import Neighbourhood
from recollect.derive.readings import Vectors
from recollect.governance import erasure, outbox
from recollect.graph import copies, needs
from recollect.graph.delta import Delta, Known
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.graph.ledger import NewId
from recollect.graph.predicates import Predicates
from recollect.graph.reconcile import reconcile
from recollect.graph.resolve import resolve
from recollect.graph.types import Episode, Record
from recollect.ingest import naming, summaries
from recollect.records import edits, expiring, users
from recollect.store import index, rows
from recollect.store.index import IndexItem
from recollect.store.protocol import Refolded, Transaction
from recollect.store.queries.entities import EntityPlaceRow
from recollect.store.queries.facts import FactPlaceRow
from recollect.store.queries.readings import StepRow

FoundThing = TypeVar("FoundThing", FoundEntity, FoundFact)


class Step(Record):
    """One place of a log. *gone*: its episode was deleted, and what it said has other supporters."""

    episode: Episode
    found: Found
    vectors: Vectors
    gone: bool = False


class StepOutcome(Record):
    """What came of a step: facts that become findable, entities that are described otherwise, and facts
    that held before it."""

    items: list[IndexItem]
    described: set[int]
    closed: tuple[str, ...]


def take(tx: Transaction, step: Step, table: Predicates) -> Sequence[str]:
    """Let the graph take in one place of its log, which comes after all that it has taken in; tells
    which facts that closed."""
    learned = _take(tx, step, table)
    _find(tx, step.episode.graph_id, learned.described)
    return learned.closed


def _take(tx: Transaction, step: Step, table: Predicates) -> StepOutcome:
    """Everything but what entities are found by, which changes with most steps."""
    episode = step.episode
    learned = _learn(tx, step, table)
    index.put(tx, episode.graph_id, learned.items)
    if not step.gone:
        findable.put(tx, episode.graph_id, summaries.refresh(tx, episode, table))
    cited = [seq for fact in step.found.facts for seq in fact.cites]
    chapters.follow(tx, episode.graph_id, [episode.seq, *cited])
    readings.folded(tx, episode.graph_id, episode.seq)
    return learned


def _find(tx: Transaction, graph_id: int, entity_ids: set[int]) -> None:
    """Let entities be found by what is said of them now."""
    listed = rows.to_json(sorted(entity_ids))
    items = [
        index.entity_item(row.id, row.name, row.summary) for row in tx.entities.by_ids(ids=listed)
    ]
    index.put(tx, graph_id, items)


def go_on(tx: Transaction, graph_id: int, table: Predicates, *, limit: int) -> bool:
    """Take in the next places after the last one that a graph apart knows, and the edits made after
    them; says whether there are more."""
    found = tx.readings.steps_next(graph_id=graph_id, limit=limit)
    described = set[int]()
    edited = edits.first_place(tx, graph_id)
    for row in found:
        step = _step(row)
        if edited is not None and edited < step.episode.seq:
            edits.again(tx, graph_id, before=step.episode.seq)
            edited = edits.first_place(tx, graph_id)
        described |= _take(tx, step, table).described
    _find(tx, graph_id, described)
    if len(found) == limit:
        return True
    edits.again(tx, graph_id, before=None)
    erasure.forget_unsupported(tx, graph_id)
    return False


def start_over(tx: Transaction, graph_id: int) -> None:
    """Let a graph of which nothing but the user's own node and record is there begin anew."""
    users.restore_node(tx, graph_id)
    tx.graphs.unlearn_supports(graph_id=graph_id)
    tx.graphs.unlearn_closings(graph_id=graph_id)
    tx.graphs.unlearn_doubts(graph_id=graph_id)
    tx.graphs.fold_from_start(graph_id=graph_id)


def _step(row: StepRow) -> Step:
    kept = readings.reading(row)
    if row.episode is not None:
        return Step(episode=rows.episode(row.episode), found=kept.found, vectors=kept.fact_vectors)
    gone = readings.remains(row)
    return Step(episode=gone, found=kept.found, vectors=kept.fact_vectors, gone=True)


def _learn(tx: Transaction, step: Step, table: Predicates) -> StepOutcome:
    """Let a graph know what a reading says. An episode is learned as of when it was processed."""
    episode = step.episode
    distance = readings.distance(tx, episode.graph_id)
    side = readings.side(tx, episode.graph_id, episode.seq)
    found = copies.moved(step.found, distance)
    found = taken_in.followed(tx, episode.graph_id, side or "", found)
    found = _free_uuids(tx, episode.graph_id, side or "", found)
    now = episode.processed_at or tx.now
    around = Neighbourhood(tx, episode.graph_id, episode.id, side)
    wanted = needs.needs(found)
    entities = around.entities(wanted.keys, wanted.uuids)
    resolved = resolve(entities, found)
    facts = around.facts(needs.fact_needs(resolved, found, table, at=episode.created_at))
    delta = reconcile(
        Known(entities=entities + around.ends, facts=facts),
        found,
        now=now,
        at=episode.created_at,
        new_id=_new_ids(episode, found, distance),
        predicates=table,
        resolved=resolved,
    )
    named = {} if step.gone or found.guarded is None else naming.named(tx, episode, side)
    around.meet(named)
    mentions = tuple(dict.fromkeys((*delta.mentions, *named)))
    delta = msgspec.structs.replace(delta, mentions=mentions)
    around.apply(delta, now=now, extractor=found.extractor, gone=step.gone)
    cited = around.cite(delta)
    index.touch(tx, episode.graph_id, "episode", cited)
    changed = {fact.uuid for fact in delta.closed_facts} | {one.fact for one in delta.closings}
    changed |= {one.fact for one in delta.doubts}
    changed |= {one.fact for one in delta.supports if one.role == "restates"}
    index.touch(tx, episode.graph_id, "fact", sorted(map(around.fact_id, changed)))
    described = {item.uuid for item in delta.new_entities}
    described |= {item.uuid for item in delta.changed_entities}
    held = {fact.uuid for fact in facts if fact.invalid_at is None}
    return StepOutcome(
        items=_items(around, delta, step.vectors),
        described=set(map(around.entity_id, described)),
        closed=tuple(fact.uuid for fact in delta.closed_facts if fact.uuid in held),
    )


def _new_ids(episode: Episode, found: Found, distance: int) -> NewId:
    """Ids for what is new, the same every time; none of them was asked for by name."""
    at = copies.placed(episode, distance)
    asked = {item.uuid for item in found.entities} | {item.uuid for item in found.facts}
    places = len(found.entities) + len(found.facts)
    counted = count()

    def free(place: int) -> str:
        following = count(place, places) if found.placed else counted
        return next(made for number in following if (made := at(number)) not in asked)

    return free


def _free_uuids(tx: Transaction, graph_id: int, side: str, found: Found) -> Found:
    """*found* without the uuids that callers asked for and that are used already: in another graph,
    or beyond a wall."""
    there = graph_id, side

    def free(
        item: FoundThing, place_of: Callable[..., EntityPlaceRow | FactPlaceRow | None]
    ) -> FoundThing:
        taken = place_of(uuid=item.uuid) if item.uuid is not None else None
        if taken is None or taken.is_user or (taken.graph_id, taken.side) == there:
            return item
        return msgspec.structs.replace(item, uuid=None)

    return msgspec.structs.replace(
        found,
        entities=tuple(free(item, tx.entities.place) for item in found.entities),
        facts=tuple(free(item, tx.facts.place) for item in found.facts),
    )


def _items(around: Neighbourhood, delta: Delta, vectors: Sequence[bytes | None]) -> list[IndexItem]:
    return [
        index.fact_item(around.fact_id(fact.uuid), fact.fact, vectors[fact.found])
        for fact in delta.new_facts
    ]


def settle(tx: Transaction, put_back: Refolded) -> None:
    """See to what rests on a graph that was folded again: what deleted episodes left, what the
    injection log tells of facts that are gone, and what was written of its threads, which nobody
    writes a second time while the facts under it are the same.
    """
    remainders.renew(tx, put_back.graph_id)
    expiring.follow_fold(tx, put_back.graph_id)
    outbox.withdraw(tx, put_back.graph_id)
    outbox.tell(tx, put_back.graph_id, outbox.closed(put_back.closed))
    tx.injections.drop_gone(graph_id=put_back.graph_id)
    for number in put_back.outdated:
        tx.summaries.unwrite(id=number)
    told = (
        thread_summaries.as_told(tx, number) for number in (*put_back.outdated, *put_back.changed)
    )
    made = [derived.summary(one) for one in told if one is not None]
    findable.put(tx, put_back.graph_id, made)
