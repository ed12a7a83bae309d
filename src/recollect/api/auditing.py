"""Requests in the audit log: whose act each of them is, and what its entry says."""

import re
from functools import cache
from typing import Any

import msgspec

from recollect.api.errors import status_of
from recollect.api.http import Disconnected, Reply
from recollect.api.router import Call, Route
from recollect.app.authorize import actor_of
from recollect.errors import RecollectError
from recollect.graph.acting import Acting, Target
from recollect.graph.types import Access, Json
from recollect.limits import ID_CHARS_MAX

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SESSION_LOG = "session_log."  # sessions of other APIs are threads
_CHOSEN = {
    "user_id": "user",
    "thread_id": "thread",
    "session_id": "thread",
    "graph_id": "graph",
    "group_id": "graph",
    "target_user_id": "user",
    "target_graph_id": "graph",
    "target_group_id": "graph",
}
_GIVEN = {"message_uuid": "episode", "group_uuid": "user_group"}
_OTHERWISE = {"fact": "edge", "entitie": "node"}
# In a body the first of these that is there is the target.
_BODY_IDS = (
    *("thread_id", "session_id", "user_id", "graph_id", "group_id"),
    *("target_user_id", "target_graph_id", "target_group_id", "template_id"),
)
_FIELDS: dict[type, list[tuple[str, str, Any]]] = {}


def acting(route: Route, path: dict[str, str], access: Access) -> Acting | None:
    """Who acts by a request, as far as its path tells; None where the log tells nothing of it."""
    if route.public or not (route.mutates or access.logs_reads):
        return None
    return Acting(
        # Without a key: somebody who opened the folder itself.
        actor=actor_of(access),
        action=route.action,
        project_id=access.project_id,
        target=_of_path(route, path),
        erases=route.erases or route.method == "DELETE",
        reads=not route.mutates,
    )


def status(outcome: Reply | Exception) -> int | None:
    """How a request ended; None when the client went away."""
    if isinstance(outcome, Reply):
        return outcome.status
    if isinstance(outcome, Disconnected):
        return None
    return status_of(outcome) if isinstance(outcome, RecollectError) else 500


def decoded(call: Call) -> None:
    """Let the entries of this request say what its body asks for."""
    who = call.access.acting
    if who is not None:
        who.target = who.target or _of_body(call.body, who.action)
        who.detail = _around(call.path) | said(call.body)


def said(body: Any) -> Json:
    """Which fields a body has, how long its lists are and the server's ids; never its text."""
    if isinstance(body, list):
        return {"items": len(body)}
    found: Json = {}
    fields = []
    for name, shown, default in _fields(type(body)):
        value = getattr(body, name)
        if isinstance(value, list):
            if value:
                found[shown] = len(value)
        elif name.endswith("_uuid") and _is_uuid(value):
            found[shown] = value
        elif value is not msgspec.UNSET and value != default:
            fields.append(shown)
    return {"fields": fields, **found} if fields else found


def _around(path: dict[str, str]) -> Json:
    """The server's ids in front of a path's last parameter, such as the key of an attachment."""
    before = list(path.items())[:-1]
    return {name: id_ for name, id_ in before if name not in _CHOSEN and _is_uuid(id_)}


def _is_uuid(value: Any) -> bool:
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


def _fields(model: type) -> list[tuple[str, str, Any]]:
    """The fields of a wire model: attribute, name on the wire, default."""
    known = _FIELDS.get(model)
    if known is None:
        infos = msgspec.structs.fields(model) if issubclass(model, msgspec.Struct) else ()
        known = _FIELDS[model] = [(info.name, info.encode_name, info.default) for info in infos]
    return known


def _of_path(route: Route, path: dict[str, str]) -> Target | None:
    """What the last parameter of a path names; in a session log always the session."""
    if not path:
        return None
    if route.action.startswith(_SESSION_LOG):
        return _target("session_log", path["session_id"], chosen=True)
    kind, name = _last(route.path)
    return _target(kind, path[name], chosen=name in _CHOSEN)


def _of_body(body: Any, action: str) -> Target | None:
    if action.startswith(_SESSION_LOG) and isinstance(getattr(body, "session_id", None), str):
        return _target("session_log", body.session_id, chosen=True)
    for name in _BODY_IDS:
        value = getattr(body, name, None)
        if value and isinstance(value, str):
            return _target(_kind(name, ""), value, chosen=name in _CHOSEN)
    return None


def _target(kind: str, id_: str, *, chosen: bool) -> Target | None:
    return Target(kind, id_, chosen) if len(id_) <= ID_CHARS_MAX else None


@cache
def _last(path: str) -> tuple[str, str]:
    """The kind and the name of a path's last parameter."""
    parts = path.split("/")
    place = max(number for number, part in enumerate(parts) if part.startswith("{"))
    name = parts[place][1:-1]
    return _kind(name, parts[place - 1]), name


def _kind(name: str, before: str) -> str:
    """The kind of thing that a parameter names: by itself, or by what stands before it."""
    known = _CHOSEN.get(name) or _GIVEN.get(name)
    if known:
        return known
    kind, _, suffix = name.rpartition("_")
    if not kind or suffix not in {"id", "uuid", "name"}:
        kind = before.replace("-", "_").removesuffix("s")
    return _OTHERWISE.get(kind, kind)
