"""Requests on every read route, generated from the route table.

Paths name everything that exists, and something that never did; each body and query model has several
variants. If a new read route has parameters or models that are not known here, add them: `unknown` names
them, and a test checks it.
"""

import re
from collections.abc import Collection, Iterator
from itertools import product
from random import Random
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from recollect.api.router import Nothing, Route
from recollect.asgi import route_table
from tests.property import hidden_variants_4
from tests.property.hidden_reader import PEOPLE
from tests.property.hidden_story import GRAPH, PROJECT, SHELF, TEMPLATES, USER
from tests.property.hidden_variants import BODIES as OLDER_BODIES
from tests.property.hidden_variants import QUERIES as OLDER_QUERIES
from tests.property.hidden_variants import Pools, Several
from tests.property.hidden_worlds import Asked, Json, World

BODIES = OLDER_BODIES | hidden_variants_4.BODIES
QUERIES = OLDER_QUERIES | hidden_variants_4.QUERIES
ABSENT = "00000000-0000-7000-8000-999999999999"
NOWHERE = frozenset((ABSENT, "bob", "nobody", "nothread", "nograph", "noshelf", "noturn"))
PARAMETER = re.compile(r"{(\w+)}")


def pools(world: World) -> Pools:
    """Everything in a world, hidden or not, and something that is not in it."""

    def uuids(query: str) -> list[str]:
        return [row[0] for row in world.running.rows(query)] + [ABSENT]

    threads = [row[0] for row in world.running.rows("SELECT thread_id FROM threads")]
    documents = "SELECT DISTINCT document_id FROM episodes WHERE document_id IS NOT NULL"
    papers = [row[0] for row in world.running.rows("SELECT document_id FROM documents")]
    return Pools(
        {
            "user_id": [USER, "bob", "nobody"],
            "thread_id": [*threads, "nothread"],
            "turn_id": ["turn", "noturn"],
            "graph_id": [GRAPH, "nograph"],
            "collection_name": [SHELF, "noshelf"],
            "template_id": [*TEMPLATES, "notemplate"],
            "document_id": [*(row[0] for row in world.running.rows(documents)), "nodocument"],
            "paper_id": [*papers, "nopaper"],
            "episode": uuids("SELECT uuid FROM episodes"),
            "message": uuids("SELECT uuid FROM episodes WHERE thread_id IS NOT NULL"),
            "node": uuids("SELECT uuid FROM entities"),
            "edge": uuids("SELECT uuid FROM facts"),
            "observation": uuids("SELECT uuid FROM observations"),
            "paper": uuids("SELECT uuid FROM documents"),
            "batch": uuids("SELECT uuid FROM batches"),
            "task": uuids("SELECT DISTINCT task_uuid FROM jobs"),
            "erasure": uuids("SELECT uuid FROM erasures"),
            "injection": uuids("SELECT uuid FROM injections"),
            "user": uuids("SELECT uuid FROM users"),
            "user_group": uuids("SELECT uuid FROM user_groups"),
            "project": [str(world.made["project"])],
            "category": uuids("SELECT uuid FROM feature_categories"),
            "set_type": uuids("SELECT uuid FROM feature_set_types"),
            "resource": ["noresource"],
            "thread": uuids("SELECT uuid FROM threads"),
            "graph": uuids("SELECT uuid FROM graphs UNION ALL SELECT uuid FROM users"),
            "template": uuids("SELECT uuid FROM guidance WHERE kind = 'template'"),
            "never": [ABSENT],
        },
        tuple(world.running.rows(_SAID)),
        {name: list(world.running.rows(query)) for name, query in _PLACES.items()},
    )


_SAID = "SELECT t.thread_id, e.uuid FROM episodes e JOIN threads t ON t.id = e.thread_id"


_IN_GRAPH = "SELECT g.uuid, i.uuid FROM {} i JOIN graphs g ON g.id = i.graph_id"
_PLACES = {
    "node_uuid": _IN_GRAPH.format("entities"),
    "edge_uuid": _IN_GRAPH.format("facts"),
    "episode_uuid": _IN_GRAPH.format("episodes"),
    "observation_uuid": _IN_GRAPH.format("observations"),
    "document_id": "SELECT DISTINCT g.uuid, e.document_id FROM episodes e JOIN graphs g"
    " ON g.id = e.graph_id WHERE e.document_id IS NOT NULL",
    "message_uuid": "SELECT t.uuid, e.uuid FROM episodes e JOIN threads t ON t.id = e.thread_id",
}


