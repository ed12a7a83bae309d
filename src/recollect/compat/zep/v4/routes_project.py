"""The project of a key, its context templates, and tasks."""

from functools import partial

from msgspec import UnsetType

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import guidance, projects, tasks
from recollect.app.idempotency import UseCase
from recollect.compat.zep.v4 import idempotency, paging, translate
from recollect.compat.zep.v4.wire import project as wire
from recollect.compat.zep.v4.wire import tasks as tasks_wire
from recollect.compat.zep.v4.wire.base import Page4, PageQuery4
from recollect.errors import NotOffered
from recollect.graph.types import Project

_TASKS_PER_PAGE_MAX = 100


async def get(call: Call) -> wire.Project4:
    """The key's own project."""
    return translate.project_of(await projects.get(call.services, call.access))


async def update(call: Call) -> Reply:
    """Set or clear the project's default time zone."""
    sent: wire.UpdateProject4 = call.body
    if sent.hyperedges_enabled:
        raise NotOffered("hyperedges_enabled: an edge joins two nodes here")
    if sent.include_policy_violating_episodes:
        raise NotOffered("include_policy_violating_episodes: there is no content policy here")
    update: UseCase[Project]
    if isinstance(sent.default_time_zone, UnsetType):
        update = projects.leave_as_is.bind(call.services, call.access)
    else:
        zone = sent.default_time_zone
        update = projects.set_default_time_zone.bind(call.services, call.access, zone)
    return await idempotency.write(call, update, translate.project_of)


# ---------------------------------------------------------------- templates


async def create_template(call: Call) -> Reply:
    """A new context template that can be filled in."""
    sent: wire.CreateTemplate4 = call.body
    create = partial(
        guidance.create_template,
        call.services,
        call.access,
        sent.name,
        sent.template,
        field="name",
    )
    return await idempotency.write(call, create, translate.template)


async def get_template(call: Call) -> wire.Template4:
    """A context template by uuid."""
    uuid = call.path["template_uuid"]
    return translate.template(await guidance.template_by_uuid(call.services, call.access, uuid))


async def list_templates(call: Call) -> Page4[wire.Template4]:
    """A page of the project's context templates, of one name if given."""
    sent: wire.ListTemplates4 = call.body
    found = await guidance.list_templates(call.services, call.access)
    named = [one for one in found if sent.name in (None, one.template_id)]
    shown, following = paging.part(call.query, named)
    return Page4(
        items=[translate.template(one) for one in shown],
        next_cursor=following,
        total_size=len(named),
    )


async def update_template(call: Call) -> Reply:
    """Replace the text or the name of a context template."""
    sent: wire.UpdateTemplate4 = call.body
    given = (call.path["template_uuid"], sent.template, sent.name)
    update = partial(guidance.change_template, call.services, call.access, *given)
    return await idempotency.write(call, update, translate.template)


async def delete_template(call: Call) -> Reply:
    """Remove a context template."""
    uuid = call.path["template_uuid"]
    delete = guidance.delete_template_by_uuid.bind(call.services, call.access, uuid)
    return await idempotency.write(call, delete)


# ---------------------------------------------------------------- tasks


async def get_task(call: Call) -> tasks_wire.Task4:
    """How far a task is, and what came of it."""
    found = await tasks.get(call.services, call.access, call.path["task_uuid"])
    return translate.reported(found, call.services.clock())


async def list_tasks(call: Call) -> Page4[tasks_wire.Task4]:
    """A page of the project's tasks, newest first."""
    asked: tasks_wire.TasksQuery4 = call.query
    found = await tasks.page(
        call.services,
        call.access,
        kind=asked.type,
        status=asked.status,
        limit=paging.size(asked, _TASKS_PER_PAGE_MAX) + 1,
        after=paging.after(asked),
    )
    shown, following = paging.past(asked, found, _TASKS_PER_PAGE_MAX)
    now = call.services.clock()
    return Page4(items=[translate.reported(one, now) for one in shown], next_cursor=following)


ROUTES = [
    Route("GET", "/project", "project.get", get, "Get the key's project"),
    Route(
        "PATCH",
        "/project",
        "project.update",
        update,
        "Update the key's project",
        body=wire.UpdateProject4,
        answer=wire.Project4,
        also=(NotOffered,),
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
        reads=True,
    ),
    Route(
        "GET",
        "/context-templates/{template_uuid}",
        "context.get_context_template",
        get_template,
        "Get a context template",
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
    Route("GET", "/tasks", "task.list", list_tasks, "List tasks", query=tasks_wire.TasksQuery4),
    Route("GET", "/tasks/{task_uuid}", "task.get", get_task, "Get a task"),
]
