"""One server per data folder, so that two never serve the same memory.

The folder itself is locked: a file in it could be removed, and another one locked instead. The file names the
process that holds the folder; it is locked as well, for programs that only know the file.
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
    """Lock the folder for this process; the lock is released however the process ends."""
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
        with contextlib.suppress(OSError):  # e.g. a full disk: the lock works without the name
            if name is not None:
                os.ftruncate(name, 0)
                os.write(name, str(os.getpid()).encode())
        yield


def alone(chosen: Settings) -> contextlib.AbstractContextManager[None]:
    """Lock the folder if the store is in it; a database takes any number of servers."""
    return hold(chosen.data) if chosen.store is None else contextlib.nullcontext()


def _open_name(folder: Path) -> int | None:
    try:
        return os.open(folder / _FILE_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return None  # the lock on the folder is what counts


def _lock(held: contextlib.ExitStack, opened: int) -> bool:
    held.callback(os.close, opened)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def holder(folder: Path) -> int | None:
    """The id of the process that holds the folder, -1 if that is unknown, or None if nobody does."""
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
