"""Every read of a key that may see part of a memory, over HTTP: the rest is not there."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.governance import explaining, keys
from recollect.governance.explaining import Question
from recollect.graph.policy_trace import Trace
from recollect.store.protocol import Transaction
from tests.support.memory import Memory, remembering

NOWHERE = "00000000-0000-4000-8000-000000000000"
PUBLIC, SECRET = {"class": "public"}, {"class": "secret"}
PUBLIC_ALONE = {"class": ["public"]}
READS = {"effect": "allow", "actions": ["readonly"], "attributes": {"class": ["public"]}}
WRITES = {
    "effect": "allow",
    "actions": [
        "graph.node.update",
        "graph.node.delete",
        "graph.edge.update",
        "graph.edge.delete",
        "graph.episode.update",
        "graph.episode.delete",
        "graph.add",
        "graph.clone",
        "graph.add_fact_triple",
        "thread.message.update",
        "document.update_document",
        "document.delete_document",
    ],
    "attributes": {"class": ["public"]},
}


class World(Memory):
    """A graph, a thread and documents, half of them public; `own` is a key to that half."""

    own: str = ""
    wide: str = ""

    async def get(self, path: str, *, key: str | None = None) -> Any:
        """What a read answers, with the query in its path."""
        path, _, query = path.partition("?")
        answer = await self.running.send("GET", "/api/v2" + path, query=query, key=key)
        assert answer.status == 200, answer.body
        return answer.json()

    async def seen(self, path: str) -> Any:
        """What the key may read."""
        return await self.get(path, key=self.own)

    async def asked(self, path: str, body: Any) -> Any:
        """What the key may read with a body."""
        return await self.post(path, body, key=self.own)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Emma is public, Hugo secret; both were in Rome."""
    async with remembering(tmp_path) as memory:
        made = World(memory.running)
        await made.tell("Emma Lopez lives in Rome.", PUBLIC, document_id="d")
        await made.tell("Hugo Brandt lives in Rome.", SECRET, document_id="d")
        await made.tell("Hugo Brandt knows Emma Lopez.", SECRET)
        await made.thread("t")
        await made.say(
            "t",
            {"content": "I live in Oslo.", "metadata": PUBLIC},
            {"content": "I fear Hugo Brandt.", "metadata": SECRET},
            {"content": "I like tea.", "metadata": PUBLIC},
        )
        made.own = await made.key(READS, WRITES)
        made.wide = await made.key(READS, WRITES, subset_match=True)
        yield made


async def uuids(world: World, noun: str) -> dict[str, str]:
    """What there is for who sees all, by name, sentence or content."""
    found = await world.listed(noun, limit=50)
    return {one.get("fact") or one.get("content") or one["name"]: one["uuid"] for one in found}


async def test_what_is_hidden_reads_like_what_never_was(world: World) -> None:
    """The same status, headers and bytes, but for the uuid that is repeated."""
    for noun, path, hidden in (
        ("edge", "/graph/edge/{}", "Hugo Brandt knows Emma Lopez"),
        ("edge", "/facts/{}", "Hugo Brandt knows Emma Lopez"),
        ("node", "/graph/node/{}", "Hugo Brandt"),
        ("node", "/graph/node/{}/entity-edges", "Hugo Brandt"),
        ("node", "/graph/node/{}/episodes", "Hugo Brandt"),
        ("episodes", "/graph/episodes/{}", "Hugo Brandt knows Emma Lopez."),
        ("episodes", "/graph/episodes/{}/mentions", "Hugo Brandt knows Emma Lopez."),
    ):
        uuid = (await uuids(world, noun))[hidden]
        one = await world.send(404, "GET", path.format(uuid), key=world.own)
        none = await world.send(404, "GET", path.format(NOWHERE), key=world.own)
        assert one.body.replace(uuid.encode(), NOWHERE.encode()) == none.body
        heads = [[h for h in a.headers if h[0] != b"x-request-id"] for a in (one, none)]
        assert heads[0] == heads[1]


