"""Nothing crosses from one project to another, on any route there is.

Project beta asks for alpha's things by alpha's ids. What it gets must be what it would get if
alpha had never existed, byte for byte, and alpha's rows must stay as they are. The requests are
made from the route table, so a new route is tested or makes the table's own test fail.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from recollect.api.router import Route
from recollect.asgi import route_table
from recollect.governance import keys
from tests.support.asgi import REQUEST_ID, Program, program
from tests.support.stores import copy_store
from tests.support.tenants import (
    ALPHA_KEY,
    BETA_KEY,
    SEARCHES,
    Asked,
    CountingIds,
    Tenant,
    is_generation_4,
    is_memory,
    missing_values,
    parameters,
    requests,
    rows_of,
    seed,
    still_clock,
    variants,
)

PRIVATE = [route for route in route_table() if not route.public]
FRESH_IDS = 1_000_000
_HYPEREDGES = "/api/v4/graphs/{graph_uuid}/hyperedges"
REVOKED = "a-key-that-was-revoked-once"


def name_of(route: Route) -> str:
    """A route as a test's id."""
    return f"{route.method} {route.path}"


@dataclass
class Worlds:
    """One world with alpha and beta, and one in which alpha never was."""

    both: Program
    without: Program
    alpha: Tenant
    beta: Tenant
    ids: tuple[CountingIds, CountingIds]

    def same_ids_next(self) -> None:
        """Let both worlds give out the same ids from here."""
        highest = max(FRESH_IDS, *(ids.next for ids in self.ids))
        for ids in self.ids:
            ids.next = highest


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Tenant, Tenant]:
    """Two folders, `both` and `without`, made once and copied for each test."""
    base = tmp_path_factory.mktemp("worlds")

    async def make() -> tuple[Tenant, Tenant]:
        ids = CountingIds()
        async with program(base / "both", clock=still_clock, ids=ids) as running:
            beta = await seed(running, "beta", BETA_KEY)
        copy_store(base / "both", base / "without")
        async with program(base / "both", clock=still_clock, ids=ids) as running:
            return await seed(running, "alpha", ALPHA_KEY), beta

    return base, *asyncio.run(make())


@pytest.fixture
async def worlds(seeded: tuple[Path, Tenant, Tenant], tmp_path: Path) -> AsyncIterator[Worlds]:
    """Fresh copies of the two worlds, both running."""
    base, alpha, beta = seeded
    copy_store(base / "both", tmp_path / "both")
    copy_store(base / "without", tmp_path / "without")
    ids = (CountingIds(), CountingIds())
    async with (
        program(tmp_path / "both", clock=still_clock, ids=ids[0]) as both,
        program(tmp_path / "without", clock=still_clock, ids=ids[1]) as without,
    ):
        yield Worlds(both, without, alpha, beta, ids)


def test_every_path_parameter_and_id_field_has_a_value_here() -> None:
    """A new route cannot go untested: whoever adds it says here what its ids are."""
    unknown = sorted(set(missing_values()))
    assert not unknown, "add to tests/support/tenants.py: " + "; ".join(unknown)


@pytest.mark.parametrize("route", PRIVATE, ids=name_of)
async def test_a_project_is_answered_as_if_no_other_existed(worlds: Worlds, route: Route) -> None:
    """Beta, asking by alpha's ids, gets what it gets in a world without alpha."""
    before = rows_of(worlds.both.folder, "alpha")
    for asked in variants(route, worlds.alpha, worlds.beta.values["project_uuid"]):
        worlds.same_ids_next()
        sent = (route.method, asked.path, asked.body)
        got = await worlds.both.send(*sent, query=asked.query, key=BETA_KEY)
        expected = await worlds.without.send(*sent, query=asked.query, key=BETA_KEY)
        assert (got.status, _secretless(got.body), got.headers) == (
            expected.status,
            _secretless(expected.body),
            expected.headers,
        ), str(asked)
        assert got.status < 500 or got.status == 501, f"{asked}: {got}"
        whole = got.body.decode() + str(got.headers)
        echoed = asked.path + asked.query + str(asked.body)
        for secret in worlds.alpha.secrets:
            assert secret not in whole or secret in echoed, f"{asked}: {secret} in {whole}"
        assert rows_of(worlds.both.folder, "alpha") == before, f"{asked} changed alpha's rows"


def _secretless(body: bytes) -> bytes:
    """An answer without the secret of a new key or webhook, which is another one each time."""
    told = re.sub(rb'"secret":"(rk_[\w-]{43}|whsec_[^"]{44})"', b'"secret":"..."', body)
    return re.sub(rb'"begins":"rk_[\w-]{6}"', b'"begins":"..."', told)


