"""A million requests that are wrong in some way, on every route, to the real program.

Each is made from the route table as the hostile-input tests make theirs, names things of the asking
project or of another one, and is then spoilt at random. No answer may be a fault of the server or tell a
word of the other project, and memory stays flat.

FUZZ_REQUESTS, FUZZ_SECONDS and FUZZ_SEED make it shorter, or the same again.
"""

import asyncio
import json
import os
import random
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from recollect.api.router import Nothing, Route
from recollect.asgi import route_table
from tests.api.test_hostile_input import (
    BAD_TEXT,
    HOSTILE_PARTS,
    MALFORMED,
    NOT_OFFERED,
    QUERY_VALUES,
    TEXTS,
    WRONG,
    places_of,
    put,
)
from tests.support.asgi import program
from tests.support.rawhttp import Answer, Connection, ConnectionEnded
from tests.support.server import Server
from tests.support.tenants import Asked, Tenant, fields, requests, rows_of, seed

REQUESTS = int(os.environ.get("FUZZ_REQUESTS", "1000000"))
SECONDS = float(os.environ.get("FUZZ_SECONDS", "7200"))
OWNERS = 50  # one after the other: what one has is soon deleted
LINES = 6
ANSWER_S_MAX = 30.0
LOOK_S = 0.02  # how long a stream is listened to
LARGE_ONE_IN = 500
GROWTH_BYTES_MAX = 96 * 1024 * 1024
OTHER = "victim"
# Whom a set of memories is of stands in its id, which we send.
OTHERS_WORDS = re.compile(f"{OTHER}-secret(?! user)".encode())
ROUTES = [route for route in route_table() if not route.path.startswith(("/guide", "/docs"))]
LARGE_CHARS = 1_000
ALL_TEXTS = list(TEXTS.values())
SMALL_TEXTS = [text for text in ALL_TEXTS if len(text) < LARGE_CHARS]
SMALL_BODIES = [text for text in MALFORMED.values() if len(text) < LARGE_CHARS]
SMALL_VALUES = [text for text in QUERY_VALUES if len(text) < LARGE_CHARS]
SMALL_PARTS = [text for text in HOSTILE_PARTS if len(text) < LARGE_CHARS]
NO_TEXTS = [b'"' + text + b'"' for text in BAD_TEXT.values()]
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"]
LETTERS = "ab Z0'\"%_-\\/.,;:{}[]<>&=?#\n\t\u00e9e\u0301\u202e\u200b\u2028\ufeff\U0001f600\uffff\u0130\u00df"
HEADERS = [
    ("Content-Type", "text/plain"),
    ("Content-Type", "application/json; charset=utf-16"),
    ("Content-Encoding", "gzip"),
    ("Accept", "application/xml"),
    ("Accept-Encoding", "br;q=nan"),
    ("Range", "bytes=0-1"),
    ("If-None-Match", "*"),
    ("Last-Event-ID", "-1"),
    ("Idempotency-Key", "the same"),
    ("Idempotency-Key", "\u00e9" * 300),
    ("X-Request-Id", "a\tb"),
    ("X-HTTP-Method-Override", "DELETE"),
    ("X-Forwarded-For", "::1"),
    ("Authorization", "Bearer x"),
]


@dataclass(frozen=True)
class Sent:
    """A request as it goes over the wire."""

    route: Route
    method: str
    path: bytes
    query: bytes
    body: Any
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def target(self) -> bytes:
        """Path and query."""
        return self.path + (b"?" + self.query if self.query else b"")


def _text(dice: random.Random) -> str:
    if dice.randrange(LARGE_ONE_IN) == 0:
        return dice.choice(ALL_TEXTS)
    if dice.random() < 0.5:
        return dice.choice(SMALL_TEXTS)
    return "".join(dice.choices(LETTERS, k=dice.randrange(40)))


def _value(dice: random.Random) -> Any:
    return _text(dice) if dice.random() < 0.4 else dice.choice(WRONG)


