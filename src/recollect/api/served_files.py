"""Files that are served as they are: read once, and again when they changed.

Handlers run in the event loop, where reading a file keeps everybody else waiting.
"""

from functools import lru_cache
from pathlib import Path

_FILES_MAX = 512


def content(path: Path) -> bytes:
    """What a file of ours says."""
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=_FILES_MAX)
def _read(path: Path, _changed: int) -> bytes:
    return path.read_bytes()
