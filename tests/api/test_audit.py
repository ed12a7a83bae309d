"""Every write is in the audit log, by whoever made it, however it ended.

The requests are made from the route table, so a new route is tested as soon as it is there.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.api.router import Route
from recollect.app.authorize import Allowance
from recollect.app.gate import said
from recollect.asgi import route_table
from recollect.compat.zep.v4.routes_unsupported import METHODS as AGENT_METHODS
from recollect.governance import audit, keys
from recollect.governance.audit import Entry, Wanted
from recollect.limits import AUDIT_FAILURES_AT_ONCE
from tests.api.test_hostile_input import Target as Hostile
from tests.support.asgi import Program, program
from tests.support.stores import copy_store
from tests.support.tenants import ALPHA_KEY, SEARCHES, Tenant, requests, seed

PRIVATE = [route for route in route_table() if not route.public]
WRITING = [route for route in PRIVATE if route.mutates]
READING = [route for route in PRIVATE if not (route.mutates or route.admin)]
ADMIN, WATCHED, DENIED = "an-admin-key-of-alpha", "a-watched-key-of-alpha", "a-denied-key-of-alpha"
KEYS: dict[str, dict[str, Any]] = {
    ADMIN: {"admin": True},
    WATCHED: {"logs_reads": True},
    DENIED: {"role": "default_deny"},
}


def name_of(route: Route) -> str:
    """A route as a test's id."""
    return f"{route.method} {route.path}"


class Target:
    """The application with one project in it, and its log."""

    def __init__(self, running: Program, tenant: Tenant) -> None:
        self.program = running
        self.tenant = tenant
        self.actors: dict[str, str] = {}

    async def log(self) -> list[Entry]:
        """Alpha's entries, oldest first."""
        store = self.program.services.store
        project = await store.read(keys.project_named, "alpha")
        return (await store.read(audit.page, project.id, Wanted(), limit=100_000))[::-1]

    async def leaves(self, method: str, path: str, body: Any = b"", **more: Any) -> list[Entry]:
        """The entries that a request leaves."""
        before = len(await self.log())
        await self.program.send(method, path, body, **{"key": ALPHA_KEY, **more})
        return (await self.log())[before:]

    async def holds(self) -> bool:
        """Whether the chain holds."""
        store = self.program.services.store
        project = await store.read(keys.project_named, "alpha")
        return (await store.read(audit.verify, project)).broken_at is None


# What clients can ask for and nobody gets, and what this tenant does not, who is not the operator:
# it is refused, so nothing is written.
NOT_OFFERED = {
    "memory.resources.add",
    "memory.resources.delete",
    "project.create",
    "project.set_limits",
}
NOT_OFFERED |= {"user_group.attach_policy_set", "user_group.detach_policy_set"}
NOT_OFFERED |= {method for method, _, _ in AGENT_METHODS}
NOT_OFFERED |= {route.action for route in PRIVATE if "hyperedge." in route.action}
# As many are told of one by one as are kept so.
PARTS = -(-len(WRITING) // AUDIT_FAILURES_AT_ONCE)


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Tenant]:
    """A folder with a project in it, made once and copied for each test."""
    folder = tmp_path_factory.mktemp("seeded") / "data"

    async def make() -> Tenant:
        async with program(folder) as running:
            tenant = await seed(running, "alpha", ALPHA_KEY)
            for secret, settings in KEYS.items():
                await running.services.store.write(
                    keys.create_key, "alpha", secret, secret, **settings
                )
            return tenant

    return folder, asyncio.run(make())


@pytest.fixture
async def target(seeded: tuple[Path, Tenant], tmp_path: Path) -> AsyncIterator[Target]:
    """A fresh copy of it, running."""
    folder, tenant = seeded
    copy_store(folder, tmp_path / "data")
    async with program(tmp_path / "data") as running:
        made = Target(running, tenant)
        for key in await running.services.store.read(keys.list_keys):
            made.actors[key.name] = f"key:{key.uuid}"
        yield made


