"""What two sentences have in common, counted: what a reader of both does not get from their meaning.

Names of the owner are left out: everything that is told of somebody has those.
"""

import math
import re
from calendar import month_name
from functools import lru_cache
from typing import NamedTuple

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:[.,:/-]\d+)*")
_DIGITS = re.compile(r"\d+")
_NAME = re.compile(r"(?<=\s)[A-Z][\w'-]+")
_SMALL = frozenset(
    """
    a about an and are as at be been but by did do does for from had has have he her his i in into
    is it its my no not now of on or our out over s she so still t than that the their then there
    they this to up was we were which who will with you your
    """.split()  # noqa: SIM905 - a list of one word per line hides the words
)
_CHANGE = re.compile(
    r"\b(?:now|no longer|instead|switched|moved|changed|cancel\w*|stopp?ed|ended|quit|left|sold|"
    r"dropped|replaced|new|any ?more|from now|went back|over|closed|gave up|not|never)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[^:.,]{1,60}: ")  # with the speaker in front, as it was said
_NAMES_MAX = 3
_MONTHS = {name.lower(): str(number) for number, name in enumerate(month_name) if name}


class Pair(NamedTuple):
    """An older and a newer sentence: the names of their owners, how alike they are in meaning, how
    much less than the nearest one to the newer, and the days between them."""

    older: str
    newer: str
    owners: str = ""
    alike: float = 1.0
    behind: float = 0.0
    days: float = 0.0


class _Parts(NamedTuple):
    words: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    changes: bool


@lru_cache(maxsize=4_096)
def _parts(text: str, owners: str) -> _Parts:
    own = frozenset(_WORD.findall(owners.lower()))
    found = frozenset(_WORD.findall(text.lower()))
    names = frozenset(name.lower() for name in _NAME.findall(text))
    return _Parts(
        words=found - own - _SMALL,
        numbers=frozenset(word for word in found if word[0].isdigit()),
        names=names - own,
        changes=_CHANGE.search(text) is not None,
    )


def repeats(pair: Pair) -> bool:
    """Whether the newer sentence has every number and every name of the older one, of which there
    are some: then nothing of it was replaced."""
    old, new = _parts(pair.older, pair.owners), _parts(pair.newer, pair.owners)
    values = _digits(old) | (old.names - _MONTHS.keys())
    return bool(values) and values <= _digits(new) | new.words


def _digits(parts: _Parts) -> frozenset[str]:
    """The numbers in numbers, and those of months: a date is the same in any order."""
    found = (digits for number in parts.numbers for digits in _DIGITS.findall(number))
    months = (_MONTHS[word] for word in parts.words if word in _MONTHS)
    return frozenset((*(digits.lstrip("0") or "0" for digits in found), *months))


def signs(pair: Pair) -> list[float]:
    """The counts, each in a range of about one."""
    old, new = _parts(pair.older, pair.owners), _parts(pair.newer, pair.owners)
    shared = len(old.words & new.words)
    return [
        pair.alike,
        pair.behind,
        shared / max(1, len(old.words | new.words)),
        shared / max(1, min(len(old.words), len(new.words))),
        (len(old.words) - shared) / 10,
        (len(new.words) - shared) / 10,
        float(bool(old.numbers & new.numbers)),
        float(bool(old.numbers - new.numbers)),
        float(bool(new.numbers - old.numbers)),
        min(_NAMES_MAX, len(old.names & new.names)) / _NAMES_MAX,
        min(_NAMES_MAX, len(old.names - new.names)) / _NAMES_MAX,
        min(_NAMES_MAX, len(new.names - old.names)) / _NAMES_MAX,
        math.log1p(max(0.0, pair.days)) / 7,
        float(old.changes),
        float(new.changes),
        float(_QUOTED.match(pair.older) is not None),
        float(_QUOTED.match(pair.newer) is not None),
    ]
