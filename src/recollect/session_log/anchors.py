"""Anchors, corrections, and the views of a log that follow from them.

An anchor is a named checkpoint with a state, from which a session can be resumed. It deletes nothing;
views start after it. A correction is an appended episode of the same type whose `meta.corrects` is
the id of the one it corrects. The raw log has both; views show the corrected text instead of the
first. Views are computed, never stored; episodes whose meta has `context: false` are in none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

from recollect.session_log.episode import BOUNDARY, ITEM, Episode
from recollect.session_log.errors import InvalidEpisode, NoAnchor
from recollect.session_log.log import Episodic
from recollect.session_log.selection import whole

CORRECTS = "corrects"


def correct(
    log: Episodic,
    episode_id: int,
    replacement: Any,
    *,
    source: str | None = None,
    turn_id: str | None = None,
) -> Episode:
    """Append a correction of an item (by another item) or of a boundary (by another payload)."""
    target = next((one for one in reversed(log.episodes) if one.id == episode_id), None)
    if target is None:
        raise InvalidEpisode(f"there is no episode {episode_id} to correct")
    if target.type not in (ITEM, BOUNDARY):
        raise InvalidEpisode("an audit record is not corrected")
    payload = {"item": replacement} if target.type == ITEM else replacement
    meta = {CORRECTS: episode_id}
    return log.append(target.type, payload, source=source, turn_id=turn_id, meta=meta)


def corrected(episodes: Sequence[Episode]) -> Sequence[Episode]:
    """The episodes with their last corrections applied, under their own ids and meta.

    A correction replaces the episode it corrects. If that is not among *episodes*, the correction stays
    where it was appended.
    """
    if not any(CORRECTS in one.meta for one in episodes):
        return episodes
    shown: list[Episode] = []
    places: dict[int, int] = {}
    for one in episodes:
        target = one.meta.get(CORRECTS)
        place = places.get(target) if type(target) is int else None
        if place is not None and shown[place].type == one.type:
            shown[place] = shown[place]._replace(payload=one.payload)
            places[one.id] = place
        else:
            places[one.id] = len(shown)
            shown.append(one)
    return shown


SESSION_START = "session/start"
HANDOFF_EVENT = "handoff"
HANDOFF_NOTE = "What came before did not fit any more and is not shown."


def is_anchor(episode: Episode) -> bool:
    """Whether the episode is an anchor: any checkpoint, but not the correction of one.

    Its title is the anchor's name.
    """
    return episode.reason == "checkpoint" and CORRECTS not in episode.meta


def anchor(
    log: Episodic,
    name: str,
    state: Mapping[str, Any] | None = None,
    *,
    content: str | None = None,
    sources: Iterable[int] = (),
    turn_id: str | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Episode:
    """Append an anchor.

    A model is shown *content*, else the summary in the state, else the name. *sources* are the ids
    of the episodes that the text is based on; they must be in the log.
    """
    if content is None:
        summary = (state or {}).get("summary")
        content = summary if isinstance(summary, str) else name
    further = {} if state is None else {"state": dict(state)}
    said = {**(meta or {}), **_citing(log, sources)}
    return log.append_boundary(
        "checkpoint", name, content, source="runtime", turn_id=turn_id, meta=said, **further
    )


def _citing(log: Episodic, sources: Iterable[int]) -> dict[str, list[int]]:
    cited = list(sources)
    if not cited:
        return {}
    missing = set(cited) - {one.id for one in log.episodes}
    if missing:
        raise InvalidEpisode(f"there is no episode {min(missing)} to cite")
    return {"sources": cited}


def begin(log: Episodic) -> Episode | None:
    """Append the initial anchor, from which later views can start, unless the log has one.

    No model sees it.
    """
    if any(map(is_anchor, log.episodes)):
        return None
    return anchor(log, SESSION_START, {}, meta={"context": False})


def handoff(
    log: Episodic,
    name: str,
    state: Mapping[str, Any] | None = None,
    *,
    content: str | None = None,
    sources: Iterable[int] = (),
    turn_id: str | None = None,
) -> Episode:
    """Append an anchor and the event `handoff`; later views start after the anchor."""
    placed = anchor(log, name, state, content=content, sources=sources, turn_id=turn_id)
    log.append_event(HANDOFF_EVENT, {"name": name, "state": dict(state or {})}, turn_id=turn_id)
    return placed


def overflow_handoff(
    log: Episodic,
    name: str = "overflow",
    state: Mapping[str, Any] | None = None,
    *,
    content: str = HANDOFF_NOTE,
    turn_id: str | None = None,
) -> Episode:
    """Append an overflow boundary and a checkpoint, after a model reported that its input did not fit."""
    log.append_boundary("overflow", "input did not fit", source="runtime", turn_id=turn_id)
    return anchor(log, name, state, content=content, turn_id=turn_id)


def anchors(episodes: Iterable[Episode]) -> list[Episode]:
    """All anchors, oldest first."""
    return [one for one in episodes if is_anchor(one)]


def last_anchor(episodes: Sequence[Episode], name: str | None = None) -> int:
    """The position of the latest anchor, or of the latest of that name."""
    for back, one in enumerate(reversed(episodes), 1):
        if is_anchor(one) and (name is None or one.payload.get("title") == name):
            return len(episodes) - back
    raise NoAnchor("there is no anchor" if name is None else f"there is no anchor {name!r}")


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
    """The first *limit* episodes that pass.

    *since* and *until* are inclusive; a day means all of it. Episodes without `meta.date` are in no
    date range. *text* is searched in every string of the payload, ignoring case.
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
    """Whether it lies in the range; ends without a time zone are read in the episode's."""
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
