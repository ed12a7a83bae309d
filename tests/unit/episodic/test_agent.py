"""Queues, contexts, events and plugins (E21 to E23), and the loop of model and tools."""

import asyncio
import threading
from typing import Any

import pytest

from recollect.session_log import (
    Agent,
    Answer,
    ContextOverflow,
    Event,
    MemoryStorage,
    Moment,
    Plugin,
    Session,
    State,
    Tool,
    TurnAborted,
)
from recollect.session_log.session import merged
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


class Gate:
    """An answer that waits until it is opened."""

    def __init__(self, answer: Any = "answer") -> None:
        self.opened, self.reached, self.answer = asyncio.Event(), asyncio.Event(), answer

    async def __call__(self, request: Any) -> Any:
        self.reached.set()
        await self.opened.wait()
        return self.answer


def test_e21_later_contexts_win_field_by_field() -> None:
    agent = {"a": 1, "nested": {"x": 1, "y": 1}, "list": [1]}
    assert merged(agent, {"nested": {"y": 2}}, None, {"a": 3, "list": []}) == {
        "a": 3,
        "nested": {"x": 1, "y": 2},
        "list": [],
    }
    assert agent == {"a": 1, "nested": {"x": 1, "y": 1}, "list": [1]}


async def test_e21_agent_then_session_then_run_and_the_run_leaves_no_trace() -> None:
    model = Scripted("one", "two")
    agent = Agent("a", model, context={"who": "agent", "agent": 1})
    session = agent.session("s", context={"who": "session", "session": 1})
    await session.run("hi", context={"who": "run"})
    await session.run("hi")
    assert model.requests[0].context == {"who": "run", "agent": 1, "session": 1}
    assert model.requests[1].context == {"who": "session", "agent": 1, "session": 1}
    assert await session.context() == {"who": "session", "session": 1}


async def test_e21_send_joins_the_live_turn() -> None:
    gate, ear = Gate(), Ear()
    agent = Agent("a", Scripted(gate, "second"), turn_ids=counting())
    session = agent.session()
    session.listen(ear)
    run = session.run("first")
    await gate.reached.wait()
    assert session.send("also", context={"x": 1}) == session.send("and") == run.turn_id
    gate.opened.set()
    await run
    assert contents(session.log.read()) == ["first", "answer", "also", "and", "second"]
    assert ear.types() == [
        "turn.queued",
        "turn.start",
        "turn.input_queued",
        "turn.input_queued",
        "turn.input_drained",
        "turn.done",
    ]
    assert ear.events[4].data == {"count": 2}


async def test_e21_send_joins_the_next_queued_turn_or_else_opens_one() -> None:
    agent = Agent("a", Scripted(), turn_ids=counting())
    session = agent.session()
    assert session.send("opens") == "turn-1"
    assert session.send("joins") == "turn-1"
    await session.idle()
    assert contents(session.log.read())[0::2] == ["opens", "joins"]
    assert session.send("new") == "turn-2"
    await session.idle()


async def test_e21_send_does_not_join_an_aborted_turn() -> None:
    gate = Gate()
    agent = Agent("a", Scripted(gate, "second"), turn_ids=counting())
    session = agent.session()
    run = session.run("first")
    await gate.reached.wait()
    session.abort()
    assert session.send("next") == "turn-2"
    with pytest.raises(TurnAborted):
        await run
    await session.idle()
    assert contents(session.log.read()) == ["next", "second"]


async def test_e21_a_turn_that_is_being_merged_takes_no_more_input() -> None:
    saving, open_ = asyncio.Event(), asyncio.Event()

    class Slow(MemoryStorage):
        async def set(self, key: str, value: str) -> None:  # type: ignore[override]
            saving.set()
            await open_.wait()

    agent = Agent("a", Scripted("one", "two"), storages=[Slow()], turn_ids=counting())
    session = agent.session()
    session.run("first")
    await saving.wait()
    assert session.send("second") == "turn-2"
    open_.set()
    await session.idle()
    assert contents(session.log.read()) == ["first", "one", "second", "two"]


