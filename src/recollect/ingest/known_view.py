"""A graph as it was before one position of its log, as far as the reader of that position may see it."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.derive import effective
from recollect.extract.brief import ShownEntity
from recollect.graph.types import Access, Episode
from recollect.graph.visibility import values
from recollect.records import seeing
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.known import KnownFactRow
from recollect.store.queries.shapes import EntityRow

_ABOUT_MAX = 4


class View:
    """What existed before an episode.

    Two rules narrow it: the visibility of the reader, and the metadata keys that policies guard.
    Everything shown must have the episode's own values for these keys, so that what is learned from
    the episode does not reveal to those who see it what only others may know.
    """

    def __init__(
        self, tx: Transaction, access: Access, episode: Episode, guarded: frozenset[str]
    ) -> None:
        self._tx = tx
        self._access = access
        self._episode = episode
        self._guarded = guarded
        self._own = values(episode.metadata, guarded)
        self._ends: dict[int, int] = {}

    def facts(self, ids: Iterable[int]) -> list[KnownFactRow]:
        """Of these facts, those that an earlier episode states and that were open, oldest first."""
        listed = list(ids)
        passing = self.passing("fact", listed)
        found = self._tx.known.facts(
            graph_id=self._episode.graph_id,
            ids=rows.to_json([id_ for id_ in listed if id_ in passing]),
        )
        there = [row for row in found if row.seq is not None and row.seq < self._episode.seq]
        self._note_ends(there)
        now = rows.micros(self._episode.created_at)
        return [row for row in there if self._ends.get(row.id, now + 1) > now]

    def _note_ends(self, found: Sequence[KnownFactRow]) -> None:
        """Note when each of the facts ends, as far as was known before the episode."""
        closed = {
            row.id: row for row in found if row.invalid_at is not None or row.expired_at is not None
        }
        told = self._tx.known.ends(ids=rows.to_json(list(closed))) if closed else []
        explained = {row.id for row in told}
        for row in told:
            if row.seq < self._episode.seq:
                end = row.ended_at or 0
                self._ends[row.id] = min(self._ends.get(row.id, end), end)
        for id_, over in closed.items():
            if id_ not in explained:
                self._ends[id_] = over.invalid_at or 0

    def end(self, fact_id: int) -> datetime | None:
        """When an open fact will end, as far as was known then."""
        return rows.moment_or_none(self._ends.get(fact_id))

    def entities(self, ids: Iterable[int]) -> list[EntityRow]:
        """Of these entities, those that existed, in the order given."""
        listed = list(dict.fromkeys(ids))
        found = self._tx.known.entities(
            graph_id=self._episode.graph_id,
            seq=self._episode.seq,
            ids=rows.to_json(listed),
        )
        by_id = {row.id: row for row in found}
        passing = self.passing("entity", [id_ for id_, row in by_id.items() if not row.is_user])
        passing |= {id_ for id_, row in by_id.items() if row.is_user}
        return [by_id[id_] for id_ in listed if id_ in by_id and id_ in passing]

    def passing(self, kind: effective.DerivedKind, ids: Sequence[int]) -> set[int]:
        """Which of these may be shown, judging by the metadata of the episodes behind them."""
        seen = seeing.ids(self._tx, self._access, kind, ids)
        if not self._guarded:
            return seen
        behind = effective.sources(self._tx, kind, list(seen))
        return {
            id_
            for id_, given in behind.items()
            if given and all(values(one, self._guarded) == self._own for one in given)
        }

    def whole(self, ids: Sequence[int]) -> set[int]:
        """Entities with no hidden episodes behind them: it is not recorded which episode gave which name."""
        visibility = self._access.visibility
        passing = self.passing("entity", ids) if self._guarded else set(ids)
        if visibility is None:
            return passing
        behind = effective.sources(self._tx, "entity", ids)
        return {id_ for id_ in passing if seeing.sees_all(visibility, behind[id_])}

    def about(self, entity_id: int) -> list[int]:
        """A few facts about an entity, oldest first."""
        found = self._tx.facts.about_entity(entity_id=entity_id, limit=_ABOUT_MAX)
        return sorted(row.id for row in found)


def entity(row: EntityRow, *, whole: bool, gloss: str) -> ShownEntity:
    """An entity to show; with its other names if it is *whole*."""
    answers: list[str] = rows.from_json(row.names) or [row.name]
    labels: list[str] = rows.from_json(row.labels)
    return ShownEntity(
        uuid=row.uuid,
        name=row.name,
        first=answers[0],
        aliases=tuple(name for name in answers if name != row.name) if whole else (),
        kind=row.kind,
        label=next((label for label in labels if label != "Entity"), None),
        gloss=gloss,
        who="user" if row.is_user else "assistant" if row.is_assistant else None,
    )
