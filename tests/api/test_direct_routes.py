"""Facts and nodes written down directly, copies of graphs, and facts of sessions."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from recollect.app import tasks
from recollect.extract.brief import Brief, Extracted
from recollect.graph import predicates
from recollect.graph.found import Found, read_direct
from recollect.graph.types import DIRECT_KINDS
from recollect.ingest import pipeline
from recollect.ingest.worker import Worker
from tests.support.asgi import Answer, Program, program

NOBODY = "00000000-0000-7000-8000-000000000000"
MET = {
    "fact": "Paul met Eric Clapton",
    "fact_name": "MET",
    "source_node_name": "Paul",
    "target_node_name": "Eric Clapton",
}
LIVES = {
    "fact": "Paul lives in Berlin",
    "fact_name": "LIVES_IN",
    "source_node_name": "Paul",
    "target_node_name": "Berlin",
    "valid_at": "2020-01-01T00:00:00Z",
}


class WrittenDown:
    """Reads what callers wrote down as knowledge, and nothing else."""

    together = 16
    wants_known = False
    predicates = predicates.load()

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each episode says, in order."""
        found = [
            read_direct(r.kind, r.content) if r.kind in DIRECT_KINDS else Found() for r in readings
        ]
        return [
            Extracted(found=item, vector=b"", fact_vectors=(b"",) * len(item.facts))
            for item in found
        ]

    async def close(self) -> None:
        """Nothing to let go of."""


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

    async def session_facts(self, count: int) -> list[Any]:
        """The facts of the session `talk`, once there are as many."""
        for _ in range(1_000):
            found: list[Any] = (await self.get("/sessions/talk/facts"))["facts"]
            if len(found) >= count:
                return found
            await asyncio.sleep(0.01)
        pytest.fail(f"still not {count} facts: {found}")

    async def triple(self, **fields: Any) -> Any:
        """A triple in the graph `band`, unless another is named."""
        named = {"user_id", "graph_id", "group_id"} & fields.keys()
        where = {} if named else {"graph_id": "band"}
        return await self.post("/graph/add-fact-triple", {**MET, **where, **fields})


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """The application without workers, with the graph `band` and the user `ann` in it."""
    async with program(tmp_path) as running:
        made = Api(running)
        await made.post("/graph/create", {"graph_id": "band"})
        await made.post("/users", {"user_id": "ann", "first_name": "Ann", "last_name": "Lee"})
        yield made


@pytest.fixture
async def working(api: Api) -> AsyncIterator[Api]:
    """The same with a worker."""
    worker = Worker(
        api.running.services.store,
        owner="test",
        attempts_max=1,
        backoff_first_s=1.0,
        process=partial(pipeline.process, extractor=WrittenDown()),
    )
    api.running.services.workers.append(worker)
    task = asyncio.create_task(worker.run())
    yield api
    worker.stop()
    with suppress(asyncio.CancelledError):
        await task


async def test_a_triple_is_answered_with_its_edge_and_both_nodes(working: Api) -> None:
    """What was written is in the answer and in later reads."""
    times = {"valid_at": "2024-01-01T00:00:00Z", "invalid_at": "2024-02-01T00:00:00+01:00"}
    made = await working.triple(
        source_node_summary="A drummer.",
        source_node_labels=["Musician", "Entity"],
        target_node_attributes={"instrument": "guitar", "age": None},
        edge_attributes={"loudness": 11},
        **times,
    )
    edge, source, target = made["edge"], made["source_node"], made["target_node"]
    assert (edge["fact"], edge["name"]) == (MET["fact"], "MET")
    assert (edge["source_node_uuid"], edge["target_node_uuid"]) == (source["uuid"], target["uuid"])
    assert (edge["valid_at"], edge["invalid_at"]) == (
        "2024-01-01T00:00:00Z",
        "2024-01-31T23:00:00Z",
    )
    assert edge["attributes"] == {"loudness": 11}
    assert (source["name"], source["labels"]) == ("Paul", ["Entity", "Musician"])
    assert source["summary"] == "A drummer."
    assert target["attributes"] == {"instrument": "guitar"}
    assert await working.get(f"/graph/edge/{edge['uuid']}") == edge
    read = await working.get(f"/graph/node/{target['uuid']}")
    assert read == {**target, "episodes": [], "episodes_truncated": False}
    task = await working.get(f"/tasks/{made['task_id']}")
    assert task["status"] == "succeeded"
    assert task["params"] == {
        "edge_uuid": edge["uuid"],
        "source_node_uuid": source["uuid"],
        "target_node_uuid": target["uuid"],
    }