@pytest.mark.parametrize("route", [r for r in WRITING if r.action not in NOT_OFFERED], ids=name_of)
async def test_every_writing_route_leaves_its_entry(target: Target, route: Route) -> None:
    """One for a request that wrote, by the key that made it, without anybody's text."""
    path, query, body = Hostile(target.program, target.tenant).valid(route)
    if isinstance(body, dict):
        kept = {name: value for name, value in body.items() if name not in SEARCHES}
        body = kept | {name: "fresh" for name in kept if name.startswith("target_")}
    before = len(await target.log())
    answer = await target.program.send(route.method, path, body, query=query, key=ALPHA_KEY)
    assert answer.status < 300, f"the request proves nothing: {answer}"
    (entry,) = (await target.log())[before:]
    assert (entry.outcome, entry.status) in {("done", None), ("done", answer.status)}
    assert (entry.action, entry.actor) == (route.action, target.actors["test"])
    for text in ("alpha-secret", "hello"):
        assert text not in str(entry)
    assert await target.holds()


@pytest.mark.parametrize("part", range(PARTS))
async def test_every_writing_route_says_who_was_refused(target: Target, part: int) -> None:
    """403, before a body is even looked at."""
    for route in WRITING[part::PARTS]:
        (asked, *_) = requests(route, target.tenant, shared_path=False, shared_body=False)
        left = await target.leaves(route.method, asked.path, b"{", query=asked.query, key=DENIED)
        assert [(entry.outcome, entry.status, entry.action, entry.actor) for entry in left] == [
            ("refused", 403, route.action, target.actors[DENIED])
        ], asked


async def test_a_read_is_logged_for_a_key_that_says_so(target: Target) -> None:
    """One entry with the status that was answered; none for any other key."""
    for route in READING:
        (asked, *_) = requests(route, target.tenant, shared_path=False, shared_body=False)
        sent = {"body": asked.body, "query": asked.query}
        assert await target.leaves(route.method, asked.path, **sent) == [], asked
        assert await target.leaves(route.method, asked.path, **sent, key=DENIED) == [], asked
        left = await target.leaves(route.method, asked.path, **sent, key=WATCHED)
        assert [(entry.actor, entry.action) for entry in left] == [
            (target.actors[WATCHED], route.action)
        ], asked
        ended = {("done", 200), ("failed", 404), ("failed", 501), ("failed", 503)}
        assert (left[0].outcome, left[0].status) in ended, asked