def lost(known: Pools, other: Pools) -> set[str]:
    """The values that are in one world but not in the other."""
    return {
        value
        for name, values in known.values.items()
        for value in values
        if value not in other.values[name]
    }


def without(known: Pools, name: str, gone: Collection[str]) -> Pools:
    """Pools without some values of one kind."""
    kept = [value for value in known.values[name] if value not in gone]
    return Pools(known.values | {name: kept}, known.said, known.places)


PATH_POOLS = {
    "user_id": "user_id",
    "thread_id": "thread_id",
    "session_id": "thread_id",
    "turn_id": "turn_id",
    "graph_id": "graph_id",
    "group_id": "graph_id",
    "collection_name": "collection_name",
    "template_id": "template_id",
    "document_id": "document_id",
    "message_uuid": "message",
    "document_uuid": "paper",
    "batch_id": "batch",
    "task_id": "task",
    "user_uuid": "user",
    "group_uuid": "user_group",
    "name": "resource",
    "thread_uuid": "thread",
    "graph_uuid": "graph",
    "node_uuid": "node",
    "edge_uuid": "edge",
    "episode_uuid": "episode",
    "observation_uuid": "observation",
    "batch_uuid": "batch",
    "task_uuid": "task",
    "template_uuid": "template",
    "revision_uuid": "never",
    "hyperedge_uuid": "never",
}
UUID_POOLS = {
    "/api/v2/graph/episodes/": "episode",
    "/api/v2/graph/node/": "node",
    "/api/v2/graph/edge/": "edge",
    "/api/v2/facts/": "edge",
    "/api/v2/graph/observation/": "observation",
    "/api/v1/erasures/": "erasure",
    "/api/v1/injections/": "injection",
    "/api/v1/episodes/": "episode",
    "/api/v1/facts/": "edge",
}


def _pool(route: Route, name: str) -> str | None:
    if name == "uuid":
        return next((v for k, v in UUID_POOLS.items() if route.path.startswith(k)), None)
    return PATH_POOLS.get(name)


def reading() -> list[Route]:
    """The read routes whose results policies can restrict; features that are not offered reveal nothing."""
    return [
        route
        for route in route_table()
        if not (route.public or route.admin or route.mutates)
        and not route.path.startswith(("/api/v4/agents", "/api/v4/trace-connections"))
    ]


def unknown() -> Iterator[str]:
    """Parameters and models in the route table that this module does not know."""
    for route in reading():
        for name in PARAMETER.findall(route.path):
            if _pool(route, name) is None:
                yield f"path parameter {name!r} of {name_of(route)}"
        if route.body is not Nothing and route.body.__name__ not in BODIES:
            yield f"body {route.body.__name__} of {name_of(route)}"
        if route.query is not Nothing and route.query.__name__ not in QUERIES:
            yield f"query {route.query.__name__} of {name_of(route)}"


def name_of(route: Route) -> str:
    """A unique name of a route."""
    return f"{route.method} {route.path}"


def _several(table: dict[str, Several], model: Any, known: Pools, random: Random) -> list[Any]:
    return [None] if model is Nothing else table[model.__name__](known, random)


def of_route(route: Route, known: Pools, random: Random, most: int) -> list[Asked]:
    """Some of the possible requests on a route; every path value is used before any is repeated."""
    names = PARAMETER.findall(route.path)
    pools_ = [random.sample(p := known.values[str(_pool(route, n))], len(p)) for n in names]
    ways = list(
        product(
            _several(QUERIES, route.query, known, random),
            _several(BODIES, route.body, known, random),
        )
    )
    random.shuffle(ways)
    every = list(product(*pools_))
    if len(names) > 1 and route.path.startswith("/api/v4"):
        # Most pairs do not belong together, so the pairs that do come first.
        inside = random.sample(found := known.places.get(names[-1], []), len(found))
        every = [*inside, *random.sample(every, min(len(every), most))]
    if names == ["session_id", "message_uuid"]:
        every = random.sample(
            [*known.said, *random.sample(every, len(known.said))], len(known.said)
        )
    # Something that does not exist is requested once, something that exists in many ways.
    there = [values for values in every if not NOWHERE.intersection(values)] or every
    chosen = [*there, *(values for values in every if values not in there)][:most]
    chosen += [there[number % len(there)] for number in range(most - len(chosen))]
    asked = []
    for number, given in enumerate(chosen[: len(every) * len(ways)]):
        values = dict(zip(names, given, strict=True))
        # Each round over the paths begins with another variant, so that all of them are used.
        turned = number // len(there) if len(there) > 1 else 0
        query, body = ways[(number + turned) % len(ways)]
        path = PARAMETER.sub(lambda m, given=values: quote(given[m[1]]), route.path)
        asked.append(
            Asked(
                name_of(route),
                route.method,
                path,
                urlencode(query or {}),
                b"" if body is None else body,
            )
        )
    return asked


