"""One turn of an agent: ask the model, run the tools it calls, ask again until it calls none."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter, signature
from itertools import chain
from typing import Any

from recollect.session_log.anchors import HANDOFF_NOTE, overflow_handoff
from recollect.session_log.assembly import assemble
from recollect.session_log.episode import USAGE_EVENT
from recollect.session_log.errors import ContextOverflow
from recollect.session_log.plugins import Hook, Moment, Plugin, Tool, hooks, tools_by_name
from recollect.session_log.storage import settled
from recollect.session_log.turns import Turn

POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


class Caller:
    """Calls functions, each with as many of the arguments as it accepts.

    With *threads*, plain functions run in a worker thread, so that a slow one does not block the loop.
    """

    def __init__(self, *, threads: bool = False) -> None:
        self._threads = threads

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result, awaited if necessary."""
        arguments = _taken(function, arguments)
        if self._threads and not asyncio.iscoroutinefunction(function):
            return await settled(await asyncio.to_thread(function, *arguments))
        return await settled(function(*arguments))

    async def all(self, functions: Iterable[Callable[..., Any]], *arguments: Any) -> list[Any]:
        """Call them in order; the results that are not None."""
        results = [await self.call(function, *arguments) for function in functions]
        return [result for result in results if result is not None]

    async def first(self, functions: Iterable[Callable[..., Any]], *arguments: Any) -> Any:
        """Call them in order until a result is not None."""
        for function in functions:
            result = await self.call(function, *arguments)
            if result is not None:
                return result
        return None


