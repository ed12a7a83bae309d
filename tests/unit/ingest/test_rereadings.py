"""The queue of second readings: order within a graph, leases, tries, and what heals."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from recollect.app import maintenance
from recollect.derive import readings
from recollect.errors import Conflict, NotFound
from recollect.extract.brief import Brief, Extracted, RereadRequest
from recollect.graph.found import Found, FoundEntity
from recollect.graph.types import Access, Episode
from recollect.ingest import intake, rereadings
from recollect.ingest.rereadings import Held
from recollect.limits import READING_LEASE_S
from recollect.records import episodes
from recollect.settings import Settings
from recollect.store.protocol import Store
from recollect.store.sqlite.connection import FILE_NAME, statements
from tests.contract.store.world import (
    START,
    StillClock,
    add_text,
    new_graph,
    new_project,
    stored,
    text,
    work,
)
from tests.support import here
from tests.support.second_readings import narrowed, waiting, want
from tests.support.stores import of_the_file, open_store


@pytest.fixture
def clock() -> StillClock:
    """Time, in the test's hand."""
    return StillClock()


@pytest.fixture
async def store(tmp_path: Path, clock: StillClock) -> AsyncIterator[Store]:
    """An empty store."""
    opened = open_store(tmp_path, clock=clock)
    yield opened
    await opened.close()


@pytest.fixture
async def access(store: Store) -> Access:
    """A key to a project."""
    return await new_project(store, "p")


async def told(store: Store, access: Access, graph: str, *contents: str) -> list[Episode]:
    """Texts of a graph that were read once."""
    found = await add_text(store, access, graph, *contents)
    await work(store)
    return found.episodes


async def graphs_of(store: Store, access: Access, *names: str) -> None:
    """Graphs without anything in them."""
    for name in names:
        await new_graph(store, access, name)


async def take(store: Store, **how: object) -> Held | None:
    """What an agent gets now."""
    return await store.write(rereadings.claim, "agent", **how)


async def answer(store: Store, held: Held, again: RereadRequest | None = None) -> None:
    """A reading that found nothing, and the fold after it."""
    found = Extracted(found=Found(extractor="agent:test"), again=again)
    await store.write(rereadings.succeed, held, found)
    await here.settle(store, held.episode.graph_id)


def content(held: Held | None) -> str | None:
    """What was taken."""
    return None if held is None else held.episode.content


async def test_a_graph_is_read_in_the_order_of_its_log(store: Store, access: Access) -> None:
    """One at a time: the next one only when the one before was answered and folded in."""
    await graphs_of(store, access, "g")
    await want(store, (await told(store, access, "g", "a", "b", "c"))[::-1])
    first = await take(store)
    assert content(first) == "a"
    assert await take(store) is None
    assert first is not None
    found = Extracted(found=Found(extractor="agent:test"))
    await store.write(rereadings.succeed, first, found)
    assert await take(store) is None, "the graph has to be folded first"
    assert await store.read(rereadings.unfolded, "agent") == [first.episode.graph_id]
    await here.settle(store, first.episode.graph_id)
    assert content(await take(store)) == "b"


async def test_a_fold_that_is_still_due_is_no_difference(
    store: Store, access: Access, tmp_path: Path
) -> None:
    """A server that dies after an answer and before the fold leaves nothing that is wrong: whoever
    opens the store next folds first, and so does whoever compares."""
    await graphs_of(store, access, "g")
    episodes = await told(store, access, "g", "Ann lives in Oslo.", "Ann likes chess.")
    await want(store, episodes)
    held = await take(store)
    assert held is not None
    jane = FoundEntity(name="Jane", kind="person")
    found = Found(extractor="agent:test", entities=(jane,))
    await store.write(rereadings.succeed, held, Extracted(found=found))
    await store.close()
    before, after = (await maintenance.verify(Settings(data=tmp_path), None))[0]
    assert after.entities == 1
    assert before.digest == after.digest


async def test_graphs_are_read_side_by_side(store: Store, access: Access) -> None:
    """Two agents at once get different episodes, and a third one nothing."""
    await graphs_of(store, access, "g", "h")
    await want(store, await told(store, access, "g", "a", "b"))
    await want(store, await told(store, access, "h", "c"))
    got = await asyncio.gather(*(take(store) for _ in range(3)))
    assert sorted(filter(None, map(content, got))) == ["a", "c"]


