"""The context templates of a project, by id; `context.templates` defines what their text means."""

from datetime import datetime

from recollect.errors import AlreadyExists, InvalidInput, NotFound
from recollect.graph import checks
from recollect.graph.types import Access, Record
from recollect.limits import TEMPLATE_CHARS_MAX, TEMPLATE_ID_CHARS_MAX, TEMPLATES_MAX
from recollect.records.guidance import scopes
from recollect.records.guidance.scopes import PROJECT
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.guidance import GuidanceRow


class Template(Record):
    """A named context template of a project."""

    uuid: str
    template_id: str
    text: str
    created_at: datetime


def create_template(
    tx: Transaction, access: Access, template_id: str, text: str, *, field: str = "template_id"
) -> Template:
    """Create a template. *field* is the caller's name for the id.

    The caller checks whether its text can be rendered.
    """
    checks.caller_id(field, template_id)
    checks.text(field, template_id, TEMPLATE_ID_CHARS_MAX)
    checks.text("template", text, TEMPLATE_CHARS_MAX, required=True)
    if _find_template(tx, access, template_id) is not None:
        raise AlreadyExists(f"{field}: {template_id!r} exists already")
    if len(scopes.at(tx, access, "template", PROJECT)) >= TEMPLATES_MAX:
        raise InvalidInput(f"{field}: a project has at most {TEMPLATES_MAX} templates")
    scopes.put(tx, access, "template", PROJECT, text, name=template_id)
    return get_template(tx, access, template_id)


def _find_template(tx: Transaction, access: Access, template_id: str) -> GuidanceRow | None:
    return tx.guidance.named(
        project_id=access.project_id,
        kind="template",
        scope=PROJECT.key,
        name=template_id,
    )


def _template(row: GuidanceRow) -> Template:
    return Template(
        uuid=row.uuid,
        template_id=row.name,
        text=scopes.value(row, str),
        created_at=rows.moment(row.created_at),
    )


def get_template(tx: Transaction, access: Access, template_id: str) -> Template:
    """A template by the caller's id."""
    row = _find_template(tx, access, template_id)
    if row is None:
        raise NotFound(f"context template not found: {template_id}")
    return _template(row)


def template_by_uuid(tx: Transaction, access: Access, uuid: str) -> Template:
    """A template by the server's id."""
    row = tx.guidance.by_uuid(project_id=access.project_id, kind="template", uuid=uuid)
    if row is None:
        raise NotFound(f"context template not found: {uuid}")
    return _template(row)


def rename_template(tx: Transaction, access: Access, template_id: str, name: str) -> Template:
    """Change the id of a template; its uuid stays."""
    checks.caller_id("name", name)
    checks.text("name", name, TEMPLATE_ID_CHARS_MAX)
    known = get_template(tx, access, template_id)
    if name != template_id and _find_template(tx, access, name) is not None:
        raise AlreadyExists(f"name: {name!r} exists already")
    tx.guidance.rename(project_id=access.project_id, uuid=known.uuid, name=name)
    return get_template(tx, access, name)


def update_template(tx: Transaction, access: Access, template_id: str, text: str) -> Template:
    """Replace the text of a template; its uuid stays."""
    checks.text("template", text, TEMPLATE_CHARS_MAX, required=True)
    get_template(tx, access, template_id)
    scopes.put(tx, access, "template", PROJECT, text, name=template_id)
    return get_template(tx, access, template_id)


def delete_template(tx: Transaction, access: Access, template_id: str) -> None:
    """Delete a template."""
    if not scopes.delete(tx, access, "template", PROJECT, [template_id]):
        raise NotFound(f"context template not found: {template_id}")


def list_templates(tx: Transaction, access: Access) -> list[Template]:
    """The templates of a project, oldest first."""
    return [_template(row) for row in scopes.at(tx, access, "template", PROJECT)]
