"""Pages for a browser, all of them public: the explorer at `/`, `/docs` over `/openapi.json`, and `/guide`.

The explorer uses nothing but the public API. Its files are part of the package and contain no data. The
content security policy lets a page run and load only what this server serves, and enforces trusted types. The
guide is the documentation that `make docs` builds. Its generator adds a few inline scripts, which the policy
allows by their hashes.

Files are cached until they change: handlers run in the event loop, where reading a file blocks everyone
else.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

import msgspec

from recollect.api.http import Reply
from recollect.api.openapi import document
from recollect.api.router import Call, Route
from recollect.errors import NotFound

_FILES_MAX = 512


def served(path: Path) -> bytes:
    """The content of one of our files."""
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=_FILES_MAX)
def _read(path: Path, _changed: int) -> bytes:
    return path.read_bytes()


_EXPLORER_TYPES = {
    "css": b"text/css; charset=utf-8",
    "html": b"text/html; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "svg": b"image/svg+xml",
}
_EXPLORER_POLICY = b"; ".join(
    [
        b"default-src 'none'",
        b"script-src 'self'",
        b"style-src 'self'",
        b"img-src 'self'",
        b"connect-src 'self'",
        b"worker-src 'self'",
        b"base-uri 'none'",
        b"form-action 'none'",
        b"frame-ancestors 'none'",
        b"require-trusted-types-for 'script'",
        b"trusted-types recollect-worker",
    ]
)
_HEADERS = [
    (b"content-security-policy", _EXPLORER_POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
]
_FOLDER = Path(str(files("recollect"))) / "explorer"
_INDEX = "index.html"


@cache
def names() -> frozenset[str]:
    """The names of the explorer's files; nothing else is ever opened."""
    found = (each.name for each in _FOLDER.iterdir() if each.is_file())
    return frozenset(name for name in found if name.rpartition(".")[2] in _EXPLORER_TYPES)


async def explorer_page(call: Call) -> Reply:
    """The page that loads all others."""
    return _file(_INDEX, call.headers)


async def explorer_file(call: Call) -> Reply:
    """A file of the explorer."""
    name = call.path["name"]
    if name not in names():
        raise NotFound("no such file")
    return _file(name, call.headers)


def _file(name: str, headers: Iterable[tuple[bytes, bytes]]) -> Reply:
    body = served(_FOLDER / name)
    tag = b'"' + hashlib.sha256(body).hexdigest()[:32].encode() + b'"'
    told = [(b"content-type", _EXPLORER_TYPES[name.rpartition(".")[2]]), (b"etag", tag), *_HEADERS]
    if (b"if-none-match", tag) in headers:
        return Reply(304, b"", told)
    return Reply(200, body, told)


_DOCS_TYPES = {"css": "text/css", "js": "text/javascript", "png": "image/png"}
_ASSETS = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png")
_DOCS_PAGE = b"""<!doctype html>
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


async def docs_page(call: Call) -> Reply:
    """The documentation page."""
    return Reply.typed(_DOCS_PAGE, "text/html; charset=utf-8")


async def docs_file(call: Call) -> Reply:
    """A file of the documentation page."""
    name = call.path["name"]
    if name not in _ASSETS:
        raise NotFound("no such file")
    body = served(_static() / name)
    return Reply.typed(body, _DOCS_TYPES[name.rsplit(".", 1)[1]])


def docs_routes(described: Sequence[Route], version: str) -> list[Route]:
    """The documentation routes for a table of routes."""

    @cache
    def encoded() -> bytes:
        # Built on first request: describing every type would slow down each start.
        return msgspec.json.encode(document(described, version))

    async def openapi(call: Call) -> Reply:
        """This API as an OpenAPI document."""
        return Reply.typed(encoded(), "application/json")

    return [
        Route("GET", "/openapi.json", "openapi", openapi, "This document", public=True),
        Route("GET", "/docs", "docs", docs_page, "Documentation page", public=True),
        Route("GET", "/docs/{name}", "docs", docs_file, "Files of that page", public=True),
    ]


_GUIDE_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}
_INLINE = re.compile(rb"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL)
_FIRST = "/guide/index.html"
_DEPTH_MAX = 4  # of folders in a site
_SITE = Path(str(files("recollect"))) / "guide"


@cache
def _pages() -> dict[str, Path]:
    """The files of the site by path; nothing else is ever opened."""
    found = (each for each in _SITE.rglob("*") if each.suffix in _GUIDE_TYPES and each.is_file())
    return {each.relative_to(_SITE).as_posix(): each for each in found}


def _guide_policy(page: bytes) -> bytes:
    """The content security policy of a page: its own inline scripts, and what this server serves."""
    digests = (hashlib.sha256(script).digest() for script in _INLINE.findall(page))
    hashes = " ".join(f"'sha256-{base64.b64encode(each).decode()}'" for each in digests)
    return (
        f"default-src 'none'; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ).encode()


async def guide_first(call: Call) -> Reply:
    """The way to the first page."""
    if not _pages():
        raise NotFound("the guide is not built; `make docs` builds it from docs/")
    return Reply(307, b"", [(b"location", _FIRST.encode())])


async def guide_page(call: Call) -> Reply:
    """A page or another file of the site."""
    found = _pages().get("/".join(call.path.values()))
    if found is None:
        raise NotFound("no such page")
    body = served(found)
    headers = [
        (b"content-type", _GUIDE_TYPES[found.suffix].encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cache-control", b"no-cache"),
    ]
    if found.suffix == ".html":
        headers.append((b"content-security-policy", _guide_policy(body)))
    return Reply(200, body, headers)


def _below(depth: int) -> str:
    return "/guide" + "".join(f"/{{part_{number}}}" for number in range(1, depth + 1))


EXPLORER_ROUTES = [
    Route("GET", "/", "explorer", explorer_page, "The explorer", public=True),
    Route(
        "GET", "/explorer/{name}", "explorer", explorer_file, "Files of the explorer", public=True
    ),
]

GUIDE_ROUTES = [
    *(
        Route("GET", path, "guide", guide_first, "The documentation", public=True)
        for path in ("/guide", "/guide/")
    ),
    *(
        Route("GET", _below(depth), "guide", guide_page, "Pages of the documentation", public=True)
        for depth in range(1, _DEPTH_MAX + 1)
    ),
]