def _spoil_field(one: Sent, dice: random.Random) -> Sent:
    places = places_of(one.route) if one.route.body not in (Nothing, bytes) else []
    if not places or not isinstance(one.body, dict | list):
        return replace(one, body=_value(dice))
    place, _ = dice.choice(places)
    try:
        return replace(one, body=put(one.body, place, _value(dice), one.route))
    except (TypeError, LookupError):  # what leads there is spoilt already
        return one


def _leave_out(one: Sent, dice: random.Random) -> Sent:
    if not isinstance(one.body, dict) or not one.body:
        return one
    gone = dice.choice(sorted(one.body))
    return replace(one, body={key: item for key, item in one.body.items() if key != gone})


def _raw(one: Sent) -> bytes:
    return one.body if isinstance(one.body, bytes) else json.dumps(one.body).encode()


def _break_bytes(one: Sent, dice: random.Random) -> Sent:
    raw = bytearray(_raw(one) or b"{}")
    for _ in range(dice.randrange(1, 4)):
        raw[dice.randrange(len(raw))] = dice.randrange(256)
    cut = bytes(raw[: dice.randrange(len(raw))])
    no_text = _raw(one).replace(b'"hello"', dice.choice(NO_TEXTS))
    return replace(one, body=dice.choice([bytes(raw), cut, no_text, dice.choice(SMALL_BODIES)]))


def _spoil_query(one: Sent, dice: random.Random) -> Sent:
    known = [name.encode() for name in fields(one.route.query)] or [b"limit", b"cursor"]
    more = dice.choice(known) + b"=" + dice.choice(SMALL_VALUES)
    return replace(one, query=one.query + b"&" + more if one.query else more)


def _spoil_path(one: Sent, dice: random.Random) -> Sent:
    parts = one.path.split(b"/")
    parts[dice.randrange(1, len(parts))] = dice.choice(SMALL_PARTS)
    return replace(one, path=b"/".join(parts))


def _spoil_method(one: Sent, dice: random.Random) -> Sent:
    return replace(one, method=dice.choice(METHODS))


def _add_headers(one: Sent, dice: random.Random) -> Sent:
    return replace(one, headers=tuple(dice.sample(HEADERS, dice.randrange(1, 3))))


def _leave(one: Sent, _: random.Random) -> Sent:
    return one


SPOILING: list[Callable[[Sent, random.Random], Sent]] = [
    *[_spoil_field] * 5,
    _leave_out,
    _break_bytes,
    *[_spoil_query] * 2,
    _spoil_path,
    _spoil_method,
    _add_headers,
    _leave,
]


class Requests:
    """Requests without end: of an owner's own things and of another project's."""

    def __init__(self, owner: Tenant, other: Tenant, dice: random.Random) -> None:
        self._dice = dice
        self._made: dict[tuple[int, bool], list[Asked]] = {}
        self._tenants = {False: owner, True: other}
        self._project = owner.values["project_uuid"]

    def next(self) -> Sent:
        """One more."""
        dice = self._dice
        number, foreign = dice.randrange(len(ROUTES)), dice.random() < 0.4
        route = ROUTES[number]
        asked = dice.choice(self._asked(number, foreign=foreign))
        body = b"" if route.body in (Nothing, bytes) else asked.body
        one = Sent(route, route.method, asked.path.encode(), asked.query.encode(), body)
        for _ in range(dice.choice([1, 1, 2])):
            one = dice.choice(SPOILING)(one, dice)
        return one

    def _asked(self, number: int, *, foreign: bool) -> list[Asked]:
        if (number, foreign) not in self._made:
            of, route = self._tenants[foreign], ROUTES[number]
            self._made[number, foreign] = [
                asked
                for shared in (False, True)
                for asked in requests(
                    route, of, shared_path=shared, shared_body=shared, project=self._project
                )
            ]
        return self._made[number, foreign]