async def test_what_is_hidden_cannot_be_touched(world: World) -> None:
    """It is not there, and stays as it is."""
    for method, noun, path, hidden, body in (
        ("PATCH", "node", "/graph/node/{}", "Hugo Brandt", {"name": "X"}),
        ("DELETE", "node", "/graph/node/{}", "Hugo Brandt", b""),
        ("PATCH", "edge", "/graph/edge/{}", "Hugo Brandt knows Emma Lopez", {"name": "X"}),
        ("DELETE", "edge", "/graph/edge/{}", "Hugo Brandt knows Emma Lopez", b""),
        ("DELETE", "edge", "/facts/{}", "Hugo Brandt knows Emma Lopez", b""),
        ("PATCH", "episodes", "/graph/episodes/{}", "Hugo Brandt lives in Rome.", {"metadata": {}}),
        ("DELETE", "episodes", "/graph/episodes/{}", "Hugo Brandt lives in Rome.", b""),
        ("POST", "node", "/graph/node/{}/neighbors", "Hugo Brandt", {}),
    ):
        before = await uuids(world, noun)
        await world.send(404, method, path.format(before[hidden]), body, key=world.own)
        assert await uuids(world, noun) == before


async def test_lists_hold_what_may_be_seen(world: World) -> None:
    """Page by page, with cursors that lead no further than that."""
    for noun, wanted in (
        ("edge", ["Emma Lopez lives in Rome"]),
        ("node", []),
        ("episodes", ["Emma Lopez lives in Rome."]),
    ):
        found = await world.send(200, "POST", f"/graph/{noun}/graph/g", {"limit": 1}, key=world.own)
        said = [one.get("fact") or one.get("content") or one["name"] for one in found.json()]
        assert said == wanted
        assert found.header("zep-next-cursor") == ""
    newest = (await world.seen("/graph/episodes/graph/g?lastn=5"))["episodes"]
    of_document = (await world.seen("/graph/documents/d/episodes?graph_id=g"))["episodes"]
    assert [one["content"] for one in newest] == ["Emma Lopez lives in Rome."]
    assert [one["content"] for one in of_document] == ["Emma Lopez lives in Rome."]
    assert await world.asked("/graph/document-summary/graph/g", {}) == []


async def test_an_edge_names_nobody(world: World) -> None:
    """Its ends are uuids; nothing of the hidden nodes goes with it, in any answer."""
    edge = (await world.asked("/graph/edge/graph/g", {}))[0]
    named = {key for key in edge if key.endswith(("_name", "_labels"))}
    assert named == set()
    assert edge["source_node_uuid"]
    assert edge["metadata"] == {"class": ["public"]}
    fact = (await world.seen(f"/facts/{edge['uuid']}"))["fact"]
    assert "source_node_name" not in fact
    found = await world.asked("/graph/search", {"graph_id": "g", "query": "Rome"})
    assert [set(one) & {"source_node_name", "target_node_labels"} for one in found["edges"]] == [
        set()
    ]
    facts = (await world.seen("/groups/g/facts"))["facts"]
    assert [one["fact"] for one in facts] == ["Emma Lopez lives in Rome"]
    assert "source_node_name" not in facts[0]


async def test_a_wider_key_sees_shared_nodes_without_what_is_hidden_of_them(world: World) -> None:
    """Neighbours, subgraphs, mentions, searches and lists tell the same of them."""
    (rome,) = [n for n in await world.listed("node") if n["name"] == "Rome"]
    assert "Hugo Brandt" in rome["summary"]
    (emma,) = [n for n in await world.listed("node") if n["name"] == "Emma Lopez"]
    near = await world.post(f"/graph/node/{emma['uuid']}/neighbors", {}, key=world.wide)
    around = await world.post(
        "/graph/subgraph", {"graph_id": "g", "seed_node_uuids": [emma["uuid"]]}, key=world.wide
    )
    searched = await world.post(
        "/graph/search", {"graph_id": "g", "query": "Rome", "scope": "nodes"}, key=world.wide
    )
    listed = await world.post("/graph/node/graph/g", {"order_by": "degree"}, key=world.wide)
    got = await world.get(f"/graph/node/{rome['uuid']}", key=world.wide)
    (episode,) = got["episodes"]
    came = await world.get(f"/graph/episodes/{episode}/mentions", key=world.wide)
    nodes = [
        got,
        *(one["node"] for one in near),
        *around["nodes"],
        *searched["nodes"],
        *listed,
        *came["nodes"],
    ]
    told = [node for node in nodes if node["uuid"] == rome["uuid"]]
    assert len(told) == 6
    for node in told:
        assert node["summary"] == "Emma Lopez lives in Rome."
        assert node["metadata"] == {"class": ["public"]}
    assert {node["name"] for node in nodes} == {"Rome", "Emma Lopez"}
    assert {one["degree"] for one in listed} == {1}
    assert [one["fact"] for one in around["edges"]] == ["Emma Lopez lives in Rome"]
    patterns = await world.post("/graph/patterns", {"graph_id": "g"}, key=world.wide)
    assert patterns["metadata"]["edges_analyzed"] == 1


