"""Trees of metadata tests narrow every search and every list alike, one episode at a time."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.memory import Json, Memory, remembering

METADATA: dict[str, Json | None] = {
    "a": {"n": 9, "s": "crm", "ok": True, "tags": ["x"]},
    "b": {"n": 10, "s": "web", "tags": ["x", "y"]},
    "c": {"n": "10", "s": "9", "tags": ["z", 5]},
    "d": {"n": 2.5, "ok": False},
    "e": None,
}
PEOPLE = {
    "Emma Lopez": "a",
    "Hugo Brandt": "b",
    "Clara Vance": "c",
    "Nils Okafor": "d",
    "Vera Moreau": "e",
}
PLACES = ("Oslo", "Bergen", "Rome")


def leaf(name: str, operator: str, *value: Any) -> Json:
    """A test of one value."""
    given = {"property_value": value[0]} if value else {}
    return {"property_name": name, "comparison_operator": operator, **given}


def both(*leaves: Json, **more: Any) -> Json:
    """All of the tests."""
    return {"type": "and", "filters": list(leaves), **more}


def either(*leaves: Json, **more: Any) -> Json:
    """Any of the tests."""
    return {"type": "or", "filters": list(leaves), **more}


# Each with the episodes that it holds of.
TREES: list[tuple[Json, str]] = [
    (both(leaf("n", "=", 10)), "b"),
    (both(leaf("n", "=", 10.0)), "b"),
    (both(leaf("n", "eq", "10")), "c"),
    (both(leaf("ok", "=", True)), "a"),
    (both(leaf("ok", "=", 1)), ""),
    (both(leaf("tags", "=", "x")), "ab"),
    (both(leaf("tags", "=", 5)), "c"),
    (both(leaf("s", "<>", "crm")), "bc"),
    (both(leaf("tags", "ne", "x")), "c"),
    (both(leaf("n", ">", 9)), "b"),
    (both(leaf("n", "gt", "1")), "abcd"),
    (both(leaf("tags", ">", "y")), "c"),
    (both(leaf("n", "<", 10)), "ad"),
    (both(leaf("n", "lt", 2.5)), "c"),
    (both(leaf("n", ">=", 9)), "ab"),
    (both(leaf("n", "gte", 10)), "bc"),
    (both(leaf("n", "<=", 9)), "acd"),
    (both(leaf("n", "lte", 2.5)), "cd"),
    (both(leaf("s", "CONTAINS", "crm, web")), "ab"),
    (both(leaf("n", "contains", "10,9")), "abc"),
    (both(leaf("n", "in", [10])), "b"),
    (both(leaf("tags", "IN", ["y", "z"])), "bc"),
    (both(leaf("s", "STARTS WITH", "cr")), "a"),
    (both(leaf("n", "starts_with", "1")), "c"),
    (both(leaf("tags", "STARTS WITH", "x")), "ab"),
    (both(leaf("ok", "IS NULL")), "bce"),
    (both(leaf("nobody", "is_null")), "abcde"),
    (both(leaf("tags", "IS NOT NULL")), "abc"),
    (both(leaf("ok", "is_not_null")), "ad"),
    (both(leaf("n", ">=", 9), leaf("s", "=", "web")), "b"),
    (both(leaf("ok", "=", True), leaf("ok", "=", False)), ""),
    (either(leaf("s", "=", "crm"), leaf("ok", "=", False)), "ad"),
    (
        both(leaf("tags", "=", "x"), groups=[either(leaf("ok", "=", True), leaf("n", "=", 10))]),
        "ab",
    ),
    ({"type": "or", "groups": [both(leaf("n", "=", 9)), both(leaf("tags", "IS NULL"))]}, "ade"),
]


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """Five people who visited three places, each told once per graph under other metadata."""
    async with remembering(tmp_path) as made:
        for name, letter in PEOPLE.items():
            text = " ".join(f"{name} visited {place}." for place in PLACES)
            await made.tell(text, METADATA[letter], document_id=letter)
            await made.thread(letter)
            message = {"content": text, "metadata": METADATA[letter]}
            await made.say(letter, {k: v for k, v in message.items() if v is not None})
        yield made


def letters_of(text: str) -> set[str]:
    """The episodes that something rests on, by the people or the place it tells of."""
    named = {letter for name, letter in PEOPLE.items() if name in text}
    return named or (set(METADATA) if text in PLACES else {"nothing"})


Reader = Callable[[Memory, Json], Awaitable[list[set[str]]]]
ASKED = " ".join([*PEOPLE, "visited", *PLACES])
SCOPES = {
    "edges": "fact",
    "nodes": "name",
    "episodes": "content",
    "observations": "summary",
    "thread_summaries": "summary",
}
LISTS = {
    "edge": "fact",
    "node": "name",
    "observation": "summary",
    "thread-summary": "summary",
    "document-summary": "summary",
}


def searching(scope: str, field: str, place: Json) -> Reader:
    """A search of one scope, as the episodes that each hit rests on."""

    async def read(memory: Memory, tree: Json) -> list[set[str]]:
        narrow = {"episode_metadata_filters": tree}
        body = {**place, "query": ASKED, "scope": scope, "limit": 50, "search_filters": narrow}
        found = (await memory.post("/graph/search", {**body, "reranker": "rrf"}))[scope]
        return [letters_of(one[field]) for one in found]

    return read


def listing(noun: str, field: str, where: str) -> Reader:
    """A list, as the episodes that each item rests on."""

    async def read(memory: Memory, tree: Json) -> list[set[str]]:
        narrow = {"episode_metadata_filters": tree}
        body = narrow if noun == "episodes" else {"filters": narrow}
        return [letters_of(one[field]) for one in await memory.listed(noun, where, **body)]

    return read


def readers() -> dict[str, Reader]:
    """Every search and list that takes a tree, in both kinds of graph if it is in both."""
    found: dict[str, Reader] = {}
    for graph, place in (("user/ann", {"user_id": "ann"}), ("graph/g", {"graph_id": "g"})):
        for scope, field in SCOPES.items():
            found[f"search {scope} {graph}"] = searching(scope, field, place)
        for noun, field in {**LISTS, "episodes": "content"}.items():
            if noun != "document-summary" or graph == "graph/g":
                found[f"list {noun} {graph}"] = listing(noun, field, graph)
    del found["search thread_summaries graph/g"], found["list thread-summary graph/g"]
    return found


async def test_every_operator_narrows_every_scope_and_list_to_the_same_episodes(
    memory: Memory,
) -> None:
    """What is found rests on an episode that the whole tree holds of, and all of that is found."""
    for name, read in readers().items():
        every = await read(memory, either(leaf("nobody", "IS NULL")))
        assert set().union(*every) == set(METADATA), name
        for tree, letters in TREES:
            expected = [one for one in every if one & set(letters)]
            found = await read(memory, tree)
            assert sorted(map(sorted, found)) == sorted(map(sorted, expected)), (name, tree)


async def test_a_search_over_everything_is_narrowed_in_each_kind(memory: Memory) -> None:
    """Nothing in the text or among the raw hits rests on other episodes alone."""
    for tree, letters in TREES:
        body = {"user_id": "ann", "query": ASKED, "scope": "auto", "return_raw_results": True}
        narrow = {"episode_metadata_filters": tree}
        answer = await memory.post("/graph/search", {**body, "search_filters": narrow})
        hits = [
            letters_of(hit[field])
            for scope, field in SCOPES.items()
            for hit in answer.get(scope, [])
        ]
        assert all(hit & set(letters) for hit in hits), tree
        assert bool(hits) == bool(letters), tree
        told = {letter for name, letter in PEOPLE.items() if name in answer["context"]}
        # What is said of a place comes from all who were there.
        assert told >= set(letters) if letters else not answer["context"]


async def test_neighbours_are_narrowed_and_subgraphs_refuse_to_be(memory: Memory) -> None:
    """A walk cannot be held to a tree on its way; it says so instead of ignoring it."""
    oslo = (await memory.node("Oslo"))["uuid"]
    narrow = {"episode_metadata_filters": both(leaf("s", "=", "crm"))}
    near = await memory.post(f"/graph/node/{oslo}/neighbors", {"filters": narrow})
    assert [one["node"]["name"] for one in near] == ["Emma Lopez"]
    body = {"graph_id": "g", "seed_node_uuids": [oslo]}
    assert (await memory.post("/graph/subgraph", body))["nodes"]
    said = await memory.refused("/graph/subgraph", {**body, "search_filters": narrow})
    assert said.startswith("search_filters.episode_metadata_filters:")


async def test_a_tree_and_other_filters_hold_together(memory: Memory) -> None:
    """F8: what passes one but not the other is not found."""
    tree = both(leaf("s", "=", "crm"))
    named = {"edge_types": ["NOBODY_DOES"], "episode_metadata_filters": tree}
    assert await memory.listed("edge", filters=named) == []
    (one,) = [e for e in await memory.listed("edge") if e["fact"] == "Emma Lopez visited Oslo"]
    typed = {"edge_types": [one["name"]], "episode_metadata_filters": tree}
    found = {edge["fact"] for edge in await memory.listed("edge", filters=typed)}
    assert found == {f"Emma Lopez visited {place}" for place in PLACES}


async def test_filters_look_at_no_episode_that_may_not_be_seen(tmp_path: Path) -> None:
    """What may be seen can rest on episodes that may not; asking for those finds nothing.

    Otherwise a filter would tell what hidden episodes carry, one guess at a time.
    """
    async with remembering(tmp_path) as memory:
        text = " ".join(f"Emma Lopez visited {place}." for place in PLACES)
        hidden: list[str] = []
        for letter in ("open", "secret"):
            metadata = {"class": letter}
            uuid = await memory.tell(text, metadata, document_id="d")
            await memory.thread(letter)
            said = [
                {"content": text, "metadata": metadata},
                {"content": "Yes.", "metadata": metadata},
            ]
            uuids = await memory.say(letter, *said)
            hidden = [uuid, *uuids]
        await memory.say("open", {"content": "Hm.", "metadata": {"class": "secret"}})
        deny = {"effect": "deny", "actions": ["readonly"], "attributes": {"class": ["secret"]}}
        key = await memory.key(deny, role="default_allow")
        trees = {"episode_metadata_filters": both(leaf("class", "=", "secret"))}
        shown = {"episode_metadata_filters": both(leaf("class", "=", "open"))}
        told = 0
        for where in ("user/ann", "graph/g"):
            for noun in LISTS:
                if (noun, where) in (
                    ("thread-summary", "graph/g"),
                    ("document-summary", "user/ann"),
                ):
                    continue
                path = f"/graph/{noun}/{where}"
                for narrow in (trees, {"episode_uuids": hidden}):
                    body = {"filters": narrow}
                    assert await memory.post(path, body, key=key) == [], (path, narrow)
                    assert await memory.post(path, body) != [], (path, narrow)
                told += len(await memory.post(path, {"filters": shown}, key=key))
            place = {"user_id": "ann"} if where == "user/ann" else {"graph_id": "g"}
            for scope in SCOPES:
                for narrow in (trees, {"episode_uuids": hidden}):
                    body = {**place, "query": ASKED, "scope": scope, "search_filters": narrow}
                    found = (await memory.post("/graph/search", body, key=key))[scope]
                    assert found == [], (where, scope, narrow)
                body = {**place, "query": ASKED, "scope": scope, "search_filters": shown}
                told += len((await memory.post("/graph/search", body, key=key))[scope])
            for narrow in (trees, {"episode_uuids": hidden}):
                body = {**place, "query": ASKED, "scope": "auto", "search_filters": narrow}
                assert (await memory.post("/graph/search", body, key=key))["context"] == ""
            listed = {"episode_metadata_filters": trees["episode_metadata_filters"]}
            assert await memory.post(f"/graph/episodes/{where}", listed, key=key) == []
        assert told > 20
        oslo = (await memory.node("Oslo"))["uuid"]
        near = f"/graph/node/{oslo}/neighbors"
        for narrow in (trees, {"episode_uuids": hidden}):
            assert await memory.post(near, {"filters": narrow}, key=key) == []
        assert await memory.post(near, {"filters": shown}, key=key) != []


DEEP: Json = both(leaf("n", "=", 1))
for _ in range(8):
    DEEP = {"type": "and", "groups": [DEEP]}
BAD: list[tuple[Json, str]] = [
    ({"type": "and"}, ""),
    (both(leaf("n", "=", 1), groups=[both()]), ".groups[0]"),
    ({"type": "xor", "filters": [leaf("n", "=", 1)]}, ".type"),
    (both(leaf("n", "=", 1), leaf("n", "~", 1)), ".filters[1].comparison_operator"),
    (both(leaf("n", "=")), ".filters[0].property_value"),
    (both(leaf("n", "=", None)), ".filters[0].property_value"),
    (both(leaf("n", "IS NULL", 1)), ".filters[0].property_value"),
    (both(leaf("n", "=", [1])), ".filters[0].property_value"),
    (both(leaf("n", ">", {"a": 1})), ".filters[0].property_value"),
    (both(leaf("n", "CONTAINS", " , ")), ".filters[0].property_value"),
    (both(leaf("n", "in", [1, None])), ".filters[0].property_value[1]"),
    (both(leaf("n", "STARTS WITH", 1)), ".filters[0].property_value"),
    (both(leaf(" ", "=", 1)), ".filters[0].property_name"),
    (either(groups=[both(leaf("n", "=", 1)), either(leaf("n", "=", {}))]), ".groups[1].filters[0]"),
    (both({"property_name": "n"}), ".filters[0].comparison_operator"),
    (both({**leaf("n", "=", 1), "what": 1}), ".filters[0]"),
    (DEEP, ".groups[0]" * 8),
    (both(groups=[both(*[leaf("n", "=", 1)] * 60)] * 2), ".groups[1].filters"),
    (either(groups=[both(leaf("n", "=", 1))] * 101), ".groups[100]"),
]


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("/graph/search", ("search_filters", "episode_metadata_filters")),
        ("/graph/edge/graph/g", ("filters", "episode_metadata_filters")),
        ("/graph/node/user/ann", ("filters", "episode_metadata_filters")),
        ("/graph/episodes/graph/g", ("episode_metadata_filters",)),
        ("/graph/observation/user/ann", ("filters", "episode_metadata_filters")),
        ("/graph/thread-summary/user/ann", ("filters", "episode_metadata_filters")),
        ("/graph/document-summary/graph/g", ("filters", "episode_metadata_filters")),
    ],
)
async def test_a_bad_tree_is_refused_by_the_path_of_what_is_wrong(
    tmp_path: Path, path: str, where: tuple[str, ...]
) -> None:
    """F9: through groups and lists to the very node, wherever a tree is taken."""
    async with remembering(tmp_path) as memory:
        for tree, wrong in BAD:
            body: Any = tree
            for field in reversed(where):
                body = {field: body}
            asked = {"query": "x", "graph_id": "g"} if path == "/graph/search" else {}
            said = await memory.refused(path, {**asked, **body})
            assert said.startswith(".".join(where) + wrong), (tree, said)
