"""The guide to the episodic session log, section by section: its calls as they read, in Python.

Names in objects are those of the guide (`turnId`, `extendInput`); functions and arguments are
written as Python writes them.
"""

import asyncio
import json
from typing import Any

import pytest

from recollect.session_log import (
    Agent,
    Answer,
    Episodic,
    InvalidEpisode,
    InvalidPlugin,
    InvalidQuery,
    MemoryStorage,
    Moment,
    OldState,
    Session,
    SyncAgent,
    TurnAborted,
    assemble,
)
from recollect.session_log.storage import key_of
from tests.unit.episodic.support import Scripted, call, contents, message, output, usage

TURN = "turn-7"
REMEMBER = {
    "content": "Remember that the user prefers concise answers.",
    "role": "user",
    "type": "message",
}
BOUNDARY = {
    "meta": {"source": "runtime", "turnId": TURN},
    "payload": {
        "content": "The previous turn was interrupted; tools may have partially executed.",
        "reason": "interrupt",
        "title": "turn interrupted",
    },
    "type": "boundary",
}
USAGE = {
    "meta": {"source": "runtime", "turnId": TURN},
    "payload": {
        "data": {"inputTokens": 120, "outputTokens": 24, "totalTokens": 144},
        "event": "turn.usage",
    },
    "type": "meta",
}


class TestEpisodeTypes:
    """Section "Episode types"."""

    def test_the_three_calls_of_the_section(self) -> None:
        log = Episodic()
        (item,) = log.append_items([REMEMBER], {"source": "user", "turnId": TURN})
        assert item.to_wire() == {
            "id": 1,
            "type": "item",
            "meta": {"source": "user", "turnId": TURN},
            "payload": {"item": REMEMBER},
        }
        assert log.append(BOUNDARY).to_wire() == {"id": 2, **BOUNDARY}
        assert log.append(USAGE).to_wire() == {"id": 3, **USAGE}

    async def test_they_work_on_the_working_log_of_a_turn(self) -> None:
        session = Session("s")
        async with session.turn(TURN) as turn:
            turn.append_items([REMEMBER], {"source": "user"})
            turn.append(USAGE)
            assert len(turn.read({"turnId": TURN})) == 2
        assert [one.meta for one in session.log.read()] == [
            {"source": "user", "turnId": TURN},
            {"source": "runtime", "turnId": TURN},
        ]

    @pytest.mark.parametrize(
        ("episode", "why"),
        [
            ({**BOUNDARY, "id": 7}, "id: .* the log gives it"),
            ({**BOUNDARY, "data": {}}, "data: .* there are type, meta, payload"),
            ({"payload": {"item": 1}}, "type is one of"),
            ({"type": "itme", "payload": {"item": 1}}, "type is one of"),
            ({"type": "item"}, "has an item"),
            ({"type": "item", "payload": [1]}, "payload is an object"),
            ({**BOUNDARY, "meta": {"turn_id": TURN}}, "meta.turn_id is written turnId"),
            ({**BOUNDARY, "meta": {"source": "nobody"}}, "meta.source is one of"),
            ({**BOUNDARY, "meta": "user"}, "meta is an object"),
        ],
    )
    def test_what_is_not_understood_is_an_error(self, episode: dict[str, Any], why: str) -> None:
        log = Episodic()
        with pytest.raises(InvalidEpisode, match=why):
            log.append(episode)
        assert len(log) == 0

    def test_neither_are_items_or_meta_of_another_shape_guessed_at(self) -> None:
        log = Episodic()
        for wrong in (REMEMBER, "text", b"bytes"):
            with pytest.raises(InvalidEpisode, match="items is a list of items"):
                log.append_items(wrong)
        with pytest.raises(InvalidEpisode, match="written turnId"):
            log.append_items([REMEMBER], {"turn_id": TURN})
        with pytest.raises(InvalidEpisode, match="not both"):
            log.append(BOUNDARY, {"reason": "segment", "title": "t"})
        assert len(log) == 0


class TestQuerying:
    """Section "Querying"."""

    def test_every_read_of_the_section(self) -> None:
        log = Episodic()
        log.append_items(range(120), {"turnId": TURN})
        log.append(USAGE)
        assert [one.item for one in log.read({"limit": 12, "type": "item"})] == [*range(108, 120)]
        assert len(log.read()) == 100
        assert len(log.read({"fromId": 0})) == 121
        assert [one.id for one in log.read({"limit": 6, "type": "item"})] == [*range(115, 121)]
        assert len(log.read({"turnId": TURN})) == 121
        assert log.read({"limit": 0}) == []
        assert log.read({"type": "item"}, limit=1) == log.read(type="item", limit=1)

    @pytest.mark.parametrize(
        ("query", "why"),
        [
            ({"from_id": 0}, "from_id: there is no such filter; there are fromId, limit"),
            ({"kind": "item"}, "kind: there is no such filter"),
            ({"type": "items"}, "type is one of boundary, item, meta"),
            ([("limit", 1)], "a query is an object"),
        ],
    )
    def test_a_query_that_is_not_understood_is_an_error(self, query: Any, why: str) -> None:
        with pytest.raises(InvalidQuery, match=why):
            Episodic().read(query)
        with pytest.raises(InvalidQuery, match="given twice"):
            Episodic().read({"limit": 1}, limit=2)