async def test_a_read_that_cannot_be_logged_is_not_answered(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry is on disk before the caller learns anything."""

    def no_room(*args: object) -> int:
        raise OSError("no room")

    monkeypatch.setattr(audit, "append_all", no_room)
    path = "/api/v2/users/alpha-only-user"
    assert (await target.program.send("GET", path, key=ALPHA_KEY)).status == 200
    refused = await target.program.send("GET", path, key=WATCHED)
    assert (refused.status, b"alpha" in refused.body) == (500, False)


async def test_an_entry_says_what_a_request_was_about(target: Target) -> None:
    """The target, the fields that were given and how many things were sent; never their text."""
    body = {"messages": [{"role": "user", "content": "a secret"}] * 3, "return_context": True}
    (added,) = await target.leaves("POST", "/api/v2/threads/alpha-only-thread/messages", body)
    assert (added.action, added.target) == ("thread.add_messages", "thread:alpha-only-thread")
    assert added.detail == {"fields": ["return_context"], "messages": 3}
    (changed,) = await target.leaves(
        "PATCH", "/api/v2/users/alpha-only-user", {"email": "new@example.com", "first_name": "Ann"}
    )
    assert changed.target == "user:alpha-only-user"
    assert changed.detail == {"fields": ["email", "first_name"]}
    data = {"type": "text", "data": "x", "graph_id": "alpha-only-graph"}
    (piece,) = await target.leaves("POST", "/api/v2/graph", data)
    assert piece.target == "graph:alpha-only-graph"
    own = f"projectId={target.tenant.values['project_uuid']}"
    (group,) = await target.leaves("POST", "/api/v2/user-groups", {"name": "some"}, query=own)
    assert (group.target or "").startswith("user_group:")


async def test_a_change_of_access_says_what_was_changed(target: Target) -> None:
    """The set and its version, the key it is attached to, the fields of a key."""
    key = target.tenant.values["governed_key"]
    rules = [{"id": "a", "type": "authorization", "effect": "allow", "actions": ["user.get"]}]
    document = {"policy_set": {"name": "some", "spec": {"policies": rules}}}
    (made,) = await target.leaves("PUT", "/api/v1/policy-sets", document)
    assert (made.action, made.target) == ("policy_set.apply", "policy_set:some")
    assert made.detail is not None
    assert made.detail["version"] == 1
    (attached,) = await target.leaves("PUT", f"/api/v1/keys/{key}/policy-sets/some")
    assert (attached.target, attached.detail) == ("policy_set:some", {"key_uuid": key})
    (changed,) = await target.leaves("PATCH", f"/api/v1/keys/{key}", {"logs_reads": True})
    assert (changed.target, changed.detail) == (f"key:{key}", {"fields": ["logs_reads"]})
    (revoked,) = await target.leaves("DELETE", f"/api/v1/keys/{key}")
    assert (revoked.action, revoked.target) == ("key.revoke", f"key:{key}")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("users/alpha-only-user", "user"),
        ("threads/alpha-only-thread", "thread"),
        ("sessions/alpha-only-thread/memory", "thread"),
        ("graph/alpha-only-graph", "graph"),
        ("groups/alpha-only-graph", "graph"),
    ],
)
async def test_a_deletion_does_not_keep_the_name_it_deleted(
    target: Target, path: str, kind: str
) -> None:
    """Its own entry has the server's id, and a second try, which finds nothing, has none."""
    first, second = [(await target.leaves("DELETE", f"/api/v2/{path}"))[-1] for _ in range(2)]
    named, _, uuid = (first.target or "").partition(":")
    assert (named, len(uuid)) == (kind, 36)
    assert (second.outcome, second.target) == ("failed", None)
    refused = (await target.leaves("DELETE", f"/api/v2/{path}", key=DENIED))[-1]
    assert (refused.outcome, refused.target) == ("refused", None)


@pytest.mark.parametrize("path", ["/api/v2/users/gone-person", "/api/v1/users/gone-person"])
async def test_nothing_in_the_log_names_a_user_who_was_deleted(target: Target, path: str) -> None:
    """Neither the user nor their threads, in any entry there ever was; and the chain holds."""
    person, talk = {"user_id": "gone-person"}, {"thread_id": "gone-thread"}
    await target.leaves("POST", "/api/v2/users", person)
    await target.leaves("POST", "/api/v2/threads", {**person, **talk})
    said_ = {"messages": [{"role": "user", "content": "hello"}]}
    await target.leaves("POST", "/api/v2/threads/gone-thread/messages", said_)
    await target.leaves("POST", "/api/v2/graph", {"type": "text", "data": "x", **person})
    await target.leaves("GET", "/api/v2/users/gone-person", key=WATCHED)
    await target.leaves("DELETE", "/api/v2/users/gone-person", key=DENIED)
    assert "gone-" in str(await target.log())
    (erased,) = await target.leaves("DELETE", path)
    await target.leaves("DELETE", path)
    await target.leaves("POST", "/api/v2/threads/gone-thread/messages", said_)
    await target.leaves("GET", "/api/v2/users/gone-person", key=WATCHED)
    assert "gone-" not in str(target.program.rows("SELECT * FROM audit_entries"))
    assert set(erased.detail or {}) == {"receipt"}
    assert await target.holds()


@pytest.mark.parametrize(
    ("method", "path", "body", "more"),
    [
        ("POST", "/api/v2/users", {"user_id": "x"}, {"anonymous": True}),
        ("POST", "/api/v2/users", {"user_id": "x"}, {"key": "no-such-key"}),
        ("POST", "/api/v2/no-such-route", {}, {}),
        ("PUT", "/api/v2/users", {}, {}),
        ("POST", "/api/v2/users", b"{", {}),
        ("POST", "/api/v2/users", {"user_id": 7}, {}),
        ("POST", "/api/v2/users", {"user_id": "alpha-only-user"}, {}),
        ("POST", "/api/v2/users", {"user_id": "a/b\n"}, {}),
        ("GET", "/health", b"", {"key": WATCHED}),
        ("POST", "/api/v2/graph/search", {"query": 7}, {"key": WATCHED}),
    ],
)
async def test_what_was_not_understood_leaves_no_entry(
    target: Target, method: str, path: str, body: Any, more: dict[str, Any]
) -> None:
    """No route, no key, not valid: whoever sends such things cannot fill the disk with them."""
    assert await target.leaves(method, path, body, **more) == []


async def test_failures_are_kept_at_a_bounded_rate(target: Target) -> None:
    """The first ones each, the rest as a number once there is room again."""
    before = len(await target.log())
    for _ in range(AUDIT_FAILURES_AT_ONCE + 20):
        await target.program.send("DELETE", "/api/v2/users/nobody", key=ALPHA_KEY)
    kept = len(await target.log()) - before
    assert AUDIT_FAILURES_AT_ONCE <= kept < AUDIT_FAILURES_AT_ONCE + 20
    # Whoever does something that succeeds is not held back by that.
    body = {"user_id": "new"}
    assert len(await target.leaves("POST", "/api/v2/users", body)) == 1


def test_the_allowance_counts_what_it_leaves_out() -> None:
    """Per key; room comes back with time and never exceeds what there was at first."""
    now = 0.0
    allowance = Allowance(lambda: now)
    taken = [allowance.take("a") for _ in range(AUDIT_FAILURES_AT_ONCE + 3)]
    assert taken == [0] * AUDIT_FAILURES_AT_ONCE + [None] * 3
    assert allowance.take("b") == 0
    now = 1.0
    assert [allowance.take("a"), allowance.take("a")] == [3, None]
    now = 1e6
    taken = [allowance.take("a") for _ in range(AUDIT_FAILURES_AT_ONCE + 1)]
    assert taken == [1] + [0] * (AUDIT_FAILURES_AT_ONCE - 1) + [None]


async def test_a_failure_after_a_write_says_that_something_was_written(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The write keeps its entry and the failure gets one of its own."""

    def broken(self: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(type(target.program.services), "wake_workers", broken)
    body = {"messages": [{"role": "user", "content": "hello"}]}
    left = await target.leaves("POST", "/api/v2/threads/alpha-only-thread/messages", body)
    assert [(entry.outcome, entry.status) for entry in left] == [("done", None), ("failed", 500)]
    assert left[1].detail == {"messages": 1, "written": 1}


async def test_workers_leave_no_entries(target: Target) -> None:
    """What is derived was not done by anybody."""
    body = {"messages": [{"role": "user", "content": "hello"}]}
    await target.leaves("POST", "/api/v2/threads/alpha-only-thread/messages", body)
    before = await target.log()
    await target.program.work()
    assert await target.log() == before


async def test_an_admin_reads_the_log_page_by_page(target: Target) -> None:
    """Newest first, each entry once, narrowed by what was asked for."""
    for _ in range(3):
        await target.program.send("DELETE", "/api/v2/users/nobody", key=ALPHA_KEY)

    async def ask(query: str) -> Any:
        answer = await target.program.send("GET", "/api/v1/audit", query=query, key=ADMIN)
        assert answer.status == 200, answer
        return answer.json()

    everything = (await ask("limit=1000"))["entries"]
    assert [entry["number"] for entry in everything] == list(range(len(everything), 0, -1))
    paged: list[Any] = []
    cursor = ""
    while True:
        found = await ask(f"limit=7{cursor}")
        paged += found["entries"]
        if found["next_cursor"] is None:
            break
        cursor = f"&cursor={found['next_cursor']}"
    assert paged == everything
    failed = (await ask("outcome=failed&action=user.delete"))["entries"]
    assert [(entry["status"], entry["target"]) for entry in failed] == [(404, None)] * 3
    assert (await ask(f"actor={target.actors[DENIED]}"))["entries"] == []
    assert (await ask("since=2000-01-01T00:00:00Z&limit=1000"))["entries"] == everything
    assert (await ask("since=2100-01-01T00:00:00Z"))["entries"] == []


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=1001", "cursor=x", "cursor=0", "outcome=maybe", "since=yesterday"]
)
async def test_a_wrong_question_about_the_log_is_refused(target: Target, query: str) -> None:
    """400, and the message names what is wrong."""
    answer = await target.program.send("GET", "/api/v1/audit", query=query, key=ADMIN)
    assert answer.status == 400
    assert query.partition("=")[0] in answer.message


async def test_only_an_admin_reads_the_log(target: Target) -> None:
    """Any other key is refused."""
    for key in (WATCHED, DENIED):
        assert (await target.program.send("GET", "/api/v1/audit", key=key)).status == 403


def test_nothing_is_said_of_a_body_that_has_no_fields() -> None:
    """No body, or one of any shape."""
    assert said(None) == {}
    assert said({"a": "text"}) == {}
    assert said(["text"]) == {"items": 1}
