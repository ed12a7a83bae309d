"""The official client signs in by itself: it learns of the issuer from the refusal, and gets a token."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.support.issuer import Issuer
from tests.support.server import HOST, Server, free_port

BACK = "http://127.0.0.1:1/back"


class Kept(TokenStorage):
    """What a client remembers of an issuer."""

    token: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.token

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.token = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with Issuer() as made:
        yield made


def signing_in(address: str, kept: Kept) -> OAuthClientProvider:
    """A client whose user says yes to everything."""
    seen: list[str] = []

    async def visit(url: str) -> None:
        async with httpx2.AsyncClient(trust_env=False) as browser:
            seen.append((await browser.get(url)).headers["Location"])

    async def come_back() -> AuthorizationCodeResult:
        told = parse_qs(urlsplit(seen[-1]).query)
        return AuthorizationCodeResult(code=told["code"][0], state=told["state"][0])

    client = OAuthClientMetadata(
        client_name="a test",
        redirect_uris=[AnyUrl(BACK)],
        token_endpoint_auth_method="none",  # noqa: S106
    )
    return OAuthClientProvider(address, client, kept, visit, come_back)


async def test_a_client_finds_the_issuer_and_gets_in(issuer: Issuer, tmp_path: Path) -> None:
    port = free_port()
    address = f"http://{HOST}:{port}/mcp"
    chosen = {"RECOLLECT_OAUTH_ISSUER": issuer.url, "RECOLLECT_OAUTH_AUDIENCE": address}
    kept = Kept()
    with Server(tmp_path / "data", port=port, environment=chosen):
        signed_in = signing_in(address, kept)
        async with (
            httpx2.AsyncClient(auth=signed_in, trust_env=False, timeout=60) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            names = {tool.name for tool in (await client.list_tools()).tools}
            added = await client.call_tool("add_memory", {"user_id": "ann", "content": "I ski."})
    assert kept.token is not None
    assert {"search_graph", "add_memory"} <= names
    assert not added.is_error
    assert "/register" in issuer.asked
