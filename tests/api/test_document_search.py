"""Searching a collection: by words, by meaning, by metadata; bounded, and blind to what is gone."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.search import documents
from tests.support.asgi import Program, program

SHELF = "/api/v2/collections/manual"
TEXTS = {
    "refund": "Refunds are paid within 14 days to the card that was charged.",
    "office": "Our office in Hamburg opens at nine and closes at five.",
    "router": "To reset the router hold the small button for ten seconds.",
    "tea": "Green tea should be brewed at eighty degrees for two minutes.",
    "chain": "A bicycle chain needs oil about every two hundred kilometres.",
}


class Shelf:
    """A collection and what is asked of it."""

    def __init__(self, running: Program) -> None:
        self.running = running

    async def fill(self, texts: dict[str, str], **metadata: Any) -> None:
        """Documents under ids of their own."""
        sent = [
            {"content": text, "document_id": name, "metadata": {"name": name, **metadata}}
            for name, text in texts.items()
        ]
        answer = await self.running.send("POST", f"{SHELF}/documents", sent)
        assert answer.status == 200, answer.body

    async def search(self, query: str = "", **body: Any) -> Any:
        """What a search answers."""
        answer = await self.running.send("POST", f"{SHELF}/search", body, query=query)
        assert answer.status == 200, answer.body
        return answer.json()

    async def names(self, query: str = "", **body: Any) -> list[str]:
        """The ids of what a search finds, best first."""
        return [hit["document_id"] for hit in (await self.search(query, **body))["results"]]

    async def refused(self, **body: Any) -> str:
        """What a search says that is refused."""
        answer = await self.running.send("POST", f"{SHELF}/search", body)
        assert answer.status == 400, answer.body
        return answer.message

    async def embedded(self) -> int:
        """How many documents have a vector."""
        found: int = (await self.running.send("GET", SHELF)).json()["document_embedded_count"]
        return found


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    """An empty collection."""
    async with program(tmp_path) as running:
        assert (await running.send("POST", SHELF, {})).status == 200
        yield Shelf(running)


async def test_a_document_is_found_by_its_words(shelf: Shelf) -> None:
    """Scores lie between 0 and 1 and fall; the page says how many there are."""
    await shelf.fill(TEXTS)
    found = await shelf.search(text="resetting a router")
    assert found["results"][0]["document_id"] == "router"
    assert found["results"][0]["content"] == TEXTS["router"]
    scores = [hit["score"] for hit in found["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    assert found["result_count"] == len(found["results"])
    assert (found["total_pages"], found["current_page"]) == (1, 1)


async def test_a_document_is_found_by_what_it_means(shelf: Shelf) -> None:
    """No word of the question is in it."""
    await shelf.fill(TEXTS)
    assert (await shelf.names(text="how do I get my money back"))[0] == "refund"
    assert (await shelf.names(text="maintenance for my cycle"))[0] == "chain"


async def test_vectors_are_made_once_by_the_first_search(shelf: Shelf) -> None:
    """Before it there are none; the same search answers the same afterwards."""
    await shelf.fill(TEXTS)
    assert await shelf.embedded() == 0
    first = await shelf.search(text="hot drinks")
    assert await shelf.embedded() == len(TEXTS)
    again = await shelf.search(text="hot drinks")
    assert [hit["document_id"] for hit in again["results"]] == [
        hit["document_id"] for hit in first["results"]
    ]
    assert again["results"][0]["is_embedded"] is True
    assert again["results"][0]["score"] == pytest.approx(first["results"][0]["score"], abs=1e-3)


async def test_a_search_makes_a_bounded_number_of_vectors(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that fit best by their words come first, and each search goes on with the rest."""
    monkeypatch.setattr(documents, "DOCUMENT_VECTOR_CHARS_PER_SEARCH", 150)
    await shelf.fill(TEXTS)
    assert (await shelf.names(text="bicycle chain"))[0] == "chain"
    first = await shelf.embedded()
    assert 0 < first < len(TEXTS)
    await shelf.search(text="bicycle chain")
    assert first < await shelf.embedded()


