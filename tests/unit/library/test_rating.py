"""Fact ratings without HTTP: asked for, given and searched by, in a program and on a command line.

The guide to the MCP tools, section "search_graph", `min_fact_rating`.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import Memory, SyncMemory
from recollect.cli.main import app
from recollect.errors import InvalidInput
from recollect.graph.types import Access
from recollect.records import graphs, users
from recollect.settings import Settings
from recollect.store.protocol import Transaction

HEALTH = "Rate by how much it matters to somebody's health."
EXAMPLES = {
    "high": "Pam is allergic to peanuts.",
    "medium": "Pam sleeps six hours a night.",
    "low": "Pam owns a red bicycle.",
}
UNREAD = Settings.model_validate({"extraction": "off"})


def test_facts_are_rated_from_then_on_and_searched_by_their_rating(tmp_path: Path) -> None:
    place = ["--user", "pam", "--data", str(tmp_path)]
    levels = [word for name, fact in EXAMPLES.items() for word in (f"--{name}", fact)]
    runner = CliRunner()
    done = runner.invoke(app, ["rate", HEALTH, *levels, *place])
    assert (done.exit_code, done.stdout) == (0, "facts learned from now on are rated\n"), (
        done.output
    )
    with SyncMemory.open(tmp_path) as memory:
        memory.add("I am allergic to shellfish.", user="pam")
        memory.add("I own a blue bicycle.", user="pam")
        rated = {one.text: one.rating for one in memory.facts(user="pam")}
        (allergy,) = [text for text in rated if "shellfish" in text]
        (bicycle,) = [text for text in rated if "bicycle" in text]
        high, low = rated[allergy], rated[bicycle]
        assert high is not None
        assert low is not None
        assert low < 0.5 < high
        found = memory.search("What do we know of Pam?", user="pam", rating_min=0.5)
        assert allergy in [one.text for one in found]
        assert bicycle not in [one.text for one in found]
    words = ["search", "Pam", "--rating-min", "0.5", "--json", *place]
    shown = {one["text"]: one["rating"] for one in json.loads(runner.invoke(app, words).stdout)}
    assert shown[allergy] == high
    assert bicycle not in shown


async def test_a_graph_keeps_what_else_is_said_of_it_and_a_user_their_name(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, settings=UNREAD) as memory:
        graph = await memory.graph("ships")
        await graph.rate("Old ships matter.", high="a", medium="b", low="c")
        user = await memory.user("pam", first_name="Pam", metadata={"plan": "pro"})
        await user.rate(HEALTH, **EXAMPLES)
        for wrong in ({"high": " "}, {"low": ""}):
            with pytest.raises(InvalidInput, match=f"{next(iter(wrong))}: must not be empty"):
                await user.rate(HEALTH, **{**EXAMPLES, **wrong})
        with pytest.raises(InvalidInput, match="user, graph or thread"):
            await memory.rate(HEALTH, **EXAMPLES)
        services, access = memory._engine.opened
        kept = await services.store.read(_kept, access)
    assert kept[0] == {
        "instruction": "Old ships matter.",
        "examples": dict(zip(EXAMPLES, "abc", strict=True)),
    }
    assert kept[1] == ("Pam", {"plan": "pro"}, {"instruction": HEALTH, "examples": EXAMPLES})


def _kept(tx: Transaction, access: Access) -> tuple[Any, Any]:
    pam = users.get(tx, access, "pam")
    return graphs.get(tx, access, "ships").rating, (pam.first_name, pam.metadata, pam.rating)