async def test_a_triple_without_a_worker_is_answered_with_its_task(api: Api) -> None:
    """It is stored all the same, and the task is there to be asked for."""
    made = await api.triple()
    assert list(made) == ["task_id"]
    assert (await api.get(f"/tasks/{made['task_id']}"))["status"] == "pending"


async def test_a_slow_triple_is_not_waited_for(
    working: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a while the caller gets the task instead."""
    monkeypatch.setattr(tasks, "DIRECT_WAIT_S", 0.0)
    assert list(await working.triple()) == ["task_id"]


async def test_a_triple_that_cannot_be_processed_ends_as_a_failed_task(
    working: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer comes as soon as the job is parked, with nothing but the task."""

    async def broken(self: WrittenDown, readings: Sequence[Brief]) -> list[Extracted]:
        raise RuntimeError("no")

    monkeypatch.setattr(WrittenDown, "extract", broken)
    made = await working.triple()
    assert list(made) == ["task_id"]
    assert (await working.get(f"/tasks/{made['task_id']}"))["status"] == "failed"


async def test_the_same_triple_twice_is_one_edge(working: Api) -> None:
    """Ends are found again by their names, and the fact by what it says."""
    first = await working.triple()
    again = await working.triple()
    assert again["edge"]["uuid"] == first["edge"]["uuid"]
    assert again["source_node"]["uuid"] == first["source_node"]["uuid"]
    assert len(await working.post("/graph/edge/graph/band", {})) == 1
    assert len(await working.post("/graph/node/graph/band", {})) == 2


async def test_a_triple_closes_the_fact_it_contradicts(working: Api) -> None:
    """One lives in one place at a time; the old fact ends where the new one begins."""
    old = (await working.triple(**LIVES))["edge"]
    moved = {
        **LIVES,
        "fact": "Paul lives in Rome",
        "target_node_name": "Rome",
        "valid_at": "2023-05-01T00:00:00Z",
    }
    new = (await working.triple(**moved))["edge"]
    assert "invalid_at" not in new
    closed = await working.get(f"/graph/edge/{old['uuid']}")
    assert closed["invalid_at"] == "2023-05-01T00:00:00Z"
    assert closed["expired_at"]
    assert closed["fact"] == old["fact"]


async def test_a_triple_goes_to_the_nodes_given_by_uuid(working: Api) -> None:
    """A name is not needed then, and none is changed."""
    first = await working.triple()
    ends = {
        "source_node_uuid": first["target_node"]["uuid"],
        "target_node_uuid": first["source_node"]["uuid"],
    }
    body = {"graph_id": "band", "fact": "Eric taught Paul", "fact_name": "TAUGHT", **ends}
    made = await working.post("/graph/add-fact-triple", body)
    assert made["source_node"]["uuid"] == first["target_node"]["uuid"]
    assert made["target_node"]["uuid"] == first["source_node"]["uuid"]
    assert made["target_node"]["name"] == "Paul"


async def test_in_a_users_graph_the_user_is_the_source_unless_another_is_named(
    working: Api,
) -> None:
    """A standalone graph has no such node, so there the source has to be named."""
    body = {"fact": "Ann plays chess", "fact_name": "PLAYS", "target_node_name": "Chess"}
    made = await working.post("/graph/add-fact-triple", {**body, "user_id": "ann"})
    own = (await working.get("/users/ann/node"))["node"]
    assert made["source_node"]["uuid"] == own["uuid"]
    said = await working.refused(400, "/graph/add-fact-triple", {**body, "graph_id": "band"})
    assert said.startswith("source_node_name or source_node_uuid:")


async def test_the_wanted_uuid_of_a_fact_is_kept_unless_another_graph_has_it(
    working: Api,
) -> None:
    """Uuids are one of a kind, and nobody learns what another graph holds."""
    wanted = "0190f0f0-0000-7000-8000-00000000000a"
    made = await working.triple(fact_uuid=wanted)
    assert made["edge"]["uuid"] == wanted
    other = await working.triple(user_id="ann", fact_uuid=wanted)
    assert other["edge"]["uuid"] != wanted


async def test_the_episodes_behind_direct_writes_are_in_no_list(working: Api) -> None:
    """Nor with nodes; the edge alone names the one it is, which can be read and deleted."""
    made = await working.triple(metadata={"source": "crm"})
    assert await working.get("/graph/episodes/graph/band") == {"episodes": []}
    assert await working.post("/graph/episodes/graph/band", {}) == []
    uuid = made["source_node"]["uuid"]
    assert await working.get(f"/graph/node/{uuid}/episodes") == {"episodes": []}
    found = await working.post(
        "/graph/search", {"graph_id": "band", "query": "Paul Eric", "scope": "episodes"}
    )
    assert found["episodes"] == []
    shadows = working.running.rows("SELECT uuid, kind, metadata FROM episodes")
    assert [(kind, metadata) for _, kind, metadata in shadows] == [
        ("fact_triple", '{"source":"crm"}')
    ]
    assert made["edge"]["episodes"] == [shadows[0][0]]
    episode = await working.get(f"/graph/episodes/{shadows[0][0]}")
    assert (episode["content"], episode["source"]) == (MET["fact"], "fact_triple")
    assert episode["metadata"] == {"source": "crm"}
    await working.send(200, "DELETE", f"/graph/episodes/{shadows[0][0]}")
    await working.send(404, "GET", f"/graph/edge/{made['edge']['uuid']}")


async def test_nodes_that_were_written_down_show_no_episode(working: Api) -> None:
    """Nothing names the episode behind them, and nobody reads it."""
    await working.post("/graph/nodes", {"graph_id": "band", "nodes": [{"name": "Paul"}]})
    ((uuid,),) = working.running.rows("SELECT uuid FROM episodes")
    await working.send(404, "GET", f"/graph/episodes/{uuid}")
    await working.send(404, "DELETE", f"/graph/episodes/{uuid}")


async def test_deleting_a_graph_removes_the_hidden_episodes(working: Api) -> None:
    """What is not shown is forgotten like all else."""
    await working.triple()
    await working.send(200, "DELETE", "/graph/band")
    assert working.running.rows("SELECT uuid FROM episodes") == []


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"fact": ""}, "fact:"),
    ({"fact": "x" * 251}, "fact:"),
    ({"fact": None}, "fact:"),
    ({"fact_name": ""}, "fact_name:"),
    ({"fact_name": "M" * 51}, "fact_name:"),
    ({"fact_name": "met"}, "fact_name:"),
    ({"fact_name": "MET TWICE"}, "fact_name:"),
    ({"fact_name": "MET_"}, "fact_name:"),
    ({"fact_uuid": "fact-1"}, "fact_uuid:"),
    ({"source_node_name": " "}, "source_node_name:"),
    ({"source_node_name": "x" * 51}, "source_node_name:"),
    ({"target_node_name": "x" * 51}, "target_node_name:"),
    ({"target_node_name": None}, "target_node_name or target_node_uuid:"),
    ({"source_node_summary": "x" * 501}, "source_node_summary:"),
    ({"target_node_summary": "x" * 501}, "target_node_summary:"),
    ({"source_node_labels": ["A", "B"]}, "source_node_labels:"),
    ({"target_node_labels": [""]}, "target_node_labels:"),
    ({"source_node_attributes": {"a": [1]}}, "source_node_attributes.a:"),
    ({"target_node_attributes": {"a": {"b": 1}}}, "target_node_attributes.a:"),
    ({"edge_attributes": {" ": 1}}, "edge_attributes:"),
    ({"metadata": {"a": [1]}}, "metadata.a:"),
    ({"metadata": {"a": {}}}, "metadata.a:"),
    ({"metadata": {str(n): n for n in range(11)}}, "metadata:"),
    ({"created_at": "yesterday"}, "created_at:"),
    ({"valid_at": "soon"}, "valid_at:"),
    ({"expired_at": "13/13/2024"}, "expired_at:"),
    ({"valid_at": "2024-02-01T00:00:00Z", "invalid_at": "2024-01-01T00:00:00Z"}, "invalid_at:"),
    ({"graph_id": None}, "user_id or graph_id:"),
    ({"user_id": "ann"}, "user_id and graph_id:"),
    ({"group_id": "other"}, "graph_id and group_id:"),
]


