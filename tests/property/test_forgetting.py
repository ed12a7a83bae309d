"""After any history of adds and erasures the store is what its surviving associations make of it."""

import asyncio
import shutil
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.derive import derived
from recollect.derive.derived import Resting
from recollect.errors import NotFound
from recollect.governance import erasure, soundness
from recollect.graph.found import FoundEntity, FoundFact, Nodes, Triple
from recollect.graph.terms import packed, terms
from recollect.graph.types import NewEpisode
from recollect.ingest import intake
from recollect.ingest.intake import Receipt
from recollect.records import erasing, graphs, knowledge, threads, users
from recollect.records.graphs import GraphDetails
from recollect.records.users import UserDetails
from recollect.store import rows
from recollect.store.protocol import Transaction
from tests.contract.store.world import new_project
from tests.property import invariants
from tests.property.effort import examples
from tests.property.reader import LearnedReader
from tests.support import here
from tests.support.stores import open_store, raw

T = TypeVar("T")
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
PLACES = ("thread t1", "thread t2", "user", "graph")
WORDS = ("alpha", "beta", "gamma", "delta")
RELATIONS = ("LIKES", "LIVES_IN", "WORKS_AT")
NO_HURRY: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@dataclass(frozen=True)
class Add:
    """Something that is said, in one of the places."""

    place: str
    kind: str
    words: tuple[str, ...]
    end: int | None = None


@dataclass(frozen=True)
class Erase:
    """Something that is erased, the n-th of its kind if there are so many."""

    what: str
    pick: int
    mode: erasure.Mode


sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple)
adds = st.builds(
    Add,
    place=st.sampled_from(PLACES),
    kind=st.sampled_from(["text", "text", "triple", "node"]),
    words=sentences,
    end=st.sampled_from([None, None, None, 500]),
)
erasures = st.builds(
    Erase,
    what=st.sampled_from(["fact", "entity", "episode", "episode", "thread", "session"]),
    pick=st.integers(0, 50),
    mode=st.sampled_from(["delete", "forget"]),
)
histories = st.lists(st.one_of(adds, adds, erasures), min_size=3, max_size=14)


class World:
    """A store with a user, two threads and a standalone graph, under a clock that is set by hand."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="recollect-forgetting-"))
        self.runner = asyncio.Runner()
        self.now = BEGIN
        self.store = open_store(self.folder, readers=1, clock=lambda: self.now)
        self.access = self.run(new_project(self.store, "first"))
        self.write(users.create, self.access, "u", UserDetails(first_name="Jane"))
        for thread in ("t1", "t2"):
            self.write(threads.create, self.access, thread, "u")
        self.write(graphs.create, self.access, "g", GraphDetails())

    def run(self, call: Awaitable[T]) -> T:
        """Await on this world's own loop."""

        async def wait() -> T:
            return await call

        return self.runner.run(wait())

    def write(self, unit: Callable[..., T], *args: Any) -> T:
        """One unit."""
        return self.run(self.store.write(unit, *args))

    def read(self, unit: Callable[..., T], *args: Any) -> T:
        """One look."""
        return self.run(self.store.read(unit, *args))

    def add(self, number: int, sent: Add) -> str:
        """Say something at the hour of its number, and learn it; answers the uuid."""
        self.now = BEGIN + timedelta(hours=number)
        try:
            receipt = self.write(_add, self.access, sent, self.now)
        except NotFound:
            return ""  # the thread is gone
        self.run(here.learn(self.store, LearnedReader()))
        return receipt.uuids[0]

    def close(self) -> None:
        """Look at the file once more, and clean up."""
        try:
            self.run(self.store.close())
            invariants.check(self.folder)
            invariants.check_file(self.folder)
        finally:
            self.runner.close()
            shutil.rmtree(self.folder)


