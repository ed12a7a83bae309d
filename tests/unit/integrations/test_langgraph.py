"""LangChain tools and a LangGraph store over the memory, driven by the packages themselves."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.store.base import BaseStore, InvalidNamespaceError
from langgraph.store.memory import InMemoryStore

from recollect import Memory, SyncMemory
from recollect.errors import Conflict, InvalidInput
from recollect.governance import receipts
from recollect.integrations.langgraph import MemoryStore, _escaped, _unescaped, memory_tools
from tests.unit.integrations.conftest import UNREAD


def agent(tools: list[BaseTool], *answers: AIMessage) -> Any:
    """A graph that lets a scripted model call tools until it answers."""
    model = GenericFakeChatModel(messages=iter(answers))

    async def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("think", think)
    builder.add_node("tools", ToolNode(tools))
    builder.add_edge(START, "think")
    builder.add_conditional_edges("think", tools_condition)
    builder.add_edge("tools", "think")
    return builder.compile()


def call(name: str, **arguments: Any) -> AIMessage:
    """A model that wants a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": "1"}])


async def test_an_agent_asks_the_memory_and_answers(memory: Memory) -> None:
    """The tool's message tells the fact with its time."""
    graph = agent(
        memory_tools(memory, user="ann"),
        call("search_memory", query="Where does Ann work?"),
        AIMessage("At Siemens."),
    )
    done = await graph.ainvoke({"messages": [HumanMessage("Where do I work?")]})
    (told,) = [one for one in done["messages"] if isinstance(one, ToolMessage)]
    assert "Ann works at Siemens (since 2024-01-10)" in told.content
    assert done["messages"][-1].content == "At Siemens."


async def test_the_configuration_says_whose_memory_it_is(memory: Memory) -> None:
    """And not the model; without it nothing is searched."""
    search, _ = memory_tools(memory)
    assert set(search.args) == {"query", "limit"}
    told = await search.ainvoke(
        {"query": "Where does Ann work?"}, config={"configurable": {"user_id": "ann"}}
    )
    assert "Siemens" in told
    with pytest.raises(InvalidInput, match="user_id"):
        await search.ainvoke({"query": "Where does Ann work?"})


async def test_what_an_agent_adds_is_in_the_log(unread: Memory) -> None:
    """As a text: nobody said it."""
    _, add = memory_tools(unread, graph="notes")
    assert await add.ainvoke({"content": "Tea is at four."}) == "Remembered."
    search, _ = memory_tools(unread, graph="notes")
    assert await asyncio.to_thread(add.invoke, {"content": "Tea is at five."}) == "Remembered."
    with pytest.raises(Conflict, match="SyncMemory"):
        add.invoke({"content": "Tea is at six."})
    assert search.description


def test_tools_work_for_code_that_does_not_await(copied: Path) -> None:
    """And in a loop that is not the memory's."""
    with SyncMemory.open(copied, workers=0) as memory:
        search, _ = memory_tools(memory, user="ann")
        asked = {"query": "Where does Ann work?"}
        assert "Siemens" in search.invoke(asked)
        assert "Siemens" in asyncio.run(search.ainvoke(asked))


async def same(store: BaseStore) -> list[Any]:
    """What a store answers to one story."""
    told: list[Any] = []
    await store.aput(("users", "ann"), "tea", {"text": "likes tea", "score": 5, "kind": "taste"})
    await store.aput(("users", "ann"), "rain", {"text": "likes rain", "score": 3})
    await store.aput(("users", "bob"), "tea", {"text": "hates tea", "score": 1}, index=False)
    await store.aput(("docs", "v1", "draft"), "a", {"deep": {"er": [1, None, "x"]}})
    await store.aput(("users", "ann"), "tea", {"text": "loves tea", "score": 9, "kind": "taste"})
    deep = {"er": {"n": 2, "m": 3}, "list": [1, {"a": 2, "b": 3}]}
    await store.aput(("users", "bob"), "deep", {"deep": deep, "score": 2}, index=False)
    await store.aput(("users", "ann"), "gone", {"text": "short"})
    await store.adelete(("users", "ann"), "gone")
    await store.adelete(("users", "ann"), "never")
    found = await store.aget(("users", "ann"), "tea")
    told.append(found and (found.key, found.namespace, found.value))
    told.append(await store.aget(("users", "ann"), "gone"))
    for filter_ in (
        None,
        {"score": 9},
        {"score": {"$gt": 2}},
        {"score": {"$gte": 3, "$lt": 9}},
        {"score": {"$lte": 1}},
        {"score": {"$ne": 9}},
        {"kind": {"$eq": "taste"}},
        {"kind": "taste", "score": {"$lt": 1}},
        {"deep": {"list": [1, {"a": 2}]}},
        {"deep": {"list": [1]}},
        {"deep": {"er": {"n": {"$gt": 1}}}},
        {"deep": 1},
    ):
        items = await store.asearch(("users",), filter=filter_, limit=10)
        told.append(sorted((one.namespace, one.key) for one in items))
    told.append(len(await store.asearch(("users",), limit=2, offset=2)))
    told.append(await store.asearch(("us",)))
    told.append(await store.alist_namespaces())
    told.append(await store.alist_namespaces(prefix=("users",)))
    told.append(await store.alist_namespaces(suffix=("draft",)))
    told.append(await store.alist_namespaces(prefix=("*", "v1")))
    told.append(await store.alist_namespaces(max_depth=1))
    told.append(await store.alist_namespaces(limit=1, offset=1))
    told.append(await store.aget(("nobody",), "x"))
    return told