@pytest.mark.parametrize(("change", "field"), REFUSED, ids=str)
async def test_a_triple_out_of_bounds_is_refused_by_field(
    api: Api, change: dict[str, Any], field: str
) -> None:
    """Nothing is stored, and the message begins with what has to be mended."""
    body = {**MET, "graph_id": "band", **change}
    said = await api.refused(400, "/graph/add-fact-triple", body)
    assert said.startswith(field), said
    assert api.running.rows("SELECT id FROM episodes") == []


async def test_a_triple_at_its_bounds_is_taken(api: Api) -> None:
    """The longest of everything."""
    await api.triple(
        fact="x" * 250,
        fact_name="M" * 50,
        source_node_name="x" * 50,
        source_node_summary="x" * 500,
        source_node_attributes={"a": None, "b": True, "c": 1.5, "d": "e"},
        metadata={str(n): n for n in range(10)},
    )


@pytest.mark.parametrize("end", ["source", "target"])
async def test_a_node_uuid_must_be_of_the_same_graph(working: Api, end: str) -> None:
    """One that is unknown, or of another graph, is not found."""
    made = await working.triple()
    for body in (
        {"graph_id": "band", f"{end}_node_uuid": NOBODY},
        {"user_id": "ann", f"{end}_node_uuid": made["source_node"]["uuid"]},
    ):
        said = await working.refused(404, "/graph/add-fact-triple", {**MET, **body})
        assert said.startswith(f"{end}_node_uuid:")


