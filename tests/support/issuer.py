"""An issuer of access tokens on loopback: discovery, keys, registration, authorization, tokens.

It signs with a different library than the one that verifies its tokens.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, Key, KeySet, RSAKey

AUDIENCE = "https://memory.example/mcp"
_OAUTH, _OPENID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
_KEYS: dict[str, Callable[[str], Key]] = {
    "RS256": lambda kid: RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"}),
    "ES256": lambda kid: ECKey.generate_key("P-256", {"kid": kid, "use": "sig", "alg": "ES256"}),
    "PS256": lambda kid: RSAKey.generate_key(2048, {"kid": kid, "use": "sig"}),
}


def new_key(algorithm: str = "ES256", kid: str = "first") -> Key:
    """A key pair."""
    return _KEYS[algorithm](kid)


class Issuer:
    """Issues tokens for a subject, and serves HTTP while it is used as a context manager."""

    def __init__(self, algorithm: str = "ES256", audience: str = AUDIENCE) -> None:
        self.algorithm, self.audience = algorithm, audience
        self.keys = [new_key(algorithm)]
        self.asked: list[str] = []
        self.scope = "memory:read memory:write"
        self.says_issuer: str | None = None
        self._codes: dict[str, str] = {}
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop the HTTP server."""
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
        self._http.server_close()

    @property
    def jwks(self) -> dict[str, Any]:
        """The public keys."""
        return dict(KeySet(self.keys).as_dict(private=False))

    def token(
        self, *, key: Key | None = None, header: dict[str, Any] | None = None, **claims: Any
    ) -> str:
        """A token. The given claims replace the usual ones; None leaves a claim out."""
        now = int(time.time())
        usual = {
            "iss": self.url,
            "aud": self.audience,
            "sub": "ann@example.com",
            "iat": now,
            "exp": now + 300,
            "scope": self.scope,
        }
        said = {name: value for name, value in (usual | claims).items() if value is not None}
        signs = key or self.keys[-1]
        head = {"alg": self.algorithm, "kid": signs.kid, "typ": "at+jwt"} | (header or {})
        head = {name: value for name, value in head.items() if value is not None}
        return jwt.encode(head, said, signs, algorithms=[head["alg"]])

    def _described(self) -> dict[str, Any]:
        return {
            "issuer": self.says_issuer or self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register",
            "jwks_uri": f"{self.url}/keys",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        }

    def _exchanged(self, form: dict[str, list[str]]) -> dict[str, Any]:
        """A token for a code, if the caller proves that it requested the code (PKCE)."""
        digest = hashlib.sha256(form["code_verifier"][0].encode()).digest()
        proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        assert self._codes.pop(form["code"][0]) == proof
        audience = form.get("resource", [self.audience])[0]
        token = self.token(aud=audience)
        return {"access_token": token, "token_type": "Bearer", "expires_in": 300}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                place = urlsplit(self.path)
                issuer.asked.append(place.path)
                if place.path in (_OAUTH, _OPENID):
                    self._json(issuer._described())
                elif place.path == "/keys":
                    self._json(issuer.jwks)
                elif place.path == "/authorize":
                    self._authorize(parse_qs(place.query))
                else:
                    self.send_error(404)

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
                issuer.asked.append(self.path)
                if self.path == "/token":
                    self._json(issuer._exchanged(parse_qs(sent)))
                else:
                    self._json({**json.loads(sent), "client_id": "a-client"}, 201)

            def _authorize(self, query: dict[str, list[str]]) -> None:
                code = secrets.token_hex(8)
                issuer._codes[code] = query["code_challenge"][0]
                back = urlencode({"code": code, "state": query["state"][0]})
                self.send_response(302)
                self.send_header("Location", f"{query['redirect_uri'][0]}?{back}")
                self.end_headers()

            def _json(self, value: Any, status: int = 200) -> None:
                body = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """No log: nobody would read it."""

        return Handler
