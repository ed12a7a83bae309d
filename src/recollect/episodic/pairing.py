"""Bringing items into the form a model accepts: outputs after their calls, none too long."""

import json
from collections.abc import Iterable
from typing import Any

OUTPUT_CHARS_MAX = 8_000
OUTPUT_CHARS_KEPT = 4_000  # at each end


def normalise(items: Iterable[Any]) -> list[Any]:
    """The items without outputs that no earlier call asked for, long outputs shortened.

    A call that has no output yet stays: the model is told about work that is under way. Of two
    outputs for one call the later one counts; it stands where the first stood.
    """
    answers: dict[str, int | None] = {}  # where the output of a call stands
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

    Characters are code points, so that no character is cut in half. A list of content parts is cut
    as if their texts were one; parts without a text, such as images, stay. Anything else is
    measured, and if need be told, as JSON.
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
