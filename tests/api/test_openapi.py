"""The OpenAPI document says what is served: all of it, and nothing else."""

import json
import re
from collections.abc import Iterator
from typing import Any, get_args

import jsonschema_rs
import msgspec
import pytest

from recollect.api.compat.zep.translate_search import AUTO, KINDS
from recollect.api.compat.zep4.refusing import reply_for as reply_for_4
from recollect.api.errors import reply_for
from recollect.api.field_descriptions import is_generation_4, table
from recollect.api.native import explorer, guide
from recollect.api.native.docs import routes as docs_routes
from recollect.api.openapi import document
from recollect.api.router import Nothing, Route
from recollect.asgi import route_table
from recollect.errors import InvalidInput
from recollect.governance.audit import Outcome
from recollect.graph.policy import Mode
from recollect.graph.types import GraphKind, TaskStatus
from recollect.search.query import Reranker
from recollect.subjects.walking import Direction

KINDS_OF_GRAPHS = ("GraphBacklog", "ParkedJob", "ShownReading")
METHODS = {"get", "post", "put", "patch", "delete"}
DOCUMENTATION = {"/openapi.json", "/docs", "/docs/{name}"}
PAGES = DOCUMENTATION | {route.path for route in (*guide.ROUTES, *explorer.ROUTES)}
DESCRIBED = [route for route in route_table() if route.path not in PAGES]
# OpenAPI 3.1, the part of it that this document uses.
SHAPE: dict[str, Any] = {
    "type": "object",
    "required": ["openapi", "info", "paths", "components"],
    "properties": {
        "openapi": {"const": "3.1.0"},
        "info": {"type": "object", "required": ["title", "version"]},
        "paths": {
            "type": "object",
            "propertyNames": {"pattern": "^/"},
            "additionalProperties": {
                "type": "object",
                "propertyNames": {"enum": sorted(METHODS)},
                "additionalProperties": {
                    "type": "object",
                    "required": ["operationId", "summary", "responses", "parameters", "tags"],
                    "properties": {
                        "responses": {
                            "type": "object",
                            "minProperties": 1,
                            "propertyNames": {"pattern": "^[1-5][0-9][0-9]$"},
                            "additionalProperties": {
                                "type": "object",
                                "required": ["description"],
                            },
                        },
                        "parameters": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "required": ["name", "in", "schema", "required"],
                                "properties": {"in": {"enum": ["path", "query"]}},
                            },
                        },
                    },
                },
            },
        },
    },
}


@pytest.fixture(scope="module")
def openapi() -> Any:
    """The document as it is served, through JSON and back."""
    return msgspec.json.decode(msgspec.json.encode(document(DESCRIBED, "1.2.3")))


def operations(openapi: Any) -> Iterator[tuple[str, str, Any]]:
    """Every path, method and operation of the document."""
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_the_document_has_the_shape_of_openapi(openapi: Any) -> None:
    """Its outer form is that of OpenAPI 3.1, which a browser page and generators rely on."""
    jsonschema_rs.validate(SHAPE, openapi)


def test_every_schema_is_valid_json_schema(openapi: Any) -> None:
    """Each component can be compiled, with its references."""
    for name in openapi["components"]["schemas"]:
        whole = {"$ref": f"#/components/schemas/{name}", "components": openapi["components"]}
        jsonschema_rs.Draft202012Validator(whole)


def test_every_reference_leads_somewhere(openapi: Any) -> None:
    """No schema points into the void."""
    text = msgspec.json.encode(openapi).decode()
    for name in set(re.findall(r'"#/components/schemas/([^"]+)"', text)):
        assert name in openapi["components"]["schemas"], name


def test_every_route_is_described_and_nothing_else(openapi: Any) -> None:
    """What is in the document is what answers."""
    described = {(method.upper(), path) for path, method, _ in operations(openapi)}
    assert described == {(route.method, route.path) for route in DESCRIBED}


