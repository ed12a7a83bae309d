"""What is said in a session becomes part of its user's graph, and who may see it."""

import json
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from recollect.governance import soundness
from recollect.ingest import session_feed
from recollect.limits import MESSAGE_CHARS_MAX
from tests.support.session_log import Session, boundary, event, item, opened


@pytest.fixture
async def bound(tmp_path: Path) -> AsyncIterator[Session]:
    """A session that is bound to ann."""
    async with opened(tmp_path, user_id="ann", metadata={"team": "blue"}) as made:
        yield made


async def test_what_is_said_in_a_bound_session_becomes_knowledge_of_its_user(
    bound: Session,
) -> None:
    """Once it is committed, with provenance both ways; what the fact rests on is the message."""
    await bound.open()
    await bound.append(item("I live in Lisbon."), turn="t")
    assert not bound.running.rows("SELECT 1 FROM episodes WHERE kind = 'message'")
    (merged,) = await bound.end("merge")
    (uuid,) = merged["graph_episodes"]
    (read,) = await bound.read()
    assert read["graph_episodes"] == [uuid]
    await bound.memory.learn()
    (edge,) = [
        one for one in await bound.memory.listed("edge", "user/ann") if "Lisbon" in one["fact"]
    ]
    assert edge["episodes"] == [uuid]
    episode = await bound.memory.get(f"/graph/episodes/{uuid}")
    assert episode["source_description"] == "session s, episode 1"
    assert episode["metadata"] == {"team": "blue"}
    thread = await bound.memory.get("/threads/s/messages")
    assert [one["content"] for one in thread["messages"]] == ["I live in Lisbon."]


async def test_only_messages_with_words_are_fed_and_only_while_it_is_on(bound: Session) -> None:
    """Calls, outputs, boundaries, audit records and other roles stay in the log."""
    parts = [
        {"type": "input_text", "text": "one"},
        {"type": "input_image"},
        {"type": "text", "text": "two"},
    ]
    fed = await bound.append(
        item("plain"),
        item(parts),
        item("of the model", "assistant"),
        item("of the system", "system"),
        item("tool", "tool"),
        item("  "),
        item([{"type": "input_image"}]),
        item("not for views", context=False),
        {"type": "item", "payload": {"item": {"type": "function_call", "content": "x"}}},
        {"type": "item", "payload": {"item": "text"}},
        boundary("checkpoint"),
        event("e"),
    )
    assert [one["id"] for one in fed if one.get("graph_episodes")] == [1, 2, 3, 4]
    await bound.ask("PATCH", bound.path, {"feeds": False})
    (quiet,) = await bound.append(item("off"))
    assert "graph_episodes" not in quiet
    await bound.ask("PATCH", bound.path, {"feeds": True})
    (loud,) = await bound.append(item("on"))
    assert loud["graph_episodes"]
    said = (await bound.memory.get("/threads/s/messages"))["messages"]
    assert [(one["role"], one["content"]) for one in said] == [
        ("user", "plain"),
        ("user", "one\ntwo"),
        ("assistant", "of the model"),
        ("system", "of the system"),
        ("user", "on"),
    ]


async def test_a_long_text_is_fed_in_parts_and_none_of_it_is_lost(bound: Session) -> None:
    """Each part names its place."""
    text = " ".join(f"word{number}" for number in range(1_500))
    (stored,) = await bound.append(item(text))
    parts = [await bound.memory.get(f"/graph/episodes/{u}") for u in stored["graph_episodes"]]
    assert " ".join(one["content"] for one in parts) == text
    assert all(len(one["content"]) <= MESSAGE_CHARS_MAX for one in parts)
    assert parts[0]["source_description"] == f"session s, episode 1, part 1 of {len(parts)}"
    assert session_feed.pieces("x" * 9_000) == ["x" * 4_096, "x" * 4_096, "x" * 808]
    assert session_feed.pieces("ab  cd e" + " " * 9, 4) == ["ab ", "cd e"]
    assert session_feed.pieces(" abcdef", 3) == [" ab", "cde", "f"]


