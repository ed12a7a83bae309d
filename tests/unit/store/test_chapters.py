"""Chapters keep of every run of episodes what a plain look at those episodes would keep."""

import re
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from recollect.derive import chapters
from recollect.governance import soundness
from recollect.ingest import queue
from recollect.limits import CHAPTER_EPISODES, CHAPTER_PARTS
from recollect.records import cloning, graphs
from recollect.records.cloning import ClonedEnds
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import FILE_NAME, connect, statements
from tests.support import here
from tests.support.told_log import ToldLog, spoken, told_log

WHO = ("ann", "bob", "cid", "dora")
MANY = CHAPTER_EPISODES * (CHAPTER_PARTS + 2)


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[ToldLog]:
    """An empty log of which chapters are made."""
    async with told_log(tmp_path) as made:
        await made.condense()
        yield made


def story(count: int, seed: int = 1) -> list[str]:
    """Sentences, some of them said again, some of which end others."""
    random = Random(seed)  # noqa: S311
    return [
        f"{random.choice(WHO)} lives_in town{random.randrange(9)}"
        if number % 7 == 0
        else f"{random.choice(WHO)} likes thing{random.randrange(count)}"
        for number in range(count)
    ]


def in_step(log: ToldLog, whole: int) -> None:
    """What is stored is what it should be."""
    look = log.look()
    assert look.stored == look.chapters(whole)


async def test_a_run_becomes_a_chapter_when_all_of_it_was_read(log: ToldLog) -> None:
    """Not while one of its episodes waits."""
    await log.tell(*story(CHAPTER_EPISODES - 1))
    await log.learn()
    assert log.look().stored == {}
    await log.tell("ann likes tea")
    assert log.look().stored == {}
    await log.learn()
    assert set(log.look().stored) == {(0, 1)}
    in_step(log, 1)


async def test_a_graph_that_no_memory_client_uses_has_no_chapters(tmp_path: Path) -> None:
    """Until one does; then also of what was there before."""
    async with told_log(tmp_path) as log:
        await log.tell(*story(3 * CHAPTER_EPISODES))
        await log.learn()
        assert log.look().stored == {}
        assert await log.store.read(chapters.made, log.graph.id) is None
        await log.condense()
        await log.tell("ann likes tea")
        await log.learn()
        in_step(log, 3)
        assert await log.store.read(chapters.made, log.graph.id) == 3


async def test_chapters_of_chapters_follow_deletions(log: ToldLog) -> None:
    """On every level; whatever goes, one by one or a whole run, deleted or forgotten."""
    uuids = await log.tell(*story(MANY))
    await log.learn()
    in_step(log, CHAPTER_PARTS + 2)
    assert (1, 1) in log.look().stored
    random = Random(2)  # noqa: S311
    await log.erase(random.sample(uuids, 9))
    in_step(log, CHAPTER_PARTS + 2)
    await log.erase(random.sample(uuids, 9), "forget")
    in_step(log, CHAPTER_PARTS + 2)
    await log.erase(uuids[CHAPTER_EPISODES : 2 * CHAPTER_EPISODES])
    assert (0, 2) not in log.look().stored
    in_step(log, CHAPTER_PARTS + 2)
    assert await log.store.read(soundness.check) == []


async def test_what_is_not_in_a_window_is_not_in_chapters(log: ToldLog) -> None:
    """What is only there to be learned from; what is kept as an episode only says no facts."""
    odd = [spoken(one, kept_for="semantic") for one in story(CHAPTER_EPISODES)]
    await log.tell(*odd, *story(CHAPTER_EPISODES, seed=2))
    await log.learn()
    assert set(log.look().stored) == {(0, 2)}
    in_step(log, 2)


