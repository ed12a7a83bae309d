"""Instances are shared, kept while they are used, and closed when they are not."""

import asyncio

import pytest
from structlog.testing import capture_logs

from recollect.errors import Conflict, Unavailable
from tests.support.instances import Bench, Broken, Holder, settle


async def nothing() -> str:
    """A wipe that does nothing."""
    return "wiped"


async def test_an_instance_is_made_on_first_use_and_found_again() -> None:
    """Also by whoever comes after the first has left."""
    bench = Bench()
    async with bench.manager.hold("a") as first:
        pass
    async with bench.manager.hold("a") as second, bench.manager.hold("a") as third:
        assert first is second is third
    assert len(bench.made) == 1


async def test_two_first_uses_at_the_same_time_make_one_instance() -> None:
    """The second waits for what the first began."""
    bench = Bench()
    bench.gate = asyncio.Event()
    holders = [Holder(bench.manager, "a") for _ in range(5)]
    await settle()
    bench.gate.set()
    await settle()
    assert len(bench.made) == 1
    assert {id(holder.instance) for holder in holders} == {id(bench.made[0])}
    for holder in holders:
        await holder.leave()
    assert bench.gauge("instances_in_use") == 0


async def test_a_factory_that_fails_is_told_to_all_and_leaves_nothing() -> None:
    """The next use tries again."""
    bench = Bench()
    bench.gate, bench.fail_create = asyncio.Event(), True
    holders = [Holder(bench.manager, "a") for _ in range(3)]
    await settle()
    bench.gate.set()
    await settle()
    assert [str(holder.error) for holder in holders] == ["create a"] * 3
    assert bench.manager.open_count == 0
    assert bench.gauge("instances_in_use") == bench.gauge("instances_open") == 0
    bench.fail_create = False
    async with bench.manager.hold("a") as instance:
        assert instance.key == "a"


async def test_a_factory_that_is_interrupted_keeps_nobody_waiting() -> None:
    """Whoever waited is told to come again."""
    bench = Bench()
    bench.gate = asyncio.Event()
    holder = Holder(bench.manager, "a")
    await settle()
    for maker in list(bench.manager._makers):
        maker.cancel()
    await settle()
    assert isinstance(holder.error, Unavailable)
    assert bench.manager.open_count == 0


async def test_who_gives_up_waiting_does_not_take_it_from_others() -> None:
    """And an instance for which all gave up expires like any other."""
    bench = Bench()
    bench.gate = asyncio.Event()
    impatient, patient = Holder(bench.manager, "a"), Holder(bench.manager, "a")
    await settle()
    impatient.task.cancel()
    await settle()
    bench.gate.set()
    await settle()
    assert patient.instance is bench.made[0]
    await patient.leave()

    bench.gate = asyncio.Event()
    alone = Holder(bench.manager, "b")
    await settle()
    alone.task.cancel()
    await settle()
    bench.gate.set()
    await settle()
    assert [one.key for one in bench.open] == ["a", "b"]
    bench.seconds = 11
    assert bench.manager.sweep() == 2
    await settle()
    assert bench.open == []


async def test_idle_time_runs_from_the_last_release() -> None:
    """Long use is no idleness, and exactly the life is not longer than it."""
    bench = Bench(life_s=10)
    async with bench.manager.hold("a"):
        bench.seconds = 100
    bench.seconds = 110
    assert bench.manager.sweep() == 0
    async with bench.manager.hold("a"):
        pass
    bench.seconds = 120
    assert bench.manager.sweep() == 0
    bench.seconds = 120.1
    assert bench.manager.sweep() == 1
    await settle()
    assert bench.open == []


async def test_beyond_the_capacity_the_least_recently_released_goes() -> None:
    """Not the one that was made first."""
    bench = Bench(capacity=2)
    for key in ("a", "b", "a", "c"):
        async with bench.manager.hold(key):
            pass
    await settle()
    assert [one.key for one in bench.open] == ["a", "c"]


async def test_when_all_are_busy_there_may_be_more_until_they_are_let_go() -> None:
    """Nobody is refused, and nothing is closed in use."""
    bench = Bench(capacity=2)
    holders = [Holder(bench.manager, key) for key in "abcd"]
    await settle()
    assert len(bench.open) == 4
    for holder, left in zip(holders, (3, 2, 2, 2), strict=True):
        await holder.leave()
        assert len(bench.open) == left
    assert bench.complaints() == []


async def test_an_evicted_instance_stays_with_its_holder_and_nobody_else() -> None:
    """It is closed when the last one leaves."""
    bench = Bench()
    old = Holder(bench.manager, "a")
    await settle()
    bench.manager.evict("a")
    new = Holder(bench.manager, "a")
    await settle()
    assert len(bench.open) == 2
    assert new.instance is not old.instance
    await old.leave()
    assert bench.open == [new.instance]
    await new.leave()
    assert bench.complaints() == []


async def test_an_instance_evicted_while_it_is_made_is_closed_after_its_use() -> None:
    """Those who waited for it get it, whoever comes later does not."""
    bench = Bench()
    bench.gate = asyncio.Event()
    old = Holder(bench.manager, "a")
    await settle()
    bench.manager.evict("a")
    new = Holder(bench.manager, "a")
    await settle()
    bench.gate.set()
    await settle()
    assert old.instance is not new.instance
    await old.leave()
    assert bench.open == [new.instance]


