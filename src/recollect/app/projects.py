"""Projects: creating, describing and listing them, their limits, and their shares of the workers.

With access to the data folder any project can be entered; over the wire, a key belongs to one project.
"""

from collections.abc import Collection

from msgspec.structs import replace

from recollect.app.idempotency import Done, repeatable
from recollect.app.services import Services
from recollect.app.stores import WithStore, without_project
from recollect.app.units import reads, writes
from recollect.errors import NotAllowed
from recollect.governance import audited, keys, quotas
from recollect.governance.keys import DEFAULT_PROJECT, NewKey, NewProject
from recollect.governance.quotas import ProjectLimits
from recollect.graph import usage
from recollect.graph.acting import Acting
from recollect.graph.types import Access, Key, Project
from recollect.ingest import shares
from recollect.settings import Settings
from recollect.store.protocol import Transaction

__all__ = ["DEFAULT_PROJECT", "NewKey", "NewProject", "ProjectLimits"]

_OPERATORS_ONLY = (
    f"only an admin key of the project {DEFAULT_PROJECT!r}, which is the operator's, may make "
    "projects or limit them"
)


async def enter(services: WithStore, acting: Acting | None, name: str) -> Access:
    """Full access to the project of that name; the default project is created if missing."""
    found = await services.store.write(_found_or_made, without_project(acting), name)
    return _whole(found, acting)


def _found_or_made(tx: Transaction, access: Access, name: str) -> Project:
    if name == DEFAULT_PROJECT and not keys.is_project(tx, name):
        return keys.create_project(tx, name)
    return keys.project_named(tx, name)


async def named(services: WithStore, acting: Acting | None, name: str) -> Access:
    """Full access to the project of that name, which must exist."""
    return _whole(await services.store.read(keys.project_named, name), acting)


async def of_key(services: WithStore, acting: Acting | None, key_uuid: str) -> Access:
    """Full access to the project that a key belongs to."""
    found = await services.store.read(keys.get_key, key_uuid)
    return replace(
        without_project(acting), project_id=found.project_id, project_uuid=found.project_uuid
    )


def _whole(project: Project, acting: Acting | None) -> Access:
    return replace(without_project(acting), project_id=project.id, project_uuid=project.uuid)


async def default_key(services: WithStore, acting: Acting, secret: str | None) -> NewKey | Key:
    """The key of the default project: the given one, the existing one, or a new one."""
    access = without_project(acting)
    return await services.store.write(audited.on_behalf, access, keys.ensure_default, secret)


async def default_key_there(services: WithStore, secret: str | None) -> Key | None:
    """The existing key of the default project, if any; nothing is written."""
    return await services.store.read(keys.default_there_is, secret)


async def create(
    services: WithStore, access: Access, name: str, description: str | None
) -> Project:
    """Create a project without a key, for an operator with access to the data folder."""
    return await services.store.write(
        audited.on_behalf, access, keys.create_project, name, description
    )


async def open_with_key(
    services: WithStore, access: Access, name: str, description: str | None
) -> NewProject:
    """Create a project with its first key; only for an admin of the default project."""
    await _check_operator(services, access)
    return await services.store.write(keys.open_project, access, name, description)


async def _check_operator(services: WithStore, access: Access) -> None:
    own = await services.store.read(keys.project_of, access)
    if own.name != DEFAULT_PROJECT:
        raise NotAllowed(_OPERATORS_ONLY)


get = reads(keys.project_of)
describe = writes(keys.describe_project)


async def list_weighted(services: WithStore, access: Access) -> list[tuple[Project, float]]:
    """Every project with its share of the workers."""
    return await services.store.read(_weighted)


def _weighted(tx: Transaction) -> list[tuple[Project, float]]:
    return [(one, shares.weight(tx, one.id)) for one in keys.list_projects(tx)]


@writes
def weigh(tx: Transaction, access: Access, name: str, weight: float) -> Project:
    """Set a project's share of the workers for when several projects have a backlog."""
    shares.weigh(tx, name, weight)
    return keys.project_named(tx, name)


async def limits(services: Services, access: Access) -> ProjectLimits:
    """The limits of the caller's project, and how much of them it used today."""
    return await services.store.read(quotas.own, access, usage.of_settings(services.settings))


async def limits_of(services: Services, access: Access, name: str) -> ProjectLimits:
    """The limits of any project, for an admin of the default one."""
    await _check_operator(services, access)
    return await services.store.read(
        quotas.look, access, name, usage.of_settings(services.settings)
    )


async def limit(
    services: Services, access: Access, name: str, chosen: usage.Chosen
) -> ProjectLimits:
    """Replace all limits of a project, for an admin of the default one."""
    await _check_operator(services, access)
    given = usage.of_settings(services.settings)
    return await services.store.write(quotas.choose, access, name, chosen, given)


async def look_at_limits(
    folder: WithStore, access: Access, name: str, settings: Settings
) -> ProjectLimits:
    """The limits of any project, for an operator with access to the data folder."""
    return await folder.store.read(quotas.look, access, name, usage.of_settings(settings))


async def choose_limits(
    folder: WithStore,
    access: Access,
    name: str,
    changes: usage.Chosen,
    settings: Settings,
    *,
    dropped: Collection[str],
) -> ProjectLimits:
    """Change some limits of a project, as an operator; those *dropped* fall back to the settings."""
    given = usage.of_settings(settings)
    return await folder.store.write(quotas.change, access, name, changes, dropped, given)


@repeatable
def set_default_time_zone(tx: Transaction, access: Access, time_zone: str | None) -> Done[Project]:
    """Set or clear the time zone of times that are given without one."""
    made = keys.set_default_time_zone(tx, access, time_zone)
    return Done(value=made, made=made)


@repeatable
def leave_as_is(tx: Transaction, access: Access) -> Done[Project]:
    """An empty update of the project; it is still a write, with an audit entry of its own."""
    found = keys.project_of(tx, access)
    return Done(value=found, made=found)
