"""The LangGraph tool of the published guide of generation 2 runs here as it is printed.

The guide is not part of this project: the test reads it where it lies beside it, and is skipped
elsewhere. `examples/langgraph_agent.py` shows the same with our own library.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.sdk.environments import PY2, ROOT, client_environment, driver_command
from tests.contract.sdk.requirements import requirement
from tests.support.server import EXTRACTION_ON, Server

GUIDE = ROOT.parent / "shared" / "guides" / "zep-v2-guide.md"
MARK = "from langgraph.prebuilt import ToolNode"
# The block uses `os` without importing it, and a state whose `user_name` names the user.
PROGRAM = """
import asyncio, json, os, sys
sys.path.append(sys.argv[1])
names = {"os": os, "__name__": "guide"}
exec(compile(sys.stdin.read(), "guide", "exec"), names)
zep, tool = names["zep"], names["search_facts"]

async def main():
    await zep.user.add(user_id="emily", first_name="Emily", last_name="Stone")
    await zep.graph.add(user_id="emily", type="text", data="Emily Stone lives in Porto.")
    found = []
    for _ in range(600):
        state = {"messages": [], "user_name": "emily"}
        found = await tool.coroutine(state, "Where does Emily live?")
        if any("Porto" in fact for fact in found):
            break
        await asyncio.sleep(0.1)
    bound = names["llm"].kwargs["tools"]
    print(json.dumps({
        "found": found,
        "node": list(names["tool_node"].tools_by_name),
        "bound": [one["function"]["name"] for one in bound],
    }))

asyncio.run(main())
"""


def printed() -> str:
    """The one block of the guide that makes a tool for LangGraph."""
    blocks = re.findall(r"```python[^\n]*\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    (found,) = [block for block in blocks if MARK in block]
    return str(found)


@pytest.mark.sdk
@requirement("v2:graph.search")
@pytest.mark.skipif(
    not GUIDE.is_file(), reason="the guide (../shared/guides) is not beside the project"
)
def test_the_tool_of_the_guide_finds_facts(tmp_path: Path) -> None:
    """With the released client of generation 2, against a server of ours."""
    python = Path(driver_command(PY2)[0])
    packages = next((python.parents[1] / "lib").glob("python*/site-packages"))
    with Server(tmp_path / "data", environment=EXTRACTION_ON) as server:
        environment = {
            **client_environment(),
            "ZEP_API_KEY": server.api_key,
            "ZEP_API_URL": server.url,
            "OPENAI_API_KEY": "never used",
            "LANGSMITH_TRACING": "false",
        }
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(packages)],
            input=printed(),
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert any("Porto" in fact for fact in told["found"])
    assert told["node"] == told["bound"] == ["search_facts"]
