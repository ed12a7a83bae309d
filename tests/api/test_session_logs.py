"""Session logs over HTTP: the rules of the library on the wire, turns, and conflicts."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.governance import keys, soundness
from recollect.graph.types import Access
from recollect.ingest import session_writing
from recollect.limits import LOG_EPISODES_PER_PAGE, LOG_TURNS_OPEN_MAX
from recollect.session_log import Episodic, load
from recollect.session_log.episode import SAFE_INTEGER
from recollect.store.protocol import Transaction
from tests.support.session_log import Session, boundary, event, item, opened


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    """A session that is bound to nobody."""
    async with opened(tmp_path) as made:
        yield made


# ---------------------------------------------------------------- sessions


async def test_a_session_is_made_read_changed_listed_and_deleted(session: Session) -> None:
    """Metadata is replaced, a context is merged field by field."""
    made = (await session.ask("GET", session.path)).json()
    assert (made["session_id"], made["user_id"], made["feeds"], made["last_id"]) == (
        *("s", None, False),
        0,
    )
    await session.ask("PATCH", session.path, {"context": {"a": {"x": 1}}, "metadata": {"m": 1}})
    changed = await session.ask("PATCH", session.path, {"context": {"a": {"y": 2}}})
    assert changed.json()["context"] == {"a": {"x": 1, "y": 2}}
    await session.ask("PATCH", session.path, {"metadata": {"n": 2}})
    for name in ("q", "z"):
        await session.ask("POST", "/api/v1/sessions", {"session_id": name, "user_id": "ann"})
    first = (await session.ask("GET", "/api/v1/sessions", query="limit=2")).json()
    assert [one["session_id"] for one in first["sessions"]] == ["q", "s"]
    assert first["sessions"][1]["metadata"] == {"n": 2}
    cursor = first["next_cursor"]
    rest = (await session.ask("GET", "/api/v1/sessions", query=f"limit=2&cursor={cursor}")).json()
    assert [one["session_id"] for one in rest["sessions"]] == ["z"]
    own = (await session.ask("GET", "/api/v1/sessions", query="user_id=ann")).json()
    assert [one["session_id"] for one in own["sessions"]] == ["q", "z"]
    await session.append(item())
    receipt = (await session.ask("DELETE", session.path)).json()
    assert (receipt["kind"], receipt["removed"]) == (
        "session_log",
        {"sessions": 1, "log_episodes": 1},
    )
    await session.ask("GET", session.path, status=404)
    await session.ask("GET", session.log, status=404)


async def test_what_cannot_be_a_session_is_refused(session: Session) -> None:
    """An id that is taken, nobody's feed, an unknown user, a thread of somebody else."""
    for body, word in (
        ({"session_id": "s"}, "exists already"),
        ({"session_id": "new", "feeds": True}, "feeds"),
        ({"session_id": "new", "metadata": {"a": {}}}, "metadata"),
        ({"session_id": "a/b"}, "session_id"),
    ):
        answer = await session.ask("POST", "/api/v1/sessions", body, status=400)
        assert word in answer.message
    await session.ask("POST", "/api/v1/sessions", {"session_id": "n", "user_id": "x"}, status=404)
    assert (
        "feeds" in (await session.ask("PATCH", session.path, {"feeds": True}, status=400)).message
    )
    await session.memory.thread("taken")
    await session.memory.post("/users", {"user_id": "bob"})
    body = {"session_id": "taken", "user_id": "bob"}
    answer = await session.ask("POST", "/api/v1/sessions", body, status=400)
    assert "another user" in answer.message
    await session.ask("POST", "/api/v1/sessions", {"session_id": "taken", "user_id": "ann"})


# ---------------------------------------------------------------- append and read


async def test_episodes_are_answered_as_stored_under_ids_from_one(session: Session) -> None:
    """E2, E3, E5: one per episode, in order, with the source that was meant."""
    stored = await session.append(
        item("a"), event("turn.usage", inputTokens=1), boundary("segment")
    )
    assert [one["id"] for one in stored] == [1, 2, 3]
    assert [one["meta"]["source"] for one in stored] == ["user", "runtime", "runtime"]
    assert await session.read() == stored


