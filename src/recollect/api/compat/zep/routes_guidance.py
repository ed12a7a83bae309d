"""What a project tells the memory: types, instructions, context templates, steering."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from msgspec import convert, to_builtins

from recollect.api.compat.zep.wire import Success
from recollect.api.compat.zep.wire import guidance as wire
from recollect.api.router import Call, Route
from recollect.context import templates
from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from recollect.subjects import guidance
from recollect.subjects.guidance import InstructionKind, Scope, Targets

P = ParamSpec("P")
T = TypeVar("T")


def _at_scope(
    tx: Transaction,
    access: Access,
    user_id: str | None,
    graph_id: str | None,
    unit: Callable[Concatenate[Transaction, Access, Scope, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Run *unit* at the scope that a request names."""
    where = guidance.scope(tx, access, user_id, graph_id)
    return unit(tx, access, where, *args, **kwargs)


def _same(value: Any, type_: type[T]) -> T:
    """*value* as *type_*: clients and we have the same fields here, a null is left out."""
    return convert(to_builtins(value), type_)


def _targets(user_ids: list[str] | None, graph_ids: list[str] | None = None) -> Targets:
    return Targets(user_ids=tuple(user_ids or ()), graph_ids=tuple(graph_ids or ()))


# ---------------------------------------------------------------- types


async def list_entity_types(call: Call) -> wire.EntityTypes:
    """The custom types of a user or graph, or the project's where it has none of its own."""
    asked: wire.ScopeQuery = call.query
    found = await call.services.store.read(
        _at_scope, call.access, asked.user_id, asked.graph_id, guidance.ontology_at
    )
    return _same(found, wire.EntityTypes)


async def set_entity_types(call: Call) -> Success:
    """Replace the custom types of the named users and graphs, or of the project."""
    sent: wire.SetEntityTypes = call.body
    ontology = guidance.Ontology(
        entity_types=tuple(_same(t, guidance.EntityType) for t in sent.entity_types or ()),
        edge_types=tuple(_same(t, guidance.EdgeType) for t in sent.edge_types or ()),
    )
    targets = _targets(sent.user_ids, sent.graph_ids)
    await call.services.store.write(guidance.set_ontology, call.access, targets, ontology)
    return Success(message="entity types set")


# ---------------------------------------------------------------- instructions


async def _list(
    call: Call, kind: InstructionKind, user_id: str | None, graph_id: str | None
) -> wire.Instructions:
    found = await call.services.store.read(
        _at_scope, call.access, user_id, graph_id, guidance.instructions_at, kind
    )
    return wire.Instructions(instructions=[_same(item, wire.Instruction) for item in found])


async def _add(
    call: Call, kind: InstructionKind, targets: Targets, sent: list[wire.Instruction]
) -> Success:
    instructions = [_same(item, guidance.Instruction) for item in sent]
    await call.services.store.write(
        guidance.add_instructions, call.access, kind, targets, instructions
    )
    return Success(message="instructions added")


async def _delete(
    call: Call, kind: InstructionKind, targets: Targets, names: list[str] | None
) -> Success:
    await call.services.store.write(
        guidance.delete_instructions, call.access, kind, targets, names or []
    )
    return Success(message="instructions deleted")


async def list_custom(call: Call) -> wire.Instructions:
    """The extraction instructions of a user or graph, or the project's where it has none."""
    asked: wire.ScopeQuery = call.query
    return await _list(call, "extraction", asked.user_id, asked.graph_id)


async def add_custom(call: Call) -> Success:
    """Add extraction instructions, rewriting those whose name is known."""
    sent: wire.AddInstructions = call.body
    targets = _targets(sent.user_ids, sent.graph_ids)
    return await _add(call, "extraction", targets, sent.instructions)


async def delete_custom(call: Call) -> Success:
    """Remove the named extraction instructions, or all without names."""
    sent: wire.DeleteInstructions = call.body
    targets = _targets(sent.user_ids, sent.graph_ids)
    return await _delete(call, "extraction", targets, sent.instruction_names)


async def list_summary(call: Call) -> wire.Instructions:
    """The summary instructions of a user, or the project's where there are none."""
    asked: wire.UserScopeQuery = call.query
    return await _list(call, "summary", asked.user_id, None)


async def add_summary(call: Call) -> Success:
    """Add summary instructions, rewriting those whose name is known."""
    sent: wire.AddSummaryInstructions = call.body
    return await _add(call, "summary", _targets(sent.user_ids), sent.instructions)


async def delete_summary(call: Call) -> Success:
    """Remove the named summary instructions, or all without names."""
    sent: wire.DeleteSummaryInstructions = call.body
    return await _delete(call, "summary", _targets(sent.user_ids), sent.instruction_names)


# ---------------------------------------------------------------- templates


def _template(found: guidance.Template) -> wire.ContextTemplate:
    return wire.ContextTemplate(uuid=found.uuid, template_id=found.template_id, template=found.text)


async def list_templates(call: Call) -> wire.ContextTemplates:
    """The context templates of the project."""
    found = await call.services.store.read(guidance.list_templates, call.access)
    return wire.ContextTemplates(templates=[_template(item) for item in found])


