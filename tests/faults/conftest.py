"""A store whose clock is in the test's hand, and what queues are tried with."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.graph.types import Access
from recollect.store.protocol import Store
from recollect.store.sqlite import SqliteStore
from tests.contract.store.world import StillClock, new_project


@pytest.fixture
def clock() -> StillClock:
    """The store's clock."""
    return StillClock()


@pytest.fixture
async def store(tmp_path: Path, clock: StillClock) -> AsyncIterator[Store]:
    """An empty store."""
    opened = SqliteStore.open(tmp_path / "data", clock=clock)
    yield opened
    await opened.close()


@pytest.fixture
async def access(store: Store) -> Access:
    """A key to a project."""
    return await new_project(store, "p")
