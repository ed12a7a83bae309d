"""Session logs in the store against a plain list: whatever happens, both hold the same.

Random appends, turns that end in each way, interrupts, imports, and restarts of the process that
owned the turns: the store is opened anew, and what was open says that it is gone.
"""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from recollect.errors import LogMoved
from recollect.governance import keys, soundness
from recollect.graph.types import Access
from recollect.ingest import session_writing
from recollect.ingest.session_writing import Appended, Draft, draft
from recollect.native.session_log_wire import plain
from recollect.records import session_logs, session_reading, users
from recollect.records.session_reading import Wanted
from recollect.records.users import UserDetails
from recollect.session_log import load, parse, select
from recollect.store.protocol import Transaction
from tests.property.effort import examples
from tests.support.stores import open_store

NAMES = ("a", "b")
texts = st.lists(st.text(alphabet="xyü\n", max_size=3), min_size=1, max_size=3)
wanted = st.fixed_dictionaries(
    {},
    optional={
        "from_id": st.integers(-1, 30),
        "limit": st.integers(-1, 8) | st.sampled_from([1.5, float("inf")]),
        "types": st.sampled_from([("item",), ("meta", "boundary")]),
        "turn_id": st.sampled_from([*NAMES, "nobody"]),
    },
)


def drafts_of(said: list[str]) -> list[Draft]:
    """Items of a conversation."""
    items = [{"type": "message", "role": "user", "content": text} for text in said]
    return [draft("episodes[0]", "item", {"item": one}, None) for one in items]


