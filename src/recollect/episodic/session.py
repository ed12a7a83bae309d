"""A session: one committed log, and turns that add to it one after the other."""

import asyncio
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from recollect.episodic import events
from recollect.episodic.committed import Committed, to_the_end
from recollect.episodic.context import merged
from recollect.episodic.errors import DefaultSession, SessionExists, SessionRemoved
from recollect.episodic.events import Event, Listener, Listeners
from recollect.episodic.log import Episodic
from recollect.episodic.storage import State, Storage, Storages, key_of
from recollect.episodic.turns import Turn, TurnScope

T = TypeVar("T")

INTERRUPT_TITLE = "turn interrupted"
INTERRUPT_NOTE = (
    "The turn before this point was interrupted on purpose. "
    "Tools that it had called may have run in part."
)


def new_turn_id() -> str:
    """An id that no other turn has."""
    return secrets.token_hex(16)


class Session:
    """The committed log of a conversation, its context, and the turns that add to it.

    Turns run one after the other; each works on a fork of the log. Every change of the committed
    log is saved in all storages before it is to be seen, and if that fails it has not happened.
    """

    def __init__(
        self,
        session_id: str,
        *,
        agent: str = "agent",
        storages: Sequence[Storage] = (),
        context: Mapping[str, Any] | None = None,
        items: Iterable[Any] = (),
        removable: bool = True,
        siblings: "dict[str, Session] | None" = None,
        now: Callable[[], str] | None = None,
        turn_ids: Callable[[], str] = new_turn_id,
    ) -> None:
        self.id = session_id
        self.agent = agent
        self._options: dict[str, Any] = {
            "agent": agent,
            "storages": tuple(storages),
            "context": merged(context),
            "items": list(items),
            "now": now,
            "turn_ids": turn_ids,
        }
        self._committed = Committed(
            Storages(storages, key_of(agent, session_id)),
            self._options["items"],
            merged(context),
            now,
        )
        self._removable = removable
        self._siblings = {} if siblings is None else siblings
        self._siblings.setdefault(session_id, self)
        self._turn_ids = turn_ids
        self._removed = False
        self._live: Turn | None = None
        self._waiting: list[Turn] = []
        self._turns = asyncio.Lock()
        self._listeners = Listeners()

    @property
    def log(self) -> Episodic:
        """The committed log. To be read: what is to last is appended in a turn."""
        return self._committed.log

    @property
    def live_turn(self) -> str | None:
        """The id of the turn that is running."""
        return None if self._live is None else self._live.id

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hear of every turn; the function returned ends it."""
        return self._listeners.add(listener)

    async def load(self) -> None:
        """Take up what the storages hold. Happens by itself before anything that needs it."""
        async with self._committed.mutation():
            await self._load()

    async def _load(self) -> None:
        self._check()
        await self._committed.load()

    def _check(self) -> None:
        if self._removed:
            raise SessionRemoved(f"session {self.id!r} was removed")

    def turn(self, turn_id: str | None = None) -> TurnScope:
        """A turn, for `async with`. It starts when those before it have ended."""
        self._check()
        return TurnScope(self, Turn(turn_id or self._turn_ids()))

    async def open_turn(self, turn: Turn) -> None:
        """Wait for the turns before, then fork the committed log. Called on entering a turn."""
        self._check()
        if not turn.announced:
            self.tell(turn.id, events.QUEUED)
        self._waiting.append(turn)
        try:
            await self._turns.acquire()
        except BaseException as error:
            self._waiting.remove(turn)
            self._tell_end(turn, error)
            raise
        self._waiting.remove(turn)
        try:
            self._live = turn
            turn.check()
            async with self._committed.mutation():
                await self._load()
                turn.check()
                turn.attend(self._committed.log)
        except BaseException as error:
            await self.close_turn(turn, error)
            raise
        self.tell(turn.id, events.START)

    async def close_turn(self, turn: Turn, error: BaseException | None) -> None:
        """Merge if all went well, drop otherwise, and let the next turn in.

        Called on leaving a turn.
        """
        try:
            if error is None and not turn.aborted:
                await to_the_end(self._merge(turn))
        except BaseException as failure:
            error = None if turn.merged else failure
            raise
        finally:
            turn.close()
            if self._live is turn:
                self._live = None
            self._turns.release()
            self._tell_end(turn, error)

    def _tell_end(self, turn: Turn, error: BaseException | None) -> None:
        if turn.aborted:
            self.tell(turn.id, events.ABORTED, reason=turn.reason)
        elif isinstance(error, asyncio.CancelledError):
            self.tell(turn.id, events.ABORTED, reason="cancelled")
        elif error is not None:
            self.tell(turn.id, events.FAILED, error=error)
        else:
            self.tell(turn.id, events.DONE)

    def tell(self, turn_id: str, event: str, **data: Any) -> None:
        """Tell the listeners."""
        self._listeners.tell(Event(event, self.id, turn_id, data))

    async def _merge(self, turn: Turn) -> None:
        async with self._committed.mutation():
            if turn.aborted:
                return
            turn.close()
            await self._committed.commit(turn.own)
            turn.merged = True

    def abort(self, reason: object = "aborted") -> str | None:
        """Abort the live turn without a trace in the log; its id, or None if there is none."""
        turn = self._live
        return turn.id if turn is not None and turn.abort(reason) else None

    async def interrupt(self, reason: object = "interrupted") -> str | None:
        """Abort the live turn and note in the committed log that it was, before the next begins.

        The id of the turn, or None if there is none.
        """
        turn = self._live
        if turn is None or not turn.can_abort:
            return None
        async with self._committed.mutation():
            if not turn.abort(reason):
                return None
            await to_the_end(self._note_interrupt(turn, self._survivors(turn)))
        return turn.id

    def _survivors(self, turn: Turn) -> list[Any]:
        """What was said to a turn while it ran and is not dropped with it."""
        return []

    async def _note_interrupt(self, turn: Turn, said: list[Any]) -> None:
        await self._load()
        note = self._committed.log.fork()
        boundary = note.append_boundary(
            "interrupt", INTERRUPT_TITLE, INTERRUPT_NOTE, source="runtime", turn_id=turn.id
        )
        stayed = note.append_items(said, source="user", turn_id=turn.id)
        await self._committed.commit([boundary, *stayed])

    async def append(self, build: Callable[[Episodic], T]) -> T:
        """Append outside of a turn, in one step: *build* appends to the fork it is given."""
        async with self._committed.mutation():
            await self._load()
            before = len(self._committed.log)
            fork = self._committed.log.fork()
            result = build(fork)
            await to_the_end(self._committed.commit(fork.episodes[before:]))
            return result

    async def set_context(self, context: Mapping[str, Any]) -> None:
        """Merge into the context of the session, and save."""
        async with self._committed.mutation():
            await self._load()
            changed = merged(self._committed.context, context)
            await to_the_end(self._committed.replace(self._committed.log, changed))

    async def context(self) -> dict[str, Any]:
        """The session's own context."""
        await self.load()
        return merged(self._committed.context)

    async def snapshot(self) -> State:
        """What is stored of the session: its context, and its log as JSONL."""
        async with self._committed.mutation():
            await self._load()
            return self._committed.state()

    async def clear(self) -> None:
        """Abort the live turn and those that wait; back to the log and context of the beginning."""
        self._abort_all("cleared")
        async with self._committed.mutation():
            await self._load()
            await to_the_end(self._committed.replace(*self._committed.beginning()))

    def _abort_all(self, reason: str) -> None:
        for turn in (self._live, *self._waiting):
            if turn is not None:
                turn.abort(reason)

    async def remove(self) -> None:
        """Abort all turns, wait for the live one to end, and delete what is stored.

        The handle is dead then.
        """
        self._check()
        if not self._removable:
            raise DefaultSession(f"session {self.id!r} is the default one")
        self._removed = True
        self._abort_all("removed")
        if self._live is not None and self._live.is_running():
            async with self._turns:
                pass
        async with self._committed.mutation():
            await to_the_end(self._committed.remove())
        if self._siblings.get(self.id) is self:
            del self._siblings[self.id]

    async def fork(self, session_id: str) -> "Session":
        """A session with the committed log and the context of this one, nothing of a live turn."""
        async with self._committed.mutation():
            await self._load()
            if session_id in self._siblings:
                raise SessionExists(f"session {session_id!r} exists")
            copy = self._sibling(session_id)
            log, context = self._committed.log.fork(), merged(self._committed.context)
            try:
                await to_the_end(copy._start_as(log, context))
            except BaseException:
                self._siblings.pop(session_id, None)
                raise
            return copy

    async def _start_as(self, log: Episodic, context: dict[str, Any]) -> None:
        if await self._committed.exists():
            raise SessionExists(f"session {self.id!r} exists")
        await self._committed.replace(log, context)

    def _sibling(self, session_id: str) -> "Session":
        return Session(session_id, siblings=self._siblings, **self._options)
