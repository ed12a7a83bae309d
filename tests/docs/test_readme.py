"""The README does what it prints: each block is taken out of it and run, in its order.

One server stands for `make run`, in a folder that stands for the one with the README in it, with
the installed program at its place there. Only what the README says to fill in is replaced: key and
address, the folder, the id of a fact.
"""

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

from recollect.settings import Settings
from tests.contract.sdk.environments import CLIENTS, JS3, PY4
from tests.docs.programs import blocks, replaced, said_with
from tests.docs.reference import ROOT
from tests.support.server import EXTRACTION_ON, Server, program_environment

pytestmark = pytest.mark.sdk

BLOCKS = blocks("README.md")
# Every block that the README prints, and so everything that is run here.
PRINTED = [
    ("Run it", ""),
    ("Python", "python"),
    ("TypeScript", "ts"),
    ("MCP", "json"),
    ("MCP", "json"),
    ("Library", "python"),
    ("Command line", "sh"),
]
KEY = "the key that make run printed"
ADDRESS = "http://127.0.0.1:8000"
HERE = "/path/to/recollect"
FACT = "FACT-ID"
# How it says that the program is called, in its folder.
ACTIVATE = ". .venv/bin/activate"
INTERPRETER = ".venv/bin/python -m asyncio"
ANNS_MOVE = "Ann moved to Lisbon in May 2024"


def printed(heading: str, number: int = 0) -> str:
    """The text of a block."""
    return [text for above, _, text in BLOCKS if above == heading][number]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """What `make run` leaves running: its data is where its folder has it by default."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / ".venv").symlink_to(sys.prefix)
    data = folder / "recollect-data"
    with Server(data, environment=EXTRACTION_ON, options=("--workers", "1")) as running:
        yield running


@pytest.fixture(scope="module")
def jane(server: Server) -> str:
    """What the Python example prints; the MCP clients ask for what it told the server."""
    return said_with(PY4, pointed_at(server, printed("Python")))


def pointed_at(server: Server, text: str) -> str:
    """A block with key and address of the server."""
    return replaced(text, **{KEY: server.api_key, ADDRESS: server.url})


def test_every_block_is_one_that_is_run_here() -> None:
    assert [(heading, language) for heading, language, _ in BLOCKS] == PRINTED


def test_the_ways_to_start_are_there() -> None:
    """Targets that the Makefile has, and the calls that the tests below make."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:^|`|… )make (\w+)", text, re.MULTILINE))
    assert targets == {"run", "test", "setup"}
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    assert f"`{ACTIVATE}`" in text
    assert f"`{INTERPRETER}`" in text


def test_the_python_client_recalls_facts_and_context(jane: str) -> None:
    facts, _, context = jane.partition("# ")
    shown = r"^LIVES_IN \| Jane Smith moved to Lisbon in May .*\| 20\d\d-05-01T00:00:00Z - now$"
    assert re.search(shown, facts, re.MULTILINE), "the line that the README quotes"
    assert "Olive" in facts
    assert re.search(r"^Jane Smith moved to Lisbon in May .*\.$", facts, re.MULTILINE), "the answer"
    assert "Jane Smith moved to Lisbon" in context


