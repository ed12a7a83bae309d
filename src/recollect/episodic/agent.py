"""An agent: a model, its tools and plugins, and the sessions it talks in."""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from recollect.episodic import events
from recollect.episodic.calling import Caller
from recollect.episodic.context import merged
from recollect.episodic.errors import SessionRemoved, TurnAborted
from recollect.episodic.events import Event
from recollect.episodic.plugins import Hook, Moment, Tool, hooks, in_order
from recollect.episodic.queueing import Joined, Run, TurnQueue, Waiting
from recollect.episodic.runner import STEPS_MAX, Answer, Request, Runner, Setup, as_items
from recollect.episodic.session import Session, new_turn_id
from recollect.episodic.storage import Storage
from recollect.episodic.turns import Turn, TurnScope


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
        """The session of that id, made if need be.

        Without an id it is the default one, named as the agent.
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
        """Let the plugins set up, once."""
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
        """Queue a turn of its own. *context* holds for this turn only."""
        self._check()
        run = Run(self._turn_ids())
        self._runs[run.turn_id] = run
        self._queue.waiting.append(Waiting(run, as_items(said), merged(context)))
        if self._pump is None or self._pump.done():
            self._pump = asyncio.get_running_loop().create_task(self._work())
        self.tell(run.turn_id, events.QUEUED)
        return run

    def send(self, said: Any, *, context: Mapping[str, Any] | None = None) -> str:
        """Say something: it joins the live turn, or else the next queued, or else opens one.

        The turn's id.
        """
        self._check()
        job = self._queue.open_to_input()
        if job is None or (
            job is self._queue.live and self._live is not None and self._live.aborted
        ):
            job = self._queue.waiting[0] if self._queue.waiting else None
        if job is None:
            return self.run(said, context=context).turn_id
        job.joined.append(Joined(as_items(said), merged(context)))
        self.tell(job.run.turn_id, events.INPUT_QUEUED)
        return job.run.turn_id

    def _survivors(self, turn: Turn) -> list[Any]:
        """What joined a turn outlives its interrupt: nobody took it back.

        What the turn had not taken up yet goes to the next one. What it had is not done again, but
        stays in the log.
        """
        waiting, taken_up = self._queue.release(turn.id)
        for one in waiting:
            self.send(one.items, context=one.context)
        return [item for one in taken_up for item in one.items]

    async def idle(self) -> None:
        """Wait until no queued turn is left."""
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
            except Exception as failure:  # noqa: BLE001 - whoever awaits the run gets it
                error = failure
            finally:
                self._queue.live = None
                self._runs.pop(job.run.turn_id, None)
                job.run.finish(answer, error)

    async def _work_on(self, job: Waiting) -> Answer:
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

    async def _converse(self, turn: Turn, job: Waiting) -> tuple[Answer, Moment]:
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
            self.tell(turn.id, events.INPUT_DRAINED, count=len(joined))
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
            self.tell(job.run.turn_id, events.ABORTED, reason=reason)
            self._runs.pop(job.run.turn_id, None)
            job.run.finish(None, TurnAborted(reason))
