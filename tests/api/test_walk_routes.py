"""Neighbours, subgraphs and patterns over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.graph.types import Episode
from recollect.store import rows
from recollect.store.protocol import Transaction
from tests.contract.store.world import insert_entity, insert_fact
from tests.support.asgi import Answer, Program, program

NOBODY = "00000000-0000-4000-8000-000000000000"


class World:
    """A graph of people and places, and calls that say what status they expect."""

    def __init__(self, running: Program) -> None:
        self.running = running
        self.uuids: dict[str, str] = {}
        self.facts: dict[str, str] = {}

    async def send(self, status: int, path: str, body: Any) -> Answer:
        """One request and its whole answer."""
        answer = await self.running.send("POST", "/api/v2" + path, body)
        assert answer.status == status, answer.body
        return answer

    async def learn(self, labels: dict[str, str], facts: list[tuple[str, str, str]]) -> None:
        """Nodes with a label each, and facts of the form (source, name, target)."""
        ((graph_id,),) = self.running.rows("SELECT id FROM graphs WHERE graph_id = 'town'")
        heard = [rows.episode(row) for row in await self.running.services.store.read(_episodes)]
        await self.running.services.store.write(self._learn, graph_id, labels, facts, heard)
        for name, uuid in self.running.rows("SELECT name, uuid FROM entities"):
            self.uuids[name] = uuid

    def _learn(
        self,
        tx: Transaction,
        graph_id: int,
        labels: dict[str, str],
        facts: list[tuple[str, str, str]],
        heard: list[Episode],
    ) -> None:
        ids = {name: insert_entity(tx, graph_id, name, ()) for name in labels}
        for source, name, target in facts:
            sentence = f"{source} {name} {target}"
            behind = heard[:1] if name == "LIVES_IN" else heard[1:]
            self.facts[sentence] = insert_fact(
                tx, graph_id, (ids[source], ids[target]), sentence, behind
            )

    def finish(self, labels: dict[str, str]) -> None:
        """Give facts the names and nodes the labels that the helpers above do not."""
        self.running.execute(
            "UPDATE facts SET name = replace(substr(fact, instr(fact, ' ') + 1,"
            " instr(substr(fact, instr(fact, ' ') + 1), ' ') - 1), ' ', '')"
        )
        for name, label in labels.items():
            told = f'["Entity", "{label}"]'
            self.running.execute("UPDATE entities SET labels = ? WHERE name = ?", told, name)

    async def neighbours(self, node: str, **body: Any) -> dict[str, list[str]]:
        """The names of the neighbours of a node, and the sentences that lead to them."""
        answer = await self.send(200, f"/graph/node/{self.uuids[node]}/neighbors", body)
        return {
            near["node"]["name"]: sorted(edge["fact"] for edge in near["edges"])
            for near in answer.json()
        }

    async def subgraph(self, *seeds: str, **body: Any) -> dict[str, Any]:
        """A walk from some nodes: names, sentences, and whether it was cut."""
        uuids = [self.uuids.get(seed, NOBODY) for seed in seeds]
        asked = {"graph_id": "town", "seed_node_uuids": uuids, **body}
        found = (await self.send(200, "/graph/subgraph", asked)).json()
        ends = {edge[end] for edge in found["edges"] for end in ENDS}
        assert ends <= {node["uuid"] for node in found["nodes"]}, "an edge without its ends"
        return {
            "nodes": [node["name"] for node in found["nodes"]],
            "edges": sorted(edge["fact"] for edge in found["edges"]),
            "cut": found.get("truncation_reason"),
            "truncated": found["truncated"],
        }

    async def patterns(self, **body: Any) -> Any:
        """What recurs in the graph."""
        return (await self.send(200, "/graph/patterns", {"graph_id": "town", **body})).json()


ENDS = ("source_node_uuid", "target_node_uuid")
LABELS = {"ann": "Person", "bob": "Person", "cleo": "Person", "rome": "Place", "pisa": "Place"}
FACTS = [
    ("ann", "LIVES_IN", "rome"),
    ("bob", "LIVES_IN", "rome"),
    ("ann", "KNOWS", "bob"),
    ("cleo", "KNOWS", "ann"),
    ("cleo", "LIVES_IN", "pisa"),
    ("ann", "SINGS", "ann"),
]


def _episodes(tx: Transaction) -> list[Any]:
    found = tx.graphs.by_name(project_id=1, kind="standalone", graph_id="town")
    assert found is not None
    return list(reversed(tx.episodes.last(graph_id=found.id, limit=10)))


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Ann, Bob and Cleo, Rome and Pisa; two episodes behind what is known of them."""
    async with program(tmp_path) as running:
        made = World(running)
        await made.send(200, "/graph/create", {"graph_id": "town"})
        for tier in ("gold", "tin"):
            piece = {"graph_id": "town", "type": "text", "data": tier, "metadata": {"tier": tier}}
            await made.send(200, "/graph", piece)
        await made.learn(LABELS, FACTS)
        made.finish(LABELS)
        yield made


