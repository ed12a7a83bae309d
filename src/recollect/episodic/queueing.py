"""What waits to be done in one session: turns of their own, and input that joins a turn."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Generator
from dataclasses import dataclass, field
from typing import Any

from recollect.episodic.events import Event
from recollect.episodic.runner import Answer


class Run:
    """A turn that was queued. Await it for the model's last answer, or iterate over its events.

    Awaiting raises what made the turn fail, or TurnAborted.
    """

    def __init__(self, turn_id: str) -> None:
        self.turn_id = turn_id
        self._events: list[Event] = []
        self._heard = asyncio.Event()
        self._over = asyncio.Event()
        self._answer: Answer | None = None
        self._error: BaseException | None = None

    async def result(self) -> Answer:
        """The last answer of the model."""
        await self._over.wait()
        if self._error is not None:
            raise self._error
        return self._answer or Answer([])

    def __await__(self) -> Generator[Any, None, Answer]:
        return self.result().__await__()

    async def events(self) -> AsyncIterator[Event]:
        """Every event of the turn from the first on, until the one that ends it."""
        position = 0
        while True:
            while position < len(self._events):
                event = self._events[position]
                position += 1
                yield event
                if event.ends_turn:
                    return
            self._heard.clear()
            await self._heard.wait()

    def hear(self, event: Event) -> None:
        """Keep an event of this turn."""
        self._events.append(event)
        self._heard.set()

    def finish(self, answer: Answer | None, error: BaseException | None) -> None:
        """The turn is over."""
        self._answer, self._error = answer, error
        self._over.set()


@dataclass
class Waiting:
    """One queued turn: its input, the context of its run, and what joined it meanwhile: not yet
    taken up, and taken up.
    """

    run: Run
    items: list[Any]
    context: dict[str, Any]
    joined: list["Joined"] = field(default_factory=list)
    taken_up: list["Joined"] = field(default_factory=list)
    accepting: bool = True


@dataclass
class Joined:
    """Input that was sent to a turn that was there already."""

    items: list[Any]
    context: dict[str, Any]


class TurnQueue:
    """First come, first served."""

    def __init__(self) -> None:
        self.waiting: deque[Waiting] = deque()
        self.live: Waiting | None = None

    def open_to_input(self) -> Waiting | None:
        """The turn that input joins: the live one while it listens, or else the next."""
        if self.live is not None and self.live.accepting:
            return self.live
        return self.waiting[0] if self.waiting else None

    def drain(self, job: Waiting) -> list[Joined]:
        """What joined a turn since the last time.

        A turn that finds nothing accepts nothing more.
        """
        joined, job.joined = job.joined, []
        job.taken_up += joined
        job.accepting = bool(joined)
        return joined

    def release(self, turn_id: str) -> tuple[list[Joined], list[Joined]]:
        """What joined the live turn, as it is interrupted: not yet taken up, and taken up."""
        job = self.live
        if job is None or job.run.turn_id != turn_id:
            return [], []
        joined, job.joined, job.accepting = job.joined, [], False
        return joined, job.taken_up