def _add(tx: Transaction, access: Any, sent: Add, now: datetime) -> Receipt:
    new = new_episode(sent, now)
    if sent.place.startswith("thread "):
        if sent.kind != "text":
            thread = threads.get(tx, access, sent.place.removeprefix("thread "))
            return intake.add_direct(tx, access, thread.graph_id, [new], thread.id)
        return intake.add_messages(tx, access, sent.place.removeprefix("thread "), [new])
    ids = ("u", None) if sent.place == "user" else (None, "g")
    return intake.add_episodes(tx, access, *ids, [new])


def new_episode(sent: Add, now: datetime) -> NewEpisode:
    if sent.kind == "text":
        kind: Any = "message" if sent.place.startswith("thread ") else "text"
        role = "user" if kind == "message" else None
        return NewEpisode(kind=kind, content=" ".join(sent.words), role=role)
    first, last = sent.words[0], sent.words[-1]
    if sent.kind == "node":
        told = f"Known for {last}." if len(sent.words) > 1 else None
        content: Any = Nodes(nodes=(FoundEntity(name=first, summary=told),))
        return NewEpisode(kind="nodes", content=msgspec.json.encode(content).decode())
    relation, last = RELATIONS[len(sent.words) % len(RELATIONS)], f"{last}ville"
    fact = FoundFact(
        source=0,
        target=1,
        name=relation,
        predicate=relation,
        fact=f"{first} {relation.lower()} {last}",
        valid_at=now,
        invalid_at=None if sent.end is None else now + timedelta(hours=sent.end),
    )
    content = Triple(source=FoundEntity(name=first), target=FoundEntity(name=last), fact=fact)
    return NewEpisode(kind="fact_triple", content=msgspec.json.encode(content).decode())


# What is stored, by uuids.


@dataclass
class State:
    """Facts with their ends and episodes, entities with their episodes; *own*: of users.
    *saying*: the episodes that say a fact, and not only what holds instead."""

    facts: dict[str, tuple[str, str, bool]]
    supports: dict[str, set[str]]
    mentions: dict[str, set[str]]
    own: set[str]
    ended: dict[str, Any]
    saying: dict[str, set[str]]


