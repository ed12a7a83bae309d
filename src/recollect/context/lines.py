"""The lines of a context block: one per item, with remembered text treated as data only.

Remembered text cannot open or close a section of its block. Relevance decides what is shown, never
where: a block whose lines keep their place from one turn to the next lets a prompt cache be used up
to the first new line. So lines are sorted by time, and facts that have ended come last.
"""

import unicodedata
from collections.abc import Iterable
from datetime import datetime
from functools import cache, cached_property

import regex

from recollect.graph.types import Fact, Item
from recollect.search.kinds import KINDS, Position, kind_of

# What was said comes after what is known.
SECTION_KINDS = {
    KINDS[kind].section: kind for kind in sorted(KINDS, key=lambda kind: kind == "episode")
}
SECTIONS = ("USER_SUMMARY", *SECTION_KINDS)
# Invisible and combining characters, which could hide a tag from a plain search.
_UNSEEN = r"\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}"
_GAP = rf"[\s{_UNSEEN}]*+"
# Any non-ASCII character may look like an ASCII letter. Escaping too much does no harm here.
_LOOKS_LIKE_A_LETTER = rf"[^\x00-\x7f\s{_UNSEEN}]"
_END = rf"(?![.-]|[^\W{_UNSEEN}])"  # end of a name: no visible letter follows
_TAG_NAME = regex.compile(r"</?\s*([^\W\d][\w.-]*)")
# Characters that Unicode names as angles or slashes, besides those that NFKC maps to `<`, `>` and `/`.
_SIGN_NAME = regex.compile(
    r"(?P<opening>LESS-THAN SIGN$|LEFT[- ](?:POINTING )?ANGLE|LEFT ARROWHEAD|SYLLABICS PA$)"
    r"|(?P<closing>GREATER-THAN SIGN$|RIGHT[- ](?:POINTING )?ANGLE|RIGHT ARROWHEAD|SYLLABICS PO$)"
    r"|(?P<slash>\bSOLIDUS$|DIVISION SLASH$|FRACTION SLASH$)"
)


@cache
def _alike() -> dict[str, str]:
    """The characters that look like each sign of a tag, as regex character sets."""
    found = {sign: [sign] for sign in "<>/"}
    for one in map(chr, range(0x80, 0x10000)):
        name = unicodedata.name(one, "")
        sign = unicodedata.normalize("NFKC", one)
        if sign not in found and (named := _SIGN_NAME.search(name)):
            sign = {"opening": "<", "closing": ">", "slash": "/"}[named.lastgroup or ""]
        if sign in found:
            found[sign].append(one)
    return {sign: "".join(map(regex.escape, alike)) for sign, alike in found.items()}


def tag_names(text: str) -> tuple[str, ...]:
    """The names of the tags in *text*, without duplicates."""
    return tuple(dict.fromkeys(_TAG_NAME.findall(text)))


class TagEscaper:
    """Replaces the angle brackets of a block's own tags in a text with square brackets."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = dict.fromkeys((*SECTIONS, *names))

    @cached_property
    def _tag(self) -> "regex.Pattern[str]":
        # Longest first: one name may be a prefix of another.
        spelt = "|".join(_spelt(name) for name in sorted(self._names, key=lambda n: (-len(n), n)))
        opening, closing, slash = (_alike()[sign] for sign in "<>/")
        slash = rf"(?:[{slash}]{_GAP})?+"
        # An angle bracket at the very end could become a tag with the text that follows.
        return regex.compile(
            rf"[{opening}]({_GAP}{slash}(?:\Z|(?:{spelt}){_END}[^{opening}{closing}]*+))"
            rf"([{closing}]?)",
            flags=regex.IGNORECASE,
        )

    def __call__(self, text: str) -> str:
        """*text* on one line, with the angle brackets of tags replaced by square ones."""
        return self._tag.sub(_bracketed, " ".join(text.split()))

    def lines(self, text: str) -> str:
        """*text* escaped as a whole, keeping its line breaks but no blank lines."""
        lines = (" ".join(line.split()) for line in text.splitlines())
        return self._tag.sub(_bracketed, "\n".join(line for line in lines if line))


def _spelt(name: str) -> str:
    """A pattern for a name in any disguise: lookalike letters, with invisible characters between them."""
    letters = (rf"(?:{regex.escape(letter)}|{_LOOKS_LIKE_A_LETTER})" for letter in name)
    return rf"[{_UNSEEN}]*+".join(letters)


def _bracketed(found: "regex.Match[str]") -> str:
    return f"[{found[1]}{']' if found[2] else ''}"


ESCAPE = TagEscaper()  # for blocks with only our own sections


def line(item: Item) -> str:
    """The line of *item* in a block; empty if there is nothing to show."""
    return KINDS[kind_of(item)].line(item, ESCAPE)


def position(item: Item) -> Position:
    """The sort key of *item* within its kind, independent of the other items."""
    return KINDS[kind_of(item)].position(item)


def holds(fact: Fact, now: datetime) -> bool:
    """Whether a fact is true at *now*, as far as we know."""
    if fact.valid_at is not None and fact.valid_at > now:
        return False
    return all(end is None or end > now for end in (fact.invalid_at, fact.expired_at))
