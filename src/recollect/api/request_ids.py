"""The id of a request: the client's own where it sends a sane one, in the answer and in the log."""

import re
from collections.abc import MutableMapping
from typing import Any

from recollect.api.http import Scope, Send, header
from recollect.ids import TimeOrderedIds

_HEADER = b"x-request-id"
_SANE = re.compile(rb"[\w.:/+=@-]{1,128}", re.ASCII)
_new = TimeOrderedIds()


def of(scope: Scope) -> str:
    """The id that came with a request, or a new one."""
    given = header(scope, _HEADER)
    return given.decode() if given is not None and _SANE.fullmatch(given) else _new()


def telling(id_: str, send: Send) -> Send:
    """*send*, with the id in the head of the answer."""
    told = (_HEADER, id_.encode())

    async def tell(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], told]}
        await send(message)

    return tell
