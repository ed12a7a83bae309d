"""Whatever is sent, the answer is a success or a clear refusal, and a refusal writes nothing.

The bodies and queries are made from the wire models of the route table, so a new field is tested
on the day it is added. What only exists on a wire (chunks, reuse of a connection) is tested on
the real program.
"""

import asyncio
import base64
import itertools
import json
import re
from collections.abc import AsyncIterator, Iterator, MutableMapping
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin
from urllib.parse import quote

import msgspec
import msgspec.inspect as inspect
import pytest

from recollect.api.router import Nothing, Route
from recollect.asgi import route_table
from recollect.compat.zep.wire import batches as batches_wire
from recollect.compat.zep.wire.base import Strict
from recollect.errors import InvalidInput
from recollect.limits import BODY_BYTES_MAX, ID_CHARS_MAX, JSON_DEPTH_MAX
from tests.support.asgi import Answer, Program, program
from tests.support.rawhttp import Connection, ConnectionEnded
from tests.support.server import Server
from tests.support.stores import copy_store
from tests.support.tenants import (
    ALPHA_KEY,
    SAMPLES,
    Tenant,
    fields,
    parameters,
    requests,
    seed,
)

ROUTES = [route for route in route_table() if not route.public]
WITH_BODY = [route for route in ROUTES if route.body not in (Nothing, bytes)]
WITH_QUERY = [route for route in ROUTES if route.query is not Nothing]
NOT_OFFERED = 501  # a route that clients have and that only says so
# Routes that make something under the id in this field, and may refuse only what is wrong with it.
CREATING = {
    "/api/v2/users": "user_id",
    "/api/v2/threads": "thread_id",
    "/api/v2/sessions": "session_id",
    "/api/v2/graph/create": "graph_id",
    "/api/v2/groups": "group_id",
    "/api/v1/sessions": "session_id",
}
MAKING = {
    **CREATING,
    "/api/v2/projects": "project_id",
    "/api/v2/user-groups": "name",
    "/api/v2/context-templates": "template_id",
    "/api/v2/collections/{collection_name}": "collection_name",
    "/api/v1/sessions/{session_id}/log/turns": "turn_id",
    "/api/v4/users": "user_id",
    "/api/v4/user-groups": "name",
}
# What is refused and counted: too many bad answers end the tries of an agent.
COUNTED = {("/api/v1/readings/give", 422)}
# What a body holds as raw JSON until its handler decodes it.
RAW_MODELS = {"/api/v2/batches/{batch_id}/items": (("items", 0), batches_wire.BatchAddItem)}


def bad_of(route: Route) -> int:
    """The status of a bad request, which is another one for memory clients."""
    return route.refusal(InvalidInput()).status


def name_of(route: Route) -> str:
    """A route as a test's id."""
    return f"{route.method} {route.path}"


class Target:
    """The application with one project in it, and how a request on each route looks."""

    def __init__(self, running: Program, tenant: Tenant) -> None:
        self.program = running
        self.tenant = tenant
        self._numbers = itertools.count()

    def valid(self, route: Route) -> tuple[str, str, Any]:
        """Path, query and body of a request that reaches the route's own thing, or makes one."""
        (asked, *_) = requests(route, self.tenant, shared_path=False, shared_body=False)
        body, path = json.loads(json.dumps(asked.body)), asked.path
        fresh = f"new-{next(self._numbers)}"
        if route.method == "POST" and MAKING.get(route.path) in body:
            body[MAKING[route.path]] = fresh
        elif route.path.endswith("/documents"):
            body[0]["document_id"] = fresh
        elif route.method == "POST" and route.path in MAKING:
            path = path.rsplit("/", 1)[0] + f"/{fresh}"
        return path, asked.query, body

    async def refuses_or_does(self, route: Route, body: Any, query: str | bytes = b"") -> Answer:
        """Send a request that may be hostile; a refusal must be clear and must write nothing."""
        path, good_query, _ = self.valid(route)
        before = self.program.writes()
        answer = await self.program.send(
            route.method, path, body, query=query or good_query, key=ALPHA_KEY
        )
        what = f"{route.method} {path}?{query!r} {str(body)[:300]} -> {answer}"
        assert answer.status < 500 or answer.status == NOT_OFFERED, what
        if answer.status >= 400:
            assert answer.message, what
            if (route.path, answer.status) not in COUNTED:
                told = f"refused and yet something was written: {what}"
                assert self.program.writes() == before, told
        return answer


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Tenant]:
    """A folder with a project in it, made once and copied for each test."""
    folder = tmp_path_factory.mktemp("seeded") / "data"

    async def make() -> Tenant:
        async with program(folder) as running:
            return await seed(running, "alpha", ALPHA_KEY)

    return folder, asyncio.run(make())


@pytest.fixture
async def target(seeded: tuple[Path, Tenant], tmp_path: Path) -> AsyncIterator[Target]:
    """A fresh project with a user, threads, graphs, episodes, a node, an edge and so on."""
    folder, tenant = seeded
    copy_store(folder, tmp_path / "data")
    async with program(tmp_path / "data") as running:
        yield Target(running, tenant)


# ---------------------------------------------------------------- wrong types

