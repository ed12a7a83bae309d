"""Faults that come at random hit a message more often than once; that parks no innocent one."""

import asyncio
import errno
import os
import signal
import time
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import ModelUnavailable, ReaderLost, ReaderStopped
from recollect.extract.background import ExtractionProcess, Watchdog
from recollect.graph.types import Access, Job
from recollect.ingest import queue
from recollect.ingest.queue import Claim
from recollect.ingest.worker import Worker
from recollect.limits import JOB_BACKOFF_MAX_S, LEASE_S
from recollect.store.protocol import Store
from tests.contract.store.world import StillClock, add_text, new_graph
from tests.faults.test_outside_faults import TRIES, Environment, environment, steps
from tests.unit.extract.test_process import ask, load_obedient

OFTEN = 8 * TRIES
__all__ = ["environment"]


async def _killed_at_work(store: Store) -> None:
    """The server dies with a message under way, and the next one begins."""
    assert await store.write(queue.claim, "server") is not None
    await store.write(queue.free, "server")


async def test_a_server_that_is_killed_at_random_parks_nothing(
    store: Store, access: Access, clock: StillClock, environment: Environment
) -> None:
    """At work on the message, alone, again and again; something harmless is read in between, and
    then it is killed as well."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "ann likes tea")
    await _killed_at_work(store)
    for _ in range(OFTEN):
        await _killed_at_work(store)
        await environment.worker(store).step()  # it finds what was lost, and something to read
        await store.write(queue.free, "w")
        clock.advance(JOB_BACKOFF_MAX_S)
    assert (await store.read(queue.state)).parked == 0
    await steps(environment.worker(store), clock, 2)
    assert (await store.read(queue.state)).pending == 0


async def test_a_death_while_something_harmless_is_read_is_not_the_job_s(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Nor does it keep the job from its next try."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "x")
    for _ in range(2):
        await _killed_at_work(store)
    lost = await store.write(queue.claim, "server")
    assert lost is not None
    assert lost.lost
    await store.write(queue.free, "server")
    again = await store.write(queue.claim, "server")
    assert again is not None
    assert (again.lost, again.jobs[0].attempts) == (False, 0)


async def test_others_have_to_live_much_longer_than_a_reading_takes(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Else a death says little: on a slow machine the next try waits longer."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "x")
    for _ in range(2):
        await _killed_at_work(store)
    lost = await store.write(queue.claim, "server")
    assert lost is not None
    tries: dict[str, Any] = {"attempts_max": TRIES, "backoff_first_s": 1.0}
    await store.write(queue.died, lost, harmless_s=20.0, **tries)
    clock.advance(39)
    assert await store.write(queue.claim, "server") is None
    clock.advance(1)
    assert await store.write(queue.claim, "server") is not None


async def test_a_holder_that_ends_without_a_word_clears_who_was_not_in_it(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Where no server begins that would know it: processes that work beside each other."""
    for name in ("a", "b"):
        await new_graph(store, access, name)
    await add_text(store, access, "a", "suspect")
    for _ in range(2):
        await _killed_at_work(store)
    lost = await store.write(queue.claim, "one")
    assert lost is not None
    assert lost.lost
    tries: dict[str, Any] = {"attempts_max": TRIES, "backoff_first_s": 1.0}
    assert not await store.write(queue.died, lost, harmless_s=2 * LEASE_S, **tries)
    await add_text(store, access, "b", "other")
    assert await store.write(queue.claim, "two") is not None
    clock.advance(LEASE_S)
    other = await store.write(queue.claim, "one")
    assert other is not None
    await store.write(queue.release, other)
    suspect = await store.write(queue.claim, "one")
    assert suspect is not None
    again = suspect if suspect.graph_id == lost.graph_id else None
    assert again is not None
    assert again.jobs[0].attempts == 0


