"""The OpenAPI document says what is served: all of it, and nothing else."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, get_args

import jsonschema_rs
import msgspec
import pytest

from recollect.api.errors import reply_for
from recollect.api.openapi import document, is_generation_4, table
from recollect.api.router import Nothing, Route
from recollect.asgi import route_table
from recollect.compat.zep import (
    routes_graphs,
    routes_knowledge,
    routes_messages,
    routes_sessions,
    routes_threads,
    routes_users,
    routes_walks,
    translate_filters,
)
from recollect.compat.zep.translate_filters import OPERATORS
from recollect.compat.zep.translate_search import AUTO, KINDS
from recollect.compat.zep.v4.errors import reply_for as reply_for_4
from recollect.compat.zep.v4.wire.tasks import TaskType4
from recollect.errors import InvalidInput
from recollect.governance import receipts
from recollect.graph.episode_filters import EPISODE_TYPE
from recollect.graph.filters import Operator
from recollect.ingest import intake
from recollect.native import pages
from recollect.native.pages import docs_routes
from recollect.records.walking import Direction
from recollect.search.query import Reranker

SEARCHES_2 = ("SearchDocuments", "SearchSession", "SearchSessions")
ORDERS_OF_LISTS = dict.fromkeys((*routes_users._ORDERS, *routes_graphs._ORDERS))
METHODS = {"get", "post", "put", "patch", "delete"}
DOCUMENTATION = {"/openapi.json", "/docs", "/docs/{name}"}
PAGES = DOCUMENTATION | {route.path for route in (*pages.GUIDE_ROUTES, *pages.EXPLORER_ROUTES)}
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
    every = [{"$ref": f"#/components/schemas/{name}"} for name in openapi["components"]["schemas"]]
    jsonschema_rs.Draft202012Validator({"anyOf": every, "components": openapi["components"]})


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


def test_the_error_schema_is_the_error_shape(openapi: Any) -> None:
    """Every described error is {"message": str}, or what its clients expect."""
    shapes = {reply_for: "Error", reply_for_4: "Error4"}
    for route in DESCRIBED:
        shape = shapes.get(route.refusal, "Refusal")
        operation = openapi["paths"][route.path][route.method.lower()]
        for status, response in operation["responses"].items():
            if status >= "400":
                schema = response["content"]["application/json"]["schema"]
                what = f"{status} of {route.method} {route.path}"
                assert schema == {"$ref": f"#/components/schemas/{shape}"}, what


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
        (
            {"SearchSession.search_scope", "SearchSessions.search_scope"},
            routes_sessions._KINDS,
        ),
        ({f"{name}.search_type" for name in SEARCHES_2}, translate_filters._SEARCH_TYPES),
        ({"ContextQuery.mode"}, [mode for mode in routes_messages._MODES if mode]),
        ({"DetectPatterns.recency_weight"}, routes_walks._HALF_LIVES),
        ({"MemoryMessage.episode_type"}, [EPISODE_TYPE]),
        ({"MetadataFilterGroup.type"}, ["and", "or"]),
        ({"ListQuery.order_by"}, ORDERS_OF_LISTS),
        ({"ThreadsQuery.order_by"}, (*routes_threads._ORDERS, *routes_threads._SESSION_ORDERS)),
        ({"PageRequest.order_by"}, routes_knowledge._NODE_ORDERS),
        ({"EdgePageRequest.order_by"}, routes_knowledge._EDGE_ORDERS),
        ({"NeighborsRequest.order_by"}, routes_walks._ORDERS),
    ],
)
def test_a_text_that_is_one_of_a_few_says_which(
    openapi: Any, fields: set[str], values: Iterable[str]
) -> None:
    """As the code has them."""
    known = table()["choices"]
    for place in fields:
        assert known[place] == list(values), place
        name, _, field = place.partition(".")
        assert '"enum"' in json.dumps(openapi["components"]["schemas"][name]["properties"][field])


def test_a_comparison_is_one_that_filters_understand() -> None:
    """Those of dates are the others but for those that look into lists and texts."""
    known = table()["choices"]
    operators = known["PropertyFilter.comparison_operator"]
    assert {OPERATORS[each.lower()] for each in operators} == set(get_args(Operator))
    dates = [x for x in operators if OPERATORS[x.lower()] not in ("CONTAINS", "STARTS WITH")]
    assert known["DateFilter.comparison_operator"] == dates


def test_every_task_has_a_type_that_the_document_names() -> None:
    """What is written down as text elsewhere is one of the types of generation 4."""
    written = {*receipts._TASK_TYPES.values(), *intake._DIRECT_TASKS.values()}
    assert written <= set(get_args(TaskType4))


# What is one of a few wherever it occurs, by its name.
ENUM_LIKE = re.compile(
    r"(.*_)?(status|role|roles|type|scope|kind|kinds|reranker|outcome|effect|mode|direction|order"
    r"|order_by|operator|state|code|level|format|recency_weight|truncation_reason)"
)
# Names that callers choose, and texts that hold several values.
OPEN = {
    "AskAgentContext4.kind": "callers name kinds of experience",
    "EventSource4.kind": "callers name what they took an event from",
    "Episode.role": "generation 2 has the speaker's name here",
    "Message2.role": "generation 2 has the speaker's name here",
    "NewMessage2.role": "generation 2 has the speaker's name here",
    "MemoryMessage.role": "memory clients choose roles",
    "FoundEpisode.producer_role": "memory clients choose roles",
    "ListedEpisode.producer_role": "memory clients choose roles",
    "ToldEpisode.role": "memory clients choose roles",
    "LongTermConfig.reranker": "the name of a model",
    "UpdateLongTerm.reranker": "the name of a model",
    "ProjectConfig.reranker": "the name of a model, kept as it came",
    "LogQuery.type": "several with commas between them",
    "StreamQuery.type": "several with commas between them",
}


def is_plain_text(schema: Any) -> bool:
    """Whether any text at all would do, alone, in a list or as one of several types."""
    parts = [*schema.get("anyOf", ()), *filter(None, [schema.get("items")])]
    if parts:
        return any(is_plain_text(part) for part in parts)
    return schema.get("type") == "string" and not {"enum", "const", "format"} & schema.keys()


def test_what_is_one_of_a_few_is_an_enum(openapi: Any) -> None:
    """Of every property with such a name, but for those that say why they are open."""
    plain = {
        f"{name}.{field}"
        for name, field, told in properties(openapi)
        if ENUM_LIKE.fullmatch(field) and is_plain_text(told)
    }
    assert plain == OPEN.keys()


def test_an_error_is_a_message(openapi: Any) -> None:
    """And the id of the request, and nothing else."""
    error = openapi["components"]["schemas"]["Error"]
    assert list(error["properties"]) == ["message", "request_id"]
    assert error["required"] == ["message"]


def test_the_documentation_page_needs_no_network() -> None:
    """The page names only files that this server serves itself."""
    paths = {route.path for route in docs_routes(DESCRIBED, "1.2.3")}
    assert paths == DOCUMENTATION
