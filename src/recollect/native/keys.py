"""Projects and their keys, for administrators: creating, describing, governing and revoking them.

As everywhere, the key alone determines the project of a request. A new key belongs to the project of the key
that creates it. Its secret is returned once, in a response that must not be cached; only its hash is stored.
"""

from datetime import datetime

import msgspec
from msgspec import UNSET, UnsetType

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import keys, projects
from recollect.app.keys import GovernedKey, NewKey
from recollect.app.projects import ProjectLimits
from recollect.graph.policy import Mode, Role
from recollect.graph.types import Project
from recollect.graph.usage import Chosen, UsageLimits


class ShownKey(msgspec.Struct):
    """A key without its secret, and the names of its policy sets."""

    uuid: str
    name: str
    begins: str
    is_admin: bool
    role: Role
    mode: Mode
    logs_reads: bool
    mcp_write: bool
    policy_sets: list[str]
    created_at: datetime
    revoked_at: datetime | None


class OwnKey(msgspec.Struct):
    """The key of a request: whether it manages access, and of which project."""

    is_admin: bool
    project_uuid: str


class KeyWithSecret(ShownKey, kw_only=True):
    """A key at the only moment its secret is known."""

    secret: str


class CreateKey(msgspec.Struct, forbid_unknown_fields=True):
    """A further key of the project."""

    name: str
    is_admin: bool = False
    role: Role = "default_allow"
    mode: Mode = "enforce"
    logs_reads: bool = False
    mcp_write: bool = False


class Keys(msgspec.Struct):
    """The keys of a project, the oldest first."""

    keys: list[ShownKey]


class ChangeKey(msgspec.Struct, forbid_unknown_fields=True):
    """What is to change of a key; the rest stays."""

    role: Role | None = None
    mode: Mode | None = None
    logs_reads: bool | None = None
    mcp_write: bool | None = None


def _shown(found: GovernedKey) -> ShownKey:
    key = found.key
    return ShownKey(
        uuid=key.uuid,
        name=key.name,
        begins=key.prefix,
        is_admin=key.is_admin,
        role=key.role,
        mode=key.mode,
        logs_reads=key.logs_reads,
        mcp_write=key.mcp_write,
        policy_sets=found.policy_sets,
        created_at=key.created_at,
        revoked_at=key.revoked_at,
    )


def with_secret(made: NewKey) -> KeyWithSecret:
    """A new key with its secret."""
    return KeyWithSecret(
        secret=made.secret,
        **msgspec.structs.asdict(_shown(GovernedKey(key=made.key, policy_sets=[]))),
    )


async def create(call: Call) -> Reply:
    """A further key of this project."""
    sent: CreateKey = call.body
    made = await keys.create(
        call.services,
        call.access,
        sent.name,
        admin=sent.is_admin,
        role=sent.role,
        mode=sent.mode,
        logs_reads=sent.logs_reads,
        mcp_write=sent.mcp_write,
    )
    return Reply.json(with_secret(made), headers={"Cache-Control": "no-store"})


async def own(call: Call) -> OwnKey:
    """The key that asks, as far as it concerns whoever holds it."""
    access = call.access
    return OwnKey(is_admin=access.is_admin, project_uuid=access.project_uuid)


async def list_keys(call: Call) -> Keys:
    """The keys of this project, revoked ones included."""
    return Keys(keys=[_shown(one) for one in await keys.list_(call.services, call.access)])


async def get(call: Call) -> ShownKey:
    """A key by its uuid."""
    return _shown(await keys.get(call.services, call.access, call.path["key_uuid"]))


async def change(call: Call) -> ShownKey:
    """Change the role or mode of a key, whether its reads are logged, or what MCP offers it."""
    sent: ChangeKey = call.body
    changed = await keys.change(
        call.services,
        call.access,
        call.path["key_uuid"],
        role=sent.role,
        mode=sent.mode,
        logs_reads=sent.logs_reads,
        mcp_write=sent.mcp_write,
    )
    return _shown(changed)


async def revoke(call: Call) -> ShownKey:
    """Make a key useless from now on."""
    return _shown(await keys.revoke(call.services, call.access, call.path["key_uuid"]))


async def attach(call: Call) -> ShownKey:
    """Attach a policy set to a key; once more changes nothing."""
    uuid, name = call.path["key_uuid"], call.path["policy_set_name"]
    return _shown(await keys.attach(call.services, call.access, uuid, name))


async def detach(call: Call) -> ShownKey:
    """Take a policy set off a key."""
    uuid, name = call.path["key_uuid"], call.path["policy_set_name"]
    return _shown(await keys.detach(call.services, call.access, uuid, name))


_KEY = "/api/v1/keys/{key_uuid}"
_ATTACHED = f"{_KEY}/policy-sets/{{policy_set_name}}"


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


def _shown_project(project: Project) -> ShownProject:
    return ShownProject(
        uuid=project.uuid,
        name=project.name,
        description=project.description,
        default_time_zone=project.default_time_zone,
        created_at=project.created_at,
    )


