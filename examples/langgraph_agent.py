# ruff: noqa: T201 - an example prints
"""A LangGraph agent with the memory as a tool: `pip install '.[langgraph]'` in the checkout.

    .venv/bin/python examples/langgraph_agent.py [folder]

The model is one that LangChain ships for tests and says what it was given; put any chat model with
`.bind_tools(tools)` in its place. Whose memory is searched is said in the configuration of the run,
so no model can choose it.
"""

import asyncio
import sys
import tempfile
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from recollect import Memory
from recollect.integrations.langgraph import memory_tools

SCRIPT = [
    AIMessage(
        "",
        tool_calls=[
            {"id": "1", "name": "search_memory", "args": {"query": "Where does Dora live?"}}
        ],
    ),
    AIMessage("You live in Porto."),
]


def agent(memory: Memory) -> Any:
    """A graph of two nodes: the model thinks, and the tools do what it asks for."""
    model = GenericFakeChatModel(messages=iter(SCRIPT))
    tools = memory_tools(memory)

    async def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("think", think)
    builder.add_node("tools", ToolNode(tools))
    builder.add_edge(START, "think")
    builder.add_conditional_edges("think", tools_condition)
    builder.add_edge("tools", "think")
    return builder.compile()


async def main(folder: str) -> None:
    """Tell the memory something, then let the agent find it."""
    async with Memory.open(folder) as memory:
        await memory.user("dora", first_name="Dora")
        await memory.add("I live in Porto.", user="dora", name="Dora")
        done = await agent(memory).ainvoke(
            {"messages": [HumanMessage("Where do I live?")]},
            config={"configurable": {"user_id": "dora"}},
        )
        for message in done["messages"]:
            print(f"{message.type}: {message.content}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(main(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            asyncio.run(main(made))
