"""Projects: opening, describing, listing and weighing them.

Whoever has the folder may enter any project; over a wire a key belongs to one.
"""

from msgspec.structs import replace

from recollect.app.data_folder import WithStore, without_project
from recollect.app.idempotency import Done, repeatable
from recollect.app.units import reads, writes
from recollect.errors import NotAllowed
from recollect.governance import audited, keys
from recollect.governance.keys import DEFAULT_PROJECT, NewKey, NewProject
from recollect.graph.acting import Acting
from recollect.graph.types import Access, Key, Project
from recollect.ingest import shares
from recollect.store.protocol import Transaction

__all__ = ["DEFAULT_PROJECT", "NewKey", "NewProject"]

_OPERATORS_ONLY = (
    f"only an admin key of the project {DEFAULT_PROJECT!r}, which is the operator's, may make "
    "projects"
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
    own = await services.store.read(keys.project_of, access)
    if own.name != DEFAULT_PROJECT:
        raise NotAllowed(_OPERATORS_ONLY)
    return await services.store.write(keys.open_project, access, name, description)


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
