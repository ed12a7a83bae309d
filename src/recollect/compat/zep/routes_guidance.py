"""The project of a key, and how it configures its memory: types, instructions, templates, steering."""

from typing import Any, TypeVar

from msgspec import UnsetType, convert, to_builtins

from recollect.api.router import Call, Route
from recollect.app import guidance, projects
from recollect.app.refs import GraphRef
from recollect.compat.zep import translate
from recollect.compat.zep.wire import batches as batches_wire
from recollect.compat.zep.wire import guidance as guidance_wire
from recollect.compat.zep.wire.base import Success
from recollect.records.guidance import (
    EdgeType,
    EntityType,
    Instruction,
    InstructionKind,
    Ontology,
    Steering,
    Targets,
    Template,
)


async def get(call: Call) -> batches_wire.ProjectAnswer:
    """The key's own project."""
    return translate.project(await projects.get(call.services, call.access))


async def update(call: Call) -> batches_wire.ProjectAnswer:
    """Set or clear the project's default time zone."""
    sent: batches_wire.UpdateProject = call.body
    if isinstance(sent.default_time_zone, UnsetType):
        return await get(call)
    made = await projects.set_default_time_zone(call.services, call.access, sent.default_time_zone)
    return translate.project(made)


T = TypeVar("T")


def _same(value: Any, type_: type[T]) -> T:
    """*value* as *type_*: both have the same fields, and nulls are left out."""
    return convert(to_builtins(value), type_)


def _targets(user_ids: list[str] | None, graph_ids: list[str] | None = None) -> Targets:
    return Targets(user_ids=tuple(user_ids or ()), graph_ids=tuple(graph_ids or ()))


def _where(asked: guidance_wire.ScopeQuery) -> GraphRef:
    return GraphRef(user_id=asked.user_id, graph_id=asked.graph_id)


# ---------------------------------------------------------------- types


async def list_entity_types(call: Call) -> guidance_wire.EntityTypes:
    """The custom types of a user or graph, or the project's where it has none of its own."""
    found = await guidance.ontology(call.services, call.access, _where(call.query))
    return _same(found.value, guidance_wire.EntityTypes)


async def set_entity_types(call: Call) -> Success:
    """Replace the custom types of the named users and graphs, or of the project."""
    sent: guidance_wire.SetEntityTypes = call.body
    ontology = Ontology(
        entity_types=tuple(_same(t, EntityType) for t in sent.entity_types or ()),
        edge_types=tuple(_same(t, EdgeType) for t in sent.edge_types or ()),
    )
    targets = _targets(sent.user_ids, sent.graph_ids)
    await guidance.set_ontology(call.services, call.access, targets, ontology)
    return Success(message="entity types set")


# ---------------------------------------------------------------- instructions


async def _list(call: Call, kind: InstructionKind, where: GraphRef) -> guidance_wire.Instructions:
    found = await guidance.instructions(call.services, call.access, kind, where)
    return guidance_wire.Instructions(
        instructions=[_same(item, guidance_wire.Instruction) for item in found.value]
    )


async def _add(
    call: Call, kind: InstructionKind, targets: Targets, sent: list[guidance_wire.Instruction]
) -> Success:
    instructions = [_same(item, Instruction) for item in sent]
    await guidance.add_instructions(call.services, call.access, kind, targets, instructions)
    return Success(message="instructions added")


async def _delete(
    call: Call, kind: InstructionKind, targets: Targets, names: list[str] | None
) -> Success:
    await guidance.delete_instructions(call.services, call.access, kind, targets, names or [])
    return Success(message="instructions deleted")


async def list_custom(call: Call) -> guidance_wire.Instructions:
    """The extraction instructions of a user or graph, or the project's where it has none."""
    return await _list(call, "extraction", _where(call.query))


async def add_custom(call: Call) -> Success:
    """Add extraction instructions, rewriting those whose name is known."""
    sent: guidance_wire.AddInstructions = call.body
    targets = _targets(sent.user_ids, sent.graph_ids)
    return await _add(call, "extraction", targets, sent.instructions)


async def delete_custom(call: Call) -> Success:
    """Remove the named extraction instructions, or all without names."""
    sent: guidance_wire.DeleteInstructions = call.body
    targets = _targets(sent.user_ids, sent.graph_ids)
    return await _delete(call, "extraction", targets, sent.instruction_names)


async def list_summary(call: Call) -> guidance_wire.Instructions:
    """The summary instructions of a user, or the project's where there are none."""
    asked: guidance_wire.UserScopeQuery = call.query
    return await _list(call, "summary", GraphRef(user_id=asked.user_id))


async def add_summary(call: Call) -> Success:
    """Add summary instructions, rewriting those whose name is known."""
    sent: guidance_wire.AddSummaryInstructions = call.body
    return await _add(call, "summary", _targets(sent.user_ids), sent.instructions)


async def delete_summary(call: Call) -> Success:
    """Remove the named summary instructions, or all without names."""
    sent: guidance_wire.DeleteSummaryInstructions = call.body
    return await _delete(call, "summary", _targets(sent.user_ids), sent.instruction_names)


# ---------------------------------------------------------------- templates