async def test_the_store_answers_as_the_one_of_langgraph_does(unread: Memory) -> None:
    """Puts, gets, deletions, filters, namespaces."""
    assert await same(MemoryStore(unread)) == await same(InMemoryStore())


async def test_a_value_that_is_put_again_keeps_its_first_time(unread: Memory) -> None:
    """And the old value is not in the log any more."""
    store = MemoryStore(unread)
    await store.aput(("a",), "k", {"n": 1})
    first = await store.aget(("a",), "k")
    await store.aput(("a",), "k", {"n": 2})
    second = await store.aget(("a",), "k")
    assert first is not None
    assert second is not None
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at
    assert second.updated_at.utcoffset() == timedelta(0)
    assert await unread._engine.opened.services.store.read(receipts.unscrubbed) is None


async def test_labels_may_have_anything_in_them_that_langgraph_allows(unread: Memory) -> None:
    """A graph's id may not, so they are escaped."""
    store = MemoryStore(unread)
    for label in ("a/b", "per cent %", "~7e", "ünï", "#?\\", " x ", "\n"):
        assert _unescaped(_escaped(label)) == label
        await store.aput((label,), "k", {"label": label})
        assert (label,) in await store.alist_namespaces(limit=100)
        found = await store.asearch((label,))
        assert [one.value for one in found] == [{"label": label}]
    with pytest.raises(InvalidNamespaceError):
        await store.aput(("a.b",), "k", {})
    with pytest.raises(InvalidInput, match="operator"):
        await store.asearch(("a/b",), filter={"label": {"$near": 1}})


def test_the_store_works_for_code_that_does_not_await(tmp_path: Path) -> None:
    """In any thread but the memory's own."""
    with SyncMemory.open(tmp_path / "data", settings=UNREAD) as memory:
        store = MemoryStore(memory)
        store.put(("a",), "k", {"n": 1})
        found = store.get(("a",), "k")
        assert found is not None
        assert found.value == {"n": 1}
        store.delete(("a",), "k")
        assert store.list_namespaces() == []


async def test_values_are_found_by_what_they_mean(copied: Path) -> None:
    """Through a graph that was compiled with the store, and best first."""
    async with Memory.open(copied) as memory:
        store = MemoryStore(memory)
        await store.aput(("ann",), "food", {"text": "Ann loves ramen and sushi."})
        await store.aput(("ann",), "sport", {"text": "Ann plays chess on Sundays."})
        await store.aput(("ann",), "secret", {"text": "Ann eats noodles."}, index=False)

        async def recall(state: MessagesState, *, store: BaseStore) -> dict[str, Any]:
            found = await store.asearch(("ann",), query=state["messages"][-1].text, limit=1)
            return {"messages": [AIMessage(found[0].value["text"])]}

        builder = StateGraph(MessagesState)
        builder.add_node("recall", recall)
        builder.add_edge(START, "recall")
        builder.add_edge("recall", END)
        done = await builder.compile(store=store).ainvoke(
            {"messages": [HumanMessage("What does Ann like to eat?")]}
        )
        assert "ramen" in done["messages"][-1].content
        found = await store.asearch(("ann",), query="noodles")
        assert "secret" not in [one.key for one in found]
        assert all(one.score is not None for one in found)
