"""How a project configures its memory: types, instructions, context templates, steering."""

from typing import Generic, TypeVar

from recollect.app import refs
from recollect.app.idempotency import Done, Once, repeatable, write
from recollect.app.refs import GraphRef, UserRef
from recollect.app.services import Services
from recollect.app.units import reads, writes
from recollect.context import templates
from recollect.graph.types import Access, Record
from recollect.records import guidance
from recollect.records.guidance import (
    Instruction,
    InstructionKind,
    Ontology,
    Scope,
    Steering,
    Targets,
    Template,
    scopes,
)
from recollect.records.guidance.scopes import Kind
from recollect.store.protocol import Transaction

T = TypeVar("T")
Where = GraphRef | UserRef | None  # a graph, a user's graph, or the project
_PROJECT = GraphRef()


class Level(Record, Generic[T]):
    """A value in force somewhere; *inherited* if it comes from the project."""

    value: T
    inherited: bool


def _scope(tx: Transaction, access: Access, where: Where) -> tuple[Scope, Targets]:
    if isinstance(where, UserRef):
        where = GraphRef(uuid=refs.user(tx, access, where).graph_uuid)
    if where is None or where == _PROJECT:
        return guidance.PROJECT, Targets()
    found = refs.graph(tx, access, where)
    targets = Targets(
        user_ids=() if found.user_id is None else (found.user_id,),
        graph_ids=() if found.graph_id is None else (found.graph_id,),
    )
    return guidance.scope_of(found.graph), targets


def _level(tx: Transaction, access: Access, kind: Kind, scope: Scope, value: T) -> Level[T]:
    inherited = scope != guidance.PROJECT and not scopes.at(tx, access, kind, scope)
    return Level(value=value, inherited=inherited)


# ---------------------------------------------------------------- types


async def ontology(services: Services, access: Access, where: Where) -> Level[Ontology]:
    """The custom types in force somewhere: its own, or else the project's."""
    return await services.store.read(_ontology, access, where)


def _ontology(tx: Transaction, access: Access, where: Where) -> Level[Ontology]:
    scope, _ = _scope(tx, access, where)
    return _level(tx, access, "ontology", scope, guidance.ontology_at(tx, access, scope))


set_ontology = writes(guidance.set_ontology)


@repeatable
def set_ontology_at(
    tx: Transaction, access: Access, where: Where, ontology: Ontology
) -> Done[Level[Ontology]]:
    """Replace the custom types of one graph, or of the project."""
    scope, targets = _scope(tx, access, where)
    guidance.set_ontology(tx, access, targets, ontology)
    return Done(value=_ontology(tx, access, where), graph_id=scope.graph_id)


# ---------------------------------------------------------------- instructions


async def instructions(
    services: Services, access: Access, kind: InstructionKind, where: Where
) -> Level[list[Instruction]]:
    """The instructions in force somewhere: its own, or else the project's."""
    return await services.store.read(_instructions, access, kind, where)


def _instructions(
    tx: Transaction, access: Access, kind: InstructionKind, where: Where
) -> Level[list[Instruction]]:
    scope, _ = _scope(tx, access, where)
    found = guidance.instructions_at(tx, access, scope, kind)
    return _level(tx, access, kind, scope, found)


add_instructions = writes(guidance.add_instructions)
delete_instructions = writes(guidance.delete_instructions)


@repeatable
def set_instructions(
    tx: Transaction, access: Access, kind: InstructionKind, where: Where, new: list[Instruction]
) -> Done[Level[list[Instruction]]]:
    """Replace the instructions of one graph, or of the project."""
    scope, targets = _scope(tx, access, where)
    guidance.delete_instructions(tx, access, kind, targets, [])
    if new:
        guidance.add_instructions(tx, access, kind, targets, new)
    return Done(value=_instructions(tx, access, kind, where), graph_id=scope.graph_id)


# ---------------------------------------------------------------- steering


async def steering(services: Services, access: Access, where: Where) -> Level[Steering]:
    """The steering of observations in force somewhere: its own, or else the project's."""
    return await services.store.read(_steering, access, where)


def _steering(tx: Transaction, access: Access, where: Where) -> Level[Steering]:
    scope, _ = _scope(tx, access, where)
    return _level(tx, access, "steering", scope, guidance.steering_at(tx, access, scope))


@repeatable
def set_steering(
    tx: Transaction, access: Access, where: Where, steering: Steering
) -> Done[Level[Steering]]:
    """Replace the steering of observations; an empty one inherits from the level above."""
    scope, _ = _scope(tx, access, where)
    guidance.set_steering(tx, access, scope, steering)
    return Done(value=_steering(tx, access, where), graph_id=scope.graph_id)


# ---------------------------------------------------------------- templates


list_templates = reads(guidance.list_templates)


async def create_template(
    services: Services,
    access: Access,
    template_id: str | None,
    text: str,
    *,
    field: str = "template_id",
    once: Once | None = None,
) -> Template:
    """A new context template, which must parse, under the caller's id or a generated one."""
    templates.parse(text)
    return await write(services, access, once, _create_template, template_id, text, field)


def _create_template(
    tx: Transaction, access: Access, template_id: str | None, text: str, field: str
) -> Done[Template]:
    named = tx.new_id() if template_id is None else template_id
    made = guidance.create_template(tx, access, named, text, field=field)
    return Done(value=made, made=made)


template = reads(guidance.get_template)
template_by_uuid = reads(guidance.template_by_uuid)


async def update_template(
    services: Services, access: Access, template_id: str, text: str
) -> Template:
    """Replace the text of a context template."""
    templates.parse(text)
    return await services.store.write(guidance.update_template, access, template_id, text)


async def change_template(
    services: Services,
    access: Access,
    uuid: str,
    text: str | None,
    name: str | None,
    *,
    once: Once | None = None,
) -> Template:
    """Replace the text or the name of a context template."""
    if text is not None:
        templates.parse(text)
    return await write(services, access, once, _change_template, uuid, text, name)


def _change_template(
    tx: Transaction, access: Access, uuid: str, text: str | None, name: str | None
) -> Done[Template]:
    made = guidance.template_by_uuid(tx, access, uuid)
    if text is not None:
        made = guidance.update_template(tx, access, made.template_id, text)
    if name is not None:
        made = guidance.rename_template(tx, access, made.template_id, name)
    return Done(value=made, made=made)


delete_template = writes(guidance.delete_template)


@repeatable
def delete_template_by_uuid(tx: Transaction, access: Access, uuid: str) -> Done[None]:
    """Delete a context template by its uuid."""
    known = guidance.template_by_uuid(tx, access, uuid)
    guidance.delete_template(tx, access, known.template_id)
    return Done(value=None)
