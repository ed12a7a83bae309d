"""What a project tells its memory: types, instructions, steering, templates.

Guidance is kept at a scope: the whole project, or one graph, be it a user's or a standalone one.
A graph that has its own reads nothing else; one that has none reads the project's.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeVar

import msgspec

from recollect.errors import AlreadyExists, InvalidInput, InvariantViolated, NotFound
from recollect.graph import checks
from recollect.graph.types import Access, Graph, Record
from recollect.limits import (
    CUSTOM_TYPE_ENDS_MAX,
    CUSTOM_TYPE_FIELDS_MAX,
    CUSTOM_TYPES_MAX,
    DESCRIPTION_CHARS_MAX,
    EXTRACTION_INSTRUCTION_CHARS_MAX,
    EXTRACTION_INSTRUCTIONS_MAX,
    INSTRUCTION_NAME_CHARS_MAX,
    INSTRUCTION_SCOPES_PER_CALL_MAX,
    INSTRUCTIONS_PER_CALL_MAX,
    NAME_CHARS_MAX,
    OBSERVATION_TYPE_CHARS_MAX,
    OBSERVATION_TYPE_NAME_CHARS_MAX,
    OBSERVATION_TYPES_MAX,
    ONTOLOGY_SCOPES_PER_CALL_MAX,
    STEERING_CHARS_MAX,
    SUMMARY_INSTRUCTION_CHARS_MAX,
    SUMMARY_INSTRUCTIONS_MAX,
    TEMPLATE_CHARS_MAX,
    TEMPLATE_ID_CHARS_MAX,
    TEMPLATES_MAX,
)
from recollect.store import rows
from recollect.store.protocol import Row, Transaction
from recollect.subjects import graphs

Kind = Literal["ontology", "extraction", "summary", "steering", "template"]
InstructionKind = Literal["extraction", "summary"]
PropertyType = Literal["Text", "Int", "Float", "Boolean"]
T = TypeVar("T")

# A node or an edge has these already; a custom field of that name could not be told apart.
RESERVED_FIELDS = frozenset(
    {"uuid", "name", "group_id", "graph_id", "name_embedding", "summary", "created_at"}
)
# What an observation is when no type fits.
GENERIC = "generic"
_LOWER_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_INSTRUCTION_CHARS_MAX: dict[InstructionKind, int] = {
    "extraction": EXTRACTION_INSTRUCTION_CHARS_MAX,
    "summary": SUMMARY_INSTRUCTION_CHARS_MAX,
}
_INSTRUCTIONS_MAX: dict[InstructionKind, int] = {
    "extraction": EXTRACTION_INSTRUCTIONS_MAX,
    "summary": SUMMARY_INSTRUCTIONS_MAX,
}


class Scope(Record):
    """Where guidance holds: one graph, or without one the whole project."""

    key: str = ""
    graph_id: int | None = None


class Targets(Record):
    """The users and graphs that a request names; none of either is the project."""

    user_ids: tuple[str, ...] = ()
    graph_ids: tuple[str, ...] = ()


class Property(Record):
    """A field of a custom type."""

    name: str
    type: PropertyType
    description: str


class EntityType(Record):
    """A custom kind of node; two nodes whose identity properties agree are one."""

    name: str
    description: str
    properties: tuple[Property, ...] = ()
    identity_properties: tuple[str, ...] | None = None


class Ends(Record):
    """The types an edge may join; a missing side is any type."""

    source: str | None = None
    target: str | None = None


class EdgeType(Record):
    """A custom kind of edge; without ends it may join anything."""

    name: str
    description: str
    properties: tuple[Property, ...] = ()
    source_targets: tuple[Ends, ...] = ()


class Ontology(Record):
    """The custom types of a scope."""

    entity_types: tuple[EntityType, ...] = ()
    edge_types: tuple[EdgeType, ...] = ()


class Instruction(Record):
    """A named piece of advice."""

    name: str
    text: str


class ObservationType(Record):
    """A kind of observation worth making."""

    name: str
    description: str


class Steering(Record):
    """What observations should look for."""

    instruction: str | None = None
    types: tuple[ObservationType, ...] = ()


class Template(Record):
    """A named context template of a project."""

    uuid: str
    template_id: str
    text: str


# ---------------------------------------------------------------- scopes

PROJECT = Scope()


def scope_of(graph: Graph) -> Scope:
    """The scope of one graph; it goes when the graph or its user goes."""
    noun = "user" if graph.kind == "user" else "graph"
    return Scope(key=f"{noun}:{graph.uuid}", graph_id=graph.id)


def scope(tx: Transaction, access: Access, user_id: str | None, graph_id: str | None) -> Scope:
    """The one scope that a request names; the project when it names none."""
    if user_id is None and graph_id is None:
        return PROJECT
    return scope_of(graphs.target(tx, access, user_id, graph_id))


def _scopes(tx: Transaction, access: Access, targets: Targets, most: int) -> list[Scope]:
    """Every scope that a request names, each of which must exist."""
    _check_count("user_ids", targets.user_ids, most)
    _check_count("graph_ids", targets.graph_ids, most)
    named = [graphs.of_user(tx, access, user_id) for user_id in targets.user_ids]
    named += [graphs.get(tx, access, graph_id) for graph_id in targets.graph_ids]
    return [scope_of(graph) for graph in named] or [PROJECT]


# ---------------------------------------------------------------- rows


def _put(
    tx: Transaction, access: Access, kind: Kind, where: Scope, value: Any, name: str = ""
) -> None:
    tx.run(
        "guidance_put",
        uuid=tx.new_id(),
        project_id=access.project_id,
        kind=kind,
        scope=where.key,
        graph_id=where.graph_id,
        name=name,
        value=rows.to_json(value),
        now=rows.micros(tx.now),
    )


def _at(tx: Transaction, access: Access, kind: Kind, where: Scope) -> list[Row]:
    return tx.all("guidance_at", project_id=access.project_id, kind=kind, scope=where.key)


def _effective(tx: Transaction, access: Access, kind: Kind, where: Scope) -> list[Row]:
    """What is said at a scope, or else in the project; never a mixture."""
    return _at(tx, access, kind, where) or _at(tx, access, kind, PROJECT)


def _delete(
    tx: Transaction, access: Access, kind: Kind, where: Scope, names: Sequence[str] | None = None
) -> int:
    return tx.run(
        "guidance_delete",
        project_id=access.project_id,
        kind=kind,
        scope=where.key,
        names=rows.to_json(names or None),
    )


def _value(row: Row, type_: type[T]) -> T:
    """What a row says; it was checked when it was written, so it must still fit."""
    try:
        return msgspec.json.decode(row["value"], type=type_)
    except msgspec.DecodeError as error:
        raise InvariantViolated(f"guidance {row['uuid']} cannot be read: {error}") from error


# ---------------------------------------------------------------- checks


def _check_count(field: str, items: Sequence[object], most: int) -> None:
    if len(items) > most:
        raise InvalidInput(f"{field}: at most {most}, got {len(items)}")


def _check_unique(field: str, names: Iterable[str]) -> None:
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise InvalidInput(f"{field}: {twice!r} is given twice")


def _check_ontology(ontology: Ontology) -> None:
    _check_types("entity_types", ontology.entity_types)
    _check_types("edge_types", ontology.edge_types)
    for number, entity_type in enumerate(ontology.entity_types):
        _check_identity(f"entity_types[{number}].identity_properties", entity_type)
    for number, edge_type in enumerate(ontology.edge_types):
        _check_ends(f"edge_types[{number}].source_targets", edge_type.source_targets)


def _check_types(field: str, types: Sequence[EntityType | EdgeType]) -> None:
    _check_count(field, types, CUSTOM_TYPES_MAX)
    for number, item in enumerate(types):
        place = f"{field}[{number}]"
        checks.text(f"{place}.name", item.name, NAME_CHARS_MAX, required=True)
        checks.text(f"{place}.description", item.description, DESCRIPTION_CHARS_MAX)
        _check_properties(f"{place}.properties", item.properties)
    _check_unique(field, (item.name for item in types))


def _check_properties(field: str, properties: Sequence[Property]) -> None:
    _check_count(field, properties, CUSTOM_TYPE_FIELDS_MAX)
    for number, item in enumerate(properties):
        place = f"{field}[{number}]"
        checks.text(f"{place}.name", item.name, NAME_CHARS_MAX, required=True)
        checks.text(f"{place}.description", item.description, DESCRIPTION_CHARS_MAX)
        if item.name in RESERVED_FIELDS:
            raise InvalidInput(f"{place}.name: {item.name!r} is reserved")
    _check_unique(field, (item.name for item in properties))


def _check_identity(field: str, entity_type: EntityType) -> None:
    known = {item.name for item in entity_type.properties}
    for name in entity_type.identity_properties or ():
        if name not in known:
            raise InvalidInput(f"{field}: {name!r} is not a property of {entity_type.name!r}")


def _check_ends(field: str, ends: Sequence[Ends]) -> None:
    _check_count(field, ends, CUSTOM_TYPE_ENDS_MAX)
    for number, pair in enumerate(ends):
        for side, name in (("source", pair.source), ("target", pair.target)):
            if name is not None:
                checks.text(f"{field}[{number}].{side}", name, NAME_CHARS_MAX, required=True)


def _check_instructions(kind: InstructionKind, instructions: Sequence[Instruction]) -> None:
    if not instructions:
        raise InvalidInput("instructions: must not be empty")
    _check_count("instructions", instructions, INSTRUCTIONS_PER_CALL_MAX)
    for number, item in enumerate(instructions):
        place, chars_max = f"instructions[{number}]", _INSTRUCTION_CHARS_MAX[kind]
        checks.text(f"{place}.name", item.name, INSTRUCTION_NAME_CHARS_MAX, required=True)
        checks.text(f"{place}.text", item.text, chars_max, required=True)
    _check_unique("instructions", (item.name for item in instructions))


def _check_steering(steering: Steering) -> None:
    checks.text("instruction", steering.instruction, STEERING_CHARS_MAX)
    _check_count("types", steering.types, OBSERVATION_TYPES_MAX)
    for number, item in enumerate(steering.types):
        place = f"types[{number}]"
        checks.text(f"{place}.name", item.name, OBSERVATION_TYPE_NAME_CHARS_MAX, required=True)
        if not _LOWER_SNAKE.fullmatch(item.name):
            raise InvalidInput(f"{place}.name: must be like_this, got {item.name!r}")
        if item.name == GENERIC:
            raise InvalidInput(f"{place}.name: {GENERIC!r} is reserved")
        checks.text(
            f"{place}.description", item.description, OBSERVATION_TYPE_CHARS_MAX, required=True
        )
    _check_unique("types", (item.name for item in steering.types))


# ---------------------------------------------------------------- ontology


def set_ontology(tx: Transaction, access: Access, targets: Targets, ontology: Ontology) -> None:
    """Replace the whole set of types at each named scope; an empty set clears the scope."""
    _check_ontology(ontology)
    for where in _scopes(tx, access, targets, ONTOLOGY_SCOPES_PER_CALL_MAX):
        if ontology.entity_types or ontology.edge_types:
            _put(tx, access, "ontology", where, ontology)
        else:
            _delete(tx, access, "ontology", where)


def ontology_at(tx: Transaction, access: Access, where: Scope) -> Ontology:
    """The custom types that hold at a scope."""
    found = _effective(tx, access, "ontology", where)
    return _value(found[0], Ontology) if found else Ontology()


# ---------------------------------------------------------------- instructions


def add_instructions(
    tx: Transaction,
    access: Access,
    kind: InstructionKind,
    targets: Targets,
    instructions: Sequence[Instruction],
) -> None:
    """Add instructions at each named scope; a known name is rewritten, the others stay."""
    _check_instructions(kind, instructions)
    places = _scopes(tx, access, targets, INSTRUCTION_SCOPES_PER_CALL_MAX)
    for where in places:
        _check_room(tx, access, kind, where, instructions)
    for where in places:
        for item in instructions:
            _put(tx, access, kind, where, item.text, name=item.name)


def _check_room(
    tx: Transaction,
    access: Access,
    kind: InstructionKind,
    where: Scope,
    instructions: Sequence[Instruction],
) -> None:
    names = {row["name"] for row in _at(tx, access, kind, where)}
    names.update(item.name for item in instructions)
    most = _INSTRUCTIONS_MAX[kind]
    if len(names) > most:
        raise InvalidInput(f"instructions: at most {most} in one place, this makes {len(names)}")


def delete_instructions(
    tx: Transaction, access: Access, kind: InstructionKind, targets: Targets, names: Sequence[str]
) -> None:
    """Remove the named instructions at each named scope; without names, all of them."""
    for where in _scopes(tx, access, targets, INSTRUCTION_SCOPES_PER_CALL_MAX):
        _delete(tx, access, kind, where, names)


def instructions_at(
    tx: Transaction, access: Access, where: Scope, kind: InstructionKind
) -> list[Instruction]:
    """The instructions that hold at a scope."""
    found = _effective(tx, access, kind, where)
    return [Instruction(name=row["name"], text=_value(row, str)) for row in found]


# ---------------------------------------------------------------- steering


def set_steering(tx: Transaction, access: Access, where: Scope, steering: Steering) -> Steering:
    """Replace the steering of a scope whole; an empty one clears the scope."""
    _check_steering(steering)
    if not (steering.instruction or "").strip() and not steering.types:
        _delete(tx, access, "steering", where)
        return Steering()
    _put(tx, access, "steering", where, steering)
    return steering


def steering_at(tx: Transaction, access: Access, where: Scope) -> Steering:
    """The steering that holds at a scope."""
    found = _effective(tx, access, "steering", where)
    return _value(found[0], Steering) if found else Steering()


# ---------------------------------------------------------------- templates


def create_template(tx: Transaction, access: Access, template_id: str, text: str) -> Template:
    """A new template. Whether its text can be filled in is for the caller to check."""
    checks.caller_id("template_id", template_id)
    checks.text("template_id", template_id, TEMPLATE_ID_CHARS_MAX)
    checks.text("template", text, TEMPLATE_CHARS_MAX, required=True)
    if _find_template(tx, access, template_id) is not None:
        raise AlreadyExists(f"template_id: {template_id!r} exists already")
    if len(_at(tx, access, "template", PROJECT)) >= TEMPLATES_MAX:
        raise InvalidInput(f"template_id: a project has at most {TEMPLATES_MAX} templates")
    _put(tx, access, "template", PROJECT, text, name=template_id)
    return get_template(tx, access, template_id)


def _find_template(tx: Transaction, access: Access, template_id: str) -> Row | None:
    return tx.one(
        "guidance_named",
        project_id=access.project_id,
        kind="template",
        scope=PROJECT.key,
        name=template_id,
    )


def _template(row: Row) -> Template:
    return Template(uuid=row["uuid"], template_id=row["name"], text=_value(row, str))


def get_template(tx: Transaction, access: Access, template_id: str) -> Template:
    """A template by the caller's id."""
    row = _find_template(tx, access, template_id)
    if row is None:
        raise NotFound(f"context template not found: {template_id}")
    return _template(row)


def update_template(tx: Transaction, access: Access, template_id: str, text: str) -> Template:
    """Replace the text of a template; its uuid stays."""
    checks.text("template", text, TEMPLATE_CHARS_MAX, required=True)
    get_template(tx, access, template_id)
    _put(tx, access, "template", PROJECT, text, name=template_id)
    return get_template(tx, access, template_id)


def delete_template(tx: Transaction, access: Access, template_id: str) -> None:
    """Remove a template."""
    if not _delete(tx, access, "template", PROJECT, [template_id]):
        raise NotFound(f"context template not found: {template_id}")


def list_templates(tx: Transaction, access: Access) -> list[Template]:
    """The templates of a project, oldest first."""
    return [_template(row) for row in _at(tx, access, "template", PROJECT)]
