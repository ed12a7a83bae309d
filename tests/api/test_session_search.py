"""Searching sessions as clients of generation 2 do: messages, facts and summaries, each narrowed."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.graph.types import ThreadSummary
from recollect.search.finder import Finder
from recollect.search.query import Hit
from tests.support.asgi import Program, program

TRIP = [
    {
        "role_type": "user",
        "content": "I booked a flight to Lisbon.",
        "metadata": {"topic": "travel"},
    },
    {"role_type": "assistant", "content": "Which hotel in Lisbon do you like?"},
]
FOOD = [
    {"role_type": "user", "content": "The best custard tarts are in Lisbon.", "metadata": {"n": 1}}
]


class Api:
    """Calls below `/api/v2` and the searches among them."""

    def __init__(self, running: Program) -> None:
        self.running = running

    async def post(self, path: str, body: Any, query: str = "", status: int = 200) -> Any:
        """One request that must end with *status*."""
        answer = await self.running.send("POST", "/api/v2" + path, body, query=query)
        assert answer.status == status, answer.body
        return answer.json()

    async def search(self, query: str = "", **body: Any) -> list[dict[str, Any]]:
        """The results of a search over sessions."""
        results: list[dict[str, Any]] = (await self.post("/sessions/search", body, query))[
            "results"
        ]
        return results

    async def refused(self, status: int, **body: Any) -> str:
        """What a search over sessions says that fails."""
        message: str = (await self.post("/sessions/search", body, status=status))["message"]
        return message


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """Ann with two sessions and a note in her graph, Bob with one session, all read."""
    async with program(tmp_path) as running:
        made = Api(running)
        for user_id, sessions in (("ann", ("trip", "food")), ("bob", ("work",))):
            await made.post("/users", {"user_id": user_id, "first_name": user_id.title()})
            for session_id in sessions:
                await made.post("/sessions", {"session_id": session_id, "user_id": user_id})
        await made.post("/sessions/trip/memory", {"messages": TRIP})
        await made.post("/sessions/food/memory", {"messages": FOOD})
        work = [{"role_type": "user", "content": "My office moves to Lisbon."}]
        await made.post("/sessions/work/memory", {"messages": work})
        note = {"type": "text", "data": "A note about Lisbon.", "user_id": "ann"}
        await made.post("/graph", note)
        facts = [{"fact": "Ann wants a window seat to Lisbon."}]
        await made.post("/sessions/trip/facts", {"facts": facts})
        await running.work()
        yield made


def said(results: list[dict[str, Any]]) -> set[str]:
    return {hit["message"]["content"] for hit in results}


async def test_messages_of_a_users_sessions_are_found_and_nothing_else(api: Api) -> None:
    """Not what was added to the graph directly, and not what others say."""
    found = await api.search(text="Lisbon", user_id="ann")
    assert said(found) == {m["content"] for m in (*TRIP, *FOOD)}
    assert {hit["session_id"] for hit in found} == {"trip", "food"}
    assert all(hit["score"] is not None for hit in found)


async def test_sessions_narrow_inside_the_search(api: Api) -> None:
    """With a limit of one, a hit of another session takes no place."""
    for session_id in ("trip", "food"):
        found = await api.search("limit=1", text="tarts in Lisbon", session_ids=[session_id])
        assert [hit["session_id"] for hit in found] == [session_id]


async def test_sessions_of_several_users_are_searched_together(api: Api) -> None:
    """Best first over all of them."""
    found = await api.search(text="Lisbon", session_ids=["food", "work", "food"])
    assert {hit["session_id"] for hit in found} == {"food", "work"}
    scores = [hit["score"] for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert len(await api.search("limit=1", text="Lisbon", session_ids=["food", "work"])) == 1


async def test_a_record_filter_asks_for_equal_metadata(api: Api) -> None:
    """A text is not a number, and every name must agree."""
    found = await api.search(text="Lisbon", user_id="ann", record_filter={"topic": "travel"})
    assert said(found) == {TRIP[0]["content"]}
    assert await api.search(text="Lisbon", user_id="ann", record_filter={"n": "1"}) == []
    both = {"topic": "travel", "n": 1}
    assert await api.search(text="Lisbon", user_id="ann", record_filter=both) == []


async def test_facts_come_with_the_session_that_told_them(api: Api) -> None:
    """A fact of another session is not among them."""
    found = await api.search(text="window seat", session_ids=["trip"], search_scope="facts")
    assert [(hit["session_id"], hit["fact"]["fact"]) for hit in found] == [
        ("trip", "Ann wants a window seat to Lisbon.")
    ]
    assert await api.search(text="window", session_ids=["food"], search_scope="facts") == []
    whole = await api.search(text="window seat", user_id="ann", search_scope="facts")
    assert whole[0]["session_id"] == "trip"


async def test_summaries_are_those_of_the_sessions(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are ranked before the limit cuts, and sessions narrow by their own metadata."""
    limits = []

    async def find(finder: Finder, access: Any, graph: Any, query: Any) -> list[Hit[Any]]:
        limits.append(query.limit)
        now = api.running.services.clock()
        made = [
            ThreadSummary(
                id=n,
                uuid=name,
                graph_id=1,
                thread_id=name,
                summary=name,
                created_at=now,
                updated_at=now,
            )
            for n, name in enumerate(("trip", "food"))
        ]
        return [Hit(item=one, score=1 - one.id / 2) for one in made]

    monkeypatch.setattr(Finder, "find", find)
    found = await api.search("limit=1", text="x", session_ids=["food"], search_scope="summary")
    assert [(hit["session_id"], hit["summary"]["content"]) for hit in found] == [("food", "food")]
    assert limits[0] >= 2
    tagged = {"record_filter": {"tag": 1}, "search_scope": "summary"}
    assert await api.search(text="x", user_id="ann", **tagged) == []
    await api.running.send("PATCH", "/api/v2/sessions/food", {"metadata": {"tag": 1}})
    (hit,) = await api.search(text="x", user_id="ann", **tagged)
    assert hit["session_id"] == "food"


