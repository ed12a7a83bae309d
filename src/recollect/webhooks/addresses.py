"""Which addresses webhooks may call.

The person who registers a webhook chooses where this machine connects to. They must not reach what
only this machine can: itself, its network, a cloud's metadata service.

A name is resolved once, and the call goes to exactly the address that was checked: a second lookup
could return another one.
"""

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from recollect.errors import NotAllowed, Unavailable
from recollect.settings import Network, networks_in

Address = IPv4Address | IPv6Address
_NAT64 = IPv6Network("64:ff9b::/96")


def may_be_called(address: Address, private: Sequence[Network]) -> bool:
    """Whether an address is public, or among the *private* networks that are allowed."""
    real = _behind(address)
    if any(real.version == network.version and real in network for network in private):
        return True
    local = isinstance(real, IPv6Address) and real.is_site_local
    return real.is_global and not (real.is_multicast or real.is_reserved or local)


def _behind(address: Address) -> Address:
    """The IPv4 address embedded in an IPv6 address, if any."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def refuse_number(host: str, private: str) -> None:
    """Refuse a literal address that may not be called; a name is checked when it is resolved."""
    try:
        address = ip_address(host)
    except ValueError:
        return
    if not may_be_called(address, networks_in(private)):
        raise NotAllowed(_refusal(host))


async def address_of(host: str, port: int, private: Sequence[Network]) -> str:
    """Resolve a host to an allowed address; raises NotAllowed if it has none."""
    try:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise Unavailable("the name of the host cannot be looked up") from error
    for *_, place in found:
        address = str(place[0]).partition("%")[0]
        if may_be_called(ip_address(address), private):
            return address
    raise NotAllowed(_refusal(host))


def _refusal(host: str) -> str:
    return f"{host} is no public address: RECOLLECT_WEBHOOK_PRIVATE says which others may be called"
