"""A toolset for Pydantic AI, called by its own agent with a scripted model."""

from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from recollect import Memory
from recollect.integrations.pydantic_ai import memory_toolset


def scripted(*parts: Any) -> tuple[FunctionModel, list[AgentInfo]]:
    """A model that says one thing after the other, and what it was offered."""
    left, offered = list(parts), []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        offered.append(info)
        return ModelResponse(parts=[left.pop(0)])

    return FunctionModel(answer), offered


async def test_an_agent_asks_the_memory_and_answers(memory: Memory) -> None:
    """The model sees the fact that the tool found, and may not choose whose memory it is."""
    model, offered = scripted(
        ToolCallPart("search_memory", {"query": "Where does Ann work?"}), TextPart("At Siemens.")
    )
    agent = Agent(model, toolsets=[memory_toolset(memory, user="ann")])
    done = await agent.run("Where do I work?")
    assert done.output == "At Siemens."
    assert "Ann works at Siemens (since 2024-01-10)" in str(done.all_messages())
    tools = {tool.name: tool for tool in offered[0].function_tools}
    assert set(tools) == {"search_memory", "add_memory"}
    schema = tools["search_memory"].parameters_json_schema
    assert set(schema["properties"]) == {"query", "limit"}


async def test_an_agent_remembers(unread: Memory) -> None:
    """What it writes down is in the log."""
    model, _ = scripted(ToolCallPart("add_memory", {"content": "Tea at four."}), TextPart("Done."))
    agent = Agent(model, toolsets=[memory_toolset(unread, graph="notes")])
    done = await agent.run("Tea is at four.")
    assert "Remembered." in str(done.all_messages())
