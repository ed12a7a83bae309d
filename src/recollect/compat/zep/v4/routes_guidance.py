"""How a project or a graph configures the memory: types, instructions, steering."""

from collections.abc import Callable
from typing import Any

from msgspec import convert, to_builtins

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import guidance
from recollect.app.guidance import Level, Where
from recollect.app.refs import GraphRef, UserRef
from recollect.compat.zep.v4 import idempotency
from recollect.compat.zep.v4.wire import project as wire
from recollect.errors import InvalidInput, NotAllowed, NotOffered
from recollect.records.guidance import Instruction, InstructionKind, Ontology, Steering

_TAKES_AWAY: dict[InstructionKind, str] = {
    "extraction": "graph.delete_custom_instructions",
    "summary": "user.delete_user_summary_instructions",
}


def _where(call: Call) -> Where:
    """The scope that a path names: a graph, a user's graph, or the project."""
    if "user_uuid" in call.path:
        return UserRef(uuid=call.path["user_uuid"])
    return GraphRef(uuid=call.path["graph_uuid"]) if "graph_uuid" in call.path else None


def _check_inherited(sent: Any, *said: Any) -> None:
    if sent.inherited and any(said):
        raise InvalidInput("inherited: true leaves it to the project, and something else is said")


# ---------------------------------------------------------------- types


def _types(found: Ontology) -> dict[str, Any]:
    """Custom types as Zep v4 writes them: value types in lower case."""
    told: dict[str, Any] = to_builtins(found)
    for one in (*told["entity_types"], *told["edge_types"]):
        for prop in one["properties"]:
            prop["type"] = prop["type"].lower()
    return told


def _ontology(found: Level[Ontology]) -> wire.Ontology4:
    return convert({**_types(found.value), "inherited": found.inherited}, wire.Ontology4)


async def get_ontology(call: Call) -> wire.Ontology4:
    """The custom types of a graph or the project; a graph without its own has the project's."""
    return _ontology(await guidance.ontology(call.services, call.access, _where(call)))


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


async def set_ontology(call: Call) -> Reply:
    """Replace the custom types of a graph or the project."""
    sent: wire.SetOntology4 = call.body
    _check_inherited(sent, sent.entity_types, sent.edge_types)
    if sent.entity_type_hierarchy:
        raise NotOffered("entity_type_hierarchy: types are a flat list here")
    lists = {"entity_types": sent.entity_types, "edge_types": sent.edge_types}
    told = {
        name: [_ours(one, f"{name}[{number}]") for number, one in enumerate(given or ())]
        for name, given in lists.items()
    }
    ontology = convert(told, Ontology)
    set_ = guidance.set_ontology_at.bind(call.services, call.access, _where(call), ontology)
    return await idempotency.write(call, set_, _ontology)


# ---------------------------------------------------------------- instructions


def _instructions(found: Level[list[Instruction]]) -> wire.Instructions4:
    return wire.Instructions4(
        inherited=found.inherited,
        instructions=[wire.Instruction4(name=one.name, text=one.text) for one in found.value],
    )


async def _get(call: Call, kind: InstructionKind) -> wire.Instructions4:
    found = await guidance.instructions(call.services, call.access, kind, _where(call))
    return _instructions(found)


async def _set(call: Call, kind: InstructionKind) -> Reply:
    sent: wire.SetInstructions4 = call.body
    _check_inherited(sent, sent.instructions)
    if call.access_for(_TAKES_AWAY[kind]) is None:  # it deletes what it replaces
        raise NotAllowed(f"this key may not do {_TAKES_AWAY[kind]}")
    new = [Instruction(name=one.name, text=one.text) for one in sent.instructions or ()]
    set_ = guidance.set_instructions.bind(call.services, call.access, kind, _where(call), new)
    return await idempotency.write(call, set_, _instructions)


async def get_instructions(call: Call) -> wire.Instructions4:
    """The extraction instructions of a graph or the project."""
    return await _get(call, "extraction")


async def set_instructions(call: Call) -> Reply:
    """Replace the extraction instructions of a graph or the project."""
    return await _set(call, "extraction")


async def get_summary_instructions(call: Call) -> wire.Instructions4:
    """The instructions for the summary of a user, or of all users."""
    return await _get(call, "summary")


async def set_summary_instructions(call: Call) -> Reply:
    """Replace the instructions for the summary of a user, or of all users."""
    return await _set(call, "summary")


# ---------------------------------------------------------------- steering


def _steering(found: Level[Steering]) -> wire.Steering4:
    return wire.Steering4(
        inherited=found.inherited,
        instruction=found.value.instruction,
        types=[
            wire.ObservationType4(name=one.name, description=one.description)
            for one in found.value.types
        ],
    )


async def get_steering(call: Call) -> wire.Steering4:
    """What the observations of a graph or the project look for."""
    return _steering(await guidance.steering(call.services, call.access, _where(call)))


async def set_steering(call: Call) -> Reply:
    """Replace what the observations of a graph or the project look for."""
    sent: wire.SetSteering4 = call.body
    _check_inherited(sent, sent.instruction, sent.types)
    told = {"instruction": sent.instruction, "types": to_builtins(sent.types or [])}
    steering = convert(told, Steering)
    set_ = guidance.set_steering.bind(call.services, call.access, _where(call), steering)
    return await idempotency.write(call, set_, _steering)


def _pair(
    path: str,
    actions: tuple[str, str],
    handlers: tuple[Callable[[Call], Any], Callable[[Call], Any]],
    what: str,
    body: Any,
    answer: Any,
) -> list[Route]:
    """The routes that read and replace something."""
    return [
        Route("GET", path, actions[0], handlers[0], f"Get {what}", answer=answer),
        Route(
            "PUT",
            path,
            actions[1],
            handlers[1],
            f"Set {what}",
            body=body,
            answer=answer,
            also=(NotOffered,) if handlers[1] is set_ontology else (),
        ),
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
