"""The graph as a fold: what readers found, folded in position by position, in log order.

A step is what one reading changes, and everything that follows from it: index rows, summaries,
observations, chapters. Readings and changes by hand are all that a graph is made of, so a fold
from the start gives the same graph, whichever reader read and whenever.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import TypeVar

import msgspec

from recollect.derive import chapters, derived, findable, readings, remainders, taken_in
from recollect.derive import summaries as thread_summaries
from recollect.derive.derived import Derived
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
from recollect.graph.types import Episode, Kind, Record
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
    """One position of a log. *gone*: its episode was deleted, and what it said has other support.

    *side*: of the walls drawn by policies; None without walls. *distance*: how far the uuids of the
    graph are shifted from those in its readings.
    """

    episode: Episode
    found: Found
    vectors: Vectors
    side: str | None
    distance: int
    gone: bool = False

    @property
    def is_named_in(self) -> bool:
        """Whether its text names what is known; with a reading of an earlier version it does not."""
        return not self.gone and self.found.guarded is not None


class StepOutcome(Record):
    """What a step changed.

    *facts* to index; entities *mentioned*; facts and episodes *touched*, whose filters change; entities
    *described* anew; what was *derived*; and facts *closed* that held before.
    """

    facts: list[IndexItem]
    mentioned: list[int]
    touched: dict[Kind, list[int]]
    described: set[int]
    derived: list[Derived]
    closed: tuple[str, ...]


class _Slice:
    """Consecutive steps that are folded into a graph.

    Their index rows change with every step, so they are written once, as the last step left them;
    and mentions, because no step asks for them.
    *coming*: the steps, none of which is taken yet.
    """

    def __init__(self, tx: Transaction, graph_id: int, coming: Iterable[Step]) -> None:
        self._tx = tx
        self._graph_id = graph_id
        self._steps: list[tuple[Step, StepOutcome]] = []
        self._has_chapters = chapters.made(tx, graph_id) is not None
        searched = (step.episode for step in coming if step.is_named_in)
        self._naming = naming.Naming(tx, graph_id, searched)

    def take(self, step: Step, table: Predicates) -> StepOutcome:
        """Fold in one more step."""
        taken = _learn(self._tx, step, table, self._naming)
        if self._has_chapters:
            cited = [seq for fact in step.found.facts for seq in fact.cites]
            chapters.follow(self._tx, self._graph_id, [step.episode.seq, *cited])
        self._steps.append((step, taken))
        return taken

    def settle(self) -> None:
        """Write the mentions of the steps, and the index rows of everything that they changed."""
        if not self._steps:
            return
        tx, graph_id = self._tx, self._graph_id
        every = [taken for _, taken in self._steps]
        pairs = [(one, step.episode.id) for step, taken in self._steps for one in taken.mentioned]
        if pairs:
            tx.links.mentions_add(pairs=rows.to_json(pairs))
        index.put(tx, graph_id, [item for taken in every for item in taken.facts])
        kinds: tuple[Kind, ...] = ("episode", "fact")
        for kind in kinds:
            touched = {number for taken in every for number in taken.touched[kind]}
            index.touch(tx, graph_id, kind, sorted(touched))
        derived = {(one.kind, one.id): one for taken in every for one in taken.derived}
        findable.put(tx, graph_id, list(derived.values()))
        _find(tx, graph_id, {number for taken in every for number in taken.described})
        readings.folded(tx, graph_id, self._steps[-1][0].episode.seq)
        self._steps.clear()


def take(tx: Transaction, step: Step, table: Predicates) -> Sequence[str]:
    """Fold in one position of the log, after all that were folded before; returns the facts it closed."""
    steps = _Slice(tx, step.episode.graph_id, [step])
    taken = steps.take(step, table)
    steps.settle()
    return taken.closed


def _find(tx: Transaction, graph_id: int, entity_ids: set[int]) -> None:
    """Index entities by their current names and summaries."""
    listed = rows.to_json(sorted(entity_ids))
    items = [
        index.entity_item(row.id, row.name, row.summary) for row in tx.entities.by_ids(ids=listed)
    ]
    index.put(tx, graph_id, items)


def go_on(tx: Transaction, graph_id: int, table: Predicates, *, limit: int) -> bool:
    """Fold the next positions into a separate copy of a graph, and the edits made after them.

    Returns whether there may be more.
    """
    found = list(map(_step, tx.readings.steps_next(graph_id=graph_id, limit=limit)))
    steps = _Slice(tx, graph_id, found)
    edited = edits.first_place(tx, graph_id)
    for number, step in enumerate(found):
        if edited is not None and edited < step.episode.seq:
            steps.settle()
            edits.again(tx, graph_id, before=step.episode.seq)
            edited = edits.first_place(tx, graph_id)
            steps = _Slice(tx, graph_id, found[number:])
        steps.take(step, table)
    steps.settle()
    if len(found) == limit:
        return True
    edits.again(tx, graph_id, before=None)
    erasure.forget_unsupported(tx, graph_id)
    return False


def start_over(tx: Transaction, graph_id: int) -> None:
    """Prepare a fold from the start, for a graph with nothing but the user's own node and record."""
    users.restore_node(tx, graph_id)
    tx.graphs.unlearn_supports(graph_id=graph_id)
    tx.graphs.unlearn_closings(graph_id=graph_id)
    tx.graphs.unlearn_doubts(graph_id=graph_id)
    tx.graphs.fold_from_start(graph_id=graph_id)