async def test_reads_have_the_filters_and_defaults_of_the_library(session: Session) -> None:
    """E6, E7 on the wire: the same as a read of the exported log."""
    kinds = [item("a"), event("e"), item("b", turnId="t1"), boundary("segment")]
    for _ in range(3):
        await session.append(*kinds * 10)
    export = (await session.ask("GET", f"{session.log}/export")).body
    log = Episodic.from_jsonl(export)
    assert len(log) == 120
    for query, wanted in (
        ("", {}),
        ("from_id=0", {"from_id": 0}),
        ("from_id=117", {"from_id": 117}),
        ("from_id=117.5", {"from_id": 117.5}),
        ("from_id=-3", {"from_id": -3}),
        ("from_id=500", {"from_id": 500}),
        ("limit=6", {"limit": 6}),
        ("limit=2.9", {"limit": 2.9}),
        ("limit=0", {"limit": 0}),
        ("limit=-1", {"limit": -1}),
        ("limit=1000", {"limit": 1000}),
        ("type=item", {"type": "item"}),
        ("type=meta,boundary&limit=3", {"type": ["meta", "boundary"], "limit": 3}),
        ("turn_id=t1", {"turn_id": "t1"}),
        ("turn_id=t1&type=item&from_id=60&limit=4", None),
        ("turn_id=nobody", {"turn_id": "nobody"}),
    ):
        asked = wanted or {"turn_id": "t1", "type": "item", "from_id": 60, "limit": 4}
        expected = log.read(**(asked if wanted != {} else {}))
        assert await session.ids(query) == [one.id for one in expected], query
    assert "type" in (await session.ask("GET", session.log, query="type=x", status=400)).message


async def test_a_long_read_comes_in_pieces_and_is_whole(session: Session) -> None:
    """More than a page is sent without being held in memory, and is the same JSON."""
    count = LOG_EPISODES_PER_PAGE * 2 + 7
    for start in range(0, count, 500):
        await session.append(*(item(str(n)) for n in range(start, min(start + 500, count))))
    assert await session.ids() == list(range(1, count + 1))
    assert len(load((await session.ask("GET", f"{session.log}/export")).body)) == count
    assert await session.ids(f"limit={count - 1}") == list(range(2, count + 1))


async def test_what_is_not_an_episode_is_refused_and_nothing_is_written(session: Session) -> None:
    """All of a call or none of it; the message names the place."""
    bad = {"type": "boundary", "payload": {"reason": "checkpoint", "title": "no content"}}
    answer = await session.ask("POST", session.log, {"episodes": [item(), bad]}, status=400)
    assert "episodes[1].payload" in answer.message
    for source in ("nobody", ["user"], {}, 1):
        wrong = {**item(), "meta": {"source": source}}
        answer = await session.ask("POST", session.log, {"episodes": [wrong]}, status=400)
        assert "episodes[0].meta" in answer.message
    huge = item("x" * 1_100_000)
    await session.ask("POST", session.log, {"episodes": [item(), huge]}, status=400)
    await session.ask("POST", session.log, {"episodes": []}, status=400)
    await session.ask("POST", session.log, {"episodes": [item()] * 1001}, status=400)
    assert await session.ids() == []


async def test_a_writer_who_expects_another_last_id_gets_409_and_the_current_one(
    session: Session,
) -> None:
    """Optimistic appends, merges and imports; what was refused has not happened."""
    await session.append(item(), item(), expected_last_id=0)
    body = {"episodes": [item()], "expected_last_id": 1}
    answer = await session.ask("POST", session.log, body, status=409)
    assert answer.header("Recollect-Last-Id") == "2"
    assert "2" in answer.message
    await session.open()
    await session.append(item(), turn="t", expected_last_id=2)
    for path in (f"{session.log}/turns/t/merge", f"{session.log}/import"):
        refused = await session.ask("POST", path, b"", "expected_last_id=1", 409)
        assert refused.header("Recollect-Last-Id") == "2"
    assert [one["id"] for one in await session.end("merge", query="expected_last_id=2")] == [3]


