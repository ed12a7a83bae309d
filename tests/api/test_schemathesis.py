"""Schemathesis makes requests from our own OpenAPI document: no answer is a fault of ours.

Deterministic: the same document gives the same requests. For each operation come the requests that
cover its parameters and bodies value by value, valid and not, and then a bounded number of drawn ones.
Every other request names things that exist, so that handlers are reached. Answers of generation 4
are held against the document as well: their status is a documented one, and their body fits it.

`SCHEMATHESIS_PATHS=/api/v4` restricts a run to the paths that begin so, or with one of several with
commas between them; `-s` shows how many requests were made, and how many of each status were answered.
"""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.python._constants.orchestrator import make_constants_value_source
from schemathesis.specs.openapi.checks import (
    response_schema_conformance,
    status_code_conformance,
)

from recollect.api.errors import reply_for
from recollect.api.openapi import document
from recollect.api.router import Route
from recollect.asgi import route_table
from recollect.compat.zep.v4.errors import reply_for as reply_for_4
from tests.support.asgi import program
from tests.support.server import Server
from tests.support.tenants import ALPHA_KEY, Tenant, seed
from tests.support.tenants import requests as requests_on

EXAMPLES = 16
EXAMPLES_LONG = 100
ANSWER_SECONDS_MAX = 120  # on a machine that has other work to do
PATHS = tuple(os.environ.get("SCHEMATHESIS_PATHS", "/").split(","))
ROUTES = {
    (route.method, route.path): route
    for route in route_table()
    if route.path.startswith(PATHS) and not route.path.startswith(("/docs", "/open"))
}
LOG = "/api/v1/sessions/{session_id}/log"
# The server hands its answers out in JSON, but for the guide, the metrics and some of session logs.
OTHER_TYPES = {
    "/",
    "/guide",
    "/guide/",
    "/metrics",
    "/api/v2/metrics",
    f"{LOG}/stream",
    f"{LOG}/export",
}
QUERY = "/api/v4/graphs/query"  # in one piece or as events
SHAPES = {reply_for: "message", reply_for_4: "error"}
DOCUMENTED = [status_code_conformance, response_schema_conformance]
NOT_OFFERED = 501  # a route that clients have and that only says so


@cache
def schema() -> Any:
    """The document as Schemathesis reads it."""
    return schemathesis.openapi.from_dict(document(ROUTES.values(), "0"))


@cache
def operations() -> dict[tuple[str, str], Any]:
    """What the document describes, by method and path."""
    found = [result.ok() for result in schema().get_all_operations()]
    return {(operation.method.upper(), operation.path): operation for operation in found}


@cache
def feedback() -> FeedbackSources:
    """Values that the document mentions, to draw from."""
    return FeedbackSources(constants_value_source=make_constants_value_source(schema()))


@schemathesis.serializer("application/x-ndjson")
def lines(_: Any, value: Any) -> bytes:
    """Lines of JSON, or of something else."""
    return str(value).encode(errors="replace")