async def test_neighbours_are_distinct_and_come_with_their_edges(world: World) -> None:
    """A fact of a node with itself makes it no neighbour."""
    assert await world.neighbours("ann") == {
        "rome": ["ann LIVES_IN rome"],
        "bob": ["ann KNOWS bob"],
        "cleo": ["cleo KNOWS ann"],
    }


@pytest.mark.parametrize(
    ("direction", "names"),
    [("out", {"rome", "bob"}), ("in", {"cleo"}), ("both", {"rome", "bob", "cleo"})],
)
async def test_neighbours_lie_in_a_direction(world: World, direction: str, names: Any) -> None:
    """Out is where the node is the source."""
    assert set(await world.neighbours("ann", direction=direction)) == names


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"edge_types": ["KNOWS"]}, {"bob", "cleo"}),
        ({"exclude_edge_types": ["KNOWS"]}, {"rome"}),
        ({"node_labels": ["Place"]}, {"rome"}),
        ({"exclude_node_labels": ["Place"]}, {"bob", "cleo"}),
        ({"node_labels": ["Place"], "edge_types": ["KNOWS"]}, set()),
        ({"valid_at": [[{"comparison_operator": "IS NOT NULL"}]]}, set()),
        (
            {
                "episode_metadata_filters": {
                    "type": "and",
                    "filters": [
                        {
                            "property_name": "tier",
                            "comparison_operator": "=",
                            "property_value": "gold",
                        }
                    ],
                }
            },
            {"rome"},
        ),
    ],
)
async def test_neighbours_are_narrowed_by_edges_and_by_their_own_labels(
    world: World, filters: Any, names: set[str]
) -> None:
    """Labels are the neighbour's, all else is the edge's."""
    assert set(await world.neighbours("ann", filters=filters)) == names


async def test_neighbours_come_in_pages(world: World) -> None:
    """Each once, in the order asked for."""
    path = f"/graph/node/{world.uuids['ann']}/neighbors"
    body = {"limit": 1, "direction_sort": "asc"}
    seen: list[str] = []
    cursor = None
    while cursor != "":
        answer = await world.send(200, path, {**body, **({"cursor": cursor} if cursor else {})})
        seen += [near["node"]["uuid"] for near in answer.json()]
        cursor = answer.header("Zep-Next-Cursor")
    assert seen == sorted(world.uuids[name] for name in ("rome", "bob", "cleo"))


async def test_bad_neighbours_are_refused(world: World) -> None:
    """An unknown node, direction, order or filter."""
    path = f"/graph/node/{world.uuids['ann']}/neighbors"
    await world.send(404, f"/graph/node/{NOBODY}/neighbors", {})
    assert (await world.send(400, path, {"direction": "up"})).message.startswith("direction:")
    assert (await world.send(400, path, {"order_by": "degree"})).message.startswith("order_by:")
    assert (await world.send(400, path, {"filters": {"x": 1}})).message.startswith("filters:")


async def test_a_subgraph_goes_one_step_from_its_seeds(world: World) -> None:
    """With both ends of every edge, and no edge that was not walked."""
    assert await world.subgraph("ann") == {
        "nodes": ["ann", "cleo", "bob", "rome"],
        "edges": ["ann KNOWS bob", "ann LIVES_IN rome", "ann SINGS ann", "cleo KNOWS ann"],
        "cut": None,
        "truncated": False,
    }


