"""Everything under `/api/v4`."""

from dataclasses import replace

from recollect.api.router import Route
from recollect.compat.zep.v4 import (
    errors,
    routes_agents,
    routes_batches,
    routes_direct,
    routes_episodes,
    routes_graphs,
    routes_guidance,
    routes_knowledge,
    routes_project,
    routes_query,
    routes_search,
    routes_threads,
    routes_traces,
    routes_unsupported,
    routes_user_groups,
    routes_users,
)
from recollect.errors import KeyReused

PREFIX = "/api/v4"

ROUTES: list[Route] = [
    replace(
        route,
        path=PREFIX + route.path,
        refusal=errors.reply_for,
        also=(*route.also, KeyReused) if route.mutates else route.also,
    )
    for part in (
        routes_users.ROUTES,
        routes_threads.ROUTES,
        routes_graphs.ROUTES,
        routes_direct.ROUTES,
        routes_search.ROUTES,
        routes_query.ROUTES,
        routes_episodes.ROUTES,
        routes_knowledge.ROUTES,
        routes_project.ROUTES,
        routes_guidance.ROUTES,
        routes_batches.ROUTES,
        routes_user_groups.ROUTES,
        routes_unsupported.ROUTES,
        routes_agents.ROUTES,
        routes_traces.ROUTES,
        routes_unsupported.SKILL_ROUTES,
    )
    for route in part
]
