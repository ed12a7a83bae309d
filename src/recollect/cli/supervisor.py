"""What a supervisor such as systemd is told of a process that it started (`Type=notify`)."""

import socket
from contextlib import suppress
from typing import Literal

from recollect import settings

State = Literal["READY=1", "STOPPING=1"]


def tell(state: State) -> None:
    """Say how far this process is; nothing where nobody listens."""
    address = settings.notify_socket()
    if not address:
        return
    if address.startswith("@"):  # a name that is no file
        address = "\0" + address[1:]
    with (
        suppress(OSError),  # a supervisor that is gone hinders nobody
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as told,
    ):
        told.connect(address)
        told.sendall(state.encode())
