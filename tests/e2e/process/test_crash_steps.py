"""A process that dies at any step of the path of an episode loses nothing and does nothing twice."""

import asyncio
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect.graph.types import NewEpisode
from recollect.ingest import intake, queue, rebuild
from recollect.ingest.rebuild import GraphState
from recollect.store.sqlite import SqliteStore
from tests.contract.store.world import new_project, new_thread, new_user
from tests.support.learner import DIED, Learner

AT = datetime(2024, 3, 1, 9, 0, tzinfo=UTC)
SAID = (
    "My sister Emma lives in Oslo.",
    "I work at Northwind and I like hiking, pottery and chess.",
    "I left Northwind last week.",
    "I work at Globex now, and Emma moved to Bergen.",
)


@pytest.fixture(scope="module")
def learner() -> Iterator[Learner]:
    """The models, loaded once."""
    with Learner() as running:
        yield running


@pytest.fixture(scope="module")
def owed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that owes four messages and a document to its graph."""
    folder = tmp_path_factory.mktemp("owed")
    asyncio.run(_fill(folder))
    return folder


async def _fill(folder: Path) -> None:
    store = SqliteStore.open(folder, readers=1, clock=lambda: AT)
    access = await new_project(store, "p")
    await new_user(store, access, "jane", first_name="Jane", last_name="Smith")
    await new_thread(store, access, "t", "jane")
    messages = [
        NewEpisode(
            kind="message",
            content=content,
            role="user",
            speaker="Jane Smith",
            created_at=AT + timedelta(days=30 * number),
        )
        for number, content in enumerate(SAID)
    ]
    document = NewEpisode(kind="json", content='{"name": "Globex", "city": "Springfield"}')
    await store.write(intake.add_messages, access, "t", messages)
    await store.write(intake.add_episodes, access, "jane", None, [document])
    await store.close()


async def _state(folder: Path) -> tuple[GraphState, queue.QueueState]:
    store = SqliteStore.open(folder, readers=1)
    try:
        (graph,) = await store.read(rebuild.states)
        return graph, await store.read(queue.state)
    finally:
        await store.close()


def _die_and_go_on(learner: Learner, owed: Path, work: Path, step: int) -> GraphState:
    """One death at *step*, then a run to the end."""
    shutil.copytree(owed, work)
    code, _ = learner.run(work, die_at=step)
    assert code == DIED
    code, _ = learner.run(work)
    assert code == 0
    graph, left = asyncio.run(_state(work))
    assert (left.pending, left.parked) == (0, 0)
    shutil.rmtree(work)
    return graph


def _steps(learner: Learner, owed: Path, work: Path) -> tuple[GraphState, int]:
    shutil.copytree(owed, work)
    code, steps = learner.run(work)
    assert code == 0
    graph, left = asyncio.run(_state(work))
    assert (left.pending, left.parked) == (0, 0)
    return graph, steps


def test_a_death_at_some_steps_changes_nothing(
    learner: Learner, owed: Path, tmp_path: Path
) -> None:
    """A dozen of them, from the first to the last, which meets reads, writes, extraction and what follows a commit."""
    whole, steps = _steps(learner, owed, tmp_path / "whole")
    assert whole.facts > 8
    assert steps > 60
    for step in range(1, steps, max(1, steps // 12)):
        found = _die_and_go_on(learner, owed, tmp_path / "work", step)
        assert found == whole, step


@pytest.mark.long
def test_a_death_at_any_step_changes_nothing(learner: Learner, owed: Path, tmp_path: Path) -> None:
    """All of them, one by one."""
    whole, steps = _steps(learner, owed, tmp_path / "whole")
    for step in range(1, steps):
        found = _die_and_go_on(learner, owed, tmp_path / "work", step)
        assert found == whole, step
