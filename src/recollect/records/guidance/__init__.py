"""A project's guidance for its memory: types, instructions, steering, templates."""

from recollect.records.guidance.instructions import (
    Instruction,
    InstructionKind,
    add_instructions,
    delete_instructions,
    instructions_at,
)
from recollect.records.guidance.ontology import (
    RESERVED_FIELDS,
    EdgeType,
    Ends,
    EntityType,
    Ontology,
    Property,
    PropertyType,
    ontology_at,
    set_ontology,
)
from recollect.records.guidance.scopes import PROJECT, Scope, Targets, scope, scope_of
from recollect.records.guidance.steering import (
    GENERIC,
    ObservationType,
    Steering,
    set_steering,
    steering_at,
)
from recollect.records.guidance.templates import (
    Template,
    create_template,
    delete_template,
    get_template,
    list_templates,
    rename_template,
    template_by_uuid,
    update_template,
)

__all__ = [
    "GENERIC",
    "PROJECT",
    "RESERVED_FIELDS",
    "EdgeType",
    "Ends",
    "EntityType",
    "Instruction",
    "InstructionKind",
    "ObservationType",
    "Ontology",
    "Property",
    "PropertyType",
    "Scope",
    "Steering",
    "Targets",
    "Template",
    "add_instructions",
    "create_template",
    "delete_instructions",
    "delete_template",
    "get_template",
    "instructions_at",
    "list_templates",
    "ontology_at",
    "rename_template",
    "scope",
    "scope_of",
    "set_ontology",
    "set_steering",
    "steering_at",
    "template_by_uuid",
    "update_template",
]
