"""Recollect: memory for AI agents.

`Memory` is the memory embedded in a program; `SyncMemory` is the same for synchronous code. Each name is
loaded on first use, so that `import recollect` is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.library.memory import Memory
    from recollect.library.sync_memory import SyncMemory

    __version__: str

__all__ = ["Memory", "SyncMemory", "__version__"]

_MODULES = {
    "Memory": "recollect.library.memory",
    "SyncMemory": "recollect.library.sync_memory",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        # The distribution is called recollectdb: another project owns `recollect` on the index.
        return import_module("importlib.metadata").version("recollectdb")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
