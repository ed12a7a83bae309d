"""Checks the responses to a restricted key: they show nothing but what it may see, and all of that."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.property import hidden_story, hidden_truth
from tests.property.hidden_requests import ABSENT, next_page
from tests.property.hidden_truth import Thing, View
from tests.property.hidden_worlds import Asked, World
from tests.support.asgi import Answer

PAGES_MAX = 100
OTHER = ABSENT.replace("9", "8")
NAMES = {"source_node_name", "source_node_labels", "target_node_name", "target_node_labels"}


def objects(answer: Any) -> Iterator[dict[str, Any]]:
    """Every JSON object in a response, at any depth."""
    if isinstance(answer, dict):
        yield answer
        for value in answer.values():
            yield from objects(value)
    elif isinstance(answer, list):
        for value in answer:
            yield from objects(value)


def _named_by(found: dict[str, Any]) -> str:
    """The uuid of an object, which has other names for MemMachine clients."""
    named = (found.get(name) for name in ("uuid", "uid", "id"))
    return next((one for one in named if isinstance(one, str)), "")


def _content(answer: Answer) -> Any:
    """The content of a response: JSON, or text such as a log in JSON lines."""
    if answer.header("content-type") == "application/json":
        return answer.json()
    return answer.body.decode()


class Judge:
    """Checks the responses that a restricted key gets."""

    def __init__(self, told: World, keys: tuple[str, str], view: View) -> None:
        self._told = told
        self._restricted, self._open = keys
        self._view = view
        self.cases = 0
        self.narrowed = 0  # lists that were shorter than for a key that sees everything
        self.lists: Counter[str] = Counter()  # lists that were not empty

    async def judge(self, asked: Asked) -> None:
        """Check a request on all its pages, compared with a key that sees everything."""
        seen = await self._pages(asked, self._restricted)
        for answer in seen:
            self.cases += 1
            assert answer.status < 500, str(asked)
            assert answer.status != 403, str(asked)
            self._holds_no_secret(asked, answer)
            for found in objects(_content(answer) if answer.status == 200 else None):
                self._shows_what_it_may(asked, found)
        if seen[0].status == 200:
            self._is_near(asked, seen)
        named = self._named(asked)
        if named:
            await self._is_as_if_it_never_was(asked, seen[0], named)
        elif asked.route in FILTERED and _narrows_nothing(asked):
            every = await self._pages(asked, self._open)
            assert (seen[0].status == 200) == (every[0].status == 200), str(asked)
            if seen[0].status == 200:
                told = [u for answer in every for u in _uuids(answer) if self._visible(u)]
                found = [u for answer in seen for u in _uuids(answer)]
                # A fact that only a hidden episode ended still holds for the key.
                held = set(told) | self._view.ended_by_hidden()
                assert set(found) <= held, str(asked)
                assert [uuid for uuid in found if uuid in set(told)] == told, str(asked)
                self.lists[asked.route] += bool(told)
                self.narrowed += len(told) < sum(len(_uuids(answer)) for answer in every)
                self._is_counted(asked, seen, len(told))

    async def _pages(self, asked: Asked, key: str) -> list[Answer]:
        found: list[Answer] = []
        request: Asked | None = asked
        while request is not None and len(found) < PAGES_MAX:
            found.append(await self._told.ask(request, key))
            request = next_page(request, found[-1].header("zep-next-cursor"))
        return found

    def _visible(self, uuid: str) -> bool:
        return self._view.visible.get(uuid, True)

    def _holds_no_secret(self, asked: Asked, answer: Answer) -> None:
        if asked.route.startswith(ITEMISED):
            return
        text = json.dumps(_content(answer), ensure_ascii=False)
        request = f"{asked.path} {json.dumps(asked.body) if asked.body else ''}"
        leaked = [one for one in self._view.secrets if one in text and one not in request]
        assert leaked == [], f"{asked}: {leaked} in {text}"

    def _shows_of_a_fact(self, asked: Asked, thing: Thing, found: dict[str, Any]) -> None:
        where = f"{asked}: {found}"
        assert not any(found.get(name) for name in NAMES), where
        if not self._view.heard(thing):
            assert not found.get("attributes"), where
            assert "'told'" not in str(asked.body), where
        if "episodes" in found:
            assert set(found["episodes"]) == self._view.named(thing), where
        if found.get("citations") is not None:
            assert set(found["citations"]) == self._view.episodes(thing), where

    def _shows_what_it_may(self, asked: Asked, found: dict[str, Any]) -> None:
        thing = self._view.all.things.get(_named_by(found))
        if thing is None:
            return
        where = f"{asked}: {found}"
        assert self._view.visible[thing.uuid], where
        if thing.kind == "fact":
            self._shows_of_a_fact(asked, thing, found)
        whole = "graph/map" not in asked.route  # a map counts only the edges that it shows
        if thing.kind == "entity" and whole and found.get("degree") is not None:
            assert found["degree"] == sum(self._view.facts[n] for n in thing.facts), where
        if thing.kind == "entity" and "attributes" in found and not self._view.heard(thing):
            assert thing.is_user or not found["attributes"], where
        if thing.kind == "observation" and "episode_ids" in found:
            assert set(found["episode_ids"]) == self._view.episodes(thing), where
        said = thing.kind == "episode" or "content" in found
        if not said and "metadata" in found and found["metadata"] is not None:
            told = {key: set(map(repr, values)) for key, values in found["metadata"].items()}
            held = self._view.metadata(thing)
            assert told == {key: set(map(repr, values)) for key, values in held.items()}, where
        if thing.kind == "summary" and self._view.whole(thing) and "summary" in found:
            assert found["summary"] == hidden_truth.written(thing), where

    async def asks_in_vain(self, word: str) -> None:
        """A word that occurs only in hidden objects must find the same as a word that occurs nowhere."""
        for path, body in ASKING:
            answers = []
            for asked in (word, NO_NUMBER.sub("99999", word)):
                sent = {key: asked if value is None else value for key, value in body.items()}
                request = Asked(path, "POST", path, "", sent)
                answers.append(await self._told.ask(request, self._restricted))
            self.cases += 1
            assert answers[0] == answers[1], f"{word}: {body}"

    def _is_near(self, asked: Asked, seen: list[Answer]) -> None:
        """Walks must reach exactly the visible objects that visible edges lead to."""
        if asked.route == SUBGRAPH:
            found = seen[0].json()
            reached = set(asked.body["seed_node_uuids"])
            for _ in found["nodes"]:
                reached |= {end for edge in found["edges"] for end in _ends(edge, reached)}
            nodes = {node["uuid"] for node in found["nodes"]}
            assert nodes <= reached, str(asked)
            assert all(end in nodes for edge in found["edges"] for end in _ends(edge, nodes)), asked
        if asked.route == NEIGHBORS and asked.body.keys() <= {"limit", "order_by"}:
            near = [one for answer in seen for one in answer.json()]
            told = {one["node"]["uuid"]: {e["uuid"] for e in one["edges"]} for one in near}
            assert told == self._view.neighbours(asked.path.split("/")[-2]), str(asked)

    def _named(self, asked: Asked) -> list[str]:
        """The hidden objects that a request names, except nodes that visible edges may still name."""
        body = asked.body if isinstance(asked.body, dict) else {}
        filters = json.dumps({k: v for k, v in body.items() if k in _OF_EDGES})
        others = json.dumps({k: v for k, v in body.items() if k not in _OF_EDGES})
        return [
            uuid
            for uuid in self._view.hidden()
            if uuid in asked.path
            or (uuid in others and uuid not in filters)
            or (uuid in filters and not self._view.is_node(uuid))
        ]

    async def _is_as_if_it_never_was(self, asked: Asked, seen: Answer, named: list[str]) -> None:
        path, body = asked.path, json.dumps(asked.body) if asked.body else ""
        for uuid in named:
            path, body = path.replace(uuid, OTHER), body.replace(uuid, OTHER)
        other = Asked(asked.route, asked.method, path, asked.query, json.loads(body or '""') or b"")
        never = await self._told.ask(other, self._restricted)
        told = seen.body.decode()
        for uuid in named if seen.status == 404 else ():
            told = told.replace(uuid, OTHER)  # an error names what was not found
        assert (seen.status, told) == (never.status, never.body.decode()), str(asked)
        if any(uuid in asked.path for uuid in named):
            assert seen.status == 404, str(asked)

    def _is_counted(self, asked: Asked, seen: list[Answer], count: int) -> None:
        first = seen[0].json()
        if isinstance(first, dict) and first.get("total_count") is not None and not asked.query:
            assert (first["row_count"], first["total_count"]) == (count, count), str(asked)


def _ends(edge: dict[str, Any], among: set[str]) -> set[str]:
    """Both ends of an edge, if one of them is among the nodes."""
    ends = {edge["source_node_uuid"], edge["target_node_uuid"]}
    return ends if ends & among else set()


NO_NUMBER = re.compile(r"\d+")
# Searches for a word, which is inserted in place of None.
ASKING: list[tuple[str, dict[str, Any]]] = [
    *(
        ("/api/v2/memories/search", {"query": None, "top_k": 50, **place})
        for place in (hidden_story.PROJECT, hidden_story.USER_PROJECT)
    ),
    *(
        ("/api/v2/graph/search", {"query": None, "scope": scope, "limit": 50, **target})
        for scope in ("edges", "nodes", "episodes", "observations", "thread_summaries", "auto")
        for target in ({"user_id": hidden_story.USER}, {"graph_id": hidden_story.GRAPH})
    ),
    *(
        ("/api/v2/sessions/search", {"text": None, "search_scope": scope, "user_id": "ann"})
        for scope in ("messages", "facts", "summary")
    ),
    (f"/api/v2/collections/{hidden_story.SHELF}/search", {"text": None}),
]
# Fields that name nodes as edges do, or a position in an order.
_OF_EDGES = {"filters", "search_filters", "uuid_cursor"}
SUBGRAPH = "POST /api/v2/graph/subgraph"
NEIGHBORS = "POST /api/v2/graph/node/{uuid}/neighbors"
# Routes that report the state of items: a batch is a container, and names its episodes.
ITEMISED = ("GET /api/v2/batches/", "GET /api/v2/tasks/")
# Lists of everything of a kind, in an order that hidden objects do not affect.
_KINDS = ("node", "edge", "episodes", "observation", "thread-summary", "document-summary")
OWNERS = ("user/{user_id}", "graph/{graph_id}", "group/{group_id}")
FILTERED = {
    *(f"POST /api/v2/graph/{kind}/{owner}" for kind in _KINDS for owner in OWNERS),
    "GET /api/v2/graph/documents/{document_id}/episodes",
    "GET /api/v2/graph/episodes/{uuid}/mentions",
    "GET /api/v2/graph/node/{uuid}/entity-edges",
    "GET /api/v2/graph/node/{uuid}/episodes",
    "GET /api/v2/sessions/{session_id}/messages",
    "GET /api/v2/threads/{thread_id}/messages",
    "GET /api/v2/threads/{thread_id}/episodes",
    "GET /api/v2/users/{user_id}/facts",
    "GET /api/v2/groups/{group_id}/facts",
    "POST /api/v2/collections/{collection_name}/documents/batchGet",
    "POST /api/v2/memories/list",
}
_PLAIN = {"limit", "order_by", "direction", "uuids", "document_ids", "filters"}
_PLACE = {"org_id", "project_id"}
_PLAIN_FILTERS = {"edge_types", "exclude_edge_types", "created_at", "invalid_at", "edge_uuids"}


def _narrows_nothing(asked: Asked) -> bool:
    """Whether a request asks for everything, or filters only by an object's own fields."""
    if asked.query and "graph_id" not in asked.query:
        return False
    body = asked.body if isinstance(asked.body, dict) else {}
    if body.get("type") == "episodic":
        return body.keys() <= {*_PLACE, "type", "filter"}
    plain = body.keys() <= _PLAIN and (body.get("filters") or {}).keys() <= _PLAIN_FILTERS
    return plain and body.get("order_by") != "degree"


def _uuids(answer: Answer) -> list[str]:
    """The uuids in a list, in its order."""
    told = answer.json()
    told = told.get("content", told) if isinstance(told, dict) else told
    lists = [told] if isinstance(told, list) else [v for v in told.values() if isinstance(v, list)]
    flat = [item for some in lists for item in some]
    flat = [item for some in flat for item in (some if isinstance(some, list) else [some])]
    return [named for item in flat if isinstance(item, dict) and (named := _named_by(item))]