def test_every_install_line_names_what_was_tested() -> None:
    """A plain install gives whatever is newest; what is printed is what the suite drives."""
    pinned = {
        (CLIENTS / name / "requirements.in").read_text(encoding="utf-8").strip()
        for name in ("py2", "py3", "py4")
    }
    package = (CLIENTS / "js3" / "package.json").read_text(encoding="utf-8")
    version = json.loads(package)["dependencies"]["@getzep/zep-cloud"]
    for page in ("README.md", "docs/quickstart.md", "docs/howto/from-zep.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert set(re.findall(r'pip install "([^"]+)"', text)) <= pinned, page
        assert set(re.findall(r"npm install (\S+?)`", text)) <= {f"@getzep/zep-cloud@{version}"}, (
            page
        )
        assert "pip install zep" not in text


def test_the_typescript_client_recalls_context(server: Server) -> None:
    """Its types apart, it is a program for node."""
    assert "Tom works at Siemens" in said_with(JS3, pointed_at(server, printed("TypeScript")))


async def test_a_desktop_client_starts_the_command_and_finds_what_was_said(
    server: Server, jane: str
) -> None:
    configured = entry(replaced(printed("MCP", 0), **{HERE: str(server.data.parent)}))
    environment = program_environment(**EXTRACTION_ON)
    parameters = StdioServerParameters(env=environment, **configured)
    async with Client(parameters, mode="legacy") as client:
        assert await found_jane(client), "on one's own folder it may remember"
        await client.call_tool("add_memory", {"content": "I play the cello."})
        said = await client.call_tool("get_episodes", {})
        assert said.structured_content is not None
        assert said.structured_content["result"][0]["content"] == "user: I play the cello."


async def test_a_client_over_http_finds_what_was_said(server: Server, jane: str) -> None:
    configured = entry(pointed_at(server, printed("MCP", 1)))
    assert configured.pop("type") == "http"
    async with over_http(**configured) as client:
        assert not await found_jane(client), "over HTTP a key is asked whether it may write"


def entry(text: str) -> dict[str, Any]:
    """What a client is told about its one server."""
    servers: dict[str, Any] = json.loads(text)["mcpServers"]
    ((name, configured),) = servers.items()
    assert name == "recollect"
    return dict(configured)


@asynccontextmanager
async def over_http(url: str, headers: dict[str, str]) -> AsyncIterator[Client]:
    """A client with the address and the headers of a configuration, and nothing else."""
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


async def found_jane(client: Client) -> bool:
    """The tools are there, and one tells where Jane lives; whether those that write are, too."""
    names = {tool.name for tool in (await client.list_tools()).tools}
    assert {"search_graph", "get_user_context"} <= names
    asked = {"user_id": "jane", "query": "Where does Jane live?"}
    result = await client.call_tool("search_graph", asked)
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert not result.is_error, content.text
    assert "Jane Smith moved to Lisbon in May" in content.text
    return "add_memory" in names


def test_five_lines_of_the_library_recall_a_fact(server: Server, tmp_path: Path) -> None:
    """Typed into the interpreter that the README names, by somebody with nothing but the models."""
    lines = [line for line in printed("Library").splitlines() if line]
    assert len(lines) == 5
    assert lines[0] == "from recollect import Memory"
    home = {"HOME": str(tmp_path), "RECOLLECT_MODELS": str(Settings().models)}
    done = typed(INTERPRETER, server, given=printed("Library"), **home)
    assert ANNS_MOVE in [line.replace(">>> ", "") for line in done.stdout.splitlines()]
    assert "Traceback" not in done.stderr
    assert (server.data.parent / "my-memory").is_dir()


def test_the_command_line_remembers_finds_and_says_why(server: Server) -> None:
    """Beside the running server, on its data, in the folder where it was started."""
    add, search, context, why = printed("Command line").splitlines()
    assert ANNS_MOVE in said_by(add, server)
    (found,) = [line for line in said_by(search, server).splitlines() if ANNS_MOVE in line]
    assert f"- {ANNS_MOVE} (2024-05-01" in said_by(context, server)
    told = said_by(replaced(why, **{FACT: found.split()[-1]}), server)
    assert told.startswith(f"{ANNS_MOVE}\n")
    assert "true     since 2024-05-01" in told
    assert "»I moved to Lisbon in May 2024.«" in told


def said_by(line: str, server: Server) -> str:
    """What a command prints after the activation that the README tells."""
    return typed(f"{ACTIVATE} && {line}", server).stdout


def typed(
    line: str, server: Server, given: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """A line in a shell in the folder of the README; it must end well."""
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        input=given,
        cwd=server.data.parent,
        env=program_environment(**EXTRACTION_ON, **environment),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, (line, done.stderr)
    return done
