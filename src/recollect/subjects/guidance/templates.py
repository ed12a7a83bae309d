"""The context templates of a project, kept by id; `context.templates` says what their text means."""

from recollect.errors import AlreadyExists, InvalidInput, NotFound
from recollect.graph import checks
from recollect.graph.types import Access, Record
from recollect.limits import TEMPLATE_CHARS_MAX, TEMPLATE_ID_CHARS_MAX, TEMPLATES_MAX
from recollect.store.protocol import Row, Transaction
from recollect.subjects.guidance import scopes
from recollect.subjects.guidance.scopes import PROJECT


class Template(Record):
    """A named context template of a project."""

    uuid: str
    template_id: str
    text: str


def create_template(tx: Transaction, access: Access, template_id: str, text: str) -> Template:
    """A new template. Whether its text can be filled in is for the caller to check."""
    checks.caller_id("template_id", template_id)
    checks.text("template_id", template_id, TEMPLATE_ID_CHARS_MAX)
    checks.text("template", text, TEMPLATE_CHARS_MAX, required=True)
    if _find_template(tx, access, template_id) is not None:
        raise AlreadyExists(f"template_id: {template_id!r} exists already")
    if len(scopes.at(tx, access, "template", PROJECT)) >= TEMPLATES_MAX:
        raise InvalidInput(f"template_id: a project has at most {TEMPLATES_MAX} templates")
    scopes.put(tx, access, "template", PROJECT, text, name=template_id)
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
    return Template(uuid=row["uuid"], template_id=row["name"], text=scopes.value(row, str))


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
    scopes.put(tx, access, "template", PROJECT, text, name=template_id)
    return get_template(tx, access, template_id)


def delete_template(tx: Transaction, access: Access, template_id: str) -> None:
    """Remove a template."""
    if not scopes.delete(tx, access, "template", PROJECT, [template_id]):
        raise NotFound(f"context template not found: {template_id}")


def list_templates(tx: Transaction, access: Access) -> list[Template]:
    """The templates of a project, oldest first."""
    return [_template(row) for row in scopes.at(tx, access, "template", PROJECT)]
