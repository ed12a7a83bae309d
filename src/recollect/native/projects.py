"""Projects over HTTP: making one with its first key, and describing one's own.

Which project a request is about is told by its key alone, here as everywhere: nothing names, lists or
changes another one. Making one is for the operator, who holds an admin key of the default project.
"""

from datetime import datetime

import msgspec
from msgspec import UNSET, UnsetType

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import projects
from recollect.graph.types import Project
from recollect.native.keys import KeyWithSecret, with_secret


class ShownProject(msgspec.Struct):
    """A project."""

    uuid: str
    name: str
    description: str | None
    default_time_zone: str | None
    created_at: datetime


class OpenProject(msgspec.Struct, forbid_unknown_fields=True):
    """A new project; no other one has its name."""

    name: str
    description: str | None = None


class ChangeProject(msgspec.Struct, forbid_unknown_fields=True):
    """What is said of a project; null takes it away."""

    description: str | UnsetType | None = UNSET


class ProjectWithKey(msgspec.Struct):
    """A project with its first key, an admin key, whose secret is told this once."""

    project: ShownProject
    key: KeyWithSecret


def _shown(project: Project) -> ShownProject:
    return ShownProject(
        uuid=project.uuid,
        name=project.name,
        description=project.description,
        default_time_zone=project.default_time_zone,
        created_at=project.created_at,
    )


async def create(call: Call) -> Reply:
    """A new project, and the key that manages it."""
    sent: OpenProject = call.body
    made = await projects.open_with_key(call.services, call.access, sent.name, sent.description)
    answer = ProjectWithKey(project=_shown(made.project), key=with_secret(made.first))
    return Reply.json(answer, headers={"Cache-Control": "no-store"})


async def get(call: Call) -> ShownProject:
    """The project of the key that asks."""
    return _shown(await projects.get(call.services, call.access))


async def change(call: Call) -> ShownProject:
    """Describe the project of the key that asks; its name is what it is known by, and stays."""
    sent: ChangeProject = call.body
    if isinstance(sent.description, UnsetType):
        return await get(call)
    return _shown(await projects.describe(call.services, call.access, sent.description))


ROUTES = [
    Route(
        "POST",
        "/api/v1/projects",
        "project.create",
        create,
        "Make a project with its first key",
        body=OpenProject,
        answer=ProjectWithKey,
        admin=True,
    ),
    Route("GET", "/api/v1/project", "project.get", get, "Get the key's project"),
    Route(
        "PATCH",
        "/api/v1/project",
        "project.describe",
        change,
        "Describe the key's project",
        body=ChangeProject,
        admin=True,
    ),
]
