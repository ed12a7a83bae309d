"""Function tools for the OpenAI Agents SDK: the extra `openai-agents`.

async with Memory.open("my-memory") as memory:
    agent = Agent(name="helper", tools=memory_tools(memory, user="ann"))
"""

from agents import FunctionTool, function_tool

from recollect.integrations.reach import ADD, SEARCH, Reach, recall, remember
from recollect.library.memory import Memory
from recollect.library.sync_memory import SyncMemory
from recollect.limits import SEARCH_LIMIT_DEFAULT


def memory_tools(
    memory: Memory | SyncMemory, *, user: str | None = None, graph: str | None = None
) -> list[FunctionTool]:
    """Tools `search_memory` and `add_memory` on the memory of one user or graph."""
    reach = Reach(memory)

    @function_tool(description_override=SEARCH)
    async def search_memory(query: str, limit: int = SEARCH_LIMIT_DEFAULT) -> str:
        return await reach.ask(recall(reach.memory, query, limit, user=user, graph=graph))

    @function_tool(description_override=ADD)
    async def add_memory(content: str) -> str:
        return await reach.ask(remember(reach.memory, content, user=user, graph=graph))

    return [search_memory, add_memory]