class TestSerialization:
    """Section "Serialization"."""

    def test_a_log_is_restored_from_its_text(self) -> None:
        log = Episodic()
        log.append(BOUNDARY)
        assert Episodic(log.to_jsonl()).read() == log.read()
        restored = Episodic(log.to_jsonl() + "\nno json")
        assert [one.event for one in restored.read({"type": "meta"})] == ["error.parse"]

    async def test_a_state_with_items_is_refused_with_what_to_do(self) -> None:
        """Not taken for an empty one: the next save would have written over it."""
        storage, key = MemoryStorage(), key_of("agent", "s")
        old = {"context": {"who": "ann"}, "items": [REMEMBER]}
        storage.values[key] = json.dumps(old)
        with pytest.raises(OldState, match=r"Take it out .* `items=` .* `context=`"):
            await Session("s", storages=[storage]).load()
        with pytest.raises(OldState):
            async with Session("s", storages=[storage]).turn():
                pass
        assert json.loads(storage.values[key]) == old
        # What the message says to do:
        taken = json.loads(storage.values.pop(key))
        session = Session("s", storages=[storage], items=taken["items"], context=taken["context"])
        async with session.turn() as turn:
            turn.append_items([message("next")])
        again = Session("s", storages=[storage])
        await again.load()
        assert contents(again.log.read()) == [REMEMBER["content"], "next"]
        assert await again.context() == {"who": "ann"}

    def test_in_a_log_it_is_a_bad_line_that_says_so(self) -> None:
        (told,) = Episodic(json.dumps({"context": {}, "items": [REMEMBER]})).read()
        assert told.event == "error.parse"
        assert "append its items" in told.payload["data"]["errors"][0]


class Gate:
    """A model that says when it is asked and answers when it is allowed to."""

    def __init__(self) -> None:
        self.inputs: list[list[Any]] = []
        self.asked, self.allowed = asyncio.Semaphore(0), asyncio.Semaphore(0)

    async def __call__(self, request: Any) -> str:
        self.inputs.append([one["content"] for one in request.input])
        self.asked.release()
        await self.allowed.acquire()
        return "done"

    def allow(self, answers: int = 9) -> None:
        """Let so many answers through."""
        for _ in range(answers):
            self.allowed.release()


class TestTurnIsolation:
    """Section "Turn isolation"."""

    async def test_input_that_joined_a_turn_outlives_its_interrupt(self) -> None:
        model = Gate()
        session = Agent("a", model).session()
        run = session.run("first")
        await model.asked.acquire()
        session.send("also", context={"joined": True})
        session.send("and")
        assert await session.interrupt() == run.turn_id
        with pytest.raises(TurnAborted):
            await run
        model.allow()
        await session.idle()
        (boundary,) = session.log.read({"type": "boundary"})
        assert boundary.reason == "interrupt"
        assert contents(session.log.read()) == ["also", "done", "and", "done"]
        assert "first" not in model.inputs[-1]
        assert model.inputs[1][0].startswith("<interrupt>"), "the next turn sees the interrupt"

    async def test_it_joins_the_turn_that_waits_next(self) -> None:
        model = Gate()
        session = Agent("a", model).session()
        session.run("first")
        following = session.run("second")
        await model.asked.acquire()
        session.send("also")
        await session.interrupt()
        model.allow()
        await following
        assert contents(session.log.read()) == ["second", "done", "also", "done"]

    async def test_what_the_turn_had_taken_up_is_not_done_again_but_stays(self) -> None:
        model = Gate()
        session = Agent("a", model).session()
        session.run("first")
        await model.asked.acquire()
        session.send("also")
        model.allow(1)
        await model.asked.acquire()
        assert await session.interrupt() is not None
        await session.idle()
        assert contents(session.log.read()) == ["also"]
        model.allow()
        await session.run("next")
        note, *rest = model.inputs[-1]
        assert note.startswith("<interrupt>")
        assert rest == ["also", "next"]

    async def test_an_abort_leaves_nothing(self) -> None:
        model = Gate()
        session = Agent("a", model).session()
        session.run("first")
        await model.asked.acquire()
        session.send("also")
        session.abort()
        await session.idle()
        assert session.log.read() == []


