"""Where clients of `/mcp` find out which issuer to get tokens from (RFC 9728)."""

import msgspec

from recollect.api.http import PROTECTED_RESOURCE
from recollect.api.router import Call, Route
from recollect.errors import NotFound


class ProtectedResource(msgspec.Struct):
    """A protected resource, as clients of OAuth 2.1 are told of it."""

    resource: str
    authorization_servers: list[str]
    scopes_supported: list[str]
    bearer_methods_supported: list[str]
    resource_name: str


async def protected_resource(call: Call) -> ProtectedResource:
    """What `/mcp` is called in tokens, who issues them, and which scopes they may have."""
    chosen = call.services.settings
    if chosen.oauth_issuer is None or chosen.oauth_audience is None:
        raise NotFound("no token issuer is configured here: use an API key")
    return ProtectedResource(
        resource=chosen.oauth_audience,
        authorization_servers=[chosen.oauth_issuer],
        scopes_supported=[chosen.oauth_read_scope, chosen.oauth_write_scope],
        bearer_methods_supported=["header"],
        resource_name="Recollect",
    )


ROUTES = [
    Route(
        "GET",
        path,
        "oauth.protected_resource",
        protected_resource,
        "Describe /mcp as a protected resource",
        public=True,
    )
    for path in (PROTECTED_RESOURCE, f"{PROTECTED_RESOURCE}/mcp")
]