@pytest.mark.parametrize("path", ["/graph/add-fact-triple", "/graph/nodes"])
async def test_direct_writes_need_a_graph_that_exists(api: Api, path: str) -> None:
    """Neither a user nor a graph of that name."""
    body = {**MET, "nodes": [{"name": "Paul"}]}
    assert await api.refused(404, path, {**body, "graph_id": "nothing"})
    assert await api.refused(404, path, {**body, "user_id": "nobody"})


ONTOLOGY = {
    "entity_types": [
        {
            "name": "Musician",
            "description": "Someone who plays.",
            "properties": [
                {"name": "instrument", "type": "Text", "description": "What is played."},
                {"name": "age", "type": "Int", "description": "In years."},
                {"name": "fee", "type": "Float", "description": "Per evening."},
                {"name": "famous", "type": "Boolean", "description": "Known to many."},
            ],
        },
        {"name": "Bare", "description": "Without properties."},
    ],
    "edge_types": [
        {
            "name": "MET",
            "description": "Two people met.",
            "properties": [{"name": "times", "type": "Int", "description": "How often."}],
        }
    ],
    "graph_ids": ["band"],
}
GOOD_ATTRIBUTES = {"instrument": "drums", "age": 60, "fee": 100, "famous": True}


@pytest.mark.parametrize(
    ("attributes", "field"),
    [
        ({"colour": "red"}, "colour"),
        ({"instrument": 1}, "instrument"),
        ({"age": "60"}, "age"),
        ({"age": 1.5}, "age"),
        ({"age": True}, "age"),
        ({"fee": "much"}, "fee"),
        ({"famous": 1}, "famous"),
    ],
    ids=str,
)
async def test_attributes_of_a_custom_type_are_held_to_it(
    api: Api, attributes: dict[str, Any], field: str
) -> None:
    """Only what the type has, and of the right kind; for nodes of both routes alike."""
    await api.send(200, "PUT", "/entity-types", ONTOLOGY)
    body = {**MET, "graph_id": "band", "target_node_labels": ["Musician"]}
    said = await api.refused(
        400, "/graph/add-fact-triple", {**body, "target_node_attributes": attributes}
    )
    assert said.startswith(f"target_node_attributes.{field}:")
    node = {"name": "Ringo", "label": "Musician", "attributes": attributes}
    said = await api.refused(400, "/graph/nodes", {"graph_id": "band", "nodes": [node]})
    assert said.startswith(f"nodes[0].attributes.{field}:")


