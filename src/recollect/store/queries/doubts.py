"""Facts that something newer puts in doubt."""

from typing import NamedTuple

from recollect.store.statements import Queries


class DoubtsOfFactRow(NamedTuple):
    fact_id: int
    episode_id: int
    judge: str
    sure: float


class DoubtsOfGraphRow(NamedTuple):
    doubted_id: int
    fact_id: int
    episode_id: int
    judge: str
    sure: float


class DoubtQueries(Queries):
    """Facts that something newer puts in doubt."""

    __slots__ = ()

    def insert(
        self, *, fact_id: int, by_fact_id: int, episode_id: int, judge: str, sure: float
    ) -> None:
        self._post(
            "doubts.insert",
            fact_id=fact_id,
            by_fact_id=by_fact_id,
            episode_id=episode_id,
            judge=judge,
            sure=sure,
        )

    def dispel(self, *, fact_id: int) -> int:
        return self._run("doubts.dispel", fact_id=fact_id)

    def doubted_by_fact(self, *, fact_id: int) -> list[int]:
        return self._values(int, "doubts.doubted_by_fact", fact_id=fact_id)

    def drop_by(self, *, fact_id: int) -> int:
        return self._run("doubts.drop_by", fact_id=fact_id)

    def of_fact(self, *, fact_id: int, limit: int) -> list[DoubtsOfFactRow]:
        """The facts that suggest one may be over."""
        return self._all(DoubtsOfFactRow, "doubts.of_fact", fact_id=fact_id, limit=limit)

    def of_graph(self, *, graph_id: int, limit: int) -> list[DoubtsOfGraphRow]:
        """Open facts that may be over, with the facts that suggest so; facts that never held are left out."""
        return self._all(DoubtsOfGraphRow, "doubts.of_graph", graph_id=graph_id, limit=limit)
