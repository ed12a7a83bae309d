"""Prompts as versioned files. A wording that was in use is never edited: it gets a successor."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

_FOLDER = Path(__file__).parent
_MARK_CHARS = 16


@cache
def load(name: str) -> str:
    """The text of a prompt, such as `episode.v2`."""
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8")


def mark(blocks: Mapping[str, str]) -> str:
    """The mark around the blocks of a prompt: a hash of them all, which no text in them can guess."""
    return hashlib.sha256(msgspec.json.encode(blocks)).hexdigest()[:_MARK_CHARS]
