"""What a project or a graph tells the memory: types, instructions, steering."""

from collections.abc import Callable
from typing import Any

from msgspec import convert, to_builtins

from recollect.api import once
from recollect.api.compat.zep4.wire import project as wire
from recollect.api.http import Reply
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput, NotAllowed, NotOffered
from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from recollect.subjects import guidance, lookups
from recollect.subjects.guidance import InstructionKind, Scope, Targets, scopes
from recollect.subjects.guidance.scopes import Kind

Path = dict[str, str]
_TAKES_AWAY: dict[InstructionKind, str] = {
    "extraction": "graph.delete_custom_instructions",
    "summary": "user.delete_user_summary_instructions",
}


def _scope(tx: Transaction, access: Access, path: Path) -> tuple[Scope, Targets]:
    """Where a path speaks of: a graph, a user's graph, or the project."""
    uuid = path.get("graph_uuid")
    if "user_uuid" in path:
        uuid = lookups.user(tx, access, path["user_uuid"]).graph_uuid
    if uuid is None:
        return guidance.PROJECT, Targets()
    where = lookups.place(tx, access, uuid)
    named = Targets(
        user_ids=(where.user_id,) if where.user_id is not None else (),
        graph_ids=(where.graph_id,) if where.graph_id is not None else (),
    )
    return guidance.scope_of(where.graph), named


def _inherited(tx: Transaction, access: Access, kind: Kind, where: Scope) -> bool:
    return where != guidance.PROJECT and not scopes.at(tx, access, kind, where)


def _check_inherited(sent: Any, *said: Any) -> None:
    if sent.inherited and any(said):
        raise InvalidInput("inherited: true leaves it to the project, and something else is said")


# ---------------------------------------------------------------- types


def _types(found: guidance.Ontology) -> dict[str, Any]:
    """Custom types in the words of generation 4, which writes kinds of values small."""
    told: dict[str, Any] = to_builtins(found)
    for one in (*told["entity_types"], *told["edge_types"]):
        for prop in one["properties"]:
            prop["type"] = prop["type"].lower()
    return told


def _ontology(tx: Transaction, access: Access, path: Path) -> wire.Ontology4:
    where, _ = _scope(tx, access, path)
    told = _types(guidance.ontology_at(tx, access, where))
    inherited = _inherited(tx, access, "ontology", where)
    return convert({**told, "inherited": inherited}, wire.Ontology4)


async def get_ontology(call: Call) -> wire.Ontology4:
    """The custom types of a graph or the project; a graph without its own has the project's."""
    return await call.services.store.read(_ontology, call.access, call.path)


def _ours(sent: Any, field: str) -> dict[str, Any]:
    told: dict[str, Any] = to_builtins(sent)
    properties = []
    for number, prop in enumerate(told.pop("properties", None) or ()):
        if prop.pop("protected", None):
            raise NotOffered(
                f"{field}.properties[{number}].protected: what is read later may always correct it"
            )
        described = {"description": "", **prop, "type": prop["type"].capitalize()}
        properties.append(described)
    return {"description": "", **told, "properties": properties}


def _set_ontology(tx: Transaction, access: Access, path: Path, sent: wire.SetOntology4) -> Done:
    where, targets = _scope(tx, access, path)
    lists = {"entity_types": sent.entity_types, "edge_types": sent.edge_types}
    told = {
        name: [_ours(one, f"{name}[{number}]") for number, one in enumerate(given or ())]
        for name, given in lists.items()
    }
    guidance.set_ontology(tx, access, targets, convert(told, guidance.Ontology))
    return Done(answer=_ontology(tx, access, path), graph_id=where.graph_id)


async def set_ontology(call: Call) -> Reply:
    """Replace the custom types of a graph or the project."""
    sent: wire.SetOntology4 = call.body
    _check_inherited(sent, sent.entity_types, sent.edge_types)
    if sent.entity_type_hierarchy:
        raise NotOffered("entity_type_hierarchy: types are a flat list here")
    return await once.write(call, _set_ontology, call.path, sent)


# ---------------------------------------------------------------- instructions


def _told(tx: Transaction, access: Access, path: Path, kind: InstructionKind) -> wire.Instructions4:
    where, _ = _scope(tx, access, path)
    found = guidance.instructions_at(tx, access, where, kind)
    return wire.Instructions4(
        inherited=_inherited(tx, access, kind, where),
        instructions=[wire.Instruction4(name=one.name, text=one.text) for one in found],
    )


def _put(
    tx: Transaction,
    access: Access,
    path: Path,
    kind: InstructionKind,
    sent: wire.SetInstructions4,
) -> Done:
    where, targets = _scope(tx, access, path)
    new = [guidance.Instruction(name=one.name, text=one.text) for one in sent.instructions or ()]
    guidance.delete_instructions(tx, access, kind, targets, [])
    if new:
        guidance.add_instructions(tx, access, kind, targets, new)
    return Done(answer=_told(tx, access, path, kind), graph_id=where.graph_id)