WRONG: list[Any] = [
    "text",
    7,
    -1,
    1.5,
    True,
    None,
    [],
    ["text"],
    [7],
    [None],
    {},
    {"a": 1},
    [{}],
    "",
    2**70,
]


@cache
def places_of(route: Route) -> list[tuple[tuple[Any, ...], Any]]:
    """Every field of a route's body with its type."""
    if get_origin(route.body) is list:
        return list(places(get_args(route.body)[0], (0,)))
    prefix, model = RAW_MODELS.get(route.path, ((), Nothing))
    return [*places(route.body), *places(model, prefix)]


def places(
    model: Any, prefix: tuple[Any, ...] = (), around: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every field of a wire model with its type, down into nested models and lists of them.

    A model that can lie inside itself is entered once.
    """
    for name, info in fields(model).items():
        yield (*prefix, name), info.type
        for inner, many in _structs(inspect.type_info(info.type)):
            if inner not in (*around, model):
                way = (*prefix, name, *([0] if many else []))
                yield from places(inner, way, (*around, model))


def _structs(info: inspect.Type, *, many: bool = False) -> Iterator[tuple[Any, bool]]:
    if isinstance(info, inspect.StructType):
        yield info.cls, many
    elif isinstance(info, inspect.UnionType):
        for option in info.types:
            yield from _structs(option, many=many)
    elif isinstance(info, inspect.ListType):
        yield from _structs(info.item_type, many=True)


def put(body: Any, place: tuple[Any, ...], value: Any, route: Route) -> Any:
    """A copy of *body* with one value in one place; what lies on the way is made."""
    changed = json.loads(json.dumps(body))
    at, way = changed, places_of(route)
    for number, (step, following) in enumerate(itertools.pairwise(place), start=1):
        if isinstance(at, dict) and not isinstance(at.get(step), dict | list):
            at[step] = [] if isinstance(following, int) else _blank_at(way, place[:number])
        if isinstance(at, list) and not at:
            at.append(_blank_at(way, place[:number]))
        at = at[step]
    if isinstance(at, list):
        at.append(value)
    else:
        at[place[-1]] = value
    return changed


def _blank_at(way: list[tuple[tuple[Any, ...], Any]], place: tuple[Any, ...]) -> dict[str, Any]:
    """The least that must stand in a place on the way, judged by the fields it can hold."""
    outer = place[:-1] if isinstance(place[-1], int) else place
    for known, type_ in way:
        if known == outer:
            return next((blank(model) for model, _ in _structs(inspect.type_info(type_))), {})
    return {}


def fits(value: Any, type_: Any) -> bool:
    """Whether a decoder takes this JSON value for that type."""
    try:
        msgspec.json.decode(json.dumps(value).encode(), type=type_)
    except (msgspec.ValidationError, msgspec.DecodeError):
        return False
    return True


def names(answer: Answer, *place: Any) -> bool:
    """Whether a refusal says which field it is about, or which one that field lies in."""
    said, *_ = answer.message.partition(":")
    steps = [str(step) for step in place if not isinstance(step, int)]
    about = re.sub(r"\[\d+\]", "", said).split(".")
    return steps[-1] in answer.message or steps[: len(about)] == about


# Words of filters; their own checks name them by their place, which a type could not.
WORDS = {"comparison_operator": "is_null", "operator": "is_null", "type": "and"}


def blank(model: Any) -> dict[str, Any]:
    """The least that a wire model wants."""
    words = WORDS if issubclass(model, Strict) else {}
    return {
        name: words.get(name) or _least(inspect.type_info(info.type)) or SAMPLES.get(name, [])
        for name, info in fields(model).items()
        if info.required
    }


def _least(info: inspect.Type) -> Any:
    if isinstance(info, inspect.LiteralType):
        return info.values[0]
    if isinstance(info, inspect.IntType):
        return max(info.ge or 0, 1)
    if isinstance(info, inspect.ListType):
        return []
    return "sample"


@pytest.mark.parametrize("route", WITH_BODY, ids=name_of)
async def test_a_body_field_of_the_wrong_type_is_refused_by_name(
    target: Target, route: Route
) -> None:
    """Every field of every body, with every kind of JSON value it cannot be."""
    for place, type_ in places_of(route):
        for value in WRONG:
            _, _, good = target.valid(route)
            answer = await target.refuses_or_does(route, put(good, place, value, route))
            if not fits(value, type_):
                assert answer.status == bad_of(route), f"{place}={value!r}: {answer}"
                assert names(answer, *place), f"{place}={value!r}: {answer.message}"


@pytest.mark.parametrize("route", WITH_BODY, ids=name_of)
async def test_a_required_body_field_that_is_missing_is_named(target: Target, route: Route) -> None:
    """Leaving out what must be there says what is missing."""
    _, _, good = target.valid(route)
    for name, info in fields(route.body).items():
        if info.required:
            body = {key: value for key, value in good.items() if key != name}
            answer = await target.refuses_or_does(route, body)
            assert answer.status == bad_of(route), answer
            assert answer.message == f"{name}: is required"


@pytest.mark.parametrize("route", WITH_BODY, ids=name_of)
async def test_a_body_of_another_kind_is_refused(target: Target, route: Route) -> None:
    """JSON that is not an object, or not a list where one is wanted, is not a request."""
    for body in ("text", 7, True, None, [], [7], {}, 1.5):
        if not fits(body, route.body) and body != {}:
            answer = await target.refuses_or_does(route, json.dumps(body).encode())
            assert answer.status == bad_of(route)
            assert answer.message.startswith(("body: ", "[0]")), answer.message


QUERY_VALUES = [
    b"text", b"-1", b"1.5", b"1e3", b"0x10", b"", b"%20", b"+1", b"true", b"TRUE", b"yes", b"null",
    b"NaN", b"nan", b"Infinity", b"-inf", b"9" * 30, b"9" * 5000, b"[]", b"{}", b"%F0%9F%98%80",
    b"%E2%80%A8", b"'", b"%27%20OR%201=1--", b"a" * 10_000, b"%2E%2E%2F", b"0", b"1_000",
]  # fmt: skip


@pytest.mark.parametrize("route", WITH_QUERY, ids=name_of)
async def test_a_query_parameter_that_is_not_one_is_refused_by_name(
    target: Target, route: Route
) -> None:
    """Numbers and booleans that are none, whatever they look like instead."""
    for name, info in fields(route.query).items():
        for value in QUERY_VALUES:
            _, good, body = target.valid(route)
            answer = await target.refuses_or_does(route, body, query=_with(good, name, value))
            if answer.status == bad_of(route):
                assert names(answer, name), f"{name}={value[:40]!r}: {answer.message}"
            elif value == b"text":
                kinds = _plain_kinds(info.type)
                assert "str" in kinds, f"{name}=text was taken for one of {kinds}"


def _with(query: str, name: str, value: bytes) -> bytes:
    kept = [part for part in query.split("&") if part and not part.startswith(f"{name}=")]
    return "&".join(kept).encode() + (b"&" if kept else b"") + name.encode() + b"=" + value


def _plain_kinds(type_: Any) -> set[str]:
    info = inspect.type_info(type_)
    options = info.types if isinstance(info, inspect.UnionType) else (info,)
    return {type(option).__name__.removesuffix("Type").lower() for option in options}


@pytest.mark.parametrize("query", [b"%FF=x", b"x=%FF", b"\xff", b"x=\xc3\xa9", b"%C3=%28"])
async def test_a_query_that_is_not_utf8_is_refused(target: Target, query: bytes) -> None:
    """Bytes that are no text are not guessed at."""
    answer = await target.program.send("GET", "/api/v2/threads", query=query, key=ALPHA_KEY)
    assert answer.status == 400
    assert "query" in answer.message


@pytest.mark.parametrize(
    "query",
    [b"unknown=1", b"pageNumber=1&pageNumber=1", b"&&&", b"=", b"=1", b"?", b"a;b", b"#", b"a=b=c"],
)
async def test_unknown_and_odd_query_parts_are_ignored(target: Target, query: bytes) -> None:
    """What nobody asked for is not looked at."""
    answer = await target.program.send("GET", "/api/v2/users-ordered", query=query, key=ALPHA_KEY)
    assert answer.status == 200
    assert answer.json()["total_count"] == 2


# ---------------------------------------------------------------- hostile text

TEXTS = {
    "nul": "a\0b",
    "emoji": "😀🏴‍☠️",
    "right to left": "\u202egnp.exe",
    "line separator": "a\u2028b\u2029c",
    "control": "a\x01\x1b[31mb\x7f",
    "newline": "a\nb",
    "markup": "[/bold]<script>alert(1)</script>",
    "sql": "'; DROP TABLE episodes; --",
    "format": "%s %d {0} {{}} $(id) `id`",
    "noncharacter": "\uffff\U0010ffff",
    "combining": "e" + "\u0301" * 500,
    "blank": " \t\n ",
    "500": "x" * 500,
    "long": "x" * 200_000,
    "long words": "wort " * 40_000,
}


def hostile(type_: Any) -> Iterator[tuple[str, Any]]:
    """Every kind of text as this type can carry it."""
    for kind, text in TEXTS.items():
        if fits("text", type_):
            yield kind, text
        elif fits(["text"], type_):
            yield kind, [text]
        elif fits({"a": 1}, type_):
            yield from ((kind, {"a": text}), (kind, {text: 1}))


@pytest.mark.parametrize("route", WITH_BODY, ids=name_of)
async def test_hostile_text_in_any_field_is_kept_or_refused(target: Target, route: Route) -> None:
    """Text of every kind in every text field: stored as it is or refused by name, never half."""
    for place, type_ in places_of(route):
        for kind, value in hostile(type_):
            _, _, good = target.valid(route)
            answer = await target.refuses_or_does(route, put(good, place, value, route))
            if answer.status == bad_of(route):
                assert names(answer, *place), f"{place} {kind}: {answer.message[:300]}"
            if kind == "nul":
                assert answer.status == bad_of(route), f"{place}: {answer}"


MALFORMED = {
    "a tail": b"{} x",
    "cut off": b'{"a": ',
    "no quotes": b"{a: 1}",
    "single quotes": b"{'a': 1}",
    "comment": b"{} // x",
    "trailing comma": b'{"a": 1,}',
    "nan": b'{"metadata": {"a": NaN}}',
    "infinity": b'{"a": Infinity}',
    "minus infinity": b'{"a": -Infinity}',
    "two documents": b"{}{}",
    "utf-16": '{"user_id": "a"}'.encode("utf-16"),
    "byte order mark": b"\xef\xbb\xbf{}",
    "form": b"user_id=a&x=y",
    "nothing but space": b"   ",
    "nul": b"\0",
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
    "only a bracket": b"{" * 100_000,
}
BAD_TEXT = {
    "raw nul": b"a\0b",
    "raw control": b"a\x01b",
    "raw newline": b"a\nb",
    "bad utf-8": b"a\xffb",
    "overlong utf-8": b"\xc0\xaf",
    "surrogate as utf-8": b"\xed\xa0\x80",
    "high surrogate": b"\\ud800",
    "low surrogate": b"\\udc00",
    "surrogate in the middle": b"a\\ud800b and some more text",
    "swapped surrogates": b"\\udc00\\ud800",
    "bad escape": b"\\x41",
    "cut escape": b"\\u12",
    "escaped nul": b"a\\u0000b",
}


@pytest.mark.parametrize("route", WITH_BODY, ids=name_of)
async def test_a_body_that_is_not_json_is_refused(target: Target, route: Route) -> None:
    """Bytes that are no JSON document say so."""
    for kind, raw in MALFORMED.items():
        answer = await target.refuses_or_does(route, raw)
        assert answer.status == bad_of(route), f"{kind}: {answer}"


@pytest.mark.parametrize("route", WITH_BODY, ids=name_of)
async def test_text_that_is_no_text_is_refused(target: Target, route: Route) -> None:
    """Bytes that are not UTF-8, half characters and NUL never reach the store, in any field."""
    for place, type_ in places_of(route):
        if not fits("text", type_):
            continue
        for kind, raw in BAD_TEXT.items():
            body = put(target.valid(route)[2], place, "@@", route)
            answer = await target.refuses_or_does(
                route, json.dumps(body).encode().replace(b"@@", raw)
            )
            assert answer.status == bad_of(route), f"{place} {kind}: {answer}"
    for raw in BAD_TEXT.values():
        # In a field nobody reads it may be overlooked.
        await target.refuses_or_does(route, b'{"unknown": "%s"}' % raw)


@pytest.mark.parametrize("route", WITH_BODY, ids=name_of)
async def test_an_empty_body_is_an_empty_object(target: Target, route: Route) -> None:
    """No body and `{}` are the same request."""
    before = await target.refuses_or_does(route, b"{}")
    after = await target.refuses_or_does(route, b"")
    assert before.status == after.status


@pytest.mark.parametrize("route", WITH_BODY, ids=name_of)
async def test_unknown_fields_are_ignored_or_named(target: Target, route: Route) -> None:
    """A newer client of another product may say more than we know; on our own routes, and in what
    is configured, a word that we do not know is a mistake, and named."""
    known = await target.refuses_or_does(route, target.valid(route)[2])
    unknown = {"unknown": {"a": [1, 2]}, "": 1, "__class__": "x", "constructor": None}
    again = target.valid(route)[2]
    items = again if isinstance(again, list) else [again]
    more = [{**unknown, **item} if isinstance(item, dict) else item for item in items]
    answer = await target.refuses_or_does(route, more if isinstance(again, list) else more[0])
    if route.path.startswith("/api/v1/") or route.action == "memory.defaults.set":
        assert known.status != 200 or answer.status == bad_of(route), answer
        return
    # What was changed or deleted the first time may be refused for that the second time.
    assert answer.status in {known.status, bad_of(route), 404, 409}, answer
    assert "unknown" not in answer.body.decode() or known.status != 200


@pytest.mark.parametrize("route", WITH_BODY, ids=name_of)
async def test_of_duplicate_keys_the_last_one_counts(target: Target, route: Route) -> None:
    """A key given twice is not an error of ours, whatever comes first."""
    _, _, good = target.valid(route)
    if not isinstance(good, dict):
        return
    encoded = json.dumps(good)
    doubled = ("{" + ", ".join(f"{json.dumps(k)}: 7" for k in good) + ", " + encoded[1:]).encode()
    if not good:
        return
    answer = await target.refuses_or_does(route, doubled)
    # A decoder may refuse the first of the two for its type; then it names it.
    if answer.status == bad_of(route):
        assert any(name in answer.message for name in good), answer.message


@pytest.mark.parametrize("depth", [JSON_DEPTH_MAX - 2, JSON_DEPTH_MAX + 1, 1_000, 100_000])
@pytest.mark.parametrize("shape", [(b'{"a":', b"}"), (b"[", b"]")])
@pytest.mark.parametrize("field", ["metadata", "unknown"])
async def test_deep_nesting_is_refused_and_shallow_is_kept(
    target: Target, depth: int, shape: tuple[bytes, bytes], field: str
) -> None:
    """What is kept has a bound that is said; what nobody reads is skipped while it can be."""
    opening, closing = shape
    inner = opening * depth + b"1" + closing * depth
    if field == "metadata":
        inner = b'{"x": ' + inner + b"}"
    body = b'{"user_id": "deep", "%s": %s}' % (field.encode(), inner)
    path = "/api/v2/users"
    before = target.program.writes()
    answer = await target.program.send("POST", path, body, key=ALPHA_KEY)
    skipped = field == "unknown" and depth < 1_000
    if depth > JSON_DEPTH_MAX and not skipped:
        assert answer.status == 400, answer
        assert "nested" in answer.message
        assert target.program.writes() == before
    else:
        assert answer.status == 200, answer


@pytest.mark.parametrize("digits", [19, 20, 40, 400, 4_000, 5_000, 100_000])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v2/users", b'{"user_id": "big", "metadata": {"n": %s}}'),
        ("/api/v2/users", b'{"user_id": "big", "unknown": %s}'),
        ("/api/v2/graph/node/user/shared-user", b'{"limit": %s}'),
        (
            "/api/v2/graph",
            b'{"graph_id": "shared-graph", "type": "text", "data": "x", "metadata": {"n": %s}}',
        ),
    ],
)
async def test_huge_integers_are_kept_or_refused(
    target: Target, path: str, body: bytes, digits: int
) -> None:
    """A number that no column holds is refused; one that is accepted comes back the same."""
    before = target.program.writes()
    answer = await target.program.send("POST", path, body % (b"9" * digits), key=ALPHA_KEY)
    assert answer.status in {200, 400}, answer
    if answer.status == 400:
        assert answer.message
        assert target.program.writes() == before
    elif path != "/api/v2/graph/node/user/shared-user" and "metadata" in body.decode():
        again = answer.json()["metadata"]["n"]
        assert again == int("9" * digits)


@pytest.mark.parametrize(
    "cursor",
    [
        ["uuid/desc", 10**25, "x"],
        ["uuid/desc", -(10**25), "x"],
        ["uuid/desc", 1.5, "x"],
        ["uuid/desc", None, None],
        ["uuid/desc"],
        ["uuid/desc", "a\0b", "x"],
        ["; DROP TABLE facts", "x", "x"],
        {"order": "uuid/desc"},
        [],
        "x",
    ],
)
async def test_a_forged_cursor_is_refused_or_harmless(target: Target, cursor: Any) -> None:
    """A cursor is opaque, not secret: whatever is put into it, the answer is no fault of ours."""
    text = base64.urlsafe_b64encode(json.dumps(cursor).encode()).decode()
    for noun in ("node", "edge", "episodes"):
        path = f"/api/v2/graph/{noun}/user/shared-user"
        answer = await target.program.send("POST", path, {"cursor": text}, key=ALPHA_KEY)
        assert answer.status in {200, 400}, (noun, answer)
        if answer.status == 400:
            assert "cursor" in answer.message


@pytest.mark.parametrize("cursor", ["x", "====", "%%%", "é", "a" * 100_000, "😀", "_"])
async def test_a_cursor_that_is_no_cursor_is_refused(target: Target, cursor: str) -> None:
    """Text that we never gave out is named as such."""
    path = "/api/v2/graph/node/user/shared-user"
    answer = await target.program.send("POST", path, {"cursor": cursor}, key=ALPHA_KEY)
    assert answer.status == 400
    assert "cursor" in answer.message


# ---------------------------------------------------------------- ids

GOOD_IDS = ["a", "a b", "user@example.com", "üñí", "😀", "日本語", "a:b", "a..b", "...", "~", "-", "x" * 256,
            "a+b", "a&b=c", "a;b", "null", "0", "search", "create", "end", "node", "[a]", "{a}"]  # fmt: skip
BAD_IDS = ["", ".", "..", "../", "../../etc/passwd", "a/b", "/", "\\", "a?b", "a#b", "%2F", "a%00b", "a\0b",
           "a\nb", "a\x7f", " a", "a ", "\u2028", "\x85", "x" * 257, "x" * 500, "x" * 100_000]  # fmt: skip


@pytest.mark.parametrize("path", CREATING)
async def test_an_id_that_no_path_can_hold_is_refused_by_name(target: Target, path: str) -> None:
    """An id that could be written and then never addressed is refused when it is made."""
    field = CREATING[path]
    for bad in BAD_IDS:
        before = target.program.writes()
        body = {"user_id": "shared-user", field: bad}
        answer = await target.program.send("POST", path, body, key=ALPHA_KEY)
        assert answer.status == 400, f"{bad[:40]!r}: {answer}"
        assert field in answer.message, f"{bad[:40]!r}: {answer.message[:200]}"
        assert len(answer.body) < ID_CHARS_MAX + 500, "the refusal repeats the whole id"
        assert target.program.writes() == before


@pytest.mark.parametrize("path", ["/api/v2/users", "/api/v2/groups", "/api/v2/sessions"])
async def test_an_odd_id_that_was_accepted_can_be_addressed(target: Target, path: str) -> None:
    """What was made under an id is found and deleted under it, escaped as a path wants it."""
    field = CREATING[path]
    for good in GOOD_IDS:
        body = {"user_id": "shared-user", field: good}
        made = await target.program.send("POST", path, body, key=ALPHA_KEY)
        assert made.status == 200, f"{good!r}: {made}"
        where = f"{path}/{quote(good, safe='')}"
        found = await target.program.send("GET", where, key=ALPHA_KEY)
        assert found.status == 200, f"{good!r}: {found}"
        assert found.json()[field] == good
        gone = f"{where}/memory" if path.endswith("sessions") else where
        assert (await target.program.send("DELETE", gone, key=ALPHA_KEY)).status == 200, good
        assert (await target.program.send("GET", where, key=ALPHA_KEY)).status == 404, good


HOSTILE_PARTS = [b".", b"..", b"%2e%2e", b"a%2Fb", b"%00", b"%0A", b"%FF", b"%C3%28", b"%", b"%zz", b"%F0%9F%98%80",
                 b"a;b", b"a,b", b"*", b"~", b"'", b"%27--", b"x" * 500, b"x" * 60_000, b"..%5c", b"\xff", b"\xc3\xa9",
                 b"a%23b", b"a%3Fb", b"+", b"%20", b"{user_id}", b"-1", b"0", b"9" * 18, b"9" * 19, b"%D9%A1"]  # fmt: skip


def looks_up(route: Route) -> bool:
    """Whether a route's path names things that exist, rather than one it makes."""
    return bool(parameters(route)) and (route.method, route.path) != (
        "POST",
        "/api/v2/collections/{collection_name}",
    )


@pytest.mark.parametrize("route", [r for r in ROUTES if looks_up(r)], ids=name_of)
async def test_a_hostile_path_finds_nothing_and_harms_nothing(target: Target, route: Route) -> None:
    """Every path parameter with everything that can stand in a path."""
    _, query, body = target.valid(route)
    for part in HOSTILE_PARTS:
        raw = route.path.encode()
        for name in parameters(route):
            raw = raw.replace(b"{" + name.encode() + b"}", part)
        before = target.program.writes()
        answer = await target.program.send(route.method, raw, body, query=query, key=ALPHA_KEY)
        empty = "documents" in route.path and answer.status == 200
        operators = "{project_name}" in route.path and answer.status == 403
        assert answer.status in {400, bad_of(route), 404, NOT_OFFERED} or empty or operators, (
            f"{part[:40]!r}: {answer}"
        )
        assert empty or answer.message
        assert target.program.writes() == before, part[:40]


ODD_PATHS = [b"", b"//", b"*", b"/api", b"/api/", b"/api/v2", b"/api/v2/", b"/api/v2//users/shared-user",
             b"//api/v2/users/shared-user", b"/api/v2/users/", b"/api/v2/users/shared-user/", b"/api/v2/users/shared-user//",
             b"/API/V2/users/shared-user", b"/api/v2/users/shared-user/../shared-user", b"/api/v2/./users/shared-user",
             b"/api/v2/users%2Fshared-user", b"/api/v3/users/shared-user", b"/docs/../health", b"/docs/%2e%2e", b"/docs/",
             b"/docs/..%2f..%2fetc%2fpasswd", b"/health/", b"/api/v2/users/shared-user;x", b"\\api\\v2", b"/%", b"/\xff"]  # fmt: skip


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_an_odd_path_is_no_route_and_never_redirects(target: Target, method: str) -> None:
    """Slashes are not tidied up: a path is a route or it is not found."""
    for path in ODD_PATHS:
        answer = await target.program.send(method, path, key=ALPHA_KEY)
        assert answer.status in {400, 404, 405}, (path, answer)
        assert answer.header("location") is None, path
        assert answer.message


@pytest.mark.parametrize(
    "method", ["PUT", "OPTIONS", "TRACE", "CONNECT", "BREW", "get", "", "G\u00c9T"]
)
async def test_an_unknown_method_is_refused(target: Target, method: str) -> None:
    """A path that exists names the methods it has; one that does not is not found."""
    answer = await target.program.send(method, "/api/v2/users/shared-user", key=ALPHA_KEY)
    assert answer.status == 405
    assert "GET" in answer.message
    allow = answer.header("allow")
    assert allow is not None, "405 says which methods are allowed (RFC 9110, 15.5.6)"
    assert {"GET", "PATCH", "DELETE"} <= {word.strip() for word in allow.split(",")}
    assert (await target.program.send(method, "/api/v2/nowhere", key=ALPHA_KEY)).status == 404


async def test_head_answers_like_get(target: Target) -> None:
    """HEAD is GET for whoever only wants to know."""
    assert (await target.program.send("HEAD", "/health")).status == 200
    path = "/api/v2/users/shared-user"
    assert (await target.program.send("HEAD", path, key=ALPHA_KEY)).status == 200
    assert (await target.program.send("HEAD", "/api/v2/users/nobody", key=ALPHA_KEY)).status == 404
    assert (await target.program.send("HEAD", path, anonymous=True)).status == 401


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "PATCH"])
async def test_a_body_beyond_the_bound_is_refused_however_it_is_sent(
    target: Target, method: str
) -> None:
    """By its length before it is read, by its size while it is."""
    before = target.program.writes()
    path = "/api/v2/users" if method == "POST" else "/api/v2/users/shared-user"
    for size in (str(BODY_BYTES_MAX + 1), "9" * 18, "9" * 5_000):
        answer = await target.program.send(
            method, path, [b"{}"], headers=[("content-length", size)], key=ALPHA_KEY
        )
        assert answer.status == 413, answer
        assert "body" in answer.message
    megabyte = b" " * (1024 * 1024)
    chunks = [megabyte] * (BODY_BYTES_MAX // len(megabyte)) + [b"{}"]
    answer = await target.program.send(method, path, chunks, key=ALPHA_KEY)
    assert answer.status == 413, answer
    assert "body" in answer.message
    assert target.program.writes() == before


async def test_a_body_at_the_bound_is_read(target: Target) -> None:
    """The bound itself is still allowed."""
    said = b'{"user_id": "new-one"}'
    body = said + b" " * (BODY_BYTES_MAX - len(said))
    assert (await target.program.send("POST", "/api/v2/users", body, key=ALPHA_KEY)).status == 200


@pytest.mark.parametrize("count", [31, 1_000, 50_000])
async def test_too_many_messages_are_refused_whole(target: Target, count: int) -> None:
    """None of them is stored when there are too many."""
    before = target.program.writes()
    messages = [{"role": "user", "content": "x"}] * count
    path = "/api/v2/threads/shared-thread/messages"
    answer = await target.program.send("POST", path, {"messages": messages}, key=ALPHA_KEY)
    assert answer.status == 400
    assert "messages" in answer.message
    assert target.program.writes() == before


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_one_bad_message_among_good_ones_refuses_the_call(target: Target, place: int) -> None:
    """A call is stored whole or not at all, and the refusal says which message it was."""
    before = target.program.writes()
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"good {n}"} for n in range(3)]
    messages[place]["content"] = "  "
    path = "/api/v2/threads/shared-thread/messages"
    answer = await target.program.send("POST", path, {"messages": messages}, key=ALPHA_KEY)
    assert answer.status == 400
    assert f"messages[{place}].content" in answer.message
    assert target.program.writes() == before