async def test_e21_run_always_queues_a_turn_of_its_own_and_turns_are_serial() -> None:
    first, second = Gate("one"), Gate("two")
    session = Agent("a", Scripted(first, second), turn_ids=counting()).session()
    runs = [session.run("a"), session.run("b")]
    await first.reached.wait()
    assert [run.turn_id for run in runs] == ["turn-1", "turn-2"]
    await gather_soon()
    assert not second.reached.is_set()
    first.opened.set()
    second.opened.set()
    await asyncio.gather(*(run.result() for run in runs))
    assert contents(session.log.read()) == ["a", "one", "b", "two"]


async def test_e21_turns_of_several_sessions_run_side_by_side() -> None:
    first, second = Gate(), Gate()
    agent = Agent("a", Scripted(first, second))
    runs = [agent.session("x").run("a"), agent.session("y").run("b")]
    await asyncio.gather(first.reached.wait(), second.reached.wait())
    first.opened.set()
    second.opened.set()
    await asyncio.gather(*(run.result() for run in runs))


async def test_e14_clear_empties_the_queue_of_an_agents_session() -> None:
    gate, ear = Gate(), Ear()
    session = Agent("a", Scripted(gate), turn_ids=counting()).session()
    session.listen(ear)
    runs = [session.run("a"), session.run("b")]
    await gate.reached.wait()
    await session.clear()
    for run in runs:
        with pytest.raises(TurnAborted):
            await run
    assert ear.types("turn-2") == ["turn.queued", "turn.aborted"]
    assert len(session.log) == 0


async def test_e22_the_stream_of_a_turn_ends_when_it_is_done() -> None:
    run = Agent("a", Scripted(ANSWER)).session().run("hi")
    types = [event.type async for event in run.events()]
    assert types == ["turn.queued", "turn.start", "turn.done"]
    assert [event.type async for event in run.events()] == types
    assert await run == ANSWER


async def test_e22_a_failure_says_what_went_wrong() -> None:
    error = ZeroDivisionError("x")
    session = Agent("a", Scripted(error, "fine")).session()
    run = session.run("hi")
    events = [event async for event in run.events()]
    assert events[-1].type == "turn.failed"
    assert events[-1].data == {"error": error}
    with pytest.raises(ZeroDivisionError):
        await run
    assert len(session.log) == 0
    await session.run("again")


async def test_e22_an_abort_says_why() -> None:
    gate = Gate()
    session = Agent("a", Scripted(gate)).session()
    run = session.run("hi")
    await gate.reached.wait()
    await session.interrupt("stop it")
    events = [event async for event in run.events()]
    assert (events[-1].type, events[-1].data) == ("turn.aborted", {"reason": "stop it"})
    assert [one.reason for one in session.log.read()] == ["interrupt"]


async def test_e22_turns_without_an_agent_have_the_same_events() -> None:
    session, ear = Session("s"), Ear()
    stop = session.listen(ear)
    async with session.turn("t"):
        pass
    assert ear.types("t") == ["turn.queued", "turn.start", "turn.done"]
    stop()
    async with session.turn("u"):
        pass
    assert ear.types("u") == []


async def test_e23_a_listener_that_raises_disturbs_nobody() -> None:
    session, ear = Session("s"), Ear()

    def raises(event: Event) -> None:
        raise ValueError(event.type)

    session.listen(raises)
    session.listen(ear)
    async with session.turn():
        pass
    assert ear.types() == ["turn.queued", "turn.start", "turn.done"]


async def test_e23_plugins_run_pre_then_plain_then_post() -> None:
    order: list[str] = []
    names = [("post", "f"), (None, "c"), ("pre", "a"), ("post", "g"), (None, "d"), ("pre", "b")]
    plugins = [
        Plugin(name, order=place, on_turn_start=lambda _, name=name: order.append(name))
        for place, name in names
    ]
    await Agent("a", Scripted(), plugins=plugins).session().run("hi")
    assert "".join(order) == "abcdfg"


async def test_e23_setup_and_session_init_happen_once() -> None:
    told: list[Any] = []
    plugin = Plugin("p", setup=told.append, on_session_init=told.append)
    agent = Agent("a", Scripted(), plugins=[plugin])
    await asyncio.gather(*(agent.session(name).run("hi").result() for name in ("x", "y", "x")))
    assert sorted(map(id, told)) == sorted(map(id, (agent, agent.session("x"), agent.session("y"))))


