"""What a model is shown of a log: pure functions over a sequence of episodes.

Items are brought into the form a model accepts: each output after its call, and none too long.
"""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from recollect.session_log.anchors import CORRECTS, corrected
from recollect.session_log.episode import BOUNDARY, ITEM, META, USAGE_EVENT, Episode, is_number

OUTPUT_CHARS_MAX = 8_000
OUTPUT_CHARS_KEPT = 4_000  # at each end


def normalise(items: Iterable[Any]) -> list[Any]:
    """The items without orphaned outputs, and with long outputs shortened.

    A call without an output stays, because the work may be under way. Of two outputs for one call
    the later one counts, in the place of the first.
    """
    answers: dict[str, int | None] = {}  # the position of each call's output
    kept: list[Any] = []
    for item in items:
        kind = item.get("type") if isinstance(item, dict) else None
        call_id = item.get("call_id") if kind in ("function_call", "function_call_output") else None
        if kind == "function_call" and isinstance(call_id, str):
            answers[call_id] = None
        elif kind == "function_call_output":
            if not isinstance(call_id, str) or call_id not in answers:
                continue
            item, place = shortened(item), answers[call_id]
            if place is not None:
                kept[place] = item
                continue
            answers[call_id] = len(kept)
        kept.append(item)
    return kept


def shortened(item: dict[str, Any]) -> dict[str, Any]:
    """The output item, cut in the middle if its text has more than 8,000 characters.

    Characters are code points. A list of content parts is cut as if their texts were one; parts
    without text, such as images, stay. Anything else is measured, and if need be shown, as JSON.
    """
    output = item.get("output")
    if isinstance(output, list) and all(map(_is_part, output)):
        return _with_short_parts(item, output)
    text = (
        output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, default=str)
    )
    if len(text) <= OUTPUT_CHARS_MAX:
        return item
    start, end = text[:OUTPUT_CHARS_KEPT], text[-OUTPUT_CHARS_KEPT:]
    return {**item, "output": start + _marker(len(text)) + end}


def _marker(length: int) -> str:
    return f"\n\n(truncated: {length - 2 * OUTPUT_CHARS_KEPT} chars omitted)\n\n"


def _is_part(part: Any) -> bool:
    """Whether a model would take it as content: a text, an image, a file."""
    return isinstance(part, dict) and isinstance(part.get("type"), str)


def _with_short_parts(item: dict[str, Any], parts: list[dict[str, Any]]) -> dict[str, Any]:
    length = sum(len(part["text"]) for part in parts if isinstance(part.get("text"), str))
    if length <= OUTPUT_CHARS_MAX:
        return item
    first, last = OUTPUT_CHARS_KEPT, length - OUTPUT_CHARS_KEPT  # what lies between is left out
    kept: list[dict[str, Any]] = []
    at = 0
    for part in parts:
        text = part.get("text")
        if isinstance(text, str):
            marker = _marker(length) if at <= first < at + len(text) else ""
            text = text[: max(0, first - at)] + marker + text[max(0, last - at) :]
            at += len(part["text"])
            if not text:
                continue
            part = {**part, "text": text}
        kept.append(part)
    return {**item, "output": kept}


# Tuples: an imported reason may be any value, even an unhashable one.
SHOWN = ("checkpoint", "interrupt", "overflow")
RESTARTS = ("checkpoint", "interrupt")


class Assembled(NamedTuple):
    """The input of one model call, and whether older history was left out for lack of room."""

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

    The budget is *context_length* minus *max_output_tokens*, compared with what the last turn is
    known to have used. The current turn, *turn_id*, is shown even if nothing else fits.
    """
    budget = None if context_length is None else context_length - max_output_tokens
    start = start_position(episodes, budget, turn_id)
    shown = corrected(episodes[start:])
    return Assembled(normalise([*visible(shown), *extra]), start > 0)


def visible(episodes: Iterable[Episode]) -> list[Any]:
    """The items, with the boundaries that a model sees as messages among them."""
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
    """Whether history can start here.

    A correction does not count, since it belongs to what it corrects. Nor does a boundary that no model
    sees, or the initial anchor would keep everything.
    """
    shown = episode.meta.in_context and CORRECTS not in episode.meta
    return episode.type == BOUNDARY and episode.payload.get("reason") in RESTARTS and shown


def last_input_tokens(episodes: Sequence[Episode]) -> float | None:
    """The input tokens of the last `turn.usage`; None if there is none or it is malformed."""
    for episode in reversed(episodes):
        if episode.type == META and episode.payload.get("event") == USAGE_EVENT:
            return _input_tokens(episode.payload.get("data"))
    return None


def _input_tokens(data: object) -> float | None:
    if not isinstance(data, dict):
        return None
    counts = [data.get(name) for name in ("inputTokens", "outputTokens", "totalTokens")]
    return data["inputTokens"] if all(is_number(count) for count in counts) else None