@pytest.mark.parametrize(
    "moment",
    ["yesterday", "2024-13-01T00:00:00Z", "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "", "1700000000",
     "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2024-02-30", "\uff12\uff10\uff12\uff14-01-01", "x" * 10_000],
)  # fmt: skip
async def test_a_time_that_is_none_is_refused_by_name(target: Target, moment: str) -> None:
    """Times that do not exist or do not fit are refused; none of them becomes now."""
    before = target.program.writes()
    body = {"graph_id": "shared-graph", "type": "text", "data": "x", "created_at": moment}
    answer = await target.program.send("POST", "/api/v2/graph", body, key=ALPHA_KEY)
    assert answer.status in {200, 400}, answer
    if answer.status == 400:
        assert "created_at" in answer.message
        assert target.program.writes() == before
    else:
        assert answer.json()["created_at"].startswith("2024-01-01"), answer


async def test_a_client_that_goes_away_leaves_nothing(target: Target) -> None:
    """A request that was cut off is not a request."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(event: MutableMapping[str, Any]) -> None:
        sent.append(event)

    before = target.program.writes()
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v2/users",
        "raw_path": b"/api/v2/users",
        "query_string": b"",
        "headers": [(b"authorization", f"Api-Key {ALPHA_KEY}".encode())],
    }
    await target.program.app(scope, receive, send)
    assert sent == []
    assert target.program.writes() == before


# ---------------------------------------------------------------- on the wire


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The real program, for what only exists on a wire."""
    with Server(tmp_path_factory.mktemp("hostile") / "data") as running:
        yield running


