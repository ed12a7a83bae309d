"""The instance manager, whatever is done to it while its clock stands still between steps.

Holders are tasks of their own, some of which wait: for an instance that is being made, or for a
deletion to end. After every step every task has run as far as it can.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from contextlib import ExitStack
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from structlog.testing import capture_logs

from recollect.errors import Conflict, Unavailable
from tests.property.effort import examples
from tests.support.instances import Bench, Broken, Holder, Noted, settle

KEYS = ("a", "b", "c")
CAPACITY = 2
LIFE_S = 10.0
keys = st.sampled_from(KEYS)
T = TypeVar("T")


class Deletion:
    """A deletion that is under way until nobody holds its key and its wipe is let go on."""

    def __init__(self, bench: Bench, key: str) -> None:
        self.key = key
        self.open_in_wipe: list[Noted] = []
        self.wiping = False
        self._bench = bench
        self._go = asyncio.Event()
        self.task = asyncio.create_task(bench.manager.delete(key, self._wipe))

    async def _wipe(self) -> None:
        self.wiping = True
        self._look()
        await self._go.wait()
        self._look()
        self.wiping = False

    def _look(self) -> None:
        self.open_in_wipe += [one for one in self._bench.open if one.key == self.key]

    async def finish(self) -> None:
        """Let the wipe end."""
        self._go.set()
        await settle()


class Instances(RuleBasedStateMachine):
    """Holders that come and go, time that passes, and everything that ends an instance."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.quiet = ExitStack()  # closing fails often here, and telling of it takes a while
        self.quiet.enter_context(capture_logs())
        self.bench = self._do(self._begin())
        self.holders: list[Holder] = []
        self.deletions: list[Deletion] = []
        self.released: dict[int, Noted] = {}  # in the order in which they were let go of
        self.released_at: dict[int, float] = {}
        self.closed = False

    async def _begin(self) -> Bench:
        return Bench(capacity=CAPACITY, life_s=LIFE_S, wait_s=60.0)

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.get_loop().run_until_complete(work)

    @rule(key=keys)
    def acquire(self, key: str) -> None:
        """Someone wants an instance; it may take until a deletion is over.

        What goes for it is what was let go of longest ago.
        """
        idle = [one for one in self.released.values() if not one.users and not one.closed]

        async def come() -> None:
            self.holders.append(Holder(self.bench.manager, key))
            await settle()

        self._do(come())
        gone = [bool(one.closed) for one in idle if not one.users]
        assert gone == sorted(gone, reverse=True)
        assert isinstance(self.holders[-1].error, Unavailable) == self.closed

    @precondition(lambda self: not (self.holders or self.deletions or self.closed))
    @rule(order=st.permutations(KEYS))
    def use_in_turn(self, order: list[str]) -> None:
        """Those stay that were let go of last."""
        for key in order:
            self.acquire(key)
            self._leave(self.holders[-1])
        assert {one.key for one in self.bench.open} == set(order[-CAPACITY:])

    @rule(several=st.lists(keys, min_size=2, max_size=4))
    def acquire_together(self, several: list[str]) -> None:
        """Several come in the same moment, while instances take a while to make."""

        async def come() -> None:
            self.bench.gate = asyncio.Event()
            self.holders += [Holder(self.bench.manager, key) for key in several]
            await settle()
            self.bench.gate.set()
            self.bench.gate = None
            await settle()

        self._do(come())

    @rule(key=keys, patient=st.integers(0, 2), evicted=st.booleans())
    def acquire_and_give_up(self, key: str, patient: int, evicted: bool) -> None:
        """Someone goes before the instance is made; others may wait for it on."""

        async def come() -> None:
            self.bench.gate = asyncio.Event()
            impatient = Holder(self.bench.manager, key)
            self.holders += [Holder(self.bench.manager, key) for _ in range(patient)]
            await settle()
            impatient.task.cancel()
            if evicted:
                self.bench.manager.evict(key)
            await settle()
            self.bench.gate.set()
            self.bench.gate = None
            await settle()
            if impatient.instance is not None:
                self._note(impatient.instance)
            for one in self.bench.made:
                if not one.users and id(one) not in self.released:
                    self._note(one)  # made for nobody

        self._do(come())

    @rule(key=keys, count=st.integers(1, 3))
    def acquire_in_vain(self, key: str, count: int) -> None:
        """A factory that fails: who waited for it is told, who found an instance is not."""

        async def come() -> None:
            self.bench.fail_create, self.bench.gate = True, asyncio.Event()
            came = [Holder(self.bench.manager, key) for _ in range(count)]
            await settle()
            self.bench.gate.set()
            await settle()
            self.bench.fail_create, self.bench.gate = False, None
            outcomes = {type(one.error) for one in came}
            assert len(outcomes) == 1, outcomes
            self.holders += came

        self._do(come())

    @precondition(lambda self: any(one.instance is not None for one in self.holders))
    @rule(choice=st.integers(0, 100))
    def release(self, choice: int) -> None:
        """One holder leaves."""
        at_work = [one for one in self.holders if one.instance is not None]
        self._leave(at_work[choice % len(at_work)])

    @rule(key=keys)
    def release_all_of_a_key(self, key: str) -> None:
        """Everyone leaves who has an instance of a key."""
        for one in [one for one in self.holders if one.key == key and one.instance is not None]:
            self._leave(one)

    def _leave(self, holder: Holder) -> None:
        assert holder.instance is not None
        self.holders.remove(holder)
        self._note(holder.instance)
        self._do(holder.leave())

    def _note(self, instance: Noted) -> None:
        self.released.pop(id(instance), None)
        self.released[id(instance)] = instance
        self.released_at[id(instance)] = self.bench.seconds

    @rule(seconds=st.sampled_from([0.5, LIFE_S / 2, LIFE_S, LIFE_S + 0.5]))
    def pass_time_and_sweep(self, seconds: float) -> None:
        """What was idle for longer than its life goes, and nothing else does.

        The steps of the clock are exact in binary: exactly the life is not longer than it.
        """
        self.bench.seconds += seconds
        before = {id(one): one for one in self.bench.open}

        async def go() -> None:
            self.bench.manager.sweep()
            await settle()

        self._do(go())
        for number, one in before.items():
            idle_s = self.bench.seconds - self.released_at.get(number, self.bench.seconds)
            assert bool(one.closed) == (not one.users and idle_s > LIFE_S), (one.key, idle_s)

    @rule(key=keys, fails=st.booleans())
    def evict(self, key: str, fails: bool) -> None:
        """Its settings changed; closing what nobody holds may fail."""

        async def go() -> None:
            for one in self.bench.open:
                one._close_fails = fails
            self.bench.manager.evict(key)
            await settle()

        self._do(go())
        assert not [one for one in self.bench.open if one.key == key and not one.users]

    @rule(key=keys, short=st.booleans())
    def begin_deletion(self, key: str, short: bool) -> None:
        """Someone deletes; a second one is told that it is under way."""

        async def go() -> None:
            begun = Deletion(self.bench, key)
            await settle()
            under_way = [one for one in self.deletions if one.key == key]
            if begun.task.done():
                error = begun.task.exception()
                assert isinstance(error, Unavailable if self.closed else Conflict)
                assert self.closed or under_way
            else:
                assert not under_way
                self.deletions.append(begun)

        self._do(go())
        if short and any(one.wiping for one in self.deletions):
            self.end_deletion()

    @precondition(lambda self: any(one.wiping for one in self.deletions))
    @rule()
    def end_deletion(self) -> None:
        """The wipe of the deletion that got that far first is done."""
        found = next(one for one in self.deletions if one.wiping)
        self.deletions.remove(found)
        self._do(found.finish())
        assert found.task.done()
        assert found.task.exception() is None
        assert found.open_in_wipe == []

    @precondition(lambda self: not self.closed and len(self.bench.made) > 6)
    @rule()
    def close(self) -> None:
        """The manager itself is closed, late enough that much happened before."""
        self.closed = True

        async def go() -> None:
            self.bench.manager._wait_s = 0
            await self.bench.manager.close()
            await settle()

        self._do(go())
        assert not [one for one in self.bench.open if not one.users]

    @invariant()
    def nothing_is_done_wrongly(self) -> None:
        """No instance was closed in use or twice, or handed out after it was closed."""
        assert self.bench.complaints() == []

    @invariant()
    def who_came_has_one_or_an_error_or_waits_for_a_deletion(self) -> None:
        """Nobody is forgotten."""
        waiting = {one.key for one in self.deletions}
        for one in list(self.holders):
            if one.error is not None:
                assert isinstance(one.error, Broken | Unavailable)
                assert not isinstance(one.error, Unavailable) or self.closed
                self.holders.remove(one)
            elif one.instance is None:
                assert one.key in waiting

    @invariant()
    def there_are_not_too_many(self) -> None:
        """More than the capacity only while all of them are in use."""
        idle = [one for one in self.bench.open if not one.users]
        assert len(self.bench.open) <= CAPACITY or not idle

    @invariant()
    def one_of_each_key_is_idle_at_most(self) -> None:
        """And nothing is idle that the manager does not know."""
        idle = Counter(one.key for one in self.bench.open if not one.users)
        assert all(count == 1 for count in idle.values())
        assert sorted(idle) == sorted(self.bench.manager._idle)
        assert not self.closed or not idle

    @invariant()
    def newcomers_share_one_instance(self) -> None:
        """At most one instance of a key is handed out to whoever comes next."""
        entries = self.bench.manager._entries
        live = [id(entry.made.result()) for entry in entries.values()]
        assert len(live) == len(set(live))
        assert {entry.key for entry in entries.values()} == set(entries)

    @invariant()
    def what_is_told_is_so(self) -> None:
        """Gauges and counts agree with what was made and closed."""
        assert self.bench.gauge("instances_open") == len(self.bench.open)
        assert self.bench.gauge("instances_in_use") == sum(
            1 for one in self.bench.open if one.users
        )
        assert self.bench.manager.open_count == len(self.bench.open)

    def teardown(self) -> None:
        """Everyone leaves, time passes: nothing is left."""
        try:
            self._do(self._end())
        finally:
            self.runner.close()
            self.quiet.close()

    async def _end(self) -> None:
        while self.holders or self.deletions:
            for holder in self.holders:
                await holder.leave()
            self.holders.clear()
            for deletion in self.deletions:
                await deletion.finish()
                assert deletion.task.done()
                assert deletion.open_in_wipe == []
            self.deletions.clear()
        self.bench.seconds += LIFE_S + 1
        self.bench.manager.sweep()
        await settle()
        assert self.bench.open == []
        assert self.bench.manager.open_count == 0
        assert self.bench.complaints() == []
        assert not self.bench.manager._present


Instances.TestCase.settings = settings(
    max_examples=examples(100), stateful_step_count=30, deadline=None
)
TestInstances = Instances.TestCase


@pytest.mark.long
def test_instances_for_long() -> None:
    """The same with many more histories."""
    long = settings(max_examples=1000, stateful_step_count=50, deadline=None)
    run_state_machine_as_test(Instances, settings=long)
