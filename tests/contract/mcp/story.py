"""A user with a past, told to a server over HTTP, and keys that may see some of it."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from recollect.asgi import route_table
from recollect.governance import keys, policies
from recollect.graph import policy_spec
from recollect.store.protocol import Transaction
from tests.support.server import Server
from tests.support.stores import open_store

Json = dict[str, Any]
LEARNED_SECONDS_MAX = 60.0
USER = "ann"
THREAD = "ann's first talk"


@dataclass
class Story:
    """Where the story is kept, and the ids in it that tools are asked about."""

    server: Server
    node: str
    edge: str
    episode: str
    _keys: dict[str, str] = field(default_factory=dict)

    @classmethod
    def told(cls, server: Server) -> "Story":
        """Tell it, and wait until it is learned."""
        with server.http() as http:
            _sent(http, "/users", {"user_id": USER, "first_name": "Ann", "last_name": "Lee"})
            _sent(http, "/threads", {"thread_id": THREAD, "user_id": USER})
            said = {"role": "user", "name": "Ann Lee", "content": "I work at Acme Corporation."}
            path = f"/threads/{THREAD}/messages"
            (episode,) = _sent(http, path, {"messages": [said]})["message_uuids"]
            triple(http, USER, "Ann Lee owns a boat", "OWNS", "boat", area="private")
            wait_for(lambda: http.get(f"/graph/episodes/{episode}").json()["processed"])
            learned = http.get(f"/graph/episodes/{episode}/mentions").json()
            edge = next(one for one in learned["edges"] if "Acme" in one["fact"])
        return cls(server, edge["target_node_uuid"], edge["uuid"], episode)

    def key(self, name: str, **options: Any) -> str:
        """A key of that name with these options, made once."""
        if name not in self._keys:
            self._keys[name] = self._write(_make_key, name, (), options)
        return self._keys[name]

    def revoke(self, name: str) -> None:
        """Take a key back."""
        self._write(_revoke_key, self._keys.pop(name))

    def governed(self, name: str, *rules: Json, **options: Any) -> str:
        """A key that may do what these rules allow, and nothing else."""
        if name not in self._keys:
            options = {"role": "default_deny", **options}
            self._keys[name] = self._write(_make_key, name, rules, options)
        return self._keys[name]

    def _write(self, unit: Callable[..., str], *values: Any) -> str:
        """Change the store beside the running server, as the command line does, but sooner."""

        async def write() -> str:
            store = open_store(self.server.data, readers=1)
            try:
                return await store.write(unit, *values)
            finally:
                await store.close()

        with ThreadPoolExecutor(1) as pool:  # the test itself may be on a loop
            return pool.submit(asyncio.run, write()).result()

    @contextmanager
    def http(self, key: str | None = None) -> Iterator[httpx.Client]:
        """The HTTP API, for what a tool is compared with."""
        with self.server.http(key) as client:
            yield client


def _make_key(tx: Transaction, name: str, rules: Sequence[Json], options: Json) -> str:
    made = keys.create_key(tx, keys.DEFAULT_PROJECT, name, **options)
    if rules:
        named = [{"id": f"r{n}", "type": "authorization", **rule} for n, rule in enumerate(rules)]
        policy_set = {"name": name, "mode": "enforce", "spec": {"policies": named}}
        actions = {route.action for route in route_table()}
        document = policy_spec.check({"policy_set": policy_set}, actions)
        applied = policies.apply(tx, made.key.project_id, document)
        policies.attach(tx, made.key.project_id, made.key.uuid, applied.name)
    return made.secret


def _revoke_key(tx: Transaction, secret: str) -> str:
    access = keys.authenticate(tx, keys.hashed(secret))
    assert access is not None
    return keys.revoke_key(tx, access.key_uuid).uuid


def triple(http: httpx.Client, user: str, fact: str, name: str, target: str, **more: Any) -> Json:
    """A fact of a user, written down directly; its edge."""
    metadata = {"metadata": more} if more else {}
    body = {"user_id": user, "fact": fact, "fact_name": name, "target_node_name": target}
    _sent(http, "/graph/add-fact-triple", {"source_node_name": user, **body, **metadata})
    found: list[Json] = []

    def is_there() -> bool:
        edges = _sent(http, f"/graph/edge/user/{user}", {})
        found[:] = [edge for edge in edges if edge["fact"] == fact]
        return bool(found)

    wait_for(is_there)
    return found[0]


def wait_for(condition: Any) -> None:
    """Look until it holds."""
    deadline = time.monotonic() + LEARNED_SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.05)


def pretty(value: Any) -> str:
    """JSON as the text of a tool's result has it."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _sent(http: httpx.Client, path: str, body: Json) -> Any:
    return _ok(http.post(path, json=body)).json()


def _ok(answer: httpx.Response) -> httpx.Response:
    assert answer.is_success, answer.text
    return answer