async def test_readers_do_not_wait_for_each_other(store: Store, access: Access) -> None:
    """What waits for the model does not keep an agent from a later episode."""
    await graphs_of(store, access, "g")
    first, second = await told(store, access, "g", "a", "b")
    await want(store, [first], "model")
    await want(store, [second])
    assert content(await take(store)) == "b"
    assert content(await store.write(rereadings.claim, "model")) == "a"


async def test_a_parked_one_lets_the_next_ones_pass(store: Store, access: Access) -> None:
    """And is in sight, with the last error; trying it again puts it before them."""
    await graphs_of(store, access, "g")
    (first, *_) = said = await told(store, access, "g", "a", "b")
    await want(store, said)
    held = await take(store)
    assert held is not None
    assert not await store.write(rereadings.fail, held, "bad", attempts_max=2)
    assert await store.write(rereadings.fail, held, "worse", attempts_max=2)
    with pytest.raises(Conflict):
        await answer(store, held)
    (parked,) = await store.read(rereadings.listed, access, limit=9, status="parked")
    assert (parked.episode_uuid, parked.error, parked.attempts) == (first.uuid, "worse", 2)
    assert content(await take(store)) == "b"
    assert await store.write(rereadings.retry, access, first.uuid) == 1
    assert content(await take(store)) == "a"


async def test_a_lease_that_ran_out_is_anybodys(
    store: Store, access: Access, clock: StillClock
) -> None:
    """The late answer of the first holder is refused, that of the second counts."""
    await graphs_of(store, access, "g")
    await want(store, await told(store, access, "g", "a"))
    slow = await take(store)
    clock.advance(READING_LEASE_S - 1)
    assert await take(store) is None
    clock.advance(1)
    quick = await take(store)
    assert slow is not None
    assert quick is not None
    assert quick.lease != slow.lease
    with pytest.raises(Conflict, match="not held any more"):
        await answer(store, slow)
    await answer(store, quick)
    with pytest.raises(Conflict, match="does not wait"):
        await answer(store, quick)
    assert await store.read(waiting) == {}


async def test_an_answer_to_what_was_forgotten_is_not_found(store: Store, access: Access) -> None:
    """Nothing of it comes back."""
    await graphs_of(store, access, "g")
    (episode,) = await told(store, access, "g", "a")
    await want(store, [episode])
    held = await take(store)
    assert held is not None
    await store.write(episodes.delete, access, episode.uuid, "forget")
    with pytest.raises(NotFound):
        await answer(store, held)
    assert await store.read(readings.of_episode, episode.id) is None


async def test_what_was_shown_is_gone_when_anything_of_the_graph_is_forgotten(
    store: Store, access: Access
) -> None:
    """It may have been in the prompt, so the lease is lost, and the next prompt is without it."""
    await graphs_of(store, access, "g")
    first, second = await told(store, access, "g", "a", "b")
    await want(store, [second])
    held = await take(store)
    assert held is not None
    await store.write(rereadings.show, held, Brief(kind="text", content="b", at=START))
    assert (await store.read(rereadings.shown, second.id, held.lease))[1].content == "b"
    await store.write(episodes.delete, access, first.uuid, "forget")
    with pytest.raises(Conflict):
        await store.read(rereadings.shown, second.id, held.lease)
    assert await take(store) is None, "the graph has to be folded without it first"
    await here.settle(store, second.graph_id)
    assert content(await take(store)) == "b"


async def test_a_claim_outlives_the_process(tmp_path: Path, clock: StillClock) -> None:
    """After a crash the lease still holds, and the answer under it counts once."""
    store: Store = open_store(tmp_path, clock=clock)
    access = await new_project(store, "p")
    await graphs_of(store, access, "g")
    await want(store, await told(store, access, "g", "a"))
    held = await take(store)
    await store.close()
    store = open_store(tmp_path, clock=clock)
    try:
        assert held is not None
        assert await take(store) is None
        await answer(store, held)
        assert await store.read(readings.of_episode, held.episode.id) is not None
        assert await store.read(waiting) == {}
    finally:
        await store.close()


async def test_a_server_that_starts_frees_what_the_one_before_it_held(
    store: Store, access: Access
) -> None:
    """But not what an agent holds."""
    await graphs_of(store, access, "g", "h")
    await want(store, await told(store, access, "g", "a"), "model")
    await want(store, await told(store, access, "h", "b"))
    assert await store.write(rereadings.claim, "model", owner="server") is not None
    assert await take(store) is not None
    assert await store.write(rereadings.free, "server") == 1
    assert content(await store.write(rereadings.claim, "model", owner="server")) == "a"
    assert await take(store) is None


