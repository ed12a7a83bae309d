"""Everything under `/api/v2` that memory clients call."""

from dataclasses import replace

from recollect.api.compat.memmachine import (
    routes_config,
    routes_defaults,
    routes_memories,
    routes_projects,
    routes_resources,
    routes_semantic,
)
from recollect.api.compat.memmachine.refusing import reply_for
from recollect.api.router import Route

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
