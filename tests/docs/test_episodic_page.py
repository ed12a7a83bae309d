"""What the page about the session log prints can be run, and what it names exists."""

import re

import recollect.session_log
from tests.docs.reference import ROOT

PAGE = (ROOT / "docs" / "concepts" / "episodic.md").read_text(encoding="utf-8")


def test_the_examples_of_the_page_run() -> None:
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(code, names)  # noqa: S102 - our own page
    log = names["log"]
    assert isinstance(log, recollect.session_log.Episodic)
    assert len(log) == 4


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
        assert hasattr(recollect.session_log, name), name
