"""What clients send and read about types, instructions, templates and steering."""

from recollect.compat.zep.wire.base import Request, Wire
from recollect.records.guidance import PropertyType


class ScopeQuery(Request):
    """A user, a graph, or without either the project."""

    user_id: str | None = None
    graph_id: str | None = None


class UserScopeQuery(Request):
    """A user, or without one the project."""

    user_id: str | None = None


# ---------------------------------------------------------------- types


class EntityProperty(Wire):
    """A field of a custom type."""

    name: str
    type: PropertyType
    description: str


class EntityType(Wire):
    """A custom entity type. `expires_after_days` is ours: for how long what is told of it is known."""

    name: str
    description: str
    properties: list[EntityProperty] | None = None
    identity_properties: list[str] | None = None
    expires_after_days: float | None = None


class EntityEdgeSourceTarget(Wire):
    """A pair of types an edge may join; a missing side is any type."""

    source: str | None = None
    target: str | None = None


class EdgeType(Wire):
    """A custom edge type. `expires_after_days` is ours: for how long such facts are known."""

    name: str
    description: str
    properties: list[EntityProperty] | None = None
    source_targets: list[EntityEdgeSourceTarget] | None = None
    expires_after_days: float | None = None


class SetEntityTypes(Request):
    """PUT entity-types: the whole set of each named user and graph, or of the project."""

    entity_types: list[EntityType] | None = None
    edge_types: list[EdgeType] | None = None
    user_ids: list[str] | None = None
    graph_ids: list[str] | None = None


class EntityTypes(Wire):
    """The custom types that hold somewhere."""

    entity_types: list[EntityType]
    edge_types: list[EdgeType]


# ---------------------------------------------------------------- instructions


class Instruction(Wire):
    """A named instruction, for extraction or for user summaries."""

    name: str
    text: str


class Instructions(Wire):
    """The instructions that hold somewhere."""

    instructions: list[Instruction]


class AddInstructions(Request):
    """POST custom-instructions."""

    instructions: list[Instruction]
    user_ids: list[str] | None = None
    graph_ids: list[str] | None = None


class DeleteInstructions(Request):
    """DELETE custom-instructions; without names, all of them."""

    instruction_names: list[str] | None = None
    user_ids: list[str] | None = None
    graph_ids: list[str] | None = None


class AddSummaryInstructions(Request):
    """POST user-summary-instructions."""

    instructions: list[Instruction]
    user_ids: list[str] | None = None


class DeleteSummaryInstructions(Request):
    """DELETE user-summary-instructions; without names, all of them."""

    instruction_names: list[str] | None = None
    user_ids: list[str] | None = None


# ---------------------------------------------------------------- templates and steering


class CreateTemplate(Request):
    """POST context-templates."""

    template_id: str
    template: str


class UpdateTemplate(Request):
    """PUT context-templates/{template_id}."""

    template: str


class ContextTemplate(Wire):
    """A context template."""

    uuid: str
    template_id: str
    template: str


class ContextTemplates(Wire):
    """The context templates of a project."""

    templates: list[ContextTemplate]


class ObservationType(Wire):
    """A kind of observation worth making."""

    name: str
    description: str


class Steering(Wire):
    """What observations should look for, as it is sent and as it is read."""

    instruction: str | None = None
    types: list[ObservationType] | None = None
