"""The rows that a graph's digest is computed from."""

from typing import Any

from recollect.store.statements import Queries


class DigestQueries(Queries):
    """The rows that a graph's digest is computed from, part by part, each in a fixed order."""

    __slots__ = ()

    def part(self, part: str, *, graph_id: int) -> list[dict[str, Any]]:
        """The rows of one part, as dicts by column name."""
        return self._records(f"digests.{part}", graph_id=graph_id)
