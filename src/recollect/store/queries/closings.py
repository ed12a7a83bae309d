"""Which fact, episode or hand closed a fact."""

from typing import NamedTuple

from recollect.store.statements import Queries


class EndingsOfFactsRow(NamedTuple):
    fact_id: int
    episode_id: int | None
    ended_at: int | None
    expired_at: int | None
    metadata: str | None


class EndingsOfFactRow(NamedTuple):
    fact_id: int | None
    episode_id: int | None
    ended_at: int | None
    expired_at: int | None
    judge: str | None
    sure: float | None


class ClosedByFactRow(NamedTuple):
    fact_id: int
    episode_id: int | None
    ended_at: int | None
    expired_at: int | None
    judge: str | None
    sure: float | None


class ClosingsWithoutReasonRow(NamedTuple):
    graph_id: int
    uuid: str
    fact: str
    side: str
    source_uuid: str
    ended_at: int | None
    expired_at: int | None
    judge: str | None
    seq: int


class ClosingQueries(Queries):
    """Which fact, episode or hand closed a fact."""

    __slots__ = ()

    def endings_of_facts(self, *, ids: str | None) -> list[EndingsOfFactsRow]:
        """What ended facts, with the metadata of the episode that said so, if any."""
        return self._all(EndingsOfFactsRow, "closings.endings_of_facts", ids=ids)

    def inherit(self, *, facts: str | None) -> None:
        """When a replaced fact is forgotten, its replacement takes over what it had replaced.

        If A was replaced by B and B by C, then without B, C ended A. A denial is not a replacement; what
        follows it may be A again.
        """
        self._post("closings.inherit", facts=facts)

    def forget(self, *, episodes: str | None, facts: str | None) -> int:
        return self._run("closings.forget", episodes=episodes, facts=facts)

    def insert(
        self,
        *,
        fact_id: int,
        by_fact_id: int | None,
        episode_id: int | None,
        ended_at: int | None,
        expired_at: int | None,
        judge: str,
        sure: float | None,
    ) -> None:
        self._post(
            "closings.insert",
            fact_id=fact_id,
            by_fact_id=by_fact_id,
            episode_id=episode_id,
            ended_at=ended_at,
            expired_at=expired_at,
            judge=judge,
            sure=sure,
        )

    def by_hand(self, *, id: int) -> None:
        """A person set the end of a fact: that overrides whatever was said before."""
        self._post("closings.by_hand", id=id)

    def profile_closings_add(self, *, now: int, entity_id: int, name: str) -> None:
        """What a user's record no longer states has ended permanently, whatever episodes said about it."""
        self._post("closings.profile_closings_add", now=now, entity_id=entity_id, name=name)

    def endings_of_fact(self, *, fact_id: int, limit: int) -> list[EndingsOfFactRow]:
        """What ended a fact: which fact, which episode, and on whose word."""
        return self._all(EndingsOfFactRow, "closings.endings_of_fact", fact_id=fact_id, limit=limit)

    def closed_by_fact(self, *, fact_id: int, limit: int) -> list[ClosedByFactRow]:
        """The facts that one fact ended."""
        return self._all(ClosedByFactRow, "closings.closed_by_fact", fact_id=fact_id, limit=limit)

    def put_by_hand(
        self, *, fact_id: int, ended_at: int | None, expired_at: int | None, judge: str | None
    ) -> None:
        self._post(
            "closings.put_by_hand",
            fact_id=fact_id,
            ended_at=ended_at,
            expired_at=expired_at,
            judge=judge,
        )

    def closers_of_fact(self, *, id: int) -> list[str]:
        """The sentences that ended a fact or cast doubt on it.

        They are those of other facts, or its own where it states its end.
        """
        return self._values(str, "closings.closers_of_fact", id=id)

    def without_reason(
        self, *, episodes: str | None, facts: str | None
    ) -> list[ClosingsWithoutReasonRow]:
        """Ends that lose their cause once these episodes and facts are deleted.

        *seq* is the place in the log after which such an end can be recorded again.
        """
        return self._all(
            ClosingsWithoutReasonRow, "closings.without_reason", episodes=episodes, facts=facts
        )
