"""New uuids for what is imported beside what it was exported from.

They follow from the old ones, so references stay references; and all are moved by the same
distance, so what was in order stays in order.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from recollect.errors import InvalidInput
from recollect.exchange.tables import OWN_UUIDS, RECORDS

_TAIL_BITS = 48
_TAIL_DIGITS = 12

Rename = Callable[[str], str]


def by_distance(seed: str) -> Rename:
    """Moves the last part of a uuid by a distance that follows from *seed*."""
    digest = hashlib.blake2b(seed.encode(), digest_size=_TAIL_BITS // 8).digest()
    distance = int.from_bytes(digest) | 1

    def rename(uuid: str) -> str:
        head, tail = uuid[:-_TAIL_DIGITS], uuid[-_TAIL_DIGITS:]
        try:
            moved = (int(tail, 16) + distance) % (1 << _TAIL_BITS)
        except ValueError as error:
            raise InvalidInput(f"{uuid!r} is no uuid") from error
        return f"{head}{moved:0{_TAIL_DIGITS}x}"

    return rename


def renamed(record: str, told: Mapping[str, Any], rename: Rename) -> dict[str, Any]:
    """A row with every uuid of it renamed, those it refers to as well."""
    table = RECORDS[record]
    uuids = OWN_UUIDS | set(table.references.split())
    new = {
        column: rename(value) if column in uuids and value is not None else value
        for column, value in told.items()
    }
    if new.get("scope"):
        noun, _, uuid = new["scope"].partition(":")
        new["scope"] = f"{noun}:{rename(uuid)}"
    return new
