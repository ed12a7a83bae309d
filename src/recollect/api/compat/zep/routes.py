"""Everything under `/api/v2` that Zep clients call, served or not yet."""

from dataclasses import replace

from recollect.api.compat.zep import (
    deferred,
    routes_batches,
    routes_direct,
    routes_documents,
    routes_episodes,
    routes_graphs,
    routes_guidance,
    routes_knowledge,
    routes_messages,
    routes_project,
    routes_search,
    routes_sessions,
    routes_threads,
    routes_user_groups,
    routes_users,
)
from recollect.api.router import Route

PREFIX = "/api/v2"

ROUTES: list[Route] = [
    replace(route, path=PREFIX + route.path)
    for part in (
        routes_users,
        routes_threads,
        routes_sessions,
        routes_messages,
        routes_graphs,
        routes_direct,
        routes_search,
        routes_episodes,
        routes_knowledge,
        routes_project,
        routes_guidance,
        routes_batches,
        routes_documents,
        routes_user_groups,
        deferred,
    )
    for route in part.ROUTES
]
