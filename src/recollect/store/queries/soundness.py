"""What a sound store never has."""

from typing import NamedTuple

from recollect.store.statements import Queries


class UnsoundRow(NamedTuple):
    n: int
    one: int | str | None


class SoundnessQueries(Queries):
    """What a sound store never has. Each check reads whole tables, and is made by hand only."""

    __slots__ = ()

    def count(self, check: str) -> UnsoundRow | None:
        """How many there are of what must not be, and the id of one."""
        return self._one(UnsoundRow, f"soundness.{check}")
