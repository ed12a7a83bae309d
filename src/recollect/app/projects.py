"""Projects: opening, describing, listing and weighing them.

Whoever has the folder may enter any project; over a wire a key belongs to one.
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
    """Everything in the project of that name; the default one is made when it is missing."""
    found = await services.store.write(_found_or_made, without_project(acting), name)
    return _whole(found, acting)


def _found_or_made(tx: Transaction, access: Access, name: str) -> Project:
    if name == DEFAULT_PROJECT and not keys.is_project(tx, name):
        return keys.create_project(tx, name)
    return keys.project_named(tx, name)


async def named(services: WithStore, acting: Acting | None, name: str) -> Access:
    """Everything in the project of that name, which must be there."""
    return _whole(await services.store.read(keys.project_named, name), acting)


async def of_key(services: WithStore, acting: Acting | None, key_uuid: str) -> Access:
    """Everything in the project that a key belongs to."""
    found = await services.store.read(keys.get_key, key_uuid)
    return replace(
        without_project(acting), project_id=found.project_id, project_uuid=found.project_uuid
    )


def _whole(project: Project, acting: Acting | None) -> Access:
    return replace(without_project(acting), project_id=project.id, project_uuid=project.uuid)


async def default_key(services: WithStore, acting: Acting, secret: str | None) -> NewKey | Key:
    """The default project with its key: the one given, the one there is, or a new one."""
    access = without_project(acting)
    return await services.store.write(audited.on_behalf, access, keys.ensure_default, secret)


async def default_key_there(services: WithStore, secret: str | None) -> Key | None:
    """The same as far as it is there already; nothing is written."""
    return await services.store.read(keys.default_there_is, secret)


async def create(
    services: WithStore, access: Access, name: str, description: str | None
) -> Project:
    """A new project without a key, for whoever has the folder."""
    return await services.store.write(
        audited.on_behalf, access, keys.create_project, name, description
    )


async def open_with_key(
    services: WithStore, access: Access, name: str, description: str | None
) -> NewProject:
    """A new project with its first key; only for an admin of the default project."""
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
    """Give a project a greater or smaller share of the workers when several have to wait."""
    shares.weigh(tx, name, weight)
    return keys.project_named(tx, name)


async def limits(services: Services, access: Access) -> ProjectLimits:
    """The limits of the project of whoever asks, and what it used of them today."""
    return await services.store.read(quotas.own, access, usage.of_settings(services.settings))


async def limits_of(services: Services, access: Access, name: str) -> ProjectLimits:
    """Those of any project, for an admin of the default one."""
    await _check_operator(services, access)
    return await services.store.read(
        quotas.look, access, name, usage.of_settings(services.settings)
    )


async def limit(
    services: Services, access: Access, name: str, chosen: usage.Chosen
) -> ProjectLimits:
    """Choose the limits of a project, in place of all that were chosen before; for the same."""
    await _check_operator(services, access)
    given = usage.of_settings(services.settings)
    return await services.store.write(quotas.choose, access, name, chosen, given)


async def look_at_limits(
    folder: WithStore, access: Access, name: str, settings: Settings
) -> ProjectLimits:
    """The limits of any project, for whoever has the folder."""
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
    """Change some of them, for whoever has the folder; those *dropped* are as in the settings again."""
    given = usage.of_settings(settings)
    return await folder.store.write(quotas.change, access, name, changes, dropped, given)


@repeatable
def set_default_time_zone(tx: Transaction, access: Access, time_zone: str | None) -> Done[Project]:
    """Set or clear the zone in which times without one are meant."""
    made = keys.set_default_time_zone(tx, access, time_zone)
    return Done(value=made, made=made)


@repeatable
def leave_as_is(tx: Transaction, access: Access) -> Done[Project]:
    """A change of the project that says nothing; it is a write of its own all the same."""
    found = keys.project_of(tx, access)
    return Done(value=found, made=found)
