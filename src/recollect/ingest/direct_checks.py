"""Validation of facts and nodes that a caller writes directly."""

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from recollect.errors import InvalidInput, NotFound
from recollect.graph import checks
from recollect.graph.types import Json, Record
from recollect.limits import (
    DIRECT_FACT_CHARS_MAX,
    DIRECT_NAME_CHARS_MAX,
    DIRECT_SUMMARY_CHARS_MAX,
    NODES_PER_CALL_MAX,
)
from recollect.records.guidance import EdgeType, EntityType, Property

_SCREAMING_SNAKE_CASE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "Text": (str,),
    "Int": (int,),
    "Float": (int, float),
    "Boolean": (bool,),
}


class GivenNode(Record):
    """A node as a caller describes it. *where* is the prefix of its field names in the request."""

    where: str
    name: str | None = None
    uuid: str | None = None
    label: str | None = None
    summary: str | None = None
    attributes: Json | None = None


def fact(field: str, value: str, chars_max: int = DIRECT_FACT_CHARS_MAX) -> None:
    """A sentence of bounded length."""
    checks.text(field, value, chars_max, required=True)


def fact_name(field: str, value: str) -> None:
    """A name such as WORKS_AT."""
    checks.text(field, value, DIRECT_NAME_CHARS_MAX, required=True)
    if not _SCREAMING_SNAKE_CASE.fullmatch(value):
        raise InvalidInput(f"{field}: must be in capitals with underscores, as in WORKS_AT")


def uuid(field: str, value: str) -> None:
    """A uuid in its usual spelling."""
    try:
        usual = str(UUID(value))
    except ValueError:
        usual = None
    if usual != value:
        raise InvalidInput(f"{field}: must be a uuid in lower case")


def node(given: GivenNode) -> None:
    """A node within its bounds."""
    where = given.where
    if given.name is not None:
        checks.text(f"{where}name", given.name, DIRECT_NAME_CHARS_MAX, required=True)
    checks.text(f"{where}summary", given.summary, DIRECT_SUMMARY_CHARS_MAX)
    attributes(f"{where}attributes", given.attributes)


def node_count(field: str, count: int) -> None:
    """Check how many nodes one call adds."""
    if not 1 <= count <= NODES_PER_CALL_MAX:
        raise InvalidInput(f"{field}: 1 to {NODES_PER_CALL_MAX} per call, got {count}")


def no_such_node(given: GivenNode) -> NotFound:
    """The error for a uuid that is not in the graph."""
    return NotFound(f"{given.where}uuid: no such node in this graph: {given.uuid}")


def one_label(field: str, labels: Sequence[str] | None) -> str | None:
    """The one label besides `Entity`, which every node has."""
    own = [label for label in dict.fromkeys(labels or ()) if label != "Entity"]
    if len(own) > 1:
        raise InvalidInput(f"{field}: at most one besides 'Entity', got {len(own)}")
    for label in own:
        checks.text(field, label, DIRECT_NAME_CHARS_MAX, required=True)
    return own[0] if own else None


def attributes(field: str, value: Json | None) -> None:
    """Values by name, none of them nested."""
    for key, item in (value or {}).items():
        if not key.strip():
            raise InvalidInput(f"{field}: a name must not be blank")
        if isinstance(item, dict | list):
            raise InvalidInput(f"{field}.{key}: must be a string, number, boolean or null")
    checks.json_object(field, value)


def metadata(field: str, value: Json | None) -> None:
    """Metadata as for any episode, but without lists."""
    for key, item in (value or {}).items():
        if isinstance(item, list):
            raise InvalidInput(f"{field}.{key}: must be a string, number or boolean")
    checks.episode_metadata(field, value)


def typed(
    field: str,
    value: Json | None,
    type_name: str | None,
    types: Sequence[EntityType | EdgeType],
) -> None:
    """Attributes of a custom type: only its properties, each with a value of the right type."""
    described = next((item for item in types if item.name == type_name), None)
    if described is None or not described.properties:
        return
    properties = {item.name: item for item in described.properties}
    for key, item in known_values(value).items():
        if key not in properties:
            raise InvalidInput(f"{field}.{key}: {type_name} has no such property")
        if not _fits(item, properties[key]):
            raise InvalidInput(f"{field}.{key}: must be of type {properties[key].type}")


def _fits(value: Any, wanted: Property) -> bool:
    if isinstance(value, bool):
        return wanted.type == "Boolean"
    return isinstance(value, _PYTHON_TYPES[wanted.type])


def known_values(value: Json | None) -> Json:
    """Attributes without nulls."""
    return {key: item for key, item in (value or {}).items() if item is not None}
