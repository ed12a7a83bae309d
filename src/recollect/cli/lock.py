"""One server per data folder, so that two never answer for the same memory.

The folder itself is locked: a file in it could be removed, and another one locked in its place. The
file tells who holds the folder, and is locked as well for programs that know of nothing else.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from recollect.errors import StoreUnavailable
from recollect.settings import Settings

_FILE_NAME = "serve.lock"
_UNKNOWN = -1


@contextlib.contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold the folder for this process; the lock goes with the process, however it ends."""
    with contextlib.ExitStack() as held:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            locked = _lock(held, os.open(folder, os.O_RDONLY | os.O_DIRECTORY))
            name = _open_name(folder) if locked else None
            locked = locked and (name is None or _lock(held, name))
        except OSError as error:
            raise StoreUnavailable(f"cannot use {folder}: {error.strerror}") from error
        if not locked:
            pid = holder(folder)
            who = "another server" if pid in (None, _UNKNOWN) else f"another server (process {pid})"
            raise StoreUnavailable(
                f"{who} uses {folder}: stop it, or choose another folder with --data"
            )
        with contextlib.suppress(OSError):  # a full disk, say: the lock holds without the name
            if name is not None:
                os.ftruncate(name, 0)
                os.write(name, str(os.getpid()).encode())
        yield


def alone(chosen: Settings) -> contextlib.AbstractContextManager[None]:
    """Hold the folder, where the store is in it; a database takes any number of servers."""
    return hold(chosen.data) if chosen.store is None else contextlib.nullcontext()


def _open_name(folder: Path) -> int | None:
    try:
        return os.open(folder / _FILE_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return None  # the lock of the folder is what counts


def _lock(held: contextlib.ExitStack, opened: int) -> bool:
    held.callback(os.close, opened)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def holder(folder: Path) -> int | None:
    """The process that holds the folder, -1 if it is not known which, or None."""
    for path in (folder, folder / _FILE_NAME):
        with contextlib.ExitStack() as held:
            try:
                free = _lock(held, os.open(path, os.O_RDONLY))
            except OSError:
                return None
            if not free:
                return _named(folder)
    return None


def _named(folder: Path) -> int:
    try:
        text = (folder / _FILE_NAME).read_text(encoding="utf-8").strip()
    except OSError:
        return _UNKNOWN
    return int(text) if text.isdigit() else _UNKNOWN
