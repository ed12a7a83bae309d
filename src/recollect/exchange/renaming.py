"""New uuids for what is imported beside what it was exported from.

They follow from the old ones, so references stay references; and all are moved by the same
distance, so what was in order stays in order.
"""

from collections.abc import Callable, Mapping
from typing import Any

from recollect import ids
from recollect.errors import InvalidInput
from recollect.exchange.tables import OWN_UUIDS, RECORDS
from recollect.store import derived_copies, rows, taken_in

Rename = Callable[[str], str]


def by_distance(distance: int) -> Rename:
    """Moves the last part of a uuid by a distance."""

    def rename(uuid: str) -> str:
        try:
            return ids.moved(uuid, distance)
        except ValueError as error:
            raise InvalidInput(f"{uuid!r} is no uuid") from error

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
    if record == "observation":
        new["key"] = _renamed_key(new["key"], rename)
    if record == "entity_name":
        new["key"] = taken_in.renamed_key(new["key"], rename)
    if record == "entity" and new.get("given"):
        new["given"] = _renamed_given(new["given"], rename)
    return new


def _renamed_given(given: Any, rename: Rename) -> str:
    try:
        return rows.to_json(taken_in.renamed(rows.from_json(given), rename)) or ""
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidInput("given: not what an export writes") from error


def _renamed_key(key: Any, rename: Rename) -> str:
    try:
        return derived_copies.key_with(key, rename)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{key!r} is no key of an observation") from error
