"""A unit of work on its way to a store's thread, and its outcome on the way back."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

from recollect.limits import COMMIT_GROUP_MAX

C = TypeVar("C", bound=Callable[..., Any])
_BESIDE = "runs_beside_others"


def beside_others(unit: C) -> C:
    """Mark a unit that may run concurrently with others, in a store that supports concurrent writes.

    Such a unit locks its graph (`tx.hold`) before it reads anything that an append, a claim or a fold of
    that graph changes. It writes to that graph only, and leaves work that its whole project contends for
    to `tx.at_end`. A unit without this mark has the store to itself.
    A wrapper around such a unit needs `functools.wraps`, which carries the mark along.
    """
    setattr(unit, _BESIDE, True)
    return unit


class Work:
    """A unit on its way to a thread, then its outcome on the way back."""

    __slots__ = ("error", "future", "project_id", "result", "unit")

    def __init__(self, unit: Callable[[Any], Any], project_id: int | None = None) -> None:
        self.unit = unit
        self.project_id = project_id  # None: not tied to a project
        self.future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.result: Any = None
        self.error: BaseException | None = None


def runs_beside_others(unit: Callable[..., Any]) -> bool:
    """Whether a unit is marked with `beside_others`."""
    return getattr(unit, _BESIDE, False)


Inbox = SimpleQueue[Work | None]


def answer(works: list[Work]) -> None:
    """Deliver outcomes, with one wake-up per event loop; a closed loop is skipped."""
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
    """Wait for work and return what is queued as one commit group; also whether the end mark was reached."""
    group: list[Work] = []
    work = inbox.get()
    while work is not None:
        group.append(work)
        if inbox.empty() or len(group) == most:
            return group, False
        work = inbox.get()
    return group, True
