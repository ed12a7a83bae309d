"""The routes over which a project tells the memory what to look for, as clients call them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.asgi import Answer, Program, program

TYPES = "/entity-types"
CUSTOM = "/custom-instructions"
SUMMARY = "/user-summary-instructions"
TEMPLATES = "/context-templates"
STEERING = "/projects/observation-steering"
CUISINE = {"name": "cuisine", "type": "Text", "description": "What is cooked"}
RESTAURANT = {"name": "Restaurant", "description": "A place to eat.", "properties": [CUISINE]}
VISITED = {
    "name": "VISITED",
    "description": "",
    "properties": [],
    "source_targets": [{"source": "User", "target": "Restaurant"}, {"target": "Restaurant"}],
}


class Api:
    """Calls below `/api/v2` that say what status they expect."""

    def __init__(self, running: Program) -> None:
        self._running = running

    async def send(
        self, status: int, method: str, path: str, body: Any = b"", query: str = ""
    ) -> Answer:
        """One request and its whole answer."""
        answer = await self._running.send(method, "/api/v2" + path, body, query=query)
        assert answer.status == status, answer.body
        return answer

    async def call(self, method: str, path: str, body: Any = b"", query: str = "") -> Any:
        """What a request that succeeds answers."""
        return (await self.send(200, method, path, body, query)).json()

    async def refused(
        self, status: int, method: str, path: str, body: Any = b"", query: str = ""
    ) -> str:
        """What a request that fails says."""
        return (await self.send(status, method, path, body, query)).message


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """The application with the user `ann` and the graph `tea` in it."""
    async with program(tmp_path) as running:
        made = Api(running)
        await made.call("POST", "/users", {"user_id": "ann"})
        await made.call("POST", "/graph/create", {"graph_id": "tea"})
        yield made


# ---------------------------------------------------------------- types


async def test_types_come_back_as_they_were_sent(api: Api) -> None:
    """Lists are always there, what was not given is left out."""
    ship = {**RESTAURANT, "name": "Ship", "identity_properties": ["cuisine"]}
    sent = {"entity_types": [RESTAURANT, ship], "edge_types": [VISITED]}
    said = await api.call("PUT", TYPES, sent)
    assert said == {"message": "entity types set"}
    assert await api.call("GET", TYPES) == sent


async def test_no_types_are_two_empty_lists(api: Api) -> None:
    """A fresh project has no custom types; the body of a GET changes nothing."""
    assert await api.call("GET", TYPES, {}) == {"entity_types": [], "edge_types": []}


async def test_types_as_each_client_words_them(api: Api) -> None:
    """Python sends nulls for scopes, JavaScript leaves optional lists away."""
    bare = {"name": "Bare", "description": ""}
    sent = {"entity_types": [bare], "edge_types": [bare], "user_ids": None, "graph_ids": None}
    await api.call("PUT", TYPES, sent)
    found = await api.call("GET", TYPES)
    assert found["entity_types"] == [{**bare, "properties": []}]
    assert found["edge_types"] == [{**bare, "properties": [], "source_targets": []}]


async def test_types_of_a_scope_are_read_at_that_scope(api: Api) -> None:
    """A named scope keeps its own types, others read the project's."""
    await api.call("PUT", TYPES, {"entity_types": [RESTAURANT]})
    await api.call("PUT", TYPES, {"edge_types": [VISITED], "user_ids": ["ann"]})
    mine = await api.call("GET", TYPES, query="user_id=ann")
    assert (mine["entity_types"], mine["edge_types"]) == ([], [VISITED])
    other = await api.call("GET", TYPES, query="graph_id=tea")
    assert (other["entity_types"], other["edge_types"]) == ([RESTAURANT], [])


async def test_types_that_are_not_types_are_refused(api: Api) -> None:
    """Unknown property types, missing names and too many types are the caller's mistake."""
    date = {**CUISINE, "type": "Date"}
    body: dict[str, Any] = {"entity_types": [{**RESTAURANT, "properties": [date]}]}
    assert "type" in await api.refused(400, "PUT", TYPES, body)
    assert "name" in await api.refused(400, "PUT", TYPES, {"edge_types": [{"description": ""}]})
    body = {"entity_types": [{**RESTAURANT, "name": f"T{n}"} for n in range(11)]}
    assert "at most 10" in await api.refused(400, "PUT", TYPES, body)
    body = {"entity_types": [{**RESTAURANT, "properties": [{**CUISINE, "name": "uuid"}]}]}
    assert "reserved" in await api.refused(400, "PUT", TYPES, body)


