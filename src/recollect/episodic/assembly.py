"""What a model is shown of a log: pure functions over a sequence of episodes.

Nothing here edits a log. The episodes may come from an `Episodic`, or from a database.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from recollect.episodic.corrections import CORRECTS, corrected
from recollect.episodic.episode import (
    BOUNDARY,
    ITEM,
    META,
    USAGE_EVENT,
    Episode,
    is_number,
)
from recollect.episodic.pairing import normalise

# Tuples: an imported reason may be anything, even what cannot be looked up in a set.
SHOWN = ("checkpoint", "interrupt", "overflow")
RESTARTS = ("checkpoint", "interrupt")


class Assembled(NamedTuple):
    """The input of one model call, and whether older history was left out for want of room."""

    items: list[Any]
    truncated: bool


def assemble(
    episodes: Sequence[Episode],
    *,
    extra: Iterable[Any] = (),
    context_length: float | None = None,
    max_output_tokens: float = 0,
    turn_id: str | None = None,
    normalise: Callable[[Iterable[Any]], list[Any]] = normalise,
) -> Assembled:
    """The items a model is shown: history within the budget, then *extra*, both normalised.

    The budget is *context_length* less *max_output_tokens*, held against what the last turn is
    known to have used. *turn_id* is the current turn, which is shown when nothing else fits, even
    if there is no budget at all.
    """
    budget = None if context_length is None else context_length - max_output_tokens
    start = start_position(episodes, budget, turn_id)
    shown = corrected(episodes[start:])
    return Assembled(normalise([*visible(shown), *extra]), start > 0)


def visible(episodes: Iterable[Episode]) -> list[Any]:
    """The items, with the boundaries a model is to see as messages among them."""
    items = []
    for episode in episodes:
        kind = episode.type
        if kind == META or episode.meta.get("context") is False:
            continue
        if kind == ITEM:
            if "item" in episode.payload:
                items.append(episode.payload["item"])
        elif episode.payload.get("reason") in SHOWN:
            items.append(boundary_message(episode))
    return items


def boundary_message(episode: Episode) -> dict[str, str]:
    """A boundary as a user message: its content, or its title, in a tag named after the reason."""
    payload = episode.payload
    content = payload.get("content")
    text = payload.get("title") if content is None else content
    text = "" if text is None else text
    reason = payload.get("reason")
    return {"type": "message", "role": "user", "content": f"<{reason}>\n{text}\n</{reason}>"}


def start_position(
    episodes: Sequence[Episode], budget: float | None, turn_id: str | None = None
) -> int:
    """Where history starts: 0 if all fits, the length of *episodes* if none is to be shown."""
    if budget is None or math.isnan(budget) or budget == math.inf:
        return 0
    used = last_input_tokens(episodes)
    if budget > 0 and (used is None or used <= budget):
        return 0
    for back, episode in enumerate(reversed(episodes), 1):
        if _is_restart(episode):
            return len(episodes) - back
    if turn_id is not None:
        for position, episode in enumerate(episodes):
            if episode.meta.get("turnId") == turn_id:
                return position
    return len(episodes)


def _is_restart(episode: Episode) -> bool:
    """A correction is none: it belongs to the place of what it corrects. Nor is one that no model
    is shown, or the anchor that every log begins with would keep all of it."""
    shown = episode.meta.in_context and CORRECTS not in episode.meta
    return episode.type == BOUNDARY and episode.payload.get("reason") in RESTARTS and shown


def last_input_tokens(episodes: Sequence[Episode]) -> float | None:
    """What the last `turn.usage` says went in; None if there is none or it is malformed."""
    for episode in reversed(episodes):
        if episode.type == META and episode.payload.get("event") == USAGE_EVENT:
            return _input_tokens(episode.payload.get("data"))
    return None


def _input_tokens(data: object) -> float | None:
    if not isinstance(data, dict):
        return None
    counts = [data.get(name) for name in ("inputTokens", "outputTokens", "totalTokens")]
    return data["inputTokens"] if all(is_number(count) for count in counts) else None