async def test_messages_are_counted_as_they_may_be_seen(world: World) -> None:
    """By both generations; a single one is there or not."""
    whole = await world.get("/threads/t/messages")
    assert whole["total_count"] == 3
    for path in ("/threads/t/messages", "/sessions/t/messages"):
        found = await world.seen(path)
        assert [one["content"] for one in found["messages"]] == ["I live in Oslo.", "I like tea."]
        assert (found["row_count"], found["total_count"]) == (2, 2)
        last = await world.seen(f"{path}?lastn=1")
        assert [one["content"] for one in last["messages"]] == ["I like tea."]
        second = await world.seen(f"{path}?limit=1&cursor=1")
        assert [one["content"] for one in second["messages"]] == ["I like tea."]
    hidden = whole["messages"][1]["uuid"]
    await world.send(404, "GET", f"/sessions/t/messages/{hidden}", key=world.own)
    await world.send(404, "PATCH", f"/messages/{hidden}", {"metadata": {}}, key=world.own)
    shown = (await world.seen("/threads/t/episodes"))["episodes"]
    assert [one["content"] for one in shown] == ["I live in Oslo.", "I like tea."]


async def test_what_a_session_said_is_what_may_be_seen_of_it(world: World) -> None:
    """Facts, summaries, questions, fields and searches of generation 2."""
    facts = (await world.seen("/sessions/t/facts"))["facts"]
    told = " ".join(one["fact"] for one in facts)
    assert "Oslo" in told
    assert "Hugo" not in told
    searched = await world.asked(
        "/sessions/search", {"session_ids": ["t"], "text": "Hugo Brandt", "search_scope": "facts"}
    )
    messages = await world.asked("/sessions/t/search", {"text": "fear Hugo Brandt"})
    for answer in (searched, messages, await world.seen("/sessions/t/synthesize_question")):
        assert "fear" not in str(answer)
    await world.send(404, "GET", "/threads/t/summary", key=world.own)
    wide = await world.get("/threads/t/summary", key=world.wide)
    assert "Oslo" in wide["summary"]
    assert "Hugo" not in wide["summary"]
    assert wide["metadata"] == {"class": ["public"]}


async def test_a_context_is_made_of_what_may_be_seen(world: World) -> None:
    """The user's node was talked of in secret, too: it tells what was said in public."""
    node = (await world.seen("/users/ann/node"))["node"]
    assert node["summary"] == "Ann Lee lives in Oslo. Ann Lee likes tea."
    assert node["metadata"] == PUBLIC_ALONE
    context = (await world.seen("/threads/t/context"))["context"]
    assert "USER_SUMMARY" in context
    assert "Oslo" in context
    assert "Hugo" not in context
    memory = await world.seen("/sessions/t/memory")
    assert [one["content"] for one in memory["messages"]] == ["I live in Oslo.", "I like tea."]
    assert "Hugo" not in str(memory)
    assert "summary" not in memory
    wide = (await world.get("/threads/t/context", key=world.wide))["context"]
    assert "USER_SUMMARY" in wide
    assert "Hugo" not in wide
    node = (await world.get("/users/ann/node", key=world.wide))["node"]
    assert "Hugo" not in str(node)
    assert node["attributes"] == {}