def names_alpha_only(route: Route) -> bool:
    """Whether a request on this route has to name a thing by an id in its path."""
    if route.path == "/api/v2/collections/{collection_name}" and route.method == "POST":
        return False  # it makes what it names
    if route.path.startswith("/api/v2/abac/user-groups/{group_uuid}/policy-sets"):
        return route.method == "GET"  # nothing can be attached there, by nobody
    if is_generation_4(route) and "document_id" in parameters(route):
        return True  # its graph is named as well
    if "project_name" in parameters(route):
        return False  # for the operator alone; whatever others name, they are told only that
    if {"revision_uuid", "hyperedge_uuid"}.intersection(parameters(route)):
        return False  # of these there are none
    if route.path.startswith(("/api/v4/agents", "/api/v4/trace-connections", _HYPEREDGES)):
        return False  # not offered to anybody
    # A resource is the server's, and a document may have any name.
    return bool(parameters(route)) and not {"document_id", "name"}.intersection(parameters(route))


@pytest.mark.parametrize("route", [r for r in PRIVATE if names_alpha_only(r)], ids=name_of)
async def test_what_only_another_project_has_is_not_found(worlds: Worlds, route: Route) -> None:
    """Ids and uuids that only alpha has do not exist for beta, and do exist for alpha."""
    (asked, *_) = requests(route, worlds.alpha, shared_path=False, shared_body=True)
    sent = (route.method, asked.path, _without_server_ids(asked))
    query = asked.query.replace(
        worlds.alpha.values["project_uuid"], worlds.beta.values["project_uuid"]
    )
    refused = await worlds.both.send(*sent, query=query, key=BETA_KEY)
    assert refused.status == 404, f"{asked}: {refused}"
    assert refused.message
    own = await worlds.both.send(*sent, query=asked.query, key=ALPHA_KEY)
    # A session that is bound already is there, though it cannot be bound to somebody else.
    proves = (200, 409) if route.path == "/api/v1/sessions/{session_id}" else (200, 204)
    assert own.status in proves, f"the request proves nothing, alpha cannot make it: {asked}: {own}"


def _without_server_ids(asked: Asked) -> object:
    if isinstance(asked.body, list):
        return asked.body
    return {name: value for name, value in asked.body.items() if name not in SEARCHES}


@pytest.mark.parametrize("field", ["user_id", "graph_id", "group_id"])
@pytest.mark.parametrize("path", ["/api/v2/graph", "/api/v2/graph-batch", "/api/v2/graph/search"])
async def test_a_body_cannot_name_another_projects_graph(
    worlds: Worlds, path: str, field: str
) -> None:
    """Adding data and searching by an id that only alpha has is 404 for beta. Data for a group that
    beta has not makes a group of beta's own, and leaves alpha's as it is."""
    made = field == "group_id" and not path.endswith("search")
    ids = {"user_id": "alpha-only-user"}
    body = {
        "data": "x",
        "type": "text",
        "episodes": [{"data": "x", "type": "text"}],
        "query": "secret",
        "scope": "episodes",
        field: ids.get(field, "alpha-only-graph"),
    }
    before = rows_of(worlds.both.folder, "alpha")
    expected = 200 if made else 404
    assert (await worlds.both.send("POST", path, body, key=BETA_KEY)).status == expected
    assert rows_of(worlds.both.folder, "alpha") == before
    assert (await worlds.both.send("POST", path, body, key=ALPHA_KEY)).status == 200


async def test_a_search_finds_nothing_of_another_project(worlds: Worlds) -> None:
    """The same words under the same graph id find each project's own episodes only."""
    body = {
        "query": "alpha-secret beta-secret data",
        "scope": "episodes",
        "graph_id": "shared-graph",
    }
    beta = await worlds.both.send("POST", "/api/v2/graph/search", body, key=BETA_KEY)
    alpha = await worlds.both.send("POST", "/api/v2/graph/search", body, key=ALPHA_KEY)
    found = {e["content"] for e in beta.json()["episodes"]}
    assert found == {"beta-secret data", "beta-secret memory"}
    found = {e["content"] for e in alpha.json()["episodes"]}
    assert found == {"alpha-secret data", "alpha-secret memory"}


