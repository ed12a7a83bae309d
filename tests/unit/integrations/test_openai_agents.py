"""Tools for the OpenAI Agents SDK, called by its own runner with a scripted model."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, set_tracing_disabled
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from recollect import Memory
from recollect.integrations.openai_agents import memory_tools


class Scripted(Model):
    """Says one thing after the other, and keeps what it was asked."""

    def __init__(self, *outputs: Any) -> None:
        self.outputs = list(outputs)
        self.asked: list[Any] = []

    async def get_response(self, *given: Any, **more: Any) -> ModelResponse:
        """The next thing."""
        self.asked.append(given[1] if len(given) > 1 else more["input"])
        return ModelResponse(output=[self.outputs.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *given: Any, **more: Any) -> AsyncIterator[Any]:
        """Nobody streams here."""
        raise NotImplementedError


def call(name: str, arguments: str) -> ResponseFunctionToolCall:
    """A model that wants a tool."""
    return ResponseFunctionToolCall(
        type="function_call", name=name, arguments=arguments, call_id="1"
    )


def say(text: str) -> ResponseOutputMessage:
    """A model that answers."""
    content = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(
        id="1", type="message", role="assistant", status="completed", content=[content]
    )


@pytest.fixture(autouse=True)
def _no_tracing() -> None:
    """Nothing is sent anywhere."""
    set_tracing_disabled(True)


async def test_an_agent_asks_the_memory_and_answers(memory: Memory) -> None:
    """The model sees the fact that the tool found."""
    model = Scripted(call("search_memory", '{"query": "Where does Ann work?"}'), say("At Siemens."))
    agent = Agent(name="helper", model=model, tools=list(memory_tools(memory, user="ann")))
    done = await Runner.run(agent, "Where do I work?", run_config=RunConfig(tracing_disabled=True))
    assert done.final_output == "At Siemens."
    assert "Ann works at Siemens (since 2024-01-10)" in str(model.asked[-1])


async def test_an_agent_remembers(unread: Memory) -> None:
    """What it writes down is in the log."""
    model = Scripted(call("add_memory", '{"content": "Tea is at four."}'), say("Done."))
    agent = Agent(name="helper", model=model, tools=list(memory_tools(unread, graph="notes")))
    await Runner.run(agent, "Tea is at four.", run_config=RunConfig(tracing_disabled=True))
    assert "Remembered." in str(model.asked[-1])


def test_a_model_is_told_what_the_tools_want(unread: Memory) -> None:
    """Only what it can know: whose memory it is was decided before."""
    search, add = memory_tools(unread, user="ann")
    assert set(search.params_json_schema["properties"]) == {"query", "limit"}
    assert set(add.params_json_schema["properties"]) == {"content"}
    assert "remembered" in search.description
