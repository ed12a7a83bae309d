"""Prompts, as files with a version. A wording that was in use is not edited: it gets a successor."""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def load(name: str) -> str:
    """The text of a prompt, such as `episode.v2`."""
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8")
