"""Answers go back to the loop they came from, and a loop that is gone harms nobody."""

import asyncio
from typing import Any

from recollect.store.work import Work, answer


async def test_outcomes_wake_each_loop_once() -> None:
    """A group of answers for one loop costs one wake-up, and each caller gets its own outcome."""
    works = [Work(lambda tx: None) for _ in range(3)]
    works[0].result = "done"
    works[1].error = ValueError("not done")
    works[2].future.cancel()
    answer(works)
    await asyncio.sleep(0)
    assert works[0].future.result() == "done"
    assert str(works[1].future.exception()) == "not done"
    assert works[2].future.cancelled()


async def test_a_loop_that_closes_at_the_wrong_moment_harms_nobody() -> None:
    """Between asking whether a loop is closed and waking it, it may close; the thread lives on."""

    class Closing:
        """A loop that was open a moment ago."""

        def is_closed(self) -> bool:
            return False

        def call_soon_threadsafe(self, *args: Any) -> None:
            raise RuntimeError("Event loop is closed")

    class Orphan:
        """The future of a caller on that loop."""

        def get_loop(self) -> Closing:
            return Closing()

    gone, here = Work(lambda tx: None), Work(lambda tx: None)
    gone.future = Orphan()  # type: ignore[assignment]
    answer([gone, here])
    await asyncio.sleep(0)
    assert here.future.done()
