"""What was said before in a talk of memory clients, who have sessions in place of threads."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.extract.brief import Brief
from recollect.graph.types import Access, Job
from recollect.ingest.briefing import brief
from recollect.limits import TURNS_BEFORE_MAX
from recollect.records import episodes
from recollect.store.protocol import Transaction
from tests.support.memory import Memory, remembering

NAMED = {"org_id": "universal", "project_id": "g"}


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """The application with a graph `g`."""
    async with remembering(tmp_path / "data") as made:
        yield made


async def say(memory: Memory, content: str, session: Any = None, **fields: Any) -> None:
    """A message of a session."""
    metadata = {} if session is None else {"session_id": session}
    metadata |= fields.pop("metadata", {})
    message = {"content": content, "metadata": metadata, **fields}
    await memory.post("/memories", {**NAMED, "messages": [message]})


async def readings(memory: Memory) -> dict[str, Brief]:
    """How every message would be read now."""
    ((project_id, project_uuid),) = memory.running.rows("SELECT id, uuid FROM projects")
    access = Access(project_id=project_id, project_uuid=project_uuid, key_uuid="")
    owed = memory.running.rows(
        "SELECT j.id, j.graph_id, e.uuid FROM jobs j JOIN episodes e ON e.id = j.id"
    )

    def read(tx: Transaction) -> list[tuple[Job, Brief]]:
        jobs = [
            Job(
                id=number,
                graph_id=graph_id,
                episode=episodes.get(tx, access, uuid),
                task_uuid="",
                attempts=0,
            )
            for number, graph_id, uuid in owed
        ]
        return brief(tx, owed[0][1], jobs, wants_known=False)

    found = await memory.running.services.store.read(read)
    return {reading.content: reading for _, reading in found}


def before(reading: Brief) -> list[str]:
    """What was said before."""
    return [turn.content for turn in reading.before]


async def test_a_talk_is_what_has_the_same_session(memory: Memory) -> None:
    """By its value and its kind; those that name none are one talk."""
    talks: list[tuple[str, Any]] = [
        *(("a1", "s1"), ("b1", "s2"), ("c1", None), ("d1", 1), ("e1", "1")),
        *(("a2", "s1"), ("b2", "s2"), ("c2", None), ("d2", 1), ("e2", "1")),
    ]
    for content, session in talks:
        await say(memory, content, session)
    found = await readings(memory)
    for letter in "abcde":
        assert before(found[f"{letter}1"]) == []
        assert before(found[f"{letter}2"]) == [f"{letter}1"]


async def test_a_talk_is_that_of_one_user(memory: Memory) -> None:
    """Users name their sessions alike, or not at all; neither was there when the other spoke."""
    for turn in ("1", "2"):
        for user in ("ann", "bo", 1, "1"):
            for session in (None, "default"):
                await say(memory, f"{user!r} {session} {turn}", session, metadata={"user_id": user})
    found = await readings(memory)
    assert len(found) == 16
    for content, reading in found.items():
        expected = [] if content.endswith("1") else [f"{content[:-1]}1"]
        assert before(reading) == expected


async def test_the_newest_turns_come_with_who_spoke(memory: Memory) -> None:
    """No more of them than of a thread, oldest first; whom a message is for is told, too."""
    for number in range(TURNS_BEFORE_MAX + 2):
        await say(memory, str(number), "s1", producer=f"speaker {number}", role="system")
    await say(memory, "last", "s1", produced_for="Ann")
    last = (await readings(memory))["last"]
    assert before(last) == [str(number) for number in range(2, TURNS_BEFORE_MAX + 2)]
    assert (last.before[-1].speaker, last.before[-1].role) == (
        f"speaker {TURNS_BEFORE_MAX + 1}",
        "system",
    )
    assert last.addressee == "Ann"


async def test_what_other_clients_added_is_no_part_of_a_talk(memory: Memory) -> None:
    """Data of the same graph was said by nobody, in no conversation."""
    data = {"graph_id": "g", "type": "text", "data": "some data"}
    await memory.post("/graph", data)
    await say(memory, "hello")
    await memory.post("/graph", {**data, "type": "message", "data": "Bo: more data"})
    found = await readings(memory)
    assert [before(reading) for reading in found.values()] == [[], [], []]


async def test_a_talk_is_cut_where_not_everybody_sees_the_same(memory: Memory) -> None:
    """What a key sees of a message must not come from one that it does not see."""
    await memory.key({"effect": "allow", "actions": ["readonly"], "attributes": {"team": ["red"]}})
    await say(memory, "red 1", "s1", metadata={"team": "red"})
    await say(memory, "blue 1", "s1", metadata={"team": "blue"})
    await say(memory, "red 2", "s1", metadata={"team": "red"})
    found = await readings(memory)
    assert before(found["red 2"]) == ["red 1"]
    assert before(found["blue 1"]) == []
