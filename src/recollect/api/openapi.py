"""The OpenAPI document, generated from the route table; `field_descriptions.toml` describes the fields."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from recollect import errors
from recollect.api.router import Nothing, Route

_REF = "#/components/schemas/{name}"
_ERRORS = {
    errors.InvalidInput: "The request is not valid; the message names the field",
    errors.NotAuthenticated: "The key is missing or unknown",
    errors.NotAllowed: "The key may not do this",
    errors.NotFound: "There is no such thing in this project",
    errors.LimitReached: "More than the key or its project is allowed; Retry-After says when to come back",
}
_CONFLICT = "It does not fit what is there: an id that is taken, or something that has changed"
_TOO_LARGE = "The body is too large"
_ALSO = {
    errors.KeyReused: "The idempotency key came with another request before",
    errors.NotOffered: "This server does not offer that; the message says what there is instead",
}


def document(routes: Iterable[Route], version: str) -> dict[str, Any]:
    """The OpenAPI 3.1 document of the routes."""
    served = list(routes)
    models = {*(route.refusal.body for route in served), *_models(served)}
    _, components = msgspec.json.schema_components(models, ref_template=_REF)
    describe(components)
    paths: dict[str, dict[str, Any]] = {}
    for route in served:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, components)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Recollect", "version": version, "summary": "Memory for AI agents"},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "key": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "`Api-Key <key>` or `Bearer <key>`",
                }
            },
        },
    }


def _models(routes: Iterable[Route]) -> set[Any]:
    found: set[Any] = set()
    for route in routes:
        models = (route.body, route.query, route.answer)
        found.update(model for model in models if model not in (None, bytes))
    return found


def _schema(model: Any) -> dict[str, Any]:
    if model is bytes:  # sent raw, not as the base64 that JSON would need
        return {"type": "string"}
    (schema,), _ = msgspec.json.schema_components([model], ref_template=_REF)
    return schema


def _operation(route: Route, components: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": _operation_id(route),
        "summary": route.summary,
        "description": (route.handler.__doc__ or "").strip(),
        "tags": [route.action.split(".")[0]],
        "parameters": [*_path_parameters(route), *_query_parameters(route, components)],
        "responses": _responses(route),
    }
    if not route.public:
        operation["security"] = [{"key": []}]
    if route.body is not Nothing:
        operation["requestBody"] = {"content": {route.takes: {"schema": _schema(route.body)}}}
    return operation


def _operation_id(route: Route) -> str:
    words = re.sub(r"[^A-Za-z0-9]+", "_", route.path).strip("_")
    return f"{route.method.lower()}_{words}{'_slash' if route.path.endswith('/') else ''}"


def _path_parameters(route: Route) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", route.path)
    ]


def _query_parameters(route: Route, components: dict[str, Any]) -> list[dict[str, Any]]:
    if route.query is Nothing:
        return []
    schema = components[route.query.__name__]
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _bare(value)}
        for name, value in schema["properties"].items()
    ]


def _bare(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without null: a query parameter is present or absent, never null."""
    options = [s for s in schema.get("anyOf", []) if s.get("type") != "null"]
    return options[0] if len(options) == 1 else schema


def _responses(route: Route) -> dict[str, Any]:
    content = {}
    if route.answer is not None:
        content = {"content": {route.gives: {"schema": _schema(route.answer)}}}
    responses: dict[str, Any] = {str(route.status): {"description": "Done", **content}}
    if route.or_nothing:
        responses["204"] = {"description": "There is nothing"}
    for kind, description in _failures(route).items():
        responses[str(route.refusal(kind()).status)] = {
            "description": description,
            "content": {"application/json": {"schema": _schema(route.refusal.body)}},
        }
    return responses


def _failures(route: Route) -> dict[type[errors.RecollectError], str]:
    """The errors that a route documents, each with its description."""
    if route.public:
        return {}
    found: dict[type[errors.RecollectError], str] = dict(_ERRORS)
    if route.mutates:
        found[errors.Conflict] = _CONFLICT
    if route.body is not Nothing:
        found[errors.BodyTooLarge] = _TOO_LARGE
    return found | {kind: _ALSO[kind] for kind in route.also}


_TABLE = Path(__file__).with_name("field_descriptions.toml")


@cache
def table() -> dict[str, Any]:
    """The descriptions: by field name anywhere, for Zep v4 types, and for single types."""
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))


def is_generation_4(name: str) -> bool:
    """Whether a type belongs to the API of Zep v4."""
    return name.endswith("4") or name.startswith("Page4_")


def says(name: str, field: str) -> str | None:
    """The description of a field of a type, or None."""
    known = table()
    own = known["types"].get(name, {})
    newest = known["generation_4"] if is_generation_4(name) else {}
    found: str | None = own.get(field) or newest.get(field) or known["anywhere"].get(field)
    return found


def describe(components: dict[str, Any]) -> None:
    """Add the description to every property that does not have one already."""
    for name, schema in components.items():
        for field, told in schema.get("properties", {}).items():
            sentence = says(name, field)
            if sentence is not None and "description" not in told:
                schema["properties"][field] = {**told, "description": sentence}
    for place, values in table()["choices"].items():
        name, _, field = place.partition(".")
        if name in components:
            told = components[name]["properties"][field]
            components[name]["properties"][field] = _one_of(told, values)


def _one_of(schema: dict[str, Any], values: list[str]) -> dict[str, Any]:
    """The schema of a string restricted to *values*; it stays nullable if it was."""
    if "anyOf" in schema:
        return {**schema, "anyOf": [_one_of(part, values) for part in schema["anyOf"]]}
    return {**schema, "enum": values} if schema.get("type") == "string" else schema