@dataclass
class Tally:
    """What came back, and what should not have."""

    limit: int
    until: float
    sent: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def more(self) -> bool:
        """Whether there is anything left to send; counts it."""
        if self.sent >= self.limit or time.monotonic() > self.until or len(self.wrong) > 20:
            return False
        self.sent += 1
        return True

    def note(self, one: Sent, answer: Answer) -> None:
        """Hold an answer against what no answer may be."""
        self.statuses[answer.status] += 1
        told = answer.body + repr(answer.headers).encode()
        if OTHERS_WORDS.search(told):
            self.blame(one, f"tells another project's words: {told[:300]!r}")
        if answer.status >= 500 and answer.status != NOT_OFFERED:
            self.blame(one, f"{answer.status} {answer.body[:300]!r}")

    def blame(self, one: Sent, what: str) -> None:
        """Keep what went wrong, with what was asked."""
        self.wrong.append(f"{one.method} {one.target!r} {_raw(one)[:300]!r}: {what}")


async def _send(line: Connection, one: Sent, key: str) -> Answer | None:
    """The answer, or None for a stream, which has no end."""
    streams = one.route.path.endswith("/stream")
    try:
        async with asyncio.timeout(LOOK_S if streams else ANSWER_S_MAX):
            return await line.request(
                one.method, one.target, _raw(one), key=key, headers=one.headers
            )
    except TimeoutError:
        if streams:
            return None
        raise


async def _ask_on(port: int, asking: Requests, key: str, tally: Tally) -> None:
    """One connection after the other, each for as long as the server keeps it."""
    line: Connection | None = None
    while tally.more():
        one = asking.next()
        fresh = line is None
        line = line or await Connection.open(port)
        answer = None
        try:
            answer = await _send(line, one, key)
        except TimeoutError:
            tally.blame(one, f"no answer within {ANSWER_S_MAX:.0f} s")
        except ConnectionEnded as ended:
            if fresh:
                tally.blame(one, f"no answer at all: {ended}")
        if answer is not None:
            tally.note(one, answer)
        if answer is None or answer.headers.get("connection") == "close":
            await line.close()
            line = None
    if line is not None:
        await line.close()


async def _seeded(folder: Path) -> tuple[Tenant, list[Tenant]]:
    async with program(folder) as running:
        other = await seed(running, OTHER, f"the-key-of-{OTHER}-project")
        owners = [
            await seed(running, f"own{n}", f"the-key-of-project-own-{n}") for n in range(OWNERS)
        ]
    return other, owners


async def _fuzz(server: Server, other: Tenant, owners: list[Tenant], dice: random.Random) -> None:
    process, began = psutil.Process(server.pid), time.monotonic()
    statuses: Counter[int] = Counter()
    sizes: list[int] = []
    sent = 0
    for number, owner in enumerate(owners, start=1):
        tally = Tally(limit=REQUESTS // OWNERS, until=began + SECONDS * number / OWNERS)
        asking = Requests(owner, other, dice)
        lines = [_ask_on(server.port, asking, owner.key, tally) for _ in range(LINES)]
        await asyncio.gather(*lines)
        assert server.running, server.log_tail()
        statuses += tally.statuses
        sent += tally.sent
        sizes.append(process.memory_info().rss)
        print(
            f"{sent} sent in {time.monotonic() - began:.0f} s, {sizes[-1] / 1e6:.0f} MB,"
            f" {process.num_fds()} descriptors, {dict(sorted(statuses.items()))}",
            flush=True,
        )
        assert not tally.wrong, "\n".join(tally.wrong)
    assert statuses[200] > sent / 20, "hardly anything got past the first check"
    assert max(sizes) - sizes[OWNERS // 4] < GROWTH_BYTES_MAX, [size // 1_000_000 for size in sizes]


@pytest.mark.long
async def test_a_million_spoilt_requests_are_answered_and_tell_nothing(tmp_path: Path) -> None:
    """Every answer is a success or a refusal, none tells of the other project, which stays as it was."""
    chosen = int(os.environ.get("FUZZ_SEED") or secrets.randbits(32))
    print(f"FUZZ_SEED={chosen}")
    data = tmp_path / "data"
    other, owners = await _seeded(data)
    with Server(data):
        pass  # a start ends what was left open
    before = rows_of(data, OTHER)
    with Server(data) as server:
        await _fuzz(server, other, owners, random.Random(chosen))  # noqa: S311
    assert rows_of(data, OTHER) == before
