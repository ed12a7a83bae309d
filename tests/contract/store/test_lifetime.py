"""Opening and closing: nothing leaks, and the names of the queries are the product's."""

import threading

import psutil

from recollect.governance import keys
from recollect.store.protocol import Store, Transaction
from tests.contract.store.conftest import Reopen
from tests.contract.store.world import Backend
from tests.support.store_methods import asked_names


def test_a_store_has_a_statement_for_every_method(backend: Backend) -> None:
    """What can be asked is in `store/queries`; a store answers all of it, and no more."""
    assert asked_names() == backend.query_names()


async def test_opening_and_closing_fifty_times_leaks_nothing(reopen: Reopen) -> None:
    """File handles and threads after fifty rounds are those after the first."""
    me = psutil.Process()

    async def round_(number: int) -> None:
        store: Store = reopen()
        await store.write(keys.create_project, str(number))
        await store.read(keys.list_projects)
        await store.close()

    def held() -> tuple[int, set[str]]:
        ours = {thread.name for thread in threading.enumerate() if "store" in thread.name}
        return me.num_fds(), ours

    for number in range(3):
        await round_(number)
    before = held()
    for number in range(3, 50):
        await round_(number)
    assert held() == before
    assert before[1] == set()


async def test_a_store_can_be_opened_beside_another(reopen: Reopen) -> None:
    """Two handles on one place see each other's acknowledged writes."""
    first, second = reopen(), reopen()
    try:
        await first.write(keys.create_project, "a")
        await second.write(keys.create_project, "b")

        def names(tx: Transaction) -> list[str]:
            return [project.name for project in keys.list_projects(tx)]

        assert await first.read(names) == await second.read(names) == ["a", "b"]
    finally:
        await first.close()
        await second.close()
