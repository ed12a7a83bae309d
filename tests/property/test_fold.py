"""A graph is the fold of its readings and of what was changed by hand, whatever happened to it."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings

from recollect.derive import readings
from recollect.extract.brief import Extracted
from recollect.governance import soundness
from recollect.graph.terms import packed, terms
from recollect.graph.types import DIRECT_KINDS, Episode, NewEpisode
from recollect.ingest import intake
from recollect.records import edits
from recollect.store import rows
from tests.property import fold_world, invariants
from tests.property.effort import examples
from tests.property.fold_steps import Add, Change, Erase, Settle, Step, histories, partings
from tests.property.fold_world import Told, World, facts, log
from tests.property.reader import VECTOR
from tests.support import here
from tests.support.stores import raw

NO_HURRY: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "print_blob": True,
}
# What only people can bring about.
BY_HAND = ("two open facts of a relation that has room for one",)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which nothing was said yet."""
    folder = tmp_path_factory.mktemp("base")
    asyncio.run(fold_world.begin(folder))
    return folder


@contextmanager
def world_like(base: Path) -> Iterator[World]:
    """A store of its own."""
    world = World(base)
    try:
        yield world
    finally:
        world.close()


# What is found, and what should be.


def index(tx: Any) -> dict[tuple[str, int], bytes]:
    """What the index holds."""
    held = raw(tx).execute(
        "SELECT item_kind, item_id, terms FROM index_rows WHERE terms IS NOT NULL"
    )
    return {(row[0], row[1]): row[2] for row in held}


def expected_index(tx: Any) -> dict[tuple[str, int], bytes]:
    """What it should hold: all that there is, by its words, and nothing else."""
    wanted: dict[tuple[str, int], bytes] = {}
    for kind, sql in {
        "fact": "SELECT id, fact FROM facts",
        "entity": "SELECT id, name || ' ' || summary FROM entities",
        "observation": "SELECT id, summary FROM observations",
        "thread_summary": "SELECT id, summary FROM summaries WHERE thread_id IS NOT NULL",
        "episode": "SELECT id, CASE WHEN kind IN ('nodes', 'fact_triple') THEN '' ELSE content END"
        " FROM episodes e WHERE processed_at IS NOT NULL"
        " OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = e.id AND j.status = 'parked')",
    }.items():
        found = raw(tx).execute(sql).fetchall()
        wanted.update({(kind, row[0]): packed(terms(row[1])) for row in found})
    return wanted


def by_uuid(tx: Any) -> dict[tuple[str, str], tuple[bytes, bytes | None]]:
    """What the index holds of each thing, under the name that lasts."""
    found: dict[tuple[str, str], tuple[bytes, bytes | None]] = {}
    for kind, table in {
        "fact": "facts",
        "entity": "entities",
        "observation": "observations",
        "thread_summary": "summaries",
        "episode": "episodes",
    }.items():
        sql = (
            f"SELECT t.uuid, i.terms, i.vector FROM index_rows i JOIN {table} t"  # noqa: S608
            " ON t.id = i.item_id WHERE i.item_kind = ? AND i.terms IS NOT NULL"
        )
        found |= {(kind, row[0]): (row[1], row[2]) for row in raw(tx).execute(sql, (kind,))}
    return found


def unmarked(tx: Any) -> bool:
    """Whether no graph has to be folded again."""
    return raw(tx).execute("SELECT 1 FROM graphs WHERE fold_from IS NOT NULL").fetchone() is None


def check(world: World) -> None:
    """A settled graph is sound, and a fold from the beginning or a restart changes nothing."""
    world.settle()
    assert world.read(unmarked)
    assert world.read(soundness.check) == []
    invariants.check(world.folder, but=BY_HAND)
    assert world.read(index) == world.read(expected_index)
    digests, found = world.digests(), world.read(by_uuid)
    world.fold()
    assert world.digests() == digests
    assert world.read(by_uuid) == found
    world.restart()
    assert world.digests() == digests
    invariants.check_file(world.folder)


