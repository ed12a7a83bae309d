"""The parts of an episode that are found, and judged, by themselves."""

import re

from recollect.graph.types import EpisodeKind

_LONG_WORDS = 30
_SENTENCES_MAX = 12
_SENTENCE_WORDS_MIN = 4
_MACHINES = frozenset({"assistant", "system", "function", "tool"})
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+|\n+")


def passages(kind: EpisodeKind, role: str | None, text: str) -> list[str]:
    """The whole text, and each sentence of what somebody said at length, where a remark in passing
    would be lost in the whole."""
    if kind == "json" or role in _MACHINES or len(text.split()) < _LONG_WORDS:
        return [text]
    parts = [part for part in _SENTENCE_END.split(text) if len(part.split()) >= _SENTENCE_WORDS_MIN]
    return [text, *parts[:_SENTENCES_MAX]] if len(parts) > 1 else [text]
