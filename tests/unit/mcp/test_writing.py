"""What the writing tools put into a memory."""

from pathlib import Path

import pytest

from recollect.graph.types import Json
from recollect.mcp import actions
from recollect.mcp.write_tools import ADD_MEMORY
from tests.support.memory import remembering
from tests.unit.mcp.test_tools import asked


async def added(**arguments: str) -> Json:
    """The data that `add_memory` adds to a graph."""
    action, _, fields = await asked(ADD_MEMORY, **arguments)
    assert action is actions.ADD_DATA
    return fields


@pytest.mark.parametrize(
    ("arguments", "kind", "data"),
    [
        ({"graph_id": "g"}, "text", "I like jazz."),
        ({"user_id": "ann", "type": "text"}, "text", "I like jazz."),
        ({"user_id": "ann", "type": "message"}, "message", "I like jazz."),
    ],
)
async def test_only_what_goes_to_a_user_is_taken_as_said_by_them(
    arguments: dict[str, str], kind: str, data: str
) -> None:
    """Whoever gives a type means it; a shared graph is nobody."""
    fields = await added(content="I like jazz.", **arguments)
    assert (fields["type"], fields["data"]) == (kind, data)


async def test_what_a_user_says_is_learned_about_them(tmp_path: Path) -> None:
    """An agent that notes "I like jazz" for a user means that user."""
    async with remembering(tmp_path) as memory:
        await memory.thread("t1")
        await memory.post("/graph", await added(user_id="ann", content="I like jazz."))
        await memory.learn()
        facts = [one["fact"] for one in await memory.post("/graph/edge/user/ann", {"limit": 50})]
    assert "Ann Lee likes jazz" in facts