async def test_a_template_tells_what_may_be_seen(world: World) -> None:
    """In every one of its holes."""
    await world.post(
        "/context-templates",
        {
            "template_id": "all",
            "template": "A %{edges} B %{entities} C %{episodes} D %{thread_summaries}"
            " E %{user_summary} F %{observations}",
        },
    )
    whole = (await world.get("/threads/t/context?template_id=all"))["context"]
    assert "Hugo" in whole
    for key in (world.own, world.wide):
        some = (await world.get("/threads/t/context?template_id=all", key=key))["context"]
        assert "Oslo" in some
        assert "Hugo" not in some


async def test_a_search_over_everything_finds_what_may_be_seen(world: World) -> None:
    """Raw results and the packed text alike."""
    body = {"query": "Hugo Brandt in Rome", "scope": "auto", "return_raw_results": True}
    for key in (world.own, world.wide):
        for place in ({"graph_id": "g"}, {"user_id": "ann"}):
            found = await world.post("/graph/search", {**body, **place}, key=key)
            assert "Hugo" not in str(found)


async def test_a_key_that_sees_part_cannot_copy_the_whole(world: World) -> None:
    """And is told why."""
    answer = await world.send(
        403, "POST", "/graph/clone", {"source_graph_id": "g", "target_graph_id": "h"}, key=world.own
    )
    assert "policies hide part" in answer.message


async def test_what_a_key_writes_is_answered_even_where_it_could_not_read_it(world: World) -> None:
    """It told us itself; the next read does not find it."""
    made = await world.post(
        "/graph",
        {"graph_id": "g", "type": "text", "data": "Emma Lopez likes jazz.", "metadata": SECRET},
        key=world.own,
    )
    assert made["content"] == "Emma Lopez likes jazz."
    await world.send(404, "GET", f"/graph/episodes/{made['uuid']}", key=world.own)


class Learning:
    """Stands in for a worker: whatever waits is read as soon as somebody wakes it."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Read what waits."""
        self._task = asyncio.create_task(self._memory.learn())

    def stop(self) -> None:
        """It has nothing left to do: whoever woke it waited for it."""


async def test_a_triple_tells_nothing_of_the_hidden_node_that_its_name_meets(
    world: World,
) -> None:
    """Whoever may write it anywhere still reads of it only what they may read."""
    triple = {
        "graph_id": "g",
        "fact": "Emma Lopez met Hugo Brandt",
        "fact_name": "MET",
        "source_node_name": "Emma Lopez",
        "target_node_name": "Hugo Brandt",
        "metadata": PUBLIC,
    }
    plain = {"effect": "allow", "actions": ["graph.add_fact_triple"]}
    scoped, blind = await world.key(READS, plain), await world.key(plain)
    world.running.services.workers.append(Learning(world))  # type: ignore[arg-type]
    told = await world.post("/graph/add-fact-triple", triple, key=scoped)
    assert told["edge"]["fact"] == triple["fact"]
    assert "source_node_name" not in told["edge"]
    assert told["target_node"]["summary"] == "Emma Lopez met Hugo Brandt."
    assert set(await world.post("/graph/add-fact-triple", triple, key=blind)) == {"task_id"}
    await world.post("/graph/add-fact-triple", {**triple, "metadata": SECRET})
    await world.learn()
    nodes = await world.listed("node", limit=50)
    public, secret = sorted(one["summary"] for one in nodes if one["name"] == "Hugo Brandt")
    assert public == "Emma Lopez met Hugo Brandt."
    assert "Hugo Brandt lives in Rome" in secret


async def test_ending_a_session_tells_its_class_to_those_who_may_know_it(world: World) -> None:
    """Of the messages they may see; whoever may only end it is told none."""
    ends = {"effect": "allow", "actions": ["thread.end"]}
    judges = {
        "effect": "allow",
        "actions": ["thread.classify"],
        "attributes": {"class": ["public"]},
    }
    asked = {"classify": {"name": "mood", "classes": ["fear of Hugo Brandt", "tea"], "last_n": 2}}
    blind, scoped = await world.key(ends), await world.key(ends, judges)
    path = "/sessions/t/end"
    assert "classification" not in await world.post(path, asked, key=blind)
    assert (await world.post(path, asked, key=scoped))["classification"]["class"] == "tea"


