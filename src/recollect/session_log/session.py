"""A session: one committed log, changed by one mutation at a time, and the turns that add to it.

Everything is saved before it becomes visible; what could not be saved did not happen.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from recollect.session_log import jsonl, turns
from recollect.session_log.episode import Episode
from recollect.session_log.errors import DefaultSession, SessionExists, SessionRemoved
from recollect.session_log.log import Episodic
from recollect.session_log.storage import State, Storage, Storages, key_of
from recollect.session_log.turns import Event, EventListeners, Listener, Turn, TurnScope


def merged(*contexts: Mapping[str, Any] | None) -> dict[str, Any]:
    """A deep merge of the contexts, later ones winning. The result shares no object with them."""
    result: dict[str, Any] = {}
    for context in contexts:
        for key, value in (context or {}).items():
            known = result.get(key)
            if isinstance(value, Mapping):
                result[key] = merged(known if isinstance(known, Mapping) else None, value)
            else:
                result[key] = value
    return result


T = TypeVar("T")


class Committed:
    """A log and a context in storages. Callers hold the mutation lock."""

    def __init__(
        self,
        storages: Storages,
        items: Iterable[Any],
        context: Mapping[str, Any],
        now: Callable[[], str] | None,
    ) -> None:
        self._storages = storages
        self._initial_items, self._initial_context = list(items), merged(context)
        self._now = now
        self._one_at_a_time = asyncio.Lock()
        self._loaded = False
        self._text = ""  # the log as last saved, so that only new episodes are serialised
        self._text_length = 0
        self.log, self.context = self.beginning()

    def beginning(self) -> tuple[Episodic, dict[str, Any]]:
        """The initial log and context of the session."""
        log = Episodic(now=self._now)
        log.append_items(self._initial_items, source="user")
        return log, merged(self._initial_context)

    @asynccontextmanager
    async def mutation(self) -> AsyncIterator[None]:
        """The lock for changes, granted in the order of requests."""
        async with self._one_at_a_time:
            yield

    async def load(self) -> None:
        """Load from the storages, once."""
        if self._loaded:
            return
        state = await self._storages.load()
        if state is not None:
            self.log = Episodic.from_jsonl(state.episodic, now=self._now)
            self.context = dict(state.context)
        self._loaded = True

    async def commit(self, added: Sequence[Episode]) -> None:
        """Append episodes under new ids."""
        candidate = self.log.fork()
        stored = candidate.adopt(added)
        if self._storages:
            text = self._extended(stored)
            await self._storages.save(self.context, text)
            self._text, self._text_length = text, len(candidate)
        self.log.adopt(stored)

    def _extended(self, added: Sequence[Episode]) -> str:
        """The log with the added episodes, as JSONL."""
        new = jsonl.dump([*self.log.episodes[self._text_length :], *added])
        return "\n".join(text for text in (self._text, new) if text)

    async def replace(self, log: Episodic, context: dict[str, Any]) -> None:
        """Replace the log and the context."""
        if self._storages:
            text = log.to_jsonl()
            await self._storages.save(context, text)
            self._text, self._text_length = text, len(log)
        self.log, self.context, self._loaded = log, context, True

    def state(self) -> State:
        """The state to be stored."""
        return State(merged(self.context), self.log.to_jsonl())

    async def exists(self) -> bool:
        """Whether a storage holds a valid state."""
        return await self._storages.load() is not None

    async def remove(self) -> None:
        """Delete the stored state."""
        await self._storages.remove()


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Finish the work even if the caller is cancelled, then let the cancellation proceed."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.done():
            await asyncio.wait([task])
        if not task.cancelled():
            task.exception()
        raise


INTERRUPT_TITLE = "turn interrupted"
INTERRUPT_NOTE = (
    "The turn before this point was interrupted on purpose. "
    "Tools that it had called may have run in part."
)


def new_turn_id() -> str:
    """A unique turn id."""
    return secrets.token_hex(16)


class Session:
    """The committed log of a conversation, its context, and the turns that add to it.

    Turns run one after the other, each on a fork of the log. Every change of the committed log is
    saved in all storages before it becomes visible; if saving fails, it did not happen.
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
        self._listeners = EventListeners()

    @property
    def log(self) -> Episodic:
        """The committed log, for reading; append in a turn."""
        return self._committed.log

    @property
    def live_turn(self) -> str | None:
        """The id of the turn that is running."""
        return None if self._live is None else self._live.id

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Subscribe to the events of every turn; the function returned unsubscribes."""
        return self._listeners.add(listener)

    async def load(self) -> None:
        """Load from the storages. Happens automatically when needed."""
        async with self._committed.mutation():
            await self._load()

    async def _load(self) -> None:
        self._check()
        await self._committed.load()

    def _check(self) -> None:
        if self._removed:
            raise SessionRemoved(f"session {self.id!r} was removed")

    def turn(self, turn_id: str | None = None) -> TurnScope:
        """A turn, for `async with`. It starts when the earlier ones have ended."""
        self._check()
        return TurnScope(self, Turn(turn_id or self._turn_ids()))

    async def open_turn(self, turn: Turn) -> None:
        """Wait for earlier turns, then fork the committed log. Called on entering a turn."""
        self._check()
        if not turn.announced:
            self.tell(turn.id, turns.QUEUED)
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
        self.tell(turn.id, turns.START)

    async def close_turn(self, turn: Turn, error: BaseException | None) -> None:
        """Merge on success, drop otherwise, and let the next turn start.

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
            self.tell(turn.id, turns.ABORTED, reason=turn.reason)
        elif isinstance(error, asyncio.CancelledError):
            self.tell(turn.id, turns.ABORTED, reason="cancelled")
        elif error is not None:
            self.tell(turn.id, turns.FAILED, error=error)
        else:
            self.tell(turn.id, turns.DONE)

    def tell(self, turn_id: str, event: str, **data: Any) -> None:
        """Notify the listeners."""
        self._listeners.tell(Event(event, self.id, turn_id, data))

    async def _merge(self, turn: Turn) -> None:
        async with self._committed.mutation():
            if turn.aborted:
                return
            turn.close()
            await self._committed.commit(turn.own)
            turn.merged = True

    def abort(self, reason: object = "aborted") -> str | None:
        """Abort the live turn without a trace in the log; returns its id, or None."""
        turn = self._live
        return turn.id if turn is not None and turn.abort(reason) else None

    async def interrupt(self, reason: object = "interrupted") -> str | None:
        """Abort the live turn and record that in the committed log before the next begins.

        Returns its id, or None.
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
        """The input of a turn that survives it."""
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
        """Append outside a turn, in one step: *build* appends to the fork it is given."""
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
        """The stored state of the session: its context, and its log as JSONL."""
        async with self._committed.mutation():
            await self._load()
            return self._committed.state()

    async def clear(self) -> None:
        """Abort the live and the waiting turns, and return to the initial log and context."""
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

        The session is unusable afterwards.
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
        """A session with the committed log and context of this one, without the live turn."""
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