@pytest.mark.parametrize("path", [TYPES, CUSTOM, STEERING])
async def test_two_scopes_at_once_are_refused(api: Api, path: str) -> None:
    """A read is of one user or of one graph."""
    message = await api.refused(400, "GET", path, query="user_id=ann&graph_id=tea")
    assert "user_id and graph_id" in message


@pytest.mark.parametrize("path", [TYPES, CUSTOM, STEERING])
@pytest.mark.parametrize("query", ["user_id=nobody", "graph_id=nothing", "graph_id=ann"])
async def test_an_unknown_scope_is_not_found(api: Api, path: str, query: str) -> None:
    """A user's id is not the id of a graph."""
    assert query.split("=")[1] in await api.refused(404, "GET", path, query=query)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", TYPES, {"entity_types": [RESTAURANT]}),
        ("POST", CUSTOM, {"instructions": [{"name": "a", "text": "b"}]}),
        ("DELETE", CUSTOM, {}),
        ("POST", SUMMARY, {"instructions": [{"name": "a", "text": "b"}]}),
        ("DELETE", SUMMARY, {}),
    ],
)
async def test_writing_for_nobody_is_not_found(
    api: Api, method: str, path: str, body: dict[str, Any]
) -> None:
    """One unknown id among known ones spoils the whole request."""
    targets = {"user_ids": ["ann", "nobody"]}
    assert "nobody" in await api.refused(404, method, path, {**body, **targets})


# ---------------------------------------------------------------- instructions


@pytest.mark.parametrize("path", [CUSTOM, SUMMARY])
async def test_instructions_are_added_listed_and_removed(api: Api, path: str) -> None:
    """A DELETE carries a body; one that carries none clears the project's."""

    async def listed(query: str = "") -> dict[str, str]:
        found = (await api.call("GET", path, query=query))["instructions"]
        return {item["name"]: item["text"] for item in found}

    async def add(name: str, text: str, *users: str) -> None:
        body = {"instructions": [{"name": name, "text": text}], "user_ids": list(users)}
        assert await api.call("POST", path, body) == {"message": "instructions added"}

    await add("tone", "Be short.")
    await add("words", "Ships only.")
    await add("tone", "Be long.")
    await add("mine", "Pets.", "ann")
    assert await listed() == {"tone": "Be long.", "words": "Ships only."}
    assert await listed("user_id=ann") == {"mine": "Pets."}
    said = await api.call("DELETE", path, {"instruction_names": ["tone"]})
    assert said == {"message": "instructions deleted"}
    assert await listed() == {"words": "Ships only."}
    await api.call("DELETE", path, {"user_ids": ["ann"]})
    assert await listed("user_id=ann") == {"words": "Ships only."}
    await api.call("DELETE", path)
    assert await listed() == {}


async def test_extraction_instructions_reach_graphs(api: Api) -> None:
    """A standalone graph can have its own."""
    instruction = {"name": "tone", "text": "Be short."}
    await api.call("POST", CUSTOM, {"instructions": [instruction], "graph_ids": ["tea"]})
    found = await api.call("GET", CUSTOM, query="graph_id=tea")
    assert found == {"instructions": [instruction]}
    assert await api.call("GET", CUSTOM) == {"instructions": []}


async def test_instructions_out_of_bounds_are_refused(api: Api) -> None:
    """Long texts, too many, and none at all."""
    long = {"instructions": [{"name": "a", "text": "x" * 101}]}
    assert "instructions[0].text" in await api.refused(400, "POST", SUMMARY, long)
    await api.call("POST", CUSTOM, long)
    six = {"instructions": [{"name": str(n), "text": "t"} for n in range(6)]}
    assert "at most 5" in await api.refused(400, "POST", CUSTOM, six)
    assert "instructions" in await api.refused(400, "POST", CUSTOM, {})


# ---------------------------------------------------------------- templates


