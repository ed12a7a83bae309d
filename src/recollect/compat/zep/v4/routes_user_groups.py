"""User groups and their members."""

from functools import partial

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import user_groups
from recollect.app.user_groups import Membership
from recollect.compat.zep import translate as translate3
from recollect.compat.zep.v4 import idempotency, paging, translate
from recollect.compat.zep.v4.wire import project as wire
from recollect.compat.zep.v4.wire.base import Page4, PageQuery4, SearchList4
from recollect.compat.zep.v4.wire.threads import User4
from recollect.records.pages import PageRequest


async def create(call: Call) -> Reply:
    """A new group without members."""
    sent: wire.CreateUserGroup4 = call.body
    create = user_groups.create.bind(call.services, call.access, sent.name, sent.description)
    return await idempotency.write(call, create, translate.user_group)


async def get(call: Call) -> wire.UserGroup4:
    """A group by its uuid."""
    found = await user_groups.get(call.services, call.access, call.path["group_uuid"])
    return translate.user_group(found)


def _request(call: Call) -> PageRequest:
    return paging.in_order(call.query, user_groups.ORDER)


def _search(call: Call) -> str:
    sent: SearchList4 = call.body
    return translate3.search_text(sent.search or "")


async def list_all(call: Call) -> Page4[wire.UserGroup4]:
    """A page of groups, that of all users first."""
    found = await user_groups.page_after(
        call.services, call.access, _request(call), search=_search(call)
    )
    return paging.answer(found, translate.user_group)


async def update(call: Call) -> Reply:
    """Change what is given of a group, if it is still at the version seen."""
    sent: wire.UpdateUserGroup4 = call.body
    update = partial(
        user_groups.update,
        call.services,
        call.access,
        call.path["group_uuid"],
        expected_version=sent.expected_version,
        name=sent.name,
        description=sent.description,
    )
    return await idempotency.write(call, update, translate.user_group)


async def delete(call: Call) -> Reply:
    """Remove a group; its members stay users."""
    delete = user_groups.delete.bind(call.services, call.access, call.path["group_uuid"])
    return await idempotency.write(call, delete)


async def list_members(call: Call) -> Page4[User4]:
    """A page of the users in a group."""
    given = (call.path["group_uuid"], _request(call))
    found = await user_groups.members_after(
        call.services, call.access, *given, search=_search(call)
    )
    return paging.answer(found, translate.user)


async def list_candidates(call: Call) -> Page4[User4]:
    """A page of the users who are not in a group."""
    given = (call.path["group_uuid"], _request(call))
    found = await user_groups.candidates_after(
        call.services, call.access, *given, search=_search(call)
    )
    return paging.answer(found, translate.user)


def _membership(done: Membership) -> wire.Membership4:
    return wire.Membership4(
        added_count=done.added, removed_count=done.removed, no_op_count=done.no_op
    )


async def add_members(call: Call) -> Reply:
    """Put users into a group."""
    sent: wire.Members4 = call.body
    given = (call.path["group_uuid"], sent.user_uuids)
    add = user_groups.add_members.bind(call.services, call.access, *given)
    return await idempotency.write(call, add, _membership)


async def remove_members(call: Call) -> Reply:
    """Take users out of a group."""
    sent: wire.Members4 = call.body
    given = (call.path["group_uuid"], sent.user_uuids)
    remove = user_groups.remove_members.bind(call.services, call.access, *given)
    return await idempotency.write(call, remove, _membership)


async def remove_member(call: Call) -> Reply:
    """Take one user out of a group."""
    given = (call.path["group_uuid"], [call.path["user_uuid"]])
    remove = user_groups.remove_members.bind(call.services, call.access, *given)
    return await idempotency.write(call, remove)


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
        reads=True,
    ),
    Route("GET", _GROUP, "user_group.get", get, "Get a user group"),
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
