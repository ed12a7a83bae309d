"""The whole application on one ASGI callable."""

from importlib.metadata import version

from recollect.api.app import App
from recollect.api.compat.memmachine import routes as memmachine
from recollect.api.compat.zep import routes as zep
from recollect.api.native import (
    audit,
    chapters,
    docs,
    erasure,
    facts,
    keys,
    policies,
    readings,
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
        *audit.ROUTES,
        *erasure.ROUTES,
        *facts.ROUTES,
        *session_logs.ROUTES,
        *chapters.ROUTES,
        *readings.ROUTES,
        *zep.ROUTES,
        *memmachine.ROUTES,
    ]
    return [*described, *docs.routes(described, version("recollect"))]


def application(services: Services) -> App:
    """The application over open services; to be closed before them."""
    app = App(Router(route_table()), services)
    app.mount(mcp.PATH, mcp.Endpoint(app))
    return app
