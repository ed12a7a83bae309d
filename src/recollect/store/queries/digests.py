"""What the digest of a graph is made of."""

from typing import Any

from recollect.store.statements import Queries


class DigestQueries(Queries):
    """What the digest of a graph is made of, part by part, in an order of its own."""

    __slots__ = ()

    def part(self, part: str, *, graph_id: int) -> list[dict[str, Any]]:
        """The rows of one part, by the names of their columns."""
        return self._records(f"digests.{part}", graph_id=graph_id)
