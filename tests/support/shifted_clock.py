"""A clock that tests can shift from outside: a file contains its offset in seconds."""

from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Self


def install(file: Path) -> None:
    """Make the program's clock read that file on every call."""
    from recollect import clock

    class Shifted(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            try:
                seconds = float(file.read_text() or 0)
            except (OSError, ValueError):  # not there yet, or just being written
                seconds = 0.0
            moment: Any = datetime.now(tz) + timedelta(seconds=seconds)
            return moment  # type: ignore[no-any-return]

    clock.datetime = Shifted  # type: ignore[misc]
