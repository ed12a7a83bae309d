"""The whole application on one ASGI callable."""

from recollect import __version__
from recollect.api.app import App
from recollect.api.router import Route, Router
from recollect.app.services import Services
from recollect.compat.memmachine import routes as memmachine
from recollect.compat.zep import routes as zep
from recollect.compat.zep.v4 import routes as zep4
from recollect.mcp import endpoint as mcp
from recollect.native import (
    audit,
    explained,
    facts,
    graph_map,
    jobs,
    keys,
    merges,
    pages,
    policies,
    readings,
    session_logs,
)


def route_table() -> list[Route]:
    """Every route there is, in one list."""
    described = [
        *jobs.ROUTES,
        *policies.ROUTES,
        *keys.ROUTES,
        *audit.ROUTES,
        *facts.ROUTES,
        *session_logs.ROUTES,
        *facts.ROUTES_OF_GRAPHS,
        *merges.ROUTES,
        *explained.ROUTES,
        *graph_map.ROUTES,
        *readings.ROUTES,
        *zep.ROUTES,
        *zep4.ROUTES,
        *memmachine.ROUTES,
    ]
    return [
        *described,
        *pages.docs_routes(described, __version__),
        *pages.GUIDE_ROUTES,
        *pages.EXPLORER_ROUTES,
    ]


def application(services: Services) -> App:
    """The application over open services; to be closed before them."""
    app = App(Router(route_table()), services)
    chosen = services.settings
    app.mount(mcp.PATH, mcp.Endpoint(app.gate, (chosen.host, *chosen.mcp_hosts.split(","))))
    return app