async def test_a_cursor_of_another_project_opens_nothing(worlds: Worlds) -> None:
    """A page cursor that alpha was given shows beta only what is beta's."""
    path = "/api/v2/graph/edge/user/shared-user"
    first = await worlds.both.send("POST", path, {"limit": 1}, key=ALPHA_KEY)
    cursor = first.header("Zep-Next-Cursor")
    assert cursor, "the page has no next one"
    got = await worlds.both.send("POST", path, {"cursor": cursor}, key=BETA_KEY)
    assert got.status in {200, 400}
    assert b"alpha-secret" not in got.body


async def _revoked(running: Program) -> None:
    store = running.services.store
    made = await store.write(keys.create_key, "beta", "old", REVOKED)
    await store.write(keys.revoke_key, made.key.uuid)


WRONG_KEYS = {
    "none": None,
    "empty": "",
    "scheme only": "Api-Key",
    "scheme and space": "Api-Key ",
    "unknown": "Api-Key nobody-was-given-this-key",
    "revoked": f"Api-Key {REVOKED}",
    "wrong scheme": f"Basic {BETA_KEY}",
    "no scheme": BETA_KEY,
    "two keys": f"Api-Key {BETA_KEY} {ALPHA_KEY}",
    "prefix of a key": f"Api-Key {BETA_KEY[:-1]}",
    "longer than a key": f"Api-Key {BETA_KEY}x",
    "other case": f"Api-Key {BETA_KEY.upper()}",
    "sql": "Api-Key ' OR 1=1 --",
    "nul": f"Api-Key {BETA_KEY}\0",
    "latin": "Api-Key \xff\xfe",
    "huge": "Api-Key " + "x" * 100_000,
}


@pytest.mark.parametrize("route", PRIVATE, ids=name_of)
async def test_nothing_is_told_without_a_key_that_works(worlds: Worlds, route: Route) -> None:
    """Every private route answers 401 with one and the same body, and does nothing."""
    await _revoked(worlds.both)
    (asked, *_) = requests(route, worlds.alpha, shared_path=True, shared_body=True)
    before = worlds.both.writes()
    for kind, value in WRONG_KEYS.items():
        headers = [] if value is None else [("Authorization", value)]
        answer = await worlds.both.send(
            route.method, asked.path, asked.body, query=asked.query, headers=headers, anonymous=True
        )
        assert answer.status == 401, f"{kind}: {answer}"
        assert answer.json() == unauthorized(route), kind
    assert worlds.both.writes() == before


ASKED = {"request_id": REQUEST_ID.decode()}


def unauthorized(route: Route) -> object:
    """What strangers are told, in the way of the clients that a route is for."""
    if is_generation_4(route):
        return {"error": {"code": "unauthorized", "message": "unauthorized", **ASKED}}
    if not is_memory(route):
        return {"message": "unauthorized", **ASKED}
    detail = {"code": 401, "message": "unauthorized", "exception": "NotAuthenticated"}
    return {"detail": {**detail, "internal_error": "", "trace": ""}}


@pytest.mark.parametrize("scheme", ["Api-Key", "api-key", "API-KEY", "Bearer", "bearer", "BEARER"])
async def test_the_scheme_is_read_in_any_case(worlds: Worlds, scheme: str) -> None:
    """Clients spell the scheme as they like."""
    answer = await worlds.both.send(
        "GET",
        "/api/v2/projects/info",
        headers=[("Authorization", f"{scheme} {BETA_KEY}")],
        anonymous=True,
    )
    assert answer.status == 200
    assert answer.json()["project"]["name"] == "beta"


async def test_a_project_sees_itself_under_its_own_key(worlds: Worlds) -> None:
    """The project comes from the key and from nothing else."""
    for word, key in (("alpha", ALPHA_KEY), ("beta", BETA_KEY)):
        answer = await worlds.both.send("GET", "/api/v2/projects/info", query="project=x", key=key)
        assert answer.json()["project"]["name"] == word


async def test_deleting_in_one_project_leaves_the_others_namesake(worlds: Worlds) -> None:
    """Beta deletes everything it has under the shared ids; alpha keeps all of its own."""
    before = rows_of(worlds.both.folder, "alpha")
    for path in ("users/shared-user", "graph/shared-graph", "users/beta-only-user"):
        answer = await worlds.both.send("DELETE", f"/api/v2/{path}", key=BETA_KEY)
        assert answer.status == 200, (path, answer)
    assert rows_of(worlds.both.folder, "alpha") == before
    assert (await worlds.both.send("GET", "/api/v2/users/shared-user", key=BETA_KEY)).status == 404
    assert (await worlds.both.send("GET", "/api/v2/users/shared-user", key=ALPHA_KEY)).status == 200