async def test_a_close_that_fails_is_logged_and_hurts_nobody() -> None:
    """What is closed after it is closed all the same."""
    bench = Bench()
    bench.fail_close = True
    for key in ("a", "b"):
        async with bench.manager.hold(key):
            pass
    with capture_logs() as logs:
        bench.manager.evict("a")
        bench.manager.evict("b")
        await settle()
    assert [one.closed for one in bench.made] == [1, 1]
    assert [line["event"] for line in logs] == ["instance.not_closed"] * 2
    assert isinstance(logs[0]["exc_info"], Broken)
    assert bench.gauge("instances_open") == 0


async def test_a_deletion_waits_for_holders_and_lets_nobody_in_meanwhile() -> None:
    """Whoever comes meanwhile gets a new instance afterwards."""
    bench = Bench(wait_s=5)
    old = Holder(bench.manager, "a")
    await settle()
    deletion = asyncio.create_task(bench.manager.delete("a", nothing))
    await settle()
    new = Holder(bench.manager, "a")
    await settle()
    assert not deletion.done()
    assert new.instance is None
    await old.leave()
    assert await deletion == "wiped"
    await settle()
    assert old.instance is not None
    assert old.instance.closed == 1
    assert new.instance is not None
    assert new.instance is not old.instance
    await new.leave()


async def test_nothing_is_open_while_it_is_wiped() -> None:
    """Not even an instance that was evicted a moment before."""
    bench = Bench(wait_s=5)
    async with bench.manager.hold("a"):
        pass
    bench.manager.evict("a")
    seen: list[int] = []

    async def wipe() -> None:
        seen.append(len(bench.open))

    await bench.manager.delete("a", wipe)
    assert seen == [0]


async def test_deleting_what_stays_in_use_is_a_conflict_and_wipes_nothing() -> None:
    """And it can be used on."""
    bench = Bench(wait_s=0.01)
    holder = Holder(bench.manager, "a")
    await settle()
    wiped: list[str] = []

    async def wipe() -> None:
        wiped.append("a")

    with pytest.raises(Conflict, match="in use"):
        await bench.manager.delete("a", wipe)
    assert wiped == []
    async with bench.manager.hold("a"):
        pass
    await holder.leave()
    await bench.manager.delete("a", wipe)
    assert wiped == ["a"]


async def test_a_deletion_of_another_key_is_in_nobodys_way() -> None:
    """Only the key itself is closed to others."""
    bench = Bench()
    async with bench.manager.hold("a"):
        assert await bench.manager.delete("b", nothing) == "wiped"


async def test_a_second_deletion_and_who_waits_too_long_are_told_so() -> None:
    """Both with a conflict."""
    bench = Bench(wait_s=0.01)
    going, go = asyncio.Event(), asyncio.Event()

    async def wipe() -> None:
        going.set()
        await go.wait()

    deletion = asyncio.create_task(bench.manager.delete("a", wipe))
    await going.wait()
    with pytest.raises(Conflict, match="already"):
        await bench.manager.delete("a", nothing)
    with pytest.raises(Conflict, match="being deleted"):
        async with bench.manager.hold("a"):
            pass
    go.set()
    await deletion


async def test_a_wipe_that_fails_leaves_the_key_usable() -> None:
    """Its failure is the caller's."""
    bench = Bench()

    async def wipe() -> None:
        raise Broken("wipe")

    with pytest.raises(Broken):
        await bench.manager.delete("a", wipe)
    async with bench.manager.hold("a"):
        pass


async def test_a_closed_manager_closes_everything_and_refuses_everybody() -> None:
    """What is still in use is closed when it is let go."""
    bench = Bench(wait_s=0.01)
    async with bench.manager.hold("b"):
        pass
    holder = Holder(bench.manager, "a")
    await settle()
    await bench.manager.close()
    assert bench.open == [holder.instance]
    with pytest.raises(Unavailable):
        async with bench.manager.hold("b"):
            pass
    with pytest.raises(Unavailable):
        await bench.manager.delete("b", nothing)
    await holder.leave()
    assert bench.open == []
    assert bench.complaints() == []


async def test_the_sweeper_sweeps_until_the_manager_is_closed() -> None:
    """Without anyone asking."""
    bench = Bench()
    async with bench.manager.hold("a"):
        pass
    bench.seconds = 11
    sweeper = asyncio.create_task(bench.manager.run(0.001))
    for _ in range(200):
        if not bench.open:
            break
        await asyncio.sleep(0.002)
    assert bench.open == []
    await bench.manager.close()
    await asyncio.wait_for(sweeper, 5)


async def test_gauges_tell_what_is_open_and_what_is_in_use() -> None:
    """Held twice is in use once."""
    bench = Bench()
    async with bench.manager.hold("a"), bench.manager.hold("a"), bench.manager.hold("b"):
        assert (bench.gauge("instances_open"), bench.gauge("instances_in_use")) == (2, 2)
    assert (bench.gauge("instances_open"), bench.gauge("instances_in_use")) == (2, 0)
    await bench.manager.close()
    assert (bench.gauge("instances_open"), bench.gauge("instances_in_use")) == (0, 0)


async def test_a_sweep_looks_at_nothing_that_has_not_expired() -> None:
    """Ten thousand idle ones cost no more than one: the first is looked at, and no other."""
    bench = Bench(capacity=10_000)
    looked = 0

    class Idle(float):
        """A time of release that counts how often it is compared."""

        def __ge__(self, other: float) -> bool:
            nonlocal looked
            looked += 1
            return float(self) >= other

    for number in range(500):
        async with bench.manager.hold(str(number)):
            pass
    for entry in bench.manager._entries.values():
        entry.released_at = Idle(entry.released_at)
    assert bench.manager.sweep() == 0
    assert looked == 1
    await bench.manager.close()
