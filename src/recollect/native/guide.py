"""`/guide`: the documentation, as `make docs` builds it from `docs/`.

The site comes from a generator whose pages carry a few small scripts of their own. The policy names
those by their hashes and lets everything else come from here alone.
"""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from recollect.api import served_files
from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.errors import NotFound

_TYPES = {
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
    """The files of the site by their paths; nothing else is ever opened."""
    found = (each for each in _SITE.rglob("*") if each.suffix in _TYPES and each.is_file())
    return {each.relative_to(_SITE).as_posix(): each for each in found}


def _policy(page: bytes) -> bytes:
    """What a page may run and load: its own scripts as they stand, and what comes from here."""
    digests = (hashlib.sha256(script).digest() for script in _INLINE.findall(page))
    hashes = " ".join(f"'sha256-{base64.b64encode(each).decode()}'" for each in digests)
    return (
        f"default-src 'none'; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ).encode()


async def first(call: Call) -> Reply:
    """The way to the first page."""
    if not _pages():
        raise NotFound("the guide is not built; `make docs` builds it from docs/")
    return Reply(307, b"", [(b"location", _FIRST.encode())])


async def page(call: Call) -> Reply:
    """A page or another file of the site."""
    found = _pages().get("/".join(call.path.values()))
    if found is None:
        raise NotFound("no such page")
    body = served_files.content(found)
    headers = [
        (b"content-type", _TYPES[found.suffix].encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cache-control", b"no-cache"),
    ]
    if found.suffix == ".html":
        headers.append((b"content-security-policy", _policy(body)))
    return Reply(200, body, headers)


def _below(depth: int) -> str:
    return "/guide" + "".join(f"/{{part_{number}}}" for number in range(1, depth + 1))


ROUTES = [
    *(
        Route("GET", path, "guide", first, "The documentation", public=True)
        for path in ("/guide", "/guide/")
    ),
    *(
        Route("GET", _below(depth), "guide", page, "Pages of the documentation", public=True)
        for depth in range(1, _DEPTH_MAX + 1)
    ),
]
