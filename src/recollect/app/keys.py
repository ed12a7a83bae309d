"""The keys of a project: creating, governing and revoking them."""

from typing import Any

from recollect.app.stores import WithStore
from recollect.app.units import writes
from recollect.governance import keys, policies
from recollect.governance.keys import NewKey
from recollect.graph.policy import Mode, Role
from recollect.graph.types import Access, Key, Record
from recollect.store.protocol import Transaction

__all__ = ["NewKey"]


class GovernedKey(Record):
    """A key, and the names of the policy sets attached to it."""

    key: Key
    policy_sets: list[str]


async def create(
    services: WithStore,
    access: Access,
    name: str,
    *,
    admin: bool = False,
    role: Role = "default_allow",
    mode: Mode = "enforce",
    logs_reads: bool = False,
    mcp_write: bool = False,
) -> NewKey:
    """Create another key of the project; its secret is only available in this result."""
    governed = {"role": role, "mode": mode, "logs_reads": logs_reads, "mcp_write": mcp_write}
    return await services.store.write(_create, access, name, admin=admin, **governed)


def _create(tx: Transaction, /, access: Access, name: str, **governed: Any) -> NewKey:
    return keys.create_key(tx, keys.project_of(tx, access).name, name, **governed)


async def list_(services: WithStore, access: Access) -> list[GovernedKey]:
    """The keys of the project, revoked ones included."""
    return await services.store.read(_listed, access.project_id)


async def list_everywhere(services: WithStore, access: Access) -> list[GovernedKey]:
    """The keys of every project, for an operator with access to the data folder."""
    return await services.store.read(_listed, None)


def _listed(tx: Transaction, project_id: int | None) -> list[GovernedKey]:
    found = keys.list_keys(tx, project_id)
    names: dict[str, list[str]] = {}
    for one in {key.project_id for key in found}:
        names |= policies.names_of_keys(tx, one)
    return [GovernedKey(key=key, policy_sets=names.get(key.uuid, [])) for key in found]


async def get(services: WithStore, access: Access, uuid: str) -> GovernedKey:
    """A key by its uuid."""
    return await services.store.read(_get, access, uuid)


def _get(tx: Transaction, access: Access, uuid: str) -> GovernedKey:
    found = keys.get_key(tx, uuid, access.project_id)
    attached = policies.of_key(tx, access.project_id, uuid)
    return GovernedKey(key=found, policy_sets=[each.name for each in attached])


async def change(
    services: WithStore,
    access: Access,
    uuid: str,
    *,
    role: Role | None = None,
    mode: Mode | None = None,
    logs_reads: bool | None = None,
    mcp_write: bool | None = None,
) -> GovernedKey:
    """Change what governs a key; None leaves a field as it is."""
    governed = {"role": role, "mode": mode, "logs_reads": logs_reads, "mcp_write": mcp_write}
    return await services.store.write(_change, access, uuid, **governed)


def _change(tx: Transaction, /, access: Access, uuid: str, **governed: Any) -> GovernedKey:
    keys.change_key(tx, uuid, project_id=access.project_id, **governed)
    return _get(tx, access, uuid)


@writes
def revoke(tx: Transaction, access: Access, uuid: str) -> GovernedKey:
    """Revoke a key."""
    keys.revoke_key(tx, uuid, access.project_id)
    return _get(tx, access, uuid)


@writes
def attach(tx: Transaction, access: Access, uuid: str, policy_set: str) -> GovernedKey:
    """Attach a policy set to a key; attaching it again changes nothing."""
    policies.attach(tx, access.project_id, uuid, policy_set)
    return _get(tx, access, uuid)


@writes
def detach(tx: Transaction, access: Access, uuid: str, policy_set: str) -> GovernedKey:
    """Detach a policy set from a key."""
    policies.detach(tx, access.project_id, uuid, policy_set)
    return _get(tx, access, uuid)
