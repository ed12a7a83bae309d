"""The custom types of a project: kinds of nodes and edges worth looking for."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import Access, Record
from recollect.limits import (
    CUSTOM_TYPE_ENDS_MAX,
    CUSTOM_TYPE_FIELDS_MAX,
    CUSTOM_TYPES_MAX,
    DESCRIPTION_CHARS_MAX,
    EXPIRES_AFTER_DAYS_MAX,
    NAME_CHARS_MAX,
    ONTOLOGY_BYTES_MAX,
    ONTOLOGY_SCOPES_PER_CALL_MAX,
)
from recollect.records.guidance import scopes
from recollect.records.guidance.scopes import Scope, Targets
from recollect.store.protocol import Transaction

PropertyType = Literal["Text", "Int", "Float", "Boolean"]

# A node or an edge already has these; a custom field of the same name would be ambiguous.
RESERVED_FIELDS = frozenset(
    {"uuid", "name", "group_id", "graph_id", "name_embedding", "summary", "created_at"}
)


class Property(Record):
    """A field of a custom type."""

    name: str
    type: PropertyType
    description: str


class EntityType(Record):
    """A custom kind of node; two nodes whose identity properties agree are one.

    With *expires_after_days*, facts about it expire that long after they were last stated.
    """

    name: str
    description: str
    properties: tuple[Property, ...] = ()
    identity_properties: tuple[str, ...] | None = None
    expires_after_days: float | None = None


class Ends(Record):
    """The types an edge may join; a missing side is any type."""

    source: str | None = None
    target: str | None = None


class EdgeType(Record):
    """A custom kind of edge; without ends it may join anything.

    With *expires_after_days*, such facts expire that long after they were last stated.
    """

    name: str
    description: str
    properties: tuple[Property, ...] = ()
    source_targets: tuple[Ends, ...] = ()
    expires_after_days: float | None = None


class Ontology(Record):
    """The custom types of a scope."""

    entity_types: tuple[EntityType, ...] = ()
    edge_types: tuple[EdgeType, ...] = ()


def set_ontology(tx: Transaction, access: Access, targets: Targets, ontology: Ontology) -> None:
    """Replace the whole set of types at each named scope; an empty set clears the scope."""
    _check_ontology(ontology)
    for where in scopes.every(tx, access, targets, ONTOLOGY_SCOPES_PER_CALL_MAX):
        if ontology.entity_types or ontology.edge_types:
            scopes.put(tx, access, "ontology", where, ontology)
        else:
            scopes.delete(tx, access, "ontology", where)


def ontology_at(tx: Transaction, access: Access, where: Scope) -> Ontology:
    """The custom types in force at a scope."""
    found = scopes.effective(tx, access, "ontology", where)
    return scopes.value(found[0], Ontology) if found else Ontology()


def _check_ontology(ontology: Ontology) -> None:
    _check_types("entity_types", ontology.entity_types)
    _check_types("edge_types", ontology.edge_types)
    for number, entity_type in enumerate(ontology.entity_types):
        _check_identity(f"entity_types[{number}].identity_properties", entity_type)
    for number, edge_type in enumerate(ontology.edge_types):
        _check_ends(f"edge_types[{number}].source_targets", edge_type.source_targets)
    if len(msgspec.json.encode(ontology)) > ONTOLOGY_BYTES_MAX:
        raise InvalidInput(
            f"entity_types and edge_types: at most {ONTOLOGY_BYTES_MAX} bytes of JSON together"
        )


def _check_types(field: str, types: Sequence[EntityType | EdgeType]) -> None:
    scopes.check_count(field, types, CUSTOM_TYPES_MAX)
    for number, item in enumerate(types):
        place = f"{field}[{number}]"
        checks.text(f"{place}.name", item.name, NAME_CHARS_MAX, required=True)
        checks.text(f"{place}.description", item.description, DESCRIPTION_CHARS_MAX)
        _check_properties(f"{place}.properties", item.properties)
        _check_duration(f"{place}.expires_after_days", item.expires_after_days)
    scopes.check_unique(field, (item.name for item in types))


def _check_duration(field: str, days: float | None) -> None:
    if days is not None and not 0 < days <= EXPIRES_AFTER_DAYS_MAX:
        raise InvalidInput(f"{field}: must be more than 0 and at most {EXPIRES_AFTER_DAYS_MAX}")


def _check_properties(field: str, properties: Sequence[Property]) -> None:
    scopes.check_count(field, properties, CUSTOM_TYPE_FIELDS_MAX)
    for number, item in enumerate(properties):
        place = f"{field}[{number}]"
        checks.text(f"{place}.name", item.name, NAME_CHARS_MAX, required=True)
        checks.text(f"{place}.description", item.description, DESCRIPTION_CHARS_MAX)
        if item.name in RESERVED_FIELDS:
            raise InvalidInput(f"{place}.name: {item.name!r} is reserved")
    scopes.check_unique(field, (item.name for item in properties))


def _check_identity(field: str, entity_type: EntityType) -> None:
    known = {item.name for item in entity_type.properties}
    for name in entity_type.identity_properties or ():
        if name not in known:
            raise InvalidInput(f"{field}: {name!r} is not a property of {entity_type.name!r}")


def _check_ends(field: str, ends: Sequence[Ends]) -> None:
    scopes.check_count(field, ends, CUSTOM_TYPE_ENDS_MAX)
    for number, pair in enumerate(ends):
        for side, name in (("source", pair.source), ("target", pair.target)):
            if name is not None:
                checks.text(f"{field}[{number}].{side}", name, NAME_CHARS_MAX, required=True)