class Live:
    """The real program on a folder with one project in it."""

    def __init__(self, server: Server, tenant: Tenant) -> None:
        self.server = server
        self.tenant = tenant
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers["Authorization"] = f"Api-Key {ALPHA_KEY}"
        self.count = 0
        self.answered: Counter[int] = Counter()


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Seeded in this process, then served by another."""
    folder = tmp_path_factory.mktemp("schemathesis") / "data"

    async def make() -> Tenant:
        async with program(folder) as running:
            return await seed(running, "alpha", ALPHA_KEY)

    tenant = asyncio.run(make())
    with Server(folder) as server:
        made = Live(server, tenant)
        yield made
        made.session.close()
        told = ", ".join(f"{status}: {n}" for status, n in sorted(made.answered.items()))
        print(f"\n{made.count} requests below {', '.join(PATHS)}; {told}", file=sys.stderr)


def _check(live: Live, case: Any) -> None:
    route = ROUTES[case.operation.method.upper(), case.operation.path]
    live.count += 1
    if live.count % 2:
        _aim(live, case, route)
    if route.path.endswith("/stream"):
        case.query = {**(case.query or {}), "seconds": 0}  # or it would go on for ten minutes
    answer = case.call(base_url=live.server.url, session=live.session, timeout=ANSWER_SECONDS_MAX)
    live.answered[answer.status_code] += 1
    assert answer.status_code < 500 or answer.status_code == NOT_OFFERED, _told(case, answer)
    if not _refused_by_the_http_layer(answer):
        _hold_to_the_document(route, case, answer)


def _aim(live: Live, case: Any, route: Route) -> None:
    """Let a request name what exists; in generation 4 also with a key that is known."""
    if case.headers and route.refusal is reply_for_4:
        case.headers.pop("Authorization", None)
    if route.path.endswith(
        ("/users/{user_id}", "/{graph_id}", "/{group_id}", "/users/{user_uuid}", "/{graph_uuid}")
    ):
        return  # deletions of whole subjects stay among the unknown, or nothing would be left to find
    (asked, *_) = requests_on(route, live.tenant, shared_path=True, shared_body=True)
    known = dict(zip(_parts(route.path), asked.path.split("/"), strict=True))
    for name in case.path_parameters or {}:
        case.path_parameters[name] = known[f"{{{name}}}"]
    if isinstance(case.query, dict) and "projectId" in case.query:
        case.query["projectId"] = live.tenant.values["project_uuid"]


def _hold_to_the_document(route: Route, case: Any, answer: Any) -> None:
    """The shape of refusals, the type of content; of generation 4 also the status and the body."""
    if answer.status_code >= 400:
        told = [name for name in answer.json() if name != "request_id"]
        if told == ["message"] and _without_a_route(answer):
            return
        assert told == [SHAPES.get(route.refusal, "detail")], _told(case, answer)
    streams = route.path == QUERY and answer.headers["content-type"] == ["text/event-stream"]
    if route.path in OTHER_TYPES or answer.status_code == 204 or streams:
        return
    assert answer.headers["content-type"] == ["application/json"], _told(case, answer)
    if route.refusal is reply_for_4:
        case.validate_response(answer, checks=DOCUMENTED)


def _told(case: Any, answer: Any) -> str:
    """Only for a failure: writing the request down takes longer than making it."""
    return f"{answer.status_code} {answer.text}\n{case.as_curl_command()}"


def _parts(path: str) -> list[str]:
    return path.split("/")


def _refused_by_the_http_layer(answer: Any) -> bool:
    """What is not HTTP at all never reaches the application."""
    return bool(answer.status_code == 400 and answer.text == '{"message": "invalid HTTP request"}')


def _without_a_route(answer: Any) -> bool:
    """Of another method, or of a name that makes another path: no route tells of it."""
    text = answer.json().get("message", "")
    return bool(answer.status_code == 405 or (answer.status_code == 404 and "route" in text))


def _hold(live: Live, route: tuple[str, str], examples: int) -> None:
    """Make the requests of one operation. They are drawn here and not when tests are collected, which
    `@schema.parametrize()` would do in every worker, for all operations."""

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case: Any) -> None:
        _check(live, case)

    build_operation_test(
        config=schema().config,
        operation=operations()[route],
        test_func=check,
        given_kwargs={},
        feedback=feedback(),
    )()


every_route = pytest.mark.parametrize("route", ROUTES, ids=" ".join)


@every_route
def test_no_request_makes_the_server_fail(route: tuple[str, str], live: Live) -> None:
    """Whatever the document allows, and some of what it does not, is answered without a 5xx."""
    _hold(live, route, EXAMPLES)


@pytest.mark.long
@every_route
def test_no_request_of_very_many_makes_the_server_fail(route: tuple[str, str], live: Live) -> None:
    """The same with many more requests for each operation."""
    _hold(live, route, EXAMPLES_LONG)


def test_the_document_names_every_operation() -> None:
    """Schemathesis sees as many operations as there are routes."""
    assert operations().keys() == ROUTES.keys()
