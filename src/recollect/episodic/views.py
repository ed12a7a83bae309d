"""Views: parts of a log as somebody is to see them, with corrections in their places.

A view is computed, never stored. Episodes whose meta says `context: false` reach none.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

from recollect.episodic.anchors import is_anchor, last_anchor
from recollect.episodic.corrections import corrected
from recollect.episodic.episode import Episode
from recollect.episodic.errors import NoAnchor
from recollect.episodic.reading import whole


def after_last_anchor(episodes: Sequence[Episode], **narrowing: Any) -> list[Episode]:
    """What came after the latest anchor; NoAnchor if there is none."""
    return view(episodes[last_anchor(episodes) + 1 :], **narrowing)


def after_anchor(episodes: Sequence[Episode], name: str, **narrowing: Any) -> list[Episode]:
    """What came after the latest anchor of that name."""
    return view(episodes[last_anchor(episodes, name) + 1 :], **narrowing)


def between_anchors(
    episodes: Sequence[Episode], first: str, second: str, **narrowing: Any
) -> list[Episode]:
    """What lies between an anchor and the next one named *second*: the latest such pair."""
    end: int | None = None
    for position in range(len(episodes) - 1, -1, -1):
        one = episodes[position]
        if not is_anchor(one):
            continue
        title = one.payload.get("title")
        if title == first and end is not None:
            return view(episodes[position + 1 : end], **narrowing)
        if title == second:
            end = position
    raise NoAnchor(f"there is no anchor {first!r} with {second!r} after it")


def view(
    episodes: Sequence[Episode],
    *,
    since: str | date | None = None,
    until: str | date | None = None,
    text: str | None = None,
    types: str | Iterable[str] | None = None,
    limit: float | None = None,
) -> list[Episode]:
    """The episodes that pass, the first *limit* of them.

    *since* and *until* are inclusive; a day means all of it. Episodes without `meta.date` are in no
    range of dates. *text* is looked for in every string of the payload, whatever its case.
    """
    found: Iterable[Episode] = (one for one in corrected(episodes) if one.meta.in_context)
    if since is not None or until is not None:
        first, last = _moment(since, time.min), _moment(until, time.max)
        found = [one for one in found if _within(one, first, last)]
    if text is not None:
        wanted = text.casefold()
        found = [one for one in found if any(wanted in said for said in _said(one.payload))]
    if types is not None:
        kinds = {types} if isinstance(types, str) else set(types)
        found = [one for one in found if one.type in kinds]
    result = list(found)
    return result if limit is None else result[: whole(limit)]


def _moment(when: str | date | None, end_of_day: time) -> datetime | None:
    if isinstance(when, str):
        when = date.fromisoformat(when) if len(when) <= 10 else datetime.fromisoformat(when)
    if when is None or isinstance(when, datetime):
        return when
    return datetime.combine(when, end_of_day)


def _within(episode: Episode, first: datetime | None, last: datetime | None) -> bool:
    """Both ends are read in the time zone of the episode if they have none."""
    said = episode.meta.get("date")
    try:
        at = datetime.fromisoformat(said) if isinstance(said, str) else None
    except ValueError:
        at = None
    if at is None:
        return False
    return (first is None or _beside(first, at) <= at) and (last is None or at <= _beside(last, at))


def _beside(end: datetime, at: datetime) -> datetime:
    if end.tzinfo is None or at.tzinfo is None:
        return end.replace(tzinfo=at.tzinfo)
    return end


def _said(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value.casefold()
    elif isinstance(value, dict):
        for item in value.values():
            yield from _said(item)
    elif isinstance(value, list):
        for item in value:
            yield from _said(item)