async def test_attributes_of_other_types_pass_as_they_are(api: Api) -> None:
    """A type without properties, or one that is not in the ontology, asks for nothing."""
    await api.send(200, "PUT", "/entity-types", ONTOLOGY)
    for label in ("Bare", "Unheard", None):
        labels = [] if label is None else [label]
        await api.triple(target_node_labels=labels, target_node_attributes={"colour": "red"})
    await api.triple(target_node_labels=["Musician"], target_node_attributes=GOOD_ATTRIBUTES)


async def test_attributes_of_a_custom_edge_are_held_to_it(api: Api) -> None:
    """The name of the fact is the name of the type."""
    await api.send(200, "PUT", "/entity-types", ONTOLOGY)
    body = {**MET, "graph_id": "band", "edge_attributes": {"times": "often"}}
    said = await api.refused(400, "/graph/add-fact-triple", body)
    assert said.startswith("edge_attributes.times:")
    await api.triple(fact_name="SAW", edge_attributes={"times": "often"})


async def test_nodes_are_answered_in_order_with_their_uuids(working: Api) -> None:
    """Each is readable; one that the graph knows already is found again."""
    known = (await working.triple())["source_node"]["uuid"]
    nodes = [
        {"name": "Ringo", "label": "Musician", "summary": "Plays drums.", "attributes": {"a": 1}},
        {"name": "Paul", "metadata": {"source": "crm"}},
    ]
    made = await working.post("/graph/nodes", {"graph_id": "band", "nodes": nodes})
    assert [node["name"] for node in made["nodes"]] == ["Ringo", "Paul"]
    assert made["nodes"][1]["uuid"] == known
    assert made["nodes"][1]["metadata"] == {"source": "crm"}
    ringo = await working.get(f"/graph/node/{made['nodes'][0]['uuid']}")
    assert ringo["labels"] == ["Entity", "Musician"]
    assert (ringo["summary"], ringo["attributes"]) == ("Plays drums.", {"a": 1})
    task = await working.get(f"/tasks/{made['task_id']}")
    assert task["status"] == "succeeded"
    assert task["params"] == {"node_uuids": [node["uuid"] for node in made["nodes"]]}
    assert await working.get("/graph/episodes/graph/band") == {"episodes": []}


async def test_nodes_without_a_worker_are_answered_without_uuids(api: Api) -> None:
    """They are accepted, and the task tells when they are there."""
    made = await api.post("/graph/nodes", {"user_id": "ann", "nodes": [{"name": "Paul"}]})
    assert made["nodes"] == [{"name": "Paul"}]
    assert made["task_id"]


@pytest.mark.parametrize(
    ("nodes", "field"),
    [
        ([], "nodes:"),
        ([{"name": "x"}] * 101, "nodes:"),
        ([{"name": "x"}, {"name": ""}], "nodes[1].name:"),
        ([{"name": "x" * 51}], "nodes[0].name:"),
        ([{"label": "A"}], "nodes[0].name:"),
        ([{"name": "x", "label": " "}], "nodes[0].label:"),
        ([{"name": "x", "summary": "x" * 501}], "nodes[0].summary:"),
        ([{"name": "x", "attributes": {"a": []}}], "nodes[0].attributes.a:"),
        ([{"name": "x", "metadata": {"a": [1]}}], "nodes[0].metadata.a:"),
        ([{"name": "x", "created_at": "never"}], "nodes[0].created_at:"),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_nodes_out_of_bounds_are_refused_by_field(
    api: Api, nodes: list[dict[str, Any]], field: str
) -> None:
    """None of them is stored."""
    said = await api.refused(400, "/graph/nodes", {"graph_id": "band", "nodes": nodes})
    assert said.startswith(field), said
    assert api.running.rows("SELECT id FROM episodes") == []


async def test_a_graph_is_copied_under_a_new_id(working: Api) -> None:
    """Nodes, edges and episodes are there again under new uuids; the original stays as it was."""
    await working.triple()
    note = {"graph_id": "band", "type": "text", "data": "The band is loud."}
    await working.post("/graph", note)
    made = await working.post(
        "/graph/clone", {"source_graph_id": "band", "target_graph_id": "tribute"}
    )
    assert (made["graph_id"], made["group_id"]) == ("tribute", "tribute")
    assert (await working.get(f"/tasks/{made['task_id']}"))["task_id"] == made["task_id"]
    for path in ("/graph/node/graph", "/graph/edge/graph", "/graph/episodes/graph"):
        old = await working.post(f"{path}/band", {})
        new = await working.post(f"{path}/tribute", {})
        assert len(old) == len(new) > 0
        assert not {item["uuid"] for item in old} & {item["uuid"] for item in new}
    (edge,) = await working.post("/graph/edge/graph/tribute", {})
    ends = {node["uuid"] for node in await working.post("/graph/node/graph/tribute", {})}
    assert {edge["source_node_uuid"], edge["target_node_uuid"]} == ends


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"source_graph_id": "band"}, 400),
        ({"target_graph_id": "copy"}, 400),
        ({"source_graph_id": "band", "target_user_id": "bob"}, 400),
        ({"source_user_id": "ann", "target_graph_id": "copy"}, 400),
        ({"source_user_id": "ann", "source_graph_id": "band", "target_user_id": "bob"}, 400),
        ({"source_graph_id": "band", "target_graph_id": "x", "target_user_id": "bob"}, 400),
        ({"source_graph_id": "band", "source_group_id": "x", "target_graph_id": "copy"}, 400),
        ({"source_graph_id": "band", "target_graph_id": "band"}, 400),
        ({"source_graph_id": "band", "target_graph_id": "a/b"}, 400),
        ({"source_user_id": "ann", "target_user_id": "ann"}, 400),
        ({"source_graph_id": "nothing", "target_graph_id": "copy"}, 404),
        ({"source_user_id": "nobody", "target_user_id": "bob"}, 404),
    ],
    ids=str,
)
async def test_a_copy_needs_a_source_and_a_free_target_of_its_kind(
    api: Api, body: dict[str, Any], status: int
) -> None:
    """Users become users and graphs become graphs; a taken id is refused."""
    assert await api.refused(status, "/graph/clone", body)


