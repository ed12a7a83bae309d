"""Turns and sessions (E11 to E15)."""

import asyncio
import contextlib
from typing import Any

import pytest

from recollect.session_log import (
    Agent,
    DefaultSession,
    FileStorage,
    MemoryStorage,
    Session,
    SessionExists,
    SessionRemoved,
    Tool,
    TurnAborted,
    anchor,
    correct,
)
from recollect.session_log.session import INTERRUPT_NOTE
from recollect.session_log.storage import key_of, read_state
from tests.unit.episodic.support import (
    ANSWER,
    Ear,
    Scripted,
    call,
    contents,
    counting,
    gather_soon,
    message,
    output,
    usage,
)

KEY = key_of("agent", "s")


class SlowStorage(MemoryStorage):
    """A storage that can be told to wait or to fail."""

    def __init__(self) -> None:
        super().__init__()
        self.open = asyncio.Event()
        self.open.set()
        self.saving = asyncio.Event()
        self.fails = False

    async def set(self, key: str, value: str) -> None:  # type: ignore[override]
        """Keep a text, when allowed to."""
        self.saving.set()
        await self.open.wait()
        if self.fails:
            raise OSError("disk full")
        super().set(key, value)

    def log(self, key: str = KEY) -> str:
        """The log that is stored."""
        state = read_state(self.values.get(key))
        return "" if state is None else state.episodic


async def hold(session: Session, text: str = "lost") -> "asyncio.Task[Any]":
    """A turn that appends something and then waits for ever; it has got that far on return."""
    inside = asyncio.Event()

    async def body() -> None:
        async with session.turn("held") as turn:
            turn.append_items([message(text)], source="user")
            inside.set()
            await asyncio.sleep(3600)

    task = asyncio.create_task(body())
    await inside.wait()
    return task


async def test_e11_a_turn_appends_input_answer_tool_outputs_and_usage() -> None:
    model = Scripted(lambda _: [call("1", "look", '{"at": "sky"}')], ANSWER)
    seen: list[Any] = []
    agent = Agent("a", model, tools=[tool("look", seen)], turn_ids=counting())
    answer = await agent.session().run("hi")
    episodes = agent.session().log.read()
    assert [(one.type, one.meta.source) for one in episodes] == [
        ("item", "user"),
        ("item", "model"),
        ("item", "tool"),
        ("item", "model"),
        ("meta", "runtime"),
    ]
    assert {one.meta.turn_id for one in episodes} == {"turn-1"}
    assert episodes[4].payload == {"event": "turn.usage", "data": usage(10)}
    assert seen == [{"at": "sky"}]
    assert answer == ANSWER
    assert model.requests[1].input == [
        message("hi"),
        call("1", "look", '{"at": "sky"}'),
        output("1"),
    ]


def tool(name: str, seen: list[Any]) -> Tool:
    """A tool that remembers its arguments."""
    return Tool(name, lambda arguments: seen.append(arguments) or "done")


async def test_e11_a_turn_works_on_a_copy_of_the_committed_log() -> None:
    session = Session("s", items=[message("first")])
    async with session.turn() as turn:
        turn.append_items([message("second")])
        assert contents(turn.read()) == ["first", "second"]
        assert contents(session.log.read()) == ["first"]
    assert contents(session.log.read()) == ["first", "second"]


async def test_e12_success_merges_with_new_ids_and_saves_once() -> None:
    storage = SlowStorage()
    session = Session("s", storages=[storage])
    async with session.turn("t") as turn:
        assert [one.id for one in turn.append_items([message("a"), message("b")])] == [1, 2]
        await session.append(lambda log: log.append_event("meanwhile"))
    assert [(one.id, one.meta.turn_id) for one in session.log.read()] == [
        (1, None),
        (2, "t"),
        (3, "t"),
    ]
    assert storage.log() == session.log.to_jsonl()


