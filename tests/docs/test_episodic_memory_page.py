"""What the page about short-term and long-term memory prints runs as it is printed."""

import ast
import re
from pathlib import Path

from recollect.library import episodic_memory
from tests.docs.reference import ROOT
from tests.docs.test_library_page import run

PAGE = (ROOT / "docs" / "howto" / "episodic-memory.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_example_prints_window_summary_and_past(tmp_path: Path) -> None:
    """Guide: short-long-term-memory, the whole of it in one program without a server."""
    done = run(EXAMPLE, tmp_path)
    window, before, found, *held = done.stdout.splitlines()
    assert window == "window: ['Talk to you later!']"
    assert "gas range" not in before
    assert "induction range" in before
    assert "Open: Dana still needs to choose the tiles." in before
    assert "The plumber is called Patel." in ast.literal_eval(found.removeprefix("found: "))
    assert held == ["held by 1", "held by 0"]
    assert done.stderr == ""


def test_every_class_on_the_page_is_there() -> None:
    """With the attributes and methods that the page names."""
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 7
    for name, told in rows:
        class_ = getattr(episodic_memory, name)
        fields = {*dir(class_), *getattr(class_, "__dataclass_fields__", ())}
        assert set(re.findall(r"(?:^|: |, |; )`(\w+)`", told)) - SETTINGS <= fields


SETTINGS = {"enabled", "message_capacity", "character_capacity", "expand_context"}
