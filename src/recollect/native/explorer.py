"""The explorer: the pages at `/` that show a memory in a browser, over the public API alone.

Its files are part of the package and hold no data, so anybody may fetch them. The policy lets a
page run and load only what comes from here, and takes no text for markup.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

from recollect.api import served_files
from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.errors import NotFound

_TYPES = {
    "css": b"text/css; charset=utf-8",
    "html": b"text/html; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "svg": b"image/svg+xml",
}
_POLICY = b"; ".join(
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
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
]
_FOLDER = Path(str(files("recollect"))) / "explorer"
_INDEX = "index.html"


@cache
def names() -> frozenset[str]:
    """The files there are; nothing else is ever opened."""
    found = (each.name for each in _FOLDER.iterdir() if each.is_file())
    return frozenset(name for name in found if name.rpartition(".")[2] in _TYPES)


async def page(call: Call) -> Reply:
    """The page that loads all others."""
    return _file(_INDEX, call.headers)


async def asset(call: Call) -> Reply:
    """A file of the explorer."""
    name = call.path["name"]
    if name not in names():
        raise NotFound("no such file")
    return _file(name, call.headers)


def _file(name: str, headers: Iterable[tuple[bytes, bytes]]) -> Reply:
    body = served_files.content(_FOLDER / name)
    tag = b'"' + hashlib.sha256(body).hexdigest()[:32].encode() + b'"'
    told = [(b"content-type", _TYPES[name.rpartition(".")[2]]), (b"etag", tag), *_HEADERS]
    if (b"if-none-match", tag) in headers:
        return Reply(304, b"", told)
    return Reply(200, body, told)


ROUTES = [
    Route("GET", "/", "explorer", page, "The explorer", public=True),
    Route("GET", "/explorer/{name}", "explorer", asset, "Files of the explorer", public=True),
]