def _taken(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """As many of the arguments as the function accepts."""
    try:
        kinds = [parameter.kind for parameter in signature(function).parameters.values()]
    except (TypeError, ValueError):  # some builtins have no signature
        return arguments
    if Parameter.VAR_POSITIONAL in kinds:
        return arguments
    return arguments[: sum(kind in POSITIONAL for kind in kinds)]


STEPS_MAX = 20
STEPS_EVENT = "turn.steps_exhausted"


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked: instructions, the assembled input, and the tools it may call."""

    instructions: str
    input: list[Any]
    tools: list[Tool]
    context: dict[str, Any]
    session_id: str
    turn_id: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, and the tokens it counted: inputTokens, outputTokens, totalTokens."""

    items: Sequence[Any]
    usage: Mapping[str, Any] | None = None

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The tool calls among the items."""
        return [
            item
            for item in self.items
            if isinstance(item, dict) and item.get("type") == "function_call"
        ]


@dataclass(frozen=True)
class Setup:
    """The parts of an agent that its turns need."""

    model: Callable[[Request], Any]
    instructions: str | Hook = ""
    tools: Sequence[Tool] = ()
    plugins: Sequence[Plugin] = ()
    context_length: float | None = None
    max_output_tokens: float = 0
    steps_max: int = STEPS_MAX
    summarise: Hook | None = None
    caller: Caller = field(default_factory=Caller)


class Runner:
    """The work of one turn."""

    def __init__(self, setup: Setup, turn: Turn, moment: Moment) -> None:
        self._setup, self._turn, self._moment = setup, turn, moment
        self._call = setup.caller
        self._shown_from = 0
        self._handed_off = False

    async def start(self) -> None:
        """Notify the plugins that a turn starts."""
        await self._call.all(self._hooks("on_turn_start"), self._moment)

    def _hooks(self, name: str) -> list[Hook]:
        return hooks(self._setup.plugins, name)

    async def respond(self, items: Iterable[Any]) -> Answer:
        """Append the input, then ask and run tools until the model calls none; the last answer."""
        self._turn.append_items(items, source="user")
        usage: Mapping[str, Any] | None = None
        answer = Answer([])
        for _ in range(self._setup.steps_max):
            answer = await self._step()
            usage = answer.usage or usage
            if not answer.calls:
                break
        else:
            self._turn.append_event(STEPS_EVENT, {"steps": self._setup.steps_max})
        if usage is not None:
            self._turn.append_event(USAGE_EVENT, usage)
        await self._call.all(self._hooks("on_finish"), self._moment, answer)
        return answer

    async def _step(self) -> Answer:
        tools = await self._tools()
        answer = await self._ask(tools)
        self._turn.append_items(answer.items, source="model")
        for call in answer.calls:
            output = await self._output(call, tools)
            item = {
                "type": "function_call_output",
                "call_id": call.get("call_id"),
                "output": output,
            }
            self._turn.append_items([item], source="tool")
        await self._call.all(self._hooks("on_step_finish"), self._moment, answer)
        self._turn.check()
        return answer

    async def _tools(self) -> dict[str, Tool]:
        more = await self._call.all(self._hooks("extend_tools"), self._moment)
        return tools_by_name(chain(self._setup.tools, *more))

    async def _ask(self, tools: Mapping[str, Tool]) -> Answer:
        """Ask the model; if its input does not fit, hand off and ask once more."""
        try:
            return await self._ask_once(tools)
        except ContextOverflow:
            if self._handed_off:
                raise
            self._handed_off = True
            await self._hand_off()
            return await self._ask_once(tools)

    async def _ask_once(self, tools: Mapping[str, Tool]) -> Answer:
        instructions = await self._instructions()
        items = await self._input()
        moment = self._moment
        request = Request(
            instructions,
            items,
            list(tools.values()),
            moment.context,
            moment.session_id,
            moment.turn_id,
        )
        return as_answer(await self._call.call(self._setup.model, request))

    async def _instructions(self) -> str:
        own = self._setup.instructions
        first = own if isinstance(own, str) else await self._call.call(own, self._moment)
        more = await self._call.all(self._hooks("extend_instructions"), self._moment)
        return "\n\n".join(text for text in (first, *more) if text)

    async def _input(self) -> list[Any]:
        extra = await self._call.all(self._hooks("extend_input"), self._moment)
        episodes = self._turn.log.episodes
        return assemble(
            episodes[self._shown_from :] if self._shown_from else episodes,
            extra=chain(*map(as_items, extra)),
            context_length=self._setup.context_length,
            max_output_tokens=self._setup.max_output_tokens,
            turn_id=self._turn.id,
        ).items

    async def _hand_off(self) -> None:
        """Exclude everything before this turn from model input, and record that in the log."""
        turn, content = self._turn, HANDOFF_NOTE
        if self._setup.summarise is not None:
            before = turn.log.episodes[: turn.forked_at]
            content = str(await self._call.call(self._setup.summarise, before))
        overflow_handoff(turn.log, content=content, turn_id=turn.id)
        self._shown_from = turn.forked_at

    async def _output(self, call: dict[str, Any], tools: Mapping[str, Tool]) -> str:
        """The output of a call.

        A mistake of the model is reported to it; an error in a tool fails the turn.
        """
        output = await self._call.first(self._hooks("pre_tool_call"), self._moment, call)
        if output is None:
            output = await self._run(call, tools)
        output = as_text(output)
        better = await self._call.first(self._hooks("post_tool_call"), self._moment, call, output)
        return output if better is None else as_text(better)

    async def _run(self, call: dict[str, Any], tools: Mapping[str, Tool]) -> Any:
        tool = tools.get(str(call.get("name")))
        if tool is None:
            return f"There is no tool named {call.get('name')}."
        arguments = call.get("arguments") or {}
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError):
                return "The arguments are not JSON."
        if not isinstance(arguments, dict):
            return "The arguments are not an object."
        return await self._call.call(tool.run, arguments)


def as_answer(said: Any) -> Answer:
    """A model may answer with an Answer, a text, one item, or several."""
    if isinstance(said, Answer):
        return said
    if isinstance(said, str):
        return Answer([{"type": "message", "role": "assistant", "content": said}])
    return Answer([said] if isinstance(said, dict) else list(said))


def as_items(said: Any) -> list[Any]:
    """Input may be a text, one item, or several."""
    if isinstance(said, str):
        return [{"type": "message", "role": "user", "content": said}]
    return [said] if isinstance(said, dict) else list(said)


def as_text(output: Any) -> str:
    """The output of a tool as shown to the model."""
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