async def test_one_session_answers_a_bare_list(api: Api) -> None:
    """Messages with their metadata; a fact with the sentence it is."""
    found = await api.post("/sessions/trip/search", {"text": "flight to Lisbon"})
    assert found[0]["message"]["content"] == TRIP[0]["content"]
    assert found[0]["metadata"] == {"topic": "travel"}
    assert said(found) <= {m["content"] for m in TRIP}
    narrowed = {"text": "Lisbon", "metadata": {"topic": "travel"}}
    assert len(await api.post("/sessions/trip/search", narrowed)) == 1
    (fact,) = await api.post("/sessions/trip/search", {"text": "seat", "search_scope": "facts"})
    assert fact["fact"]["fact"] == "Ann wants a window seat to Lisbon."


async def test_a_blank_text_finds_nothing(api: Api) -> None:
    """But a session that is not there is an error."""
    assert await api.search(text=" ", user_id="ann") == []
    assert await api.post("/sessions/trip/search", {"text": ""}) == []
    await api.post("/sessions/nobody/search", {"text": ""}, status=404)


async def test_what_is_missing_is_named(api: Api) -> None:
    """A user, a session, a text."""
    message = await api.refused(400, text="a")
    assert "user_id" in message
    assert "session_ids" in message
    assert "user_id" in await api.refused(400, text="a", session_ids=[])
    assert "nobody" in await api.refused(404, text="a", session_ids=["trip", "nobody"])
    await api.refused(404, text="a", user_id="nobody")
    await api.refused(404, text="a", user_id="nobody", session_ids=["trip"])
    assert "trip" in await api.refused(400, text="a", user_id="bob", session_ids=["trip"])
    alone = await api.post("/sessions/trip/search", {}, status=400)
    assert "text" in alone["message"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"search_scope": "everything"}, "search_scope"),
        ({"search_type": "best"}, "search_type"),
        ({"search_type": "mmr", "mmr_lambda": -1}, "mmr_lambda"),
        ({"min_fact_rating": 7}, "min_fact_rating"),
        ({"record_filter": {"a": {"b": 1}}}, "record_filter.a"),
        ({"session_ids": ["s"] * 101}, "session_ids"),
        ({"text": None}, "text"),
    ],
)
async def test_a_wrong_search_is_refused_by_name(
    api: Api, change: dict[str, Any], named: str
) -> None:
    """The message says which field."""
    assert named in await api.refused(400, **{"text": "a", "user_id": "ann", **change})


async def test_mmr_and_a_least_score_reach_the_search(api: Api) -> None:
    """None is above an impossible mark; mmr finds the same set in some order."""
    assert await api.search(text="Lisbon", user_id="ann", min_score=1e9) == []
    varied = await api.search(text="Lisbon", user_id="ann", search_type="mmr", mmr_lambda=0.5)
    assert said(varied) == {m["content"] for m in (*TRIP, *FOOD)}
