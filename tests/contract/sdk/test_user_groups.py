"""User groups of generation 3: who belongs together, and the policy sets attached to them."""

from typing import Any

import httpx
import pytest

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import NOBODY, a_user, missing, refused, unique
from tests.support.server import Server, create_key


@pytest.fixture
def project_id(zep3: Zep) -> str:
    """The uuid of the project, which every call here asks for."""
    uuid: str = zep3.project.get()["project"]["uuid"]
    return uuid


def a_user_group(zep3: Zep, project_id: str, **fields: Any) -> dict[str, Any]:
    """A new managed group."""
    group: dict[str, Any] = zep3.user_group.create(
        project_id=project_id, **{"name": unique("team"), **fields}
    )
    return group


@requirement("v3:user_group.create", "v3:user_group.get")
def test_a_user_group_reads_back_as_it_was_created(zep3: Zep, project_id: str) -> None:
    """Name, description and kind come back, with no members yet."""
    name = unique("team")
    created = zep3.user_group.create(project_id=project_id, name=name, description="Nurses")
    found = zep3.user_group.get(created["uuid"], project_id=project_id)
    for answer in (created, found):
        assert answer["name"] == name
        assert answer["description"] == "Nurses"
        assert answer["kind"] == "managed"
        assert answer["member_count"] == 0
        assert answer["version"] == created["version"]


@requirement("v3:user_group.update", "v3:user_group.update:version")
def test_a_user_group_changes_only_at_the_version_seen(zep3: Zep, project_id: str) -> None:
    """A change raises the version; one made from an older version is a conflict."""
    group = a_user_group(zep3, project_id, description="Same")
    renamed = unique("renamed")
    changed = zep3.user_group.update(
        group["uuid"], project_id=project_id, expected_version=group["version"], name=renamed
    )
    assert changed["name"] == renamed
    assert changed["description"] == "Same"
    assert changed["version"] > group["version"]
    with refused(409, "ConflictError"):
        zep3.user_group.update(
            group["uuid"], project_id=project_id, expected_version=group["version"], name="Late"
        )
    assert zep3.user_group.get(group["uuid"], project_id=project_id)["name"] == renamed


@requirement("v3:user_group.list")
def test_user_groups_are_listed_by_search_words(zep3: Zep, project_id: str) -> None:
    """A search finds the groups with the words, in pages with counts."""
    family = unique("family")
    mine = {a_user_group(zep3, project_id, name=f"{family} {n}")["uuid"] for n in range(3)}
    seen = []
    for number in (1, 2):
        page = zep3.user_group.list(
            project_id=project_id, page_number=number, page_size=2, search=family
        )
        assert page["total_count"] == 3
        assert page["row_count"] == len(page["user_groups"])
        seen += [group["uuid"] for group in page["user_groups"]]
    assert len(seen) == 3
    assert set(seen) == mine


@requirement(
    "v3:user_group.add_members",
    "v3:user_group.list_members",
    "v3:user_group.list_for_user",
    "v3:user_group.list_member_candidates",
)
def test_members_are_added_once_and_listed(zep3: Zep, project_id: str) -> None:
    """A member is counted, listed, no longer a candidate, and finds its group."""
    user = a_user(zep3)
    group = a_user_group(zep3, project_id)["uuid"]
    scope = {"project_id": project_id}
    paged = {**scope, "page_number": 1, "page_size": 10, "search": user["user_id"]}

    def ids(page: dict[str, Any]) -> list[str]:
        return [member["user_id"] for member in page.get("users", [])]

    assert ids(zep3.user_group.list_member_candidates(group, **paged)) == [user["user_id"]]
    first = zep3.user_group.add_members(group, user_uuids=[user["uuid"]], **scope)
    again = zep3.user_group.add_members(group, user_uuids=[user["uuid"]], **scope)
    assert first["added_count"] == 1
    assert again.get("added_count", 0) == 0
    assert again["no_op_count"] == 1
    assert ids(zep3.user_group.list_members(group, **paged)) == [user["user_id"]]
    assert ids(zep3.user_group.list_member_candidates(group, **paged)) == []
    assert zep3.user_group.get(group, **scope)["member_count"] == 1
    groups = zep3.user_group.list_for_user(user["uuid"], **scope)["user_groups"]
    assert group in [found["uuid"] for found in groups]


@requirement("v3:user_group.remove_member", "v3:user_group.remove_members")
def test_members_are_removed_singly_and_together(zep3: Zep, project_id: str) -> None:
    """Each removal is counted, and removing one who left changes nothing."""
    users = [a_user(zep3)["uuid"] for _ in range(3)]
    group = a_user_group(zep3, project_id)["uuid"]
    zep3.user_group.add_members(group, project_id=project_id, user_uuids=users)
    one = zep3.user_group.remove_member(group, users[0], project_id=project_id)
    assert one["removed_count"] == 1
    rest = zep3.user_group.remove_members(group, project_id=project_id, user_uuids=users)
    assert rest["removed_count"] == 2
    assert rest["no_op_count"] == 1
    assert zep3.user_group.get(group, project_id=project_id)["member_count"] == 0


@requirement(
    "v3:user_group.list_policy_sets",
    "v3:user_group.attach_policy_set",
    "v3:user_group.detach_policy_set",
)
def test_a_policy_set_of_a_user_group_is_refused_with_the_reason(
    zep3: Zep, project_id: str, server: Server
) -> None:
    """Nothing would enforce it, and so it is not taken; there is none to list or take off."""
    rule = {"id": "r", "type": "authorization", "effect": "deny", "actions": ["user.delete"]}
    written = {"policy_set": {"name": unique("rules"), "spec": {"policies": [rule]}}}
    admin = create_key(server.data, "default", "--admin")
    headers = {"Authorization": f"Api-Key {admin}"}
    sets = f"{server.url}/api/v1/policy-sets"
    made = httpx.put(sets, json=written, headers=headers, trust_env=False).json()
    group = a_user_group(zep3, project_id)["uuid"]
    scope = {"project_id": project_id}
    with refused(403, "ForbiddenError"):
        zep3.user_group.attach_policy_set(group, policy_set_uuid=made["uuid"], **scope)
    boss = zep3.with_key(admin)
    with refused(501) as refusal:
        boss.user_group.attach_policy_set(group, policy_set_uuid=made["uuid"], **scope)
    assert "attach the policy set to a key" in refusal.value.body["message"]
    with missing():
        boss.user_group.attach_policy_set(group, policy_set_uuid=NOBODY, **scope)
    assert zep3.user_group.list_policy_sets(group, **scope)["policy_sets"] == []
    assert zep3.user_group.get(group, **scope)["attached_policy_set_count"] == 0
    with missing():
        boss.user_group.detach_policy_set(group, made["uuid"], **scope)


@requirement("v3:user_group.delete", "v3:errors:404-is-typed")
def test_a_deleted_user_group_is_gone_and_its_members_stay(zep3: Zep, project_id: str) -> None:
    """The group cannot be read any more, the user can."""
    user = a_user(zep3)
    group = a_user_group(zep3, project_id)["uuid"]
    zep3.user_group.add_members(group, project_id=project_id, user_uuids=[user["uuid"]])
    zep3.user_group.delete(group, project_id=project_id)
    for uuid in (group, NOBODY):
        with missing():
            zep3.user_group.get(uuid, project_id=project_id)
    assert zep3.user.get(user["user_id"])["uuid"] == user["uuid"]
