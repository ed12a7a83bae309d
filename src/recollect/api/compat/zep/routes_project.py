"""The project that a key belongs to."""

from msgspec import UnsetType

from recollect.api.compat.zep import translate, wire
from recollect.api.router import Call, Route
from recollect.governance import keys


async def get(call: Call) -> wire.ProjectAnswer:
    """The key's own project."""
    return translate.project(await call.services.store.read(keys.project_of, call.access))


async def update(call: Call) -> wire.ProjectAnswer:
    """Set or clear the project's default time zone."""
    sent: wire.UpdateProject = call.body
    if isinstance(sent.default_time_zone, UnsetType):
        return await get(call)
    made = await call.services.store.write(
        keys.set_default_time_zone, call.access, sent.default_time_zone
    )
    return translate.project(made)


ROUTES = [
    Route(
        "GET",
        "/projects/info",
        "project.get",
        get,
        "Get the key's project",
        answer=wire.ProjectAnswer,
    ),
    Route(
        "PATCH",
        "/projects/info",
        "project.update",
        update,
        "Update the key's project",
        body=wire.UpdateProject,
        answer=wire.ProjectAnswer,
    ),
]
