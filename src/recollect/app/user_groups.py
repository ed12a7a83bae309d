"""User groups: who belongs together, and which policy sets are attached to them."""

from msgspec import UnsetType

from recollect.app.idempotency import Done, Once, write
from recollect.app.services import Services
from recollect.governance.policies import PolicySet
from recollect.graph.types import Access, User
from recollect.records import user_groups
from recollect.records.pages import Page, PageRequest
from recollect.records.user_groups import (
    ORDER,
    Membership,
    UserGroup,
    UserGroupChange,
    UserGroupPage,
)
from recollect.records.users import UserPage
from recollect.store.protocol import Transaction

__all__ = ["ORDER", "Membership", "PolicySet", "UserGroup", "UserGroupChange", "UserGroupPage"]


async def create(
    services: Services,
    access: Access,
    name: str,
    description: str | None,
    *,
    once: Once | None = None,
) -> UserGroup:
    """A new group without members."""
    return await write(services, access, once, _create, name, description)


def _create(tx: Transaction, access: Access, name: str, description: str | None) -> Done[UserGroup]:
    made = user_groups.create(tx, access, name, description)
    return Done(value=made, made=made)


async def get(services: Services, access: Access, uuid: str) -> UserGroup:
    """A group by its uuid."""
    return await services.store.read(user_groups.get, access, uuid)


async def page(
    services: Services, access: Access, *, search: str, limit: int, offset: int
) -> UserGroupPage:
    """A page of groups, that of all users first."""
    return await services.store.read(
        user_groups.page, access, search=search, limit=limit, offset=offset
    )


async def page_after(
    services: Services, access: Access, request: PageRequest, *, search: str
) -> Page[UserGroup]:
    """The same after the last group told."""
    return await services.store.read(user_groups.page_after, access, request, search=search)


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
    """Change what is given of a group, if it is still at the version seen, where one is named."""
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


async def delete(
    services: Services, access: Access, uuid: str, *, once: Once | None = None
) -> None:
    """Remove a group; its members stay users."""
    await write(services, access, once, _delete, uuid)


def _delete(tx: Transaction, access: Access, uuid: str) -> Done[None]:
    user_groups.delete(tx, access, uuid)
    return Done(value=None)


async def of_user(services: Services, access: Access, user_uuid: str) -> list[UserGroup]:
    """The groups a user is in."""
    return await services.store.read(user_groups.of_user, access, user_uuid)


async def page_of_user(
    services: Services, access: Access, user_uuid: str, request: PageRequest
) -> Page[UserGroup]:
    """The groups a user is in, after the last one told."""
    return await services.store.read(user_groups.page_of_user, access, user_uuid, request)


async def members(
    services: Services, access: Access, uuid: str, *, search: str, limit: int, offset: int
) -> UserPage:
    """A page of the users in a group."""
    return await services.store.read(
        user_groups.members, access, uuid, search=search, limit=limit, offset=offset
    )


async def candidates(
    services: Services, access: Access, uuid: str, *, search: str, limit: int, offset: int
) -> UserPage:
    """A page of the users who are not in a group."""
    return await services.store.read(
        user_groups.candidates, access, uuid, search=search, limit=limit, offset=offset
    )


async def members_after(
    services: Services, access: Access, uuid: str, request: PageRequest, *, search: str
) -> Page[User]:
    """The users in a group, after the last one told."""
    return await services.store.read(
        user_groups.members_after, access, uuid, request, search=search
    )


async def candidates_after(
    services: Services, access: Access, uuid: str, request: PageRequest, *, search: str
) -> Page[User]:
    """The users who are not in a group, after the last one told."""
    return await services.store.read(
        user_groups.candidates_after, access, uuid, request, search=search
    )


async def add_members(
    services: Services,
    access: Access,
    uuid: str,
    user_uuids: list[str],
    *,
    once: Once | None = None,
) -> Membership:
    """Put users into a group."""
    return await write(services, access, once, _add_members, uuid, user_uuids)


def _add_members(
    tx: Transaction, access: Access, uuid: str, user_uuids: list[str]
) -> Done[Membership]:
    return Done(value=user_groups.add_members(tx, access, uuid, user_uuids))


async def remove_members(
    services: Services,
    access: Access,
    uuid: str,
    user_uuids: list[str],
    *,
    once: Once | None = None,
) -> Membership:
    """Take users out of a group."""
    return await write(services, access, once, _remove_members, uuid, user_uuids)


def _remove_members(
    tx: Transaction, access: Access, uuid: str, user_uuids: list[str]
) -> Done[Membership]:
    return Done(value=user_groups.remove_members(tx, access, uuid, user_uuids))


async def policy_sets(services: Services, access: Access, uuid: str) -> list[PolicySet]:
    """The policy sets of a group."""
    return await services.store.read(user_groups.policy_sets, access, uuid)


async def check_attachable(
    services: Services, access: Access, uuid: str, policy_set_uuid: str
) -> None:
    """Raise unless the group and the policy set are there and go together."""
    await services.store.read(user_groups.could_have, access, uuid, policy_set_uuid)


async def detach_policy_set(
    services: Services, access: Access, uuid: str, policy_set_uuid: str
) -> list[PolicySet]:
    """Take a policy set off a group."""
    return await services.store.write(user_groups.detach, access, uuid, policy_set_uuid)
