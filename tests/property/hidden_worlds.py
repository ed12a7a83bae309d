"""A store that goes through a story step by step; each step determines its time and ids.

Two worlds that take the same step give its results the same ids and times, whatever other steps one of
them has taken before.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from recollect.asgi import route_table
from recollect.governance import keys, policies
from recollect.graph import policy_spec
from recollect.store.protocol import Transaction
from tests.property.hidden_policies import Policy
from tests.property.hidden_reader import WordsReader
from tests.support import here
from tests.support.asgi import Answer, Program, program

START = datetime(2025, 3, 1, tzinfo=UTC)
READING = START + timedelta(days=400)
KEYS_FROM = 100_000  # the first step number for creating keys
IDS_PER_STEP = 1_000
SEQ_PER_STEP = 20
Json = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """Requests of one moment; their content is learned before the next step."""

    number: int
    requests: tuple[tuple[str, str, Any], ...]
    topic: int | None = None  # None: the step is never hidden


class StepIds:
    """Ids that count up from a number that the step sets."""

    def __init__(self) -> None:
        self.next = 0

    def __call__(self) -> str:
        self.next += 1
        return f"00000000-0000-7000-8000-{self.next:012d}"


class StepClock:
    """A clock that stands still at the time of the step."""

    def __init__(self) -> None:
        self.moment = START

    def __call__(self) -> datetime:
        return self.moment


@dataclass
class World:
    """A running program, with control over its clock and ids."""

    running: Program
    clock: StepClock
    ids: StepIds
    made: dict[str, Any] = field(default_factory=dict)

    async def take(self, step: Step, key: str | None = None) -> list[Answer]:
        """Take one step with this key; returns the responses."""
        self._set(step.number)
        answers = []
        for method, path, body in step.requests:
            whole = path if path.startswith("/api/") else f"/api/v2{path}"
            where, _, query = whole.format(**self.made).partition("?")
            answer = await self.running.send(method, where, body, query=query, key=key)
            assert answer.status in (200, 201, 202, 204), (step, path, answer.body)
            self._keep(path.partition("?")[0], answer.json() if answer.body else None)
            answers.append(answer)
        await here.learn(self.running.services.store, WordsReader())
        return answers

    def _set(self, number: int) -> None:
        self.clock.moment = START + timedelta(days=number)
        self.ids.next = number * IDS_PER_STEP
        self.running.execute("UPDATE graphs SET last_seq = ?", number * SEQ_PER_STEP)

    def _keep(self, path: str, answer: Any) -> None:
        """Keep the ids that later requests need."""
        if path == "/batches":
            self.made["batch"] = answer["batch_id"]
        elif path == "/user-groups":
            self.made["user_group"] = answer["uuid"]
        elif path == "/users":
            self.made["project"] = answer["project_uuid"]
            self.made["user"] = answer["uuid"]

    def park(self) -> None:
        """Park the jobs of some episodes, and let others wait for a second reading, alike in all worlds."""
        self.running.execute(
            "UPDATE jobs SET status = 'parked', error = 'broken', completed_at = created_at"
            " WHERE id IN (SELECT id FROM episodes WHERE uuid LIKE '%2')"
        )
        self.running.execute(
            "INSERT INTO rereadings (episode_id, graph_id, reader, status, reason, ready_at,"
            " created_at) SELECT id, graph_id, 'agent',"
            " CASE WHEN uuid LIKE '%1' THEN 'parked' ELSE 'waiting' END, 'wanted', created_at,"
            " created_at FROM episodes WHERE uuid LIKE '%1' OR uuid LIKE '%3'"
        )

    async def key(self, policy: Policy, number: int = 0, *, settled: bool = True) -> str:
        """Create a key with this policy; returns its secret.

        *settled*: the second readings and folds that the policy causes are done.
        """
        self._set(KEYS_FROM + number)

        def make(tx: Transaction) -> str:
            project = keys.project_named(tx, keys.DEFAULT_PROJECT)
            made = keys.create_key(tx, project.name, "governed", role=policy.role, mode=policy.mode)
            for document in policy.documents(f"of {made.key.uuid}"):
                checked = policy_spec.check(document, ACTIONS)
                found = policies.apply(tx, project.id, checked)
                policies.attach(tx, project.id, made.key.uuid, found.name)
            return made.secret

        secret = await self.running.services.store.write(make)
        if settled:
            await self.settle()
        return secret

    async def settle(self) -> None:
        """Do all pending second readings and folds."""
        await here.read_over(self.running.services.store, WordsReader())
        await here.learn(self.running.services.store, WordsReader())

    async def ask(self, request: "Asked", key: str | None = None) -> Answer:
        """Send one request, at a time after all steps."""
        self.clock.moment = READING
        path = request.path
        return await self.running.send(
            request.method, path, request.body, query=request.query, key=key
        )


ACTIONS = frozenset(route.action for route in route_table())


@dataclass(frozen=True)
class Asked:
    """A request on a route."""

    route: str  # method and path with its parameters' names
    method: str
    path: str
    query: str = ""
    body: Any = b""

    def __str__(self) -> str:
        return f"{self.method} {self.path}?{self.query} {self.body}"


@asynccontextmanager
async def world(folder: Path, steps: Iterable[Step]) -> AsyncIterator[World]:
    """A world that has taken these steps."""
    clock, ids = StepClock(), StepIds()
    async with program(folder, clock=clock, ids=ids) as running:
        made = World(running, clock, ids)
        for step in steps:
            await made.take(step)
        made.park()
        # The first search of a collection computes the vectors of its documents.
        await running.send("POST", "/api/v2/collections/shelf/search", {"text": "papers"})
        yield made
