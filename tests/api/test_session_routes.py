"""What clients of generation 2 ask about a session as a whole."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.asgi import Answer, Program, program

TRIP = [
    {"role_type": "user", "role": "Ann", "content": "I want to book a flight to Lisbon in June."},
    {"role_type": "assistant", "role": "Bot", "content": "Which airport do you start from?"},
    {
        "role_type": "user",
        "role": "Ann",
        "content": "From Berlin. My email is ann@example.com. Is it warm in Lisbon in June?",
    },
]
CLASSES = ["travel", "cooking", "software bugs"]
SCHEMA = json.dumps(
    {
        "properties": {
            "email": {"zep_type": "ZepEmail", "description": "The e-mail address"},
            "phone": {"zep_type": "ZepPhoneNumber", "description": "The phone number"},
        }
    }
)


class Api:
    """Calls below `/api/v2` that say what status they expect."""

    def __init__(self, running: Program) -> None:
        self.running = running

    async def send(
        self, status: int, method: str, path: str, body: Any = b"", query: str = ""
    ) -> Answer:
        """One request and its whole answer."""
        answer = await self.running.send(method, "/api/v2" + path, body, query=query)
        assert answer.status == status, answer.body
        return answer

    async def get(self, path: str, query: str = "") -> Any:
        """What a read answers."""
        return (await self.send(200, "GET", path, query=query)).json()

    async def post(self, path: str, body: Any) -> Any:
        """What a write answers."""
        return (await self.send(200, "POST", path, body)).json()

    async def refused(self, status: int, path: str, body: Any) -> str:
        """What a write that fails says."""
        return (await self.send(status, "POST", path, body)).message


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """The application with a session about a trip, and one in which nothing was said."""
    async with program(tmp_path) as running:
        made = Api(running)
        await made.post("/users", {"user_id": "ann", "first_name": "Ann"})
        for session_id in ("trip", "silent"):
            await made.post("/sessions", {"session_id": session_id, "user_id": "ann"})
        await made.post("/sessions/trip/memory", {"messages": TRIP})
        yield made


async def test_a_session_is_put_in_the_nearest_class(api: Api) -> None:
    """The class comes back under the name of the question."""
    found = await api.post("/sessions/trip/classify", {"name": "topic", "classes": CLASSES})
    assert found == {"class": "travel", "label": "topic"}
    assert "classifications" not in await api.get("/sessions/trip")


async def test_a_class_is_written_down_if_that_is_wanted(api: Api) -> None:
    """Next to the classes of other questions and to the caller's own metadata."""
    await api.send(200, "PATCH", "/sessions/trip", {"metadata": {"own": 1, "system": {"a": 2}}})
    for name in ("topic", "again"):
        body = {"name": name, "classes": CLASSES, "persist": True}
        await api.post("/sessions/trip/classify", body)
    found = await api.get("/sessions/trip")
    classes = {"topic": "travel", "again": "travel"}
    assert found["classifications"] == classes
    assert found["metadata"] == {"own": 1, "system": {"a": 2, "classes": classes}}


