"""Grouped commits are invisible: any mix of units ends as if each had run alone."""

import asyncio
import shutil
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.governance import keys
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import CountingIds, Refused, StillClock
from tests.property.effort import examples
from tests.support.stores import open_store

NAMES = ("a", "b", "c", "d")


@dataclass(frozen=True)
class Plan:
    """A unit: names to insert in turn, and where on the way it raises, if at all."""

    names: tuple[str, ...]
    fails_at: int | None

    def __call__(self, tx: Transaction) -> tuple[str, ...]:
        for number, name in enumerate(self.names):
            if number == self.fails_at:
                raise Refused
            # A name that is taken raises from inside the database.
            tx.projects.insert(uuid=tx.new_id(), name=name, description=None, now=0)
        if self.fails_at is not None and self.fails_at >= len(self.names):
            raise Refused
        return self.names


plans = st.builds(
    Plan,
    st.lists(st.sampled_from(NAMES), max_size=2).map(tuple),
    st.one_of(st.none(), st.integers(0, 2)),
)


def expected(units: list[Plan]) -> tuple[list[str], list[str]]:
    """Run the units one by one on a plain list: what is stored, and how each ends."""
    stored: list[str] = []
    outcomes = []
    for unit in units:
        own: list[str] = []
        outcome = "done"
        for number, name in enumerate([*unit.names, None]):
            if unit.fails_at is not None and number == min(unit.fails_at, len(unit.names)):
                outcome = "Refused"
                break
            if name is None:
                break
            if name in stored or name in own:
                outcome = "RowRefused"
                break
            own.append(name)
        if outcome == "done":
            stored += own
        outcomes.append(outcome)
    return stored, outcomes


async def _as_one_group(store: Store, units: list[Plan]) -> list[str]:
    """Hand in all units while the writer is held up, so that they share a commit."""
    gate, holding = threading.Event(), threading.Event()

    def hold(tx: Transaction) -> None:
        holding.set()
        gate.wait(5)

    first = asyncio.ensure_future(store.write(hold))
    await asyncio.to_thread(holding.wait, 5)
    calls = [asyncio.ensure_future(store.write(unit)) for unit in units]
    await asyncio.sleep(0)
    gate.set()
    await first
    results: list[Any] = await asyncio.gather(*calls, return_exceptions=True)
    return [type(r).__name__ if isinstance(r, Exception) else "done" for r in results]


@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(plans, min_size=1, max_size=12))
def test_a_group_of_units_ends_as_if_each_had_run_alone(units: list[Plan]) -> None:
    """Same answers, same rows, in the same order, also after reopening."""
    folder = Path(tempfile.mkdtemp(prefix="recollect-group-"))

    async def history() -> None:
        store = open_store(folder, readers=1, clock=StillClock(), ids=CountingIds())
        outcomes = await _as_one_group(store, units)
        await store.close()
        again = open_store(folder, readers=1)
        stored = [project.name for project in await again.read(keys.list_projects)]
        await again.close()
        assert (stored, outcomes) == expected(units)

    try:
        asyncio.run(history())
    finally:
        shutil.rmtree(folder)


def test_the_model_of_this_test_knows_the_three_endings() -> None:
    """The plain version of a unit agrees with its story on a small example."""
    units = [Plan(("a", "b"), None), Plan(("c", "a"), None), Plan(("d",), 1), Plan((), 0)]
    assert expected(units) == (["a", "b"], ["done", "RowRefused", "Refused", "Refused"])
    with pytest.raises(Refused):
        units[3](None)  # type: ignore[arg-type]
