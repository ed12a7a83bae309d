"""What is known around an episode, for a reader that judges."""

from typing import NamedTuple

from recollect.store.queries.shapes import EntityRow
from recollect.store.statements import Queries


class KnownFactRow(NamedTuple):
    id: int
    uuid: str
    fact: str
    name: str
    source_id: int
    target_id: int
    source: str
    target: str
    valid_at: int | None
    invalid_at: int | None
    expired_at: int | None
    event_at: int | None
    seq: int | None


class KnownEndsRow(NamedTuple):
    id: int
    ended_at: int | None
    seq: int


class KnownRelationsRow(NamedTuple):
    id: int
    name: str


class KnownQueries(Queries):
    """What is known around an episode, for a reader that judges."""

    __slots__ = ()

    def named(self, *, graph_id: int, keys: str | None, limit: int) -> list[int]:
        """Entities whose full name or alias is one of the keys."""
        return self._values(int, "known.named", graph_id=graph_id, keys=keys, limit=limit)

    def names_begun(self, *, keys: str | None, graph_id: int) -> list[str]:
        """Which of these keys belong to a name."""
        return self._values(str, "known.names_begun", keys=keys, graph_id=graph_id)

    def own(self, *, graph_id: int) -> list[int]:
        return self._values(int, "known.own", graph_id=graph_id)

    def at_source(self, *, entity_id: int, seq: int, limit: int) -> list[int]:
        """Open facts of an entity that were stated before a place, newest first."""
        return self._values(int, "known.at_source", entity_id=entity_id, seq=seq, limit=limit)

    def at_target(self, *, entity_id: int, seq: int, limit: int) -> list[int]:
        return self._values(int, "known.at_target", entity_id=entity_id, seq=seq, limit=limit)

    def lately(self, *, graph_id: int, seq: int, limit: int) -> list[int]:
        """The facts stated most recently before a place."""
        return self._values(int, "known.lately", graph_id=graph_id, seq=seq, limit=limit)

    def closed_since(self, *, graph_id: int, seq: int, limit: int) -> list[int]:
        """Facts that ended at a place or after it, earliest end first."""
        return self._values(int, "known.closed_since", graph_id=graph_id, seq=seq, limit=limit)

    def facts(self, *, ids: str | None, graph_id: int) -> list[KnownFactRow]:
        """Facts with their ends and the place in the log that states each."""
        return self._all(KnownFactRow, "known.facts", ids=ids, graph_id=graph_id)

    def ends(self, *, ids: str | None) -> list[KnownEndsRow]:
        """What ended facts, and from which place in the log; an end that no episode stated always counts."""
        return self._all(KnownEndsRow, "known.ends", ids=ids)

    def entities(self, *, ids: str | None, graph_id: int, seq: int) -> list[EntityRow]:
        """Entities that existed before a place: the user, the assistant, and everyone mentioned."""
        return self._all(EntityRow, "known.entities", ids=ids, graph_id=graph_id, seq=seq)

    def relations(self, *, graph_id: int, limit: int) -> list[KnownRelationsRow]:
        """Relation names of a graph's first facts, which stay the same.

        The embedded reader's facts are left out: beyond the table of relations, its names are words of a
        text, and no model for other names.
        """
        return self._all(KnownRelationsRow, "known.relations", graph_id=graph_id, limit=limit)
