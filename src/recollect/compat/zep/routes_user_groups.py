"""User groups: their members, and the policy sets attached to them."""

from typing import Any

from recollect.api.router import Call, Route
from recollect.app import user_groups
from recollect.app.user_groups import Membership, PolicySet, UserGroup
from recollect.compat.zep import translate
from recollect.compat.zep.wire import user_groups as user_groups_wire
from recollect.compat.zep.wire.base import Success, shaped
from recollect.errors import NotFound, NotOffered
from recollect.graph.types import Access
from recollect.records.users import UserPage


def _access(call: Call) -> Access:
    """The caller's access; the project named in the query must be the key's own."""
    sent: user_groups_wire.UserGroupQuery = call.query
    if sent.project_id != call.access.project_uuid:
        raise NotFound(f"projectId: project not found: {sent.project_id}")
    return call.access


def _window(call: Call) -> dict[str, Any]:
    sent: user_groups_wire.UserGroupPageQuery = call.query
    return {
        "search": translate.search_text(sent.search),
        **translate.window(sent.page_number, sent.page_size),
    }


def _group(access: Access, found: UserGroup) -> user_groups_wire.UserGroup:
    return shaped(
        user_groups_wire.UserGroup,
        found,
        project_uuid=access.project_uuid,
        attached_policy_set_count=found.policy_set_count,
    )


def _members(access: Access, page: UserPage) -> user_groups_wire.UserGroupMembers:
    found = [translate.user(access, user) for user in page.users]
    return user_groups_wire.UserGroupMembers(
        users=found, row_count=len(found), total_count=page.total
    )


def _membership(done: Membership) -> user_groups_wire.UserGroupMembership:
    return user_groups_wire.UserGroupMembership(
        added_count=done.added, removed_count=done.removed, no_op_count=done.no_op
    )


def _attached(found: list[PolicySet]) -> user_groups_wire.AttachedPolicySets:
    return user_groups_wire.AttachedPolicySets(
        policy_sets=[
            user_groups_wire.PolicySetSummary(
                uuid=each.uuid, name=each.name, mode=each.mode, version=each.version
            )
            for each in found
        ]
    )


async def list_all(call: Call) -> user_groups_wire.UserGroupList:
    """A page of user groups, that of all users first."""
    page = await user_groups.page(call.services, _access(call), **_window(call))
    found = [_group(call.access, group) for group in page.groups]
    return user_groups_wire.UserGroupList(
        user_groups=found,
        row_count=len(found),
        total_count=page.total,
        quota=user_groups_wire.UserGroupQuota(
            active_managed=page.managed, has_feature=True, resolved=True, unlimited=True
        ),
    )


async def create(call: Call) -> user_groups_wire.UserGroup:
    """A new managed group."""
    sent: user_groups_wire.CreateUserGroup = call.body
    made = await user_groups.create(call.services, _access(call), sent.name, sent.description)
    return _group(call.access, made)


async def get(call: Call) -> user_groups_wire.UserGroup:
    """A user group by its uuid."""
    found = await user_groups.get(call.services, _access(call), call.path["group_uuid"])
    return _group(call.access, found)


async def update(call: Call) -> user_groups_wire.UserGroup:
    """Change what is given of a group, if it is still at the version seen."""
    sent: user_groups_wire.UpdateUserGroup = call.body
    made = await user_groups.update(
        call.services,
        _access(call),
        call.path["group_uuid"],
        expected_version=sent.expected_version,
        name=sent.name,
        description=sent.description,
    )
    return _group(call.access, made)


async def delete(call: Call) -> Success:
    """Remove a group; its members stay users."""
    await user_groups.delete(call.services, _access(call), call.path["group_uuid"])
    return Success(message="user group deleted")


async def list_for_user(call: Call) -> user_groups_wire.UserGroupsOfUser:
    """The groups a user is in."""
    found = await user_groups.of_user(call.services, _access(call), call.path["user_uuid"])
    return user_groups_wire.UserGroupsOfUser(
        user_groups=[_group(call.access, group) for group in found]
    )


async def list_members(call: Call) -> user_groups_wire.UserGroupMembers:
    """A page of the users in a group."""
    page = await user_groups.members(
        call.services, _access(call), call.path["group_uuid"], **_window(call)
    )
    return _members(call.access, page)


async def list_candidates(call: Call) -> user_groups_wire.UserGroupMembers:
    """A page of the users who are not in a group."""
    page = await user_groups.candidates(
        call.services, _access(call), call.path["group_uuid"], **_window(call)
    )
    return _members(call.access, page)


async def add_members(call: Call) -> user_groups_wire.UserGroupMembership:
    """Put users into a group."""
    sent: user_groups_wire.UserGroupMembersChange = call.body
    done = await user_groups.add_members(
        call.services, _access(call), call.path["group_uuid"], sent.user_uuids
    )
    return _membership(done)


async def remove_members(call: Call) -> user_groups_wire.UserGroupMembership:
    """Take users out of a group."""
    sent: user_groups_wire.UserGroupMembersChange = call.body
    done = await user_groups.remove_members(
        call.services, _access(call), call.path["group_uuid"], sent.user_uuids
    )
    return _membership(done)