@pytest.fixture
async def wire(server: Server) -> AsyncIterator[Connection]:
    """A connection to it."""
    connection = await Connection.open(server.port)
    yield connection
    await connection.close()


async def alive(server: Server) -> bool:
    """Whether the program still answers on a new connection."""
    connection = await Connection.open(server.port)
    try:
        return (await connection.request("GET", "/ready")).status == 200
    finally:
        await connection.close()


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("body", [b"{}", b'{"a": 1}', b"not json", b"x" * 300_000])
async def test_a_body_on_get_or_delete_is_drained_and_the_connection_reused(
    server: Server, wire: Connection, method: str, body: bytes
) -> None:
    """Older clients send bodies everywhere; the next request on the connection is not spoilt."""
    for _ in range(3):
        answer = await wire.request(method, "/api/v2/users/nobody", body, key=server.api_key)
        assert answer.status == 404
        assert answer.json()["message"]
    follow = await wire.request("GET", "/api/v2/projects/info", key=server.api_key)
    assert follow.status == 200


async def test_a_refused_body_does_not_spoil_the_connection(
    server: Server, wire: Connection
) -> None:
    """After a 401, a 404 and a 405 with a body nobody read, the connection goes on."""
    large = b'{"a": "' + b"x" * 200_000 + b'"}'
    assert (await wire.request("POST", "/api/v2/users", large)).status == 401
    assert (await wire.request("POST", "/nowhere", large, key=server.api_key)).status == 404
    assert (await wire.request("PUT", "/api/v2/users", large, key=server.api_key)).status == 405
    answer = await wire.request("GET", "/api/v2/projects/info", key=server.api_key)
    assert answer.status == 200


