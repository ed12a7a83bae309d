"""A clock that is set back strands nothing: no wait is longer than the longest pause."""

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.api.metrics import _Oldest
from recollect.errors import BudgetExhausted
from recollect.graph.types import Access
from recollect.ingest import pipeline, queue, rereadings
from recollect.ingest.queue import QueueState
from recollect.limits import JOB_BACKOFF_MAX_S, LEASE_S, READING_WAIT_S_MAX
from recollect.models.language_model import Outage, TokenBudget
from recollect.store.protocol import Store
from tests.contract.store.world import StillClock, add_text, new_graph, work
from tests.support.server import Server, program_environment, run_program

DAY_S = 86_400.0


@pytest.mark.parametrize("back_s", [1.0, 100.0, 3_600.0, DAY_S, 400 * DAY_S])
async def test_what_was_accepted_before_runs_at_once(
    store: Store, access: Access, clock: StillClock, back_s: float
) -> None:
    """Nobody waits for the clock to come round again; what came first is still first."""
    for name in ("early", "late"):
        await new_graph(store, access, name)
    await add_text(store, access, "early", "before")
    clock.advance(-back_s)
    await add_text(store, access, "late", "after")
    held = await store.write(queue.claim, "me")
    assert held is not None
    assert held.jobs[0].episode.content == "before"
    await pipeline.process(store, held, held.jobs)
    await store.write(queue.release, held)
    assert await work(store) == 1


@pytest.mark.parametrize("back_s", [100.0, DAY_S])
async def test_a_pause_ends_within_the_longest_pause(
    store: Store, access: Access, clock: StillClock, back_s: float
) -> None:
    """Of a job that failed, whatever the clock says afterwards."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "bad")
    held = await store.write(queue.claim, "me")
    assert held is not None
    tries: dict[str, Any] = {"attempts_max": 9, "backoff_first_s": 60.0}
    await store.write(queue.fail, held, held.jobs[0], "x", **tries)
    assert await store.write(queue.claim, "me") is None
    clock.advance(-back_s)
    clock.advance(JOB_BACKOFF_MAX_S)
    assert await store.write(queue.claim, "me") is not None


@pytest.mark.parametrize("back_s", [30.0, DAY_S])
async def test_the_lease_of_a_dead_worker_ends(
    store: Store, access: Access, clock: StillClock, back_s: float
) -> None:
    """Also that of one that had to be alone, for which everybody waits."""
    for name in ("a", "b"):
        await new_graph(store, access, name)
        await add_text(store, access, name, "x")
    for _ in range(2):
        await store.write(queue.claim, "gone", 1)
        await store.write(queue.free, "gone")
    await store.write(queue.claim, "gone", 1)
    clock.advance(-back_s)
    clock.advance(2 * LEASE_S)
    assert await store.write(queue.claim, "me") is not None


async def test_a_clock_that_is_corrected_by_a_little_takes_no_lease(
    store: Store, access: Access, clock: StillClock
) -> None:
    """A second more or less happens every day."""
    await new_graph(store, access, "g")
    await add_text(store, access, "g", "x")
    held = await store.write(queue.claim, "me")
    assert held is not None
    clock.advance(-1)
    assert await store.write(queue.claim, "thief") is None
    await store.write(queue.check_lease, held)


async def test_second_readings_go_on(store: Store, access: Access, clock: StillClock) -> None:
    """What was put off is due again within the longest pause."""
    await new_graph(store, access, "g")
    (said,) = (await add_text(store, access, "g", "x")).episodes
    await work(store)
    await store.write(rereadings.want, said.id, "model", "because")
    held = await store.write(rereadings.claim, "model")
    assert held is not None
    later = clock.moment + timedelta(seconds=60)
    await store.write(rereadings.give_back, held, until=later)
    assert await store.write(rereadings.claim, "model") is None
    clock.advance(-2 * READING_WAIT_S_MAX)
    assert await store.write(rereadings.claim, "model") is not None


def test_an_endpoint_is_asked_again(clock: StillClock) -> None:
    """Its pause, and the hour of its budget, end although the clock went back a day."""
    outage = Outage(clock)
    outage.failed()
    assert outage.rest_until is not None
    clock.advance(-DAY_S)
    assert outage.rest_until is None
    budget = TokenBudget(100, clock)
    budget.reserve(100)
    clock.advance(-DAY_S)
    with pytest.raises(BudgetExhausted):
        budget.reserve(100)
    clock.advance(3_601)
    budget.reserve(100)


def test_the_wait_of_the_oldest_job_grows_whatever_the_clock_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the time it was seen to be the oldest, where its age is not known."""
    now = [1_000.0]
    monkeypatch.setattr("recollect.api.metrics.time.monotonic", lambda: now[0])
    oldest = _Oldest()

    def waits(number: int | None, age_s: float) -> float:
        state = QueueState(pending=1, parked=0, graphs=1, oldest_wait_s=age_s, oldest_id=number)
        return oldest.waits_s(state)

    assert waits(7, 0.0) == 0.0
    now[0] += 90
    assert waits(7, 0.0) == 90.0
    assert waits(7, 400.0) == 400.0
    assert waits(8, 0.0) == 0.0
    assert waits(None, 0.0) == 0.0


def test_the_doctor_tells_of_a_graph_that_should_have_run(tmp_path: Path) -> None:
    """Somebody serves, something could be done, and nobody does it; and of the clock."""
    with Server(tmp_path / "data", options=("--workers", "0")) as server:
        with server.http() as client:
            client.post("/graph/create", json={"graph_id": "g"}).raise_for_status()
            sent = {"type": "text", "data": "hello", "graph_id": "g"}
            client.post("/graph", json=sent).raise_for_status()
        with closing(sqlite3.connect(server.data / "recollect.db")) as connection, connection:
            connection.execute("UPDATE jobs SET created_at = created_at + 86400000000")
        done = run_program(
            "doctor",
            "--json",
            "--data",
            str(server.data),
            environment=program_environment(),
            timeout=120,
        )
    found = {one["what"]: one for one in json.loads(done.stdout)}
    assert "the oldest pending episode was accepted 86" in found["clock"]["says"]
    assert found["workers"]["says"] == "1 graphs could be worked on, and nobody does"
