"""The routes of user groups, as clients of generation 3 call them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.governance import keys, policies
from recollect.graph import policy_spec
from tests.support.asgi import Answer, Program, program
from tests.support.stores import raw

NOBODY = "00000000-0000-7000-8000-000000000000"


class Api:
    """Calls below `/api/v2` that say what status they expect."""

    def __init__(self, running: Program, project_id: str = "") -> None:
        self.running = running
        self.project_id = project_id

    async def send(
        self, status: int, method: str, path: str, body: Any = b"", query: str = ""
    ) -> Answer:
        """One request and its whole answer."""
        answer = await self.running.send(
            method, "/api/v2" + path, body, query=f"projectId={self.project_id}&{query}"
        )
        assert answer.status == status, answer.body
        return answer

    async def call(self, method: str, path: str, body: Any = b"", query: str = "") -> Any:
        """What a request that succeeds answers."""
        return (await self.send(200, method, path, body, query)).json()

    async def refused(
        self, status: int, method: str, path: str, body: Any = b"", query: str = ""
    ) -> str:
        """What a request that fails says."""
        return (await self.send(status, method, path, body, query)).message

    async def user(self, user_id: str) -> str:
        """A new user, by uuid."""
        uuid: str = (await self.call("POST", "/users", {"user_id": user_id}))["uuid"]
        return uuid

    async def group(self, name: str, **fields: Any) -> str:
        """The path of a new group."""
        made = await self.call("POST", "/user-groups", {"name": name, **fields})
        return f"/user-groups/{made['uuid']}"


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """The application, with its project named in every query."""
    async with program(tmp_path) as running:
        made = Api(running)
        made.project_id = (await made.call("GET", "/projects/info"))["project"]["uuid"]
        yield made


EVERY_ROUTE = [
    ("GET", "/user-groups", b""),
    ("POST", "/user-groups", {"name": "Team"}),
    ("GET", f"/user-groups/users/{NOBODY}", b""),
    ("GET", f"/user-groups/{NOBODY}", b""),
    ("PATCH", f"/user-groups/{NOBODY}", {"expected_version": 1}),
    ("DELETE", f"/user-groups/{NOBODY}", b""),
    ("GET", f"/user-groups/{NOBODY}/members", b""),
    ("POST", f"/user-groups/{NOBODY}/members", {"user_uuids": [NOBODY]}),
    ("POST", f"/user-groups/{NOBODY}/members/bulk-remove", {"user_uuids": [NOBODY]}),
    ("GET", f"/user-groups/{NOBODY}/members/candidates", b""),
    ("DELETE", f"/user-groups/{NOBODY}/members/{NOBODY}", b""),
    ("GET", f"/abac/user-groups/{NOBODY}/policy-sets", b""),
]


@pytest.mark.parametrize(("method", "path", "body"), EVERY_ROUTE)
async def test_the_project_must_be_the_keys_own(
    api: Api, method: str, path: str, body: Any
) -> None:
    """The tenant comes from the key; a query can only agree with it."""
    own, api.project_id = api.project_id, NOBODY
    assert "projectId" in await api.refused(404, method, path, body)
    api.project_id = ""
    assert "projectId" in await api.refused(400, method, path, body)
    api.project_id = own
    assert (await api.call("GET", "/user-groups"))["total_count"] == 1


@pytest.mark.parametrize(("method", "path", "body"), EVERY_ROUTE[2:])
async def test_an_unknown_group_or_user_is_not_found(
    api: Api, method: str, path: str, body: Any
) -> None:
    """On every route that names one."""
    assert "not found" in await api.refused(404, method, path, body)


async def test_a_group_reads_back_as_it_was_created(api: Api) -> None:
    """Fresh groups have no members, no policies and version 1."""
    path = await api.group("Team", description="Nurses")
    found = await api.call("GET", path)
    assert (found["name"], found["description"]) == ("Team", "Nurses")
    assert (found["kind"], found["version"]) == ("managed", 1)
    assert (found["member_count"], found["attached_policy_set_count"]) == (0, 0)
    assert found["project_uuid"] == api.project_id


async def test_a_taken_name_is_a_conflict(api: Api) -> None:
    """This client knows 409 for it; a blank name is just not valid."""
    await api.group("Team")
    assert "name" in await api.refused(409, "POST", "/user-groups", {"name": "Team"})
    assert "name" in await api.refused(409, "POST", "/user-groups", {"name": "All Users"})
    assert "name" in await api.refused(400, "POST", "/user-groups", {"name": " "})


async def test_a_group_changes_at_the_version_seen(api: Api) -> None:
    """The version is required, checked and raised."""
    path = await api.group("Team", description="Nurses")
    made = await api.call("PATCH", path, {"expected_version": 1, "name": "Crew"})
    assert (made["name"], made["description"], made["version"]) == ("Crew", "Nurses", 2)
    sent = {"expected_version": 1, "name": "Late"}
    assert "expected_version" in await api.refused(409, "PATCH", path, sent)
    assert "expected_version" in await api.refused(400, "PATCH", path, {"name": "Late"})


async def test_the_group_of_all_users_is_listed_first_and_immutable(api: Api) -> None:
    """It reads like any group, and every change of it is a conflict."""
    ann = await api.user("ann")
    await api.group("Team")
    page = await api.call("GET", "/user-groups", query="pageNumber=1&pageSize=1")
    (first,) = page["user_groups"]
    assert (first["name"], first["kind"], first["member_count"]) == ("All Users", "virtual", 1)
    assert (page["row_count"], page["total_count"]) == (1, 2)
    assert page["quota"]["active_managed"] == 1
    path = f"/user-groups/{first['uuid']}"
    assert await api.call("GET", path) == first
    assert (await api.call("GET", f"{path}/members"))["users"][0]["uuid"] == ann
    for method, where, body in (
        ("PATCH", path, {"expected_version": 1, "name": "Some"}),
        ("DELETE", path, b""),
        ("POST", f"{path}/members", {"user_uuids": [ann]}),
        ("POST", f"{path}/members/bulk-remove", {"user_uuids": [ann]}),
        ("DELETE", f"{path}/members/{ann}", b""),
        ("GET", f"{path}/members/candidates", b""),
    ):
        assert "All Users" in await api.refused(409, method, where, body)


async def test_members_are_added_listed_and_removed(api: Api) -> None:
    """Each change answers how many were added, removed or as wanted already."""
    ann, bob = [await api.user(name) for name in ("ann", "bob")]
    path = await api.group("Team")
    members = f"{path}/members"
    added = await api.call("POST", members, {"user_uuids": [ann]})
    assert added == {"added_count": 1, "removed_count": 0, "no_op_count": 0}
    again = await api.call("POST", members, {"user_uuids": [ann, bob]})
    assert (again["added_count"], again["no_op_count"]) == (1, 1)
    page = await api.call("GET", members, query="pageNumber=2&pageSize=1")
    assert [user["user_id"] for user in page["users"]] == ["bob"]
    assert (page["row_count"], page["total_count"]) == (1, 2)
    found = await api.call("GET", f"/user-groups/users/{ann}")
    assert [group["kind"] for group in found["user_groups"]] == ["virtual", "managed"]
    removed = await api.call("DELETE", f"{members}/{ann}")
    assert removed == {"added_count": 0, "removed_count": 1, "no_op_count": 0}
    removed = await api.call("POST", f"{members}/bulk-remove", {"user_uuids": [ann, bob]})
    assert (removed["removed_count"], removed["no_op_count"]) == (1, 1)
    page = await api.call("GET", f"{members}/candidates", query="search=AN")
    assert [user["user_id"] for user in page["users"]] == ["ann"]
    assert (await api.call("GET", members))["users"] == []


async def test_a_policy_set_of_a_group_is_refused_with_the_reason(api: Api) -> None:
    """No request is made on behalf of a user; what was attached before can be taken off."""
    rule = {"id": "r", "type": "authorization", "effect": "deny", "actions": ["readonly"]}
    whole = {"policy_set": {"name": "rules", "spec": {"policies": [rule]}}}
    store = api.running.services.store
    project = await store.read(keys.project_named, keys.DEFAULT_PROJECT)
    document = policy_spec.check(whole, frozenset())
    made = await store.write(policies.apply, project.id, document)
    everyone = (await api.call("GET", "/user-groups"))["user_groups"][0]["uuid"]
    for group in (await api.group("Team"), f"/user-groups/{everyone}"):
        path = f"/abac{group}/policy-sets"
        body = {"policy_set_uuid": made.uuid}
        assert "user_group.attach" in await api.refused(403, "POST", path, body)
        boss = await store.write(keys.create_key, keys.DEFAULT_PROJECT, "boss", admin=True)
        mine, api.running.key = api.running.key, boss.secret
        assert "attach the policy set to a key" in await api.refused(501, "POST", path, body)
        assert await api.call("GET", path) == {"policy_sets": []}
        assert (await api.call("GET", group))["attached_policy_set_count"] == 0
        assert "policy set" in await api.refused(404, "POST", path, {"policy_set_uuid": NOBODY})
        assert "policy_set_uuid" in await api.refused(400, "POST", path, {})
        await api.refused(404, "DELETE", f"{path}/{made.uuid}")
        api.running.key = mine
    group = await api.group("Old")
    await store.write(_attach_as_before)
    path = f"/abac{group}/policy-sets"
    (found,) = (await api.call("GET", path))["policy_sets"]
    assert (found["uuid"], found["name"]) == (made.uuid, "rules")
    api.running.key = boss.secret
    assert await api.call("DELETE", f"{path}/{made.uuid}") == {"policy_sets": []}


def _attach_as_before(tx: Any) -> None:
    """What an earlier release wrote."""
    raw(tx).execute(
        "INSERT INTO user_group_policy_sets SELECT g.id, s.id FROM user_groups g, policy_sets s"
        " WHERE g.name = 'Old'",
        (),
    )


async def test_a_deleted_group_leaves_its_members(api: Api) -> None:
    """The group is gone and its name is free, the user stays."""
    ann = await api.user("ann")
    path = await api.group("Team")
    await api.call("POST", f"{path}/members", {"user_uuids": [ann]})
    await api.call("DELETE", path)
    await api.refused(404, "GET", path)
    assert (await api.call("GET", "/users/ann"))["uuid"] == ann
    await api.group("Team")