async def test_many_writers_lose_and_double_nothing(session: Session) -> None:
    """Serialised: ids are 1 to n, each episode once, each call together."""

    async def write(writer: int) -> None:
        for number in range(10):
            await session.append(item(f"{writer}/{number}/a"), item(f"{writer}/{number}/b"))

    await asyncio.gather(*(write(writer) for writer in range(6)))
    found = await session.read()
    assert [one["id"] for one in found] == list(range(1, 121))
    texts = [one["payload"]["item"]["content"] for one in found]
    assert len(set(texts)) == 120
    assert all(a[:-1] == b[:-1] for a, b in zip(texts[::2], texts[1::2], strict=True))


# ---------------------------------------------------------------- turns


async def test_a_turn_is_seen_by_itself_until_it_is_merged_under_new_ids(session: Session) -> None:
    """E12: a fork of the committed log; references inside of it follow the move."""
    await session.append(item("before"))
    assert await session.open() == {"turn_id": "t", "forked_at": 1, "last_id": 1}
    await session.append(item("mine"), item("first try", corrects=2), turn="t")
    await session.append(item("meanwhile"))
    assert await session.ids() == [1, 2]
    own = await session.read("from_id=0", turn="t")
    assert [one["payload"]["item"]["content"] for one in own] == ["before", "mine", "first try"]
    assert [one["meta"].get("turnId") for one in own] == [None, "t", "t"]
    assert await session.ids("limit=2", turn="t") == [2, 3]
    assert await session.ids("limit=1&type=item", turn="t") == [3]
    merged = await session.end("merge")
    assert [one["id"] for one in merged] == [3, 4]
    assert merged[1]["meta"]["corrects"] == 3
    assert await session.ids() == [1, 2, 3, 4]
    assert await session.ids("turn_id=t") == [3, 4]
    await session.ask("POST", f"{session.log}/turns/t/merge", status=404)


async def test_a_discarded_turn_leaves_no_trace(session: Session) -> None:
    """E12: dropped as a whole."""
    await session.open()
    await session.append(item(), item(), turn="t")
    gone = await session.ask("DELETE", f"{session.log}/turns/t")
    assert gone.json() == {"dropped": 2}
    assert await session.ids() == []
    assert (await session.ask("GET", f"{session.log}/turns")).json() == {"turns": []}


async def test_an_interrupt_drops_the_turn_and_says_so_in_the_log(session: Session) -> None:
    """E14: only with an open turn; a boundary of the runtime under the turn's id."""
    await session.open()
    await session.append(item(), turn="t")
    (note,) = await session.end("interrupt")
    assert note["payload"]["reason"] == "interrupt"
    assert note["payload"]["title"] == "turn interrupted"
    assert note["meta"] == {"source": "runtime", "turnId": "t"}
    assert await session.read() == [note]
    await session.ask("POST", f"{session.log}/turns/t/interrupt", status=404)


async def test_several_turns_are_merged_in_the_order_of_their_merges(session: Session) -> None:
    """E13: what each merge adds is together; there are only so many at once."""
    for turn in ("a", "b"):
        await session.open(turn)
        await session.append(item(turn), item(turn), turn=turn)
    assert (
        "open already"
        in (await session.ask("POST", f"{session.log}/turns", {"turn_id": "a"}, status=400)).message
    )
    await session.end("merge", "b")
    await session.end("merge", "a")
    texts = [one["payload"]["item"]["content"] for one in await session.read()]
    assert texts == ["b", "b", "a", "a"]
    for _ in range(LOG_TURNS_OPEN_MAX):
        await session.ask("POST", f"{session.log}/turns", {})
    await session.ask("POST", f"{session.log}/turns", {}, status=409)


