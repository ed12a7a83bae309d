"""The routes of batches, as clients of generation 3 call them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.asgi import Answer, Program, program

NOBODY = "/batches/00000000-0000-7000-8000-000000000000"
MESSAGE = {"type": "thread_message", "thread_id": "talk", "content": "hi", "role": "user"}
NOTE = {"type": "graph_episode", "graph_id": "tea", "data": "Tea is hot.", "data_type": "text"}


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

    async def call(self, method: str, path: str, body: Any = b"", query: str = "") -> Any:
        """What a request that succeeds answers."""
        return (await self.send(200, method, path, body, query)).json()

    async def refused(
        self, status: int, method: str, path: str, body: Any = b"", query: str = ""
    ) -> str:
        """What a request that fails says."""
        return (await self.send(status, method, path, body, query)).message

    async def draft(self, *items: dict[str, Any], **fields: Any) -> str:
        """The path of a draft with these items."""
        path = f"/batches/{(await self.call('POST', '/batches', fields))['batch_id']}"
        if items:
            await self.call("POST", f"{path}/items", {"items": items})
        return path


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """The application with the thread `talk` of `ann` and the graph `tea` in it."""
    async with program(tmp_path) as running:
        made = Api(running)
        await made.call("POST", "/users", {"user_id": "ann"})
        await made.call("POST", "/threads", {"user_id": "ann", "thread_id": "talk"})
        await made.call("POST", "/graph/create", {"graph_id": "tea"})
        yield made


async def test_a_batch_is_created_from_an_empty_body(api: Api) -> None:
    """The Python client sends no bytes when there are no arguments."""
    made = await api.call("POST", "/batches")
    assert made["status"] == "draft"
    assert made["item_count"] == 0
    assert made["ignore_roles"] == []
    assert made["progress"]["total_items"] == 0
    assert made["progress"]["percent_complete"] == 0
    assert await api.call("GET", f"/batches/{made['batch_id']}") == made


async def test_a_batch_goes_from_draft_to_succeeded(api: Api) -> None:
    """Every step of its life answers with the state it is in."""
    path = await api.draft(ignore_roles=["assistant"], metadata={"import": 1})
    reply = {**MESSAGE, "role": "assistant", "name": "Bot"}
    added = await api.call("POST", f"{path}/items", {"items": [NOTE, MESSAGE, reply]})
    assert [item["sequence_index"] for item in added] == [0, 1, 2]
    assert [item["kind"] for item in added] == ["graph_episode", "thread_message", "thread_message"]
    assert all(item["episode_uuid"] == item["source_uuid"] for item in added)
    done = await api.call("POST", f"{path}/process")
    assert done["status"] == "queued"
    assert done["metadata"] == {"import": 1}
    await api.running.work()
    done = await api.call("GET", path)
    assert done["status"] == "succeeded"
    assert done["completed_at"]
    assert done["progress"] == {
        "total_items": 3,
        "queued_items": 0,
        "processing_items": 0,
        "succeeded_items": 2,
        "failed_items": 0,
        "skipped_items": 1,
        "canceled_items": 0,
        "percent_complete": 100.0,
    }
    note, message, skipped = (await api.call("GET", f"{path}/items"))["items"]
    assert (note["status"], note["graph_id"]) == ("succeeded", "tea")
    assert (message["thread_id"], message["user_id"]) == ("talk", "ann")
    assert message["user_uuid"]
    assert skipped["status"] == "skipped"
    found = await api.call("GET", f"/graph/episodes/{note['episode_uuid']}")
    assert found["content"] == "Tea is hot."
    history = await api.call("GET", "/threads/talk/messages")
    assert [one.get("name") for one in history["messages"]] == [None, "Bot"]


async def test_a_second_start_is_a_conflict(api: Api) -> None:
    """So are items and a deletion after the first."""
    path = await api.draft(NOTE)
    await api.call("POST", f"{path}/process")
    await api.refused(409, "POST", f"{path}/process")
    await api.refused(409, "POST", f"{path}/items", {"items": [NOTE]})
    await api.refused(409, "DELETE", path)


async def test_an_unknown_target_is_told_by_status_and_item(api: Api) -> None:
    """The answer is a summary, the item carries the error, and the batch can be deleted."""
    path = await api.draft(NOTE, {**NOTE, "graph_id": "milk"})
    done = await api.call("POST", f"{path}/process")
    assert done["status"] == "invalid"
    assert done["progress"]["failed_items"] == 1
    page = await api.call("GET", f"{path}/items", query="status=failed")
    assert page["items"][0]["error"] == {
        "code": "target_not_found",
        "message": "graph_id: graph not found: milk",
    }
    assert "next_cursor" not in page
    assert (await api.call("GET", "/graph/episodes/graph/tea"))["episodes"] == []
    assert (await api.call("DELETE", path))["message"]
    await api.refused(404, "GET", path)


@pytest.mark.parametrize(
    ("item", "named"),
    [
        (5, "items[1]: expected object"),
        ({}, "items[1].type: is required"),
        ({**NOTE, "type": "fact"}, "items[1].type: invalid enum value"),
        ({**NOTE, "data": 5}, "items[1].data: expected str"),
        ({**NOTE, "data": None}, "items[1].data: is required"),
        ({**NOTE, "data_type": "fact_triple"}, "items[1].data_type: invalid enum value"),
        ({**NOTE, "user_id": "ann"}, "items[1]: user_id and graph_id"),
        ({**NOTE, "metadata": {"deep": {}}}, "items[1].metadata.deep"),
        ({**NOTE, "document_id": "d" * 101}, "items[1].document_id"),
        ({**NOTE, "created_at": "soon"}, "items[1].created_at"),
        ({**MESSAGE, "thread_id": None}, "items[1].thread_id: is required"),
        ({**MESSAGE, "role": None}, "items[1].role: is required"),
        ({**MESSAGE, "role": "king"}, "items[1].role: invalid enum value"),
        ({**MESSAGE, "content": "x" * 4097}, "items[1].content: at most"),
    ],
)
async def test_a_wrong_item_is_named_and_nothing_is_added(api: Api, item: Any, named: str) -> None:
    """The place of the item comes first, then the field."""
    path = await api.draft()
    said = await api.refused(400, "POST", f"{path}/items", {"items": [NOTE, item]})
    assert said.startswith(named)
    assert (await api.call("GET", path))["item_count"] == 0


async def test_a_call_takes_only_so_many_items(api: Api) -> None:
    """350 are taken, one more is refused."""
    path = await api.draft()
    assert "350" in await api.refused(400, "POST", f"{path}/items", {"items": [NOTE] * 351})
    assert len(await api.call("POST", f"{path}/items", {"items": [NOTE] * 350})) == 350


async def test_lists_are_walked_by_integer_cursors(api: Api) -> None:
    """Batches newest first, items in order, each exactly once."""
    path = await api.draft(*[NOTE] * 5)
    made = [path] + [await api.draft() for _ in range(4)]
    for where, key, wanted in (
        ("/batches", "batches", list(reversed(made))),
        (f"{path}/items", "items", [0, 1, 2, 3, 4]),
    ):
        seen, cursor = [], 0
        for _ in range(3):
            page = await api.call("GET", where, query=f"limit=2&cursor={cursor}")
            seen += page[key]
            cursor = page.get("next_cursor")
        assert cursor is None
        names = [
            f"/batches/{one['batch_id']}" if key == "batches" else one["sequence_index"]
            for one in seen
        ]
        assert names == wanted


async def test_a_page_of_batches_is_short(api: Api) -> None:
    """Each is counted anew, so that however many are asked for, twenty come and the way on."""
    for _ in range(21):
        await api.draft()
    for query in ("", "limit=100"):
        page = await api.call("GET", "/batches", query=query)
        assert len(page["batches"]) == 20
        rest = await api.call("GET", "/batches", query=f"cursor={page['next_cursor']}")
        assert len(rest["batches"]) == 1


async def test_an_unknown_status_or_cursor_is_refused(api: Api) -> None:
    """The message names the parameter."""
    path = await api.draft()
    for where in ("/batches", f"{path}/items"):
        assert "status" in await api.refused(400, "GET", where, query="status=lost")
        assert "cursor" in await api.refused(400, "GET", where, query="cursor=-1")
        assert "limit" in await api.refused(400, "GET", where, query="limit=x")


async def test_an_unknown_batch_is_not_found(api: Api) -> None:
    """On every route of a batch."""
    for method, path, body in (
        ("GET", NOBODY, b""),
        ("DELETE", NOBODY, b""),
        ("GET", f"{NOBODY}/items", b""),
        ("POST", f"{NOBODY}/items", {"items": [NOTE]}),
        ("POST", f"{NOBODY}/process", b""),
    ):
        assert "batch not found" in await api.refused(404, method, path, body)


async def test_a_batch_can_be_polled_as_a_task(api: Api) -> None:
    """Its jobs carry its id, so both ways to ask tell the same."""
    path = await api.draft(NOTE)
    await api.call("POST", f"{path}/process")
    await api.running.work()
    assert (await api.call("GET", f"/tasks/{path.split('/')[-1]}"))["status"] == "succeeded"