async def test_e23_instructions_are_joined_by_blank_lines() -> None:
    model = Scripted()

    async def later(moment: Moment) -> str:
        return f"for {moment.session_id}"

    plugins = [
        Plugin("p", extend_instructions=lambda _: "more"),
        Plugin("q", extend_instructions=lambda _: ""),
        Plugin("r", extend_instructions=lambda _: None),
        Plugin("s", extend_instructions=later),
    ]
    agent = Agent("a", model, instructions=lambda moment: "base", plugins=plugins)
    await agent.session().run("hi")
    assert model.requests[0].instructions == "base\n\nmore\n\nfor a"


async def test_e18_e23_extend_input_sees_the_working_log_and_is_not_stored() -> None:
    model = Scripted()

    def remember(moment: Moment) -> list[Any]:
        recent = [one.item for one in moment.episodic.read(limit=6, type="item")]
        moment.episodic.append_event("noted", plugin_id="p", turn_id=moment.turn_id)
        return [message(f"seen {len(recent)}")]

    plugins = [
        Plugin("p", extend_input=remember),
        Plugin("q", extend_input=lambda _: [message("second")]),
        Plugin("r", extend_input=lambda _: None),
    ]
    session = Agent("a", model, plugins=plugins).session()
    await session.run("hi")
    assert model.requests[0].input == [message("hi"), message("seen 1"), message("second")]
    assert contents(session.log.read()) == ["hi", "nothing more to say"]
    assert [one.payload.get("pluginId") for one in session.log.read(type="meta")] == ["p"]


async def test_e23_of_two_tools_with_one_name_the_later_wins() -> None:
    model = Scripted(lambda _: [call("1", "x"), call("2", "y")])
    plugins = [
        Plugin("p", extend_tools=lambda _: [Tool("x", lambda _: "plugin")]),
        Plugin("q", extend_tools=lambda _: [Tool("y", lambda _: {"n": 1})]),
    ]
    tools = [Tool("x", lambda _: "agent")]
    session = Agent("a", model, tools=tools, plugins=plugins).session()
    await session.run("hi")
    assert [tool.name for tool in model.requests[0].tools] == ["x", "y"]
    outputs = [one.item["output"] for one in session.log.read() if one.meta.source == "tool"]
    assert outputs == ["plugin", '{"n": 1}']


async def test_e23_before_and_after_a_tool_call_the_first_result_wins() -> None:
    ran: list[str] = []
    plugins = [
        Plugin("p", pre_tool_call=lambda m, c: None, post_tool_call=lambda m, c, o: None),
        Plugin(
            "q",
            pre_tool_call=lambda m, c: "instead" if c["call_id"] == "1" else None,
            post_tool_call=lambda m, c, o: o + "!",
        ),
        Plugin("r", pre_tool_call=lambda m, c: "late", post_tool_call=lambda m, c, o: "late"),
    ]
    model = Scripted(lambda _: [call("1", "x"), call("2", "x")])
    tools = [Tool("x", lambda _: ran.append("x"))]
    session = Agent("a", model, tools=tools, plugins=plugins).session()
    await session.run("hi")
    outputs = [one.item["output"] for one in session.log.read() if one.meta.source == "tool"]
    assert outputs == ["instead!", "late!"]
    assert ran == []


async def test_e23_step_finish_and_finish_run_for_all() -> None:
    steps: list[int] = []
    ends: list[Answer] = []
    plugins = [
        Plugin("p", on_step_finish=lambda m, a: steps.append(len(a.calls)) or 1),
        Plugin(
            "q", on_step_finish=lambda m, a: steps.append(9), on_finish=lambda m, a: ends.append(a)
        ),
    ]
    model = Scripted(lambda _: [call("1", "x")], ANSWER)
    await Agent("a", model, tools=[Tool("x", lambda _: "")], plugins=plugins).session().run("hi")
    assert steps == [1, 9, 0, 9]
    assert ends == [ANSWER]


async def test_e23_turn_done_is_told_the_saved_state_and_its_errors_are_ignored() -> None:
    states: list[State] = []

    def fail(moment: Moment, state: State) -> None:
        raise ValueError

    storage = MemoryStorage()
    plugins = [
        Plugin("p", on_turn_done=fail, storage=storage),
        Plugin("q", on_turn_done=lambda m, s: states.append(s)),
    ]
    session = Agent("a", Scripted(ANSWER), plugins=plugins).session()
    await session.run("hi")
    assert states == [await session.snapshot()]
    assert list(storage.values) == ['["a","a"]']