async def test_an_episode_that_was_parked_is_taken_in_when_it_is_read_at_last(
    log: ToldLog,
) -> None:
    """It holds nothing up meanwhile, and then it is taken in at its place."""
    (parked,) = await log.tell("dora likes opera")
    await log.tell(*story(CHAPTER_EPISODES))
    (number,) = [one.id for one in log.look().log if one.uuid == parked]
    with closing(connect(log.folder / FILE_NAME, writer=True)) as connection:
        connection.execute("UPDATE jobs SET status = 'parked' WHERE id = ?", (number,))
        connection.commit()
    await log.learn()
    in_step(log, 1)
    before = log.look().stored[0, 1]
    await log.store.write(queue.retry, log.access, parked)
    await log.learn()
    await here.settle(log.store, log.graph.id)
    in_step(log, 1)
    assert log.look().stored[0, 1] > before


async def test_a_rebuilt_graph_has_the_chapters_it_had(log: ToldLog) -> None:
    """Of the same facts, in the same places."""
    await log.tell(*story(3 * CHAPTER_EPISODES))
    await log.learn()
    before = log.look()
    await here.fold(log.store, log.graph.id)
    after = log.look()
    in_step(log, 3)
    assert [told(before, n) for n in (1, 2, 3)] == [told(after, n) for n in (1, 2, 3)]


def told(look, number: int) -> list[str]:
    """The sentences that a chapter keeps."""
    return sorted(look.facts[fact].fact for fact in look.stored[0, number])


async def test_a_copy_has_chapters_of_its_own(log: ToldLog) -> None:
    """Of its own facts; they outlive those of the original."""
    await log.tell(*story(MANY))
    await log.learn()
    ends = ClonedEnds(source_graph="g", target_graph="h")
    copied = (await log.store.write(cloning.clone, log.access, ends)).graph
    look = log.look(copied)
    assert look.stored == look.chapters(CHAPTER_PARTS + 2)
    await log.store.write(graphs.delete, log.access, "g")
    assert log.look(copied).stored == look.stored
    assert log.look().stored == {}
    assert await log.store.read(soundness.check) == []


@pytest.mark.parametrize(
    "wrong",
    [
        "DELETE FROM supports",
        "UPDATE graphs SET condensed = 0",
        "UPDATE graphs SET condenses = 0",
        "INSERT INTO chapters (graph_id, level, number) SELECT id, 0, 2 FROM graphs",
    ],
)
async def test_the_doctor_finds_a_chapter_that_rests_on_nothing(log: ToldLog, wrong: str) -> None:
    """Whatever was done to the store by hand."""
    await log.tell(*story(CHAPTER_EPISODES))
    await log.learn()
    assert await log.store.read(soundness.check) == []
    with closing(connect(log.folder / FILE_NAME, writer=True)) as connection:
        connection.execute(wrong)
        connection.commit()
    found = await log.store.read(soundness.check)
    assert "chapters that keep what none of their episodes says" in {one.what for one in found}


PLANNED = (
    "chapters.facts_of",
    "chapters.members",
    "chapters.said",
    "chapters.told",
    "chapters.waits",
    "chapters.among",
    "chapters.page",
    "chapters.touched",
    "episodes.saying",
    "episodes.messages_among",
    "episodes.said_by_episodes",
    "chapters.window_episodes",
    "chapters.window_left",
)


@pytest.mark.parametrize("name", PLANNED)
def test_a_look_goes_by_keys(tmp_path: Path, name: str) -> None:
    """No table is read from end to end, and no log sorted to find its newest episodes."""
    with closing(connect(tmp_path / "x.db", writer=True)) as connection:
        migrate.apply(connection)
        sql = statements()[name]
        values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
        plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
    details = [row["detail"] for row in plan]
    own = [one for one in details if one.startswith("SCAN") and "VIRTUAL TABLE" not in one]
    assert own == [], details
    if name.startswith("window") or name == "chapters.members":
        assert not any("TEMP B-TREE" in one for one in details), details


def test_queries_divide_the_log_as_the_rules_do() -> None:
    """The sizes are written out in them."""
    assert (CHAPTER_EPISODES, CHAPTER_PARTS) == (32, 1 << 3)
