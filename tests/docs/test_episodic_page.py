"""What the page about the session log prints can be run, and what it names exists."""

import re

import recollect.episodic
from tests.docs.reference import ROOT

PAGE = (ROOT / "docs" / "concepts" / "episodic.md").read_text(encoding="utf-8")


def test_the_example_of_the_page_runs() -> None:
    code = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    names: dict[str, object] = {}
    exec(code, names)  # noqa: S102 - our own page
    log = names["log"]
    assert isinstance(log, recollect.episodic.Episodic)
    assert len(log) == 2


def test_the_names_on_the_page_exist() -> None:
    named = set(re.findall(r"`(\w+)[`(]", PAGE))
    expected = {
        "assemble",
        "anchor",
        "handoff",
        "view",
        "correct",
        "SideLog",
        "SyncSession",
        "Agent",
    }
    assert expected <= named
    for name in re.findall(r"`([A-Z]\w+)[`(]", PAGE):
        assert hasattr(recollect.episodic, name), name
