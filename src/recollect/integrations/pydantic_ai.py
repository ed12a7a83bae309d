"""A toolset for Pydantic AI: the extra `pydantic-ai`.

async with Memory.open("my-memory") as memory:
    agent = Agent("openai:gpt-5", toolsets=[memory_toolset(memory, user="ann")])
"""

from typing import Any

from pydantic_ai.toolsets import FunctionToolset

from recollect.integrations.reach import ADD, SEARCH, Reach, recall, remember
from recollect.library.memory import Memory
from recollect.library.sync_memory import SyncMemory
from recollect.limits import SEARCH_LIMIT_DEFAULT


def memory_toolset(
    memory: Memory | SyncMemory, *, user: str | None = None, graph: str | None = None
) -> FunctionToolset[Any]:
    """Tools `search_memory` and `add_memory` on the memory of one user or graph."""
    reach = Reach(memory)

    async def search_memory(query: str, limit: int = SEARCH_LIMIT_DEFAULT) -> str:
        return await reach.ask(recall(reach.memory, query, limit, user=user, graph=graph))

    async def add_memory(content: str) -> str:
        return await reach.ask(remember(reach.memory, content, user=user, graph=graph))

    made: FunctionToolset[Any] = FunctionToolset()
    made.add_function(search_memory, name="search_memory", description=SEARCH)
    made.add_function(add_memory, name="add_memory", description=ADD)
    return made
