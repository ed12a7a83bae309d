"""Recollect: memory for AI agents.

`Memory` has it inside a program; `SyncMemory` is the same for code that does not await. Both are
loaded when they are first asked for, so that `import recollect` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.library.memory import Memory
    from recollect.library.sync_memory import SyncMemory

__all__ = ["Memory", "SyncMemory"]

_PLACES = {
    "Memory": "recollect.library.memory",
    "SyncMemory": "recollect.library.sync_memory",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
