"""The action layer: what a key may ask for at all, on every route there is."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recollect.api.app import App
from recollect.api.router import Call, Route, Router
from recollect.app import authorize
from recollect.app.authorize import Actions
from recollect.asgi import route_table
from recollect.governance import keys, policies
from recollect.graph import policy_spec
from recollect.graph.policy import KeyPolicy, Mode, PolicySetDocument, Role, Rule
from recollect.graph.types import Access
from recollect.graph.visibility import Visibility
from tests.support.asgi import Answer, Program, exchange, program
from tests.support.stores import copy_store
from tests.support.tenants import ALPHA_KEY, Asked, Tenant, requests, rows_of, seed, still_clock

TABLE = route_table()
ACTIONS = Actions(TABLE)
GOVERNED = [route for route in TABLE if not (route.public or route.admin)]
READING = [route for route in GOVERNED if route.action in ACTIONS.reading]
RULES_KEY = f"{ALPHA_KEY} with rules"
HIDDEN_RULE = "the-rule-that-nobody-is-told-of"


def a_rule(effect: str, *actions: str, **fields: Any) -> dict[str, Any]:
    """One rule."""
    named = {"id": HIDDEN_RULE, "type": "authorization", "effect": effect}
    return {**named, "actions": list(actions), **fields}


# Vectors are made when they are first needed; that requests were refused is in the audit log.
OPERATORS = {"project.create", "project.get_limits", "project.set_limits"}
NOT_DATA = {"document_vectors", "audit_entries"}


def kept(running: Program) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that is stored for the tenant."""
    tables = rows_of(running.folder, "alpha")
    return {name: rows for name, rows in tables.items() if name not in NOT_DATA}


def _own(route: Route, tenant: Tenant) -> list[Asked]:
    """The requests on a route by the tenant's own ids."""
    return requests(route, tenant, shared_path=False, shared_body=False)


@dataclass
class World:
    """The application, with a project that has an admin key and a key that rules are for."""

    program: Program
    tenant: Tenant

    async def govern(
        self,
        *rules: dict[str, Any],
        role: Role = "default_allow",
        mode: Mode = "enforce",
        own: Mode = "enforce",
    ) -> None:
        """Give the governed key this role and mode, and these rules alone."""
        store, key = self.program.services.store, self.tenant.values["governed_key"]
        project = (await store.read(keys.project_named, "alpha")).id
        for attached in await store.read(policies.of_key, project, key):
            await store.write(policies.detach, project, key, attached.name)
        await store.write(keys.change_key, key, role=role, mode=mode)
        if rules:
            numbered = [{**rule, "id": f"{rule['id']}-{n}"} for n, rule in enumerate(rules)]
            whole = {"policy_set": {"name": "rules", "mode": own, "spec": {"policies": numbered}}}
            document = policy_spec.check(whole, ACTIONS.known)
            await store.write(policies.apply, project, document)
            await store.write(policies.attach, project, key, "rules")

    async def ask(self, method: str, path: str, body: Any = b"", query: str = "") -> Answer:
        """A request of the governed key."""
        return await self.program.send(method, path, body, query=query, key=RULES_KEY)

    async def manage(self, method: str, path: str, body: Any = b"", query: str = "") -> Any:
        """What a request of the admin key answers."""
        answer = await self.program.send(method, f"/api/v1{path}", body, query=query, key=ALPHA_KEY)
        assert answer.status == 200, answer
        return answer.json()

    async def refused(
        self, status: int, method: str, path: str, body: Any = b"", query: str = ""
    ) -> str:
        """What a request of the admin key that fails says."""
        answer = await self.program.send(method, f"/api/v1{path}", body, query=query, key=ALPHA_KEY)
        assert answer.status == status, answer
        return answer.message

    def last_log(self) -> dict[str, Any]:
        """The log line of the last request."""
        lines = [line for line in self.program.logs if line["event"] == "request.done"]
        return dict(lines[-1])


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Tenant]:
    """A folder with one tenant, made once and copied for each test."""
    folder = tmp_path_factory.mktemp("policies") / "data"

    async def make() -> Tenant:
        async with program(folder, clock=still_clock) as running:
            return await seed(running, "alpha", ALPHA_KEY)

    return folder, asyncio.run(make())


