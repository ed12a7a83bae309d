"""The routes of document collections, as clients of generation 2 call them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.asgi import Answer, Program, program

DRINKS = "/collections/drinks"
DOCUMENTS = f"{DRINKS}/documents"
NOBODY = "00000000-0000-7000-8000-000000000000"


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

    async def fill(self) -> list[str]:
        """Two documents in `drinks`, by uuid."""
        sent = [{"content": f"About {name}.", "document_id": name} for name in ("tea", "milk")]
        uuids: list[str] = (await self.call("POST", DOCUMENTS, sent))[0]
        return uuids


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """The application with the collection `drinks` in it."""
    async with program(tmp_path) as running:
        made = Api(running)
        sent = {"description": "Hot ones", "metadata": {"shelf": 3}}
        assert (await made.call("POST", DRINKS, sent))["message"]
        yield made


async def test_collections_are_a_list_of_lists(api: Api) -> None:
    """The client declares the nesting, so the answer has it."""
    await api.call("POST", "/collections/books")
    ((drinks, books),) = await api.call("GET", "/collections")
    assert (drinks["name"], books["name"]) == ("drinks", "books")
    assert drinks == await api.call("GET", DRINKS)
    assert drinks["metadata"] == {"shelf": 3}
    assert drinks["document_count"] == 0


async def test_a_taken_or_bad_name_is_400(api: Api) -> None:
    """409 would make this client retry for a quarter of a minute."""
    assert "collection_name" in await api.refused(400, "POST", DRINKS, {})
    assert "collection_name" in await api.refused(400, "POST", "/collections/a%2Fb", {})


async def test_a_collection_is_updated_and_deleted(api: Api) -> None:
    """What is absent stays; after the deletion every route says 404."""
    await api.fill()
    await api.call("PATCH", DRINKS, {"metadata": {"row": 1}})
    found = await api.call("GET", DRINKS)
    assert found["description"] == "Hot ones"
    assert found["metadata"] == {"shelf": 3, "row": 1}
    assert (await api.call("DELETE", DRINKS))["message"]
    for method, path, body in (
        ("GET", DRINKS, b""),
        ("PATCH", DRINKS, {}),
        ("DELETE", DRINKS, b""),
        ("POST", DOCUMENTS, [{"content": "x"}]),
        ("POST", f"{DOCUMENTS}/batchGet", {"uuids": [NOBODY]}),
        ("POST", f"{DOCUMENTS}/batchDelete", [NOBODY]),
        ("PATCH", f"{DOCUMENTS}/batchUpdate", [{"uuid": NOBODY}]),
        ("GET", f"{DOCUMENTS}/uuid/{NOBODY}", b""),
    ):
        assert "collection not found" in await api.refused(404, method, path, body)


async def test_documents_are_added_as_a_bare_array(api: Api) -> None:
    """Their uuids come back in the order given, in a list of lists."""
    tea, milk = await api.fill()
    found = await api.call("GET", f"{DOCUMENTS}/uuid/{tea}")
    assert (found["uuid"], found["document_id"]) == (tea, "tea")
    assert found["content"] == "About tea."
    assert (await api.call("GET", f"{DOCUMENTS}/uuid/{milk}"))["document_id"] == "milk"
    assert (await api.call("GET", DRINKS))["document_count"] == 2


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"", "body"),
        ({}, "body"),
        (b"[]", "documents"),
        ([{}], "content: is required"),
        ([{"content": "x"}, {"content": ""}], "documents[1].content"),
        ([{"content": "x", "document_id": "a/b"}], "documents[0].document_id"),
        ([{"content": "x", "document_id": "a"}] * 2, "documents[1].document_id"),
    ],
)
async def test_wrong_documents_are_refused_whole(api: Api, body: Any, named: str) -> None:
    """The message names the document and the field, and nothing is stored."""
    assert named in await api.refused(400, "POST", DOCUMENTS, body)
    assert (await api.call("GET", DRINKS))["document_count"] == 0


async def test_documents_are_read_together(api: Api) -> None:
    """By uuid, by id, or both; asking for nothing is refused."""
    tea, milk = await api.fill()
    for sent, wanted in (
        ({"uuids": [milk, tea]}, [milk, tea]),
        ({"document_ids": ["tea", "cola"]}, [tea]),
        ({"uuids": [tea], "document_ids": ["tea", "milk"]}, [tea, milk]),
        ({"uuids": [NOBODY]}, []),
    ):
        (found,) = await api.call("POST", f"{DOCUMENTS}/batchGet", sent)
        assert [one["uuid"] for one in found] == wanted
    assert "documents" in await api.refused(400, "POST", f"{DOCUMENTS}/batchGet", {})


async def test_documents_are_changed_singly_and_together(api: Api) -> None:
    """The id and the metadata change, the text stays."""
    tea, milk = await api.fill()
    await api.call("PATCH", f"{DOCUMENTS}/uuid/{tea}", {"document_id": "green tea"})
    await api.call("PATCH", f"{DOCUMENTS}/batchUpdate", [{"uuid": milk, "metadata": {"hot": True}}])
    changed = await api.call("GET", f"{DOCUMENTS}/uuid/{tea}")
    assert (changed["document_id"], changed["content"]) == ("green tea", "About tea.")
    changed = await api.call("GET", f"{DOCUMENTS}/uuid/{milk}")
    assert (changed["document_id"], changed["metadata"]) == ("milk", {"hot": True})
    sent = {"document_id": "milk"}
    assert "document_id" in await api.refused(400, "PATCH", f"{DOCUMENTS}/uuid/{tea}", sent)
    await api.refused(404, "PATCH", f"{DOCUMENTS}/uuid/{NOBODY}", {})
    assert "uuid: is required" in await api.refused(400, "PATCH", f"{DOCUMENTS}/batchUpdate", [{}])


async def test_documents_are_deleted_singly_and_together(api: Api) -> None:
    """One that is gone is 404 alone, and no error in a list."""
    tea, milk = await api.fill()
    await api.call("DELETE", f"{DOCUMENTS}/uuid/{tea}")
    await api.refused(404, "DELETE", f"{DOCUMENTS}/uuid/{tea}")
    said = await api.call("POST", f"{DOCUMENTS}/batchDelete", [tea, milk])
    assert said["message"] == "1 documents deleted"
    assert (await api.call("GET", DRINKS))["document_count"] == 0
