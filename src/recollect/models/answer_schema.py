"""The JSON Schema of a typed answer, in the part of the language that strict endpoints know."""

from typing import Any

import msgspec

_REFERENCE = "#/$defs/"


def strict_schema(answer: type[Any]) -> dict[str, Any]:
    """The schema of a struct, in one piece: no references, no titles, no prose.

    Strict endpoints want every field required, no others allowed, and an object at the root.
    So the struct has no defaults and forbids unknown fields; what may be missing is nullable.
    What the fields mean is told by the prompt, which has a version.
    """
    (root,), parts = msgspec.json.schema_components([answer], ref_template=_REFERENCE + "{name}")
    whole = _inline(root, parts)
    if not isinstance(whole, dict):
        raise TypeError(f"{answer.__name__} has no schema of its own")
    return whole


def _inline(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inline(item, parts) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inline(parts[schema["$ref"].removeprefix(_REFERENCE)], parts)
    if "properties" in schema:
        fields = {name: _inline(item, parts) for name, item in schema["properties"].items()}
        return {
            "type": "object",
            "properties": fields,
            "required": list(fields),
            "additionalProperties": False,
        }
    if "enum" in schema:
        # Some endpoints take a list of values only with their type.
        return {"type": "string", "enum": schema["enum"]}
    return {name: _inline(item, parts) for name, item in schema.items()}
