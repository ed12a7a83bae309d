"""Everything under `/api/v2` that Zep clients call."""

from dataclasses import replace

from recollect.api.router import Route
from recollect.compat.zep import (
    routes_batches,
    routes_direct,
    routes_documents,
    routes_episodes,
    routes_graphs,
    routes_guidance,
    routes_knowledge,
    routes_messages,
    routes_search,
    routes_sessions,
    routes_threads,
    routes_user_groups,
    routes_users,
    routes_walks,
)

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
        routes_walks,
        routes_guidance,
        routes_batches,
        routes_documents,
        routes_user_groups,
    )
    for route in part.ROUTES
]