def _state(tx: Any) -> State:
    def pairs(sql: str, keys: Sequence[str]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {key: set() for key in keys}
        for row in raw(tx).execute(sql):
            found[row[0]].add(row[1])
        return found

    facts = (
        raw(tx)
        .execute(
            "SELECT f.uuid, s.uuid, t.uuid, f.extractor IS NULL, f.invalid_at, f.expired_at FROM facts f"
            " JOIN entities s ON s.id = f.source_id JOIN entities t ON t.id = f.target_id"
        )
        .fetchall()
    )
    entities = raw(tx).execute("SELECT uuid, is_user FROM entities").fetchall()
    return State(
        facts={row[0]: (row[1], row[2], bool(row[3])) for row in facts},
        supports=pairs(
            "SELECT f.uuid, e.uuid FROM supports p JOIN facts f ON f.id = p.fact_id"
            " JOIN episodes e ON e.id = p.episode_id",
            [row[0] for row in facts],
        ),
        mentions=pairs(
            "SELECT n.uuid, e.uuid FROM mentions m JOIN entities n ON n.id = m.entity_id"
            " JOIN episodes e ON e.id = m.episode_id",
            [row[0] for row in entities],
        ),
        saying=pairs(
            "SELECT f.uuid, e.uuid FROM supports p JOIN facts f ON f.id = p.fact_id"
            " JOIN episodes e ON e.id = p.episode_id WHERE p.role <> 'closes' OR EXISTS"
            " (SELECT 1 FROM closings c WHERE c.fact_id = f.id AND c.episode_id = e.id"
            "  AND c.by_fact_id IS NULL)",
            [row[0] for row in facts],
        ),
        own={row[0] for row in entities if row[1]},
        ended={row[0]: (row[4], row[5]) for row in facts},
    )


def _without_episodes(state: State, gone: set[str], mode: erasure.Mode) -> State:
    """The settled rules, on plain sets; forgetting asks who says a fact, not who ended it."""
    counted = state.saying if mode == "forget" else state.supports
    touched = {entity for entity, said in state.mentions.items() if said & gone}
    for fact, said in list(state.supports.items()):
        if said & gone and counted[fact] <= gone and not state.facts[fact][2]:
            touched |= set(state.facts[fact][:2])
            del state.facts[fact], state.supports[fact]
        else:
            said -= gone
    for said in state.mentions.values():
        said -= gone
    return _without_lonely(state, touched)


def _without_facts(state: State, gone: set[str], entity: str | None = None) -> State:
    touched = {end for fact in gone for end in state.facts[fact][:2]}
    for fact in gone:
        del state.facts[fact], state.supports[fact]
    if entity is not None:
        del state.mentions[entity]
    return _without_lonely(state, touched - {entity})


def _without_lonely(state: State, touched: set[str]) -> State:
    held = {end for ends in state.facts.values() for end in ends[:2]}
    for entity in touched - held - state.own:
        if not state.mentions[entity]:
            del state.mentions[entity]
    state.ended = {fact: state.ended[fact] for fact in state.facts}
    return state


def _erase(world: World, wanted: Erase) -> None:
    """Erase something, and compare with what the rules say of the associations."""
    before = world.read(_state)
    forgetting = wanted.mode == "forget"
    if wanted.what == "fact":
        found = sorted(before.facts)
        if not found:
            return
        uuid = found[wanted.pick % len(found)]
        world.write(knowledge.delete_fact, world.access, uuid)
        expected = _without_facts(before, {uuid})
    elif wanted.what == "entity":
        found = sorted(before.mentions.keys() - before.own)
        if not found:
            return
        uuid = found[wanted.pick % len(found)]
        world.write(knowledge.delete_entity, world.access, uuid)
        touching = {fact for fact, ends in before.facts.items() if uuid in ends[:2]}
        expected = _without_facts(before, touching, uuid)
    elif wanted.what == "episode":
        found = world.read(_episode_uuids, None)
        if not found:
            return
        uuid = found[wanted.pick % len(found)]
        world.write(_forget, [uuid], wanted.mode)
        expected = _without_episodes(before, {uuid}, wanted.mode)
    else:
        name = f"t{wanted.pick % 2 + 1}"
        said = set(world.read(_episode_uuids, name))
        if world.read(_thread_gone, name):
            return
        if wanted.what == "thread":
            world.write(erasing.thread, world.access, name, wanted.mode)
            expected = _without_episodes(before, said, wanted.mode)
        else:
            world.write(threads.delete_keeping_graph, world.access, name)
            expected = before
        assert forgetting or world.read(_thread_gone, name)
    _compare(world.read(_state), expected, forgetting and wanted.what in ("episode", "thread"))


def _forget(tx: Any, uuids: Sequence[str], mode: erasure.Mode) -> None:
    found = raw(tx).execute(
        "SELECT id FROM episodes WHERE uuid IN (SELECT value FROM json_each(?))",
        (rows.to_json(list(uuids)),),
    )
    erasure.forget_episodes(tx, [row[0] for row in found.fetchall()], mode)


def _compare(found: State, expected: State, forgetting: bool) -> None:
    assert found.facts == expected.facts
    assert found.supports == expected.supports
    assert found.mentions == expected.mentions
    if not forgetting:
        assert found.ended == expected.ended, "deleting never opens or closes a fact"


def _episode_uuids(tx: Any, thread: str | None) -> list[str]:
    sql = "SELECT e.uuid FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id"
    where = "" if thread is None else " WHERE t.thread_id = ?"
    found = raw(tx).execute(f"{sql}{where} ORDER BY e.id", () if thread is None else (thread,))
    return [row[0] for row in found]


def _thread_gone(tx: Any, thread: str) -> bool:
    found = raw(tx).execute("SELECT 1 FROM threads WHERE thread_id = ?", (thread,)).fetchone()
    return found is None


def _index(tx: Any) -> tuple[Counter[Any], Counter[Any]]:
    """What the index holds, and what it should hold."""
    held = raw(tx).execute(
        "SELECT item_kind, item_id, terms FROM index_rows WHERE terms IS NOT NULL"
    )
    wanted: Counter[Any] = Counter()
    for kind, sql in {
        "fact": "SELECT id, fact FROM facts",
        "entity": "SELECT id, name || ' ' || summary FROM entities",
        "observation": "SELECT id, summary FROM observations",
        "thread_summary": "SELECT id, summary FROM summaries WHERE thread_id IS NOT NULL",
        "episode": "SELECT id, CASE WHEN kind IN ('nodes', 'fact_triple') THEN '' ELSE content END"
        " FROM episodes",
    }.items():
        wanted.update((kind, row[0], packed(terms(row[1]))) for row in raw(tx).execute(sql))
    return Counter((row[0], row[1], row[2]) for row in held), wanted


def _derived(tx: Any) -> list[Any]:
    found = (
        raw(tx)
        .execute(
            "SELECT o.id, o.name, o.summary, o.start_at, o.end_at, (SELECT json_group_array(fact_id)"
            " FROM observation_facts WHERE observation_id = o.id) FROM observations o ORDER BY o.id"
        )
        .fetchall()
    )
    told = (
        raw(tx).execute("SELECT id, summary, episode_count FROM summaries ORDER BY id").fetchall()
    )
    return [tuple(row) for row in (*found, *told)]


def _renew_all(tx: Any) -> None:
    """Derive everything that rests on facts once more."""
    seen = raw(tx).execute("SELECT id, graph_id FROM observations").fetchall()
    told = raw(tx).execute("SELECT id, graph_id, thread_id FROM summaries").fetchall()
    resting = Resting(
        observations=tuple((row[0], row[1]) for row in seen),
        thread_summaries=tuple((row[0], row[1]) for row in told if row[2] is not None),
        document_summaries=tuple((row[0], row[1]) for row in told if row[2] is None),
    )
    derived.renew(tx, resting)


def _check(world: World) -> None:
    """Nothing rests on what is gone, and everything derived is what would be derived now."""
    assert world.read(soundness.check) == []
    invariants.check(world.folder)
    held, wanted = world.read(_index)
    assert held == wanted
    before = world.read(_derived)
    world.write(_renew_all)
    assert world.read(_derived) == before


def _live(history: Sequence[Add | Erase]) -> None:
    world = World()
    try:
        for number, step in enumerate(history, start=1):
            world.now = BEGIN + timedelta(hours=number)
            if isinstance(step, Add):
                world.add(number, step)
            else:
                _erase(world, step)
                _check(world)
        world.write(erasing.user, world.access, "u")
        world.write(erasing.graph, world.access, "g")
        assert world.read(_state) == State({}, {}, {}, set(), {}, {})
        assert world.read(soundness.check) == []
    finally:
        world.close()


@settings(max_examples=examples(20), **NO_HURRY)
@given(history=histories)
def test_any_history_leaves_what_the_surviving_associations_make(
    history: list[Add | Erase],
) -> None:
    """Erasures of every kind agree with plain sets, leave no orphans, and no stale text."""
    _live(history)


@pytest.mark.long
@settings(max_examples=1_000, **NO_HURRY)
@given(history=st.lists(st.one_of(adds, adds, erasures), min_size=3, max_size=30))
def test_many_histories_leave_what_the_surviving_associations_make(
    history: list[Add | Erase],
) -> None:
    """The same, for longer."""
    _live(history)


# Forgetting as if it had never been said.


def content(tx: Any) -> dict[str, Any]:
    """All that was learned, by what it says and not by ids; but for what sort of thing an entity is
    taken to be: that has no words, and stays."""

    def rows_of(sql: str) -> Counter[Any]:
        return Counter(tuple(row) for row in raw(tx).execute(sql))

    return {
        "entities": rows_of(
            "SELECT n.name, n.names, n.labels, n.summary, n.attributes,"
            " (SELECT json_group_array(key) FROM (SELECT key FROM entity_names"
            "  WHERE entity_id = n.id ORDER BY key)),"
            " (SELECT json_group_array(created_at) FROM (SELECT e.created_at FROM mentions m"
            "  JOIN episodes e ON e.id = m.episode_id WHERE m.entity_id = n.id ORDER BY e.seq))"
            " FROM entities n"
        ),
        "facts": rows_of(
            "SELECT s.name, t.name, f.name, f.fact, f.valid_at, f.invalid_at, f.expired_at,"
            " (SELECT json_group_array(role || created_at) FROM (SELECT p.role, e.created_at"
            "  FROM supports p JOIN episodes e ON e.id = p.episode_id WHERE p.fact_id = f.id"
            "  ORDER BY e.seq)) FROM facts f"
            " JOIN entities s ON s.id = f.source_id JOIN entities t ON t.id = f.target_id"
        ),
        "observations": rows_of(
            "SELECT n.name, o.kind, o.name, o.summary, o.start_at, o.latest_evidence_at, o.end_at"
            " FROM observations o JOIN entities n ON n.id = o.entity_id"
        ),
        "summaries": rows_of("SELECT summary, episode_count FROM summaries"),
        "episodes": rows_of("SELECT content, created_at FROM episodes"),
        "index": rows_of("SELECT item_kind, terms, vector FROM index_rows WHERE terms IS NOT NULL"),
    }


def _mentioned(tx: Any) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {
        row[0]: set() for row in raw(tx).execute("SELECT uuid FROM episodes")
    }
    for row in raw(tx).execute(
        "SELECT e.uuid, m.entity_id FROM mentions m JOIN episodes e ON e.id = m.episode_id"
    ):
        found[row[0]].add(row[1])
    return found


def _separable(said: Sequence[str], mentioned: dict[str, set[int]], wanted: set[int]) -> set[int]:
    """Those of *wanted* that no surviving later episode shares an entity with."""
    later: set[int] = set()
    chosen = set()
    for place in reversed(range(len(said))):
        own = mentioned[said[place]]
        if place in wanted and not own & later:
            chosen.add(place)
        else:
            later |= own
    return chosen


said_in_graph = st.lists(
    st.builds(
        Add,
        place=st.just("graph"),
        kind=st.sampled_from(["text", "triple"]),
        words=sentences,
        end=st.sampled_from([None, None, 500]),
    )
    | st.builds(
        Add,
        place=st.just("graph"),
        kind=st.just("node"),
        words=st.sampled_from(WORDS).map(lambda word: (word,)),
    ),
    min_size=2,
    max_size=9,
)


def _as_never_said(said: Sequence[Add], wanted: set[int]) -> None:
    """Forgetting equals never having heard, if what is forgotten is the last word on every entity
    it mentions and gave none of them a summary in place of another: no episode that survives and
    came later mentions one of these entities."""
    world, other = World(), World()
    try:
        uuids = [world.add(number, one) for number, one in enumerate(said, start=1)]
        chosen = _separable(uuids, world.read(_mentioned), wanted)
        world.write(_forget, [uuids[place] for place in sorted(chosen)], "forget")
        _check(world)
        for number, one in enumerate(said, start=1):
            if number - 1 not in chosen:
                other.add(number, one)
        assert world.read(content) == other.read(content)
    finally:
        world.close()
        other.close()


@settings(max_examples=examples(15), **NO_HURRY)
@given(said=said_in_graph, wanted=st.sets(st.integers(0, 8)))
def test_forgetting_the_last_words_equals_never_having_heard_them(
    said: list[Add], wanted: set[int]
) -> None:
    """Facts, times, entities, observations, summaries and the index."""
    _as_never_said(said, wanted)


@pytest.mark.long
@settings(max_examples=1_000, **NO_HURRY)
@given(said=said_in_graph, wanted=st.sets(st.integers(0, 8)))
def test_forgetting_many_last_words_equals_never_having_heard_them(
    said: list[Add], wanted: set[int]
) -> None:
    """The same, more often."""
    _as_never_said(said, wanted)