@pytest.fixture
async def world(
    seeded: tuple[Path, Tenant], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    """A copy of it, in which a change of a key is noticed at once."""
    monkeypatch.setattr(authorize, "_REMEMBERED_S", -1.0)
    folder, tenant = seeded
    copy_store(folder, tmp_path / "data")
    async with program(tmp_path / "data", clock=still_clock) as running:
        yield World(running, tenant)


async def test_a_key_that_nothing_is_granted_is_refused_everywhere(world: World) -> None:
    """Before anything of the request is looked at, and without saying which rule it was."""
    await world.govern(role="default_deny")
    before = kept(world.program)
    for route in GOVERNED:
        path = route.path.replace("{", "").replace("}", "")
        answer = await world.ask(route.method, path, b"{not json", query="limit=x")
        assert answer.status == 403, (route, answer)
        assert answer.message == f"this key may not do {route.action}"
    assert kept(world.program) == before


async def test_what_one_action_is_granted_opens_that_action_alone(world: World) -> None:
    """By its name, on all routes that carry it out, and no other."""
    await world.govern(a_rule("allow", "user.get"), role="default_deny")
    assert (await world.ask("GET", "/api/v2/users/shared-user")).status == 200
    assert (await world.ask("GET", "/api/v2/users/nobody")).status == 404
    assert (await world.ask("DELETE", "/api/v2/users/shared-user")).status == 403
    assert (await world.ask("GET", "/api/v2/threads")).status == 403
    assert (await world.ask("GET", "/health")).status == 200


async def test_a_denial_refuses_and_does_not_say_by_which_rule(world: World) -> None:
    """The role and an allowance do not help."""
    await world.govern(a_rule("allow", "user.get"), a_rule("deny", "user.get"))
    answer = await world.ask("GET", "/api/v2/users/shared-user")
    assert answer.status == 403
    assert HIDDEN_RULE not in answer.body.decode() + str(answer.headers)
    assert (await world.ask("GET", "/api/v2/threads")).status == 200


async def test_readonly_lets_every_read_by_and_no_write(world: World) -> None:
    """Whatever the route table has, by what its routes do."""
    await world.govern(a_rule("allow", "readonly"), role="default_deny")
    for route in GOVERNED:
        (asked, *_) = _own(route, world.tenant)
        answer = await world.ask(route.method, asked.path, asked.body, asked.query)
        assert (answer.status == 403) == route.mutates, (route, answer)


async def test_what_counts_as_reading_changes_nothing(world: World) -> None:
    """So that `readonly` keeps its word, every such route is tried in every way there is."""
    before = kept(world.program)
    for route in READING:
        for asked in _own(route, world.tenant):
            answer = await world.ask(route.method, asked.path, asked.body, asked.query)
            named = "/config/resources/" in route.path  # any name is asked
            elsewhere = "center_node_uuid" in str(asked.body)  # a node of another graph
            never = "revision_uuid" in route.path or "hyperedge_uuid" in route.path
            absent = {404} if named or elsewhere or never else set()
            assert answer.status in {200, 400, 422, 501, 503} | absent, (asked, answer)
    assert kept(world.program) == before


def test_readonly_is_every_action_none_of_whose_routes_changes_anything() -> None:
    """A method that reads by nature, or a route that says it only reads."""
    by_action: dict[str, list[Route]] = {}
    for route in GOVERNED:
        by_action.setdefault(route.action, []).append(route)
    expected = {
        action
        for action, routes in by_action.items()
        if all(route.method == "GET" or route.reads for route in routes)
    }
    assert ACTIONS.reading == expected
    assert all(route.mutates for routes in by_action.values() for route in routes
               if route.method in {"PUT", "PATCH", "DELETE"})  # fmt: skip
    mixed = {
        action
        for action, routes in by_action.items()
        if len({route.mutates for route in routes}) > 1
    }
    assert not mixed, "an action that both reads and writes is two actions"


async def test_only_an_admin_key_manages_access(world: World) -> None:
    """No role and no rule makes up for it; projects are the operator's, of whom this tenant is none."""
    await world.govern(a_rule("allow", "readonly"))
    managing = [route for route in TABLE if route.admin]
    assert len(managing) > 10
    asked = [next(iter(_own(route, world.tenant))) for route in managing]
    for one in asked:
        answer = await world.ask(one.route.method, one.path, one.body, one.query)
        assert answer.status == 403, (one, answer)
        assert one.route.action in answer.message
    for one in asked:
        answer = await world.program.send(
            one.route.method, one.path, one.body, query=one.query, key=ALPHA_KEY
        )
        assert (answer.status == 403) == (one.route.action in OPERATORS), (one, answer)


@pytest.mark.parametrize(("mode", "own"), [("report_only", "enforce"), ("enforce", "report_only")])
async def test_reporting_only_changes_not_a_byte(world: World, mode: Mode, own: Mode) -> None:
    """Every read answers as if there were no rules; the log tells what they would have done."""
    rules = (a_rule("deny", *sorted(ACTIONS.known)[::2]), a_rule("allow", "readonly", attributes={
        "team": ["red"]}))  # fmt: skip
    for route in READING:
        (asked, *_) = _own(route, world.tenant)
        sent = (route.method, asked.path, asked.body, asked.query)
        await world.govern()
        free = await world.ask(*sent)
        assert "would" not in world.last_log()
        await world.govern(*rules, mode=mode, own=own)
        watched = await world.ask(*sent)
        assert (watched.status, watched.body, watched.headers) == (
            free.status,
            free.body,
            free.headers,
        ), str(asked)
        line = world.last_log()
        assert (line["outcome"], line["mode"]) == ("allowed", "report_only")
        assert line["would"] in {"denied", "narrowed"}
        assert line["differs"] is True


async def test_each_request_says_in_the_log_what_was_decided(world: World) -> None:
    """The action, the outcome and the mode."""
    seen = {"attributes": {"team": ["red"]}}
    cases: list[tuple[tuple[dict[str, Any], ...], dict[str, Any]]] = [
        ((), {"outcome": "allowed", "mode": "off"}),
        ((a_rule("deny", "user.get"),), {"outcome": "denied", "mode": "enforce"}),
        ((a_rule("deny", "user.get", **seen),), {"outcome": "narrowed", "mode": "enforce"}),
        ((a_rule("deny", "user.add"),), {"outcome": "allowed", "mode": "enforce"}),
    ]
    for rules, expected in cases:
        await world.govern(*rules)
        await world.ask("GET", "/api/v2/users/shared-user")
        line = world.last_log()
        assert line["action"] == "user.get"
        assert {name: line[name] for name in expected} == expected
        assert HIDDEN_RULE not in str(line)
    await world.program.send("GET", "/health", anonymous=True)
    assert "outcome" not in world.last_log()


async def test_a_handler_is_told_what_its_action_may_see(world: World) -> None:
    """And can ask the same for a further action that its answer contains."""
    seen: dict[str, Any] = {}

    async def handler(call: Call) -> dict[str, str]:
        seen["own"] = call.access.visibility
        for action in ("graph.search", "thread.get", "user.delete"):
            further = call.access_for(action)
            seen[action] = "denied" if further is None else further.visibility
        return {}

    routes = [
        Route("GET", "/probe", "user.get", handler, "A probe"),
        *(Route("GET", f"/{a}", a, handler, "Another") for a in ("graph.search", "thread.get")),
        Route("DELETE", "/user", "user.delete", handler, "One that writes"),
    ]
    app = App(Router(routes), world.program.services)
    red, blue = {"attributes": {"team": ["red"]}}, {"attributes": {"team": ["blue"]}}
    await world.govern(
        a_rule("allow", "user.get", **red),
        a_rule("allow", "graph.search", **blue),
        a_rule("allow", "thread.get"),
        role="default_deny",
    )
    sent = [(b"authorization", f"Api-Key {RULES_KEY}".encode())]
    assert (await exchange(app, "GET", b"/probe", b"", sent, [b""])).status == 200
    assert isinstance(seen["own"], Visibility)
    assert seen["own"].sees({"team": ["red"]})
    assert not seen["own"].sees({"team": ["blue"]})
    assert seen["graph.search"].sees({"team": ["blue"]})
    assert not seen["graph.search"].sees({"team": ["red"]})
    assert seen["thread.get"] is None
    assert seen["user.delete"] == "denied"


@pytest.mark.parametrize(
    "path", ["/api/v2/threads/shared-thread/messages", "/api/v2/sessions/shared-thread/memory"]
)
async def test_a_context_that_may_not_be_read_is_not_answered_after_adding(
    world: World, path: str
) -> None:
    """The messages are stored; whoever may read the context gets it."""
    said = [{"role": "user", "role_type": "user", "content": "Ann likes tea."}]
    body = {"messages": said, "return_context": True}
    await world.govern(a_rule("allow", "thread.add_messages"), role="default_deny")
    answer = await world.ask("POST", path, body)
    assert answer.status == 200
    assert answer.json().get("context") is None
    await world.govern(
        a_rule("allow", "thread.add_messages", "thread.get_user_context"), role="default_deny"
    )
    answer = await world.ask("POST", path, body)
    assert isinstance(answer.json()["context"], str)


YAML = """
policy_set:
  name: support
  mode: off
  spec:
    policies:
      - id: reads
        type: authorization
        effect: allow
        actions: [readonly]
        attributes: {team: [support], tier: [1]}
"""


async def test_a_policy_set_is_applied_shown_and_deleted(world: World) -> None:
    """As YAML text or as JSON; each new word is a version."""
    made = await world.manage("PUT", "/policy-sets", {"document": YAML})
    assert (made["name"], made["version"], made["mode"]) == ("support", 1, "off")
    again = await world.manage("PUT", "/policy-sets", {"policy_set": made["policy_set"]})
    assert again == made
    changed = {**made["policy_set"], "mode": "enforce"}
    later = await world.manage("PUT", "/policy-sets", {"policy_set": changed})
    assert (later["uuid"], later["version"]) == (made["uuid"], 2)
    for reference in ("support", made["uuid"]):
        assert await world.manage("GET", f"/policy-sets/{reference}") == later
    kept = (await world.manage("GET", "/policy-sets/support/versions"))["versions"]
    assert [(one["version"], one["policy_set"]["mode"]) for one in kept] == [
        (2, "enforce"),
        (1, "off"),
    ]
    listed = (await world.manage("GET", "/policy-sets"))["policy_sets"]
    assert later in listed
    key = world.tenant.values["governed_key"]
    shown = await world.manage("PUT", f"/keys/{key}/policy-sets/support")
    assert "support" in shown["policy_sets"]
    assert "detach" in await world.refused(409, "DELETE", "/policy-sets/support")
    shown = await world.manage("DELETE", f"/keys/{key}/policy-sets/{made['uuid']}")
    assert "support" not in shown["policy_sets"]
    await world.manage("DELETE", "/policy-sets/support")
    await world.refused(404, "GET", "/policy-sets/support")


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({}, "document: either this or policy_set is required"),
        ({"document": YAML, "policy_set": {}}, "document: either this or policy_set"),
        ({"document": YAML.replace("readonly", "reed")}, "policies[0].actions[0]: there is no"),
        ({"document": YAML.replace("readonly", "policy_set.apply")}, "there is no action"),
        ({"document": YAML.replace("readonly", "health")}, "there is no action"),
        ({"document": "a: &x 1"}, "document: line 1: anchors"),
        ({"policy_set": None}, "policy_set: must be an object"),
        (b'{"policy_set": {"name": "a", "name": "b"}}', "the key 'name' appears twice"),
    ],
)
async def test_a_wrong_policy_set_is_refused_with_its_place(
    world: World, body: Any, complaint: str
) -> None:
    """When it is applied as when it is only checked."""
    before = await world.manage("GET", "/policy-sets")
    assert complaint in await world.refused(400, "PUT", "/policy-sets", body)
    assert complaint in await world.refused(400, "POST", "/policy-sets/validate", body)
    assert await world.manage("GET", "/policy-sets") == before


