"""A little room kept beside the store, so that a server can start, and be read, on a full disk."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from recollect import log
from recollect.limits import DISK_FREE_BYTES_MIN, RESERVE_BYTES

FILE_NAME = "reserve"
_ZEROS = bytes(64 * 1024)
_log = log.get(__name__)


def keep(folder: Path) -> None:
    """Take the room, if there is plenty."""
    path = folder / FILE_NAME
    with suppress(OSError):  # a server does without
        if path.exists() or shutil.disk_usage(folder).free < DISK_FREE_BYTES_MIN + RESERVE_BYTES:
            return
        path.touch(mode=0o600)
        with path.open("wb") as file:
            for _ in range(0, RESERVE_BYTES, len(_ZEROS)):
                file.write(_ZEROS)
            file.flush()
            os.fsync(file.fileno())


def give_up(folder: Path) -> bool:
    """Make the room free; False when there is none to be made."""
    try:
        (folder / FILE_NAME).unlink()
    except OSError:
        return False
    _log.warning("reserve.given_up", bytes=RESERVE_BYTES)
    return True