async def test_a_template_lives_from_creation_to_deletion(api: Api) -> None:
    """Created, read, rewritten, listed, deleted, gone."""
    body = {"template_id": "mine", "template": "# FACTS\n%{edges limit=10 types=[LIKES]}"}
    made = await api.call("POST", TEMPLATES, body)
    assert made == {**body, "uuid": made["uuid"]}
    assert await api.call("GET", f"{TEMPLATES}/mine") == made
    changed = await api.call("PUT", f"{TEMPLATES}/mine", {"template": "x"})
    assert changed == {**made, "template": "x"}
    assert await api.call("GET", TEMPLATES) == {"templates": [changed]}
    assert "message" in await api.call("DELETE", f"{TEMPLATES}/mine", {})
    assert await api.call("GET", TEMPLATES) == {"templates": []}
    for method, sent in (("GET", b""), ("PUT", {"template": "x"}), ("DELETE", b"")):
        assert "mine" in await api.refused(404, method, f"{TEMPLATES}/mine", sent)


async def test_a_taken_template_id_is_a_bad_request(api: Api) -> None:
    """400, since 409 would make older clients try again and again."""
    body = {"template_id": "mine", "template": "x"}
    await api.call("POST", TEMPLATES, body)
    assert "mine" in await api.refused(400, "POST", TEMPLATES, body)


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        ("%{weather}", "weather"),
        ("%{edges", "never closed"),
        ("%{edges limit=0}", "limit"),
        ("x" * 1201, "1200"),
    ],
)
async def test_a_template_that_cannot_be_filled_in_is_not_saved(
    api: Api, template: str, complaint: str
) -> None:
    """Neither as a new one nor in place of an old one."""
    body = {"template_id": "bad", "template": template}
    assert complaint in await api.refused(400, "POST", TEMPLATES, body)
    await api.call("POST", TEMPLATES, {"template_id": "good", "template": "x"})
    message = await api.refused(400, "PUT", f"{TEMPLATES}/good", {"template": template})
    assert complaint in message
    assert [t["template"] for t in (await api.call("GET", TEMPLATES))["templates"]] == ["x"]


# ---------------------------------------------------------------- steering


async def test_steering_falls_back_to_the_project_until_set(api: Api) -> None:
    """Each level is replaced whole; an empty configuration clears it."""
    project = {"instruction": "Habits.", "types": [{"name": "habit", "description": "Again."}]}
    assert await api.call("GET", STEERING) == {"types": []}
    assert await api.call("PUT", STEERING, project) == project
    assert await api.call("GET", STEERING, query="graph_id=tea") == project
    own = await api.call("PUT", STEERING, {"instruction": "Pets."}, query="graph_id=tea")
    assert own == {"instruction": "Pets.", "types": []}
    assert await api.call("GET", STEERING, query="graph_id=tea") == own
    assert await api.call("GET", STEERING, query="user_id=ann") == project
    assert await api.call("PUT", STEERING, {}, query="graph_id=tea") == {"types": []}
    assert await api.call("GET", STEERING, query="graph_id=tea") == project
    await api.call("PUT", STEERING, {"instruction": None, "types": None})
    assert await api.call("GET", STEERING) == {"types": []}


async def test_steering_out_of_bounds_is_refused(api: Api) -> None:
    """`generic` is what an observation is when no type fits."""
    body = {"types": [{"name": "generic", "description": "d"}]}
    assert "generic" in await api.refused(400, "PUT", STEERING, body)
    assert "instruction" in await api.refused(400, "PUT", STEERING, {"instruction": "x" * 2001})


# ---------------------------------------------------------------- all of it


async def test_guidance_goes_with_its_user(api: Api) -> None:
    """A user made anew under the same id hears only the project."""
    await api.call("PUT", TYPES, {"entity_types": [RESTAURANT], "user_ids": ["ann"]})
    await api.call("PUT", STEERING, {"instruction": "Pets."}, query="user_id=ann")
    await api.call("DELETE", "/users/ann")
    await api.refused(404, "GET", TYPES, query="user_id=ann")
    await api.call("POST", "/users", {"user_id": "ann"})
    assert (await api.call("GET", TYPES, query="user_id=ann"))["entity_types"] == []
    assert await api.call("GET", STEERING, query="user_id=ann") == {"types": []}
