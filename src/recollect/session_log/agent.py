"""An agent: a model, its tools and plugins, the sessions it talks in, and the queue of each."""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.session_log import turns
from recollect.session_log.errors import SessionRemoved, TurnAborted
from recollect.session_log.plugins import Hook, Moment, Tool, hooks, in_order
from recollect.session_log.runner import STEPS_MAX, Answer, Caller, Request, Runner, Setup, as_items
from recollect.session_log.session import Session, merged, new_turn_id
from recollect.session_log.storage import Storage
from recollect.session_log.turns import Event, Turn, TurnScope


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
        """Record an event of this turn."""
        self._events.append(event)
        self._heard.set()

    def finish(self, answer: Answer | None, error: BaseException | None) -> None:
        """Record that the turn is over."""
        self._answer, self._error = answer, error
        self._over.set()


@dataclass
class QueuedTurn:
    """A queued turn: its input, its context, and input that joined it, pending or already used."""

    run: Run
    items: list[Any]
    context: dict[str, Any]
    joined: list["Joined"] = field(default_factory=list)
    taken_up: list["Joined"] = field(default_factory=list)
    accepting: bool = True


@dataclass
class Joined:
    """Input that joined an existing turn."""

    items: list[Any]
    context: dict[str, Any]


class TurnQueue:
    """First come, first served."""

    def __init__(self) -> None:
        self.waiting: deque[QueuedTurn] = deque()
        self.live: QueuedTurn | None = None

    def open_to_input(self) -> QueuedTurn | None:
        """The turn that input joins: the live one while it listens, else the next."""
        if self.live is not None and self.live.accepting:
            return self.live
        return self.waiting[0] if self.waiting else None

    def drain(self, job: QueuedTurn) -> list[Joined]:
        """The input that joined a turn since the last call.

        If there is none, the turn accepts no more.
        """
        joined, job.joined = job.joined, []
        job.taken_up += joined
        job.accepting = bool(joined)
        return joined

    def release(self, turn_id: str) -> tuple[list[Joined], list[Joined]]:
        """The input that joined the live turn when it is interrupted: pending, and already used."""
        job = self.live
        if job is None or job.run.turn_id != turn_id:
            return [], []
        joined, job.joined, job.accepting = job.joined, [], False
        return joined, job.taken_up


class Agent:
    """A model with tools and plugins, and any number of sessions, each with a log of its own."""

    def __init__(
        self,
        name: str,
        model: Callable[[Request], Any],
        *,
        instructions: str | Hook = "",
        tools: Sequence[Tool] = (),
        plugins: Iterable[Any] = (),
        storages: Sequence[Storage] = (),
        context: Mapping[str, Any] | None = None,
        items: Iterable[Any] = (),
        context_length: float | None = None,
        max_output_tokens: float = 0,
        steps_max: int = STEPS_MAX,
        summarise: Hook | None = None,
        threads: bool = False,
        now: Callable[[], str] | None = None,
        turn_ids: Callable[[], str] = new_turn_id,
    ) -> None:
        self.name = name
        self.context = merged(context)
        self.plugins = in_order(plugins)
        self.caller = Caller(threads=threads)
        self.setup = Setup(
            model,
            instructions,
            tools,
            self.plugins,
            context_length,
            max_output_tokens,
            steps_max,
            summarise,
            self.caller,
        )
        self._session_options: dict[str, Any] = {
            "storages": [*storages, *hooks(self.plugins, "storage")],
            "items": list(items),
            "now": now,
            "turn_ids": turn_ids,
        }
        self._sessions: dict[str, Session] = {}
        self._set_up = asyncio.Lock()
        self._is_set_up = False

    def session(
        self, session_id: str | None = None, *, context: Mapping[str, Any] | None = None
    ) -> "AgentSession":
        """The session with that id, created if needed.

        Without an id it is the default one, named after the agent.
        """
        session_id = self.name if session_id is None else session_id
        known = self._sessions.get(session_id)
        return known if isinstance(known, AgentSession) else self._new(session_id, context)

    def _new(self, session_id: str, context: Mapping[str, Any] | None) -> "AgentSession":
        return AgentSession(
            self,
            session_id,
            agent=self.name,
            context=context,
            removable=session_id != self.name,
            siblings=self._sessions,
            **self._session_options,
        )

    async def ready(self) -> None:
        """Set up the plugins, once."""
        async with self._set_up:
            if not self._is_set_up:
                await self.caller.all(hooks(self.plugins, "setup"), self)
                self._is_set_up = True


