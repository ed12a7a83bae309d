"""LangChain tools and a LangGraph store over the memory: the extra `langgraph`.

async with Memory.open("my-memory") as memory:
    tools = memory_tools(memory, user="ann")
    graph = builder.compile(store=MemoryStore(memory))
"""

from collections.abc import Iterable
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from recollect.app import key_values
from recollect.errors import InvalidInput
from recollect.graph.acting import Target
from recollect.integrations.reach import ADD, SEARCH, Reach, recall, remember
from recollect.library.memory import Memory
from recollect.library.sync_memory import SyncMemory
from recollect.limits import SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX

_ESCAPED = frozenset("/\\?#%~.")
_ROOT = "store"
Namespace = tuple[str, ...]


def memory_tools(
    memory: Memory | SyncMemory, *, user: str | None = None, graph: str | None = None
) -> list[BaseTool]:
    """Tools `search_memory` and `add_memory` on the memory of one user or graph.

    Without either, the user is `user_id` in the configuration that the graph runs with. So one agent can
    serve many users, and the model does not choose whose memory it sees.
    """
    reach = Reach(memory)

    def whose(config: RunnableConfig) -> dict[str, str | None]:
        if user is not None or graph is not None:
            return {"user": user, "graph": graph}
        named = config.get("configurable", {}).get("user_id")
        if not isinstance(named, str) or not named:
            raise InvalidInput("user_id: say in the configuration whose memory is meant")
        return {"user": named, "graph": None}

    async def search_memory(
        query: str, config: RunnableConfig, limit: int = SEARCH_LIMIT_DEFAULT
    ) -> str:
        return await reach.ask(recall(reach.memory, query, limit, **whose(config)))

    def search_memory_now(
        query: str, config: RunnableConfig, limit: int = SEARCH_LIMIT_DEFAULT
    ) -> str:
        return reach.wait(recall(reach.memory, query, limit, **whose(config)))

    async def add_memory(content: str, config: RunnableConfig) -> str:
        return await reach.ask(remember(reach.memory, content, **whose(config)))

    def add_memory_now(content: str, config: RunnableConfig) -> str:
        return reach.wait(remember(reach.memory, content, **whose(config)))

    return [
        StructuredTool.from_function(
            search_memory_now, search_memory, name="search_memory", description=SEARCH
        ),
        StructuredTool.from_function(
            add_memory_now, add_memory, name="add_memory", description=ADD
        ),
    ]