async def test_the_turns_of_a_dead_process_are_dropped_and_their_logs_say_so(
    session: Session,
) -> None:
    """Those of a living one stay."""
    store = session.running.services.store
    await session.append(item())
    await session.open("mine")
    await store.write(_open_as, "theirs")
    await session.append(item(), item(), turn="theirs")
    assert await store.write(session_writing.discard_lost, session.running.services.owner) == 1
    (note,) = await session.read("from_id=1")
    assert (note["id"], note["type"], note["meta"]["turnId"]) == (2, "meta", "theirs")
    assert note["payload"]["event"] == "turn.discarded"
    assert note["payload"]["data"]["dropped"] == 2
    turns = (await session.ask("GET", f"{session.log}/turns")).json()["turns"]
    assert [one["turn_id"] for one in turns] == ["mine"]


async def test_a_lost_turn_of_a_log_without_ids_left_is_dropped_without_a_word(
    session: Session,
) -> None:
    """This is done when the server starts, and one full log must not keep it from that."""
    store = session.running.services.store
    await store.write(_open_as, "theirs")
    last = {"id": SAFE_INTEGER, "type": "item", "meta": {}, "payload": {"item": 1}}
    await session.ask("POST", f"{session.log}/import", json.dumps(last).encode())
    await session.ask("POST", session.log, {"episodes": [item()]}, status=409)
    assert await store.write(session_writing.discard_lost, session.running.services.owner) == 1
    assert (await session.ask("GET", f"{session.log}/turns")).json()["turns"] == []
    assert await session.ids() == [SAFE_INTEGER]


def _open_as(tx: Transaction, turn: str) -> None:
    project = keys.project_named(tx, keys.DEFAULT_PROJECT)
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    session_writing.open_turn(tx, access, "s", turn, "a process that is gone")


# ---------------------------------------------------------------- JSONL and model input


async def test_a_log_is_exported_and_imported_line_by_line(session: Session) -> None:
    """E8, E9, E10: own ids into an empty log, the next ones into another; bad lines are told."""
    lines = [
        {"id": 3, "type": "item", "meta": {"source": "user"}, "payload": {"item": "\ud800 ü"}},
        {"id": 7, "type": "meta", "meta": {"corrects": 3}, "payload": {"event": "e"}},
    ]
    text = "\n".join(map(json.dumps, lines)).encode()
    told = (await session.ask("POST", f"{session.log}/import", text)).json()
    assert told == {"added": 2, "bad_lines": 0, "errors": [], "last_id": 7}
    export = await session.ask("GET", f"{session.log}/export")
    assert export.header("content-type") == "application/x-ndjson"
    assert [json.loads(line) for line in export.body.split(b"\n")] == lines
    again = (await session.ask("POST", f"{session.log}/import", text + b"\n\xff\n{")).json()
    assert (again["added"], again["bad_lines"], again["last_id"]) == (3, 2, 10)
    new = await session.read("from_id=7")
    assert [one["id"] for one in new] == [8, 9, 10]
    assert new[1]["meta"]["corrects"] == 8
    assert new[2]["payload"]["event"] == "error.parse"
    assert new[2]["payload"]["data"]["count"] == 2


