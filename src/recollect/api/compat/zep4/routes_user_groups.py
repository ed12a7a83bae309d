"""User groups: who belongs together."""

from typing import Any

from recollect.api import once
from recollect.api.compat.zep import translate
from recollect.api.compat.zep4 import paging, show, show_project
from recollect.api.compat.zep4.wire import project as wire
from recollect.api.compat.zep4.wire.base import Page4, PageQuery4, SearchList4
from recollect.api.compat.zep4.wire.users import User4
from recollect.api.http import Reply
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from recollect.subjects import user_groups
from recollect.subjects.user_groups import Membership, UserGroupChange


def _create(tx: Transaction, access: Access, sent: wire.CreateUserGroup4) -> Done:
    made = user_groups.create(tx, access, sent.name, sent.description)
    return Done(answer=show_project.user_group(made), made=made)


async def create(call: Call) -> Reply:
    """A new group without members."""
    return await once.write(call, _create, call.body)


async def get(call: Call) -> wire.UserGroup4:
    """A group by its uuid."""
    found = await call.services.store.read(user_groups.get, call.access, call.path["group_uuid"])
    return show_project.user_group(found)


def _window(call: Call) -> dict[str, Any]:
    sent: SearchList4 = call.body
    return {
        "search": translate.search_text(sent.search or ""),
        **paging.window(call.query),
    }


async def list_all(call: Call) -> Page4[wire.UserGroup4]:
    """A page of groups, that of all users first."""
    page = await call.services.store.read(user_groups.page, call.access, **_window(call))
    return Page4(
        items=[show_project.user_group(group) for group in page.groups],
        next_cursor=paging.following(call.query, len(page.groups), page.total),
        total_size=page.total,
    )


def _update(tx: Transaction, access: Access, uuid: str, sent: wire.UpdateUserGroup4) -> Done:
    version = sent.expected_version
    if version is None:
        version = user_groups.get(tx, access, uuid).version
    change = UserGroupChange(expected_version=version, name=sent.name, description=sent.description)
    made = user_groups.update(tx, access, uuid, change)
    return Done(answer=show_project.user_group(made), made=made)


async def update(call: Call) -> Reply:
    """Change what is given of a group, if it is still at the version seen."""
    return await once.write(call, _update, call.path["group_uuid"], call.body)


def _delete(tx: Transaction, access: Access, uuid: str) -> Done:
    user_groups.delete(tx, access, uuid)
    return Done()


async def delete(call: Call) -> Reply:
    """Remove a group; its members stay users."""
    return await once.write(call, _delete, call.path["group_uuid"])


async def _users(call: Call, unit: Any) -> Page4[User4]:
    page = await call.services.store.read(
        unit, call.access, call.path["group_uuid"], **_window(call)
    )
    return Page4(
        items=[show.user(user) for user in page.users],
        next_cursor=paging.following(call.query, len(page.users), page.total),
        total_size=page.total,
    )


async def list_members(call: Call) -> Page4[User4]:
    """A page of the users in a group."""
    return await _users(call, user_groups.members)


async def list_candidates(call: Call) -> Page4[User4]:
    """A page of the users who are not in a group."""
    return await _users(call, user_groups.candidates)


def _told(done: Membership) -> wire.Membership4:
    return wire.Membership4(
        added_count=done.added, removed_count=done.removed, no_op_count=done.no_op
    )


def _add(tx: Transaction, access: Access, uuid: str, sent: wire.Members4) -> Done:
    return Done(answer=_told(user_groups.add_members(tx, access, uuid, sent.user_uuids)))


async def add_members(call: Call) -> Reply:
    """Put users into a group."""
    return await once.write(call, _add, call.path["group_uuid"], call.body)


def _remove(tx: Transaction, access: Access, uuid: str, users: list[str]) -> Done:
    return Done(answer=_told(user_groups.remove_members(tx, access, uuid, users)))


async def remove_members(call: Call) -> Reply:
    """Take users out of a group."""
    sent: wire.Members4 = call.body
    return await once.write(call, _remove, call.path["group_uuid"], sent.user_uuids)


def _remove_one(tx: Transaction, access: Access, uuid: str, user: str) -> Done:
    user_groups.remove_members(tx, access, uuid, [user])
    return Done()


async def remove_member(call: Call) -> Reply:
    """Take one user out of a group."""
    return await once.write(call, _remove_one, call.path["group_uuid"], call.path["user_uuid"])


_GROUP = "/user-groups/{group_uuid}"

ROUTES = [
    Route(
        "POST",
        "/user-groups",
        "user_group.create",
        create,
        "Create a user group",
        body=wire.CreateUserGroup4,
        answer=wire.UserGroup4,
    ),
    Route(
        "POST",
        "/user-groups/list",
        "user_group.list",
        list_all,
        "List user groups",
        body=SearchList4,
        query=PageQuery4,
        answer=Page4[wire.UserGroup4],
        reads=True,
    ),
    Route("GET", _GROUP, "user_group.get", get, "Get a user group", answer=wire.UserGroup4),
    Route(
        "PATCH",
        _GROUP,
        "user_group.update",
        update,
        "Update a user group",
        body=wire.UpdateUserGroup4,
        answer=wire.UserGroup4,
    ),
    Route("DELETE", _GROUP, "user_group.delete", delete, "Delete a user group", status=204),
    Route(
        "POST",
        f"{_GROUP}/members/list",
        "user_group.list_members",
        list_members,
        "List the users in a group",
        body=SearchList4,
        query=PageQuery4,
        answer=Page4[User4],
        reads=True,
    ),
    Route(
        "POST",
        f"{_GROUP}/member-candidates/list",
        "user_group.list_member_candidates",
        list_candidates,
        "List the users who are not in a group",
        body=SearchList4,
        query=PageQuery4,
        answer=Page4[User4],
        reads=True,
    ),
    Route(
        "POST",
        f"{_GROUP}/members",
        "user_group.add_members",
        add_members,
        "Add users to a group",
        body=wire.Members4,
        answer=wire.Membership4,
    ),
    Route(
        "POST",
        f"{_GROUP}/members/remove",
        "user_group.remove_members",
        remove_members,
        "Remove users from a group",
        body=wire.Members4,
        answer=wire.Membership4,
    ),
    Route(
        "DELETE",
        f"{_GROUP}/members/{{user_uuid}}",
        "user_group.remove_members",
        remove_member,
        "Remove a user from a group",
        status=204,
    ),
]