async def create_template(call: Call) -> wire.ContextTemplate:
    """A new context template that can be filled in."""
    sent: wire.CreateTemplate = call.body
    templates.parse(sent.template)
    made = await call.services.store.write(
        guidance.create_template, call.access, sent.template_id, sent.template
    )
    return _template(made)


async def get_template(call: Call) -> wire.ContextTemplate:
    """A context template by id."""
    template_id = call.path["template_id"]
    return _template(
        await call.services.store.read(guidance.get_template, call.access, template_id)
    )


async def update_template(call: Call) -> wire.ContextTemplate:
    """Replace the text of a context template."""
    sent: wire.UpdateTemplate = call.body
    templates.parse(sent.template)
    made = await call.services.store.write(
        guidance.update_template, call.access, call.path["template_id"], sent.template
    )
    return _template(made)


async def delete_template(call: Call) -> Success:
    """Remove a context template."""
    template_id = call.path["template_id"]
    await call.services.store.write(guidance.delete_template, call.access, template_id)
    return Success(message="context template deleted")


# ---------------------------------------------------------------- steering


async def get_steering(call: Call) -> wire.Steering:
    """The observation steering of a user or graph, or the project's where it has none."""
    asked: wire.ScopeQuery = call.query
    found = await call.services.store.read(
        _at_scope, call.access, asked.user_id, asked.graph_id, guidance.steering_at
    )
    return _same(found, wire.Steering)


async def set_steering(call: Call) -> wire.Steering:
    """Replace the observation steering of one level; an empty one clears the level."""
    asked: wire.ScopeQuery = call.query
    steering = _same(call.body, guidance.Steering)
    made = await call.services.store.write(
        _at_scope, call.access, asked.user_id, asked.graph_id, guidance.set_steering, steering
    )
    return _same(made, wire.Steering)


ROUTES = [
    Route(
        "GET",
        "/entity-types",
        "graph.list_entity_types",
        list_entity_types,
        "List custom entity and edge types",
        query=wire.ScopeQuery,
        answer=wire.EntityTypes,
    ),
    Route(
        "PUT",
        "/entity-types",
        "graph.set_ontology",
        set_entity_types,
        "Set custom entity and edge types",
        body=wire.SetEntityTypes,
        answer=Success,
    ),
    Route(
        "GET",
        "/custom-instructions",
        "graph.list_custom_instructions",
        list_custom,
        "List extraction instructions",
        query=wire.ScopeQuery,
        answer=wire.Instructions,
    ),
    Route(
        "POST",
        "/custom-instructions",
        "graph.add_custom_instructions",
        add_custom,
        "Add extraction instructions",
        body=wire.AddInstructions,
        answer=Success,
    ),
    Route(
        "DELETE",
        "/custom-instructions",
        "graph.delete_custom_instructions",
        delete_custom,
        "Delete extraction instructions",
        body=wire.DeleteInstructions,
        answer=Success,
    ),
    Route(
        "GET",
        "/user-summary-instructions",
        "user.list_user_summary_instructions",
        list_summary,
        "List user summary instructions",
        query=wire.UserScopeQuery,
        answer=wire.Instructions,
    ),
    Route(
        "POST",
        "/user-summary-instructions",
        "user.add_user_summary_instructions",
        add_summary,
        "Add user summary instructions",
        body=wire.AddSummaryInstructions,
        answer=Success,
    ),
    Route(
        "DELETE",
        "/user-summary-instructions",
        "user.delete_user_summary_instructions",
        delete_summary,
        "Delete user summary instructions",
        body=wire.DeleteSummaryInstructions,
        answer=Success,
    ),
    Route(
        "GET",
        "/context-templates",
        "context.list_context_templates",
        list_templates,
        "List context templates",
        answer=wire.ContextTemplates,
    ),
    Route(
        "POST",
        "/context-templates",
        "context.create_context_template",
        create_template,
        "Create a context template",
        body=wire.CreateTemplate,
        answer=wire.ContextTemplate,
    ),
    Route(
        "GET",
        "/context-templates/{template_id}",
        "context.get_context_template",
        get_template,
        "Get a context template",
        answer=wire.ContextTemplate,
    ),
    Route(
        "PUT",
        "/context-templates/{template_id}",
        "context.update_context_template",
        update_template,
        "Update a context template",
        body=wire.UpdateTemplate,
        answer=wire.ContextTemplate,
    ),
    Route(
        "DELETE",
        "/context-templates/{template_id}",
        "context.delete_context_template",
        delete_template,
        "Delete a context template",
        answer=Success,
    ),
    Route(
        "GET",
        "/projects/observation-steering",
        "project.get_observation_steering",
        get_steering,
        "Get observation steering",
        query=wire.ScopeQuery,
        answer=wire.Steering,
    ),
    Route(
        "PUT",
        "/projects/observation-steering",
        "project.set_observation_steering",
        set_steering,
        "Set observation steering",
        query=wire.ScopeQuery,
        body=wire.Steering,
        answer=wire.Steering,
    ),
]
