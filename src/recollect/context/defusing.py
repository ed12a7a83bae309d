"""Remembered words are data: they cannot open or close a section of the block they stand in."""

import re
from collections.abc import Iterable

SECTIONS = (
    "USER_SUMMARY",
    "FACTS",
    "ENTITIES",
    "OBSERVATIONS",
    "THREAD_SUMMARIES",
    "EPISODES",
)
# White space, and characters that nobody sees but that keep a tag from being found as one.
_GAP = r"[\s\u00ad\u200b-\u200f\u2060\ufeff]*+"
_TAG_NAME = re.compile(r"</?\s*([^\W\d][\w.-]*)")


def tag_names(text: str) -> tuple[str, ...]:
    """The names of the tags that stand in *text*, each once."""
    return tuple(dict.fromkeys(_TAG_NAME.findall(text)))


class Defuser:
    """Turns the tags of a block into words that look alike, wherever they are said inside it."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        every = dict.fromkeys((*SECTIONS, *names))
        # The longest first: one name may begin like another.
        spelt = "|".join(re.escape(name) for name in sorted(every, key=lambda n: (-len(n), n)))
        # An angle at the very end is one that the words after it would make a tag of.
        self._tag = re.compile(
            rf"<({_GAP}(?:/{_GAP})?(?:\Z|(?:{spelt})(?![\w.-])[^<>]*))(>?)", flags=re.IGNORECASE
        )

    def __call__(self, text: str) -> str:
        """*text* on one line, with square brackets where a tag had angles."""
        return self._tag.sub(_bracketed, " ".join(text.split()))

    def lines(self, text: str) -> str:
        """*text* with its own lines, made harmless as a whole; blank ones are left out."""
        lines = (" ".join(line.split()) for line in text.splitlines())
        return self._tag.sub(_bracketed, "\n".join(line for line in lines if line))


def _bracketed(found: re.Match[str]) -> str:
    return f"[{found[1]}{']' if found[2] else ''}"
