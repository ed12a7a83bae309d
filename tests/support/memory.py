"""The application in this process, with extraction: calls under `/api/v2`; episodes are read at once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from recollect.asgi import route_table
from recollect.governance import keys, policies
from recollect.graph import policy_spec
from recollect.graph.policy import Mode, Role
from recollect.store.protocol import Transaction
from tests.support import here
from tests.support.asgi import Answer, Program, program

GRAPH = "g"
Json = dict[str, Any]


class Memory:
    """A graph `g` and a user `ann`, and calls that check the expected status."""

    def __init__(self, running: Program) -> None:
        self.running = running

    async def send(
        self, status: int, method: str, path: str, body: Any = b"", *, key: str | None = None
    ) -> Answer:
        """Send a request; returns the whole response."""
        answer = await self.running.send(method, "/api/v2" + path, body, key=key)
        assert answer.status == status, (answer.status, answer.body)
        return answer

    async def get(self, path: str, *, key: str | None = None) -> Any:
        """The response of a read."""
        return (await self.send(200, "GET", path, key=key)).json()

    async def post(self, path: str, body: Any, *, key: str | None = None) -> Any:
        """The response of a write, or of a read with a body."""
        return (await self.send(200, "POST", path, body, key=key)).json()

    async def delete(self, path: str) -> None:
        """Delete something; this must succeed."""
        await self.send(200, "DELETE", path)

    async def refused(self, path: str, body: Any, *, method: str = "POST") -> str:
        """The error message for a bad request."""
        return (await self.send(400, method, path, body)).message

    async def learn(self) -> None:
        """Read all episodes that were added so far."""
        await here.learn(self.running.services.store)

    async def tell(self, text: str, metadata: Json | None = None, **fields: Any) -> str:
        """Add an episode to the graph and read it at once; returns its uuid."""
        body = {"graph_id": GRAPH, "type": "text", "data": text, "metadata": metadata, **fields}
        made = await self.post("/graph", {k: v for k, v in body.items() if v is not None})
        await self.learn()
        return str(made["uuid"])

    async def say(self, thread: str, *messages: Json, **fields: Any) -> list[str]:
        """Add messages to a thread of ann's and read them at once; returns their uuids."""
        said = [{"role": "user", "name": "Ann Lee", **message} for message in messages]
        answer = await self.post(f"/threads/{thread}/messages", {"messages": said, **fields})
        await self.learn()
        return list(answer["message_uuids"])

    async def thread(self, name: str) -> None:
        """Create a thread of ann's."""
        await self.post("/threads", {"thread_id": name, "user_id": "ann"})

    async def triple(self, **fields: Any) -> None:
        """Add a fact directly and process it at once."""
        await self.post("/graph/add-fact-triple", {"graph_id": GRAPH, **fields})
        await self.learn()

    async def key(
        self,
        *rules: Json,
        role: Role = "default_deny",
        mode: Mode = "enforce",
        set_mode: Mode = "enforce",
        subset_match: bool = False,
    ) -> str:
        """Create a key with one policy set of these rules; returns its secret."""
        actions = {route.action for route in route_table()}
        named = [{"id": f"r{n}", "type": "authorization", **rule} for n, rule in enumerate(rules)]
        of_set: Json = {"mode": set_mode, "subset_match": subset_match}

        def make(tx: Transaction) -> str:
            project = keys.project_named(tx, keys.DEFAULT_PROJECT)
            made = keys.create_key(tx, project.name, "scoped", role=role, mode=mode)
            of_set.update(name=f"of key {made.key.uuid}", spec={"policies": named})
            document = policy_spec.check({"policy_set": of_set}, actions)
            found = policies.apply(tx, project.id, document)
            policies.attach(tx, project.id, made.key.uuid, found.name)
            return made.secret

        return await self.running.services.store.write(make)

    async def listed(self, noun: str, where: str = f"graph/{GRAPH}", **body: Any) -> list[Json]:
        """List the edges, nodes, episodes, observations or summaries of the graph."""
        found: list[Json] = await self.post(f"/graph/{noun}/{where}", body)
        return found

    async def edge(self, sentence: str, where: str = f"graph/{GRAPH}") -> Json:
        """The only edge with this sentence."""
        (found,) = [one for one in await self.listed("edge", where) if one["fact"] == sentence]
        return found

    async def node(self, name: str, where: str = f"graph/{GRAPH}") -> Json:
        """The only node with this name."""
        (found,) = [one for one in await self.listed("node", where) if one["name"] == name]
        return found


@asynccontextmanager
async def remembering(folder: Path) -> AsyncIterator[Memory]:
    """The application on a new folder, with the graph and the user in it."""
    async with program(folder) as running:
        made = Memory(running)
        await made.post("/graph/create", {"graph_id": GRAPH})
        await made.post("/users", {"user_id": "ann", "first_name": "Ann", "last_name": "Lee"})
        await made.learn()
        yield made
