"""User groups as clients of Zep v3 send and read them, field by field."""

from datetime import datetime

import msgspec
from msgspec import UNSET, UnsetType

from recollect.compat.zep.wire.base import Count, PageNumber, Request, Wire
from recollect.compat.zep.wire.threads import User
from recollect.graph.policy import Mode
from recollect.records.user_groups import GroupKind


class UserGroupQuery(Request):
    """The project that every call names, though the key alone decides it."""

    project_id: str = msgspec.field(name="projectId")


class UserGroupPageQuery(UserGroupQuery):
    """Pages as user groups spell them."""

    page_number: PageNumber = msgspec.field(name="pageNumber", default=1)
    page_size: PageNumber | None = msgspec.field(name="pageSize", default=None)
    search: str = ""


class CreateUserGroup(Request):
    """POST user-groups."""

    name: str
    description: str | None = None


class UpdateUserGroup(Request):
    """PATCH user-groups/{group_uuid}; what is absent stays, a null clears."""

    expected_version: Count
    name: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET


class UserGroupMembersChange(Request):
    """POST …/members and …/members/bulk-remove."""

    user_uuids: list[str]


class UserGroup(Wire):
    """A user group."""

    uuid: str
    project_uuid: str
    kind: GroupKind
    name: str
    description: str | None = None
    version: int
    member_count: int
    attached_policy_set_count: int
    created_at: datetime
    updated_at: datetime


class UserGroupQuota(Wire):
    """How many managed groups there are; there is no bound on them."""

    active_managed: int
    has_feature: bool
    resolved: bool
    unlimited: bool


class UserGroupList(Wire):
    """A page of user groups."""

    user_groups: list[UserGroup]
    row_count: int
    total_count: int
    quota: UserGroupQuota


class UserGroupsOfUser(Wire):
    """The groups a user is in."""

    user_groups: list[UserGroup]


class UserGroupMembers(Wire):
    """A page of members or candidates."""

    users: list[User]
    row_count: int
    total_count: int


class UserGroupMembership(Wire):
    """What a change of members came to."""

    added_count: int
    removed_count: int
    no_op_count: int


class PolicySetSummary(Wire):
    """A policy set, without what it says."""

    uuid: str
    name: str
    mode: Mode
    version: int


class AttachedPolicySets(Wire):
    """The policy sets of a group."""

    policy_sets: list[PolicySetSummary]


class AttachPolicySet(Request):
    """POST abac/user-groups/{group_uuid}/policy-sets."""

    policy_set_uuid: str
