"""Why a fact is known.

That is, its supporting episodes and their words, what ended it and on whose word, and which facts it
ended itself.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec.structs import replace

from recollect.errors import InvalidInput, NotFound
from recollect.graph import names
from recollect.graph.delta import SupportRole
from recollect.graph.types import DIRECT_KINDS, Access, Entity, Episode, Fact, Graph, Record
from recollect.limits import CANDIDATES_PER_KEY_MAX, PAGE_MAX
from recollect.records import knowledge, seeing, telling
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.closings import ClosedByFactRow, EndingsOfFactRow
from recollect.store.queries.doubts import DoubtsOfFactRow, DoubtsOfGraphRow
from recollect.store.queries.links import EvidenceRow

R = TypeVar("R", EndingsOfFactRow, ClosedByFactRow, DoubtsOfFactRow)

_SHOWN = 5
_SHORT = ("f:", "a:")  # keys of first words and of initials


class SupportingEpisode(Record):
    """An episode that supports a fact: its role, and the span of its content that says so."""

    episode: Episode
    role: SupportRole
    span: tuple[int, int] | None = None


class EndReason(Record):
    """Something that ended a fact: another fact, an episode, or neither if it was ended by hand.

    *ended_at* is when it stopped being true, *expired_at* when that was learned. *judge* is on whose
    word, as in `graph.delta.Closing`; None if that was not recorded. *sure* is the reader's own
    confidence.
    """

    by_fact: Fact | None = None
    by_episode: Episode | None = None
    ended_at: datetime | None = None
    expired_at: datetime | None = None
    judge: str | None = None
    sure: float | None = None


class DoubtReason(Record):
    """Why an open fact may be over: another fact, the episode that stated it, on whose word, and how sure."""

    by_fact: Fact
    by_episode: Episode | None
    judge: str
    sure: float


class Doubted(Record):
    """An open fact, with a doubt about it."""

    fact: Fact
    doubt: DoubtReason


class EndedFact(Record):
    """A fact that another one ended, described as in `EndReason`."""

    fact: Fact
    by_episode: Episode | None = None
    ended_at: datetime | None = None
    expired_at: datetime | None = None
    judge: str | None = None
    sure: float | None = None


class Provenance(Record):
    """A fact with all that supports it, all that ended it, and what it ended itself.

    *reopened_at* is when it was last reopened by hand.
    """

    fact: Fact
    evidence: tuple[SupportingEpisode, ...]
    endings: tuple[EndReason, ...]
    closed: tuple[EndedFact, ...] = ()
    doubts: tuple[DoubtReason, ...] = ()
    reopened_at: datetime | None = None


class _Seen(Record):
    """What some closings refer to, by row id, as far as visible."""

    facts: dict[int, Fact]
    episodes: dict[int, Episode]

    def all_of(
        self, row: EndingsOfFactRow | ClosedByFactRow | DoubtsOfFactRow | DoubtsOfGraphRow
    ) -> bool:
        """Whether nothing that a closing refers to is hidden."""
        fact, episode = row.fact_id, row.episode_id
        return (fact is None or fact in self.facts) and (
            episode is None or episode in self.episodes
        )


def of_fact(tx: Transaction, access: Access, uuid: str) -> Provenance:
    """Why a fact is known, as far as visible to the caller."""
    try:
        fact = knowledge.fact(tx, access, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error
    behind = seeing.first(
        access,
        lambda several: tx.links.evidence_of_fact(fact_id=fact.id, limit=several),
        lambda found: seeing.carriers(access, found),
        PAGE_MAX,
    )
    return Provenance(
        fact=fact,
        evidence=tuple(_evidence(row) for row in behind),
        endings=_endings(tx, access, fact),
        closed=_closed(tx, access, fact),
        doubts=_doubts(tx, access, fact) if fact.invalid_at is None else (),
        reopened_at=_reopened_at(tx, fact),
    )


def with_episodes(found: Provenance, access: Access | None) -> Provenance:
    """The same, with only those episodes that may be read as episodes; None: none of them.

    Knowledge that was written directly cannot be read as an episode.
    """

    def shown(episode: Episode | None) -> Episode | None:
        return _readable(access, episode)

    return replace(
        found,
        evidence=tuple(one for one in found.evidence if shown(one.episode) is not None),
        endings=tuple(replace(one, by_episode=shown(one.by_episode)) for one in found.endings),
        closed=tuple(replace(one, by_episode=shown(one.by_episode)) for one in found.closed),
        doubts=tuple(replace(one, by_episode=shown(one.by_episode)) for one in found.doubts),
    )


def _readable(access: Access | None, episode: Episode | None) -> Episode | None:
    if access is None or episode is None or episode.kind in DIRECT_KINDS:
        return None
    return episode if seeing.episodes(access, [episode]) else None


def doubts_of_graph(tx: Transaction, access: Access, graph: Graph, limit: int) -> list[Doubted]:
    """Open facts of a graph that may be over, surest doubts first; nothing hidden."""

    def narrow(found: Sequence[DoubtsOfGraphRow]) -> list[DoubtsOfGraphRow]:
        seen = _seen(tx, access, found)
        doubted = _facts_seen(tx, access, [row.doubted_id for row in found])
        return [row for row in found if seen.all_of(row) and row.doubted_id in doubted]

    rows_ = seeing.first(
        access,
        lambda several: tx.doubts.of_graph(graph_id=graph.id, limit=several),
        narrow,
        limit,
    )
    seen = _seen(tx, access, rows_)
    doubted = _facts_seen(tx, access, [row.doubted_id for row in rows_])
    return [Doubted(fact=doubted[row.doubted_id], doubt=_doubt(row, seen)) for row in rows_]


def doubted_with_episodes(found: Sequence[Doubted], access: Access | None) -> list[Doubted]:
    """The same, with only those episodes that may be read as episodes; None: none of them."""
    return [
        replace(one, doubt=replace(one.doubt, by_episode=_readable(access, one.doubt.by_episode)))
        for one in found
    ]


def _evidence(row: EvidenceRow) -> SupportingEpisode:
    start, end = row.span_start, row.span_end
    span = None if start is None or end is None else (start, end)
    return SupportingEpisode(episode=rows.episode(row), role=row.support_role, span=span)


def _endings(tx: Transaction, access: Access, fact: Fact) -> tuple[EndReason, ...]:
    found = _closings(tx, access, tx.closings.endings_of_fact, fact)
    seen = _seen(tx, access, found)
    return tuple(
        EndReason(
            by_fact=seen.facts.get(row.fact_id or 0),
            by_episode=seen.episodes.get(row.episode_id or 0),
            ended_at=rows.moment_or_none(row.ended_at),
            expired_at=rows.moment_or_none(row.expired_at),
            judge=row.judge,
            sure=row.sure,
        )
        for row in found
    )


def _closed(tx: Transaction, access: Access, fact: Fact) -> tuple[EndedFact, ...]:
    found = _closings(tx, access, tx.closings.closed_by_fact, fact)
    seen = _seen(tx, access, found)
    return tuple(
        EndedFact(
            fact=seen.facts[row.fact_id],
            by_episode=seen.episodes.get(row.episode_id or 0),
            ended_at=rows.moment_or_none(row.ended_at),
            expired_at=rows.moment_or_none(row.expired_at),
            judge=row.judge,
            sure=row.sure,
        )
        for row in found
    )


def _doubts(tx: Transaction, access: Access, fact: Fact) -> tuple[DoubtReason, ...]:
    found = _closings(tx, access, tx.doubts.of_fact, fact)
    seen = _seen(tx, access, found)
    return tuple(_doubt(row, seen) for row in found)


def _doubt(row: DoubtsOfFactRow | DoubtsOfGraphRow, seen: _Seen) -> DoubtReason:
    return DoubtReason(
        by_fact=seen.facts[row.fact_id],
        by_episode=seen.episodes.get(row.episode_id or 0),
        judge=row.judge,
        sure=row.sure,
    )


def _reopened_at(tx: Transaction, fact: Fact) -> datetime | None:
    row = tx.facts.reopened(uuid=fact.uuid)
    return None if row is None else rows.moment_or_none(row.at)


def _closings(tx: Transaction, access: Access, read: Callable[..., list[R]], fact: Fact) -> list[R]:
    """The closings of a query that refer to nothing hidden."""

    def narrow(found: Sequence[R]) -> list[R]:
        seen = _seen(tx, access, found)
        return [row for row in found if seen.all_of(row)]

    return seeing.first(
        access, lambda several: read(fact_id=fact.id, limit=several), narrow, PAGE_MAX
    )


def _seen(
    tx: Transaction,
    access: Access,
    found: Sequence[ClosedByFactRow | DoubtsOfFactRow | DoubtsOfGraphRow | EndingsOfFactRow],
) -> _Seen:
    facts = sorted({row.fact_id for row in found if row.fact_id is not None})
    episodes = sorted({row.episode_id for row in found if row.episode_id is not None})
    said = [rows.episode(row) for row in tx.episodes.by_ids(ids=rows.to_json(episodes))]
    return _Seen(
        facts=_facts_seen(tx, access, facts),
        episodes={one.id: one for one in seeing.episodes(access, said)},
    )


def _facts_seen(tx: Transaction, access: Access, ids: Sequence[int]) -> dict[int, Fact]:
    known = [rows.fact(row) for row in tx.facts.told_by_ids(ids=rows.to_json(list(ids)))]
    return {one.id: one for one in telling.facts(tx, access, known)}


def entity_called(tx: Transaction, access: Access, graph: Graph, called: str) -> Entity:
    """The entity of a graph with this uuid, this name, or a name that this is short for.

    For callers that may see everything: it also finds names that only hidden episodes use.
    """
    found = knowledge.entities_by_uuids(tx, access, graph, [called])
    found = found or _answering(tx, access, graph, called)
    if not found:
        raise NotFound(f"entity not found: {called}")
    if len(found) > 1:
        named = ", ".join(f"{one.name} ({one.uuid})" for one in found[:_SHOWN])
        raise InvalidInput(f"entity: {called!r} matches several entities: {named}; give the uuid")
    return found[0]


def _answering(tx: Transaction, access: Access, graph: Graph, called: str) -> list[Entity]:
    """The entities with exactly this name.

    If there are none and it is a single word, those it may be short for: a first name, or initials.
    """
    exact, *others = names.keys(called) or ("",)
    short = [key for key in others if key[:2] in _SHORT] if " " not in exact else []
    for key in (exact, *short):
        hits = tx.entities.ids_by_key(graph_id=graph.id, key=key, limit=CANDIDATES_PER_KEY_MAX)
        ids = list(hits)
        if found := knowledge.entities_by_ids(tx, access, graph, ids):
            return found
    return []
