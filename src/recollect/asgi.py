"""The whole application as one ASGI callable."""

from collections.abc import Awaitable, Callable

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
    expiry,
    explained,
    facts,
    graph_map,
    injections,
    jobs,
    keys,
    merges,
    oauth,
    pages,
    policies,
    readings,
    session_logs,
    webhooks,
)
from recollect.settings import origins_in

_METRICS = "metrics"


def route_table(*, metrics: bool = True) -> list[Route]:
    """All routes in one list, with or without the metrics."""
    described = [
        *jobs.ROUTES,
        *policies.ROUTES,
        *keys.ROUTES,
        *audit.ROUTES,
        *facts.ROUTES,
        *session_logs.ROUTES,
        *webhooks.ROUTES,
        *expiry.ROUTES,
        *facts.ROUTES_OF_GRAPHS,
        *injections.ROUTES,
        *merges.ROUTES,
        *oauth.ROUTES,
        *explained.ROUTES,
        *graph_map.ROUTES,
        *readings.ROUTES,
        *zep.ROUTES,
        *zep4.ROUTES,
        *memmachine.ROUTES,
    ]
    if not metrics:
        described = [route for route in described if route.action != _METRICS]
    return [
        *described,
        *pages.docs_routes(described, __version__),
        *pages.GUIDE_ROUTES,
        *pages.EXPLORER_ROUTES,
    ]


def application(services: Services) -> App:
    """The application over open services; close it before them."""
    chosen = services.settings
    app = App(Router(route_table(metrics=chosen.metrics_port is None)), services)
    app.mount(mcp.PATH, mcp.Endpoint(app.gate))
    return app


def watching(services: Services) -> App:
    """The application for a separate metrics port: metrics, health and readiness."""
    return App(Router([route for route in jobs.ROUTES if route.public]), services)


def for_pages(app: App) -> Callable[..., Awaitable[None]]:
    """The application with CORS for the configured origins; unchanged if there are none."""
    origins = origins_in(app.gate.services.settings.cors_origins)
    if not origins:
        return app
    from starlette.middleware.cors import CORSMiddleware

    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=["*"],
        expose_headers=["Retry-After", "WWW-Authenticate", "Recollect-Last-Id", "X-Request-Id"],
    )
