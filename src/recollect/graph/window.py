"""What the short-term memory holds: the newest episodes, within so many and so many characters.

Part of the characters is kept free for the summary of what went before. The newest episode is
always held, however long it is: a window is empty only when there are no episodes.
"""

from collections.abc import Iterable

from recollect.graph.types import Record
from recollect.limits import (
    WINDOW_SUMMARY_CHARS_MAX,
    WINDOW_SUMMARY_CHARS_MIN,
    WINDOW_SUMMARY_CHARS_SMALL,
    WINDOW_SUMMARY_SHARE,
)


class Held(Record):
    """How many of the newest episodes the window holds, and how long they are together."""

    count: int = 0
    chars: int = 0
    full: bool = False


def reserved(chars: int) -> int:
    """How many of a window's characters are kept free for the summary: a fixed share of them, of a
    small window rather more, and never more than a summary is worth."""
    share = max(chars // WINDOW_SUMMARY_SHARE, min(WINDOW_SUMMARY_CHARS_SMALL, chars // 2))
    return _room(min(share, WINDOW_SUMMARY_CHARS_MAX))


def room(held: Held, chars: int) -> int:
    """How long the summary beside a window may be, so that both stay within its characters."""
    return _room(min(reserved(chars), max(chars - held.chars, 0)))


def hold(held: Held, lengths: Iterable[int], *, episodes: int, chars: int) -> Held:
    """A window that goes on with older episodes, given by how long they are, the newest first.

    It is full with the first one that does not fit: nothing older is held, even if it is shorter.
    """
    count, total = held.count, held.chars
    most = chars - reserved(chars)
    for length in lengths if not held.full else ():
        if count and (count >= episodes or total + length > most):
            return Held(count=count, chars=total, full=True)
        count, total = count + 1, total + length
    return Held(count=count, chars=total, full=held.full)


def _room(chars: int) -> int:
    return chars if chars >= WINDOW_SUMMARY_CHARS_MIN else 0
