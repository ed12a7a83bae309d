"""From an Authorization header to the project it opens."""

import time

from recollect.api.http import Scope, header
from recollect.errors import NotAuthenticated
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.store.protocol import Store

_SCHEMES = ("api-key", "bearer")
_REMEMBERED_S = 1.0
_REMEMBERED_MAX = 10_000


class Authenticator:
    """Looks keys up and remembers the answer for a second, so a revoked key is out in one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[bytes, tuple[float, Access]] = {}

    async def access(self, scope: Scope) -> Access:
        """Who is asking; raises NotAuthenticated without a key that we know."""
        digest = keys.hashed(_secret(scope))
        remembered = self._known.get(digest)
        now = time.monotonic()
        if remembered is not None and remembered[0] > now:
            return remembered[1]
        access = await self._store.glance(keys.authenticate, digest)
        if access is None:
            self._known.pop(digest, None)
            raise NotAuthenticated
        if len(self._known) >= _REMEMBERED_MAX:
            self._known.clear()
        self._known[digest] = (now + _REMEMBERED_S, access)
        return access


def _secret(scope: Scope) -> str:
    raw = header(scope, b"authorization")
    if raw is None:
        raise NotAuthenticated
    scheme, _, secret = raw.decode("latin-1").strip().partition(" ")
    if scheme.lower() not in _SCHEMES or not secret.strip():
        raise NotAuthenticated
    return secret.strip()
