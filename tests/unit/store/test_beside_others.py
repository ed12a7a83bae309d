"""Units that run beside others on PostgreSQL, from two processes at once: strict order within a graph, nothing
twice, nothing left behind, and what a project shares is counted once for all."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from recollect.errors import LimitReached
from recollect.governance import audit, keys
from recollect.governance.audit import Verdict
from recollect.governance.audited import AuditedStore
from recollect.graph.acting import Acting
from recollect.graph.types import Access
from recollect.graph.usage import UsageLimits
from recollect.ingest import intake, queue
from recollect.records import episodes, graphs
from recollect.store.postgres import PostgresStore
from recollect.store.protocol import Transaction
from recollect.store.statements import RowRefused
from recollect.store.work import beside_others
from tests.contract.store.world import Refused, add_text, new_graph, new_project, text
from tests.support import postgres
from tests.support.stores import raw

Stores = tuple[PostgresStore, PostgresStore]
SOON_S = 0.5
PATIENCE_S = 30


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    """The same database twice, as two processes have it."""
    url = postgres.database_of(tmp_path)
    both = PostgresStore.open(url), PostgresStore.open(url)
    yield both
    for store in both:
        await store.close()


class Gate:
    """A unit that has begun, and that ends when it is told to."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()

    @beside_others
    def hold(self, tx: Transaction, graph_id: int) -> None:
        """Hold a graph until told otherwise."""
        tx.hold(graph_id)
        self.begun.set()
        assert self.may_end.wait(PATIENCE_S)


def _is_waiting(call: Coroutine[Any, Any, Any]) -> "asyncio.Task[bool]":
    """Whether something is not done soon; it goes on."""

    async def watch() -> bool:
        task = asyncio.ensure_future(call)
        done, _ = await asyncio.wait([task], timeout=SOON_S)
        if done:
            task.result()
        return not done

    return asyncio.ensure_future(watch())


async def test_only_the_same_graph_waits(stores: Stores) -> None:
    """Another graph is appended to meanwhile, by either process; the same one is when it is free."""
    one, other = stores
    access = await new_project(one, "p")
    held = await new_graph(one, access, "held")
    await new_graph(one, access, "free")
    gate = Gate()
    holding = asyncio.ensure_future(one.write(gate.hold, held.id))
    try:
        await asyncio.to_thread(gate.begun.wait, PATIENCE_S)
        for store in stores:
            await asyncio.wait_for(add_text(store, access, "free", "at once"), PATIENCE_S)
        assert await _is_waiting(add_text(other, access, "held", "later"))
    finally:
        gate.may_end.set()
        await holding
    await add_text(other, access, "held", "last")
    assert await _contents(one, access, "held") == ["later", "last"]


async def test_whoever_has_said_nothing_has_the_store_alone(stores: Stores) -> None:
    """A unit of the usual kind waits for those that run beside others, and they for it."""
    one, other = stores
    access = await new_project(one, "p")
    held = await new_graph(one, access, "held")
    gate = Gate()
    holding = asyncio.ensure_future(one.write(gate.hold, held.id))
    try:
        await asyncio.to_thread(gate.begun.wait, PATIENCE_S)
        assert await _is_waiting(other.write(keys.create_project, "q"))
    finally:
        gate.may_end.set()
        await holding
    await other.write(keys.create_project, "r")


async def _contents(store: PostgresStore, access: Access, name: str) -> list[str]:
    graph = await store.read(graphs.get, access, name)
    found = await store.read(episodes.last, access, graph, 1000)
    return [episode.content for episode in reversed(found)]


async def test_a_log_has_no_gaps_and_each_writer_finds_its_order(stores: Stores) -> None:
    """Both processes append to the same few graphs; some units fail after they have written."""
    access = await new_project(stores[0], "p")
    for name in "abc":
        await new_graph(stores[0], access, name)

    @beside_others
    def fails(tx: Transaction, name: str) -> None:
        intake.add_episodes(tx, access, None, name, [text("lost")])
        raise Refused

    async def writer(number: int) -> None:
        store = stores[number % 2]
        for count in range(12):
            name = "abc"[(number + count) % 3]
            await store.write(
                intake.add_episodes, access, None, name, [text(f"{number}:{count:02}")]
            )
            with suppress(Refused):
                await store.write(fails, name)

    await asyncio.gather(*map(writer, range(6)))
    there = [one for name in "abc" for one in await _contents(stores[0], access, name)]
    assert sorted(there) == sorted(f"{n}:{count:02}" for n in range(6) for count in range(12))
    assert await stores[0].read(_disorder) == []


