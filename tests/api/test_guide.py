"""The documentation at `/guide`: whole, from here alone, and nothing else of the machine."""

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import pytest

from recollect.errors import NotFound
from recollect.native import pages
from tests.support.server import Server

DOCS = Path(__file__).parents[2] / "docs"
LINK = re.compile(r'<(?:a|link|script|img)\b[^>]*?\s(?:href|src)="([^"]+)"')
INLINE = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL)
# What somebody who has never seen it looks for.
WANTED = (
    "index",
    "quickstart",
    "howto/coming-from",
    "operating/sizing",
    "operating/troubleshooting",
    "reference/http",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server, nobody's key in its hands."""
    if not (pages._SITE / "index.html").is_file():
        pytest.skip("the guide is not built; `make docs` builds it")
    with (
        Server(tmp_path_factory.mktemp("guide") / "data") as server,
        httpx.Client(base_url=server.url, trust_env=False) as client,
    ):
        yield client


@pytest.mark.parametrize("path", ["/guide", "/guide/"])
def test_it_opens_on_its_first_page(site: httpx.Client, path: str) -> None:
    """`/guide` leads there, with a slash and without."""
    answer = site.get(path)
    assert (answer.status_code, answer.headers["location"]) == (307, "/guide/index.html")
    assert "memory server for AI agents" in site.get(answer.headers["location"]).text


@pytest.mark.parametrize("page", WANTED)
def test_a_newcomer_finds_the_page(site: httpx.Client, page: str) -> None:
    """It is there, and the first page's menu names it."""
    assert site.get(f"/guide/{page}.html").status_code == 200
    assert f"{page}.html" in site.get("/guide/index.html").text or page == "index"


def test_every_link_leads_to_a_page_of_the_site(site: httpx.Client) -> None:
    """From the first page on, everything that can be reached is there, and every page is reached."""
    known, left = set[str](), ["/guide/index.html"]
    while left:
        path = left.pop()
        if path in known:
            continue
        known.add(path)
        answer = site.get(path)
        assert answer.status_code == 200, path
        if not path.endswith(".html"):
            continue
        for link in LINK.findall(answer.text):
            aim = urlsplit(urljoin(path, link))
            if not aim.netloc and aim.path.startswith("/guide/"):
                left.append(aim.path)
    names = (path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md"))
    pages = {f"/guide/{name}".replace("README", "index") for name in names}
    assert pages - known == set(), "a page that zensical.toml does not name"


def test_a_page_may_run_its_own_scripts_and_load_from_here_alone(site: httpx.Client) -> None:
    """Every inline script is named by its hash; no page asks another host for anything."""
    for page in WANTED:
        answer = site.get(f"/guide/{page}.html")
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self' 'unsafe" not in policy
        for script in INLINE.findall(answer.text):
            digest = hashlib.sha256(script.encode()).digest()
            assert f"'sha256-{base64.b64encode(digest).decode()}'" in policy
        loaded = re.findall(
            r'<(?:script|link|img)\b[^>]*?\s(?:href|src)="(https?:[^"]+)"', answer.text
        )
        assert loaded == []


@pytest.mark.parametrize(
    "path", ["/guide/../settings.py", "/guide/%2e%2e/settings.py", "/guide/nothing.html"]
)
def test_nothing_but_the_site_is_served(site: httpx.Client, path: str) -> None:
    """Whatever a path says."""
    assert site.get(path).status_code == 404


async def test_a_guide_that_is_not_built_says_how_to_build_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Instead of an empty answer."""
    monkeypatch.setattr(pages, "_SITE", tmp_path)
    pages._pages.cache_clear()
    try:
        with pytest.raises(NotFound, match="make docs"):
            await pages.guide_first(None)  # type: ignore[arg-type]
    finally:
        pages._pages.cache_clear()
