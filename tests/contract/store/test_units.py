"""A unit of work is whole or absent, in the order it was handed in, whatever runs beside it."""

import asyncio
import threading

import pytest

from recollect.errors import NotFound, StoreUnavailable
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.ingest import intake
from recollect.records import episodes, graphs
from recollect.records.graphs import GraphDetails
from recollect.store.protocol import Store, Transaction
from tests.contract.store.conftest import Reopen
from tests.contract.store.world import Refused, StillClock, add_text, new_graph, text


def _names(tx: Transaction) -> list[str]:
    return [project.name for project in keys.list_projects(tx)]


def _two_projects(tx: Transaction, name: str, *, fail: str = "") -> None:
    """A unit of two writes that can fail before, between or after them."""
    if fail == "before":
        raise Refused(name)
    keys.create_project(tx, f"{name}/a")
    if fail == "between":
        raise Refused(name)
    keys.create_project(tx, f"{name}/b")
    if fail == "after":
        raise Refused(name)


async def test_a_unit_answers_with_what_it_returned(store: Store) -> None:
    """Reads and writes hand back the unit's own value, and positional and named arguments."""

    def unit(tx: Transaction, first: int, *, second: int) -> int:
        return first + second

    assert await store.write(unit, 1, second=2) == 3
    assert await store.read(unit, 3, second=4) == 7


@pytest.mark.parametrize("fail", ["before", "between", "after"])
async def test_a_failing_unit_leaves_nothing(store: Store, fail: str) -> None:
    """Whatever a unit had written when it raised is gone, and its error comes out as it was."""
    with pytest.raises(Refused, match="one"):
        await store.write(_two_projects, "one", fail=fail)
    assert await store.read(_names) == []


@pytest.mark.parametrize("fail", ["before", "between", "after"])
async def test_a_store_goes_on_after_a_failing_unit(store: Store, fail: str) -> None:
    """The next unit after a failure is written as if nothing had happened."""
    with pytest.raises(Refused):
        await store.write(_two_projects, "bad", fail=fail)
    await store.write(_two_projects, "good")
    assert await store.read(_names) == ["good/a", "good/b"]


async def test_failing_units_cost_their_neighbours_nothing(store: Store) -> None:
    """Many units at once, a third of them failing: the good ones are whole, the bad ones absent."""
    fails = ["", "before", "", "between", "", "after"] * 20
    outcomes = await asyncio.gather(
        *(store.write(_two_projects, str(n), fail=fail) for n, fail in enumerate(fails)),
        return_exceptions=True,
    )
    assert [isinstance(outcome, Refused) for outcome in outcomes] == [bool(fail) for fail in fails]
    expected = [f"{n}/{half}" for n, fail in enumerate(fails) if not fail for half in "ab"]
    assert await store.read(_names) == expected


async def test_the_error_of_a_unit_reaches_only_its_own_caller(store: Store) -> None:
    """Each of many failing callers gets the very error that its own unit raised."""
    outcomes = await asyncio.gather(
        *(store.write(_two_projects, str(n), fail="after") for n in range(40)),
        return_exceptions=True,
    )
    assert [str(outcome) for outcome in outcomes] == [str(n) for n in range(40)]


async def test_a_unit_that_raises_stop_iteration_does_not_hang_its_neighbours(store: Store) -> None:
    """`next()` on an empty iterator inside a unit is an error like any other, for that caller."""

    def unit(tx: Transaction) -> None:
        raise StopIteration

    calls = [store.write(unit), store.read(unit), store.write(_two_projects, "good")]
    done, late = await asyncio.wait([asyncio.ensure_future(call) for call in calls], timeout=1)
    for task in late:
        task.cancel()
    assert len(done) == 3, "a caller was left waiting for ever"
    assert await store.read(_names) == ["good/a", "good/b"]


async def test_writes_of_one_caller_are_kept_in_order(store: Store) -> None:
    """Units handed in one after the other take effect in that order, awaited or not."""
    await asyncio.gather(*(store.write(keys.create_project, f"{n:03}") for n in range(100)))
    assert await store.read(_names) == [f"{n:03}" for n in range(100)]


async def test_a_writer_reads_its_own_writes(store: Store) -> None:
    """Inside a unit and in the read that follows its answer, what was written is there."""

    def unit(tx: Transaction) -> list[str]:
        keys.create_project(tx, "new")
        return _names(tx)

    assert await store.write(unit) == ["new"]
    assert await store.read(_names) == ["new"]


async def test_a_read_sees_one_snapshot(store: Store) -> None:
    """Two looks inside one read agree, although a write was acknowledged between them."""
    await store.write(keys.create_project, "before")
    looked, written = threading.Event(), threading.Event()

    def unit(tx: Transaction) -> tuple[list[str], list[str]]:
        first = _names(tx)
        looked.set()
        assert written.wait(5)
        return first, _names(tx)

    reading = asyncio.ensure_future(store.read(unit))
    await asyncio.to_thread(looked.wait, 5)
    await store.write(keys.create_project, "meanwhile")
    written.set()
    assert await reading == (["before"], ["before"])
    assert await store.read(_names) == ["before", "meanwhile"]


async def test_a_read_never_sees_half_a_unit(store: Store) -> None:
    """Readers that run beside writers see both writes of a unit or none."""

    async def write() -> None:
        for n in range(30):
            await store.write(_two_projects, str(n))

    writing = asyncio.ensure_future(write())
    while not writing.done():
        assert len(await store.read(_names)) % 2 == 0
    await writing


