"""`/openapi.json`, and `/docs` to read it in a browser without any network."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from recollect.api import served_files
from recollect.api.http import Reply
from recollect.api.openapi import document
from recollect.api.router import Call, Route
from recollect.errors import NotFound

_TYPES = {"css": "text/css", "js": "text/javascript", "png": "image/png"}
_ASSETS = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png")
_PAGE = b"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><title>Recollect API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script>
SwaggerUIBundle({url: "/openapi.json", dom_id: "#page", deepLinking: true,
                 docExpansion: "none", validatorUrl: null})
</script>
</body>
</html>
"""


@cache
def _static() -> Path:
    return Path(str(files("swagger_ui"))) / "static"


async def page(call: Call) -> Reply:
    """The documentation page."""
    return Reply.typed(_PAGE, "text/html; charset=utf-8")


async def asset(call: Call) -> Reply:
    """A file of the documentation page."""
    name = call.path["name"]
    if name not in _ASSETS:
        raise NotFound("no such file")
    body = served_files.content(_static() / name)
    return Reply.typed(body, _TYPES[name.rsplit(".", 1)[1]])


def routes(described: Sequence[Route], version: str) -> list[Route]:
    """The documentation routes for a table of routes."""

    @cache
    def encoded() -> bytes:
        # Made when first asked for: describing every type would slow each start.
        return msgspec.json.encode(document(described, version))

    async def openapi(call: Call) -> Reply:
        """This API as an OpenAPI document."""
        return Reply.typed(encoded(), "application/json")

    return [
        Route("GET", "/openapi.json", "openapi", openapi, "This document", public=True),
        Route("GET", "/docs", "docs", page, "Documentation page", public=True),
        Route("GET", "/docs/{name}", "docs", asset, "Files of that page", public=True),
    ]