async def test_a_subgraph_goes_as_deep_as_it_is_told(world: World) -> None:
    """Two steps from Pisa reach Ann, three all there is."""
    assert (await world.subgraph("pisa", depth=2))["nodes"] == ["pisa", "cleo", "ann"]
    whole = await world.subgraph("pisa", depth=3)
    assert sorted(whole["nodes"]) == sorted(LABELS)
    assert len(whole["edges"]) == 5


async def test_a_subgraph_keeps_the_order_of_its_seeds(world: World) -> None:
    """Unknown ones are passed over, doubled ones count once."""
    found = await world.subgraph("rome", "nobody", "pisa", "rome", max_nodes=2)
    assert found["nodes"] == ["rome", "pisa"]
    assert found["cut"] == "max_nodes"
    assert await world.subgraph("nobody") == {
        "nodes": [],
        "edges": [],
        "cut": None,
        "truncated": False,
    }


async def test_a_subgraph_says_which_budget_cut_it(world: World) -> None:
    """Nodes or edges; nothing is said when all of it fits."""
    few = await world.subgraph("ann", max_edges=2)
    assert (few["cut"], len(few["edges"])) == ("max_edges", 2)
    small = await world.subgraph("ann", max_nodes=2)
    assert (small["cut"], small["nodes"]) == ("max_nodes", ["ann", "cleo"])
    assert small["edges"] == ["ann SINGS ann", "cleo KNOWS ann"]
    assert (await world.subgraph("ann", max_nodes=4, max_edges=4))["cut"] is None


@pytest.mark.parametrize(
    ("body", "nodes"),
    [
        ({"direction": "out"}, ["ann", "bob", "rome"]),
        ({"direction": "in"}, ["ann", "cleo"]),
        ({"search_filters": {"node_labels": ["Place"]}}, ["ann", "rome"]),
        ({"search_filters": {"edge_types": ["KNOWS"]}, "depth": 3}, ["ann", "cleo", "bob"]),
    ],
)
async def test_a_subgraph_is_narrowed(world: World, body: Any, nodes: list[str]) -> None:
    """By direction, by the labels of what is reached, by the edges on the way."""
    assert (await world.subgraph("ann", **body))["nodes"] == nodes


async def test_a_subgraph_is_narrowed_by_episodes(world: World) -> None:
    """Only edges that rest on one of them are walked."""
    first = (await world.running.services.store.read(_episodes))[0].uuid
    found = await world.subgraph("ann", depth=2, search_filters={"episode_uuids": [first]})
    assert found["edges"] == ["ann LIVES_IN rome", "bob LIVES_IN rome"]


LEAF = {"property_name": "a", "comparison_operator": "is_null"}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"seed_node_uuids": []}, "seed_node_uuids: from 1 to 20"),
        ({"seed_node_uuids": [NOBODY] * 21}, "seed_node_uuids: from 1 to 20"),
        ({"depth": 0}, "depth: must be from 1 to 3"),
        ({"depth": 4}, "depth: must be from 1 to 3"),
        ({"max_nodes": 501}, "max_nodes: must be from 1 to 500"),
        ({"max_edges": 0}, "max_edges: must be from 1 to 1000"),
        ({"direction": "up"}, "direction: must be one of"),
        ({"user_id": "ann"}, "user_id and graph_id"),
        (
            {"search_filters": {"episode_metadata_filters": {"type": "and", "filters": [LEAF]}}},
            "search_filters.episode_metadata_filters:",
        ),
    ],
)
async def test_a_bad_subgraph_is_refused(world: World, body: Any, says: str) -> None:
    """The message begins with the field."""
    asked = {"graph_id": "town", "seed_node_uuids": [NOBODY], **body}
    assert (await world.send(400, "/graph/subgraph", asked)).message.startswith(says)


async def test_a_node_of_another_graph_is_no_seed(world: World) -> None:
    """The graph that is named is the one that is walked."""
    await world.send(200, "/graph/create", {"graph_id": "village"})
    found = await world.subgraph("ann", graph_id="village")
    assert found["nodes"] == []