async def test_what_the_graph_forgets_stays_in_the_log_and_goes_with_the_user(
    bound: Session,
) -> None:
    """A log is only appended to; deleting the user erases it."""
    (stored,) = await bound.append(item("I like tea."))
    await bound.memory.learn()
    await bound.memory.delete(f"/graph/episodes/{stored['graph_episodes'][0]}")
    (left,) = await bound.read()
    assert "graph_episodes" not in left
    assert left["payload"] == stored["payload"]
    await bound.memory.delete("/threads/s")
    (again,) = await bound.append(item("I like milk."))
    assert again["graph_episodes"]
    await bound.open()
    await bound.append(item("secret"), turn="t")
    assert await bound.running.services.store.read(soundness.check) == []
    await bound.memory.delete("/users/ann")
    tables = ("session_logs", "session_log_episodes", "session_log_turns", "session_log_working")
    for table in (*tables, "session_log_fed"):
        assert bound.running.rows(f"SELECT * FROM {table}") == [], table  # noqa: S608
    (removed,) = bound.running.rows("SELECT removed FROM erasures WHERE kind = 'user'")
    told = json.loads(removed[0])
    assert (told["sessions"], told["log_episodes"]) == (1, 2)
    left_over = bound.running.rows("SELECT target FROM audit_entries WHERE target LIKE '%session%'")
    assert left_over == []


async def test_a_thread_that_became_somebody_elses_is_not_fed(bound: Session) -> None:
    """The append is refused as a whole, and says what to do."""
    await bound.memory.post("/users", {"user_id": "bob"})
    await bound.memory.post("/threads", {"thread_id": "s", "user_id": "bob"})
    answer = await bound.ask("POST", bound.log, {"episodes": [item()]}, status=409)
    assert "feeds" in answer.message
    assert await bound.ids() == []
    await bound.append(event("not fed, so nothing is in its way"))


async def test_policies_name_the_actions_of_logs_and_what_a_key_may_see(bound: Session) -> None:
    """A key may read and not append; a session whose metadata is hidden is not there."""
    await bound.append(item("hello"))
    allow = {"effect": "allow", "actions": ["session_log.read", "session_log.list"]}
    reader = await bound.memory.key(allow)
    assert (await bound.ask("GET", bound.log, key=reader)).json()["last_id"] == 1
    await bound.ask("POST", bound.log, {"episodes": [item()]}, status=403, key=reader)
    await bound.ask("GET", f"{bound.log}/stream", status=403, key=reader)
    red = await bound.memory.key({**allow, "attributes": {"metadata.team": ["red"]}})
    await bound.ask("GET", bound.log, status=404, key=red)
    assert (await bound.ask("GET", "/api/v1/sessions", key=red)).json()["sessions"] == []


async def test_feeding_needs_the_right_to_add_messages(bound: Session) -> None:
    """A key that may only keep logs cannot reach a memory through them."""
    logs = ["session_log.append", "session_log.import", "session_log.turn.merge"]
    turns = ["session_log.turn.open", "session_log.turn.append"]
    key = await bound.memory.key({"effect": "allow", "actions": [*logs, *turns]})
    said = {"episodes": [item("I live in Lisbon.")]}
    line = json.dumps({"id": 1, **item("I live in Lisbon.")}).encode()
    await bound.ask("POST", bound.log, said, status=403, key=key)
    await bound.ask("POST", f"{bound.log}/import", line, status=403, key=key)
    await bound.ask("POST", f"{bound.log}/turns", {"turn_id": "t"}, key=key)
    await bound.ask("POST", f"{bound.log}/turns/t", said, key=key)
    await bound.ask("POST", f"{bound.log}/turns/t/merge", status=403, key=key)
    await bound.ask("POST", bound.log, {"episodes": [event("note")]}, key=key)
    assert [one["type"] for one in await bound.read()] == ["meta"]


@pytest.fixture
async def nobodys(tmp_path: Path) -> AsyncIterator[Session]:
    """A session without a user, in which something was said before there was one."""
    async with opened(tmp_path, metadata={"team": "blue"}) as made:
        await made.append(item("I live in Lisbon."), item("Noted.", "assistant"), event("e"))
        await made.append(item("I like tea.", date="2026-01-02T03:04:05Z"))
        await made.append(item("I have a dog."), item("not for views", context=False))
        await made.memory.post("/users", {"user_id": "bob"})
        yield made