async def create_project(call: Call) -> Reply:
    """A new project, and the key that manages it."""
    sent: OpenProject = call.body
    made = await projects.open_with_key(call.services, call.access, sent.name, sent.description)
    answer = ProjectWithKey(project=_shown_project(made.project), key=with_secret(made.first))
    return Reply.json(answer, headers={"Cache-Control": "no-store"})


async def get_project(call: Call) -> ShownProject:
    """The project of the key that asks."""
    return _shown_project(await projects.get(call.services, call.access))


async def change_project(call: Call) -> ShownProject:
    """Describe the project of the key that asks; its name is what it is known by, and stays."""
    sent: ChangeProject = call.body
    if isinstance(sent.description, UnsetType):
        return await get_project(call)
    return _shown_project(await projects.describe(call.services, call.access, sent.description))


class ChosenLimits(msgspec.Struct, forbid_unknown_fields=True):
    """Limits in place of those in the settings: null is no limit, what is left out is as in the settings."""

    key_requests_per_s: float | UnsetType | None = UNSET
    key_requests_burst: int | UnsetType | None = UNSET
    key_episodes_per_day: int | UnsetType | None = UNSET
    key_bytes_per_day: int | UnsetType | None = UNSET
    project_requests_per_s: float | UnsetType | None = UNSET
    project_requests_burst: int | UnsetType | None = UNSET
    project_episodes_per_day: int | UnsetType | None = UNSET
    project_bytes_per_day: int | UnsetType | None = UNSET


class ShownLimits(msgspec.Struct):
    """The limits in force for a project, those of them that were chosen for it, and what it used today.

    What is not limited is not counted.
    """

    project: str
    in_force: UsageLimits
    chosen: dict[str, float | None]
    episodes_today: int
    bytes_today: int


def _shown_limits(found: ProjectLimits) -> ShownLimits:
    return ShownLimits(
        project=found.project.name,
        in_force=found.in_force,
        chosen={str(limit): value for limit, value in found.chosen.items()},
        episodes_today=found.used["episodes"],
        bytes_today=found.used["bytes"],
    )


async def own_limits(call: Call) -> ShownLimits:
    """The limits of the project of the key that asks."""
    return _shown_limits(await projects.limits(call.services, call.access))


async def get_limits(call: Call) -> ShownLimits:
    """The limits of any project, for an admin of the default one."""
    name = call.path["project_name"]
    return _shown_limits(await projects.limits_of(call.services, call.access, name))


async def set_limits(call: Call) -> ShownLimits:
    """Choose the limits of a project, in place of all that were chosen for it before."""
    sent: ChosenLimits = call.body
    given = msgspec.structs.asdict(sent).items()
    chosen: Chosen = {limit: value for limit, value in given if value is not UNSET}  # type: ignore[misc]
    name = call.path["project_name"]
    return _shown_limits(await projects.limit(call.services, call.access, name, chosen))


_LIMITS = "/api/v1/projects/{project_name}/limits"

ROUTES = [
    Route("GET", "/api/v1/key", "key.own", own, "Get the key of this request"),
    Route("GET", "/api/v1/keys", "key.list", list_keys, "List keys", admin=True),
    Route(
        "POST",
        "/api/v1/keys",
        "key.create",
        create,
        "Create a key",
        body=CreateKey,
        answer=KeyWithSecret,
        admin=True,
    ),
    Route("GET", _KEY, "key.get", get, "Get a key", admin=True),
    Route(
        "PATCH",
        _KEY,
        "key.change",
        change,
        "Change the settings of a key",
        body=ChangeKey,
        admin=True,
    ),
    Route("DELETE", _KEY, "key.revoke", revoke, "Revoke a key", admin=True),
    Route(
        "PUT",
        _ATTACHED,
        "key.attach_policy_set",
        attach,
        "Attach a policy set to a key",
        admin=True,
    ),
    Route(
        "DELETE",
        _ATTACHED,
        "key.detach_policy_set",
        detach,
        "Detach a policy set from a key",
        admin=True,
    ),
    Route(
        "POST",
        "/api/v1/projects",
        "project.create",
        create_project,
        "Create a project with its first key",
        body=OpenProject,
        answer=ProjectWithKey,
        admin=True,
    ),
    Route("GET", _LIMITS, "project.get_limits", get_limits, "Get a project's limits", admin=True),
    Route(
        "PUT",
        _LIMITS,
        "project.set_limits",
        set_limits,
        "Set a project's limits",
        body=ChosenLimits,
        admin=True,
    ),
    Route(
        "GET",
        "/api/v1/project/limits",
        "project.limits",
        own_limits,
        "Get the limits of the key's project",
    ),
    Route("GET", "/api/v1/project", "project.get", get_project, "Get the key's project"),
    Route(
        "PATCH",
        "/api/v1/project",
        "project.describe",
        change_project,
        "Change the description of the key's project",
        body=ChangeProject,
        admin=True,
    ),
]
