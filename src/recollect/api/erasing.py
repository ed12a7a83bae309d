"""Erasing for a request."""

from collections.abc import Callable
from typing import Any

from recollect.api.router import Call
from recollect.app import forget
from recollect.app.forget import Erased, Receipt


async def erase(call: Call, unit: Callable[..., Erased], *args: Any, **kwargs: Any) -> Receipt:
    """Erase, and answer once the files are wiped as well, or could not be just now."""
    return await forget.erase(call.services, call.access, unit, *args, **kwargs)
