"""The session log against a plain list: whatever happens to it, it holds what the list holds.

Random appends, turns that end in each way, interrupts, forks, clears and restarts; JSONL of
arbitrary JSON; and bytes changed, cut out and put in anywhere.
"""

import asyncio
import contextlib
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from recollect.session_log import (
    Episodic,
    FileStorage,
    MemoryStorage,
    Session,
    TurnAborted,
    assemble,
    correct,
    corrected,
    load,
    normalise,
    parse,
    select,
    view,
)
from recollect.session_log.storage import key_of, read_state
from tests.property.effort import examples

numbers = (
    st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53)
)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
turn_ids = st.sampled_from([None, "a", "b", ""])
sources = st.sampled_from(["agent", "model", "runtime", "tool", "user"])
payloads = st.one_of(
    st.tuples(st.just("item"), st.fixed_dictionaries({"item": values, "more": values})),
    st.tuples(
        st.just("boundary"),
        st.fixed_dictionaries(
            {
                "reason": st.sampled_from(
                    ["checkpoint", "interrupt", "overflow", "intent", "segment"]
                ),
                "title": st.text(max_size=5),
                "content": st.text(max_size=5),
                "state": values,
            }
        ),
    ),
    st.tuples(
        st.just("meta"),
        st.fixed_dictionaries({"event": st.text(max_size=5), "data": st.just({"k": [1]})}),
    ),
)
entries = st.tuples(
    payloads, sources, turn_ids, st.dictionaries(st.text(max_size=3), values, max_size=2)
)


def written(entries: list[Any]) -> Episodic:
    """A log of these entries."""
    log = Episodic()
    for (kind, payload), source, turn_id, extra in entries:
        extra = {key: value for key, value in extra.items() if key not in ("source", "turnId")}
        log.append(kind, payload, source=source, turn_id=turn_id, meta=extra)
    return log


@settings(max_examples=examples(60))
@given(st.lists(entries, max_size=6))
def test_arbitrary_json_comes_back_from_jsonl(entries: list[Any]) -> None:
    log = written(entries)
    text = log.to_jsonl()
    assert [one.payload for one in log.read(from_id=0)] == [payload for (_, payload), *_ in entries]
    for data in (text, text.encode()):
        back = Episodic.from_jsonl(data)
        assert back.read(from_id=0) == log.read(from_id=0)
        assert back.to_jsonl() == text
        assert back.last_id == log.last_id


damage = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 4), st.binary(max_size=4)), min_size=1, max_size=4
)


@settings(max_examples=examples(100))
@given(st.lists(entries, min_size=1, max_size=5), damage)
def test_damage_anywhere_raises_nothing_and_costs_only_the_lines_it_touches(
    entries: list[Any], damage: list[tuple[float, int, bytes]]
) -> None:
    whole = written(entries).to_jsonl().encode()
    broken = whole
    for place, cut, put in damage:
        at = int(place * len(broken))
        broken = broken[:at] + put + broken[at + cut :]
    good = set(broken.split(b"\n")) & set(whole.split(b"\n"))
    log = Episodic.from_jsonl(broken)
    kept = {json.dumps(one.payload, sort_keys=True) for one in log.read(from_id=0)}
    for line in good:
        assert json.dumps(json.loads(line)["payload"], sort_keys=True) in kept
    ids = [one.id for one in log.read(from_id=0)]
    assert ids == sorted(set(ids))
    bad = parse(broken).bad_lines
    assert len(log.read(from_id=0)) == len(parse(broken).episodes) + (bad > 0)
    assert Episodic.from_jsonl(log.to_jsonl()).read(from_id=0) == log.read(from_id=0)
    assert isinstance(assemble(log.episodes, context_length=5).items, list)


odd = st.sampled_from([None, 1, True, [], {}, "checkpoint", "turn.usage", {"inputTokens": []}])


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.sampled_from(["item", "boundary", "meta"]), *[odd] * 6), max_size=5))
def test_an_imported_log_of_any_shape_can_be_shown(lines: list[tuple[Any, ...]]) -> None:
    text = "\n".join(
        json.dumps(
            {
                "id": 1,
                "type": kind,
                "payload": {
                    "reason": a,
                    "title": b,
                    "content": c,
                    "event": a,
                    "data": b,
                    "item": c,
                },
                "meta": {"source": d, "turnId": e, "corrects": f, "sources": a, "date": b},
            }
        )
        for kind, a, b, c, d, e, f in lines
    )
    log = Episodic.from_jsonl(text)
    assert len(log) == len(lines)
    assert len(assemble(log.episodes, context_length=5).items) <= len(lines)
    assert len(view(log.episodes, text="x", since="2026-01-01")) == 0
    assert all(
        one.meta.source and one.meta.turn_id in (None, e)
        for one in log.read()
        for e in [one.meta.get("turnId")]
    )