def everything(known: Pools, random: Random, most: int) -> Iterator[Asked]:
    """Requests on all read routes, at most *most* on each."""
    for route in reading():
        yield from of_route(route, known, random, most)


def writes(known: Pools, random: Random, hidden: Collection[str], most: int) -> Iterator[Asked]:
    """Writes that name a hidden object, or whose response depends on earlier content."""
    for method, path, pool, body in _WRITES:
        unseen = [value for value in known.values[pool] if value in hidden]
        for value in random.sample(unseen, min(most, len(unseen))):
            told = path.format(value)
            sent = b"" if body is None else {k: value if v == "{}" else v for k, v in body.items()}
            yield Asked(f"{method} {path}", method, told, body=sent)
    for method, noun, body in _WRITES_4:
        inside = [pair for pair in known.places[f"{noun}_uuid"] if pair[1] in hidden]
        for graph, uuid in random.sample(inside, min(most, len(inside))):
            told = f"/api/v4/graphs/{graph}/{noun}s/{uuid}"
            yield Asked(f"{method} {noun} 4", method, told, body=b"" if body is None else body)
    classes = {"name": "kind", "classes": ["likes", "lives", *PEOPLE[:4]], "last_n": 4}
    for thread in known.values["thread_id"]:
        path = f"/api/v2/sessions/{thread}/classify"
        yield Asked("POST classify", "POST", path, body={**classes, "persist": False})


_WRITES_4: tuple[tuple[str, str, Json | None], ...] = (
    ("PATCH", "edge", {"fact": "changed"}),
    ("DELETE", "edge", None),
    ("PATCH", "node", {"summary": "changed"}),
    ("DELETE", "node", None),
    ("PATCH", "episode", {"metadata": {"class": "open"}}),
    ("DELETE", "episode", None),
)
_WRITES: tuple[tuple[str, str, str, Json | None], ...] = (
    ("PATCH", "/api/v2/graph/edge/{}", "edge", {"name": "CHANGED"}),
    ("DELETE", "/api/v2/graph/edge/{}", "edge", None),
    ("DELETE", "/api/v2/facts/{}", "edge", None),
    ("POST", "/api/v1/facts/{}/reopen", "edge", None),
    ("PATCH", "/api/v2/graph/node/{}", "node", {"summary": "changed"}),
    ("DELETE", "/api/v2/graph/node/{}", "node", None),
    ("PATCH", "/api/v2/graph/episodes/{}", "episode", {"metadata": {"class": "open"}}),
    ("DELETE", "/api/v2/graph/episodes/{}", "episode", None),
    ("DELETE", "/api/v1/episodes/{}", "episode", None),
    ("POST", "/api/v1/jobs/{}/retry", "episode", None),
    ("PATCH", "/api/v2/messages/{}", "message", {"metadata": {"class": "open"}}),
    ("PATCH", f"/api/v2/collections/{SHELF}/documents/uuid/{{}}", "paper", {"metadata": {}}),
    ("DELETE", f"/api/v2/collections/{SHELF}/documents/uuid/{{}}", "paper", None),
    ("POST", "/api/v2/memories/episodic/delete", "episode", {**PROJECT, "episodic_id": "{}"}),
    ("POST", "/api/v2/memories/semantic/delete", "edge", {**PROJECT, "semantic_id": "{}"}),
    (
        "POST",
        "/api/v2/memories/semantic/feature/update",
        "edge",
        {**PROJECT, "feature_id": "{}", "tag": "changed"},
    ),
)


def next_page(asked: Asked, cursor: str | None) -> Asked | None:
    """The request for the next page, which begins at *cursor*."""
    if cursor and asked.path.startswith("/api/v4/"):
        query = dict(parse_qsl(asked.query)) | {"cursor": cursor}
        return Asked(asked.route, asked.method, asked.path, urlencode(query), asked.body)
    if not cursor or not isinstance(asked.body, dict):
        return None
    body = {k: v for k, v in asked.body.items() if k != "uuid_cursor"} | {"cursor": cursor}
    return Asked(asked.route, asked.method, asked.path, asked.query, body)
