"""HTTP requests in the audit log: who acts, and what the entry says."""

from functools import cache

from recollect.api.errors import status_of
from recollect.api.http import Disconnected, Reply
from recollect.api.router import Call, Route
from recollect.app import gate
from recollect.errors import RecollectError
from recollect.graph.acting import Acting, Target
from recollect.graph.types import Access, Json


def acting(route: Route, path: dict[str, str], access: Access) -> Acting | None:
    """The actor and target of a request, as far as its path says; None if it is not audited."""
    if not gate.is_audited(route, access):
        return None
    erases = route.erases or route.method == "DELETE"
    return gate.acting(route, access, _of_path(route, path), erases=erases)


def status(outcome: Reply | Exception) -> int | None:
    """The status a request ended with; None if the client disconnected."""
    if isinstance(outcome, Reply):
        return outcome.status
    if isinstance(outcome, Disconnected):
        return None
    return status_of(outcome) if isinstance(outcome, RecollectError) else 500


def decoded(call: Call, size: int) -> None:
    """Add the decoded body to the audit entry of a request, and its *size* for the quotas."""
    if call.access.acting is not None:
        call.access.acting.sent_bytes = size
        gate.understood(call.access, call.body, _around(call.path))


def _around(path: dict[str, str]) -> Json:
    """The server-side ids before a path's last parameter, such as the key of an attachment."""
    before = list(path.items())[:-1]
    return {name: id_ for name, id_ in before if not gate.is_chosen(name) and gate.is_uuid(id_)}


def _of_path(route: Route, path: dict[str, str]) -> Target | None:
    """The target that the last path parameter names; for session logs always the session."""
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