async def test_facts_of_a_session_are_remembered_word_for_word(working: Api) -> None:
    """They are listed with the session and belong to the user; the history does not show them."""
    await working.post("/sessions", {"session_id": "talk", "user_id": "ann"})
    said = [{"fact": "Ann is allergic to nuts."}, {"fact": "Ann's car is blue."}]
    assert (await working.post("/sessions/talk/facts", {"facts": said}))["message"]
    found = await working.session_facts(2)
    assert {fact["fact"] for fact in found} == {item["fact"] for item in said}
    assert {fact["source_node_name"] for fact in found} == {"Ann Lee"}
    assert (await working.get("/sessions/talk/messages"))["messages"] == []
    assert (await working.get("/sessions/talk/messages"))["total_count"] == 0
    assert (await working.get("/threads/talk/episodes"))["episodes"] == []
    await working.send(200, "DELETE", "/threads/talk")
    left = await working.post("/graph/edge/user/ann", {})
    assert not {edge["fact"] for edge in left} & {item["fact"] for item in said}


async def test_session_facts_can_be_asked_for_by_rating(working: Api) -> None:
    """One below the mark is left out; one that nobody rated is not below it."""
    await working.post("/sessions", {"session_id": "talk", "user_id": "ann"})
    await working.post("/sessions/talk/facts", {"facts": [{"fact": f"Fact {n}."} for n in "abc"]})
    await working.session_facts(3)
    for name, rating in (("a", 0.2), ("b", 0.8)):
        working.running.execute(
            "UPDATE facts SET rating = ? WHERE fact = ?", rating, f"Fact {name}."
        )
    found = (await working.get("/sessions/talk/facts", "minRating=0.5"))["facts"]
    assert {fact["fact"] for fact in found} == {"Fact b.", "Fact c."}


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ([], "facts:"),
        ([{"fact": "x"}] * 101, "facts:"),
        ([{"fact": "x"}, {"fact": " "}], "facts[1].fact:"),
        ([{"fact": "x" * 4097}], "facts[0].fact:"),
        ([{}], "facts[0].fact:"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_session_facts_out_of_bounds_are_refused_by_field(
    api: Api, facts: list[dict[str, Any]], field: str
) -> None:
    """None of them is stored."""
    await api.post("/sessions", {"session_id": "talk", "user_id": "ann"})
    said = await api.refused(400, "/sessions/talk/facts", {"facts": facts})
    assert said.startswith(field), said
    assert await api.refused(404, "/sessions/nothing/facts", {"facts": [{"fact": "x"}]})
