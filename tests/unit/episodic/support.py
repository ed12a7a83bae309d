"""Small things the tests of the episodic library share."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any

from recollect.session_log import Answer, Episode, Event, Request


def message(content: str, role: str = "user") -> dict[str, Any]:
    """A message item."""
    return {"type": "message", "role": role, "content": content}


def call(call_id: str, name: str = "look", arguments: str = "{}") -> dict[str, Any]:
    """A tool call."""
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}


def output(call_id: str, text: Any = "done") -> dict[str, Any]:
    """The output of a tool call."""
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def usage(tokens: int) -> dict[str, int]:
    """What a model counted."""
    return {"inputTokens": tokens, "outputTokens": 1, "totalTokens": tokens + 1}


def contents(episodes: list[Episode]) -> list[Any]:
    """What the messages among the episodes say."""
    return [one.item["content"] for one in episodes if one.type == "item"]


def counting(prefix: str = "turn") -> Callable[[], str]:
    """Turn ids turn-1, turn-2, ..."""
    numbers = count(1)
    return lambda: f"{prefix}-{next(numbers)}"


class Scripted:
    """A model that says what it was told to, one answer per call; a function is called with the
    request.
    """

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []

    async def __call__(self, request: Request) -> Any:
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else "nothing more to say"
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            answer = answer(request)
            return await answer if asyncio.iscoroutine(answer) else answer
        return answer


class Ear:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def types(self, turn_id: str | None = None) -> list[str]:
        """The types heard, of one turn or all."""
        return [one.type for one in self.events if turn_id in (None, one.turn_id)]


async def gather_soon(*steps: int) -> None:
    """Let the loop go round a few times."""
    for _ in range(steps[0] if steps else 10):
        await asyncio.sleep(0)


ANSWER = Answer([message("hello", "assistant")], usage(10))