async def test_patterns_of_a_whole_graph_are_counted(world: World) -> None:
    """Every shape there is, the weightiest first, and what was looked at."""
    answer = await world.patterns()
    assert answer["metadata"]["nodes_analyzed"] == 5
    assert answer["metadata"]["edges_analyzed"] == 6
    told = {pattern["description"]: pattern for pattern in answer["patterns"]}
    assert told["Person -[LIVES_IN]-> Place"]["occurrences"] == 3
    assert told["Person -[KNOWS]-> Person"]["weighted_score"] == 2.0
    assert told["ann (Person): KNOWS (2), LIVES_IN (1)"]["type"] == "hub"
    scores = [pattern["weighted_score"] for pattern in answer["patterns"]]
    assert scores == sorted(scores, reverse=True)
    assert "nodes" not in answer


async def test_patterns_are_of_the_kinds_that_are_asked_for(world: World) -> None:
    """With their own bounds."""
    answer = await world.patterns(detect={"relationships": {}}, min_occurrences=1, limit=2)
    assert [p["type"] for p in answer["patterns"]] == ["relationship"] * 2
    paths = await world.patterns(detect={"paths": {"max_hops": 2}}, min_occurrences=1)
    assert {p["description"] for p in paths["patterns"]} == {
        "Person -[KNOWS]-> Person -[LIVES_IN]-> Place",
        "Person -[KNOWS]-> Person -[KNOWS]-> Person",
    }
    clusters = await world.patterns(detect={"clusters": {}}, min_occurrences=1)
    assert [p["node_labels"] for p in clusters["patterns"]] == [["Person", "Person", "Place"]]


async def test_patterns_are_looked_for_around_seeds(world: World) -> None:
    """By uuid, by label and by type of edge."""
    one = {"detect": {"relationships": {}}, "min_occurrences": 1}
    around = await world.patterns(seeds={"node_uuids": [world.uuids["pisa"]]}, **one)
    assert [(p["description"], p["occurrences"]) for p in around["patterns"]] == [
        ("Person -[LIVES_IN]-> Place", 1)
    ]
    places = await world.patterns(seeds={"node_labels": ["Place"]}, **one)
    assert [p["occurrences"] for p in places["patterns"]] == [3]
    singers = await world.patterns(seeds={"edge_types": ["SINGS"]}, **one)
    assert {p["edge_types"][0] for p in singers["patterns"]} == {"SINGS", "KNOWS", "LIVES_IN"}


async def test_patterns_are_narrowed_by_filters(world: World) -> None:
    """Edges that do not pass take no part."""
    answer = await world.patterns(search_filters={"edge_types": ["KNOWS"]}, min_occurrences=1)
    assert answer["metadata"]["edges_analyzed"] == 2
    assert {name for p in answer["patterns"] for name in p["edge_types"]} == {"KNOWS"}


async def test_old_facts_weigh_less(world: World) -> None:
    """A half-life changes the weight, never the count."""
    world.running.execute("UPDATE facts SET created_at = created_at - 7 * 86400 * 1000000")
    body = {"detect": {"relationships": {}}, "recency_weight": "7_days"}
    (first, *_) = (await world.patterns(**body))["patterns"]
    assert first["occurrences"] == 3
    assert first["weighted_score"] == pytest.approx(1.5, rel=1e-3)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"query": "who", "seeds": {"node_labels": ["Place"]}}, "seeds: a query finds its own"),
        ({"seeds": {}}, "seeds: give one of"),
        ({"recency_weight": "1_year"}, "recency_weight:"),
        ({"detect": {"hubs": {"min_degree": 1}}}, "detect.hubs.min_degree:"),
        ({"detect": {"paths": {"max_hops": 6}}}, "detect.paths.max_hops:"),
        ({"detect": {"paths": {"max_hops": 1}}}, "detect.paths.max_hops:"),
        ({"detect": {"co_occurrences": {"max_hops": 0}}}, "detect.co_occurrences.max_hops:"),
        ({"search_filters": {"x": 1}}, "search_filters: object contains unknown"),
        ({"user_id": "ann"}, "user_id and graph_id"),
    ],
)
async def test_bad_patterns_are_refused(world: World, body: Any, says: str) -> None:
    """The message begins with the field."""
    asked = {"graph_id": "town", **body}
    assert (await world.send(400, "/graph/patterns", asked)).message.startswith(says)