class MemoryStore(BaseStore):
    """A LangGraph store whose values are remembered: searched by meaning, and learned from.

    A namespace is a graph, named by *root* and its labels joined with dots. With `index=False` a value is
    stored, but neither found nor learned from. A query takes the best hits of every namespace, and
    filters apply to those.
    """

    supports_ttl = False

    def __init__(self, memory: Memory | SyncMemory, *, root: str = _ROOT) -> None:
        self._reach = Reach(memory)
        self._root = root

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run the operations one after another, blocking."""
        return self._reach.wait(self._all(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run the operations one after another."""
        return await self._reach.ask(self._all(list(ops)))

    async def _all(self, ops: list[Op]) -> list[Result]:
        return [await self._one(op) for op in ops]

    async def _one(self, op: Op) -> Result:
        if isinstance(op, PutOp):
            await self._put(op)
            return None
        if isinstance(op, GetOp):
            return await self._get(op)
        if isinstance(op, SearchOp):
            return await self._search(op)
        if isinstance(op, ListNamespacesOp):
            return await self._namespaces(op)
        raise InvalidInput(f"{type(op).__name__}: this store does not know that operation")

    async def _put(self, op: PutOp) -> None:
        graph_id = self._graph_id(op.namespace)
        engine = self._reach.memory._engine
        if op.value is None:
            found = await engine.ask(key_values.one, graph_id, op.key)
            if found is not None:
                await self._reach.memory.forget(episode=found.uuid)
            return
        access = engine.acts("graph.add", Target("graph", graph_id, chosen=True))
        to_find = op.index is not False
        task = await engine.act(
            access, key_values.put, graph_id, op.key, dict(op.value), found=to_find
        )
        if task is not None:
            await engine.learned(task)

    async def _get(self, op: GetOp) -> Item | None:
        engine = self._reach.memory._engine
        found = await engine.ask(key_values.one, self._graph_id(op.namespace), op.key)
        return None if found is None else _item(Item, op.namespace, found)

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        scored: list[SearchItem] = []
        for graph_id in await self._graph_ids(op.namespace_prefix):
            namespace = self._namespace(graph_id)
            if op.query:
                found = await self._hits(graph_id, op.query)
            else:
                engine = self._reach.memory._engine
                found = [(one, None) for one in await engine.ask(key_values.of_graph, graph_id)]
            scored += [_item(SearchItem, namespace, one, score=score) for one, score in found]
        if op.query:
            scored.sort(key=lambda one: one.score or 0.0, reverse=True)
        kept = [one for one in scored if _passes(one.value, op.filter)]
        return kept[op.offset : op.offset + op.limit]

    async def _hits(
        self, graph_id: str, query: str
    ) -> list[tuple[key_values.StoredValue, float | None]]:
        memory = self._reach.memory
        found = await memory.search(query, graph=graph_id, kind="episodes", limit=SEARCH_LIMIT_MAX)
        scores = {one.uuid: one.score for one in found}
        kept = await memory._engine.ask(key_values.by_uuids, list(scores))
        return [(kept[uuid], score) for uuid, score in scores.items() if uuid in kept]

    async def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        found = [self._namespace(graph_id) for graph_id in await self._graph_ids(())]
        wanted = [
            namespace
            for namespace in found
            if all(_matches(namespace, one) for one in op.match_conditions or ())
        ]
        cut = sorted({namespace[: op.max_depth] for namespace in wanted})
        return cut[op.offset : op.offset + op.limit]

    async def _graph_ids(self, prefix: Namespace) -> list[str]:
        engine = self._reach.memory._engine
        return await engine.ask(key_values.graph_ids, self._graph_id(prefix))

    def _graph_id(self, namespace: Namespace) -> str:
        return ".".join([self._root, *map(_escaped, namespace)])

    def _namespace(self, graph_id: str) -> Namespace:
        labels = graph_id.removeprefix(self._root).split(".")[1:]
        return tuple(map(_unescaped, labels))


def _item(kind: Any, namespace: Namespace, found: key_values.StoredValue, **more: Any) -> Any:
    return kind(
        namespace=namespace,
        key=found.key,
        value=found.value,
        created_at=found.created_at,
        updated_at=found.updated_at,
        **more,
    )


def _escaped(label: str) -> str:
    """A label as part of a graph id, which may not contain every character."""
    return "".join(
        "".join(f"~{byte:02x}" for byte in character.encode())
        if character in _ESCAPED or character.isspace() or not character.isprintable()
        else character
        for character in label
    )


def _unescaped(label: str) -> str:
    first, *rest = label.split("~")
    whole = first.encode() + b"".join(bytes.fromhex(part[:2]) + part[2:].encode() for part in rest)
    return whole.decode()


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    """Whether a namespace starts or ends with a path, in which `*` matches any label."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = (
        namespace[: len(path)]
        if condition.match_type == "prefix"
        else namespace[len(namespace) - len(path) :]
    )
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))


def _passes(value: dict[str, Any], wanted: dict[str, Any] | None) -> bool:
    return all(_compares(value.get(name), test) for name, test in (wanted or {}).items())


def _compares(value: Any, test: Any) -> bool:
    """Whether a value passes a filter; a test is a value, or operators with operands.

    Of an object only the keys that the test names are compared, at every depth.
    """
    if isinstance(test, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(test)
            and all(_compares(one, wanted) for one, wanted in zip(value, test, strict=True))
        )
    if not isinstance(test, dict):
        return bool(value == test)
    if any(str(name).startswith("$") for name in test):
        return all(_holds(value, operator, operand) for operator, operand in test.items())
    return isinstance(value, dict) and _passes(value, test)


def _holds(value: Any, operator: str, operand: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool(value == operand) is (operator == "$eq")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise InvalidInput(f"filter: there is no operator {operator!r}")
    try:
        less, more = bool(value < operand), bool(value > operand)
    except TypeError:
        return False
    return {"$gt": more, "$gte": more or value == operand}.get(
        operator, less or (operator == "$lte" and value == operand)
    )