class Watch:
    """Looks at a world after each step that promises something of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._note()

    def _note(self) -> None:
        self.before, self.settled = self.world.read(facts), self.world.read(unmarked)

    def __call__(self, step: Step) -> None:
        """What was reopened is open, and what was deleted took nothing else along."""
        if isinstance(step, Change) and step.what == "fact.reopen":
            self._stays_open()
        if isinstance(step, Erase) and step.mode == "delete" and self.settled:
            self._stays_as_deleted()
        self._note()

    def _stays_open(self) -> None:
        closed = {row["uuid"] for row in self.before if _ended(row)}
        opened = {r["uuid"] for r in self.world.read(facts) if not _ended(r)} & closed
        if self.world.read(unmarked):
            self.world.fold()
            still = {r["uuid"] for r in self.world.read(facts) if not _ended(r)}
            assert opened <= still

    def _stays_as_deleted(self) -> None:
        """A fact that another episode stands behind stays, and so does its end."""
        left = {row["uuid"]: _ended(row) for row in self.world.read(facts)}
        self.world.settle()
        settled = {row["uuid"]: _ended(row) for row in self.world.read(facts)}
        assert settled == left


def _ended(row: Any) -> bool:
    return row["invalid_at"] is not None or row["expired_at"] is not None


# The same, said to someone who never heard the rest.


def retell(world: World, other: World) -> None:
    """Tell another store what is left in the log, as it was read last, with the same edits."""
    due = world.read(_edits)
    for episode in world.read(log):
        due = _make(other, due, episode)
        other.now = episode.received_at
        other.write(_say_again, episode)
        if episode.processed_at is None:
            other.park()
            continue
        other.now = episode.processed_at
        other.run(here.learn(other.store, Told(world.read(_answer, episode))))
    _make(other, due, None)


def _edits(tx: Any) -> list[Any]:
    return list(raw(tx).named("SELECT * FROM edits ORDER BY graph_id, seq, id"))


def _make(other: World, due: Sequence[Any], before: Episode | None) -> list[Any]:
    """Make the edits that come before an episode; tells which are left."""
    left = []
    for row in due:
        if before is not None and (row.graph_id, row.seq) >= (before.graph_id, before.seq):
            left.append(row)
            continue
        other.now = rows.moment(row.at)
        other.write(edits.make, row.graph_id, edits._edit(row))
    return left


def _answer(tx: Any, episode: Episode) -> Extracted:
    kept = readings.of_episode(tx, episode.id)
    assert kept is not None
    vector = None if episode.kind in DIRECT_KINDS else VECTOR
    return Extracted(found=kept.found, vector=vector, fact_vectors=kept.fact_vectors)


def _say_again(tx: Any, episode: Episode) -> None:
    """Under the same name and at the same place of the log."""
    place = (episode.seq - 1, episode.graph_id)
    raw(tx).execute("UPDATE graphs SET last_seq = ? WHERE id = ?", place)
    new = NewEpisode(
        kind=episode.kind,
        content=episode.content,
        role=episode.role,
        created_at=episode.created_at,
    )
    intake.add_planned(
        tx,
        graph_id=episode.graph_id,
        thread_key=None if episode.thread_id is None else 1,
        task_uuid=tx.new_id(),
        planned=[(episode.uuid, new)],
    )


def _live(base: Path, history: Sequence[Step]) -> None:
    with world_like(base) as world:
        world.live(history, Watch(world))
        check(world)


def _retold(base: Path, history: Sequence[Step]) -> None:
    with world_like(base) as world, world_like(base) as other:
        world.live(history)
        world.settle()
        retell(world, other)
        assert other.digests() == world.digests()
        assert other.read(by_uuid) == world.read(by_uuid)


@settings(max_examples=examples(60), **NO_HURRY)
@given(history=histories(12, deleting=True))
def test_any_history_leaves_the_fold_of_what_is_left(base: Path, history: list[Step]) -> None:
    """Whatever was read again, taken away or changed by hand, and in whatever order."""
    _live(base, history)


def _talk(*words: str) -> Add:
    return Add(place="thread", kind="text", words=words)


# Whom hands took away is new again at the next place, once the first one to say it goes; what else is
# new there keeps its uuid.
TAKEN_BY_HAND_THEN_DELETED = [
    _talk("delta", "delta", "delta"),
    _talk("gamma", "alpha", "alpha"),
    _talk("alpha", "alpha"),
    _talk("alpha", "beta"),
    _talk("alpha", "beta", "delta"),
    _talk("alpha", "alpha"),
    Settle(),
    Change(what="entity.delete", pick=7),
    Erase(pick=0, mode="delete"),
    Erase(pick=12, mode="delete"),
]


@settings(max_examples=examples(40), **NO_HURRY)
@given(history=partings)
@example(history=TAKEN_BY_HAND_THEN_DELETED)
def test_whatever_is_taken_away_leaves_the_rest_as_it_was(base: Path, history: list[Step]) -> None:
    """The more stand behind one thing, the more there is to be kept when some of them go."""
    _live(base, history)


@settings(max_examples=examples(40), **NO_HURRY)
@given(history=histories(12, deleting=False))
def test_what_is_left_tells_the_same_to_someone_new(base: Path, history: list[Step]) -> None:
    """What was forgotten, read otherwise or read late leaves no trace."""
    _retold(base, history)


@pytest.mark.long
@settings(max_examples=1_500, **NO_HURRY)
@given(history=histories(30, deleting=True))
def test_many_histories_leave_the_fold_of_what_is_left(base: Path, history: list[Step]) -> None:
    """The same, for longer."""
    _live(base, history)


@pytest.mark.long
@settings(max_examples=1_000, **NO_HURRY)
@given(history=histories(30, deleting=False))
def test_what_is_left_of_many_tells_the_same_to_someone_new(
    base: Path, history: list[Step]
) -> None:
    """The same, for longer."""
    _retold(base, history)
