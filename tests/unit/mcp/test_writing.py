"""What the writing tools ask of the routes."""

from pathlib import Path

import msgspec
import pytest

from recollect.graph.types import Json
from recollect.mcp.write_tools import ADD_MEMORY
from tests.support.memory import remembering


def asked(**arguments: str) -> Json:
    """The body that `add_memory` sends."""
    body: Json = msgspec.json.decode(ADD_MEMORY.request(arguments).body)
    return body


@pytest.mark.parametrize(
    ("arguments", "kind", "data"),
    [
        ({"graph_id": "g"}, "text", "I like jazz."),
        ({"user_id": "ann", "type": "text"}, "text", "I like jazz."),
        ({"user_id": "ann", "type": "message"}, "message", "I like jazz."),
    ],
)
def test_only_what_goes_to_a_user_is_taken_as_said_by_them(
    arguments: dict[str, str], kind: str, data: str
) -> None:
    """Whoever gives a type means it; a shared graph is nobody."""
    body = asked(content="I like jazz.", **arguments)
    assert (body["type"], body["data"]) == (kind, data)


async def test_what_a_user_says_is_learned_about_them(tmp_path: Path) -> None:
    """An agent that notes "I like jazz" for a user means that user."""
    async with remembering(tmp_path) as memory:
        await memory.thread("t1")
        await memory.post("/graph", asked(user_id="ann", content="I like jazz."))
        await memory.learn()
        facts = [one["fact"] for one in await memory.post("/graph/edge/user/ann", {"limit": 50})]
    assert "Ann Lee likes jazz" in facts