async def test_e23_on_event_hears_everything() -> None:
    ear = Ear()
    await Agent("a", Scripted(), plugins=[Plugin("p", on_event=ear)]).session().run("hi")
    assert ear.types() == ["turn.queued", "turn.start", "turn.done"]


async def test_e23_any_object_with_hooks_is_a_plugin() -> None:
    class Journal:
        name = "journal"

        async def extend_input(self, moment: Moment) -> list[Any]:
            return [message("from a class")]

    model = Scripted()
    await Agent("a", model, plugins=[Journal()]).session().run("hi")
    assert model.requests[0].input[-1] == message("from a class")


async def test_mistakes_of_the_model_are_told_to_the_model() -> None:
    calls = [call("1", "none"), call("2", "x", "no json"), call("3", "x", "[]")]
    model = Scripted(lambda _: calls)
    session = Agent("a", model, tools=[Tool("x", lambda _: "")]).session()
    await session.run("hi")
    outputs = [one.item["output"] for one in session.log.read() if one.meta.source == "tool"]
    assert outputs == [
        "There is no tool named none.",
        "The arguments are not JSON.",
        "The arguments are not an object.",
    ]


async def test_a_tool_that_raises_fails_the_turn() -> None:
    def broken(arguments: dict[str, Any]) -> str:
        raise LookupError("gone")

    session = Agent("a", Scripted(lambda _: [call("1", "x")]), tools=[Tool("x", broken)]).session()
    with pytest.raises(LookupError, match="gone"):
        await session.run("hi")
    assert len(session.log) == 0


async def test_a_model_that_keeps_calling_is_stopped_and_the_log_says_so() -> None:
    model = Scripted(*([lambda _: [call("1", "x")]] * 5))
    agent = Agent("a", model, tools=[Tool("x", lambda _: "")], steps_max=3)
    await agent.session().run("hi")
    assert len(model.requests) == 3
    assert agent.session().log.read(limit=1)[0].event == "turn.steps_exhausted"


async def test_e16_an_agent_keeps_to_its_budget() -> None:
    model = Scripted(Answer([message("one", "assistant")], usage(500)), "two")
    agent = Agent("a", model, context_length=300, max_output_tokens=100)
    await agent.session().run("first")
    await agent.session().run("second")
    assert model.requests[1].input == [message("second")]


async def test_k4_one_handoff_and_one_retry_when_the_input_does_not_fit() -> None:
    model = Scripted("one", ContextOverflow(), "two", "three")
    agent = Agent("a", model, summarise=lambda episodes: f"{len(episodes)} before")
    session = agent.session()
    await session.run("first")
    await session.run("second")
    assert model.requests[2].input == [
        message("second"),
        message("<overflow>\ninput did not fit\n</overflow>"),
        message("<checkpoint>\n2 before\n</checkpoint>"),
    ]
    assert [one.reason for one in session.log.read(type="boundary")] == ["overflow", "checkpoint"]


async def test_k4_a_second_overflow_fails_the_turn() -> None:
    session = Agent("a", Scripted(ContextOverflow(), ContextOverflow())).session()
    with pytest.raises(ContextOverflow):
        await session.run("hi")
    assert len(session.log) == 0


async def test_k4_an_overflow_in_a_later_step_of_the_same_turn_fails_it_too() -> None:
    model = Scripted(ContextOverflow(), lambda _: [call("1", "x")], ContextOverflow(), "late")
    session = Agent("a", model, tools=[Tool("x", lambda _: "")]).session()
    with pytest.raises(ContextOverflow):
        await session.run("hi")
    assert len(model.requests) == 3


async def test_input_may_be_a_text_an_item_or_several() -> None:
    model = Scripted()
    session = Agent("a", model).session()
    await session.run("text")
    await session.run(message("item"))
    await session.run([message("a"), call("1"), output("1")])
    assert contents([one for one in session.log.read() if one.item.get("content")])[0::2] == [
        "text",
        "item",
        "a",
    ]


async def test_plain_functions_can_be_kept_off_the_loop() -> None:
    names: list[str] = []

    def model(request: Any) -> str:
        names.append(threading.current_thread().name)
        return "hi"

    await Agent("a", model, threads=True).session().run("hi")
    await Agent("a", model).session().run("hi")
    assert names[0] != names[1] == threading.main_thread().name