class AgentSession(Session):
    """A session whose turns an agent runs."""

    def __init__(self, owner: Agent, session_id: str, **options: Any) -> None:
        super().__init__(session_id, **options)
        self._owner = owner
        self._queue = TurnQueue()
        self._pump: asyncio.Task[None] | None = None
        self._is_initialised = False
        self._runs: dict[str, Run] = {}
        self.listen(self._hear)
        for hook in hooks(owner.plugins, "on_event"):
            self.listen(hook)

    def _sibling(self, session_id: str) -> "AgentSession":
        return self._owner._new(session_id, self._options["context"])

    def _hear(self, event: Event) -> None:
        run = self._runs.get(event.turn_id)
        if run is not None:
            run.hear(event)

    def run(self, said: Any, *, context: Mapping[str, Any] | None = None) -> Run:
        """Queue a turn of its own. *context* applies to this turn only."""
        self._check()
        run = Run(self._turn_ids())
        self._runs[run.turn_id] = run
        self._queue.waiting.append(QueuedTurn(run, as_items(said), merged(context)))
        if self._pump is None or self._pump.done():
            self._pump = asyncio.get_running_loop().create_task(self._work())
        self.tell(run.turn_id, turns.QUEUED)
        return run

    def send(self, said: Any, *, context: Mapping[str, Any] | None = None) -> str:
        """Send input: it joins the live turn, else the next queued one, else opens a new one.
        Returns the turn's id."""
        self._check()
        job = self._queue.open_to_input()
        if job is None or (
            job is self._queue.live and self._live is not None and self._live.aborted
        ):
            job = self._queue.waiting[0] if self._queue.waiting else None
        if job is None:
            return self.run(said, context=context).turn_id
        job.joined.append(Joined(as_items(said), merged(context)))
        self.tell(job.run.turn_id, turns.INPUT_QUEUED)
        return job.run.turn_id

    def _survivors(self, turn: Turn) -> list[Any]:
        """Input that joined a turn survives its interrupt.

        What the turn had not used yet goes to the next one; what it had is kept in the log but not used
        again.
        """
        waiting, taken_up = self._queue.release(turn.id)
        for one in waiting:
            self.send(one.items, context=one.context)
        return [item for one in taken_up for item in one.items]

    async def idle(self) -> None:
        """Wait until the queue is empty."""
        while self._pump is not None and not self._pump.done():
            await asyncio.wait([self._pump])

    async def _work(self) -> None:
        while self._queue.waiting:
            job = self._queue.live = self._queue.waiting.popleft()
            answer: Answer | None = None
            error: Exception | None = TurnAborted("cancelled")
            try:
                answer = await self._work_on(job)
                error = None
            except Exception as failure:  # noqa: BLE001 - raised where the run is awaited
                error = failure
            finally:
                self._queue.live = None
                self._runs.pop(job.run.turn_id, None)
                job.run.finish(answer, error)

    async def _work_on(self, job: QueuedTurn) -> Answer:
        async with TurnScope(self, Turn(job.run.turn_id, announced=True)) as turn:
            await self._initialise()
            answer, moment = await self._converse(turn, job)
        await self._tell_done(moment)
        return answer

    async def _initialise(self) -> None:
        await self._owner.ready()
        if not self._is_initialised:
            found = hooks(self._owner.plugins, "on_session_init")
            await self._owner.caller.all(found, self)
            self._is_initialised = True

    async def _converse(self, turn: Turn, job: QueuedTurn) -> tuple[Answer, Moment]:
        context = merged(self._owner.context, self._committed.context, job.context)
        moment = self._moment(turn, context, job.items)
        runner = Runner(self._owner.setup, turn, moment)
        await runner.start()
        items = job.items
        while True:
            answer = await runner.respond(items)
            joined = self._queue.drain(job)
            if not joined:
                return answer, moment
            self.tell(turn.id, turns.INPUT_DRAINED, count=len(joined))
            moment.context.update(merged(moment.context, *(one.context for one in joined)))
            items = [item for one in joined for item in one.items]

    def _moment(self, turn: Turn, context: dict[str, Any], items: list[Any]) -> Moment:
        return Moment(self.agent, self.id, turn.id, context, items, turn.log, lambda: turn.aborted)

    async def _tell_done(self, moment: Moment) -> None:
        found = hooks(self._owner.plugins, "on_turn_done")
        if not found:
            return
        with contextlib.suppress(SessionRemoved):
            state = await self.snapshot()
            for hook in found:
                with contextlib.suppress(Exception):
                    await self._owner.caller.call(hook, moment, state)

    def _abort_all(self, reason: str) -> None:
        super()._abort_all(reason)
        waiting = list(self._queue.waiting)
        self._queue.waiting.clear()
        for job in waiting:
            self.tell(job.run.turn_id, turns.ABORTED, reason=reason)
            self._runs.pop(job.run.turn_id, None)
            job.run.finish(None, TurnAborted(reason))
