"""The inspector of the protocol's authors, at its command line, over both transports."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.contract.mcp.story import USER, Story
from tests.contract.mcp.test_tools import CONTRACT, calls
from tests.contract.sdk.environments import NodeUnavailable, client_environment, inspector_command
from tests.support.server import program, program_environment

pytestmark = pytest.mark.sdk
LIST = ("--method", "tools/list")
CALL = ("--method", "tools/call", "--tool-name", "get_user_edges")
ARGUMENTS = ("--tool-arg", f"user_id={USER}", "limit=1")


def inspect(story: Story, *words: str) -> Any:
    """What the inspector printed."""
    try:
        inspector = inspector_command()
    except NodeUnavailable as reason:
        pytest.skip(str(reason))
    done = subprocess.run(
        [*inspector, *words],
        cwd=Path(inspector[-1]).parent,
        env={**client_environment(), **program_environment(story.server.data)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def way(story: Story, transport: str) -> tuple[str, ...]:
    """The words that tell the inspector where the tools are."""
    if transport == "stdio":
        return tuple(program("mcp", "--data", str(story.server.data)))
    key = f"Authorization: Api-Key {story.server.api_key}"
    return (f"{story.server.url}/mcp", "--transport", "http", "--header", key)


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_lists_and_calls_the_tools(story: Story, transport: str) -> None:
    where = way(story, transport)
    assert len(inspect(story, *where, *LIST)["tools"]) == (20 if transport == "stdio" else 14)
    answer = inspect(story, *where, *CALL, *ARGUMENTS)
    (content,) = answer["content"]
    (edge,) = answer["structuredContent"]["result"]
    if transport == "http":  # at a desk a model is told in lines
        assert json.loads(content["text"]) == [edge]
    assert edge["edge_type"] == edge["name"]


def as_words(arguments: dict[str, Any]) -> list[str]:
    """Arguments as the inspector takes them: texts as they are, anything else as JSON."""
    return [
        f"{name}={given if isinstance(given, str) else json.dumps(given)}"
        for name, given in arguments.items()
    ]


@pytest.mark.long
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_calls_every_tool(story: Story, transport: str) -> None:
    """Structured and text content agree. A process for each call makes this slow."""
    where, called = way(story, transport), set()
    for tool, arguments, *_ in calls(story):
        words = ("--method", "tools/call", "--tool-name", tool, "--tool-arg", *as_words(arguments))
        answer = inspect(story, *where, *words)
        assert not answer.get("isError"), (tool, answer)
        (content,) = answer["content"]
        told, structured = json.loads(content["text"]), answer["structuredContent"]
        assert structured == ({"result": told} if isinstance(told, list) else told), tool
        called.add(tool)
    assert called == set(CONTRACT)