async def test_checking_keeps_nothing(world: World) -> None:
    """And says what everything would mean."""
    before = await world.manage("GET", "/policy-sets")
    found = await world.manage("POST", "/policy-sets/validate", {"document": YAML})
    assert found["policy_set"]["subset_match"] is False
    assert await world.manage("GET", "/policy-sets") == before


async def test_a_key_is_changed_and_revoked_by_an_admin(world: World) -> None:
    """What is not named stays; its secret is never shown."""
    key = world.tenant.values["governed_key"]
    before = await world.manage("GET", f"/keys/{key}")
    made = await world.manage("PATCH", f"/keys/{key}", {"role": "default_deny"})
    assert made == {**before, "role": "default_deny"}
    made = await world.manage("PATCH", f"/keys/{key}", {"mode": "off", "logs_reads": True})
    assert (made["role"], made["mode"], made["logs_reads"]) == ("default_deny", "off", True)
    assert "role" in await world.refused(400, "PATCH", f"/keys/{key}", {"role": "boss"})
    listed = (await world.manage("GET", "/keys"))["keys"]
    assert made in listed
    assert RULES_KEY not in str(listed)
    assert (await world.manage("DELETE", f"/keys/{key}"))["revoked_at"]
    assert (await world.ask("GET", "/api/v2/threads")).status == 401
    await world.refused(404, "GET", "/keys/00000000-0000-7000-8000-000000000000")


