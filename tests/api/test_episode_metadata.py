"""Metadata of episodes: what may be in it, wherever it is given, and how it is changed."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.memory import Json, Memory, remembering

GOOD: Json = {"source": "crm", "n": 5, "share": 0.5, "open": True, "tags": ["a", 1, False]}
SCALARS: Json = {"source": "crm", "n": 5, "share": 0.5, "open": True}
TEN = {f"k{number}": number for number in range(10)}
ALLOWED = "must be a string, number, boolean"
# What is wrong, and what is said after the name of the field: the key, if one is to blame.
BAD: list[tuple[Json, str]] = [
    ({**TEN, "k10": 10}, ": at most 10 keys, got 11"),
    ({"": 1}, ": a key must not be blank"),
    ({"a": 1, " \t": 1}, ": a key must not be blank"),
    ({"a": 1, "deep": {"b": 1}}, f".deep: {ALLOWED}"),
    ({"a": 1, "none": None}, f".none: {ALLOWED}"),
]
BAD_LISTS: list[tuple[Json, str]] = [
    ({"list": []}, ".list: a list must not be empty"),
    ({"list": ["a", None]}, f".list: {ALLOWED}"),
    ({"list": [["a"]]}, f".list: {ALLOWED}"),
    ({"list": [{"a": 1}]}, f".list: {ALLOWED}"),
]
NO_LISTS = [({"a": 1, "list": ["x"]}, ".list: must be a string, number or boolean")]
NOTE = {"type": "text", "data": "x"}
ITEM = {"type": "graph_episode", "graph_id": "g", "data": "x"}
SAID2 = {"role_type": "user", "role": "Ann", "content": "x"}
SAID3 = {"role": "user", "name": "Ann", "content": "x"}
IN_THREAD = {"type": "thread_message", "thread_id": "talk", "content": "x", "role": "user"}
TRIPLE = {
    "graph_id": "g",
    "fact": "Paul met Eric",
    "fact_name": "MET",
    "source_node_name": "Paul",
    "target_node_name": "Eric",
}
Body = Callable[[Json], Json]
# Every way an episode comes in: a path, a body with metadata, and how the field is called in it.
WAYS: dict[str, tuple[str, Body, str]] = {
    "graph.add": ("/graph", lambda m: {"graph_id": "g", **NOTE, **m}, "metadata"),
    "graph.add to a user": ("/graph", lambda m: {"user_id": "ann", **NOTE, **m}, "metadata"),
    "graph.add_batch": (
        "/graph-batch",
        lambda m: {"graph_id": "g", "episodes": [NOTE, {**NOTE, **m}]},
        "episodes[1].metadata",
    ),
    "thread.add_messages": (
        "/threads/talk/messages",
        lambda m: {"messages": [SAID3, {**SAID3, **m}]},
        "messages[1].metadata",
    ),
    "thread.add_messages_batch": (
        "/threads/talk/messages-batch",
        lambda m: {"messages": [SAID3, {**SAID3, **m}]},
        "messages[1].metadata",
    ),
    "memory.add": (
        "/sessions/talk/memory",
        lambda m: {"messages": [SAID2, {**SAID2, **m}]},
        "messages[1].metadata",
    ),
    "batch.add of data": (
        "/batches/{batch}/items",
        lambda m: {"items": [ITEM, {**ITEM, **m}]},
        "items[1].metadata",
    ),
    "batch.add of messages": (
        "/batches/{batch}/items",
        lambda m: {"items": [IN_THREAD, {**IN_THREAD, **m}]},
        "items[1].metadata",
    ),
}
DIRECT: dict[str, tuple[str, Body, str]] = {
    "graph.add_fact_triple": ("/graph/add-fact-triple", lambda m: {**TRIPLE, **m}, "metadata"),
    "graph.add_nodes": (
        "/graph/nodes",
        lambda m: {"graph_id": "g", "nodes": [{"name": "Paul"}, {"name": "Eric", **m}]},
        "nodes[1].metadata",
    ),
}
NODES_PATH = DIRECT["graph.add_nodes"][0]


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """The application with a thread in it."""
    async with remembering(tmp_path) as made:
        await made.thread("talk")
        yield made


async def placed(memory: Memory, path: str) -> str:
    """The path, to a new draft if it leads to one."""
    if "{batch}" not in path:
        return path
    return path.format(batch=(await memory.post("/batches", {}))["batch_id"])


def stored(memory: Memory) -> list[Any]:
    """What metadata the episodes carry, in the order they came in."""
    found = memory.running.rows("SELECT metadata FROM episodes ORDER BY id")
    return [None if text is None else json.loads(text) for (text,) in found]


@pytest.mark.parametrize("way", [*WAYS, *DIRECT])
async def test_metadata_is_kept_with_its_types_however_an_episode_comes_in(
    memory: Memory, way: str
) -> None:
    """Texts, numbers, booleans and, except in direct writes, lists of them; ten keys are allowed."""
    path, body, _ = {**WAYS, **DIRECT}[way]
    for given in (SCALARS if way in DIRECT else GOOD, TEN):
        path_now = await placed(memory, path)
        await memory.send(200, "POST", path_now, body({"metadata": given}))
        if "batches" in path_now:
            await memory.post(path_now.replace("/items", "/process"), {})
            await memory.learn()
        kept = stored(memory)[-1]
        assert kept == given
        assert [type(value) for value in kept.values()] == [type(v) for v in given.values()]


@pytest.mark.parametrize("way", [*WAYS, *DIRECT])
async def test_bad_metadata_is_refused_by_its_key_and_nothing_is_stored(
    memory: Memory, way: str
) -> None:
    """Also in the second of two: neither of them is kept."""
    path, body, field = {**WAYS, **DIRECT}[way]
    path = await placed(memory, path)
    for given, said in BAD + (NO_LISTS if way in DIRECT else BAD_LISTS):
        told = await memory.refused(path, body({"metadata": given}))
        assert told.startswith(field + said), (given, told)
    assert stored(memory) == []
    if "batches" in path:
        assert (await memory.get(path))["items"] == []


async def test_a_number_that_is_none_is_refused(memory: Memory) -> None:
    """What is no JSON, and what JSON allows but no number can hold."""
    for path, body, _ in (WAYS | DIRECT).values():
        path_now = await placed(memory, path)
        for value in ("NaN", "Infinity", "-Infinity", "1e400", "[1, -1e400]"):
            raw = json.dumps(body({"metadata": {"a": "@"}})).replace('"@"', value).encode()
            await memory.refused(path_now, raw)
    assert stored(memory) == []


async def _an_episode(memory: Memory, metadata: Json | None) -> tuple[str, str]:
    body = {"graph_id": "g", **NOTE, "metadata": metadata}
    made = await memory.post("/graph", {k: v for k, v in body.items() if v is not None})
    return f"/graph/episodes/{made['uuid']}", f"/graph/episodes/{made['uuid']}"


async def _a_message(memory: Memory, metadata: Json | None) -> str:
    said = {**SAID3, "metadata": metadata}
    body = {"messages": [{k: v for k, v in said.items() if v is not None}]}
    answer = await memory.post("/threads/talk/messages", body)
    return str(answer["message_uuids"][0])


async def updatable(memory: Memory, way: str, metadata: Json | None) -> tuple[str, str]:
    """Something to update: where it is changed, and where its episode is read."""
    if way == "episode":
        return await _an_episode(memory, metadata)
    uuid = await _a_message(memory, metadata)
    change = f"/messages/{uuid}" if way == "message" else f"/sessions/talk/messages/{uuid}"
    return change, f"/graph/episodes/{uuid}"


UPDATES = ["episode", "message", "message of a session"]


@pytest.mark.parametrize("way", UPDATES)
async def test_an_update_merges_and_null_takes_away(memory: Memory, way: str) -> None:
    """What is not named stays; what is left over is read from the episode, however it was changed."""
    change, episode = await updatable(memory, way, {"a": 1, "b": "x", "list": [1]})
    steps: list[tuple[Json, Json | None]] = [
        ({"b": "y", "c": [True, "z"]}, {"a": 1, "b": "y", "list": [1], "c": [True, "z"]}),
        ({"a": None, "list": None, "nobody": None}, {"b": "y", "c": [True, "z"]}),
        ({}, {"b": "y", "c": [True, "z"]}),
        ({"b": None, "c": None}, None),
        ({"d": 0}, {"d": 0}),
    ]
    for sent, expected in steps:
        answer = (await memory.send(200, "PATCH", change, {"metadata": sent})).json()
        assert answer.get("metadata") == expected
        assert (await memory.get(episode)).get("metadata") == expected


@pytest.mark.parametrize("way", UPDATES)
async def test_the_keys_are_counted_after_the_merge(memory: Memory, way: str) -> None:
    """Ten and one more are too many, unless one of them goes; what is refused changes nothing."""
    change, episode = await updatable(memory, way, TEN)
    told = await memory.refused(change, {"metadata": {"k10": 1}}, method="PATCH")
    assert told.startswith("metadata: at most 10 keys, got 11")
    assert (await memory.get(episode))["metadata"] == TEN
    swapped = {"k0": None, "k10": 1}
    await memory.send(200, "PATCH", change, {"metadata": swapped})
    expected = {**{k: v for k, v in TEN.items() if k != "k0"}, "k10": 1}
    assert (await memory.get(episode))["metadata"] == expected


@pytest.mark.parametrize("way", UPDATES)
async def test_a_bad_update_is_refused_by_its_key_and_changes_nothing(
    memory: Memory, way: str
) -> None:
    """The same rules as for what is new, except that null means something."""
    change, episode = await updatable(memory, way, {"a": 1})
    for given, said in [*BAD[1:4], *BAD_LISTS]:
        told = await memory.refused(change, {"metadata": given}, method="PATCH")
        assert told.startswith("metadata" + said), (given, told)
    await memory.refused(change, b'{"metadata": {"a": NaN}}', method="PATCH")
    await memory.refused(change, {"metadata": [1]}, method="PATCH")
    assert (await memory.get(episode))["metadata"] == {"a": 1}


async def test_changed_metadata_is_searched_by_at_once(memory: Memory) -> None:
    """Nothing derived holds a copy: what rests on the episode follows it."""
    uuid = await memory.tell("Emma Lopez works at Acme Corp.", {"tier": "tin"})

    async def found(tier: str) -> set[str]:
        leaf = {"property_name": "tier", "comparison_operator": "=", "property_value": tier}
        narrow = {"episode_metadata_filters": {"type": "and", "filters": [leaf]}}
        asked = {"graph_id": "g", "query": "Emma Acme", "search_filters": narrow}
        hits = {
            scope: (await memory.post("/graph/search", {**asked, "scope": scope}))[scope]
            for scope in ("edges", "nodes", "episodes")
        }
        edges = await memory.listed("edge", filters=narrow)
        assert [one["uuid"] for one in edges] == [one["uuid"] for one in hits["edges"]]
        return {scope for scope, items in hits.items() if items}

    everything = {"edges", "nodes", "episodes"}
    assert (await found("tin"), await found("gold")) == (everything, set())
    change = {"metadata": {"tier": "gold"}}
    await memory.send(200, "PATCH", f"/graph/episodes/{uuid}", change)
    assert (await found("tin"), await found("gold")) == (set(), everything)


async def test_each_of_several_added_nodes_has_its_own_metadata(memory: Memory) -> None:
    """None is given to the one that came without."""
    await memory.send(200, "POST", NODES_PATH, DIRECT["graph.add_nodes"][1]({"metadata": SCALARS}))
    await memory.learn()
    assert stored(memory) == [None, SCALARS]
    carried = {key: [value] for key, value in SCALARS.items()}
    assert (await memory.node("Eric"))["metadata"] == carried
    assert (await memory.node("Paul"))["metadata"] == {}
