"""Bringing items into the form a model accepts: outputs after their calls, none too long."""

from collections.abc import Iterable
from typing import Any

OUTPUT_CHARS_MAX = 8_000
OUTPUT_CHARS_KEPT = 4_000  # at each end


def normalise(items: Iterable[Any]) -> list[Any]:
    """The items without outputs that no earlier call asked for, long string outputs shortened.

    A call that has no output yet stays: the model is told about work that is under way.
    """
    calls: set[str] = set()
    kept: list[Any] = []
    for item in items:
        kind = item.get("type") if isinstance(item, dict) else None
        if kind == "function_call":
            call_id = item.get("call_id")
            if isinstance(call_id, str):
                calls.add(call_id)
        elif kind == "function_call_output":
            call_id = item.get("call_id")
            if not isinstance(call_id, str) or call_id not in calls:
                continue
            item = shortened(item)
        kept.append(item)
    return kept


def shortened(item: dict[str, Any]) -> dict[str, Any]:
    """The output item, its text cut in the middle if it has more than 8,000 characters.

    Characters are code points, so that no character is cut in half.
    """
    output = item.get("output")
    if not isinstance(output, str) or len(output) <= OUTPUT_CHARS_MAX:
        return item
    omitted = len(output) - 2 * OUTPUT_CHARS_KEPT
    marker = f"\n\n(truncated: {omitted} chars omitted)\n\n"
    return {**item, "output": output[:OUTPUT_CHARS_KEPT] + marker + output[-OUTPUT_CHARS_KEPT:]}
