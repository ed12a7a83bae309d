"""A unit of work on its way through a store's thread, and its outcome on the way back."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

from recollect.limits import COMMIT_GROUP_MAX

C = TypeVar("C", bound=Callable[..., Any])
_BESIDE = "runs_beside_others"


def beside_others(unit: C) -> C:
    """Say of a unit that it may run while others do, where a store can write in several places at once.

    Such a unit holds the graph that it is about (`tx.hold`) before it looks at anything that an append, a
    claim or a fold of that graph changes, writes to nothing but that graph, and leaves to `tx.at_end`
    what all of its project take turns at. Whoever does not say so of a unit has the store to it alone.
    Around another unit it wants `functools.wraps`, which carries this along.
    """
    setattr(unit, _BESIDE, True)
    return unit


class Work:
    """A unit on its way through a thread, and then its outcome on the way back."""

    __slots__ = ("error", "future", "project_id", "result", "unit")

    def __init__(self, unit: Callable[[Any], Any], project_id: int | None = None) -> None:
        self.unit = unit
        self.project_id = project_id  # whose it is; None: nobody's in particular
        self.future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.result: Any = None
        self.error: BaseException | None = None


def runs_beside_others(unit: Callable[..., Any]) -> bool:
    """Whether it was said so of a unit."""
    return getattr(unit, _BESIDE, False)


Inbox = SimpleQueue[Work | None]


def answer(works: list[Work]) -> None:
    """Hand outcomes back, one wake-up per event loop; a loop that is gone wants no answer."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Work]] = {}
    for work in works:
        by_loop.setdefault(work.future.get_loop(), []).append(work)
    for loop, own in by_loop.items():
        with suppress(RuntimeError):  # that loop is closed
            loop.call_soon_threadsafe(_resolve, own)


def _resolve(works: list[Work]) -> None:
    for work in works:
        if work.future.done():
            continue
        if work.error is None:
            work.future.set_result(work.result)
        else:
            work.future.set_exception(work.error)


def next_group(inbox: Inbox, most: int = COMMIT_GROUP_MAX) -> tuple[list[Work], bool]:
    """What waits to be written, as one commit; and whether the end mark was found."""
    group: list[Work] = []
    work = inbox.get()
    while work is not None:
        group.append(work)
        if inbox.empty() or len(group) == most:
            return group, False
        work = inbox.get()
    return group, True
