"""Drives the released Python client of generation 4, in the lines of JSON that `driver.py` speaks.

Runs inside the client's own virtual environment and imports nothing of this repository. A pager is
answered as its first page, `{"items", "next_cursor", "total_size"}`, or with `"$all": true` among the
keyword arguments as the list of everything that it iterates over; a stream as the list of its events.
With `"$classes"`, `set_ontology` is given what the client makes of classes.
"""

import json
import sys
from collections.abc import Iterator
from functools import cache
from inspect import isgenerator, ismethod
from operator import attrgetter
from typing import Any

from zep_cloud import ontology
from zep_cloud import types as models
from zep_cloud.client import Zep
from zep_cloud.core.api_error import ApiError
from zep_cloud.core.pagination import SyncPager

TIMEOUT_SECONDS = 30
FREE_FORM = {"metadata", "attributes", "details"}
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
    """Turn `{"$type": "AddMessage", ...}` into that model of the client; leave the rest alone."""
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


def answered(value: Any, *, whole: bool) -> Any:
    """What a method gave: a page, everything of a pager, the events of a stream, or a model."""
    if isinstance(value, SyncPager):
        if whole:
            return [plain(item) for item in value]
        page = plain(value.response)
        return {**page, "items": [plain(item) for item in value.items or []]}
    return [plain(event) for event in value] if isgenerator(value) else plain(value)


def described(base: type, given: dict[str, Any]) -> type:
    """An entity or edge class as an application would write it: a docstring and typed fields."""
    from pydantic import Field

    fields = given.get("fields", {})
    body: dict[str, Any] = {"__doc__": given["description"], "__module__": __name__}
    body["__annotations__"] = {name: FIELD_TYPES[field["type"]] for name, field in fields.items()}
    for name, field in fields.items():
        body[name] = Field(default=None, description=field["description"])
    return type("Described", (base,), body)


def from_classes(classes: dict[str, Any]) -> dict[str, Any]:
    """The lists that the client makes of classes, as arguments of `set_ontology`."""
    entities = {
        name: described(ontology.EntityModel, given) for name, given in classes["entities"].items()
    }
    edges = {
        name: (
            described(ontology.EdgeModel, given),
            [models.EdgeSourceTarget(**pair) for pair in given["source_targets"]],
        )
        for name, given in classes.get("edges", {}).items()
    }
    entity_types, edge_types = ontology.build_ontology(entities=entities, edges=edges)
    return {"entity_types": entity_types, "edge_types": edge_types}


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
    whole = kwargs.pop("$all", False)
    if "$classes" in kwargs:
        kwargs |= from_classes(kwargs.pop("$classes"))
    method = attrgetter(command["call"])(zep)
    return {"ok": answered(method(*args, **kwargs), whole=whole)}


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
