"""User groups. Policy sets that an earlier release attached to them can be listed and detached.

Every project has a virtual group of all its users. It is computed, never stored, so no user can be
missing from it and nothing about it can be changed.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid5

from msgspec import UNSET, UnsetType

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.governance import keys, policies
from recollect.governance.policies import PolicySet
from recollect.graph import checks
from recollect.graph.types import Access, Record, User
from recollect.limits import (
    DESCRIPTION_CHARS_MAX,
    NAME_CHARS_MAX,
    PAGE_MAX,
    USER_GROUP_MEMBERS_PER_CALL_MAX,
)
from recollect.records import pages, users
from recollect.records.pages import Page, PageRequest
from recollect.records.users import UserPage
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.user_groups import UserGroupRow
from recollect.store.statements import Keyed

GroupKind = Literal["managed", "virtual"]
ALL_USERS = "All Users"
ORDER = "created_at/asc"  # of groups, of members and of candidates
_BEFORE_ALL = -1  # the creation time of the group of all users, in cursors


class UserGroup(Record):
    """A group; the virtual one has no row and no id."""

    id: int | None
    uuid: str
    kind: GroupKind
    name: str
    description: str | None
    version: int
    member_count: int
    policy_set_count: int
    created_at: datetime
    updated_at: datetime


class UserGroupPage(Record):
    """Groups, the total number, and how many of all groups are managed."""

    groups: list[UserGroup]
    total: int
    managed: int


class Membership(Record):
    """The outcome of a membership change."""

    added: int = 0
    removed: int = 0
    no_op: int = 0


class UserGroupChange(Record):
    """A change to a group; UNSET leaves a field unchanged."""

    expected_version: int
    name: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET


def virtual_uuid(access: Access) -> str:
    """The uuid of the group of all users, stable for the life of the project."""
    return str(uuid5(UUID(access.project_uuid), "user-group:all-users"))


def _everyone(tx: Transaction, access: Access) -> UserGroup:
    project = keys.project_of(tx, access)
    return UserGroup(
        id=None,
        uuid=virtual_uuid(access),
        kind="virtual",
        name=ALL_USERS,
        description="Every user of the project",
        version=1,
        member_count=_counted(tx.users.count, access, ""),
        policy_set_count=len(policies.of_group(tx, access.project_id, None)),
        created_at=project.created_at,
        updated_at=project.created_at,
    )


def create(tx: Transaction, access: Access, name: str, description: str | None) -> UserGroup:
    """Create a managed group without members."""
    _check(name, description)
    _require_free(tx, access, name)
    uuid = tx.new_id()
    tx.user_groups.insert(
        uuid=uuid,
        project_id=access.project_id,
        name=name,
        description=description,
        now=rows.micros(tx.now),
    )
    return get(tx, access, uuid)


def _check(name: str, description: str | None) -> None:
    checks.text("name", name, NAME_CHARS_MAX, required=True)
    checks.text("description", description, DESCRIPTION_CHARS_MAX)


def _require_free(tx: Transaction, access: Access, name: str) -> None:
    taken = tx.user_groups.by_name(project_id=access.project_id, name=name)
    if taken is not None or name == ALL_USERS:
        raise Conflict(f"name: a user group named {name!r} exists already")


def get(tx: Transaction, access: Access, uuid: str) -> UserGroup:
    """A group by its uuid."""
    if uuid == virtual_uuid(access):
        return _everyone(tx, access)
    row = tx.user_groups.by_uuid(project_id=access.project_id, uuid=uuid)
    if row is None:
        raise NotFound(f"user group not found: {uuid}")
    return _group(row)


def page(tx: Transaction, access: Access, *, search: str, limit: int, offset: int) -> UserGroupPage:
    """Groups by age; the group of all users comes first."""
    everyone = [_everyone(tx, access)] if search.lower() in ALL_USERS.lower() else []
    first = everyone[offset : offset + limit]
    found = tx.user_groups.page(
        project_id=access.project_id,
        search=search,
        limit=limit - len(first),
        offset=max(0, offset - len(everyone)),
    )
    return UserGroupPage(
        groups=[*first, *(_group(row) for row in found)],
        total=len(everyone) + _counted(tx.user_groups.count, access, search),
        managed=_counted(tx.user_groups.count, access, ""),
    )


def page_after(
    tx: Transaction, access: Access, request: PageRequest, *, search: str = ""
) -> Page[UserGroup]:
    """Groups by age, after the cursor; the group of all users comes first."""
    found = tx.user_groups.page_after(
        project_id=access.project_id, search=search, **request.bounds()
    )
    count = _counted(tx.user_groups.count, access, search)
    if search.lower() not in ALL_USERS.lower():
        return pages.counted(_keyed(found), request, count)
    return _page_with_everyone(tx, access, found, request, count)


def page_of_user(
    tx: Transaction, access: Access, user_uuid: str, request: PageRequest
) -> Page[UserGroup]:
    """The groups of a user, in the same order."""
    user_key = _user_key(tx, access, "user_uuid", user_uuid)
    found = tx.user_groups.of_user_after(user_id=user_key, **request.bounds())
    count = tx.user_groups.count_of_user(user_id=user_key) or 0
    return _page_with_everyone(tx, access, found, request, count)


def _page_with_everyone(
    tx: Transaction,
    access: Access,
    found: list[Keyed[UserGroupRow]],
    request: PageRequest,
    count: int,
) -> Page[UserGroup]:
    """Put the group of all users, which has no row, first on the first page."""
    first = [Keyed(_everyone(tx, access), _BEFORE_ALL)] if request.after is None else []
    return pages.counted([*first, *_keyed(found)], request, count + 1)


def _keyed(found: list[Keyed[UserGroupRow]]) -> list[Keyed[UserGroup]]:
    return [Keyed(_group(one.row), one.key) for one in found]


def of_user(tx: Transaction, access: Access, user_uuid: str) -> list[UserGroup]:
    """The groups of a user, all users first; beyond a full page the newest are left out."""
    user_key = _user_key(tx, access, "user_uuid", user_uuid)
    found = tx.user_groups.of_user(user_id=user_key, limit=PAGE_MAX - 1)
    return [_everyone(tx, access), *(_group(row) for row in found)]


def update(tx: Transaction, access: Access, uuid: str, change: UserGroupChange) -> UserGroup:
    """Change a managed group, if it has not changed since the caller read it."""
    old = get(tx, access, uuid)
    key = _managed(old)
    if change.expected_version != old.version:
        raise Conflict(
            f"expected_version: the group is at version {old.version}, "
            f"not {change.expected_version}"
        )
    name = old.name if isinstance(change.name, UnsetType) else change.name
    description = old.description
    if not isinstance(change.description, UnsetType):
        description = change.description
    _check(name, description)
    if name != old.name:
        _require_free(tx, access, name)
    tx.user_groups.update(
        id=key,
        name=name,
        description=description,
        now=rows.micros(tx.now),
    )
    return get(tx, access, uuid)


def delete(tx: Transaction, access: Access, uuid: str) -> None:
    """Delete a managed group; its members remain users."""
    tx.user_groups.delete(id=_managed(get(tx, access, uuid)))


def add_members(
    tx: Transaction, access: Access, uuid: str, user_uuids: Sequence[str]
) -> Membership:
    """Add users to a managed group, all or none; existing members are unaffected."""
    key = _managed(get(tx, access, uuid))
    _check_members(user_uuids)
    added = sum(
        tx.user_groups.member_insert(
            group_id=key,
            user_id=_user_key(tx, access, f"user_uuids[{number}]", user_uuid),
        )
        for number, user_uuid in enumerate(user_uuids)
    )
    return Membership(added=added, no_op=len(user_uuids) - added)


def remove_members(
    tx: Transaction, access: Access, uuid: str, user_uuids: Sequence[str]
) -> Membership:
    """Remove users from a managed group; non-members are unaffected."""
    key = _managed(get(tx, access, uuid))
    _check_members(user_uuids)
    removed = sum(
        tx.user_groups.member_delete(
            group_id=key,
            project_id=access.project_id,
            user_uuid=user_uuid,
        )
        for user_uuid in user_uuids
    )
    return Membership(removed=removed, no_op=len(user_uuids) - removed)


def _check_members(user_uuids: Sequence[str]) -> None:
    if not user_uuids:
        raise InvalidInput("user_uuids: at least one is required")
    if len(user_uuids) > USER_GROUP_MEMBERS_PER_CALL_MAX:
        raise InvalidInput(
            f"user_uuids: at most {USER_GROUP_MEMBERS_PER_CALL_MAX} per call, got {len(user_uuids)}"
        )


def members(
    tx: Transaction, access: Access, uuid: str, *, search: str, limit: int, offset: int
) -> UserPage:
    """The users in a group."""
    group = get(tx, access, uuid)
    if group.id is None:
        return users.page(tx, access, search=search, order="id/asc", limit=limit, offset=offset)
    return _users(tx, access, group.id, members=True, search=search, limit=limit, offset=offset)


def members_after(
    tx: Transaction, access: Access, uuid: str, request: PageRequest, *, search: str = ""
) -> Page[User]:
    """The users in a group, after the cursor."""
    group = get(tx, access, uuid)
    if group.id is None:
        return users.page_after(tx, access, request, search=search)
    return _users_after(tx, access, request, group_id=group.id, members=True, search=search)


def candidates_after(
    tx: Transaction, access: Access, uuid: str, request: PageRequest, *, search: str = ""
) -> Page[User]:
    """The users who could be added to a managed group, after the cursor."""
    key = _managed(get(tx, access, uuid))
    return _users_after(tx, access, request, group_id=key, members=False, search=search)


def _users_after(
    tx: Transaction, access: Access, request: PageRequest, **wanted: Any
) -> Page[User]:
    wanted["project_id"] = access.project_id
    found = tx.user_groups.users_page_after(**wanted, **request.bounds())
    told = [Keyed(rows.user(one.row), one.key) for one in found]
    return pages.counted(told, request, tx.user_groups.users_count(**wanted))


def candidates(
    tx: Transaction, access: Access, uuid: str, *, search: str, limit: int, offset: int
) -> UserPage:
    """The users who could be added to a managed group."""
    key = _managed(get(tx, access, uuid))
    return _users(tx, access, key, members=False, search=search, limit=limit, offset=offset)


def policy_sets(tx: Transaction, access: Access, uuid: str) -> list[PolicySet]:
    """The policy sets attached to a group."""
    return policies.of_group(tx, access.project_id, get(tx, access, uuid).id)


def could_have(tx: Transaction, access: Access, uuid: str, policy_set: str) -> None:
    """Raise NotFound unless both the group and the policy set exist."""
    get(tx, access, uuid)
    policies.get(tx, access.project_id, policy_set)


def detach(tx: Transaction, access: Access, uuid: str, policy_set: str) -> list[PolicySet]:
    """Detach a policy set from a group."""
    group = get(tx, access, uuid)
    return policies.detach_from_group(tx, access.project_id, group.id, policy_set)


def _users(
    tx: Transaction,
    access: Access,
    group_id: int,
    *,
    members: bool,
    search: str,
    limit: int,
    offset: int,
) -> UserPage:
    found = tx.user_groups.users_page(
        project_id=access.project_id,
        group_id=group_id,
        members=members,
        search=search,
        limit=limit,
        offset=offset,
    )
    count = tx.user_groups.users_count(
        project_id=access.project_id,
        group_id=group_id,
        members=members,
        search=search,
    )
    return UserPage(users=[rows.user(row) for row in found], total=count or 0)


def _managed(group: UserGroup) -> int:
    if group.id is None:
        raise Conflict(
            f"{ALL_USERS!r} always contains every user of the project and cannot be changed"
        )
    return group.id


def _user_key(tx: Transaction, access: Access, field: str, user_uuid: str) -> int:
    row = tx.users.by_uuid(project_id=access.project_id, uuid=user_uuid)
    if row is None:
        raise NotFound(f"{field}: user not found: {user_uuid}")
    key: int = row.id
    return key


def _counted(count: Callable[..., int | None], access: Access, search: str) -> int:
    return count(project_id=access.project_id, search=search) or 0


def _group(row: UserGroupRow) -> UserGroup:
    return UserGroup(
        id=row.id,
        uuid=row.uuid,
        kind="managed",
        name=row.name,
        description=row.description,
        version=row.version,
        member_count=row.member_count,
        policy_set_count=row.policy_set_count,
        created_at=rows.moment(row.created_at),
        updated_at=rows.moment(row.updated_at),
    )
