"""Drives one released Python client: one JSON command per line in, one JSON answer per line out.

Runs inside the client's own virtual environment, for generations 2 and 3 alike, and imports
nothing of this repository. A command is `{"id", "base_url", "api_key", "call", "args", "kwargs",
"raw"}`; the answer is `{"id", "ok"}`, with `"headers"` when `raw` was asked for, or
`{"id", "error": {"type", "status", "body", "message"}}`.
"""

import json
import sys
from collections.abc import Iterator
from functools import cache
from inspect import ismethod
from operator import attrgetter
from typing import Any

from zep_cloud import types as models
from zep_cloud.client import Zep
from zep_cloud.core.api_error import ApiError
from zep_cloud.external_clients import ontology

TIMEOUT_SECONDS = 30
FREE_FORM = {"metadata", "attributes", "params", "details", "error"}
FIELD_TYPES = {
    "text": ontology.EntityText,
    "int": ontology.EntityInt,
    "float": ontology.EntityFloat,
    "boolean": ontology.EntityBoolean,
}


@cache
def connect(base_url: str, api_key: str) -> Zep:
    """One client object per address and key, as an application would keep it."""
    return Zep(base_url=base_url, api_key=api_key, timeout=TIMEOUT_SECONDS)


def build(value: Any) -> Any:
    """Turn `{"$type": "Message", ...}` into that model of the client; leave the rest alone."""
    if isinstance(value, list):
        return [build(item) for item in value]
    if not isinstance(value, dict):
        return value
    fields = {name: build(item) for name, item in value.items() if name != "$type"}
    return getattr(models, value["$type"])(**fields) if "$type" in value else fields


def plain(value: Any) -> Any:
    """Turn an answer of the client into JSON values, named as on the wire."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return wire_named(json.loads(value.json()))


def wire_named(value: Any) -> Any:
    """Undo the underscore that keeps a field from hiding a Python name, as in `uuid_`."""
    if isinstance(value, list):
        return [wire_named(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name.removesuffix("_"): item if name in FREE_FORM else wire_named(item)
        for name, item in value.items()
    }


def ontology_class(base: type, described: dict[str, Any]) -> type:
    """An entity or edge class as an application would write it: a docstring and typed fields."""
    fields = described.get("fields", {})
    body: dict[str, Any] = {"__doc__": described.get("description"), "__module__": __name__}
    body["__annotations__"] = {name: FIELD_TYPES[field["type"]] for name, field in fields.items()}
    for name, field in fields.items():
        body[name] = described_field(field.get("description"))
    return type("Described", (base,), body)


def described_field(description: str | None) -> Any:
    """A model field with a description and no value."""
    from pydantic import Field

    return Field(default=None, description=description)


def set_ontology(zep: Zep, entities: dict, edges: dict | None = None, **scope: Any) -> Any:
    """Call the class-based helper with classes made from plain descriptions."""
    classes = {
        name: ontology_class(ontology.EntityModel, described)
        for name, described in entities.items()
    }
    links: dict[str, Any] = {}
    for name, described in (edges or {}).items():
        pairs = [models.EntityEdgeSourceTarget(**pair) for pair in described["source_targets"]]
        links[name] = (ontology_class(ontology.EdgeModel, described), pairs)
    return zep.graph.set_ontology(entities=classes, edges=links, **scope)


def method_names(noun: Any, prefix: str = "") -> Iterator[str]:
    """Every method the client offers, as dotted names."""
    for name in dir(noun):
        value = None if name.startswith("_") or name == "with_raw_response" else getattr(noun, name)
        if ismethod(value):
            yield prefix + name
        elif type(value).__name__.endswith("Client") and type(value).__module__.startswith("zep_"):
            yield from method_names(value, f"{prefix}{name}.")


def run(command: dict[str, Any]) -> dict[str, Any]:
    """Make one call and answer its result."""
    zep = connect(command["base_url"], command["api_key"])
    args, kwargs = build(command["args"]), build(command["kwargs"])
    if command["call"] == "methods":
        return {"ok": sorted(method_names(zep))}
    if command["call"] == "graph.set_ontology":
        return {"ok": plain(set_ontology(zep, *args, **kwargs))}
    noun, _, verb = command["call"].rpartition(".")
    client = attrgetter(noun)(zep)
    if command.get("raw"):
        answer = getattr(client.with_raw_response, verb)(*args, **kwargs)
        return {"ok": plain(answer.data), "headers": dict(answer.headers)}
    return {"ok": plain(getattr(client, verb)(*args, **kwargs))}


def explain(error: Exception) -> dict[str, Any]:
    """What a caller of the client would see of an error."""
    status = error.status_code if isinstance(error, ApiError) else None
    body = plain(error.body) if isinstance(error, ApiError) else None
    return {"type": type(error).__name__, "status": status, "body": body, "message": str(error)}


def main() -> None:
    """Answer commands until the input ends."""
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = run(command)
        except Exception as error:  # noqa: BLE001 - whatever the client raises is the answer
            answer = {"error": explain(error)}
        print(json.dumps({"id": command["id"], **answer}), flush=True)


if __name__ == "__main__":
    main()