async def test_e12_references_inside_a_turn_follow_the_new_ids() -> None:
    session = Session("s", items=[message("old")])
    async with session.turn() as turn:
        first = turn.append_items([message("wrong")])[0]
        correct(turn.log, first.id, message("right"), turn_id=turn.id)
        anchor(turn.log, "here", {}, sources=[1, first.id])
        await session.append(lambda log: log.append_event("meanwhile"))
    correction, mark = session.log.read(limit=2)
    assert correction.meta["corrects"] == 3
    assert mark.meta["sources"] == [1, 3]


async def test_e12_failure_drops_the_turn() -> None:
    storage = SlowStorage()
    session = Session("s", storages=[storage])
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the turn must end inside
        async with session.turn() as turn:
            turn.append_items([message("lost")])
            raise ZeroDivisionError
    assert len(session.log) == 0
    assert storage.values == {}


async def test_e12_abort_drops_the_turn_and_leaves_no_mark() -> None:
    session = Session("s")
    task = await hold(session)
    assert session.live_turn == "held"
    assert session.abort("enough") == "held"
    assert session.abort("again") is None
    with pytest.raises(TurnAborted) as caught:
        await task
    assert caught.value.reason == "enough"
    assert len(session.log) == 0
    assert session.live_turn is None
    assert session.abort() is None


async def test_e12_cancelling_the_task_drops_the_turn_and_stays_a_cancellation() -> None:
    session = Session("s")
    task = await hold(session)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(session.log) == 0
    async with session.turn() as turn:
        turn.append_items([message("next")])
    assert contents(session.log.read()) == ["next"]


async def test_e12_a_turn_that_aborts_itself_is_dropped_at_its_end() -> None:
    session = Session("s")
    with pytest.raises(TurnAborted):  # noqa: PT012 - the turn must end inside
        async with session.turn() as turn:
            session.abort()
            turn.append_items([message("lost")])
            await asyncio.sleep(0)
            assert turn.aborted
    with pytest.raises(TurnAborted):  # noqa: PT012 - the turn must end inside
        async with session.turn() as turn:
            turn.abort()
            turn.check()
    assert len(session.log) == 0


async def test_e12_a_merge_that_cannot_be_saved_has_not_happened() -> None:
    storage = SlowStorage()
    session = Session("s", storages=[storage])
    ear = Ear()
    session.listen(ear)
    storage.fails = True
    with pytest.raises(OSError, match="disk full"):
        async with session.turn() as turn:
            turn.append_items([message("lost")])
    assert len(session.log) == 0
    assert ear.types()[-1] == "turn.failed"
    storage.fails = False
    async with session.turn() as turn:
        turn.append_items([message("kept")])
    assert [one.id for one in session.log.read()] == [1]
    assert storage.log() == session.log.to_jsonl()


async def test_e13_an_abort_before_the_merge_cancels_it() -> None:
    storage = SlowStorage()
    session = Session("s", storages=[storage])

    async def body() -> None:
        async with session.turn() as turn:
            turn.append_items([message("lost")])
            storage.open.clear()
            changing.append(asyncio.create_task(session.set_context({"a": 1})))
            await storage.saving.wait()

    changing: list[asyncio.Task[None]] = []
    task = asyncio.create_task(body())
    await gather_soon()
    session.abort("late")
    storage.open.set()
    with pytest.raises(TurnAborted):
        await task
    await changing[0]
    assert len(session.log) == 0


async def test_e13_an_abort_while_the_session_is_loaded_keeps_the_turn_from_starting() -> None:
    reading, open_ = asyncio.Event(), asyncio.Event()

    class Slow(MemoryStorage):
        async def get(self, key: str) -> str | None:  # type: ignore[override]
            reading.set()
            await open_.wait()
            return None

    session = Session("s", storages=[Slow()])
    entered: list[bool] = []

    async def body() -> None:
        async with session.turn():
            entered.append(True)

    task = asyncio.create_task(body())
    await reading.wait()
    assert session.abort() is not None
    open_.set()
    with pytest.raises(TurnAborted):
        await task
    assert entered == []


async def test_e13_an_abort_during_the_merge_comes_too_late() -> None:
    storage = SlowStorage()
    session = Session("s", storages=[storage])
    storage.open.clear()

    async def body() -> None:
        async with session.turn() as turn:
            turn.append_items([message("kept")])

    task = asyncio.create_task(body())
    await storage.saving.wait()
    assert session.abort() is None
    assert await session.interrupt() is None
    assert len(session.log) == 0
    storage.open.set()
    await task
    assert contents(session.log.read()) == ["kept"]


