"""How derived texts are put together: whole sentences, dates and lists in words."""

from collections.abc import Sequence
from datetime import datetime

_ENDS = (".", "!", "?", "\u2026", "\u3002")
# Not from the calendar of the machine, which may speak another language.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def sentence(text: str) -> str:
    """*text* on one line, with a stop at its end."""
    line = " ".join(text.split())
    return line if line.endswith(_ENDS) else line + "."


def clause(text: str) -> str:
    """*text* on one line, without the stop at its end, to go on from."""
    return " ".join(text.split()).rstrip(".\u3002")


def day(moment: datetime) -> str:
    """A date as it is written in words."""
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def span(first: datetime, last: datetime) -> str:
    """A date, or the two that something lies between."""
    if first.date() == last.date():
        return f"on {day(first)}"
    return f"from {day(first)} to {day(last)}"


def listing(names: Sequence[str], most: int) -> str:
    """Names joined as in a sentence; beyond *most* the earliest are only counted."""
    hidden = max(0, len(names) - most)
    shown = [*names[hidden:]]
    if hidden:
        return f"{', '.join(shown)} and {hidden} more"
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
