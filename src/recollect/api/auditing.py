"""Requests in the audit log: whose act each of them is, and what its entry says."""

from functools import cache

from recollect.api.errors import status_of
from recollect.api.http import Disconnected, Reply
from recollect.api.router import Call, Route
from recollect.app import gate
from recollect.errors import RecollectError
from recollect.graph.acting import Acting, Target
from recollect.graph.types import Access, Json


def acting(route: Route, path: dict[str, str], access: Access) -> Acting | None:
    """Who acts by a request, as far as its path tells; None where the log tells nothing of it."""
    if not gate.is_audited(route, access):
        return None
    erases = route.erases or route.method == "DELETE"
    return gate.acting(route, access, _of_path(route, path), erases=erases)


def status(outcome: Reply | Exception) -> int | None:
    """How a request ended; None when the client went away."""
    if isinstance(outcome, Reply):
        return outcome.status
    if isinstance(outcome, Disconnected):
        return None
    return status_of(outcome) if isinstance(outcome, RecollectError) else 500


def decoded(call: Call, size: int) -> None:
    """Let the entries of this request say what its body asks for, and its *size* be counted."""
    if call.access.acting is not None:
        call.access.acting.sent_bytes = size
        gate.understood(call.access, call.body, _around(call.path))


def _around(path: dict[str, str]) -> Json:
    """The server's ids in front of a path's last parameter, such as the key of an attachment."""
    before = list(path.items())[:-1]
    return {name: id_ for name, id_ in before if not gate.is_chosen(name) and gate.is_uuid(id_)}


def _of_path(route: Route, path: dict[str, str]) -> Target | None:
    """What the last parameter of a path names; in a session log always the session."""
    if not path:
        return None
    if route.action.startswith("session_log."):
        return gate.session_log(path["session_id"])
    name, before = _last(route.path)
    return gate.named(name, path[name], before)


@cache
def _last(path: str) -> tuple[str, str]:
    """The name of a path's last parameter, and the word before it."""
    parts = path.split("/")
    place = max(number for number, part in enumerate(parts) if part.startswith("{"))
    return parts[place][1:-1], parts[place - 1]