async def test_two_suspects_are_tried_one_after_the_other(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Else each would clear the other for ever; what is no suspect goes on."""
    for name in ("a", "b", "c"):
        await new_graph(store, access, name)
    await add_text(store, access, "a", "deadly a")
    await add_text(store, access, "b", "deadly b")
    await add_text(store, access, "c", "good")
    parked = deaths = 0
    while parked < 2:
        clock.advance(1)
        held = await store.write(queue.claim, "server", 1)
        if held is None:
            continue
        if held.lost:
            tries: dict[str, Any] = {"attempts_max": TRIES, "backoff_first_s": 1.0}
            parked += await store.write(queue.died, held, **tries)
        elif "deadly" in held.jobs[0].episode.content:
            await store.write(queue.free, "server")
            deaths += 1
        else:
            await store.write(queue.release, held)
        assert deaths < 6 * TRIES


async def test_a_clock_that_is_set_takes_nobody_for_dead(
    store: Store, access: Access, clock: StillClock, environment: Environment
) -> None:
    """Neither ahead nor back: a worker's neighbours know that it is at work."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "ann likes tea")
    await _killed_at_work(store)  # so that it has to be alone
    at_work: set[str] = set()
    entered, leave = asyncio.Event(), asyncio.Event()

    async def process(store: Store, held: Claim, jobs: Sequence[Job]) -> None:
        entered.set()
        await leave.wait()
        await environment.process(store, held, jobs)

    def worker() -> Worker:
        given: dict[str, Any] = {
            "owner": "w",
            "attempts_max": TRIES,
            "backoff_first_s": 1.0,
            "at_work": at_work,
        }
        return Worker(store, process=process, check=environment.check, **given)

    busy = asyncio.create_task(worker().step())
    await entered.wait()
    neighbour = worker()
    for seconds in (86_400, -2 * 86_400, 3_600, 3 * LEASE_S):
        clock.advance(seconds)
        assert not await neighbour.step()
    leave.set()
    assert await busy
    state = await store.read(queue.state)
    assert (state.pending, state.parked) == (0, 0)


@pytest.mark.parametrize(
    "error",
    [
        ReaderLost(others_die=True),
        ReaderStopped(),
        OSError(errno.ENOSPC, "no space left on device"),
        OSError(errno.EMFILE, "too many open files"),
    ],
    ids=["readers die at random", "readers are stopped", "a full disk", "no descriptors"],
)
async def test_what_tells_that_it_came_from_outside_parks_nothing(
    store: Store, access: Access, clock: StillClock, environment: Environment, error: Exception
) -> None:
    """Although something harmless can be read right after it, since the fault was over by then."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "x")
    environment.bad["x"] = error
    await steps(environment.worker(store), clock, OFTEN)
    assert (await store.read(queue.state)).parked == 0
    environment.bad.clear()
    await steps(environment.worker(store), clock, 2)
    assert (await store.read(queue.state)).pending == 0


async def test_readers_lost_to_several_messages_are_no_message_s_fault(
    store: Store, access: Access, clock: StillClock, environment: Environment
) -> None:
    """Each of them loses its reader often, but never without the others' doing so in between."""
    for name in ("a", "b"):
        await new_graph(store, access, name)
        await add_text(store, access, name, f"of {name}")
    worker = environment.worker(store)
    for number in range(OFTEN):
        environment.bad = {"of a": ReaderLost()} if number % 2 else {"of b": ReaderLost()}
        for _ in range(2):
            await worker.step()
        clock.advance(JOB_BACKOFF_MAX_S)
        if not (await store.read(queue.state)).pending:
            break
    assert (await store.read(queue.state)).parked == 0


async def test_a_reader_that_died_while_idle_is_remembered() -> None:
    """When the next one is lost at work, that is known to happen without any message."""
    process = ExtractionProcess(Path(), load=load_obedient)
    try:
        _, first = await ask(process, "a")
        os.kill(first, signal.SIGKILL)
        await asyncio.sleep(0.5)
        await ask(process, "b")
        with pytest.raises(ReaderLost) as lost:
            await ask(process, "die")
        assert lost.value.others_die
        with pytest.raises(ReaderLost) as lost:
            await ask(process, "die")
        assert not lost.value.others_die
    finally:
        await process.close()


async def test_a_reader_that_was_stopped_is_told_from_one_that_hangs() -> None:
    """Nothing that is read can stop a process like that."""
    process = ExtractionProcess(Path(), load=load_obedient, idle_s_max=1.0)
    try:
        _, first = await ask(process, "a")
        os.kill(first, signal.SIGSTOP)
        with pytest.raises(ReaderStopped):
            await ask(process, "b")
    finally:
        await process.close()


async def test_a_reader_that_cannot_be_started_was_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing was read when there was no process to do it."""
    process = ExtractionProcess(Path(), load=load_obedient)

    def start(self: BaseProcess) -> None:
        raise BlockingIOError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(BaseProcess, "start", start)
    try:
        with pytest.raises(ModelUnavailable) as raised:
            await ask(process, "a")
        assert not isinstance(raised.value, ReaderLost)
    finally:
        await process.close()


class _Starved:
    """A process that gets a hundredth of a second now and then."""

    pid = 0

    def __init__(self) -> None:
        self.looks = 0
        self.killed = False

    def kill(self) -> None:
        """As the system would."""
        self.killed = True

    def seen(self) -> tuple[str, int]:
        """One tick more each time."""
        self.looks += 1
        return "R", self.looks


def test_what_others_use_of_the_processor_counts_against_no_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second has passed, and a fifth of one was spent on the reading, for which half a one is given."""
    starved = _Starved()
    monkeypatch.setattr("recollect.extract.background._seen", lambda process: process.seen())
    with Watchdog(starved, 0.5, 0.5) as watch:  # type: ignore[arg-type]
        time.sleep(1.0)
    assert starved.looks > 2
    assert (watch.verdict, starved.killed) == (None, False)