class SessionLogs(RuleBasedStateMachine):
    """The log is a list of (id, what it says, turn); each open turn has one of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.process = 0
        self.log: list[tuple[int, Any, str | None]] = []
        self.turns: dict[str, tuple[int, list[Any]]] = {}
        self.store = open_store(Path(self.folder.name), readers=1)
        self.access = self._write(self._begin)

    def _begin(self, tx: Transaction) -> Access:
        keys.ensure_default(tx, "secret-of-the-model")
        project = keys.project_named(tx, keys.DEFAULT_PROJECT)
        access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
        users.create(tx, access, "ann", UserDetails())
        session_logs.create(tx, access, "s", user_id="ann")
        return access

    def _write(self, unit: Any, *args: Any) -> Any:
        return self.loop.run_until_complete(self.store.write(unit, *args))

    def _read(self, unit: Any, *args: Any) -> Any:
        return self.loop.run_until_complete(self.store.read(unit, *args))

    @property
    def last(self) -> int:
        return self.log[-1][0] if self.log else 0

    def _note(self, made: Appended, said: list[Any], turn: str | None) -> None:
        ids = list(range(self.last + 1, self.last + 1 + len(said)))
        assert [line.number for line in made.lines] == ids
        self.log += [(number, one, turn) for number, one in zip(ids, said, strict=True)]

    @rule(said=texts, expect=st.sampled_from([None, "right", "wrong"]))
    def append(self, said: list[str], expect: str | None) -> None:
        """Append, as one who knows where the log is or not."""
        expected = {None: None, "right": self.last, "wrong": self.last + 1}[expect]
        given = ("s", drafts_of(said), expected)
        if expect == "wrong":
            with pytest.raises(LogMoved) as refused:
                self._write(session_writing.append, self.access, *given)
            assert refused.value.last_id == self.last
            return
        self._note(self._write(session_writing.append, self.access, *given), said, None)

    @rule(said=texts, gap=st.integers(-3, 5))
    def take_in(self, said: list[str], gap: int) -> None:
        """Import lines whose ids are behind, at or past the log's end, and a bad one."""
        first = self.last + gap
        lines = [
            f'{{"id":{first + place},"type":"item","meta":{{}},"payload":{{"item":{place}}}}}'
            for place in range(len(said))
        ]
        parsed = parse("\n".join([*lines, "bad"]))
        made = self._write(session_writing.take_in, self.access, "s", parsed)
        following = max(first, self.last + 1)
        told = [(following + place, place, None) for place in range(len(said))]
        self.log += [*told, (told[-1][0] + 1, "error.parse", None)]
        assert [line.number for line in made.lines] == [
            one[0] for one in self.log[-len(told) - 1 :]
        ]

    @rule(turn=st.sampled_from(NAMES))
    def open_turn(self, turn: str) -> None:
        """Fork."""
        if turn not in self.turns:
            owner = f"process {self.process}"
            self._write(session_writing.open_turn, self.access, "s", turn, owner)
            self.turns[turn] = (len(self.log), [])

    @precondition(lambda self: self.turns)
    @rule(said=texts, data=st.data())
    def append_to_turn(self, said: list[str], data: st.DataObject) -> None:
        """The committed log does not change."""
        turn = data.draw(st.sampled_from(sorted(self.turns)))
        self._write(session_writing.append_to_turn, self.access, "s", turn, drafts_of(said))
        self.turns[turn][1].extend(said)

    @precondition(lambda self: self.turns)
    @rule(how=st.sampled_from(["merge", "discard", "interrupt"]), data=st.data())
    def end_turn(self, how: str, data: st.DataObject) -> None:
        """In each of the ways there are."""
        turn = data.draw(st.sampled_from(sorted(self.turns)))
        _, said = self.turns.pop(turn)
        made = self._write(getattr(session_writing, how), self.access, "s", turn)
        if how == "merge":
            self._note(made, said, turn)
        elif how == "interrupt":
            self._note(made, ["interrupt"], turn)
        else:
            assert made == len(said)

    @rule()
    def restart(self) -> None:
        """Another process opens the store; the turns of the last one are gone and say so."""
        self.loop.run_until_complete(self.store.close())
        self.store = open_store(Path(self.folder.name), readers=1)
        self.process += 1
        lost = self._write(session_writing.discard_lost, f"process {self.process}")
        assert lost == len(self.turns)
        for turn, (_, said) in self.turns.items():
            self.log.append((self.last + 1, ["turn.discarded", len(said)], turn))
        self.turns = {}

    @rule(asked=wanted)
    def read(self, asked: dict[str, Any]) -> None:
        """Every filter reads what the library reads of the same log."""
        for turn in (None, *self.turns):
            episodes = load("\n".join(map(plain, self._lines(Wanted(from_id=0), turn))))
            query = {"type" if name == "types" else name: one for name, one in asked.items()}
            expected = select(episodes, **query)
            found = self._lines(Wanted(**asked), turn)
            assert [line.number for line in found] == [one.id for one in expected]

    def _lines(self, asked: Wanted, turn: str | None) -> list[Any]:
        def unit(tx: Transaction) -> list[Any]:
            if turn is None:
                view = session_reading.look(tx, self.access, "s", asked)
            else:
                view = session_reading.look_in_turn(tx, self.access, "s", turn, asked)
            found, rest = [], view.window
            while rest is not None:
                lines, rest = session_reading.page(tx, self.access, rest, 2)
                found += lines
            return [*found, *view.own]

        return list(self._read(unit))

    @invariant()
    def holds_what_the_list_holds(self) -> None:
        """The committed log, and each working log."""
        committed = self._told(None)
        assert committed == self.log
        for turn, (at, said) in self.turns.items():
            told = self._told(turn)
            assert told[:at] == self.log[:at]
            assert [(one, name) for _, one, name in told[at:]] == [(text, turn) for text in said]

    def _told(self, turn: str | None) -> list[tuple[int, Any, str | None]]:
        found = self._lines(Wanted(from_id=0), turn)
        return [
            (one.id, _said(one), one.meta.turn_id) for one in load("\n".join(map(plain, found)))
        ]

    def teardown(self) -> None:
        """Nothing hangs in the air at the end."""
        assert self._read(soundness.check) == []
        self.loop.run_until_complete(self.store.close())
        self.loop.close()
        self.folder.cleanup()


def _said(episode: Any) -> Any:
    if episode.type == "item":
        return episode.item["content"] if isinstance(episode.item, dict) else episode.item
    if episode.type == "boundary":
        return episode.reason
    data = episode.payload["data"]
    return episode.event if "dropped" not in data else [episode.event, data["dropped"]]


TestSessionLogs = SessionLogs.TestCase
TestSessionLogs.settings = settings(
    max_examples=examples(12), stateful_step_count=15, deadline=None
)
