"""Anchors: named marks that a session can be taken up from.

An anchor is a checkpoint boundary whose title is its name, with a state object beside. It deletes
nothing; views start after it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.episodic.corrections import CORRECTS
from recollect.episodic.episode import Episode
from recollect.episodic.errors import InvalidEpisode, NoAnchor
from recollect.episodic.log import Episodic

SESSION_START = "session/start"
HANDOFF_EVENT = "handoff"
HANDOFF_NOTE = "What came before did not fit any more and is not shown."


def is_anchor(episode: Episode) -> bool:
    """Whether the episode is an anchor: every checkpoint is one, its title is its name.

    The correction of one is not another.
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
    """Append an anchor. A model is shown *content*, or else the summary in the state, or else the
    name.

    *sources* are the ids of the episodes that the text was made from; they must be in the log.
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
    """Append the anchor every later view can start from, unless the log has one.

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
    """Append an overflow boundary and the checkpoint that follows it, after a model said "too
    long".
    """
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
