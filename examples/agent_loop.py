# ruff: noqa: T201 - an example prints
"""An agent with a tool, an interrupt and a resume, on nothing but `recollect.session_log`.

    .venv/bin/python examples/agent_loop.py [folder]

The model is scripted, so that the example runs anywhere; put a function that asks a real one in its
place. Sessions are kept in the folder, or in a temporary one.
"""

import asyncio
import sys
import tempfile
from typing import Any

from recollect.session_log import (
    Agent,
    Answer,
    FileStorage,
    Moment,
    Plugin,
    Request,
    Tool,
    TurnAborted,
    handoff,
)


def say(text: str) -> dict[str, str]:
    """A message of the model."""
    return {"type": "message", "role": "assistant", "content": text}


class ScriptedModel:
    """Looks at the last item and answers by rule, as a real model would by thought."""

    def __init__(self) -> None:
        self.waiting = asyncio.Event()

    async def __call__(self, request: Request) -> Answer:
        """One step: say something, or call a tool."""
        last = request.input[-1]
        usage = {"inputTokens": 20 * len(request.input), "outputTokens": 8}
        usage["totalTokens"] = sum(usage.values())
        if last["type"] == "function_call_output":
            return Answer([say(f"It is {last['output']} in Lisbon.")], usage)
        if "weather" in last["content"]:
            call = {"type": "function_call", "call_id": "c1", "name": "weather"}
            return Answer([{**call, "arguments": '{"place": "Lisbon"}'}], usage)
        if "novel" in last["content"]:
            self.waiting.set()
            await asyncio.sleep(3600)  # a long answer, which the user will not wait for
        if any("<interrupt>" in str(item.get("content")) for item in request.input):
            return Answer([say("You stopped me. What shall I do instead?")], usage)
        return Answer([say("Hello.")], usage)


async def weather(arguments: dict[str, Any]) -> str:
    """The tool."""
    return {"Lisbon": "sunny"}.get(arguments["place"], "unknown")


def place(moment: Moment) -> str:
    """Added to the instructions of every call, stored never."""
    return f"The user is in {moment.context['place']}."


def make_agent(folder: str) -> tuple[Agent, ScriptedModel]:
    """An agent as after a start of the program."""
    model = ScriptedModel()
    agent = Agent(
        "guide",
        model,
        instructions="Be brief.",
        tools=[Tool("weather", weather, "The weather at a place.")],
        plugins=[Plugin("place", extend_instructions=place)],
        context={"place": "Lisbon"},
        storages=[FileStorage(folder)],
        context_length=8_000,
        max_output_tokens=1_000,
    )
    return agent, model


async def main(folder: str) -> None:
    """A tool call, an interrupt, a restart, and a handoff."""
    agent, model = make_agent(folder)
    session = agent.session("lisbon")
    answer = await session.run("How is the weather?")
    print("assistant:", answer.items[-1]["content"])

    run = session.run("Write a novel about it.")
    await model.waiting.wait()
    await session.interrupt("the user pressed escape")
    try:
        await run
    except TurnAborted as stopped:
        print("stopped:", stopped.reason)

    agent, _ = make_agent(folder)  # the program starts again: the session is found where it was
    session = agent.session("lisbon")
    answer = await session.run("Go on.")
    print("assistant:", answer.items[-1]["content"])

    await session.append(lambda log: handoff(log, "weather known", {"summary": "Lisbon: sunny."}))
    print("the log:")
    for episode in session.log.read(from_id=0):
        what = episode.reason or episode.event or episode.item["type"]
        print(f"  {episode.id:2} {episode.type:8} {episode.meta.source:7} {what}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(main(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            asyncio.run(main(temporary))