async def test_an_explanation_says_which_rule_decides(world: World) -> None:
    """For an action, for an object that is stored, and for one that could be."""
    await world.govern(a_rule("allow", "graph.search", attributes={"team": ["red"]}))
    asked = {"key_uuid": world.tenant.values["governed_key"], "action": "graph.search"}
    path = "/policy-sets/explain"
    whole = await world.manage("POST", path, asked)
    assert (whole["outcome"], whole["visible"]) == ("narrowed", None)
    assert whole["rules"][0]["decided"]
    stored = await world.manage("POST", path, {**asked, "object_uuid": world.tenant.values["edge"]})
    assert (stored["metadata"], stored["visible"]) == ({}, False)
    assert "team must be exactly" in stored["rules"][0]["why"]
    fitting = {**asked, "object_metadata": {"team": "red"}}
    assert (await world.manage("POST", path, fitting))["visible"] is True
    wrong = {**asked, "action": "graph.serch"}
    assert "did you mean graph.search" in await world.refused(400, "POST", path, wrong)
    admin = next(k for k in (await world.manage("GET", "/keys"))["keys"] if k["is_admin"])
    free = await world.manage("POST", path, {**asked, "key_uuid": admin["uuid"]})
    assert (free["outcome"], free["rules"]) == ("allowed", [])


