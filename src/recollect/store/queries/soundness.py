"""Checks for what a sound store never contains."""

from typing import NamedTuple

from recollect.store.statements import Queries


class UnsoundRow(NamedTuple):
    n: int
    one: int | str | None


class SoundnessQueries(Queries):
    """Checks for what a sound store never contains. Each scans whole tables, and is run only on demand."""

    __slots__ = ()

    def count(self, check: str) -> UnsoundRow | None:
        """How many violations there are, and the id of one."""
        return self._one(UnsoundRow, f"soundness.{check}")