async def test_only_the_last_messages_count(api: Api) -> None:
    """As many as asked for."""
    recipe = {"role_type": "user", "content": "Now: how long do I bake a cake in the oven?"}
    await api.post("/sessions/trip/memory", {"messages": [recipe]})
    body = {"name": "topic", "classes": CLASSES, "last_n": 1}
    assert (await api.post("/sessions/trip/classify", body))["class"] == "cooking"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"classes": []}, "classes:"),
        ({"classes": ["x"] * 101}, "classes:"),
        ({"classes": ["x", " "]}, "classes[1]:"),
        ({"classes": ["x" * 201]}, "classes[0]:"),
        ({"name": ""}, "name:"),
        ({"instruction": "x" * 2001}, "instruction:"),
        ({"last_n": -1}, "last_n:"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_classes_out_of_bounds_are_refused_by_field(
    api: Api, change: dict[str, Any], field: str
) -> None:
    """Alone, and as part of an end, which does not come then."""
    body = {"name": "topic", "classes": CLASSES, **change}
    assert (await api.refused(400, "/sessions/trip/classify", body)).startswith(field)
    said = await api.refused(400, "/sessions/trip/end", {"classify": body})
    assert said.startswith(f"classify.{field}")
    assert "ended_at" not in await api.get("/sessions/trip")


async def test_a_session_can_be_classified_as_it_ends(api: Api) -> None:
    """One in which nothing was said ends all the same, without a class."""
    body = {"classify": {"name": "topic", "classes": CLASSES}, "instruction": "What is it about"}
    ended = await api.post("/sessions/trip/end", body)
    assert ended["classification"] == {"class": "travel", "label": "topic"}
    assert ended["session"]["ended_at"]
    silent = await api.post("/sessions/silent/end", body)
    assert "classification" not in silent
    assert silent["session"]["ended_at"]
    said = await api.refused(400, "/sessions/silent/classify", body["classify"])
    assert said.startswith("session_id:")


async def test_fields_are_read_out_of_a_session(api: Api) -> None:
    """What was said is answered as text; what was not said is not answered."""
    body = {"last_n": 10, "model_schema": SCHEMA}
    assert await api.post("/sessions/trip/extract", body) == {"email": "ann@example.com"}
    assert await api.post("/sessions/silent/extract", body) == {}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"model_schema": ""}, "model_schema:"),
        ({"model_schema": "{"}, "model_schema:"),
        ({"model_schema": "{}"}, "model_schema.properties:"),
        ({"model_schema": '{"properties": {"a": {}}}'}, "model_schema.properties.a.zep_type:"),
        ({"current_date_time": "today"}, "current_date_time:"),
        ({"last_n": None}, "last_n:"),
    ],
    ids=str,
)
async def test_a_schema_out_of_shape_is_refused_by_field(
    api: Api, change: dict[str, Any], field: str
) -> None:
    """Also for a session that says nothing."""
    body = {"last_n": 10, "model_schema": SCHEMA, **change}
    for session_id in ("trip", "silent"):
        said = await api.refused(400, f"/sessions/{session_id}/extract", body)
        assert said.startswith(field), said


async def test_a_session_has_one_summary_once_something_was_said(api: Api) -> None:
    """It is short, and names the messages it is made of."""
    found = await api.get("/sessions/trip/summary")
    assert (found["row_count"], found["total_count"]) == (1, 1)
    (summary,) = found["summaries"]
    assert "Lisbon" in summary["content"]
    assert len(summary["content"]) <= 1000
    messages = (await api.get("/sessions/trip/messages"))["messages"]
    assert summary["related_message_uuids"] == [message["uuid"] for message in messages]
    assert await api.get("/sessions/silent/summary") == {
        "summaries": [],
        "row_count": 0,
        "total_count": 0,
    }


async def test_the_question_of_a_session_is_its_last_one(api: Api) -> None:
    """Of the user, not of the assistant; a silent session has none."""
    found = await api.get("/sessions/trip/synthesize_question")
    assert "Lisbon" in found["question"]
    assert found["question"].endswith("?")
    assert await api.get("/sessions/silent/synthesize_question") == {"question": ""}
    one = await api.get("/sessions/trip/synthesize_question", "lastNMessages=1")
    assert one["question"].endswith("?")


async def test_nothing_is_known_of_a_session_that_is_not_there(api: Api) -> None:
    """Every route says so."""
    asked = {"name": "topic", "classes": CLASSES}
    fields = {"last_n": 4, "model_schema": SCHEMA}
    await api.refused(404, "/sessions/nothing/classify", asked)
    await api.refused(404, "/sessions/nothing/end", {"classify": asked})
    await api.refused(404, "/sessions/nothing/extract", fields)
    for path in ("facts", "summary", "synthesize_question"):
        await api.send(404, "GET", f"/sessions/nothing/{path}")
