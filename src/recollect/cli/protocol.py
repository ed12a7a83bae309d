"""HTTP/1.1 as uvicorn speaks it, with one system call per answer."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class _Gathering:
    """A transport that puts the pieces of an answer together before it sends them.

    uvicorn writes head and body one after the other; sent apart, each costs a system call and
    wakes the client once.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._pieces: list[bytes] = []
        self._call_soon = asyncio.get_running_loop().call_soon

    def write(self, piece: bytes) -> None:
        """Keep *piece* until this turn of the loop is over."""
        self._pieces.append(piece)
        if len(self._pieces) == 1:
            self._call_soon(self._flush)

    def _flush(self) -> None:
        pieces, self._pieces = self._pieces, []
        if pieces and not self._transport.is_closing():
            self._transport.write(b"".join(pieces))

    def close(self) -> None:
        """Send what is kept, then close."""
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class GatheringProtocol(HttpToolsProtocol):
    """uvicorn's protocol over a gathering transport."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Put the gathering transport in between."""
        super().connection_made(_Gathering(transport))  # type: ignore[arg-type]
