"""The short-term memory is the end of the log, and a summary of what went before it."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from recollect.episodic_memory import rolling_summary, short_term
from recollect.episodic_memory.settings import Bounds, ShortTerm
from recollect.episodic_memory.short_term import reserved
from recollect.graph.episode_filters import EpisodeTest, EpisodeTree
from recollect.graph.visibility import Constraint, Visibility, typed
from recollect.limits import CHAPTER_EPISODES, CHAPTER_PARTS, WINDOW_LOOK_BACK_EPISODES
from recollect.records import graphs
from tests.contract.store.world import SEES_ALL
from tests.support.stores import open_store
from tests.support.told_log import ToldLog, spoken, told_log

WIDE = Bounds(episodes=100, chars=100_000)
KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from recollect.episodic_memory import short_term
from recollect.episodic_memory.settings import Bounds
from tests.support.told_log import told_log

async def main():
    async with told_log(Path(sys.argv[1])) as log:
        for number in range(9):
            await log.tell(f"ann likes thing{number}")
        await log.learn()
        await log.tell("and this nobody has read yet")
        found = await log.store.read(
            short_term.read, log.access, log.graph, Bounds(episodes=4, chars=9_000), None, None
        )
        print("\\n".join([*(one.uuid for one in found.episodes), *found.summary]), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[ToldLog]:
    """An empty log."""
    async with told_log(tmp_path) as made:
        yield made


async def read(
    log: ToldLog,
    bounds: Bounds = WIDE,
    tree: EpisodeTree | None = None,
    limit: int | None = None,
    visibility: Visibility | None = None,
) -> ShortTerm:
    """What a key with this visibility is told."""
    access = replace(log.access, visibility=visibility)
    return await log.store.read(short_term.read, access, log.graph, bounds, tree, limit)


def contents(found: ShortTerm) -> list[str]:
    """The words of its episodes."""
    return [one.content for one in found.episodes]


def of(user: str) -> EpisodeTree:
    """Only episodes of one user."""
    test = EpisodeTest(field="metadata", key="user_id", comparison="=", value=user)
    return EpisodeTree(joined_by="and", tests=(test,))


def without(key: str, value: str) -> Visibility:
    """Sees everything but what has this in its metadata."""
    return Visibility(denied=(Constraint(required=((key, frozenset({typed(value)})),)),))


async def test_an_empty_log_has_an_empty_window(log: ToldLog) -> None:
    """And nothing went before it."""
    assert await read(log) == ShortTerm()


async def test_the_newest_are_told_oldest_first(log: ToldLog) -> None:
    """As soon as they are stored: nobody has to have read them."""
    await log.tell("one", "two", "three")
    found = await read(log, Bounds(episodes=2, chars=1_000))
    assert contents(found) == ["two", "three"]
    assert found.summary == ("user: one.",)


async def test_a_window_that_holds_the_whole_log_needs_no_summary(log: ToldLog) -> None:
    """Nothing left it."""
    await log.tell("ann likes tea", "ann likes cocoa")
    await log.learn()
    assert (await read(log)).summary == ()


async def test_an_episode_that_is_too_long_is_there_alone(log: ToldLog) -> None:
    """The newest one is always in the window; for a summary there is no room then."""
    await log.tell("ann likes tea", "word " * 100)
    await log.learn()
    found = await read(log, Bounds(episodes=5, chars=300))
    assert len(found.episodes) == 1
    assert found.summary == ()


async def test_what_is_only_there_to_be_learned_from_is_not_in_it(log: ToldLog) -> None:
    """Neither in the window nor in its summary, nor what other roles were ignored for."""
    learned = spoken("ann likes tea", kept_for="semantic")
    await log.tell("bob likes golf", learned, spoken("psst", ignored=True), "one")
    await log.tell(spoken("two", kept_for="episodic"), learned)
    await log.learn()
    found = await read(log, Bounds(episodes=2, chars=1_000))
    assert contents(found) == ["one", "two"]
    assert found.summary == ("Bob likes Golf.",)


async def test_a_limit_takes_the_newest_that_satisfy_the_filter(log: ToldLog) -> None:
    """From the window, which reaches no further for it."""
    for number in range(8):
        await log.tell(spoken(f"m{number}", metadata={"user_id": "ab"[number % 2]}))
    bounds = Bounds(episodes=6, chars=1_000)
    assert contents(await read(log, bounds, of("a"))) == ["m2", "m4", "m6"]
    assert contents(await read(log, bounds, of("a"), 2)) == ["m4", "m6"]
    assert contents(await read(log, bounds, None, 2)) == ["m6", "m7"]
    assert contents(await read(log, bounds, of("a"), 0)) == []
    assert contents(await read(log, bounds, of("c"))) == []


async def test_the_summary_tells_what_was_said_before_the_window(log: ToldLog) -> None:
    """And of what no longer holds only what took its place."""
    await log.tell("ann lives_in rome", "ann likes tea", "ann lives_in oslo", "now")
    await log.learn()
    found = await read(log, Bounds(episodes=1, chars=1_000))
    assert found.summary == ("Ann likes Tea and lives in Oslo.",)


async def test_the_summary_speaks_of_no_other_users(log: ToldLog) -> None:
    """One user's words do not get into another one's prompt."""
    await log.tell(spoken("ann likes tea", metadata={"user_id": "a"}))
    await log.tell(spoken("bob likes golf", metadata={"user_id": "b"}))
    await log.tell(spoken("hello there once again", metadata={"user_id": "c"}), "now")
    await log.learn()
    told = {name: (await read(log, Bounds(episodes=1, chars=900), of(name))) for name in "abcd"}
    assert told["a"].summary == ("Ann likes Tea.",)
    assert told["b"].summary == ("Bob likes Golf.",)
    assert told["c"].summary == ("user: hello there once again.",)
    assert told["d"].summary == ()


async def test_whoever_may_not_see_an_episode_has_a_window_without_it(log: ToldLog) -> None:
    """It takes no room and is not told of."""
    secret = {"class": "secret"}
    await log.tell("ann likes tea", "bob likes golf", spoken("cid likes gold", metadata=secret))
    await log.tell("one", spoken("x" * 800, metadata=secret), "two")
    await log.learn()
    found = await read(log, Bounds(episodes=2, chars=900), visibility=without("class", "secret"))
    assert contents(found) == ["one", "two"]
    assert found.summary == ("Ann likes Tea. Bob likes Golf.",)


async def test_window_and_summary_fit_into_the_characters(log: ToldLog) -> None:
    """However many facts there are to tell."""
    await log.tell(*(f"ann likes thing{number}" for number in range(60)))
    await log.learn()
    for chars in (40, 100, 300, 1_000, 5_000):
        found = await read(log, Bounds(episodes=10, chars=chars))
        total = sum(map(len, contents(found))) + sum(map(len, found.summary))
        assert total <= chars
        assert bool(found.summary) == bool(reserved(chars))


async def test_a_deleted_episode_is_in_neither(log: ToldLog) -> None:
    """And another one takes its place in the window."""
    uuids = await log.tell("ann likes tea", "bob likes golf", "one", "two")
    await log.learn()
    await log.erase([uuids[0], uuids[3]])
    found = await read(log, Bounds(episodes=1, chars=1_000))
    assert contents(found) == ["one"]
    assert found.summary == ("Bob likes Golf.",)


async def test_chapters_tell_what_the_whole_log_would(log: ToldLog) -> None:
    """Wherever the window begins, and also after something was deleted."""
    await log.condense()
    count = CHAPTER_EPISODES * (CHAPTER_PARTS + 1) + 5
    uuids = await log.tell(*(f"person{n % 11} likes thing{n * 7 % 97}" for n in range(count)))
    await log.learn()
    for erased in ([], uuids[3:200:9], uuids[CHAPTER_EPISODES : 3 * CHAPTER_EPISODES]):
        await log.erase(erased)
        look = log.look()
        for before in (1, 20, 33, 100, 256, 257, 290, count + 1):
            told = await log.store.read(
                rolling_summary.summary, log.access, log.graph, before, None, 1_000
            )
            assert told == look.summary(before, 1_000), before


async def test_whoever_is_told_of_a_part_is_not_told_from_chapters(log: ToldLog) -> None:
    """What others said would have crowded out what they said themselves."""
    await log.condense()
    users = {"ann": "a", "bob": "b"}
    said = [("ann" if n < 56 else "bob", n) for n in range(CHAPTER_EPISODES * CHAPTER_PARTS)]
    await log.tell(
        *(spoken(f"{who} likes thing{n}", metadata={"user_id": users[who]}) for who, n in said)
    )
    await log.tell("now")
    await log.learn()
    look, bounds = log.look(), Bounds(episodes=1, chars=8_000)
    before, room, visibility = len(said) + 1, reserved(8_000), without("user_id", "b")
    everything = await read(log, bounds)
    assert everything.summary == look.summary(before, room)
    restricted = await read(log, bounds, visibility=visibility)
    assert restricted.summary == look.summary(before, room, visibility)
    filtered = await read(log, bounds, of("a"))
    assert filtered.summary == restricted.summary
    assert "Ann" in filtered.summary[0]
    assert "Ann" not in everything.summary[0]


async def test_chapters_without_facts_leave_the_newest_words(log: ToldLog) -> None:
    """Also when all of them lie in whole chapters."""
    await log.condense()
    await log.tell(*(f"word number {n} of many" for n in range(CHAPTER_EPISODES + 1)))
    await log.learn()
    found = await read(log, Bounds(episodes=1, chars=2_000))
    assert found.summary == log.look().summary(CHAPTER_EPISODES + 1, reserved(2_000))


async def test_a_filter_looks_back_over_a_bounded_part_of_the_log(
    log: ToldLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What may not be seen does not count."""
    assert WINDOW_LOOK_BACK_EPISODES >= CHAPTER_EPISODES
    monkeypatch.setattr(rolling_summary, "WINDOW_LOOK_BACK_EPISODES", 2)
    hidden = spoken("cid likes gold", metadata={"class": "secret"})
    await log.tell("ann likes tea", "bob likes golf", hidden, "dora likes opera", hidden, "now")
    await log.learn()
    visibility = without("class", "secret")
    found = await read(log, Bounds(episodes=1, chars=1_000), visibility=visibility)
    assert found.summary == ("Bob likes Golf. Dora likes Opera.",)


async def test_after_a_crash_it_is_exactly_what_it_was(tmp_path: Path) -> None:
    """It is derived from the log: there is nothing else that could be lost."""
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    ran = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    store = open_store(tmp_path)
    try:
        project = await store.read(lambda tx: tx.projects.by_name(name="first"))
        assert project is not None
        access = replace(SEES_ALL, project_id=project.id)
        graph = await store.read(graphs.get, access, "g")
        bounds = Bounds(episodes=4, chars=9_000)
        found = await store.read(short_term.read, access, graph, bounds, None, None)
    finally:
        await store.close()
    assert ran.stdout.splitlines() == [*(one.uuid for one in found.episodes), *found.summary]
    assert contents(found)[-1] == "and this nobody has read yet"
    assert "Ann likes Thing3, Thing4 and Thing5." in found.summary[0]
