"""What fields mean, in a sentence each, for the OpenAPI document: `field_descriptions.toml`."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

_TABLE = Path(__file__).with_name("field_descriptions.toml")


@cache
def table() -> dict[str, Any]:
    """The sentences: those of a name anywhere, of generation 4, and of single types."""
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))


def is_generation_4(name: str) -> bool:
    """Whether a type is one that only clients of generation 4 know."""
    return name.endswith("4") or name.startswith("Page4_")


def says(name: str, field: str) -> str | None:
    """What a field of a type means; None when nobody has said so."""
    known = table()
    own = known["types"].get(name, {})
    newest = known["generation_4"] if is_generation_4(name) else {}
    found: str | None = own.get(field) or newest.get(field) or known["anywhere"].get(field)
    return found


def describe(components: dict[str, Any]) -> None:
    """Put its sentence beside every property that does not say more already."""
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
    """The schema of a text that is one of a few, and may be missing where it could before."""
    if "anyOf" in schema:
        return {**schema, "anyOf": [_one_of(part, values) for part in schema["anyOf"]]}
    return {**schema, "enum": values} if schema.get("type") == "string" else schema
