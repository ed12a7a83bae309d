"""One server per data folder, so that two never answer for the same memory."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from recollect.errors import StoreUnavailable

_FILE_NAME = "serve.lock"


@contextlib.contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold the folder for this process; the lock goes with the process, however it ends."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = (folder / _FILE_NAME).open("a+", encoding="utf-8")
    except OSError as error:
        raise StoreUnavailable(f"cannot write to {folder}: {error.strerror}") from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreUnavailable(
                f"another server (process {holder(folder)}) uses {folder}: stop it, or choose "
                "another folder with --data"
            ) from error
        handle.truncate(0)
        handle.write(str(os.getpid()))
        handle.flush()
        yield


def holder(folder: Path) -> int | None:
    """The process that holds the folder, or None."""
    try:
        with (folder / _FILE_NAME).open("r+", encoding="utf-8") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                text = handle.read().strip()
                return int(text) if text.isdigit() else -1
    except OSError:
        return None
    return None