def _step(row: StepRow) -> Step:
    kept = readings.reading(row)
    return Step(
        episode=readings.remains(row) if row.episode is None else rows.episode(row.episode),
        found=kept.found,
        vectors=kept.fact_vectors,
        side=row.side,
        distance=row.distance,
        gone=row.episode is None,
    )


def _learn(tx: Transaction, step: Step, table: Predicates, searched: naming.Naming) -> StepOutcome:
    """Write what a reading says into the graph. An episode is learned as of when it was processed."""
    episode, side = step.episode, step.side
    found = copies.moved(step.found, step.distance)
    found = taken_in.followed(tx, episode.graph_id, side or "", found)
    found = _free_uuids(tx, episode.graph_id, side or "", found)
    now = episode.processed_at or tx.now
    around = Neighbourhood(tx, episode.graph_id, episode.id, side)
    entities = around.entities(needs.needs(found))
    entities += around.alike(needs.alike_needs(entities, found))
    resolved = resolve(entities, found)
    facts = around.facts(needs.fact_needs(resolved, found, table, at=episode.created_at))
    delta = reconcile(
        Known(entities=entities + around.ends, facts=facts),
        found,
        now=now,
        at=episode.created_at,
        new_id=_new_ids(episode, found, step.distance),
        predicates=table,
        resolved=resolved,
    )
    named = searched.named(episode, side)
    around.meet(named)
    mentioned = () if step.gone else dict.fromkeys((*delta.mentions, *named))
    around.apply(delta, now=now, extractor=found.extractor, gone=step.gone)
    searched.learn(around.new_keys)
    cited = around.cite(delta)
    changed = {fact.uuid for fact in delta.closed_facts} | {one.fact for one in delta.closings}
    changed |= {one.fact for one in delta.doubts}
    changed |= {one.fact for one in delta.supports if one.role == "restates"}
    described = {item.uuid for item in delta.new_entities}
    described |= {item.uuid for item in delta.changed_entities}
    held = {fact.uuid for fact in facts if fact.invalid_at is None}
    return StepOutcome(
        facts=_items(around, delta, step.vectors),
        mentioned=list(map(around.entity_id, mentioned)),
        touched={"episode": cited, "fact": list(map(around.fact_id, changed))},
        described=set(map(around.entity_id, described)),
        derived=[] if step.gone else summaries.refresh(tx, episode, table, delta, step.distance),
        closed=tuple(fact.uuid for fact in delta.closed_facts if fact.uuid in held),
    )


def _new_ids(episode: Episode, found: Found, distance: int) -> NewId:
    """Ids for new items, the same in every fold; none is a uuid that a caller requested."""
    at = copies.placed(episode, distance)
    asked = {item.uuid for item in found.entities} | {item.uuid for item in found.facts}
    places = len(found.entities) + len(found.facts)
    counted = count()

    def free(place: int) -> str:
        following = count(place, places) if found.placed else counted
        return next(made for number in following if (made := at(number)) not in asked)

    return free


def _free_uuids(tx: Transaction, graph_id: int, side: str, found: Found) -> Found:
    """*found* without requested uuids that are already used in another graph or beyond a wall."""
    asked = (*(item.uuid for item in found.entities), *(item.uuid for item in found.facts))
    if not any(asked):
        return found
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
    """Update what rests on a graph that was folded again.

    That is the remainders of deleted episodes, expiry, webhook events, the injection log's entries of
    facts that are gone, and the written summaries of its threads, which are not written a second time
    while their facts are the same.
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