def test_a_decision_is_made_again_for_policies_that_only_compare_equal() -> None:
    """One and true are equal to Python and different in a rule."""

    def access(value: Any) -> Access:
        rule = Rule(
            id="r",
            effect="deny",
            actions=("graph.search",),
            attributes=(("tier", (value,)),),
        )
        sets = (PolicySetDocument(name="s", policies=(rule,)),)
        return Access(project_id=1, project_uuid="p", key_uuid="k", policy=KeyPolicy(sets=sets))

    whole, true = access(1), access(True)
    assert whole == true
    actions = Actions(TABLE)
    for asking, hidden, seen in ((whole, 1, True), (true, True, 1), (whole, 1, True)):
        visibility = actions.decide(asking, "graph.search").visibility
        assert visibility is not None
        assert not visibility.sees({"tier": [hidden]})
        assert visibility.sees({"tier": [seen]})


async def test_a_field_that_nobody_knows_is_refused_by_name(world: World) -> None:
    """On our own routes a misspelt wish is not passed over in silence."""
    send, key = world.program.send, world.tenant.values["governed_key"]
    asked = {"key_uuid": key, "action": "graph.search", "metadata": {"team": "support"}}
    answer = await send("POST", "/api/v1/policy-sets/explain", asked, key=ALPHA_KEY)
    assert answer.status == 400
    assert "metadata" in answer.message
    answer = await send("PATCH", f"/api/v1/keys/{key}", {"rôle": "default_deny"}, key=ALPHA_KEY)
    assert answer.status == 400
    assert "rôle" in answer.message