async def _set(call: Call, kind: InstructionKind) -> Reply:
    sent: wire.SetInstructions4 = call.body
    _check_inherited(sent, sent.instructions)
    if call.access_for(_TAKES_AWAY[kind]) is None:  # what it replaces goes
        raise NotAllowed(f"this key may not do {_TAKES_AWAY[kind]}")
    return await once.write(call, _put, call.path, kind, sent)


async def get_instructions(call: Call) -> wire.Instructions4:
    """The extraction instructions of a graph or the project."""
    return await call.services.store.read(_told, call.access, call.path, "extraction")


async def set_instructions(call: Call) -> Reply:
    """Replace the extraction instructions of a graph or the project."""
    return await _set(call, "extraction")


async def get_summary_instructions(call: Call) -> wire.Instructions4:
    """The instructions for the summary of a user, or of all users."""
    return await call.services.store.read(_told, call.access, call.path, "summary")


async def set_summary_instructions(call: Call) -> Reply:
    """Replace the instructions for the summary of a user, or of all users."""
    return await _set(call, "summary")


# ---------------------------------------------------------------- steering


def _steering(tx: Transaction, access: Access, path: Path) -> wire.Steering4:
    where, _ = _scope(tx, access, path)
    found = guidance.steering_at(tx, access, where)
    return wire.Steering4(
        inherited=_inherited(tx, access, "steering", where),
        instruction=found.instruction,
        types=[
            wire.ObservationType4(name=one.name, description=one.description) for one in found.types
        ],
    )


async def get_steering(call: Call) -> wire.Steering4:
    """What the observations of a graph or the project look for."""
    return await call.services.store.read(_steering, call.access, call.path)


def _set_steering(tx: Transaction, access: Access, path: Path, sent: wire.SetSteering4) -> Done:
    where, _ = _scope(tx, access, path)
    told = {"instruction": sent.instruction, "types": to_builtins(sent.types or [])}
    guidance.set_steering(tx, access, where, convert(told, guidance.Steering))
    return Done(answer=_steering(tx, access, path), graph_id=where.graph_id)


async def set_steering(call: Call) -> Reply:
    """Replace what the observations of a graph or the project look for."""
    sent: wire.SetSteering4 = call.body
    _check_inherited(sent, sent.instruction, sent.types)
    return await once.write(call, _set_steering, call.path, sent)


def _pair(
    path: str,
    actions: tuple[str, str],
    handlers: tuple[Callable[[Call], Any], Callable[[Call], Any]],
    what: str,
    body: Any,
    answer: Any,
) -> list[Route]:
    """Reading something, and putting something else in its place."""
    return [
        Route("GET", path, actions[0], handlers[0], f"Get {what}", answer=answer),
        Route("PUT", path, actions[1], handlers[1], f"Set {what}", body=body, answer=answer),
    ]


_ONTOLOGY = (
    ("graph.list_entity_types", "graph.set_ontology"),
    (get_ontology, set_ontology),
)
_INSTRUCTIONS = (
    ("graph.list_custom_instructions", "graph.add_custom_instructions"),
    (get_instructions, set_instructions),
)
_SUMMARIES = (
    ("user.list_user_summary_instructions", "user.add_user_summary_instructions"),
    (get_summary_instructions, set_summary_instructions),
)
_STEERING = (
    ("project.get_observation_steering", "project.set_observation_steering"),
    (get_steering, set_steering),
)
_ONTOLOGY_TYPES = (wire.SetOntology4, wire.Ontology4)
_INSTRUCTION_TYPES = (wire.SetInstructions4, wire.Instructions4)
_STEERING_TYPES = (wire.SetSteering4, wire.Steering4)

ROUTES = [
    route
    for at, of in (("/graphs/{graph_uuid}", "a graph"), ("/project", "the project"))
    for route in (
        *_pair(f"{at}/ontology", *_ONTOLOGY, f"the custom types of {of}", *_ONTOLOGY_TYPES),
        *_pair(
            f"{at}/instructions",
            *_INSTRUCTIONS,
            f"the extraction instructions of {of}",
            *_INSTRUCTION_TYPES,
        ),
        *_pair(
            f"{at}/observation-steering",
            *_STEERING,
            f"the observation steering of {of}",
            *_STEERING_TYPES,
        ),
    )
] + [
    *_pair(
        "/users/{user_uuid}/summary-instructions",
        *_SUMMARIES,
        "the summary instructions of a user",
        *_INSTRUCTION_TYPES,
    ),
    *_pair(
        "/project/user-summary-instructions",
        *_SUMMARIES,
        "the summary instructions of all users",
        *_INSTRUCTION_TYPES,
    ),
]