async def test_e13_a_cancellation_during_the_merge_waits_for_it_to_end() -> None:
    storage = SlowStorage()
    session = Session("s", storages=[storage])
    storage.open.clear()

    async def body() -> None:
        async with session.turn() as turn:
            turn.append_items([message("kept")])

    told: list[str] = []
    session.listen(lambda event: told.append(event.type))
    task = asyncio.create_task(body())
    await storage.saving.wait()
    task.cancel()
    await gather_soon()
    assert not task.done()
    storage.open.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert contents(session.log.read()) == ["kept"]
    assert storage.log() == session.log.to_jsonl()
    assert told[-1] == "turn.done"  # what is in the log was not aborted


async def test_e13_mutations_of_one_session_wait_for_each_other() -> None:
    storage = SlowStorage()
    session = Session("s", storages=[storage])
    await asyncio.gather(
        *(session.append(lambda log: log.append_event("e").id) for _ in range(20)),
        *(session.set_context({str(n): n}) for n in range(20)),
    )
    assert [one.id for one in session.log.read()] == list(range(1, 21))
    stored = read_state(storage.values[KEY])
    assert stored is not None
    assert stored.context == {str(n): n for n in range(20)}
    assert stored.episodic == session.log.to_jsonl()


async def test_e14_interrupt_aborts_the_turn_and_leaves_a_boundary_in_the_committed_log() -> None:
    storage = SlowStorage()
    session = Session("s", storages=[storage], items=[message("old")])
    task = await hold(session)
    assert await session.interrupt() == "held"
    with pytest.raises(TurnAborted) as caught:
        await task
    assert caught.value.reason == "interrupted"
    boundary = session.log.read()[-1]
    assert [one.id for one in session.log.read()] == [1, 2]
    assert boundary.payload == {
        "reason": "interrupt",
        "title": "turn interrupted",
        "content": INTERRUPT_NOTE,
    }
    assert boundary.meta == {"source": "runtime", "turnId": "held"}
    assert storage.log() == session.log.to_jsonl()


async def test_e14_interrupt_without_a_live_turn_does_nothing() -> None:
    session = Session("s")
    assert await session.interrupt() is None
    assert len(session.log) == 0


async def test_e14_after_an_interrupt_the_queue_goes_on_and_sees_the_boundary() -> None:
    session = Session("s")
    task = await hold(session)
    seen: list[Any] = []

    async def following() -> None:
        async with session.turn() as turn:
            seen.extend(one.reason for one in turn.read())
            turn.append_items([message("next")])

    waiting = asyncio.create_task(following())
    await gather_soon()
    await session.interrupt()
    with contextlib.suppress(TurnAborted):
        await task
    await waiting
    assert seen == ["interrupt"]
    assert [one.id for one in session.log.read()] == [1, 2]


async def test_e14_a_turn_can_interrupt_itself() -> None:
    session = Session("s")
    with pytest.raises(TurnAborted):  # noqa: PT012 - the turn must end inside
        async with session.turn() as turn:
            turn.append_items([message("lost")])
            await session.interrupt()
    assert [one.reason for one in session.log.read()] == ["interrupt"]


async def test_e14_clear_aborts_all_turns_and_goes_back_to_the_beginning() -> None:
    storage = SlowStorage()
    session = Session("s", storages=[storage], items=[message("first")], context={"a": 1})
    await session.set_context({"b": 2})
    async with session.turn() as turn:
        turn.append_items([message("second")])
    held, waiting = await hold(session), asyncio.create_task(hold(session, "waits"))
    await gather_soon()
    await session.clear()
    with pytest.raises(TurnAborted):
        await held
    await gather_soon()
    assert contents(session.log.read()) == ["first"]
    assert await session.context() == {"a": 1}
    assert storage.log() == session.log.to_jsonl()
    assert session.live_turn is None
    waiting.cancel()