@settings(max_examples=examples(100))
@given(st.binary(max_size=200) | st.text(st.characters(), max_size=200))
def test_no_bytes_and_no_text_at_all_raise(data: bytes | str) -> None:
    assert all(one.id >= 1 for one in load(data))


queries = st.fixed_dictionaries(
    {},
    optional={
        "from_id": st.integers(-2, 12) | st.floats(-2, 12),
        "limit": st.integers(-2, 12) | st.floats(),
        "type": st.sampled_from(["item", "meta"]) | st.lists(st.sampled_from(["item", "boundary"])),
        "turn_id": st.sampled_from(["a", "b", ""]),
    },
)


@settings(max_examples=examples(100))
@given(st.lists(entries, max_size=10), queries, st.integers(0, 10))
def test_a_read_is_what_filtering_a_list_gives(
    entries: list[Any], query: dict[str, Any], split: int
) -> None:
    log = written(entries[:split]).fork()
    log.adopt(written(entries[split:]).read(from_id=0))
    expected = list(log.read(from_id=0))
    if "from_id" in query:
        expected = [one for one in expected if one.id > query["from_id"]]
    if "type" in query:
        expected = [one for one in expected if one.type in query["type"]]
    if "turn_id" in query:
        expected = [one for one in expected if one.meta.get("turnId") == query["turn_id"]]
    if "limit" in query:
        limit = query["limit"]
        count = (
            int(limit)
            if abs(limit) < 1e9
            else (0 if limit != limit or abs(limit) == float("inf") else limit)
        )
        expected = expected[max(0, int(len(expected) - count)) :] if count > 0 else []
    assert log.read(**query) == expected
    assert select(log.read(from_id=0), **query) == expected


@settings(max_examples=examples(60))
@given(
    st.lists(entries, max_size=8),
    st.one_of(st.none(), st.integers(-1, 50)),
    st.integers(0, 60),
    turn_ids,
)
def test_what_is_shown_over_budget_is_the_end_of_what_is_shown_otherwise(
    entries: list[Any], context_length: int | None, used: int, turn_id: str | None
) -> None:
    log = written(entries)
    log.append_event("turn.usage", {"inputTokens": used, "outputTokens": 1, "totalTokens": 1})
    items = assemble(log.episodes, context_length=context_length, turn_id=turn_id).items
    everything = assemble(log.episodes).items
    assert items == everything[len(everything) - len(items) :]
    if context_length is None or used <= context_length > 0:
        assert items == everything


pieces = st.sampled_from(["function_call", "function_call_output", "message"])


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(pieces, st.integers(0, 3)), max_size=12))
def test_every_output_stands_behind_its_call_and_nothing_else_goes(steps: list[Any]) -> None:
    items = [{"type": kind, "call_id": str(number), "output": "x"} for kind, number in steps]
    waiting: set[str] = set()
    expected = []
    for item in items:
        if item["type"] == "function_call":
            waiting.add(item["call_id"])
        if item["type"] != "function_call_output" or item["call_id"] in waiting:
            expected.append(item)
        if item["type"] == "function_call_output":
            waiting.discard(item["call_id"])
    assert normalise(items) == expected


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=10))
def test_corrections_show_the_last_word_in_the_first_place(steps: list[tuple[bool, int]]) -> None:
    log, model, place_of = Episodic(), [], {}
    for number, (corrects, which) in enumerate(steps):
        if corrects and len(log):
            target = log.read(from_id=0)[which % len(log)].id
            stored = correct(log, target, number)
            place_of[stored.id] = place_of[target]
            model[place_of[target]] = number
        else:
            place_of[log.append_items([number])[0].id] = len(model)
            model.append(number)
    assert [one.item for one in corrected(log.episodes)] == model