async def test_a_read_cannot_write(store: Store) -> None:
    """A unit that writes where it may only read fails and changes nothing."""
    with pytest.raises(Exception):  # noqa: B017, PT011 - which error is the store's affair
        await store.read(keys.create_project, "sneaked in")
    assert await store.read(_names) == []


async def test_concurrent_writers_never_lose_or_double_a_sequence_number(
    store: Store, access: Access
) -> None:
    """Sequence numbers of a graph are 1, 2, 3 … however many callers append at once."""
    await new_graph(store, access, "g")

    def append_and_fail(tx: Transaction) -> None:
        intake.add_episodes(tx, access, None, "g", [text("lost")])
        raise Refused

    calls = [add_text(store, access, "g", f"{n} a", f"{n} b") for n in range(40)]
    failing = [store.write(append_and_fail) for _ in range(20)]
    mixed = [call for pair in zip(calls[:20], failing, strict=True) for call in pair]
    outcomes = await asyncio.gather(*mixed, *calls[20:], return_exceptions=True)
    assert sum(isinstance(outcome, Refused) for outcome in outcomes) == 20
    graph = await store.read(graphs.get, access, "g")
    stored = await store.read(episodes.last, access, graph, 1000)
    assert [episode.seq for episode in reversed(stored)] == list(range(1, 81))
    contents = {episode.content for episode in stored}
    assert contents == {f"{n} {half}" for n in range(40) for half in "ab"}


async def test_every_acknowledged_write_is_there_after_reopening(reopen: Reopen) -> None:
    """Close and reopen: what was answered is stored, what was refused is not."""
    store = reopen()
    outcomes = await asyncio.gather(
        *(store.write(_two_projects, str(n), fail="after" if n % 3 else "") for n in range(60)),
        return_exceptions=True,
    )
    await store.close()
    again = reopen()
    try:
        kept = [f"{n}/{half}" for n in range(60) if outcomes[n] is None for half in "ab"]
        assert len(kept) == 40
        assert await again.read(_names) == kept
    finally:
        await again.close()


async def test_closing_finishes_what_was_handed_in(reopen: Reopen) -> None:
    """Writes under way when the store is closed are answered and stored."""
    store = reopen()
    calls = [asyncio.ensure_future(store.write(_two_projects, str(n))) for n in range(20)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*calls)
    again = reopen()
    try:
        assert len(await again.read(_names)) == 40
    finally:
        await again.close()


async def test_a_closed_store_refuses(reopen: Reopen) -> None:
    """After closing, reads and writes say that the store is unavailable; closing twice is fine."""
    store = reopen()
    await store.close()
    await store.close()
    with pytest.raises(StoreUnavailable):
        await store.write(keys.create_project, "late")
    with pytest.raises(StoreUnavailable):
        await store.read(_names)


async def test_a_caller_that_goes_away_takes_nothing_back(store: Store) -> None:
    """A write whose caller is cancelled is still whole or absent, and the store goes on."""
    calls = [asyncio.ensure_future(store.write(_two_projects, str(n))) for n in range(20)]
    await asyncio.sleep(0)
    for call in calls[::2]:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    await store.write(_two_projects, "last")
    names = await store.read(_names)
    for n in [*range(20), "last"]:
        assert (f"{n}/a" in names) == (f"{n}/b" in names)
    assert {f"{n}/a" for n in range(1, 20, 2)} <= set(names)


async def test_time_and_ids_come_from_what_was_handed_in(store: Store, clock: StillClock) -> None:
    """A unit's moment is the given clock's, the same throughout; ids are the given ones."""

    def unit(tx: Transaction) -> tuple[bool, str, str]:
        before = tx.now
        clock.advance(60)
        return tx.now == before, tx.new_id(), tx.new_id()

    same, first, second = await store.write(unit)
    assert same
    assert first.endswith("000001")
    assert second.endswith("000002")
    project = await store.write(keys.create_project, "p")
    assert project.created_at == clock.moment
    assert project.uuid.endswith("000003")


async def test_an_unknown_query_is_an_error(store: Store) -> None:
    """A misspelt query raises; it never answers as if nothing were there."""
    with pytest.raises(AttributeError):
        await store.read(lambda tx: tx.facts.no_such_query())  # type: ignore[attr-defined]
    with pytest.raises(KeyError):
        await store.read(lambda tx: tx.soundness.count("no_such_check"))


async def test_an_order_must_be_one_that_the_query_declares(store: Store, access: Access) -> None:
    """Order is picked from a list; text of a caller never becomes part of a statement."""
    await store.write(graphs.create, access, "g", GraphDetails())
    page = graphs.page
    with pytest.raises(KeyError):
        await store.read(page, access, search="", order="name/sideways", limit=1, offset=0)
    with pytest.raises(KeyError):
        await store.read(page, access, search="", order="1; DROP", limit=1, offset=0)


async def test_a_glance_sees_what_was_acknowledged_and_raises_what_the_unit_raised(
    store: Store,
) -> None:
    """It is a read like any other, only nearer."""
    await store.write(keys.create_project, "seen")
    assert (await store.glance(keys.project_named, "seen")).name == "seen"
    with pytest.raises(NotFound):
        await store.glance(keys.project_named, "unseen")
    await store.close()
    with pytest.raises(StoreUnavailable):
        await store.glance(keys.project_named, "seen")
