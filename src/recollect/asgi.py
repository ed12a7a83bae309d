"""The whole application on one ASGI callable."""

from importlib.metadata import version

from recollect.api.app import App
from recollect.api.compat.memmachine import routes as memmachine
from recollect.api.compat.zep import routes as zep
from recollect.api.compat.zep4 import routes as zep4
from recollect.api.native import (
    audit,
    chapters,
    context_explained,
    docs,
    doubts,
    erasure,
    explorer,
    facts,
    graph_map,
    guide,
    keys,
    merges,
    policies,
    projects,
    readings,
    search_explained,
    session_logs,
)
from recollect.api.native import routes as native
from recollect.api.router import Route, Router
from recollect.bootstrap import Services
from recollect.mcp import endpoint as mcp


def route_table() -> list[Route]:
    """Every route there is, in one list."""
    described = [
        *native.ROUTES,
        *policies.ROUTES,
        *keys.ROUTES,
        *projects.ROUTES,
        *audit.ROUTES,
        *erasure.ROUTES,
        *facts.ROUTES,
        *session_logs.ROUTES,
        *chapters.ROUTES,
        *doubts.ROUTES,
        *merges.ROUTES,
        *search_explained.ROUTES,
        *context_explained.ROUTES,
        *graph_map.ROUTES,
        *readings.ROUTES,
        *zep.ROUTES,
        *zep4.ROUTES,
        *memmachine.ROUTES,
    ]
    pages = [*docs.routes(described, version("recollect")), *guide.ROUTES, *explorer.ROUTES]
    return [*described, *pages]


def application(services: Services) -> App:
    """The application over open services; to be closed before them."""
    app = App(Router(route_table()), services)
    chosen = services.settings
    app.mount(mcp.PATH, mcp.Endpoint(app, (chosen.host, *chosen.mcp_hosts.split(","))))
    return app
