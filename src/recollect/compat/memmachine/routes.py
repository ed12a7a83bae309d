"""Everything under `/api/v2` that MemMachine's clients call."""

from dataclasses import replace

from recollect.api.router import Route
from recollect.compat.memmachine import (
    routes_config,
    routes_defaults,
    routes_memories,
    routes_projects,
    routes_resources,
    routes_semantic,
)
from recollect.compat.memmachine.errors import reply_for

PREFIX = "/api/v2"

ROUTES: list[Route] = [
    replace(route, path=PREFIX + route.path, refusal=reply_for)
    for part in (
        routes_projects,
        routes_memories,
        routes_semantic,
        routes_config,
        routes_defaults,
        routes_resources,
    )
    for route in part.ROUTES
]
