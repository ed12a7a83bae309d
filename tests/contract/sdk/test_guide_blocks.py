"""Every Python example of the guide of generation 2, in its order, with the released client.

Guide: zep-v2-guide, all pages. It is not part of the project; beside it, each example is run.
"""

import json
import os
import subprocess

import pytest

from tests.contract.sdk.environments import CLIENTS, PY2, ROOT, client_environment, python_of
from tests.contract.sdk.requirements import requirement
from tests.support.server import Server, create_key, create_project

GUIDE = ROOT.parent / "shared/guides/zep-v2-guide.md"
SECONDS_MAX = 900
# Where the guide itself slips; differences.md says so. The tool for LangGraph has its own test.
SLIPS = {
    ("Quickstart", "Use Zep as an Agentic Tool"): "No module named 'langchain_core'",
    ("Memory", "Retrieving memory"): "'coroutine' object has no attribute 'context'",
    ("Memory", "Getting a User's Sessions"): "user not found",  # it was deleted just before
    ("Reading Data from the Graph", "Reading Nodes"): "has no attribute 'get_by_user'",
    ("Reading Data from the Graph", "Reading Episodes"): "has no attribute 'get_by_group'",
}
OTHER_CLIENT = "Get Most Relevant Facts for an Arbitrary Query"  # awaits one that does not wait


@requirement("v2:graph.search", "v2:memory.add", "v2:memory.get", "v2:graph.add")
@pytest.mark.skipif(
    not GUIDE.is_file(), reason="the guide (../shared/guides) is not beside the project"
)
@pytest.mark.usefixtures("awake")
def test_every_example_runs(server: Server) -> None:
    """All but those that cannot, whichever server answers them."""
    create_project(server.data, "walked")
    key = create_key(server.data, "walked")
    variables = {**client_environment(), "ZEP_API_KEY": key, "ZEP_API_URL": server.url}
    done = subprocess.run(
        [str(python_of(PY2)), str(CLIENTS / "walk_guide.py")],
        input=GUIDE.read_text(encoding="utf-8"),
        env=variables,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    told = json.loads(done.stdout)
    assert len(told) > 80
    failed = {(one["page"], one["section"]): one["error"] for one in told if one["error"]}
    unexpected = {
        place: error
        for place, error in failed.items()
        if SLIPS.get(place, os.linesep) not in error and place[0] != OTHER_CLIENT
    }
    assert not unexpected
    assert set(SLIPS) <= set(failed), "no slip any more: take it out of the list"