async def test_e14_a_turn_that_waits_is_aborted_by_clear() -> None:
    session = Session("s")
    held = await hold(session)

    async def second() -> None:
        async with session.turn("second"):
            raise AssertionError("never entered")

    ear = Ear()
    session.listen(ear)
    waiting = asyncio.create_task(second())
    await gather_soon()
    await session.clear()
    for task in (held, waiting):
        with pytest.raises(TurnAborted):
            await task
    assert ear.types("second") == ["turn.queued", "turn.aborted"]


async def test_e14_remove_deletes_what_is_stored_and_the_handle_is_dead() -> None:
    storage = SlowStorage()
    session = Session("s", storages=[storage])
    await session.set_context({"a": 1})
    task = await hold(session)
    await session.remove()
    with pytest.raises(TurnAborted):
        await task
    assert storage.values == {}
    with pytest.raises(SessionRemoved):
        session.turn()
    for use in (session.snapshot, session.clear, session.remove, session.load):
        with pytest.raises(SessionRemoved):
            await use()


async def test_e14_remove_waits_for_the_live_turn_to_clean_up() -> None:
    session, inside = Session("s"), asyncio.Event()
    steps: list[str] = []

    async def body() -> None:
        async with session.turn():
            try:
                inside.set()
                await asyncio.sleep(3600)
            finally:
                await gather_soon(20)
                steps.append("cleaned up")

    task = asyncio.create_task(body())
    await inside.wait()
    await session.remove()
    steps.append("removed")
    assert steps == ["cleaned up", "removed"]
    with pytest.raises(TurnAborted):
        await task


async def test_e14_the_default_session_of_an_agent_cannot_be_removed() -> None:
    agent = Agent("name", Scripted())
    assert agent.session().id == "name"
    with pytest.raises(DefaultSession):
        await agent.session().remove()
    other = agent.session("other")
    await other.remove()
    assert agent.session("other") is not other


async def test_e14_remove_within_a_turn_does_not_wait_for_itself() -> None:
    session = Session("s")
    with pytest.raises(TurnAborted):
        async with session.turn():
            await session.remove()


async def test_e15_a_fork_has_the_committed_log_and_the_context_only() -> None:
    storage = SlowStorage()
    session = Session("s", storages=[storage], items=[message("old")])
    await session.set_context({"a": {"b": 1}})
    task = await hold(session)
    copy = await session.fork("copy")
    assert contents(copy.log.read()) == ["old"]
    assert await copy.context() == {"a": {"b": 1}}
    async with copy.turn() as turn:
        turn.append_items([message("own")])
    assert contents(session.log.read()) == ["old"]
    assert storage.log(key_of("agent", "copy")) == copy.log.to_jsonl()
    session.abort()
    with pytest.raises(TurnAborted):
        await task


async def test_e15_an_existing_target_is_refused() -> None:
    storage = SlowStorage()
    session = Session("s", storages=[storage])
    await session.fork("copy")
    with pytest.raises(SessionExists):
        await session.fork("copy")
    with pytest.raises(SessionExists):
        await session.fork("s")
    again = Session("s", storages=[storage])
    with pytest.raises(SessionExists):
        await again.fork("copy")
    assert (await again.fork("third")).id == "third"


async def test_e15_a_fork_of_an_agents_session_is_one_of_its_sessions() -> None:
    agent = Agent("a", Scripted("one", "two"))
    await agent.session().run("hi")
    copy = await agent.session().fork("copy")
    assert agent.session("copy") is copy
    assert copy.log.to_jsonl() == agent.session().log.to_jsonl()
    await agent.session("copy").run("more")
    assert len(copy.log) > len(agent.session().log)


async def test_a_session_is_taken_up_again_after_a_restart(tmp_path: Any) -> None:
    first = Session("s", storages=[FileStorage(tmp_path)], items=[message("initial")])
    async with first.turn() as turn:
        turn.append_items([message("said")])
    open_turn = await hold(first)
    second = Session("s", storages=[FileStorage(tmp_path)], items=[message("initial")])
    await second.load()
    assert contents(second.log.read()) == ["initial", "said"]
    first.abort()
    with contextlib.suppress(TurnAborted):
        await open_turn
