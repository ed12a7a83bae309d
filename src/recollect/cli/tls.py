"""Whether what passes between a client and this server can be read on the way."""

import socket
import ssl
from ipaddress import ip_address

from recollect.errors import InvalidInput
from recollect.settings import Settings

IN_THE_CLEAR = (
    "warning: {host} can be reached from elsewhere, and without TLS keys and memories pass in the clear.\n"
    "         Give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that has them."
)


def check(chosen: Settings) -> None:
    """Raises InvalidInput for files that are no certificate and its key."""
    if chosen.tls_cert is None or chosen.tls_key is None:
        return
    for name, path in (("tls_cert", chosen.tls_cert), ("tls_key", chosen.tls_key)):
        try:
            path.read_bytes()
        except OSError as error:
            raise InvalidInput(f"{name}: {path}: {error.strerror}") from error
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chosen.tls_cert, chosen.tls_key, password=_no_password)
    except (ssl.SSLError, ValueError) as error:
        why = getattr(error, "reason", None) or str(error)
        raise InvalidInput(
            f"tls_cert and tls_key: not a certificate and its key in PEM: {why}"
        ) from error


def _no_password() -> str:
    raise ValueError("the key has a password, and nobody is there to type it")


def is_in_the_clear(chosen: Settings, listening: socket.socket) -> bool:
    """Whether somebody on the way could read along."""
    if chosen.tls_cert is not None:
        return False
    return not ip_address(str(listening.getsockname()[0]).partition("%")[0]).is_loopback
