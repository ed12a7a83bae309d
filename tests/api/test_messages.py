"""Messages over HTTP where the promise is finer than the clients' own tests can see."""

import pytest

from recollect.errors import StoreUnavailable
from recollect.graph.types import Access, Graph
from recollect.limits import PAGE_MAX
from recollect.search.query import Hit, Query
from tests.support.asgi import Program, program


@pytest.fixture
async def running(tmp_path):
    """The application with a user and a thread."""
    async with program(tmp_path) as made:
        await made.send("POST", "/api/v2/users", {"user_id": "jane"})
        await made.send("POST", "/api/v2/threads", {"thread_id": "t", "user_id": "jane"})
        yield made


def message(text: str) -> dict[str, str]:
    """A message of generation 3."""
    return {"role": "user", "content": text}


async def count(running: Program) -> int:
    """How many messages the thread has."""
    answer = await running.send("GET", "/api/v2/threads/t/messages")
    return answer.json()["total_count"]


async def test_a_context_that_fails_does_not_take_back_the_messages(
    running: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Older clients retry a 5xx: messages that are stored by then would be there twice."""

    async def broken(*args: object) -> list[Hit[object]]:
        raise StoreUnavailable

    sent = {"messages": [message("Where is the cat?")], "return_context": True}
    with monkeypatch.context() as patch:
        patch.setattr(running.services.finder, "find", broken)
        answer = await running.send("POST", "/api/v2/threads/t/messages", sent)
        asked = await running.send("GET", "/api/v2/threads/t/context")
    assert answer.status == 200
    assert len(answer.json()["message_uuids"]) == 1
    assert answer.json().get("context") is None
    assert any(line["event"] == "context.failed" for line in running.logs)
    assert await count(running) == 1
    assert asked.status == 503
    again = await running.send("POST", "/api/v2/threads/t/messages", sent)
    assert "FACTS" in again.json()["context"]


async def test_messages_that_are_refused_give_no_context(running: Program) -> None:
    """A thread that is not there is a 404, asked for a context or not."""
    sent = {"messages": [message("hello")], "return_context": True}
    assert (await running.send("POST", "/api/v2/threads/x/messages", sent)).status == 404
    assert (await running.send("POST", "/api/v2/sessions/x/memory", sent)).status in (400, 404)


@pytest.mark.parametrize("query", ["mode=prose", "minRating=high"])
async def test_a_context_says_what_it_cannot_read(running: Program, query: str) -> None:
    """The parameter is named."""
    answer = await running.send("GET", "/api/v2/threads/t/context", query=query)
    assert answer.status == 400
    assert query.split("=")[0] in answer.message


async def test_a_context_with_a_template_needs_both_to_be_there(running: Program) -> None:
    """An unknown template and an unknown thread are 404s that name what is missing."""
    template = {"template_id": "mine", "template": "WHO %{user_summary}"}
    await running.send("POST", "/api/v2/context-templates", template)
    query = "template_id=mine"
    answer = await running.send("GET", "/api/v2/threads/t/context", query=query)
    assert answer.json()["context"].startswith("WHO ")
    missing = await running.send("GET", "/api/v2/threads/t/context", query="template_id=other")
    assert (missing.status, "other" in missing.message) == (404, True)
    nowhere = await running.send("GET", "/api/v2/threads/x/context", query=query)
    assert (nowhere.status, "x" in nowhere.message) == (404, True)


async def test_a_block_keeps_to_the_budget_of_the_settings(running: Program) -> None:
    """Whatever is known, in every form of the block."""
    for number in range(40):
        fact = f"Jane met number {number} {'at some length ' * 10}"
        triple = {"fact": fact, "fact_name": "MET", "user_id": "jane"}
        ends = {"source_node_name": "Jane", "target_node_name": f"Number {number}"}
        await running.send("POST", "/api/v2/graph/add-fact-triple", {**triple, **ends})
    await running.work()
    template = {"template_id": "long", "template": "KNOWN\n%{edges limit=1000}"}
    await running.send("POST", "/api/v2/context-templates", template)
    settings = running.services.settings
    for query in ("", "mode=basic", "template_id=long"):
        sizes = []
        for most in (3_000, 100_000):
            changed = settings.model_copy(update={"context_chars_max": most})
            running.services.settings = changed
            answer = await running.send("GET", "/api/v2/threads/t/context", query=query)
            sizes.append(len(answer.json()["context"]))
        assert 2_000 < sizes[0] <= 3_000 < sizes[1], query


async def test_a_request_can_say_how_long_a_block_is_and_what_is_in_it(running: Program) -> None:
    """One that asks for a section there is not is told so."""
    triple = {"fact": "Jane met Bob", "fact_name": "MET", "user_id": "jane"}
    ends = {"source_node_name": "Jane", "target_node_name": "Bob"}
    await running.send("POST", "/api/v2/graph/add-fact-triple", {**triple, **ends})
    await running.work()

    async def block(query: str) -> str:
        answer = await running.send("GET", "/api/v2/threads/t/context", query=query)
        return str(answer.json()["context"])

    assert "<USER_SUMMARY>" in await block("")
    facts = await block("sections=facts,entities")
    assert "Jane met Bob" in facts
    assert "<USER_SUMMARY>" not in facts
    for most in (10, 150):
        assert len(await block(f"max_characters={most}")) <= most
    for query, field in (("sections=jokes", "sections"), ("max_characters=0", "max_characters")):
        refused = await running.send("GET", "/api/v2/threads/t/context", query=query)
        assert refused.status == 400
        assert field in refused.message


async def test_how_many_messages_are_asked_about_is_a_setting(
    running: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four for generation 2 and two for generation 3, unless the operator says otherwise."""
    asked: list[str] = []

    async def find(access: Access, graph: Graph, query: Query) -> list[Hit[object]]:
        asked.append(query.text)
        return []

    monkeypatch.setattr(running.services.finder, "find", find)
    said = [message(f"number{n}") for n in range(6)]
    await running.send("POST", "/api/v2/threads/t/messages", {"messages": said})

    async def counts() -> list[int]:
        asked.clear()
        await running.send("GET", "/api/v2/sessions/t/memory")
        await running.send("GET", "/api/v2/threads/t/context")
        return [len(asked[place].splitlines()) for place in (0, -1)]

    assert await counts() == [4, 2]
    changed = running.services.settings.model_copy(update={"context_messages": 3})
    running.services.settings = changed
    assert await counts() == [3, 3]


async def test_only_a_message_can_be_updated_as_one(running: Program) -> None:
    """A text of the graph is an episode, and no message."""
    data = {"user_id": "jane", "type": "text", "data": "A note"}
    episode = (await running.send("POST", "/api/v2/graph", data)).json()["uuid"]
    change = {"metadata": {"a": 1}}
    assert (await running.send("PATCH", f"/api/v2/messages/{episode}", change)).status == 404
    sent = await running.send(
        "POST", "/api/v2/threads/t/messages", {"messages": [message("hello")]}
    )
    uuid = sent.json()["message_uuids"][0]
    answer = await running.send("PATCH", f"/api/v2/messages/{uuid}", change)
    assert answer.json()["metadata"] == {"a": 1}


async def test_a_cut_answer_says_that_it_is_cut(running: Program) -> None:
    """A list without pages is bounded, and a header tells when something was left out."""
    path = "/api/v2/threads/t/episodes"
    for full in range(PAGE_MAX // 30 + 1):
        batch = {"messages": [message(f"{full}-{n}") for n in range(30)]}
        await running.send("POST", "/api/v2/threads/t/messages", batch)
        if not full:
            assert (await running.send("GET", path)).header("zep-truncated") is None
    answer = await running.send("GET", path)
    assert len(answer.json()["episodes"]) == PAGE_MAX
    assert answer.header("zep-truncated") == "true"


async def test_a_small_field_does_not_make_a_large_error(running: Program) -> None:
    """What was sent is repeated only as far as a person would read it."""
    sent = {"messages": [{**message("x"), "created_at": "z" * 1_000_000}]}
    answer = await running.send("POST", "/api/v2/threads/t/messages", sent)
    assert answer.status == 400
    assert len(answer.body) < 500