class Histories(RuleBasedStateMachine):
    """A session over storages, beside a list of what its committed log must say."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.storage = MemoryStorage()
        self.model: list[Any] = []
        self.turns = 0

    @initialize(initial=st.lists(values, max_size=2))
    def start(self, initial: list[Any]) -> None:
        """A session with its first items."""
        self.initial = initial
        self.model = list(initial)
        self.session = self.open()

    def open(self) -> Session:
        """A session as after a restart."""
        return Session("s", storages=[self.storage], items=self.initial)

    def run(self, coroutine: Any) -> Any:
        """Run on the machine's own loop."""
        return self.loop.run_until_complete(coroutine)

    def turn_id(self) -> str:
        """The next turn's."""
        self.turns += 1
        return f"t{self.turns}"

    @rule(items=st.lists(values, max_size=3), meanwhile=st.lists(values, max_size=2))
    def merge(self, items: list[Any], meanwhile: list[Any]) -> None:
        """A turn that succeeds, while something else is appended."""

        async def work() -> None:
            async with self.session.turn(self.turn_id()) as turn:
                turn.append_items(items)
                if meanwhile:
                    await self.session.append(lambda log: log.append_items(meanwhile))
                seen = [one.item for one in turn.read(from_id=0) if one.type == "item"]
                assert seen == [one for one in self.model if one is not INTERRUPT] + items

        self.run(work())
        self.model += meanwhile + items

    @rule(items=st.lists(values, max_size=3))
    def fail(self, items: list[Any]) -> None:
        """A turn that fails."""

        async def work() -> None:
            async with self.session.turn(self.turn_id()) as turn:
                turn.append_items(items)
                raise ZeroDivisionError

        with contextlib.suppress(ZeroDivisionError):
            self.run(work())

    @rule(
        items=st.lists(values, max_size=3),
        following=st.lists(values, max_size=2),
        mark=st.booleans(),
    )
    def stop(self, items: list[Any], following: list[Any], mark: bool) -> None:
        """A turn that is aborted or interrupted while the next one waits."""

        inside = asyncio.Event()

        async def held(turn_id: str) -> None:
            async with self.session.turn(turn_id) as turn:
                turn.append_items(items)
                inside.set()
                await asyncio.sleep(3600)

        async def waiting() -> None:
            async with self.session.turn(self.turn_id()) as turn:
                turn.append_items(following)

        async def work() -> None:
            turn_id = self.turn_id()
            first = asyncio.create_task(held(turn_id))
            await inside.wait()
            second = asyncio.create_task(waiting())
            await asyncio.sleep(0)
            assert (await self.session.interrupt() if mark else self.session.abort()) == turn_id
            with contextlib.suppress(TurnAborted):
                await first
            await second

        self.run(work())
        self.model += ([INTERRUPT] if mark else []) + following

    @rule()
    def restart(self) -> None:
        """The process dies in the middle of a turn and starts again."""
        opened = self.session.turn(self.turn_id())
        turn = self.run(opened.__aenter__())
        turn.append_items(["never committed"])
        self.session = self.open()
        self.run(self.session.load())
        if not self.storage.values:
            self.model = list(self.initial)

    @rule()
    def clear(self) -> None:
        """Back to the beginning."""
        self.run(self.session.clear())
        self.model = list(self.initial)

    @precondition(lambda self: len(self.model) < 30)
    @rule(items=st.lists(values, min_size=1, max_size=2))
    def fork(self, items: list[Any]) -> None:
        """A fork goes its own way and changes nothing here."""

        async def work() -> None:
            copy = await self.session.fork("copy")
            async with copy.turn() as turn:
                turn.append_items(items)
            said = [one.item for one in copy.log.read(from_id=0)][-len(items) :]
            assert said == items
            assert len(copy.log) == len(self.session.log) + len(items)
            await copy.remove()

        self.run(work())

    @invariant()
    def says_what_the_list_says(self) -> None:
        """Contents, ids, and what is stored."""
        if not hasattr(self, "session"):
            return
        log = self.session.log.read(from_id=0)
        assert [INTERRUPT if one.reason == "interrupt" else one.item for one in log] == self.model
        assert [one.id for one in log] == list(range(1, len(log) + 1))
        state = read_state(self.storage.values.get(key_of("agent", "s")))
        if state is not None:
            assert state.episodic == self.session.log.to_jsonl()

    def teardown(self) -> None:
        """Leave no loop behind."""
        self.loop.close()


INTERRUPT = object()

TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=examples(25), stateful_step_count=12, deadline=None)


@settings(max_examples=5)
@given(items=st.lists(values, min_size=1, max_size=3))
def test_a_session_in_a_file_is_found_again(tmp_path_factory: Any, items: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("sessions")

    async def work() -> None:
        session = Session("s", storages=[FileStorage(folder)])
        async with session.turn() as turn:
            turn.append_items(items)
        again = Session("s", storages=[FileStorage(folder)])
        await again.load()
        assert again.log.read(from_id=0) == session.log.read(from_id=0)

    asyncio.run(work())