def test_operation_ids_are_unique(openapi: Any) -> None:
    """Generators make a function of each."""
    ids = [operation["operationId"] for *_, operation in operations(openapi)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("route", DESCRIBED, ids=lambda route: f"{route.method} {route.path}")
def test_a_route_is_described_as_it_is(openapi: Any, route: Route) -> None:
    """Parameters, body, key and answers of the document are those of the route."""
    operation = openapi["paths"][route.path][route.method.lower()]
    places = {(p["name"], p["in"]) for p in operation["parameters"]}
    in_path = {(name, "path") for name in re.findall(r"{(\w+)}", route.path)}
    in_query = set()
    if route.query is not Nothing:
        in_query = {(f.encode_name, "query") for f in msgspec.structs.fields(route.query)}
    assert places == in_path | in_query
    assert ("requestBody" in operation) == (route.body is not Nothing)
    assert ("security" in operation) == (not route.public)
    assert operation["summary"]
    assert operation["description"]
    assert str(route.status) in operation["responses"]
    if not route.public:
        bad = str(route.refusal(InvalidInput()).status)
        assert {bad, "401", "404"} <= operation["responses"].keys()


@pytest.mark.parametrize("route", DESCRIBED, ids=lambda route: f"{route.method} {route.path}")
def test_the_error_schema_is_the_error_shape(openapi: Any, route: Route) -> None:
    """Every described error is {"message": str}, or what its clients expect."""
    shapes = {reply_for: "Error", reply_for_4: "Error4"}
    shape = shapes.get(route.refusal, "Refusal")
    operation = openapi["paths"][route.path][route.method.lower()]
    for status, response in operation["responses"].items():
        if status >= "400":
            schema = response["content"]["application/json"]["schema"]
            assert schema == {"$ref": f"#/components/schemas/{shape}"}


def properties(openapi: Any) -> Iterator[tuple[str, str, Any]]:
    """Every type, field and schema of a field."""
    for name, schema in openapi["components"]["schemas"].items():
        for field, told in schema.get("properties", {}).items():
            yield name, field, told


def test_every_property_says_what_it_means(openapi: Any) -> None:
    """In a sentence of its own, and not by repeating its name."""
    silent, idle = [], []
    for name, field, told in properties(openapi):
        says = told.get("description", "")
        if not says.strip():
            silent.append(f"{name}.{field}")
        if says.casefold() in {f"{word} {field.replace('_', ' ')}." for word in ("the", "a", "an")}:
            idle.append(f"{name}.{field}: {says}")
    assert silent == []
    assert idle == []


def test_no_description_is_of_a_property_that_is_gone(openapi: Any) -> None:
    """The table names what there is, and each row says something that no other row says first."""
    named = {(name, field) for name, field, _ in properties(openapi)}
    known = table()
    told = {(name, field) for name, field in named if field not in known["types"].get(name, {})}
    newest = {field for name, field in told if is_generation_4(name)}
    elsewhere = {
        field
        for name, field in told
        if not (is_generation_4(name) and field in known["generation_4"])
    }
    of_types = {(name, field) for name, own in known["types"].items() for field in own}
    assert of_types - named == set()
    assert known["generation_4"].keys() - newest == set()
    assert known["anywhere"].keys() - elsewhere == set()


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        ({"Search.scope", "ExplainSearch.scope"}, (*KINDS, AUTO)),
        ({"Search.reranker", "ExplainSearch.reranker"}, get_args(Reranker)),
        ({"SubgraphRequest.direction", "NeighborsRequest.direction"}, get_args(Direction)),
        ({f"{name}.graph_kind" for name in KINDS_OF_GRAPHS}, get_args(GraphKind)),
        ({"Task.status"}, get_args(TaskStatus)),
        ({"AuditEntry.outcome"}, get_args(Outcome)),
        ({"PolicySetSummary.mode"}, get_args(Mode)),
        ({"LogEpisode.type"}, ("item", "boundary", "meta")),
    ],
)
def test_a_text_that_is_one_of_a_few_says_which(
    openapi: Any, fields: set[str], values: tuple[str, ...]
) -> None:
    """As the code has them; the table names no other field."""
    known = table()["choices"]
    for place in fields:
        assert known[place] == list(values), place
        name, _, field = place.partition(".")
        assert '"enum"' in json.dumps(openapi["components"]["schemas"][name]["properties"][field])
    assert len(known) == 13


def test_an_error_is_a_message(openapi: Any) -> None:
    """And nothing else."""
    error = openapi["components"]["schemas"]["Error"]
    assert list(error["properties"]) == ["message"]
    assert error["required"] == ["message"]


def test_the_documentation_page_needs_no_network() -> None:
    """The page names only files that this server serves itself."""
    paths = {route.path for route in docs_routes(DESCRIBED, "1.2.3")}
    assert paths == DOCUMENTATION