async def test_a_triple_cannot_be_tied_to_a_hidden_node(world: World) -> None:
    """Its uuid is like one of no node at all."""
    hidden = (await uuids(world, "node"))["Hugo Brandt"]
    triple = {
        "graph_id": "g",
        "fact": "Emma met him",
        "fact_name": "MET",
        "source_node_name": "Emma",
    }
    said = [
        (
            await world.send(
                404,
                "POST",
                "/graph/add-fact-triple",
                {**triple, "target_node_uuid": uuid},
                key=world.own,
            )
        ).message.replace(uuid, "")
        for uuid in (hidden, NOWHERE)
    ]
    assert said[0] == said[1]


async def test_documents_are_seen_by_their_own_metadata(world: World) -> None:
    """Reads, counts, searches, changes and deletions."""
    await world.send(200, "POST", "/collections/c", {})
    made = (
        await world.post(
            "/collections/c/documents",
            [
                {"content": "tea is green", "document_id": "a", "metadata": PUBLIC},
                {"content": "tea is black", "document_id": "b", "metadata": SECRET},
                {"content": "tea is odd", "document_id": "x", "metadata": {"class": {"deep": 1}}},
            ],
        )
    )[0]
    hidden = made[1]
    await world.send(404, "GET", f"/collections/c/documents/uuid/{hidden}", key=world.own)
    assert (await world.seen("/collections/c"))["document_count"] == 1
    listed = await world.asked(
        "/collections/c/documents/batchGet", {"document_ids": ["a", "b", "x"]}
    )
    assert [one["document_id"] for one in listed[0]] == ["a"]
    found = await world.asked("/collections/c/search", {"metadata": {}})
    assert [one["document_id"] for one in found["results"]] == ["a"]
    for method, path, body in (
        ("PATCH", f"/collections/c/documents/uuid/{hidden}", {"document_id": "z"}),
        ("PATCH", "/collections/c/documents/batchUpdate", [{"uuid": hidden, "document_id": "z"}]),
        ("DELETE", f"/collections/c/documents/uuid/{hidden}", b""),
    ):
        await world.send(404, method, path, body, key=world.own)
    await world.send(200, "POST", "/collections/c/documents/batchDelete", [hidden], key=world.own)
    assert (await world.get("/collections/c"))["document_count"] == 3


async def test_a_batch_names_no_hidden_episode(world: World) -> None:
    """Drafted or processed; cursors count what may be seen."""
    batch = (await world.post("/batches", {}))["batch_id"]
    items = [
        {
            "type": "graph_episode",
            "graph_id": "g",
            "data": f"number {number}",
            "metadata": SECRET if number % 2 else PUBLIC,
        }
        for number in range(4)
    ]
    await world.post(f"/batches/{batch}/items", {"items": items})
    first = await world.seen(f"/batches/{batch}/items?limit=1")
    rest = await world.seen(f"/batches/{batch}/items?limit=1&cursor={first['next_cursor']}")
    indices = [one["sequence_index"] for one in (*first["items"], *rest["items"])]
    assert indices == [0, 2]
    assert rest.get("next_cursor") is None
    await world.send(200, "POST", f"/batches/{batch}/process")
    await world.learn()
    done = await world.seen(f"/batches/{batch}/items")
    assert [one["sequence_index"] for one in done["items"]] == [0, 2]


async def test_a_task_tells_what_may_be_seen_of_its_result(world: World) -> None:
    """A direct write of a hidden fact has no uuids to tell."""
    sent = {"graph_id": "g", "fact": "Hugo met Ida", "fact_name": "MET", "metadata": SECRET}
    ends = {"source_node_name": "Hugo Brandt", "target_node_name": "Ida Holm"}
    task = (await world.post("/graph/add-fact-triple", {**sent, **ends}))["task_id"]
    await world.learn()
    assert "edge_uuid" in (await world.get(f"/tasks/{task}"))["params"]
    assert "params" not in await world.seen(f"/tasks/{task}")


