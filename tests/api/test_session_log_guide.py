"""The guide to the episodic session log on the server: its sections, over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.session_log import Json, Session, item, opened

BOUNDARY: Json = {
    "meta": {"source": "runtime", "turnId": "t1"},
    "payload": {"content": "It stopped.", "reason": "interrupt", "title": "turn interrupted"},
    "type": "boundary",
}
USAGE: Json = {
    "meta": {"source": "runtime", "turnId": "t1"},
    "payload": {
        "data": {"inputTokens": 120, "outputTokens": 24, "totalTokens": 144},
        "event": "turn.usage",
    },
    "type": "meta",
}


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    """A session of nobody."""
    async with opened(tmp_path) as made:
        yield made


async def test_episode_types_the_objects_of_the_section_are_stored_as_they_are(
    session: Session,
) -> None:
    """Sections "Episode types" and "Querying"."""
    said = item("Remember that the user prefers concise answers.", turnId="t1")
    stored = await session.append(said, BOUNDARY, USAGE)
    assert stored == [{"id": n, **one} for n, one in enumerate((said, BOUNDARY, USAGE), 1)]
    assert await session.ids("limit=6&type=item") == [1]
    assert await session.ids("turn_id=t1") == [1, 2, 3]
    assert await session.ids("limit=0") == []


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"id": 7}, "episodes[0]: object contains unknown field id"),
        ({"data": {}}, "episodes[0]: object contains unknown field data"),
        ({"meta": {"turn_id": "t1"}}, "episodes[0].meta: meta.turn_id is written turnId"),
        ({"meta": {"source": "nobody"}}, "episodes[0].meta: meta.source is one of"),
        ({"type": "note"}, "episodes[0].type"),
    ],
)
async def test_what_is_not_understood_is_an_error(session: Session, wrong: Json, why: str) -> None:
    """Never ignored, and nothing of the call is stored."""
    sent = {"episodes": [{**BOUNDARY, **wrong}]}
    assert (await session.ask("POST", session.log, sent, status=400)).message.startswith(why)
    assert await session.ids() == []


async def test_neither_is_a_query(session: Session) -> None:
    """The filters are called as other parameters of this API are."""
    for query in ("turnId=t1", "fromId=0", "kind=item"):
        name = query.partition("=")[0]
        told = (await session.ask("GET", session.log, query=query, status=400)).message
        assert told == f"query: object contains unknown field {name}"
    await session.ask("GET", session.log, query="type=items", status=400)


async def shown(session: Session, **asked: Any) -> list[Any]:
    """What a model is shown of the open turn."""
    path = f"{session.log}/turns/t/assemble"
    items: list[Any] = (await session.ask("POST", path, asked)).json()["items"]
    return items


async def test_model_input_assembly_of_the_current_turn_without_any_budget(
    session: Session,
) -> None:
    """Section "Model input assembly"."""
    await session.append(item("old"))
    await session.open()
    await session.append(item("now"), turn="t")
    items = await shown(session, context_length=100, max_output_tokens=100)
    assert [one["content"] for one in items] == ["now"]


async def test_model_input_assembly_of_tool_outputs(session: Session) -> None:
    """A list is shortened as a text is, and of two outputs for one call the later counts."""
    await session.open()
    call = {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"}
    early = {"type": "function_call_output", "call_id": "1", "output": "running"}
    late = {**early, "output": [{"type": "input_text", "text": "x" * 9_000}]}
    lines = [{"type": "item", "payload": {"item": one}} for one in (call, early, late)]
    await session.append(*lines, turn="t")
    first, second = await shown(session)
    assert first == call
    assert "(truncated: 1000 chars omitted)" in second["output"][0]["text"]


async def test_serialization_a_state_of_the_old_format_says_what_it_is(session: Session) -> None:
    """Section "Serialization": it is a bad line, and the answer tells what to do with it."""
    answer = await session.ask("POST", f"{session.log}/import", b'{"context":{},"items":[]}')
    assert answer.json()["bad_lines"] == 1
    assert "append its items" in answer.json()["errors"][0]
