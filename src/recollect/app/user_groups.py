"""User groups: their members, and the policy sets attached to them."""

from msgspec import UnsetType

from recollect.app.idempotency import Done, Once, repeatable, write
from recollect.app.services import Services
from recollect.app.units import reads, writes
from recollect.governance.policies import PolicySet
from recollect.graph.types import Access
from recollect.records import user_groups
from recollect.records.user_groups import (
    ORDER,
    Membership,
    UserGroup,
    UserGroupChange,
    UserGroupPage,
)
from recollect.store.protocol import Transaction

__all__ = ["ORDER", "Membership", "PolicySet", "UserGroup", "UserGroupChange", "UserGroupPage"]


@repeatable
def create(tx: Transaction, access: Access, name: str, description: str | None) -> Done[UserGroup]:
    """A new group without members."""
    made = user_groups.create(tx, access, name, description)
    return Done(value=made, made=made)


get = reads(user_groups.get)
page = reads(user_groups.page)
page_after = reads(user_groups.page_after)


async def update(
    services: Services,
    access: Access,
    uuid: str,
    *,
    expected_version: int | None,
    name: str | UnsetType,
    description: str | UnsetType | None,
    once: Once | None = None,
) -> UserGroup:
    """Update the given fields of a group; fails if *expected_version* is given and no longer current."""
    given = (uuid, expected_version, name, description)
    return await write(services, access, once, _update, *given)


def _update(
    tx: Transaction,
    access: Access,
    uuid: str,
    expected_version: int | None,
    name: str | UnsetType,
    description: str | UnsetType | None,
) -> Done[UserGroup]:
    if expected_version is None:
        expected_version = user_groups.get(tx, access, uuid).version
    change = UserGroupChange(expected_version=expected_version, name=name, description=description)
    made = user_groups.update(tx, access, uuid, change)
    return Done(value=made, made=made)


@repeatable
def delete(tx: Transaction, access: Access, uuid: str) -> Done[None]:
    """Delete a group; its members stay users."""
    user_groups.delete(tx, access, uuid)
    return Done(value=None)


of_user = reads(user_groups.of_user)
members = reads(user_groups.members)
candidates = reads(user_groups.candidates)


page_of_user = reads(user_groups.page_of_user)
members_after = reads(user_groups.members_after)
candidates_after = reads(user_groups.candidates_after)


@repeatable
def add_members(
    tx: Transaction, access: Access, uuid: str, user_uuids: list[str]
) -> Done[Membership]:
    """Add users to a group."""
    return Done(value=user_groups.add_members(tx, access, uuid, user_uuids))


@repeatable
def remove_members(
    tx: Transaction, access: Access, uuid: str, user_uuids: list[str]
) -> Done[Membership]:
    """Remove users from a group."""
    return Done(value=user_groups.remove_members(tx, access, uuid, user_uuids))


policy_sets = reads(user_groups.policy_sets)
check_attachable = reads(user_groups.could_have)
detach_policy_set = writes(user_groups.detach)
