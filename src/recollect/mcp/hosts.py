"""By which name the endpoint is asked for, and by a page of whom.

A page elsewhere can have its own name lead to this machine, and the browser would then take the two
for one. So a name has to be one that is known here; a number cannot be led astray.
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from recollect.api.http import Scope, header
from recollect.errors import NotAllowed

_HERE = "localhost"


class Hosts:
    """The names that are known here, and the *origins* of pages elsewhere that may ask."""

    def __init__(self, names: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._names = {name.strip().lower() for name in names if name.strip()}
        self._origins = frozenset(origins)

    def check(self, scope: Scope) -> None:
        """Raises NotAllowed for a request that came by another name, or from a foreign page."""
        if [name for name, _ in scope["headers"]].count(b"host") > 1:
            raise NotAllowed("Host: more than one")
        host, origin = header(scope, b"host"), header(scope, b"origin")
        asked = None if host is None else _name(f"//{host.decode('latin-1')}")
        if host is not None and not (self._is_known(asked) or _number(asked) is not None):
            raise NotAllowed("Host: not a name of this server; RECOLLECT_MCP_HOSTS tells them")
        if origin is not None and not self._is_welcome(origin.decode("latin-1"), asked):
            raise NotAllowed("Origin: not a page of this server; RECOLLECT_MCP_HOSTS tells them")

    def _is_welcome(self, origin: str, asked: str | None) -> bool:
        return origin in self._origins or self._is_own(_name(origin), asked)

    def _is_own(self, page: str | None, asked: str | None) -> bool:
        number = _number(page)
        return self._is_known(page) or (
            number is not None and (number.is_loopback or page == asked)
        )

    def _is_known(self, name: str | None) -> bool:
        return name is not None and (
            name in self._names or name == _HERE or name.endswith(f".{_HERE}")
        )


def _name(address: str) -> str | None:
    try:
        found = urlsplit(address)
        _ = found.port
    except ValueError:
        return None
    return found.hostname if found.username is None else None


def _number(name: str | None) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name or "")
    except ValueError:
        return None
