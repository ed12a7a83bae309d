"""The queue: in order within a graph, one holder at a time, nothing lost, nothing done twice."""

import random

import pytest

from recollect.errors import LeaseLost, NotFound
from recollect.graph.types import Access
from recollect.ingest import intake, pipeline, queue
from recollect.ingest.queue import Claim
from recollect.limits import JOB_BACKOFF_MAX_S, JOB_ERROR_CHARS_MAX, JOBS_PER_COMMIT_MAX, LEASE_S
from recollect.records import episodes, graphs, users
from recollect.store import index
from recollect.store.protocol import Store, Transaction
from tests.contract.store.conftest import Reopen
from tests.contract.store.world import (
    StillClock,
    add_messages,
    add_text,
    findable,
    index_items,
    index_rows,
    message,
    new_graph,
    new_project,
    new_thread,
    new_user,
    packed_words,
    text,
    work,
)

TRIES = 3


async def claimed(store: Store) -> Claim:
    """A claim, where there must be one."""
    held = await store.write(queue.claim, "me")
    assert held is not None
    return held


async def failed(store: Store, held: Claim, error: str = "boom") -> bool:
    """Note a failure of the claim's first job."""
    return await store.write(
        queue.fail, held, held.jobs[0], error, attempts_max=TRIES, backoff_first_s=1.0
    )


async def parked_job(store: Store, clock: StillClock) -> None:
    """Fail the oldest job until it is parked."""
    for _ in range(TRIES):
        await failed(store, await claimed(store))
        clock.advance(JOB_BACKOFF_MAX_S)


def contents(held: Claim) -> list[str]:
    """What the claimed jobs are about."""
    return [job.episode.content for job in held.jobs]


async def test_an_acknowledged_episode_has_exactly_one_job(store: Store, access: Access) -> None:
    """Episode and job are one commit; an ignored role has none."""
    await new_user(store, access, "jane")
    await new_thread(store, access, "t", "jane")
    batch = [message("a"), message("b", ignored=True), message("c")]
    await store.write(intake.add_messages, access, "t", batch)
    state = await store.read(queue.state)
    assert (state.pending, state.parked, state.graphs) == (2, 0, 1)
    assert contents(await claimed(store)) == ["a", "c"]


async def test_an_empty_queue_has_nothing_to_claim(store: Store) -> None:
    """None, and a state of zeros."""
    assert await store.write(queue.claim, "me") is None
    state = await store.read(queue.state)
    assert (state.pending, state.parked, state.graphs, state.oldest_wait_s) == (0, 0, 0, 0.0)


async def test_jobs_of_a_graph_come_in_order_and_in_bounded_groups(
    store: Store, access: Access
) -> None:
    """Whatever was appended when, the oldest come first, at most so many at once."""
    await new_graph(store, access, "g")
    total = JOBS_PER_COMMIT_MAX + 6
    for n in range(0, total, 2):
        await add_text(store, access, "g", str(n), str(n + 1))
    seen = []
    while (held := await store.write(queue.claim, "me")) is not None:
        assert len(held.jobs) <= JOBS_PER_COMMIT_MAX
        seen += contents(held)
        await pipeline.process(store, held, held.jobs)
        await store.write(queue.release, held)
    assert seen == [str(n) for n in range(total)]


