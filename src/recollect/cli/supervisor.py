"""Notifies the supervisor that started this process, such as systemd (`Type=notify`)."""

import socket
from contextlib import suppress
from typing import Literal

from recollect import settings

State = Literal["READY=1", "STOPPING=1"]


def tell(state: State) -> None:
    """Report the state of this process; does nothing without a supervisor."""
    address = settings.notify_socket()
    if not address:
        return
    if address.startswith("@"):  # an abstract socket
        address = "\0" + address[1:]
    with (
        suppress(OSError),  # the supervisor may be gone
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as told,
    ):
        told.connect(address)
        told.sendall(state.encode())
