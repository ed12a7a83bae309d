"""The date in the head of a text: from it the text counts its days."""

from datetime import datetime

import regex

from recollect import dates
from recollect.dates.when import When

_HEAD = regex.compile(
    r"^\W{0,8}(?:(?:first |last |originally )?(?:published|posted|updated|issued|released|written)"
    r"|dated?|publication date|date published|date posted)(?: on| at)?\s{0,3}:?\s{0,3}(?P<date>\S.{5,60})",
    regex.IGNORECASE | regex.MULTILINE,
)
_HEAD_CHARS = 2000
_YEAR = regex.compile(r"\b(?:1[5-9]|20)\d\d\b")


def written_on(text: str, at: datetime, zone: str | None) -> datetime:
    """The moment from which a text counts its days.

    That is the date in its head where it has one ("Published: 3 March 2021"), and *at* otherwise.
    """
    for head in _HEAD.finditer(text[:_HEAD_CHARS]):
        if (when := _dated(head, at, zone)) is not None:
            return min(when.first or at, at)
    return at


def is_dateline(text: str, at: datetime) -> bool:
    """Whether it tells nothing but when a text was written."""
    head = _HEAD.fullmatch(text)
    return head is not None and _dated(head, at, None) is not None


def _dated(head: regex.Match[str], at: datetime, zone: str | None) -> When | None:
    for when in dates.find(head["date"], reference=at, zone=zone)[:1]:
        fine = when.relation == "at" and when.grain in ("day", "hour", "minute", "second")
        if fine and when.start == 0 and _YEAR.search(when.text):
            return when
    return None