@pytest.mark.parametrize("subset", [False, True])
async def test_an_explanation_says_of_an_observation_what_a_read_says(
    world: World, subset: bool
) -> None:
    """It is hidden with any fact that it rests on, whatever all of them carry together, until the
    graph was folded with the wall that a new policy draws between them."""
    for number, food in enumerate(("bread", "cheese", "honey", "salt")):
        await world.tell(f"Emma Lopez likes {food}.", {"level": "low" if number else "high"})
    denial = {"effect": "deny", "actions": ["readonly"], "attributes": {"level": ["high"]}}
    key = await world.key(denial, role="default_allow", subset_match=subset)
    (uuid,) = (await uuids(world, "observation")).values()
    await world.send(404, "GET", f"/graph/observation/{uuid}", key=key)

    def ask(tx: Transaction) -> Trace:
        row = tx.keys.by_hash(hash=keys.hashed(key))
        assert row is not None
        asked = Question(
            key_uuid=row.uuid, action="graph.observation.get", reads=True, object_uuid=uuid
        )
        return explaining.explain(tx, row.project_id, asked)

    trace = await world.running.services.store.read(ask)
    assert (trace.outcome, trace.visible) == ("narrowed", False)
    assert ("a fact that it rests on" in trace.why) is not subset


async def test_an_end_that_only_a_hidden_episode_tells_is_not_shown(world: World) -> None:
    """Not on the edge, nor by what a filter finds; one that a visible episode tells is. Nor is it
    to anybody, once the graph was folded with the wall between the two."""
    ends = {"source_node_name": "Nora Quinn", "fact_name": "LIVES_IN", "graph_id": "g"}
    for city, year, metadata in (
        ("Rome", 2020, {"level": "low"}),
        ("Bern", 2021, {"level": "low"}),
        ("Oslo", 2022, {"level": "high"}),
    ):
        sent = {"fact": f"Nora Quinn lives at {city}", "target_node_name": city, **ends}
        times = {"valid_at": f"{year}-01-01T00:00:00Z"}
        await world.post("/graph/add-fact-triple", {**sent, **times, "metadata": metadata})
        await world.learn()
    denial = {"effect": "deny", "actions": ["readonly"], "attributes": {"level": ["high"]}}
    key = await world.key(denial, role="default_allow")
    known = await uuids(world, "edge")
    rome, bern = (f"/graph/edge/{known[f'Nora Quinn lives at {one}']}" for one in ("Rome", "Bern"))
    assert (await world.get(bern))["invalid_at"] == "2022-01-01T00:00:00Z"
    shown = await world.get(bern, key=key)
    assert not {"invalid_at", "expired_at"} & {key for key, value in shown.items() if value}
    assert (await world.get(rome, key=key))["invalid_at"] == "2021-01-01T00:00:00Z"
    asked = {"graph_id": "g", "query": "Nora Quinn lives at Bern", "scope": "edges"}
    for operator, expected in (("IS NULL", True), ("IS NOT NULL", False)):
        test = {"invalid_at": [[{"comparison_operator": operator}]]}
        found = await world.post("/graph/search", {**asked, "search_filters": test}, key=key)
        facts = [edge["fact"] for edge in found["edges"]]
        assert ("Nora Quinn lives at Bern" in facts) is expected
        assert ("Nora Quinn lives at Rome" in facts) is not expected
    (nora,) = [uuid for name, uuid in (await uuids(world, "node")).items() if name == "Nora Quinn"]
    assert "lives at Bern" in (await world.get(f"/graph/node/{nora}", key=key))["summary"]
    await world.learn()
    assert (await world.get(bern)).get("invalid_at") is None
    assert (await world.get(rome))["invalid_at"] == "2021-01-01T00:00:00Z"


async def test_a_hidden_user_node_is_not_a_missing_user(world: World) -> None:
    """The user is there for whoever may read users; the node is what the key does not see."""
    key = await world.key({**READS, "attributes": {"class": ["nothing"]}})
    (user,) = {thread["user_id"] for thread in [await world.get("/sessions/t")]}
    assert (await world.get(f"/users/{user}", key=key))["user_id"] == user
    refusal = await world.send(404, "GET", f"/users/{user}/node", key=key)
    assert refusal.message == f"node not found: the node of user {user}"
    missing = await world.send(404, "GET", "/users/nobody/node", key=world.own)
    assert missing.message == "user not found: nobody"
