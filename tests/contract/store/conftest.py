"""One suite for every store. A second store joins by adding itself to BACKENDS.

Nothing in this folder may know which store it runs on.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from recollect.clock import Clock
from recollect.graph.types import Access
from recollect.ids import Ids
from recollect.store.postgres import PostgresStore, dialect
from recollect.store.protocol import Store
from recollect.store.sqlite import SqliteStore
from recollect.store.sqlite.connection import statements
from tests.contract.store.world import Backend, CountingIds, StillClock, new_project
from tests.support import postgres
from tests.support.store_coverage import noting

Reopen = Callable[[], Store]


def _open_postgres(place: Path, clock: Clock, ids: Ids | None) -> Store:
    return PostgresStore.open(postgres.database_of(place), clock=clock, ids=ids)


def _open_sqlite(place: Path, clock: Clock, ids: Ids | None) -> Store:
    return SqliteStore.open(place, clock=clock, ids=ids)


BACKENDS = [
    Backend(
        "sqlite", _open_sqlite, lambda: frozenset(name.partition("/")[0] for name in statements())
    ),
    Backend(
        "postgres",
        _open_postgres,
        lambda: frozenset(name.partition("/")[0] for name in dialect.statements()),
    ),
]


@pytest.fixture(autouse=True)
def _noted_calls(request: pytest.FixtureRequest) -> Iterator[None]:
    """At the end of a run the methods that no test called are named."""
    with noting(request.path.name):
        yield


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.name)
def backend(request: pytest.FixtureRequest) -> Backend:
    """The kind of store under test."""
    chosen: Backend = request.param
    return chosen


@pytest.fixture
def clock() -> StillClock:
    """The store's clock, in the test's hand."""
    return StillClock()


@pytest.fixture
def ids() -> CountingIds:
    """The store's ids; they go on counting over a reopening."""
    return CountingIds()


@pytest.fixture
def reopen(backend: Backend, tmp_path: Path, clock: StillClock, ids: CountingIds) -> Reopen:
    """Opens the store of this test, again and again."""
    return lambda: backend.open(tmp_path / "place", clock, ids)


@pytest.fixture
async def store(reopen: Reopen) -> AsyncIterator[Store]:
    """An empty store."""
    opened = reopen()
    yield opened
    await opened.close()


@pytest.fixture
async def access(store: Store) -> Access:
    """A key to the first project."""
    return await new_project(store, "first")


@pytest.fixture
async def stranger(store: Store, access: Access) -> Access:
    """A key to another project of the same store."""
    return await new_project(store, "second")