async def test_the_graph_that_waited_longest_comes_first(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Graphs take turns; one with much to do does not starve the others."""
    for graph_id in ("b", "a"):
        clock.advance(1)
        await new_graph(store, access, graph_id)
        await add_text(store, access, graph_id, f"of {graph_id}")
    clock.advance(1)
    first = await claimed(store)
    assert contents(first) == ["of b"]
    await add_text(store, access, "b", "more of b")
    await pipeline.process(store, first, first.jobs)
    await store.write(queue.release, first)
    assert contents(await claimed(store)) == ["of a"]
    assert contents(await claimed(store)) == ["more of b"]


async def test_a_lease_excludes_everybody_else(store: Store, access: Access) -> None:
    """A claimed graph is not given out again, also when more is appended to it."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "first")
    held = await claimed(store)
    await add_text(store, access, "g", "second")
    assert await store.write(queue.claim, "me") is None
    await pipeline.process(store, held, held.jobs)
    assert await store.write(queue.claim, "me") is None
    await store.write(queue.release, held)
    assert contents(await claimed(store)) == ["second"]


async def test_an_expired_lease_is_taken_over_and_the_old_holder_is_told(
    store: Store, access: Access, clock: StillClock
) -> None:
    """After the takeover nothing the old holder does has any effect."""
    graph = await new_graph(store, access, "g")
    await add_text(store, access, "g", "x")
    slow = await claimed(store)
    clock.advance(LEASE_S - 1)
    assert await store.write(queue.claim, "me") is None
    clock.advance(1)
    quick = await claimed(store)
    assert [job.id for job in quick.jobs] == [job.id for job in slow.jobs]
    for refused in (
        pipeline.process(store, slow, slow.jobs),
        store.write(queue.release, slow),
        store.write(queue.check_lease, slow),
        failed(store, slow),
    ):
        with pytest.raises(LeaseLost):
            await refused
    assert await store.read(index_items, graph.id) == {}
    await pipeline.process(store, quick, quick.jobs)
    await store.write(queue.release, quick)
    assert len(await store.read(index_items, graph.id)) == 1
    assert (await store.read(queue.state)).pending == 0


async def test_a_late_holder_that_nobody_replaced_may_go_on(
    store: Store, access: Access, clock: StillClock
) -> None:
    """An expired lease that was not taken is still the holder's, and is renewed by its use."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "x", "y")
    held = await claimed(store)
    clock.advance(LEASE_S * 2)
    await pipeline.process(store, held, held.jobs[:1])
    clock.advance(LEASE_S - 1)
    assert await store.write(queue.claim, "me") is None
    await pipeline.process(store, held, held.jobs[1:])
    await store.write(queue.release, held)
    assert (await store.read(queue.state)).graphs == 0


async def test_a_job_is_not_done_twice(store: Store, access: Access) -> None:
    """Committing the same job again within one lease changes nothing."""
    graph = await new_graph(store, access, "g")
    await add_text(store, access, "g", "x")
    held = await claimed(store)
    await pipeline.process(store, held, held.jobs)

    def versions(tx: Transaction) -> list[int]:
        return [row.version for row in index_rows(tx, graph.id)]

    before = await store.read(versions)
    await pipeline.process(store, held, held.jobs)
    assert await store.read(versions) == before


async def test_a_released_graph_with_more_to_do_stays_in_the_queue(
    store: Store, access: Access
) -> None:
    """Giving back without having done anything loses nothing and keeps the order."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "a", "b")
    held = await claimed(store)
    await pipeline.process(store, held, held.jobs[:1])
    await store.write(queue.release, held)
    assert contents(await claimed(store)) == ["b"]


async def test_a_failure_waits_longer_each_time_and_holds_the_graph(
    store: Store, access: Access, clock: StillClock
) -> None:
    """The pause doubles; until it is over the whole graph waits, so that order holds."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "bad")
    for attempt, wait_s in enumerate([1, 2]):
        held = await claimed(store)
        assert held.jobs[0].episode.content == "bad"
        assert held.jobs[0].attempts == attempt
        assert not await failed(store, held)
        clock.advance(wait_s - 0.001)
        await add_text(store, access, "g", f"later {attempt}")
        assert await store.write(queue.claim, "me") is None
        clock.advance(0.001)
    assert contents(await claimed(store)) == ["bad", "later 0", "later 1"]


async def test_a_pause_is_bounded(store: Store, access: Access, clock: StillClock) -> None:
    """However often a job failed, the next try comes within the bound."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "bad")
    for _ in range(12):
        held = await claimed(store)
        await store.write(
            queue.fail, held, held.jobs[0], "x", attempts_max=100, backoff_first_s=1.0
        )
        clock.advance(JOB_BACKOFF_MAX_S)


async def test_a_job_that_fails_too_often_is_parked_and_the_next_one_passes(
    store: Store, access: Access, clock: StillClock
) -> None:
    """It is kept with its error where it can be seen; the graph goes on at once."""
    graph = await new_graph(store, access, "g")
    receipt = await add_text(store, access, "g", "bad", "good")
    outcomes = []
    for _ in range(TRIES):
        outcomes.append(await failed(store, await claimed(store), "x" * 5000))
        if not outcomes[-1]:
            clock.advance(JOB_BACKOFF_MAX_S)
    assert outcomes == [False, False, True]
    held = await claimed(store)
    assert contents(held) == ["good"]
    await pipeline.process(store, held, held.jobs)
    await store.write(queue.release, held)
    (parked,) = await store.read(queue.parked, access, 10)
    assert (parked.graph, parked.project, parked.graph_kind) == ("g", "first", "standalone")
    assert (parked.episode_uuid, parked.attempts) == (receipt.episodes[0].uuid, TRIES)
    assert parked.error == "x" * JOB_ERROR_CHARS_MAX
    assert parked.parked_at == clock.moment
    assert await store.read(findable, graph.id) == {one.uuid for one in receipt.episodes}
    assert (await store.read(episodes.get, access, receipt.episodes[0].uuid)).processed_at is None
    state = await store.read(queue.state)
    assert (state.pending, state.parked, state.graphs) == (0, 1, 0)


async def test_a_parked_job_can_be_tried_again(
    store: Store, access: Access, clock: StillClock
) -> None:
    """It gets all its tries back, keeps its place before what came later, and leaves the list."""
    graph = await new_graph(store, access, "g")
    receipt = await add_text(store, access, "g", "bad")
    await parked_job(store, clock)
    await add_text(store, access, "g", "later")
    (parked,) = await store.read(queue.parked, access, 10)
    await store.write(queue.retry, access, parked.episode_uuid)
    assert await store.read(queue.parked, access, 10) == []
    held = await claimed(store)
    assert contents(held) == ["bad", "later"]
    assert held.jobs[0].attempts == 0
    await pipeline.process(store, held, held.jobs)
    await store.write(queue.release, held)
    assert len(await store.read(findable, graph.id)) == 2
    task = await store.read(queue.task, access, receipt.task_uuid)
    assert (task.status, task.error) == ("succeeded", None)
    with pytest.raises(NotFound):
        await store.write(queue.retry, access, parked.episode_uuid)


async def test_a_parked_job_alone_comes_back_into_the_queue(
    store: Store, access: Access, clock: StillClock
) -> None:
    """A graph that had left the queue enters it again."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "bad")
    await parked_job(store, clock)
    assert await store.write(queue.claim, "me") is None
    (parked,) = await store.read(queue.parked, access, 10)
    await store.write(queue.retry, access, parked.episode_uuid)
    assert contents(await claimed(store)) == ["bad"]


async def test_parked_jobs_belong_to_their_project(
    store: Store, access: Access, stranger: Access, clock: StillClock
) -> None:
    """Another project neither sees nor retries them; the operator sees all."""
    for key in (access, stranger):
        await new_graph(store, key, "g")
    await add_text(store, access, "g", "mine")
    await parked_job(store, clock)
    await add_text(store, stranger, "g", "theirs")
    await parked_job(store, clock)
    (mine,) = await store.read(queue.parked, access, 10)
    assert mine.project == "first"
    with pytest.raises(NotFound):
        await store.write(queue.retry, stranger, mine.episode_uuid)
    everybody = await store.read(queue.parked, None, 10)
    assert [job.project for job in everybody] == ["first", "second"]
    assert len(await store.read(queue.parked, None, 1)) == 1


async def test_an_episode_deleted_while_claimed_leaves_no_trace(
    store: Store, access: Access
) -> None:
    """Its neighbours are done as usual; of the deleted one no terms are written."""
    graph = await new_graph(store, access, "g")
    a, b, c = (await add_text(store, access, "g", "a", "bee", "c")).episodes
    held = await claimed(store)
    await store.write(episodes.delete, access, b.uuid)
    await pipeline.process(store, held, held.jobs)
    await store.write(queue.release, held)
    assert await store.read(findable, graph.id) == {a.uuid, c.uuid}
    assert packed_words("bee") not in (await store.read(index_items, graph.id)).values()
    assert await store.read(index_items, graph.id) == {
        ("episode", a.id): packed_words("a"),
        ("episode", c.id): packed_words("c"),
    }
    assert (await store.read(queue.state)).pending == 0


async def test_failing_a_job_that_was_deleted_parks_nothing(store: Store, access: Access) -> None:
    """The failure is of no consequence, is not told as parked, and the rest goes on."""
    await new_graph(store, access, "g")
    sent = (await add_text(store, access, "g", "gone", "next")).episodes
    held = await claimed(store)
    await store.write(episodes.delete, access, sent[0].uuid)
    parked = await failed(store, held)
    assert (await store.read(queue.state)).parked == 0
    assert contents(await claimed(store)) == ["next"]
    assert not parked


@pytest.mark.parametrize("deleted", ["graph", "user"])
async def test_a_graph_deleted_while_claimed_leaves_no_trace(
    store: Store, access: Access, deleted: str
) -> None:
    """The holder is told, also when a graph of the same name is there again."""
    if deleted == "graph":
        graph_id = (await new_graph(store, access, "x")).id
        await add_text(store, access, "x", "a")
    else:
        graph_id = (await new_user(store, access, "x")).graph_id
        await new_thread(store, access, "t", "x")
        await add_messages(store, access, "t", "a")
    held = await claimed(store)
    if deleted == "graph":
        await store.write(graphs.delete, access, "x")
        again = (await new_graph(store, access, "x")).id
    else:
        await store.write(users.delete, access, "x")
        again = (await new_user(store, access, "x")).graph_id
    with pytest.raises(LeaseLost):
        await pipeline.process(store, held, held.jobs)
    with pytest.raises(LeaseLost):
        await store.write(queue.release, held)
    with pytest.raises(LeaseLost):
        await failed(store, held)
    assert await store.read(index_items, graph_id) == {}
    profile = ["entity", "fact"] if deleted == "user" else []
    assert sorted(kind for kind, _ in await store.read(index_items, again)) == profile
    assert await store.write(queue.claim, "me") is None


async def test_deleting_what_was_owed_empties_the_queue(store: Store, access: Access) -> None:
    """A graph whose pending episodes were all deleted has no work, and does not block others."""
    for graph_id in ("a", "b"):
        await new_graph(store, access, graph_id)
    owed = (await add_text(store, access, "a", "1", "2")).episodes
    await add_text(store, access, "b", "3")
    for episode in owed:
        await store.write(episodes.delete, access, episode.uuid)
    assert contents(await claimed(store)) == ["3"]
    assert await store.write(queue.claim, "me") is None


async def test_however_many_graphs_lost_their_work_the_queue_goes_on(
    store: Store, access: Access
) -> None:
    """Deleting what a thousand graphs were owed while no worker ran stops no worker later."""
    graphs_count = 1_200

    def fill(tx: Transaction) -> None:
        for n in range(graphs_count):
            graphs.create(tx, access, f"g{n}", graphs.GraphDetails())
            receipt = intake.add_episodes(tx, access, None, f"g{n}", [text("x")])
            episodes.delete(tx, access, receipt.uuids[0])

    await store.write(fill)
    await new_graph(store, access, "last")
    await add_text(store, access, "last", "still owed")
    assert contents(await claimed(store)) == ["still owed"]
    assert (await store.read(queue.state)).graphs == 1


async def test_a_task_tells_how_far_its_jobs_are(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Pending, processing, succeeded; with the times of the first start and the last end."""
    await new_graph(store, access, "g")
    receipt = await add_text(store, access, "g", "a", "b")
    created = clock.moment

    async def task() -> queue.Task:
        return await store.read(queue.task, access, receipt.task_uuid)

    assert ((await task()).status, (await task()).jobs) == ("pending", 2)
    clock.advance(1)
    held = await claimed(store)
    assert (await task()).status == "processing"
    await pipeline.process(store, held, held.jobs[:1])
    half = await task()
    assert (half.status, half.succeeded, half.completed_at) == ("processing", 1, None)
    started = clock.moment
    clock.advance(1)
    await pipeline.process(store, held, held.jobs[1:])
    done = await task()
    assert (done.status, done.succeeded) == ("succeeded", 2)
    assert (done.created_at, done.started_at, done.completed_at) == (
        created,
        started,
        clock.moment,
    )


@pytest.mark.parametrize(("contents_", "status"), [(["bad"], "failed"), (["bad", "ok"], "partial")])
async def test_a_task_with_parked_jobs_says_so(
    store: Store, access: Access, clock: StillClock, contents_: list[str], status: str
) -> None:
    """Failed when all are parked, partial when some are; with the error of one."""
    await new_graph(store, access, "g")
    receipt = await add_text(store, access, "g", *contents_)
    await parked_job(store, clock)
    await work(store)
    task = await store.read(queue.task, access, receipt.task_uuid)
    assert (task.status, task.parked, task.error) == (status, 1, "boom")
    assert task.completed_at is not None


async def test_the_wait_of_the_oldest_job_is_told(
    store: Store, access: Access, clock: StillClock
) -> None:
    """It counts from when the oldest pending job was accepted."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "a")
    clock.advance(30)
    await add_text(store, access, "g", "b")
    clock.advance(12)
    assert (await store.read(queue.state)).oldest_wait_s == 42.0


async def test_work_goes_on_after_a_restart(reopen: Reopen, clock: StillClock) -> None:
    """A worker that vanished holding a graph delays it by one lease; nothing is lost or doubled."""
    store = reopen()
    access = await new_project(store, "p")
    graph = await new_graph(store, access, "g")
    sent = (await add_text(store, access, "g", "a", "b", "c")).episodes
    held = await claimed(store)
    await pipeline.process(store, held, held.jobs[:1])
    await store.close()
    again = reopen()
    try:
        assert await again.write(queue.claim, "me") is None
        clock.advance(LEASE_S)
        assert await work(again) == 2
        items = await again.read(index_items, graph.id)
        assert list(items) == [("episode", episode.id) for episode in sent]
    finally:
        await again.close()


async def test_the_leases_of_a_holder_that_is_gone_can_be_taken_back(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Only that owner's, also when another one's name begins alike; the old holder is told."""
    for graph_id in ("a", "b"):
        await new_graph(store, access, graph_id)
        await add_text(store, access, graph_id, f"of {graph_id}", "and more")
        clock.advance(1)
    gone = await store.write(queue.claim, "server")
    other = await store.write(queue.claim, "server-2")
    assert gone is not None
    assert other is not None
    assert await store.write(queue.free, "server") == 1
    again = await store.write(queue.claim, "server")
    assert again is not None
    assert again.graph_id == gone.graph_id
    assert contents(again) == contents(gone)[:1]
    with pytest.raises(LeaseLost):
        await pipeline.process(store, gone, gone.jobs)
    await pipeline.process(store, other, other.jobs)
    await pipeline.process(store, again, again.jobs)
    assert (await store.read(queue.state)).pending == 1


async def died(store: Store) -> Claim:
    """A claim of a process that died, after the next one has begun."""
    held = await store.write(queue.claim, "gone")
    assert held is not None
    await store.write(queue.free, "gone")
    return held


async def blamed(store: Store, clock: StillClock, held: Claim | None = None) -> bool:
    """Hold a death against the job that was alone; then its pause is over. Was it parked?"""
    held = held or await claimed(store)
    assert held.lost
    parked = await store.write(queue.died, held, attempts_max=TRIES, backoff_first_s=1.0)
    clock.advance(JOB_BACKOFF_MAX_S)
    return parked


async def finished(store: Store, held: Claim) -> None:
    """Do what was claimed and give the graph back."""
    await pipeline.process(store, held, held.jobs)
    await store.write(queue.release, held)


async def test_jobs_of_a_group_that_was_lost_run_one_by_one(store: Store, access: Access) -> None:
    """None of them is blamed, and what came later is a group again."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "a", "b", "c")
    assert contents(await died(store)) == ["a", "b", "c"]
    await add_text(store, access, "g", "d", "e")
    seen = []
    while (held := await store.write(queue.claim, "me")) is not None:
        assert (held.lost, held.jobs[0].attempts) == (False, 0)
        seen.append(contents(held))
        await finished(store, held)
    assert seen == [["a"], ["b"], ["c"], ["d", "e"]]


async def test_only_what_is_run_counts_as_started(store: Store, access: Access) -> None:
    """A job left for later, because the one before it runs by itself, is still pending."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "a", "b")
    await died(store)
    later = await add_text(store, access, "g", "c")
    assert contents(await claimed(store)) == ["a"]
    assert later.task_uuid is not None
    assert (await store.read(queue.task, access, later.task_uuid)).status == "pending"


async def test_a_job_that_died_by_itself_runs_when_nobody_else_works(
    store: Store, access: Access, clock: StillClock
) -> None:
    """It waits for the others to end; they wait for it; a neighbour is not blamed for its deaths."""
    for graph_id in ("bad", "busy", "next"):
        await new_graph(store, access, graph_id)
        await add_text(store, access, graph_id, f"of {graph_id}")
        clock.advance(1)
    bad = await store.write(queue.claim, "gone")
    assert bad is not None
    busy = await claimed(store)
    await store.write(queue.free, "gone")
    assert await store.write(queue.claim, "me") is None, "another one works"
    await finished(store, busy)
    again = await claimed(store)
    assert (contents(again), again.lost, again.jobs[0].attempts) == (["of bad"], False, 0)
    assert await store.write(queue.claim, "me") is None, "it has to be alone"
    await finished(store, again)
    assert contents(await claimed(store)) == ["of next"]


async def test_a_death_alone_is_counted_until_the_job_is_parked(
    store: Store, access: Access, clock: StillClock
) -> None:
    """It is set aside with what is known; the next ones pass, and it can be tried again."""
    graph = await new_graph(store, access, "g")
    sent = await add_text(store, access, "g", "bad")
    good = await add_text(store, access, "g", "good")
    assert (await died(store)).lost is False
    await died(store)
    await died(store)
    for attempts in range(TRIES):
        held = await claimed(store)
        assert (contents(held), held.lost, held.jobs[0].attempts) == (["bad"], True, attempts)
        assert await blamed(store, clock, held) is (attempts == TRIES - 1)
        if attempts < TRIES - 1:
            assert (await died(store)).lost is False, "it was tried again"
    (parked,) = await store.read(queue.parked, access, 10)
    assert (parked.episode_uuid, parked.attempts) == (sent.episodes[0].uuid, 3)
    assert parked.error == queue.DIED
    assert await work(store) == 1
    both = {sent.episodes[0].uuid, good.episodes[0].uuid}
    assert await store.read(findable, graph.id) == both
    await store.write(queue.retry, access, parked.episode_uuid)
    held = await claimed(store)
    assert (held.lost, held.jobs[0].attempts) == (False, 0)
    await finished(store, held)
    assert await store.read(findable, graph.id) == both


async def test_what_is_given_back_was_not_lost(
    store: Store, access: Access, clock: StillClock
) -> None:
    """However often a worker claims and gives back, or fails, nobody takes that for a death."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "a", "b")
    for _ in range(3):
        await store.write(queue.release, await claimed(store))
    await failed(store, await claimed(store))
    clock.advance(JOB_BACKOFF_MAX_S)
    held = await claimed(store)
    assert contents(held) == ["a", "b"]
    await finished(store, held)
    await add_text(store, access, "g", "c")
    for _ in range(4):
        held = await claimed(store)
        assert not held.lost
        await store.write(queue.release, held)


async def test_failures_and_deaths_of_a_job_count_together(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Two deaths and a failure are three tries."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "bad")
    await died(store)
    for _ in range(2):
        await died(store)
        assert not await blamed(store, clock)
    held = await claimed(store)
    assert (held.lost, held.jobs[0].attempts) == (False, 2)
    assert await failed(store, held)
    (parked,) = await store.read(queue.parked, access, 10)
    assert (parked.attempts, parked.error) == (3, "boom")


@pytest.mark.parametrize("seed", range(20))
async def test_only_jobs_that_kill_are_parked(
    store: Store, access: Access, clock: StillClock, seed: int
) -> None:
    """Three workers, killers in two of four graphs: they are found, everybody else is served."""
    dice = random.Random(seed)  # noqa: S311
    every: set[str] = set()
    for n in range(4):
        await new_graph(store, access, f"g{n}")
        words = [f"{n}-{m}" for m in range(5)] + (["killer"] if n < 2 else [])
        dice.shuffle(words)
        for word in words:
            every |= {e.uuid for e in (await add_text(store, access, f"g{n}", word)).episodes}
    for _ in range(400):
        clock.advance(1)
        claims = [await store.write(queue.claim, "server") for _ in range(3)]
        held = [c for c in claims if c is not None]
        if not (await store.read(queue.state)).pending:
            break
        dice.shuffle(held)
        for one in held:
            if one.lost:
                tries = {"attempts_max": TRIES, "backoff_first_s": 1.0}
                await store.write(queue.died, one, **tries)
            elif "killer" in contents(one):
                await store.write(queue.free, "server")  # all die, also those not yet done
                break
            else:
                await finished(store, one)
    parked = await store.read(queue.parked, access, 100)
    found = {(await store.read(episodes.get, access, job.episode_uuid)).content for job in parked}
    assert (found, len(parked)) == ({"killer"}, 2)
    assert (await store.read(queue.state)).pending == 0


async def test_deleting_what_was_never_indexed_leaves_no_mark(store: Store, access: Access) -> None:
    """Only what a segment may hold needs one, and needs it once."""
    graph = await new_graph(store, access, "g")
    done, waiting = (await add_text(store, access, "g", "done", "waiting")).episodes
    held = await claimed(store)
    await pipeline.process(store, held, held.jobs[:1])
    await store.write(episodes.delete, access, waiting.uuid)
    assert await store.read(index_items, graph.id) == {("episode", done.id): packed_words("done")}
    await store.write(episodes.delete, access, done.uuid)
    assert await store.read(index_items, graph.id) == {("episode", done.id): None}

    def versions(tx: Transaction) -> list[int]:
        index.remove(tx, graph.id, "episode", [done.id, waiting.id, 10**9])
        return [row.version for row in index_rows(tx, graph.id)]

    assert await store.write(versions) == [2]
