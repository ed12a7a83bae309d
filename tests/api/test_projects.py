"""Projects and keys over HTTP, as the guide's dashboard has them: name, description, several keys."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.governance import keys
from tests.support.asgi import Program, program
from tests.support.stores import behind

PATH = "/api/v1/projects"


class Server:
    """A running program with the admin key of its operator."""

    def __init__(self, running: Program, operator: str) -> None:
        self.running = running
        self.operator = operator

    async def ask(
        self, method: str, path: str, body: Any = b"", *, key: str, status: int = 200
    ) -> Any:
        """What is answered, with the status that is expected."""
        answer = await self.running.send(method, path, body, key=key)
        assert answer.status == status, answer.body
        return answer.json()

    async def project(self, name: str, **more: Any) -> Any:
        """A new project."""
        return await self.ask("POST", PATH, {"name": name, **more}, key=self.operator)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    """The default project, whose admin key is the operator's."""
    async with program(tmp_path / "data") as running:
        made = await running.services.store.write(
            keys.create_key, keys.DEFAULT_PROJECT, "operator", admin=True
        )
        yield Server(running, made.secret)


async def test_a_project_is_made_with_its_first_key(server: Server) -> None:
    """Guide "Projects", "Project Essentials": a unique name, and optionally a description."""
    made = await server.project("production", description="What customers see")
    assert (made["project"]["name"], made["key"]["is_admin"]) == ("production", True)
    first = made["key"]["secret"]
    shown = await server.ask("GET", "/api/v1/project", key=first)
    assert shown == made["project"]
    assert shown["description"] == "What customers see"
    info = await server.ask("GET", "/api/v2/projects/info", key=first)
    assert (info["project"]["name"], info["project"]["uuid"]) == ("production", shown["uuid"])
    told = await server.ask("POST", PATH, {"name": "production"}, key=server.operator, status=400)
    assert "production" in told["message"]
    changed = {"description": None}
    assert (await server.ask("PATCH", "/api/v1/project", changed, key=first))["description"] is None
    assert await server.ask("PATCH", "/api/v1/project", {}, key=first)


async def test_a_project_has_several_keys(server: Server) -> None:
    """Guide "Projects": keys belong to a project, and it can have many; each opens the same data."""
    admin = (await server.project("staging"))["key"]["secret"]
    two = [
        await server.ask("POST", "/api/v1/keys", {"name": name}, key=admin)
        for name in ("web", "worker")
    ]
    web, worker = (one["secret"] for one in two)
    await server.ask("POST", "/api/v2/users", {"user_id": "ann"}, key=web)
    assert (await server.ask("GET", "/api/v2/users/ann", key=worker))["user_id"] == "ann"
    await server.ask("GET", "/api/v2/users/ann", key=server.operator, status=404)
    listed = (await server.ask("GET", "/api/v1/keys", key=admin))["keys"]
    assert [key["name"] for key in listed] == ["admin", "web", "worker"]
    assert all("secret" not in key for key in listed)
    await server.ask("DELETE", f"/api/v1/keys/{two[0]['uuid']}", key=admin)
    narrow = {"name": "narrow", "role": "default_deny"}
    denied = (await server.ask("POST", "/api/v1/keys", narrow, key=admin))["secret"]
    await server.ask("GET", "/api/v2/users/ann", key=denied, status=403)


async def test_only_the_operator_makes_projects_and_only_admins_make_keys(server: Server) -> None:
    """An admin key of a project manages that one alone; other keys manage nothing."""
    admin = (await server.project("tenant"))["key"]["secret"]
    plain = (await server.ask("POST", "/api/v1/keys", {"name": "plain"}, key=admin))["secret"]
    told = await server.ask("POST", PATH, {"name": "more"}, key=admin, status=403)
    assert "operator" in told["message"]
    for method, path, body in (
        ("POST", PATH, {"name": "more"}),
        ("POST", "/api/v1/keys", {"name": "more"}),
        ("PATCH", "/api/v1/project", {"description": "mine"}),
    ):
        await server.ask(method, path, body, key=plain, status=403)
    assert await server.ask("GET", "/api/v1/project", key=plain)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (PATH, {}),
        (PATH, {"name": ""}),
        (PATH, {"name": "x" * 10_000}),
        (PATH, {"name": "p", "description": "x" * 100_000}),
        (PATH, {"name": "p", "project_id": 1}),
        ("/api/v1/keys", {"name": "k", "project": "default"}),
        ("/api/v1/keys", {"name": "k", "role": "admin"}),
        ("/api/v1/keys", {"name": "k", "secret": "chosen"}),
    ],
)
async def test_what_is_wrong_makes_nothing(server: Server, path: str, body: Any) -> None:
    """Neither a project nor a key, and nobody chooses the project or the secret of one."""
    before = _counted(server)
    assert (await server.ask("POST", path, body, key=server.operator, status=400))["message"]
    assert _counted(server) == before


def _counted(server: Server) -> list[Any]:
    return server.running.rows(
        "SELECT (SELECT count(*) FROM projects), (SELECT count(*) FROM api_keys)"
    )


async def test_a_secret_is_told_once_and_kept_nowhere(server: Server) -> None:
    """No cache on the way may keep it; the store, its audit log and the log have a hash at most."""
    answer = await server.running.send("POST", PATH, {"name": "quiet"}, key=server.operator)
    secret = answer.json()["key"]["secret"]
    assert (b"cache-control", b"no-store") in [(k.lower(), v) for k, v in answer.headers]
    with behind(server.running.folder) as connection:
        assert secret not in repr(connection.everything())
    assert secret not in str(server.running.logs)
    entries = await server.ask("GET", "/api/v1/audit", key=server.operator)
    assert any(entry["action"] == "project.create" for entry in entries["entries"])


async def test_the_log_of_a_project_begins_with_its_first_key(server: Server) -> None:
    """Guide "Projects": whoever manages it sees where the key they were given came from."""
    made = await server.project("watched")
    mine = (await server.ask("GET", "/api/v1/keys", key=server.operator))["keys"]
    told = await server.ask("GET", "/api/v1/audit", key=made["key"]["secret"])
    (entry,) = [one for one in told["entries"] if one["action"] == "key.create"]
    assert (entry["number"], entry["target"]) == (1, f"key:{made['key']['uuid']}")
    assert entry["actor"] in [f"key:{key['uuid']}" for key in mine]
    assert made["key"]["secret"] not in str(told)
