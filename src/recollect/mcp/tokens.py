"""Verifies access tokens of the configured issuer: signature, audience and expiry.

The issuer's keys come from a file, or from the address in its discovery document. They are cached, and
loaded again for an unknown key id, but at a bounded rate, because anybody can send one.
"""

import asyncio
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx2
import jwt
import msgspec

from recollect import log
from recollect.errors import NotAllowed, NotAuthenticated, Unavailable
from recollect.graph.types import Json
from recollect.limits import (
    ISSUER_BYTES_MAX,
    ISSUER_KEYS_KEPT_S,
    ISSUER_PAUSE_S,
    ISSUER_TIMEOUT_S,
    TOKEN_LEEWAY_S,
)
from recollect.settings import Settings, is_safe_address

_log = log.get(__name__)
# Public-key algorithms only: a shared secret has no place in a published key set.
_ALGORITHMS = frozenset(
    {
        *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
        *("ES256", "ES384", "ES512", "EdDSA"),
    }
)
_TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
_MUST_HAVE = ["exp", "iss", "aud", "sub"]
_OAUTH, _OPENID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"


class Bearer(NamedTuple):
    """The bearer of a token: a subject of the issuer, in a project, with read or write access."""

    subject_uuid: str
    project: str
    writes: bool


class Tokens:
    """Verifies the tokens of one issuer."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._keys = IssuerKeys(settings.oauth_issuer or "", settings.oauth_jwks, clock)

    async def bearer(self, token: str) -> Bearer:
        """The bearer of a token; raises NotAuthenticated, or NotAllowed if it grants nothing here."""
        return self._granted(await self._claims(token))

    async def _claims(self, token: str) -> Json:
        chosen = self._settings
        try:
            header = jwt.get_unverified_header(token)
            key = await self._key(header)
            found: Json = jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],
                audience=chosen.oauth_audience,
                issuer=chosen.oauth_issuer,
                leeway=TOKEN_LEEWAY_S,
                options={"require": _MUST_HAVE},
            )
        except jwt.PyJWTError as error:
            # The type of the error helps an operator; its message may quote the token.
            _log.info("token.refused", why=type(error).__name__)
            raise NotAuthenticated from error
        return found

    async def _key(self, header: Json) -> jwt.PyJWK:
        algorithm = header.get("alg")
        if algorithm not in _ALGORITHMS:
            raise jwt.InvalidAlgorithmError("not an algorithm with a public key")
        if str(header.get("typ", "jwt")).lower() not in _TYPES:
            raise jwt.InvalidTokenError("not an access token")
        found = await self._keys.named(header.get("kid"))
        if found is None or found.get("alg", algorithm) != algorithm:
            raise jwt.InvalidKeyError("no such key, or one for another algorithm")
        return jwt.PyJWK(found, algorithm)

    def _granted(self, claims: Json) -> Bearer:
        chosen = self._settings
        scopes = _scopes(claims)
        writes = chosen.oauth_write_scope in scopes
        if not writes and chosen.oauth_read_scope not in scopes:
            raise NotAllowed(f"the token does not have the scope {chosen.oauth_read_scope}")
        project: Any = chosen.oauth_project
        if chosen.oauth_project_claim is not None:
            project = claims.get(chosen.oauth_project_claim)
        if not isinstance(project, str) or not project:
            raise NotAllowed("the token names no project")
        # Names of people do not belong in logs; the uuid is the same wherever the subject appears.
        subject = uuid.uuid5(uuid.NAMESPACE_URL, f"{chosen.oauth_issuer}#{claims['sub']}")
        return Bearer(str(subject), project, writes)


def _scopes(claims: Json) -> frozenset[str]:
    """The granted scopes: a space-separated string or a list, under either of the usual claims."""
    found = claims.get("scope", claims.get("scp", ""))
    words = found.split() if isinstance(found, str) else found
    return frozenset(word for word in words if isinstance(word, str)) if words else frozenset()


class IssuerKeys:
    """The cached public keys of an issuer."""

    def __init__(self, issuer: str, file: Path | None, clock: Callable[[], float]) -> None:
        self._issuer, self._file, self._clock = issuer, file, clock
        self._keys: list[Json] = []
        self._read_at = self._tried_at = float("-inf")
        self._reading = asyncio.Lock()

    async def named(self, kid: Any) -> Json | None:
        """The key with that id; without an id, the only key if there is just one."""
        if self._clock() - self._read_at > ISSUER_KEYS_KEPT_S:
            await self._read_again()
        found = self._find(kid)
        if found is None:
            await self._read_again()
            found = self._find(kid)
        return found

    def _find(self, kid: Any) -> Json | None:
        known = [key for key in self._keys if kid is None or key.get("kid") == kid]
        return known[0] if len(known) == 1 else None

    async def _read_again(self) -> None:
        async with self._reading:
            if self._clock() - self._tried_at < ISSUER_PAUSE_S:
                if self._keys:
                    return
                raise Unavailable("the keys of the issuer cannot be fetched at the moment")
            self._tried_at = self._clock()
            try:
                said = await (self._fetched() if self._file is None else self._in_file(self._file))
            except (OSError, ValueError, msgspec.DecodeError, httpx2.HTTPError) as error:
                _log.error("issuer.keys_not_read", why=type(error).__name__)
                if self._keys:  # keep using the cached ones
                    return
                raise Unavailable(
                    "the keys of the issuer cannot be fetched at the moment"
                ) from error
            self._keys = _usable(said)
            self._read_at = self._clock()

    async def _in_file(self, file: Path) -> Json:
        said: Json = msgspec.json.decode(await asyncio.to_thread(file.read_bytes), type=dict)
        return said

    async def _fetched(self) -> Json:
        async with httpx2.AsyncClient(timeout=ISSUER_TIMEOUT_S, trust_env=False) as http:
            described = await _described(http, self._issuer)
            address = described.get("jwks_uri")
            if not isinstance(address, str) or not is_safe_address(address):
                raise ValueError("the issuer does not say where its keys are")
            return await _json(http, address)


async def _described(http: httpx2.AsyncClient, issuer: str) -> Json:
    """The discovery document of an issuer, from either of the two well-known addresses."""
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    problem: Exception = ValueError("no document")
    for address in (f"{origin}{_OAUTH}{path}", f"{issuer.rstrip('/')}{_OPENID}"):
        try:
            found = await _json(http, address)
        except (ValueError, msgspec.DecodeError, httpx2.HTTPError) as error:
            problem = error
            continue
        if found.get("issuer") == issuer:
            return found
        problem = ValueError("it is that of another issuer")
    raise problem


async def _json(http: httpx2.AsyncClient, address: str) -> Json:
    async with http.stream("GET", address) as answer:
        answer.raise_for_status()
        body = bytearray()
        async for piece in answer.aiter_bytes():
            body += piece
            if len(body) > ISSUER_BYTES_MAX:
                raise ValueError("the document is too large")
    found: Json = msgspec.json.decode(bytes(body), type=dict)
    return found


def _usable(said: Json) -> list[Json]:
    keys = said.get("keys")
    if not isinstance(keys, list):
        raise ValueError("no set of keys")  # noqa: TRY004 - the file is wrong, not our types
    return [
        key
        for key in keys
        if isinstance(key, dict) and key.get("kty") != "oct" and key.get("use", "sig") == "sig"
    ]
