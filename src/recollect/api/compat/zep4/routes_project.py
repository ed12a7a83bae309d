"""The project of a key, its context templates, and tasks."""

from msgspec import UnsetType

from recollect.api import once
from recollect.api.compat.zep4 import answers, paging, show_project
from recollect.api.compat.zep4.wire import project as wire
from recollect.api.compat.zep4.wire import tasks as tasks_wire
from recollect.api.compat.zep4.wire.base import Page4, PageQuery4
from recollect.api.http import Reply
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.context import templates
from recollect.errors import NotFound, NotOffered
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.ingest import direct_results, tasks
from recollect.ingest.direct_results import Outcome
from recollect.ingest.tasks import Tracked
from recollect.limits import NODES_PER_CALL_MAX
from recollect.store.protocol import Transaction
from recollect.subjects import guidance, lookups


async def get(call: Call) -> wire.Project4:
    """The key's own project."""
    return show_project.project_of(await call.services.store.read(keys.project_of, call.access))


def _update(tx: Transaction, access: Access, sent: wire.UpdateProject4) -> Done:
    if isinstance(sent.default_time_zone, UnsetType):
        made = keys.project_of(tx, access)
    else:
        made = keys.set_default_time_zone(tx, access, sent.default_time_zone)
    return Done(answer=show_project.project_of(made), made=made)


async def update(call: Call) -> Reply:
    """Set or clear the project's default time zone."""
    sent: wire.UpdateProject4 = call.body
    if sent.hyperedges_enabled:
        raise NotOffered("hyperedges_enabled: an edge joins two nodes here")
    if sent.include_policy_violating_episodes:
        raise NotOffered("include_policy_violating_episodes: there is no content policy here")
    return await once.write(call, _update, sent)


# ---------------------------------------------------------------- templates


def _create(tx: Transaction, access: Access, sent: wire.CreateTemplate4) -> Done:
    name = tx.new_id() if sent.name is None else sent.name
    made = guidance.create_template(tx, access, name, sent.template, field="name")
    return Done(answer=show_project.template(made), made=made)


async def create_template(call: Call) -> Reply:
    """A new context template that can be filled in."""
    sent: wire.CreateTemplate4 = call.body
    templates.parse(sent.template)
    return await once.write(call, _create, sent)


def _template(tx: Transaction, access: Access, uuid: str) -> wire.Template4:
    return show_project.template(guidance.template_by_uuid(tx, access, uuid))


async def get_template(call: Call) -> wire.Template4:
    """A context template by uuid."""
    return await call.services.store.read(_template, call.access, call.path["template_uuid"])


async def list_templates(call: Call) -> Page4[wire.Template4]:
    """A page of the project's context templates, of one name if given."""
    sent: wire.ListTemplates4 = call.body
    found = await call.services.store.read(guidance.list_templates, call.access)
    named = [one for one in found if sent.name in (None, one.template_id)]
    told = answers.part(named, paging.offset(call.query), paging.size(call.query))
    return Page4(
        items=[show_project.template(one) for one in told],
        next_cursor=paging.following(call.query, len(told), len(named)),
        total_size=len(named),
    )


def _change(tx: Transaction, access: Access, uuid: str, sent: wire.UpdateTemplate4) -> Done:
    made = guidance.template_by_uuid(tx, access, uuid)
    if sent.template is not None:
        made = guidance.update_template(tx, access, made.template_id, sent.template)
    if sent.name is not None:
        made = guidance.rename_template(tx, access, made.template_id, sent.name)
    return Done(answer=show_project.template(made), made=made)


async def update_template(call: Call) -> Reply:
    """Replace the text or the name of a context template."""
    sent: wire.UpdateTemplate4 = call.body
    if sent.template is not None:
        templates.parse(sent.template)
    return await once.write(call, _change, call.path["template_uuid"], sent)


def _remove(tx: Transaction, access: Access, uuid: str) -> Done:
    known = guidance.template_by_uuid(tx, access, uuid)
    guidance.delete_template(tx, access, known.template_id)
    return Done()


async def delete_template(call: Call) -> Reply:
    """Remove a context template."""
    return await once.write(call, _remove, call.path["template_uuid"])


# ---------------------------------------------------------------- tasks


def _came(tx: Transaction, access: Access, found: Tracked) -> Outcome | None:
    """What came of a task that has ended, if knowledge was written down."""
    if found.task.completed_at is None or not 0 < found.task.jobs <= NODES_PER_CALL_MAX:
        return None
    return direct_results.outcome(tx, access, found.task.uuid)


def _task(tx: Transaction, access: Access, uuid: str) -> tasks_wire.Task4:
    try:
        found = tasks.get(tx, access, uuid)
    except NotFound:
        if not lookups.is_graph(tx, access, uuid):
            raise
        return answers.warmed(lookups.place(tx, access, uuid), tx.now)
    return show_project.task(found, _came(tx, access, found))


async def get_task(call: Call) -> tasks_wire.Task4:
    """How far a task is, and what came of it."""
    return await call.services.store.read(_task, call.access, call.path["task_uuid"])


def _tasks(
    tx: Transaction, access: Access, asked: tasks_wire.TasksQuery4
) -> Page4[tasks_wire.Task4]:
    found = tasks.page(
        tx,
        access,
        kind=asked.type,
        status=asked.status,
        limit=paging.size(asked, _TASKS_PER_PAGE_MAX) + 1,
        before=paging.after(asked, lambda uuid: tasks.place(tx, access, uuid)),
    )
    told, following = paging.past(asked, found, _TASKS_PER_PAGE_MAX)
    return Page4(
        items=[show_project.task(one, _came(tx, access, one)) for one in told],
        next_cursor=following,
    )


_TASKS_PER_PAGE_MAX = 100


async def list_tasks(call: Call) -> Page4[tasks_wire.Task4]:
    """A page of the project's tasks, newest first."""
    return await call.services.store.read(_tasks, call.access, call.query)


ROUTES = [
    Route("GET", "/project", "project.get", get, "Get the key's project", answer=wire.Project4),
    Route(
        "PATCH",
        "/project",
        "project.update",
        update,
        "Update the key's project",
        body=wire.UpdateProject4,
        answer=wire.Project4,
    ),
    Route(
        "POST",
        "/context-templates",
        "context.create_context_template",
        create_template,
        "Create a context template",
        body=wire.CreateTemplate4,
        answer=wire.Template4,
    ),
    Route(
        "POST",
        "/context-templates/list",
        "context.list_context_templates",
        list_templates,
        "List context templates",
        body=wire.ListTemplates4,
        query=PageQuery4,
        answer=Page4[wire.Template4],
        reads=True,
    ),
    Route(
        "GET",
        "/context-templates/{template_uuid}",
        "context.get_context_template",
        get_template,
        "Get a context template",
        answer=wire.Template4,
    ),
    Route(
        "PUT",
        "/context-templates/{template_uuid}",
        "context.update_context_template",
        update_template,
        "Update a context template",
        body=wire.UpdateTemplate4,
        answer=wire.Template4,
    ),
    Route(
        "DELETE",
        "/context-templates/{template_uuid}",
        "context.delete_context_template",
        delete_template,
        "Delete a context template",
        status=204,
    ),
    Route(
        "GET",
        "/tasks",
        "task.list",
        list_tasks,
        "List tasks",
        query=tasks_wire.TasksQuery4,
        answer=Page4[tasks_wire.Task4],
    ),
    Route("GET", "/tasks/{task_uuid}", "task.get", get_task, "Get a task", answer=tasks_wire.Task4),
]
