"""Contexts: what an agent, a session and a single run add to what hooks and models are told."""

from collections.abc import Mapping
from typing import Any


def merged(*contexts: Mapping[str, Any] | None) -> dict[str, Any]:
    """Later ones win, field by field, also inside nested objects.

    The result shares no object with them.
    """
    result: dict[str, Any] = {}
    for context in contexts:
        for key, value in (context or {}).items():
            known = result.get(key)
            if isinstance(value, Mapping):
                result[key] = merged(known if isinstance(known, Mapping) else None, value)
            else:
                result[key] = value
    return result