async def test_a_log_that_is_bound_to_a_user_later_is_remembered_from_its_start(
    nobodys: Session,
) -> None:
    """The guide to the session log, for an application that learns only later who speaks."""
    assert not nobodys.running.rows("SELECT 1 FROM episodes")
    last_said = (await nobodys.ask("GET", nobodys.path)).json()["updated_at"]
    bound = (await nobodys.ask("PATCH", nobodys.path, {"user_id": "bob"})).json()
    assert (bound["user_id"], bound["feeds"], bound["metadata"]) == ("bob", True, {"team": "blue"})
    (after,) = await nobodys.append(item("I own a boat."))
    assert after["graph_episodes"]
    said = (await nobodys.memory.get("/threads/s/messages"))["messages"]
    assert [(one["role"], one["content"]) for one in said] == [
        ("user", "I live in Lisbon."),
        ("assistant", "Noted."),
        ("user", "I like tea."),
        ("user", "I have a dog."),
        ("user", "I own a boat."),
    ]
    times = [datetime.fromisoformat(one["created_at"]) for one in said]
    assert times == sorted(set(times)), "what was said earlier never counts as later"
    assert said[2]["created_at"].startswith("2026-01-02T03:04:05")
    assert times[2] - times[0] < timedelta(milliseconds=1)
    assert times[3] == datetime.fromisoformat(last_said)
    first = (await nobodys.read())[0]
    episode = await nobodys.memory.get(f"/graph/episodes/{first['graph_episodes'][0]}")
    assert episode["source_description"] == "session s, episode 1"
    await nobodys.memory.learn()
    edges = await nobodys.memory.listed("edge", "user/bob")
    assert any("Lisbon" in one["fact"] for one in edges)
    await nobodys.ask("PATCH", nobodys.path, {"user_id": "bob"})
    assert len((await nobodys.memory.get("/threads/s/messages"))["messages"]) == 5


@pytest.mark.parametrize("switched_off", ["created", "changed"])
async def test_feeding_that_was_off_stays_off_when_a_log_is_bound(
    tmp_path: Path, switched_off: str
) -> None:
    """Whoever wanted nothing to be remembered is not overruled by learning who speaks."""
    given = {"feeds": False} if switched_off == "created" else {}
    async with opened(tmp_path, **given) as session:
        if switched_off == "changed":
            await session.ask("PATCH", session.path, {"feeds": False})
        await session.append(item("I live in Lisbon."))
        await session.ask("PATCH", session.path, {"metadata": {"team": "blue"}})
        await session.memory.post("/users", {"user_id": "bob"})
        bound = (await session.ask("PATCH", session.path, {"user_id": "bob"})).json()
        assert (bound["user_id"], bound["feeds"]) == ("bob", False)
        await session.append(item("I own a boat."))
        assert not session.running.rows("SELECT 1 FROM episodes")


async def test_a_log_that_is_too_large_is_not_fed_at_once(
    nobodys: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its items or by their length; refused whole, with what to do."""
    for limit in ("LOG_FED_ITEMS_MAX", "LOG_FED_CHARS_MAX"):
        with monkeypatch.context() as patched:
            patched.setattr(session_feed, limit, 2)
            told = await nobodys.ask("PATCH", nobodys.path, {"user_id": "bob"}, status=409)
        assert "`feeds` false" in told.message
        assert (await nobodys.ask("GET", nobodys.path)).json()["user_id"] is None
    assert not nobodys.running.rows("SELECT 1 FROM episodes")


async def test_a_log_can_be_bound_without_feeding_what_was_said(nobodys: Session) -> None:
    """Switched on later, feeding is for what comes from then on."""
    given = {"user_id": "bob", "feeds": False}
    assert (await nobodys.ask("PATCH", nobodys.path, given)).json()["feeds"] is False
    await nobodys.ask("PATCH", nobodys.path, {"feeds": True})
    await nobodys.append(item("on"))
    said = (await nobodys.memory.get("/threads/s/messages"))["messages"]
    assert [one["content"] for one in said] == ["on"]


async def test_a_binding_that_cannot_be_changes_nothing(nobodys: Session) -> None:
    """Nobody, another's thread, a key that may not add messages, a second user."""
    await nobodys.ask("PATCH", nobodys.path, {"user_id": "nobody", "context": {}}, status=404)
    logs_only = await nobodys.memory.key({"effect": "allow", "actions": ["session_log.update"]})
    told = await nobodys.ask("PATCH", nobodys.path, {"user_id": "bob"}, status=403, key=logs_only)
    assert "thread.add_messages" in told.message
    await nobodys.memory.post("/threads", {"thread_id": "s", "user_id": "ann"})
    told = await nobodys.ask("PATCH", nobodys.path, {"user_id": "bob"}, status=400)
    assert "thread of another user" in told.message
    found = (await nobodys.ask("GET", nobodys.path)).json()
    assert (found["user_id"], found["feeds"], found["context"]) == (None, False, None)
    await nobodys.ask("PATCH", nobodys.path, {"user_id": "ann"})
    told = await nobodys.ask("PATCH", nobodys.path, {"user_id": "bob"}, status=409)
    assert "bound to 'ann'" in told.message
