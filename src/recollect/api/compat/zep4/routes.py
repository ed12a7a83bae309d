"""Everything under `/api/v4`."""

from dataclasses import replace

from recollect.api.compat.zep4 import (
    refusing,
    routes_absent,
    routes_agents,
    routes_batches,
    routes_derived,
    routes_direct,
    routes_episodes,
    routes_graphs,
    routes_guidance,
    routes_knowledge,
    routes_messages,
    routes_project,
    routes_query,
    routes_readings,
    routes_search,
    routes_threads,
    routes_trace_events,
    routes_trace_summaries,
    routes_traces,
    routes_unlearned,
    routes_user_groups,
    routes_users,
)
from recollect.api.router import Route

PREFIX = "/api/v4"

ROUTES: list[Route] = [
    replace(route, path=PREFIX + route.path, refusal=refusing.reply_for)
    for part in (
        routes_users,
        routes_threads,
        routes_messages,
        routes_graphs,
        routes_direct,
        routes_search,
        routes_query,
        routes_episodes,
        routes_readings,
        routes_knowledge,
        routes_derived,
        routes_project,
        routes_guidance,
        routes_batches,
        routes_user_groups,
        routes_absent,
        routes_agents,
        routes_traces,
        routes_trace_events,
        routes_trace_summaries,
        routes_unlearned,
    )
    for route in part.ROUTES
]
