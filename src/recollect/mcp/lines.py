"""The results of tools as lines of text for a model: the content, and uuids to follow up on.

The full result is in the structured content beside the text.
"""

import json
from collections.abc import Callable
from typing import Any

from recollect.graph.types import Json

_NOTHING = "Nothing was found."
_WRAPPER = "result"
_ASIDE = ("response",)  # how long it took
_SOURCES_MAX = 3
_DAY = len("2024-05-01")
_MINUTE = len("2024-05-01T12:00")


def told(value: Any) -> str:
    """The text of an answer."""
    if isinstance(value, dict):
        if set(value) == {_WRAPPER}:
            return told(value[_WRAPPER])
        if set(value) == {"context"}:
            return str(value["context"]) or _NOTHING
        lists = {name: items for name, items in value.items() if _of_objects(items)}
        return _sections(value, lists) if lists else _fields(value)
    if isinstance(value, list):
        return "\n".join(_line(item) for item in value) or _NOTHING
    return str(value)


def _of_objects(items: Any) -> bool:
    return isinstance(items, list) and bool(items) and all(isinstance(one, dict) for one in items)


def _sections(value: Json, lists: dict[str, list[Json]]) -> str:
    """The other fields first, then each list, under its name unless it stands alone."""
    around = _fields({name: one for name, one in value.items() if name not in {*lists, *_ASIDE}})
    parts = [around] if around != _NOTHING else []
    for name, items in lists.items():
        body = "\n".join(_line(item) for item in items)
        parts.append(f"{name}:\n{body}" if len(lists) > 1 or parts else body)
    return "\n\n".join(parts)


def _fields(value: Json) -> str:
    """A single object: a line for each of its non-empty fields."""
    lines = [f"{name}: {_short(one)}" for name, one in value.items() if one not in (None, [], {})]
    return "\n".join(lines) or _NOTHING


def _short(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def _line(item: Any) -> str:
    if not isinstance(item, dict):
        return f"- {_short(item)}"
    for field, line in _KINDS.items():
        if item.get(field) is not None:
            return f"- {line(item)}"
    return f"- {_short({name: one for name, one in item.items() if one is not None})}"


def _fact(item: Json) -> str:
    since, end = item.get("valid_at"), item.get("invalid_at")
    said = [item.get("edge_type") or item.get("name")]
    said.append(f"since {since[:_DAY]}" if since else None)
    said.append(f"ended {end[:_DAY]}" if end else None)
    rating = item.get("rating")
    said.append(None if rating is None else f"rating {rating:g}")
    about = ", ".join(one for one in said if one)
    sources = item.get("episodes") or []
    follow = f"edge {item['uuid']}"
    if sources:
        more = ", …" if len(sources) > _SOURCES_MAX else ""
        follow += f", from episode {', '.join(sources[:_SOURCES_MAX])}{more}"
    return f"{_flat(item['fact'])} ({about}) [{follow}]"


def _node(item: Json) -> str:
    labels = ", ".join(item["labels"])
    summary = f": {_flat(item['summary'])}" if item.get("summary") else ""
    return f"{item.get('name') or '?'} ({labels}){summary} [node {item['uuid']}]"


def _said(item: Json) -> str:
    who = item.get("name") or item.get("role") or item.get("source") or ""
    when = str(item.get("created_at") or "")[:_MINUTE]
    head = " ".join(one for one in (when, who) if one)
    return f"{head}: {_flat(item['content'])} [episode {item['uuid']}]"


def _thread(item: Json) -> str:
    last = item.get("updated_at") or item.get("created_at") or ""
    return f"{item['thread_id']} (last {last[:_MINUTE]})"


def _user(item: Json) -> str:
    names = " ".join(one for name in ("first_name", "last_name") if (one := item.get(name)))
    told = ", ".join(one for one in (names, item.get("email")) if one)
    return f"{item['user_id']} ({told})" if told else str(item["user_id"])


def _bare_node(item: Json) -> str:
    return f"{item.get('name') or '?'} [node {item['uuid']}]"


def _flat(text: str) -> str:
    return " ".join(text.split())


# Each kind by a field that only it has, most distinctive first.
_KINDS: dict[str, Callable[[Json], str]] = {
    "fact": _fact,
    "labels": _node,
    "content": _said,
    "thread_id": _thread,
    "user_id": _user,
    "uuid": _bare_node,
}
