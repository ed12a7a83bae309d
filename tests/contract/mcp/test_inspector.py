"""The inspector of the protocol's authors, at its command line, over both transports."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.contract.mcp.story import USER, Story
from tests.contract.sdk.environments import NodeUnavailable, client_environment, inspector_command
from tests.support.server import program, program_environment

pytestmark = pytest.mark.sdk
LIST = ("--method", "tools/list")
CALL = ("--method", "tools/call", "--tool-name", "get_user_edges")
ARGUMENTS = ("--tool-arg", f"user_id={USER}", "limit=1")


def inspect(*words: str) -> Any:
    """What the inspector printed."""
    try:
        inspector = inspector_command()
    except NodeUnavailable as reason:
        pytest.skip(str(reason))
    done = subprocess.run(
        [*inspector, *words],
        cwd=Path(inspector[-1]).parent,
        env={**client_environment(), **program_environment()},
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
    assert len(inspect(*where, *LIST)["tools"]) == 13
    answer = inspect(*where, *CALL, *ARGUMENTS)
    (content,) = answer["content"]
    (edge,) = json.loads(content["text"])
    assert answer["structuredContent"] == {"result": [edge]}
    assert edge["edge_type"] == edge["name"]