async def remove_member(call: Call) -> user_groups_wire.UserGroupMembership:
    """Take one user out of a group."""
    done = await user_groups.remove_members(
        call.services, _access(call), call.path["group_uuid"], [call.path["user_uuid"]]
    )
    return _membership(done)


_NOT_ENFORCED = (
    "requests come with a key and not on behalf of a user, so rules for groups of users would govern "
    "nothing: attach the policy set to a key (PUT /api/v1/keys/{uuid}/policy-sets/{name})"
)


async def list_policy_sets(call: Call) -> user_groups_wire.AttachedPolicySets:
    """The policy sets of a group."""
    return _attached(
        await user_groups.policy_sets(call.services, _access(call), call.path["group_uuid"])
    )


async def attach_policy_set(call: Call) -> user_groups_wire.AttachedPolicySets:
    """Not offered: a rule that nobody enforces must not look like one."""
    sent: user_groups_wire.AttachPolicySet = call.body
    await user_groups.check_attachable(
        call.services, _access(call), call.path["group_uuid"], sent.policy_set_uuid
    )
    raise NotOffered(_NOT_ENFORCED)


async def detach_policy_set(call: Call) -> user_groups_wire.AttachedPolicySets:
    """Take a policy set off a group."""
    group, policy_set = call.path["group_uuid"], call.path["policy_set_uuid"]
    return _attached(
        await user_groups.detach_policy_set(call.services, _access(call), group, policy_set)
    )


ROUTES = [
    Route(
        "GET",
        "/user-groups",
        "user_group.list",
        list_all,
        "List user groups",
        query=user_groups_wire.UserGroupPageQuery,
    ),
    Route(
        "POST",
        "/user-groups",
        "user_group.create",
        create,
        "Create a user group",
        body=user_groups_wire.CreateUserGroup,
        query=user_groups_wire.UserGroupQuery,
    ),
    Route(
        "GET",
        "/user-groups/users/{user_uuid}",
        "user_group.list_for_user",
        list_for_user,
        "List the groups a user is in",
        query=user_groups_wire.UserGroupQuery,
    ),
    Route(
        "GET",
        "/user-groups/{group_uuid}",
        "user_group.get",
        get,
        "Get a user group",
        query=user_groups_wire.UserGroupQuery,
    ),
    Route(
        "PATCH",
        "/user-groups/{group_uuid}",
        "user_group.update",
        update,
        "Update a user group",
        body=user_groups_wire.UpdateUserGroup,
        query=user_groups_wire.UserGroupQuery,
    ),
    Route(
        "DELETE",
        "/user-groups/{group_uuid}",
        "user_group.delete",
        delete,
        "Delete a user group",
        query=user_groups_wire.UserGroupQuery,
    ),
    Route(
        "GET",
        "/user-groups/{group_uuid}/members",
        "user_group.list_members",
        list_members,
        "List the users in a group",
        query=user_groups_wire.UserGroupPageQuery,
    ),
    Route(
        "POST",
        "/user-groups/{group_uuid}/members",
        "user_group.add_members",
        add_members,
        "Add users to a group",
        body=user_groups_wire.UserGroupMembersChange,
        query=user_groups_wire.UserGroupQuery,
    ),
    Route(
        "POST",
        "/user-groups/{group_uuid}/members/bulk-remove",
        "user_group.remove_members",
        remove_members,
        "Remove users from a group",
        body=user_groups_wire.UserGroupMembersChange,
        query=user_groups_wire.UserGroupQuery,
    ),
    Route(
        "GET",
        "/user-groups/{group_uuid}/members/candidates",
        "user_group.list_member_candidates",
        list_candidates,
        "List the users who are not in a group",
        query=user_groups_wire.UserGroupPageQuery,
    ),
    Route(
        "DELETE",
        "/user-groups/{group_uuid}/members/{user_uuid}",
        "user_group.remove_members",
        remove_member,
        "Remove a user from a group",
        query=user_groups_wire.UserGroupQuery,
    ),
    Route(
        "GET",
        "/abac/user-groups/{group_uuid}/policy-sets",
        "user_group.list_policy_sets",
        list_policy_sets,
        "List the policy sets of a group",
        query=user_groups_wire.UserGroupQuery,
    ),
    Route(
        "POST",
        "/abac/user-groups/{group_uuid}/policy-sets",
        "user_group.attach_policy_set",
        attach_policy_set,
        "Refuse to attach a policy set to a group, and say why",
        body=user_groups_wire.AttachPolicySet,
        query=user_groups_wire.UserGroupQuery,
        admin=True,
    ),
    Route(
        "DELETE",
        "/abac/user-groups/{group_uuid}/policy-sets/{policy_set_uuid}",
        "user_group.detach_policy_set",
        detach_policy_set,
        "Take a policy set off a group",
        query=user_groups_wire.UserGroupQuery,
        admin=True,
    ),
]