def _template(found: Template) -> guidance_wire.ContextTemplate:
    return guidance_wire.ContextTemplate(
        uuid=found.uuid, template_id=found.template_id, template=found.text
    )


async def list_templates(call: Call) -> guidance_wire.ContextTemplates:
    """The context templates of the project."""
    found = await guidance.list_templates(call.services, call.access)
    return guidance_wire.ContextTemplates(templates=[_template(item) for item in found])


async def create_template(call: Call) -> guidance_wire.ContextTemplate:
    """A new context template that can be filled in."""
    sent: guidance_wire.CreateTemplate = call.body
    made = await guidance.create_template(
        call.services, call.access, sent.template_id, sent.template
    )
    return _template(made)


async def get_template(call: Call) -> guidance_wire.ContextTemplate:
    """A context template by id."""
    template_id = call.path["template_id"]
    return _template(await guidance.template(call.services, call.access, template_id))


async def update_template(call: Call) -> guidance_wire.ContextTemplate:
    """Replace the text of a context template."""
    sent: guidance_wire.UpdateTemplate = call.body
    made = await guidance.update_template(
        call.services, call.access, call.path["template_id"], sent.template
    )
    return _template(made)


async def delete_template(call: Call) -> Success:
    """Remove a context template."""
    await guidance.delete_template(call.services, call.access, call.path["template_id"])
    return Success(message="context template deleted")


# ---------------------------------------------------------------- steering


async def get_steering(call: Call) -> guidance_wire.Steering:
    """The observation steering of a user or graph, or the project's where it has none."""
    found = await guidance.steering(call.services, call.access, _where(call.query))
    return _same(found.value, guidance_wire.Steering)


async def set_steering(call: Call) -> guidance_wire.Steering:
    """Replace the observation steering of one level; an empty one clears the level."""
    steering = _same(call.body, Steering)
    await guidance.set_steering(call.services, call.access, _where(call.query), steering)
    blank = not (steering.instruction or "").strip() and not steering.types
    # The value in force at this level from now on, not at the one above it.
    return _same(Steering() if blank else steering, guidance_wire.Steering)


ROUTES = [
    Route("GET", "/projects/info", "project.get", get, "Get the key's project"),
    Route(
        "PATCH",
        "/projects/info",
        "project.update",
        update,
        "Update the key's project",
        body=batches_wire.UpdateProject,
    ),
    Route(
        "GET",
        "/entity-types",
        "graph.list_entity_types",
        list_entity_types,
        "List custom entity and edge types",
        query=guidance_wire.ScopeQuery,
    ),
    Route(
        "PUT",
        "/entity-types",
        "graph.set_ontology",
        set_entity_types,
        "Set custom entity and edge types",
        body=guidance_wire.SetEntityTypes,
    ),
    Route(
        "GET",
        "/custom-instructions",
        "graph.list_custom_instructions",
        list_custom,
        "List extraction instructions",
        query=guidance_wire.ScopeQuery,
    ),
    Route(
        "POST",
        "/custom-instructions",
        "graph.add_custom_instructions",
        add_custom,
        "Add extraction instructions",
        body=guidance_wire.AddInstructions,
    ),
    Route(
        "DELETE",
        "/custom-instructions",
        "graph.delete_custom_instructions",
        delete_custom,
        "Delete extraction instructions",
        body=guidance_wire.DeleteInstructions,
    ),
    Route(
        "GET",
        "/user-summary-instructions",
        "user.list_user_summary_instructions",
        list_summary,
        "List user summary instructions",
        query=guidance_wire.UserScopeQuery,
    ),
    Route(
        "POST",
        "/user-summary-instructions",
        "user.add_user_summary_instructions",
        add_summary,
        "Add user summary instructions",
        body=guidance_wire.AddSummaryInstructions,
    ),
    Route(
        "DELETE",
        "/user-summary-instructions",
        "user.delete_user_summary_instructions",
        delete_summary,
        "Delete user summary instructions",
        body=guidance_wire.DeleteSummaryInstructions,
    ),
    Route(
        "GET",
        "/context-templates",
        "context.list_context_templates",
        list_templates,
        "List context templates",
    ),
    Route(
        "POST",
        "/context-templates",
        "context.create_context_template",
        create_template,
        "Create a context template",
        body=guidance_wire.CreateTemplate,
    ),
    Route(
        "GET",
        "/context-templates/{template_id}",
        "context.get_context_template",
        get_template,
        "Get a context template",
    ),
    Route(
        "PUT",
        "/context-templates/{template_id}",
        "context.update_context_template",
        update_template,
        "Update a context template",
        body=guidance_wire.UpdateTemplate,
    ),
    Route(
        "DELETE",
        "/context-templates/{template_id}",
        "context.delete_context_template",
        delete_template,
        "Delete a context template",
    ),
    Route(
        "GET",
        "/projects/observation-steering",
        "project.get_observation_steering",
        get_steering,
        "Get observation steering",
        query=guidance_wire.ScopeQuery,
    ),
    Route(
        "PUT",
        "/projects/observation-steering",
        "project.set_observation_steering",
        set_steering,
        "Set observation steering",
        query=guidance_wire.ScopeQuery,
        body=guidance_wire.Steering,
    ),
]