async def test_metadata_narrows_before_the_limit(shelf: Shelf) -> None:
    """The one that passes is found although others fit better."""
    await shelf.fill(TEXTS)
    found = await shelf.names("limit=1", text="reset the router", metadata={"name": "tea"})
    assert found == ["tea"]
    assert await shelf.names(text="router", metadata={"name": "nothing"}) == []
    assert await shelf.names(text="router", metadata={"missing": None, "name": "tea"}) == ["tea"]


async def test_metadata_alone_lists_what_has_it(shelf: Shelf) -> None:
    """In the order they were added."""
    await shelf.fill({"one": "First.", "two": "Second."}, kind="a")
    await shelf.fill({"three": "Third."}, kind="b")
    assert await shelf.names(metadata={"kind": "a"}) == ["one", "two"]
    assert await shelf.names("limit=1", metadata={"kind": "a"}) == ["one"]


async def test_a_limit_and_a_least_score_are_kept(shelf: Shelf) -> None:
    """At most so many, and none below the mark."""
    await shelf.fill(TEXTS)
    found = (await shelf.search(text="green tea"))["results"]
    assert await shelf.names("limit=2", text="green tea") == [h["document_id"] for h in found][:2]
    mark = found[0]["score"]
    assert await shelf.names(text="green tea", min_score=mark - 1e-3) == ["tea"]
    assert await shelf.names(text="green tea", min_score=1.01) == []


async def test_mmr_puts_something_else_before_a_copy(shelf: Shelf) -> None:
    """By similarity the copies come first, with mmr only one of them does."""
    await shelf.fill({"copy": TEXTS["tea"], **TEXTS})
    assert set(await shelf.names("limit=2", text="green tea")) == {"copy", "tea"}
    varied = await shelf.names("limit=2", text="green tea", search_type="mmr", mmr_lambda=0.3)
    assert len({"copy", "tea"} & set(varied)) == 1
    plain = await shelf.names("limit=2", text="green tea", search_type="mmr", mmr_lambda=1)
    assert set(plain) == {"copy", "tea"}


async def test_a_blank_text_finds_nothing(shelf: Shelf) -> None:
    """It is no error either; in a collection that is not there it is."""
    await shelf.fill(TEXTS)
    assert await shelf.names(text="  ") == []
    gone = await shelf.running.send("POST", "/api/v2/collections/other/search", {"text": " "})
    assert gone.status == 404


async def test_what_is_deleted_is_not_found(shelf: Shelf) -> None:
    """Neither a document nor anything of a collection that was."""
    await shelf.fill(TEXTS)
    hit = (await shelf.search(text="green tea"))["results"][0]
    await shelf.running.send("DELETE", f"{SHELF}/documents/uuid/{hit['uuid']}")
    assert "tea" not in await shelf.names(text="green tea")
    assert await shelf.embedded() == len(TEXTS) - 1
    await shelf.running.send("DELETE", SHELF)
    await shelf.running.send("POST", SHELF, {})
    assert await shelf.names(text="green tea") == []
    assert shelf.running.rows("SELECT count(*) FROM document_vectors") == [(0,)]


async def test_a_collection_is_searched_over_several_pages(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last document counts as much as the first."""
    monkeypatch.setattr("recollect.search.documents.DOCUMENTS_PER_PAGE", 2)
    await shelf.fill(TEXTS)
    assert (await shelf.names(text="oil for the bicycle chain"))[0] == "chain"
    assert len(await shelf.names(text="tea")) == len(await shelf.names("limit=50", text="tea"))


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "text"),
        ({"min_score": 0.5}, "text"),
        ({"text": "a", "search_type": "best"}, "search_type"),
        ({"text": "a", "search_type": "mmr", "mmr_lambda": 2}, "mmr_lambda"),
        ({"text": "a", "metadata": {"where": {"jsonpath": "$"}}}, "metadata.where"),
        ({"text": "a", "metadata": {"tags": ["x"]}}, "metadata.tags"),
        ({"text": 5}, "text"),
    ],
)
async def test_a_wrong_search_is_refused_by_name(
    shelf: Shelf, body: dict[str, Any], named: str
) -> None:
    """The message says which field, and what it may be."""
    assert named in await shelf.refused(**body)