async def test_what_was_put_off_is_due_when_the_reader_is_back(
    store: Store, access: Access, clock: StillClock
) -> None:
    """All of it at once; what failed by itself keeps its pause."""
    await graphs_of(store, access, "g", "h")
    await want(store, await told(store, access, "g", "a"), "model")
    await want(store, await told(store, access, "h", "b"), "model")
    first = await store.write(rereadings.claim, "model")
    second = await store.write(rereadings.claim, "model")
    assert first is not None
    assert second is not None
    clock.advance(1)
    later = clock() + (clock() - START) * 60
    await store.write(rereadings.give_back, first, until=later, error="nobody there")
    how = {"attempts_max": 5, "backoff_first_s": 90.0}
    await store.write(rereadings.fail, second, "nonsense", **how)
    assert await store.write(rereadings.claim, "model") is None
    assert await store.write(rereadings.due_now, "model") == 1
    assert content(await store.write(rereadings.claim, "model")) == first.episode.content
    assert await store.write(rereadings.claim, "model") is None
    clock.advance(90)
    assert content(await store.write(rereadings.claim, "model")) == second.episode.content


async def test_the_last_wish_counts(store: Store, access: Access) -> None:
    """Whoever is at it when somebody else is wanted has lost it."""
    await graphs_of(store, access, "g")
    said = await told(store, access, "g", "a")
    await want(store, said)
    held = await take(store)
    await want(store, said, "embedded")
    assert held is not None
    with pytest.raises(Conflict):
        await answer(store, held)
    (again,) = await store.write(rereadings.claim_group, "embedded", owner="me", limit=5)
    await answer(store, again, RereadRequest(reader="agent", reason="then agents"))
    assert content(await take(store)) == "a"


async def test_a_narrowed_key_is_given_what_it_sees_in_its_order(
    store: Store, access: Access
) -> None:
    """What it may not see is not there: it neither gets it nor waits for it."""
    await graphs_of(store, access, "g")
    said = [text("a", metadata={"team": "red"}), text("b", metadata={"team": "blue"})]
    said += [text("c", metadata={"team": "blue"})]
    receipt = await store.write(intake.add_episodes, access, None, "g", said)
    await work(store)
    found = (await stored(store, access, receipt)).episodes
    await want(store, found)
    blue = narrowed(access, team="blue")
    listed = await store.read(rereadings.listed, blue, limit=10)
    assert [one.episode_uuid for one in listed] == [found[1].uuid, found[2].uuid]
    held = await take(store, access=blue)
    assert content(held) == "b"
    assert await take(store, access=blue) is None
    with pytest.raises(NotFound):
        await store.write(rereadings.retry, blue, found[0].uuid)
    assert await store.write(rereadings.retry, blue, None) == 2
    assert content(await take(store, access=access)) == "a"


async def test_another_project_has_nothing_of_it(store: Store, access: Access) -> None:
    """Neither to take nor to list nor to try again."""
    await graphs_of(store, access, "g")
    (episode,) = await told(store, access, "g", "a")
    await want(store, [episode])
    other = await new_project(store, "q")
    assert await take(store, access=other) is None
    assert await store.read(rereadings.listed, other, limit=10) == []
    assert await store.write(rereadings.retry, other, None) == 0
    with pytest.raises(NotFound):
        await store.write(rereadings.retry, other, episode.uuid)


async def test_lists_come_in_pages_and_counts_by_reader(store: Store, access: Access) -> None:
    """The page after an episode begins with the next one."""
    await graphs_of(store, access, "g")
    said = await told(store, access, "g", "a", "b", "c")
    await want(store, said[:2])
    await want(store, said[2:], "model")
    (first, second) = await store.read(rereadings.listed, access, limit=2)
    (third,) = await store.read(rereadings.listed, access, limit=2, after=second.episode_uuid)
    assert [first.reader, third.reader] == ["agent", "model"]
    counted = await store.read(rereadings.counts)
    assert [(one.reader, one.status, one.count) for one in counted] == [
        ("agent", "waiting", 2),
        ("model", "waiting", 1),
    ]


@of_the_file
async def test_a_claim_does_not_get_slow_with_what_waits(store: Store, tmp_path: Path) -> None:
    """It looks at the first of each graph, not at all of them."""
    sql = "EXPLAIN QUERY PLAN " + statements()["rereadings.next"]
    params = {"reader": "agent", "now": 0, "in_graph": None, "project_id": None, "folded": 1}
    params["wait_end"] = 1
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        plan = [str(row[-1]) for row in connection.execute(sql, params)]
    assert not [line for line in plan if line.startswith(("SCAN r", "SCAN f"))], plan