async def test_a_body_that_says_it_is_too_large_is_refused_unread(
    server: Server, wire: Connection
) -> None:
    """413 comes before the body does."""
    head = (
        f"POST /api/v2/users HTTP/1.1\r\nHost: x\r\nAuthorization: Api-Key {server.api_key}\r\n"
        f"Content-Length: {BODY_BYTES_MAX + 1}\r\n\r\n"
    )
    answer = await asyncio.wait_for(wire.send(head.encode()), 10)
    assert answer.status == 413
    assert set(answer.json()) == {"message", "request_id"}
    assert await alive(server)


async def test_a_body_that_grows_too_large_in_chunks_is_refused(
    server: Server, wire: Connection
) -> None:
    """A chunked body has no length to tell; it is cut at the bound."""
    wire.writer.write(
        f"POST /api/v2/users HTTP/1.1\r\nHost: x\r\nAuthorization: Api-Key {server.api_key}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n".encode()
    )
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    try:
        for _ in range(BODY_BYTES_MAX // 0x100000 + 2):
            wire.writer.write(chunk)
            await wire.writer.drain()
        wire.writer.write(b"0\r\n\r\n")
        await wire.writer.drain()
    except OSError:
        pass  # the server may stop listening once it has refused
    answer = await asyncio.wait_for(wire.read(), 10)
    assert answer.status == 413
    assert set(answer.json()) == {"message", "request_id"}
    assert await alive(server)


async def test_a_small_chunked_body_is_read(server: Server, wire: Connection) -> None:
    """Chunks are only another way of sending."""
    raw = (
        f"POST /api/v2/users HTTP/1.1\r\nHost: x\r\nAuthorization: Api-Key {server.api_key}\r\n"
        'Transfer-Encoding: chunked\r\n\r\n5\r\n{"use\r\n16\r\nr_id": "in-some-chunks\r\n2\r\n"}\r\n0\r\n\r\n'
    )
    answer = await wire.send(raw.encode())
    assert answer.status == 200, answer


@pytest.mark.parametrize("scheme", ["api-key", "API-KEY", "bearer", "Bearer"])
async def test_a_scheme_in_any_case_is_taken_on_the_wire(
    server: Server, wire: Connection, scheme: str
) -> None:
    """One generation writes `Api-Key`, another `Bearer`."""
    authorization = (("authorization", f"{scheme} {server.api_key}"),)
    assert (await wire.request("GET", "/api/v2/projects/info", headers=authorization)).status == 200


async def test_head_sends_no_body_on_the_wire(server: Server, wire: Connection) -> None:
    """And the connection can be used again."""
    for path, status in (("/health", 200), ("/api/v2/users/nobody", 404)):
        answer = await wire.request("HEAD", path, key=server.api_key)
        assert answer.status == status
    assert (await wire.request("GET", "/health")).status == 200


@pytest.mark.parametrize(
    "raw",
    [
        b"GET http://127.0.0.1/health HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 30_000 + b"\r\n\r\n",
        b"GET /health?" + b"a" * 15_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /health HTTP/1.0\r\n\r\n",
        b"GET /health#part HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
    ],
)
async def test_odd_but_valid_http_is_served(wire: Connection, raw: bytes) -> None:
    """What HTTP allows, however odd, works."""
    assert (await asyncio.wait_for(wire.send(raw), 10)).status == 200


@pytest.mark.parametrize(
    "raw",
    [
        b"\r\n\r\n\r\n",
        b"hello\r\n\r\n",
        b"BREW /health HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET health HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /api/v2/users/\xff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /he alth HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /health HTTP/9.9\r\nHost: x\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\nBad Header: x\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n",
        b"POST /api/v2/users HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/v2/users HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
        b"POST /api/v2/users HTTP/1.1\r\nHost: x\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"POST /api/v2/users HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
        b"POST /api/v2/users HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /api/v2/users HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\0" * 100,
    ],
)
async def test_broken_http_is_refused_and_the_server_lives(
    server: Server, wire: Connection, raw: bytes
) -> None:
    """Bytes that are no request get a 4xx or a closed door, and nobody else notices."""
    try:
        wire.writer.write(raw)
        await wire.writer.drain()
        wire.writer.write_eof()
        answer = await asyncio.wait_for(wire.read(), 10)
        assert 400 <= answer.status < 500, answer
    except (ConnectionEnded, OSError):
        pass
    assert await alive(server)
    assert "Traceback" not in server.log_tail()


async def test_a_body_that_stops_halfway_leaves_the_server_alone(server: Server) -> None:
    """A client that goes away in the middle of its body is forgotten."""
    connection = await Connection.open(server.port)
    connection.writer.write(
        f"POST /api/v2/users HTTP/1.1\r\nHost: x\r\nAuthorization: Api-Key {server.api_key}\r\n"
        'Content-Length: 100\r\n\r\n{"user_id": "half'.encode()
    )
    await connection.writer.drain()
    await connection.close()
    assert await alive(server)
    assert "request.crashed" not in server.log.read_text()
