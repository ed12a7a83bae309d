"""What holds for lists that a caller sends: few enough, and no name twice."""

from collections import Counter
from collections.abc import Iterable, Sequence

from recollect.errors import InvalidInput


def check_count(field: str, items: Sequence[object], most: int) -> None:
    """No more items than are allowed."""
    if len(items) > most:
        raise InvalidInput(f"{field}: at most {most}, got {len(items)}")


def check_unique(field: str, names: Iterable[str]) -> None:
    """Each name once."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise InvalidInput(f"{field}: {twice!r} is given twice")
