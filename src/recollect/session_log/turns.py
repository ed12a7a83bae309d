"""A turn: a fork of the committed log, merged if it succeeds and dropped if it fails."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType, TracebackType
from typing import Any, Final, NamedTuple, Protocol

from recollect.session_log.episode import Episode
from recollect.session_log.errors import TurnAborted
from recollect.session_log.log import Episodic

QUEUED: Final = "turn.queued"
START: Final = "turn.start"
INPUT_QUEUED: Final = "turn.input_queued"
INPUT_DRAINED: Final = "turn.input_drained"
DONE: Final = "turn.done"
FAILED: Final = "turn.failed"
ABORTED: Final = "turn.aborted"
ENDS: Final = frozenset({DONE, FAILED, ABORTED})


class Event(NamedTuple):
    """One event of a turn. The last three types end it; nothing comes after them."""

    type: str
    session_id: str
    turn_id: str
    data: Mapping[str, Any] = MappingProxyType({})

    @property
    def ends_turn(self) -> bool:
        """Whether the turn is over."""
        return self.type in ENDS


Listener = Callable[[Event], object]


class EventListeners:
    """Listeners in order of registration.

    An exception in one affects neither the others nor the turn.
    """

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def add(self, listener: Listener) -> Callable[[], None]:
        """Subscribe; the function returned unsubscribes."""
        self._listeners.append(listener)

        def remove() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return remove

    def tell(self, event: Event) -> None:
        """Notify all listeners."""
        for listener in list(self._listeners):
            try:
                listener(event)
            except Exception:  # noqa: BLE001, S112 - a listener only listens
                continue


class Turn:
    """The working side of one turn. What it appends carries its id."""

    def __init__(self, turn_id: str, *, announced: bool = False) -> None:
        self.id = turn_id
        self.announced = announced
        self.log = Episodic()
        self.forked_at = 0
        self.reason: object = None
        self.merged = False  # whether it is in the committed log
        self._aborted = False
        self._open = True
        self._task: asyncio.Task[Any] | None = None
        self._cancelled = False

    @property
    def aborted(self) -> bool:
        """Whether the turn was aborted; whatever it appends is dropped."""
        return self._aborted

    @property
    def can_abort(self) -> bool:
        """Whether an abort would have an effect: not aborted before, and not merged yet."""
        return self._open and not self._aborted

    def check(self) -> None:
        """Raise TurnAborted if the turn was aborted. For long work that does not await."""
        if self._aborted:
            raise TurnAborted(self.reason)

    def append(
        self,
        type: str | Mapping[str, Any],  # noqa: A002 - the wire's own word
        payload: Mapping[str, Any] | None = None,
        *,
        source: str | None = None,
        **rest: Any,
    ) -> Episode:
        """Append to the working log."""
        return self.log.append(type, payload, source=source, turn_id=self.id, **rest)

    def append_items(
        self,
        items: Iterable[Any],
        meta: Mapping[str, Any] | None = None,
        *,
        source: str | None = None,
    ) -> list[Episode]:
        """Append items to the working log."""
        return self.log.append_items(items, meta, source=source, turn_id=self.id)

    def append_event(self, event: str, data: Mapping[str, Any] | None = None) -> Episode:
        """Append an audit record to the working log."""
        return self.log.append_event(event, data, turn_id=self.id)

    def read(self, query: Mapping[str, Any] | None = None, **named: Any) -> list[Episode]:
        """Read the working log: the committed episodes as of the start, then the turn's own."""
        return self.log.read(query, **named)

    @property
    def own(self) -> list[Episode]:
        """The episodes of this turn so far."""
        return list(self.log.episodes[self.forked_at :])

    def abort(self, reason: object = "aborted") -> bool:
        """Abort the turn; False if it was aborted before or its merge has begun.

        The task that runs the turn is cancelled at its next await. A turn that aborts itself is
        only marked, so that it can still clean up.
        """
        if not self.can_abort:
            return False
        self._aborted, self.reason = True, reason
        if self._task is not None and self.is_running():
            self._cancelled = self._task.cancel()
        return True

    def is_current(self) -> bool:
        """Whether the caller runs inside this turn."""
        return self._task is not None and self._task is _current_task()

    def is_running(self) -> bool:
        """Whether a task other than the caller's runs this turn and will leave it."""
        return self._task is not None and not self._task.done() and not self.is_current()

    def attend(self, log: Episodic) -> None:
        """Start on a fork of *log* in the current task."""
        self.log, self.forked_at = log.fork(), len(log)
        self._task = asyncio.current_task()

    def leave(self) -> bool:
        """End the body; True if a cancellation by someone else is still pending."""
        task, self._task = self._task, None
        if task is None or not self._cancelled:
            return False
        return task.uncancel() > 0

    def close(self) -> None:
        """Make the turn impossible to abort: it is being merged, or over."""
        self._open = False


def _current_task() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


class Host(Protocol):
    """What a turn needs of its session."""

    async def open_turn(self, turn: Turn) -> None:
        """Wait until no other turn is live, then fork."""

    async def close_turn(self, turn: Turn, error: BaseException | None) -> None:
        """Merge or drop, notify the listeners, and let the next turn start."""


class TurnScope:
    """`async with session.turn() as turn:` ends in one of three ways.

    The body returns: what it appended is merged and saved. It raises: nothing remains of it. It is
    aborted: nothing remains, and TurnAborted is raised where the turn was awaited.
    """

    def __init__(self, host: Host, turn: Turn) -> None:
        self._host, self._turn = host, turn

    async def __aenter__(self) -> Turn:
        await self._host.open_turn(self._turn)
        return self._turn

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        cancelled_besides = self._turn.leave()
        await self._host.close_turn(self._turn, error)
        if self._turn.aborted and not cancelled_besides:
            if isinstance(error, TurnAborted):
                return
            raise TurnAborted(self._turn.reason) from error