class TestModelInputAssembly:
    """Section "Model input assembly"."""

    @pytest.mark.parametrize("room", [100, 50, 0])
    def test_without_any_budget_the_current_turn_is_still_assembled(self, room: int) -> None:
        log = Episodic()
        log.append_items([message("old")], {"turnId": "old"})
        log.append_items([message("now")], {"turnId": TURN})
        shown = assemble(log.episodes, context_length=room, max_output_tokens=100, turn_id=TURN)
        assert shown == ([message("now")], True)

    async def test_an_agent_that_reserves_all_of_its_context_still_hears_the_question(self) -> None:
        model = Scripted(Answer([message("hello", "assistant")], usage(10)))
        agent = Agent("a", model, context_length=100, max_output_tokens=100)
        await agent.session().run("hi")
        await agent.session().run("again")
        assert [one.input for one in model.requests] == [[message("hi")], [message("again")]]

    def test_long_outputs_are_shortened_whether_text_or_list(self) -> None:
        long = "x" * 10_000
        parts = [{"type": "input_text", "text": long[:5_000]}] * 2
        log = Episodic()
        log.append_items([call("1"), output("1", long), call("2"), output("2", parts)])
        _, text, _, listed = assemble(log.episodes).items
        assert text["output"] == "".join(part["text"] for part in listed["output"])
        assert "(truncated: 2000 chars omitted)" in text["output"]

    def test_of_two_outputs_for_one_call_the_later_counts(self) -> None:
        log = Episodic()
        log.append_items([call("1"), output("1", "running"), output("1", "finished")])
        assert assemble(log.episodes).items == [call("1"), output("1", "finished")]


RECENT_ITEMS = {
    "extendInput": lambda moment: [
        episode.payload["item"] for episode in moment.episodic.read({"limit": 6, "type": "item"})
    ],
    "name": "recent-items",
}
JOURNAL = {
    "extendInput": lambda: [
        {"content": "User prefers concise answers.", "role": "user", "type": "message"}
    ],
    "name": "journal",
}


class TestPlugins:
    """Section "Plugins"."""

    async def test_the_two_plugins_of_the_section(self) -> None:
        model = Scripted()
        session = Agent("a", model, plugins=[RECENT_ITEMS, JOURNAL]).session()
        await session.run("hi")
        assert [one["content"] for one in model.requests[0].input] == [
            "hi",
            "hi",
            "User prefers concise answers.",
        ]
        assert contents(session.log.read()) == ["hi", "nothing more to say"], "nothing is stored"

    def test_without_await(self) -> None:
        agent = SyncAgent("a", lambda request: request.input[-1]["content"], plugins=[JOURNAL])
        answer = agent.session().run("hi").result()
        assert answer.items[0]["content"] == "User prefers concise answers."

    async def test_a_hook_is_given_as_much_as_it_takes(self) -> None:
        """`extendInput: () => …` of the section has no parameter; a coroutine function may do so."""
        told: list[Any] = []

        class Quiet:
            async def extend_input(self) -> Any:
                return message("from nothing")

            def on_finish(self, moment: Moment) -> None:
                told.append(moment.session_id)

        model = Scripted()
        session = Agent("a", model, plugins=[Quiet()]).session()
        await session.run("hi")
        assert model.requests[0].input[1:] == [message("from nothing")]
        assert told == [session.id]

    async def test_an_object_may_spell_its_hooks_either_way(self) -> None:
        class Camel:
            name = "camel"

            def extendInput(self, moment: Moment) -> Any:  # noqa: N802 - the guide's spelling
                return message("one item")

        class Snake:
            async def extend_input(self, moment: Moment) -> Any:
                return "a text"

        model = Scripted()
        await Agent("a", model, plugins=[Camel(), Snake()]).session().run("hi")
        assert model.requests[0].input[1:] == [message("one item"), message("a text")]

    @pytest.mark.parametrize(
        ("plugin", "why"),
        [
            ({"name": "p", "extendInputs": print}, "p: a plugin has no 'extendInputs'"),
            ({"extendInput": print}, "a plugin has a name"),
            ({"name": "p", "extendInput": print, "extend_input": print}, "given twice"),
            ({"name": "p", "extendInput": ["item"]}, "p.extend_input is not a function"),
            ({"name": "p", "order": "first"}, "p.order is pre, post or nothing; got 'first'"),
            ({"name": "p", "storage": {}}, "p.storage has get, set and remove"),
            ("recent-items", "str has no hook"),
            (object(), "object has no hook"),
        ],
    )
    def test_what_is_not_understood_of_a_plugin_is_an_error(self, plugin: Any, why: str) -> None:
        with pytest.raises(InvalidPlugin, match=why):
            Agent("a", Scripted(), plugins=[plugin])
