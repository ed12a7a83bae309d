"""Documented methods that are not built yet: known, and answered with 501 and their name."""

from recollect.api.router import Call, Handler, Method, Route
from recollect.errors import NotServed

# method of the clients, HTTP method, path, what it waits for
DEFERRED: list[tuple[str, Method, str, str]] = [
    (
        "user_group.attach_policy_set",
        "POST",
        "/abac/user-groups/{group_uuid}/policy-sets",
        "access policies",
    ),
    (
        "user_group.detach_policy_set",
        "DELETE",
        "/abac/user-groups/{group_uuid}/policy-sets/{policy_set_uuid}",
        "access policies",
    ),
]


def _refuse(method: str, needs: str) -> Handler:
    async def handler(call: Call) -> None:
        raise NotServed(f"{method} is not served yet: it needs {needs}")

    return handler


ROUTES = [
    Route(verb, path, method, _refuse(method, needs), f"{method}: not served yet", served=False)
    for method, verb, path, needs in DEFERRED
]