def _disorder(tx: Transaction) -> list[Any]:
    """Logs with gaps, and jobs or episodes whose ids are not in the order of their log."""
    found: list[Any] = (
        raw(tx)
        .execute(
            "SELECT graph_id, seq FROM (SELECT graph_id, seq, id,"
            " row_number() OVER (PARTITION BY graph_id ORDER BY id) AS place FROM episodes) e"
            " WHERE seq <> place OR NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = e.id)"
        )
        .fetchall()
    )
    return found


async def test_nothing_is_owed_that_nobody_knows_of(stores: Stores) -> None:
    """One process appends while the other works off and gives back: every job is done in the end."""
    adding, working = stores
    access = await new_project(adding, "p")
    for name in "ab":
        await new_graph(adding, access, name)

    async def add(name: str) -> None:
        for count in range(40):
            await adding.write(intake.add_episodes, access, None, name, [text(str(count))])

    @beside_others
    def finish(tx: Transaction, held: queue.Claim) -> None:
        queue.finish(tx, held, held.jobs)

    async def work() -> int:
        held = await working.write(queue.claim, "worker")
        if held is None:
            return 0
        await working.write(finish, held)
        await working.write(queue.release, held)
        return len(held.jobs)

    appending = asyncio.gather(add("a"), add("b"))
    done = 0
    while not appending.done():
        done += await work()
        await asyncio.sleep(0)
    await appending
    while some := await work():
        done += some
    assert done == 80


async def test_one_chain_of_audit_entries_for_both(stores: Stores) -> None:
    """Entries of units that ran side by side stand behind each other, each once."""
    access = await new_project(stores[0], "p")
    for number in range(8):
        await new_graph(stores[0], access, f"g{number}")

    async def add(number: int) -> None:
        store = AuditedStore(stores[number % 2])
        for _ in range(10):
            who = Acting("key:a", "graph.add", access.project_id)
            acts = replace(access, acting=who)
            await store.write(intake.add_episodes, acts, None, f"g{number}", [text("said")])

    await asyncio.gather(*map(add, range(8)))
    verdict = await stores[0].read(_verified, access)
    assert (verdict.broken_at, verdict.entries) == (None, 80)


def _verified(tx: Transaction, access: Access) -> Verdict:
    (project,) = [one for one in keys.list_projects(tx) if one.id == access.project_id]
    return audit.verify(tx, project)


async def test_a_quota_is_one_for_both(stores: Stores) -> None:
    """However many ask at once, no more is taken in than is allowed."""
    access = await new_project(stores[0], "p")
    limits = UsageLimits(project_episodes_per_day=25)
    limited = replace(access, key_uuid="a key", limits=limits)
    for number in range(8):
        await new_graph(stores[0], access, f"g{number}")

    async def add(number: int) -> int:
        count = 0
        with suppress(LimitReached):
            while True:
                said = [text("said")]
                await stores[number % 2].write(
                    intake.add_episodes, limited, None, f"g{number}", said
                )
                count += 1
        return count

    assert sum(await asyncio.gather(*map(add, range(8)))) == 25


async def test_a_graph_that_both_open_is_one(stores: Stores) -> None:
    """Whoever comes second finds it."""
    access = await new_project(stores[0], "p")
    for number in range(10):
        await asyncio.gather(
            *[
                store.write(
                    intake.add_episodes, access, None, f"g{number}", [text("said")], opens=True
                )
                for store in stores
            ]
        )
        assert await _contents(stores[0], access, f"g{number}") == ["said", "said"]


async def test_a_posted_row_that_is_refused_is_told_to_its_caller_alone(stores: Stores) -> None:
    """Nobody waited for the answer to it: it comes with the commit, and others of the group are not touched."""
    store, _ = stores

    def twice(tx: Transaction, name: str) -> None:
        for _ in range(2):
            tx.projects.insert(uuid=tx.new_id(), name=name, description=None, now=1)

    make: Callable[..., Any] = keys.create_project
    calls = [store.write(twice if n % 3 == 0 else make, f"p{n}") for n in range(9)]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert [isinstance(one, RowRefused) for one in outcomes] == [n % 3 == 0 for n in range(9)]
    names = [project.name for project in await store.read(keys.list_projects)]
    assert names == [f"p{n}" for n in range(9) if n % 3]