async def test_what_is_too_long_for_one_step_is_refused(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exactly at the bounds: as many lines or episodes as allowed pass, one more does not."""
    monkeypatch.setattr("recollect.native.session_log_episodes.LOG_IMPORTED_EPISODES_MAX", 3)
    monkeypatch.setattr("recollect.records.session_reading.LOG_ASSEMBLED_EPISODES_MAX", 3)
    line = b'{"id":1,"type":"item","meta":{},"payload":{"item":1}}'
    refused = await session.ask("POST", f"{session.log}/import", b"\n".join([line] * 4), status=400)
    assert "at most 3 lines" in refused.message
    await session.ask("POST", f"{session.log}/import", b"\n".join([line] * 3))
    path = f"{session.log}/assemble"
    assert (await session.ask("POST", path, {})).json()["items"] == [1, 1, 1]
    await session.append(item())
    assert "exported" in (await session.ask("POST", path, {}, status=400)).message


async def test_model_input_is_assembled_within_the_budget(session: Session) -> None:
    """E16 to E19: from the last checkpoint when the last turn did not fit, paired and shortened."""
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c", "output": "x" * 8_001}
    orphan = {"type": "function_call_output", "call_id": "nobody", "output": "x"}
    await session.append(
        item("old"),
        boundary("checkpoint", content="what was"),
        *({"type": "item", "payload": {"item": one}} for one in (call, output, orphan)),
        event("turn.usage", inputTokens=100, outputTokens=1, totalTokens=101),
    )
    asked = {"context_length": 150, "max_output_tokens": 51, "extra": [{"more": 1}]}
    short = (await session.ask("POST", f"{session.log}/assemble", asked)).json()
    assert short["truncated"] is True
    texts = [one.get("content") for one in short["items"]]
    assert texts[0] == "<checkpoint>\nwhat was\n</checkpoint>"
    assert "(truncated: 1 chars omitted)" in short["items"][2]["output"]
    assert short["items"][3:] == [{"more": 1}]
    whole = (await session.ask("POST", f"{session.log}/assemble", {"context_length": 200})).json()
    assert (whole["truncated"], whole["items"][0]["content"]) == (False, "old")
    await session.open()
    await session.append(item("now"), turn="t")
    path = f"{session.log}/turns/t/assemble"
    assert (await session.ask("POST", path, {})).json()["items"][-1]["content"] == "now"


async def test_writes_are_in_the_audit_log_and_reads_are_not(session: Session) -> None:
    """Under the name of the session, until that is erased; never with a word of the log."""
    await session.append(item("a secret"))
    await session.read()
    await session.open("turn of a person")
    await session.end("interrupt", "turn of a person")
    entries = session.running.rows(
        "SELECT action, target, detail FROM audit_entries ORDER BY number"
    )
    own = [(action, target) for action, target, _ in entries if action.startswith("session_log.")]
    assert own == [
        ("session_log.create", "session_log:s"),
        ("session_log.append", "session_log:s"),
        ("session_log.turn.open", "session_log:s"),
        ("session_log.turn.interrupt", "session_log:s"),
    ]
    assert "secret" not in str(entries)
    assert "person" not in str(entries)
    uuid = (await session.ask("GET", session.path)).json()["uuid"]
    await session.ask("DELETE", session.path)
    left = session.running.rows(
        "SELECT target FROM audit_entries WHERE action LIKE 'session_log.%'"
    )
    assert {target for (target,) in left} == {None, f"session_log:{uuid}"}


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        ("UPDATE session_logs SET last_number = 9", "session logs that are not at"),
        (
            "INSERT INTO session_log_episodes (log_id, number, type, meta, payload)"
            " VALUES (99, 1, 'meta', '{}', '{}')",
            "episodes of no session log",
        ),
        ("DELETE FROM session_log_working", "open turns of nothing"),
        ("INSERT INTO session_log_fed VALUES (99, 1)", "feeds of session logs into nothing"),
    ],
)
async def test_the_doctor_finds_what_is_wrong_with_a_log(
    session: Session, damage: str, what: str
) -> None:
    """Whatever a broken copy or a hand in the file left behind."""
    await session.append(item())
    await session.open()
    await session.append(item(), turn="t")
    assert await session.running.services.store.read(soundness.check) == []
    session.running.execute(damage)
    (trouble,) = await session.running.services.store.read(soundness.check)
    assert (trouble.what.startswith(what), trouble.count) == (True, 1)


async def test_a_log_of_large_episodes_is_read_in_small_pages(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However large they are, whole, in order and each once; one that alone is too large as well."""
    monkeypatch.setattr("recollect.records.session_reading.LOG_PAGE_CHARS", 1_000)
    sizes = {"a": 10, "b": 400, "c": 700, "d": 5_000, "e": 3, "f": 3, "g": 990}
    texts = [letter * size for letter, size in sizes.items()]
    await session.append(*map(item, texts))
    read = await session.read()
    assert [one["payload"]["item"]["content"] for one in read] == texts
    exported = (await session.ask("GET", f"{session.log}/export")).body.decode()
    assert [json.loads(line)["id"] for line in exported.split("\n") if line] == list(range(1, 8))
    assembled = await session.ask("POST", f"{session.log}/assemble", {})
    assert [one["content"] for one in assembled.json()["items"]] == texts
