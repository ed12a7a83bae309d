"""Why a fact is known: the episodes behind it, the words they say it in, what ended it and on
whose word, and what it ended itself."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from recollect.errors import InvalidInput, NotFound
from recollect.graph import names
from recollect.graph.delta import SupportRole
from recollect.graph.types import DIRECT_KINDS, Access, Entity, Episode, Fact, Graph, Record
from recollect.limits import CANDIDATES_PER_KEY_MAX, PAGE_MAX
from recollect.store import rows
from recollect.store.protocol import Row, Transaction
from recollect.subjects import knowledge, seeing, telling

_SHOWN = 5
_SHORT = ("f:", "a:")  # keys of first words and initials


class Evidence(Record):
    """An episode behind a fact: what it does to it, and where in its content it says so."""

    episode: Episode
    role: SupportRole
    span: tuple[int, int] | None = None


class Ending(Record):
    """Something that ended a fact: another fact, an episode, or neither when it was by hand.

    *ended_at* is when it stopped being true, *expired_at* when that was learned. *judge* is on
    whose word, as `graph.delta.Closing` says; None where that was not kept. A reader is as *sure*
    as it said.
    """

    by_fact: Fact | None = None
    by_episode: Episode | None = None
    ended_at: datetime | None = None
    expired_at: datetime | None = None
    judge: str | None = None
    sure: float | None = None


class Closed(Record):
    """A fact that another one ended, told as an `Ending` is."""

    fact: Fact
    by_episode: Episode | None = None
    ended_at: datetime | None = None
    expired_at: datetime | None = None
    judge: str | None = None
    sure: float | None = None


class Provenance(Record):
    """A fact with all that stands behind it, all that ended it, and what it closed itself.

    *reopened_at* is when someone last took back by hand what had ended it.
    """

    fact: Fact
    evidence: tuple[Evidence, ...]
    endings: tuple[Ending, ...]
    closed: tuple[Closed, ...] = ()
    reopened_at: datetime | None = None


class _Seen(Record):
    """What some closings name, by row ids, as far as it may be seen."""

    facts: dict[int, Fact]
    episodes: dict[int, Episode]

    def all_of(self, row: Row) -> bool:
        """Whether nothing that a closing names is hidden."""
        fact, episode = row["fact_id"], row["episode_id"]
        return (fact is None or fact in self.facts) and (
            episode is None or episode in self.episodes
        )


def of_fact(tx: Transaction, access: Access, uuid: str) -> Provenance:
    """Why a fact is known, as far as the asker may see it."""
    try:
        fact = knowledge.fact(tx, access, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error
    behind = seeing.first(
        access,
        lambda several: tx.all("evidence_of_fact", fact_id=fact.id, limit=several),
        lambda found: seeing.carriers(access, found),
        PAGE_MAX,
    )
    return Provenance(
        fact=fact,
        evidence=tuple(_evidence(row) for row in behind),
        endings=_endings(tx, access, fact),
        closed=_closed(tx, access, fact),
        reopened_at=_reopened_at(tx, fact),
    )


def with_episodes(found: Provenance, access: Access | None) -> Provenance:
    """The same with those episodes alone that may be read as episodes; None: none of them. What was
    written as knowledge is nothing to read."""

    def shown(episode: Episode | None) -> Episode | None:
        if access is None or episode is None or episode.kind in DIRECT_KINDS:
            return None
        return episode if seeing.episodes(access, [episode]) else None

    return replace(
        found,
        evidence=tuple(one for one in found.evidence if shown(one.episode) is not None),
        endings=tuple(replace(one, by_episode=shown(one.by_episode)) for one in found.endings),
        closed=tuple(replace(one, by_episode=shown(one.by_episode)) for one in found.closed),
    )


def _evidence(row: Row) -> Evidence:
    start, end = row["span_start"], row["span_end"]
    span = None if start is None or end is None else (start, end)
    return Evidence(episode=rows.episode(row), role=row["support_role"], span=span)


def _endings(tx: Transaction, access: Access, fact: Fact) -> tuple[Ending, ...]:
    found = _closings(tx, access, "endings_of_fact", fact)
    seen = _seen(tx, access, found)
    return tuple(
        Ending(
            by_fact=seen.facts.get(row["fact_id"]),
            by_episode=seen.episodes.get(row["episode_id"]),
            ended_at=rows.moment_or_none(row["ended_at"]),
            expired_at=rows.moment_or_none(row["expired_at"]),
            judge=row["judge"],
            sure=row["sure"],
        )
        for row in found
    )


def _closed(tx: Transaction, access: Access, fact: Fact) -> tuple[Closed, ...]:
    found = _closings(tx, access, "closed_by_fact", fact)
    seen = _seen(tx, access, found)
    return tuple(
        Closed(
            fact=seen.facts[row["fact_id"]],
            by_episode=seen.episodes.get(row["episode_id"]),
            ended_at=rows.moment_or_none(row["ended_at"]),
            expired_at=rows.moment_or_none(row["expired_at"]),
            judge=row["judge"],
            sure=row["sure"],
        )
        for row in found
    )


def _reopened_at(tx: Transaction, fact: Fact) -> datetime | None:
    row = tx.one("fact_reopened", uuid=fact.uuid)
    return None if row is None else rows.moment_or_none(row["at"])


def _closings(tx: Transaction, access: Access, query: str, fact: Fact) -> list[Row]:
    """Those closings of a query of which nothing is hidden; what a hidden one left is told by the
    end that the fact has."""

    def narrow(found: Sequence[Row]) -> list[Row]:
        seen = _seen(tx, access, found)
        return [row for row in found if seen.all_of(row)]

    return seeing.first(
        access, lambda several: tx.all(query, fact_id=fact.id, limit=several), narrow, PAGE_MAX
    )


def _seen(tx: Transaction, access: Access, found: Sequence[Row]) -> _Seen:
    facts, episodes = (
        rows.to_json(sorted({row[name] for row in found if row[name] is not None}))
        for name in ("fact_id", "episode_id")
    )
    known = [rows.fact(row) for row in tx.all("facts_told_by_ids", ids=facts)]
    said = [rows.episode(row) for row in tx.all("episodes_by_ids", ids=episodes)]
    return _Seen(
        facts={one.id: one for one in telling.facts(tx, access, known)},
        episodes={one.id: one for one in seeing.episodes(access, said)},
    )


def entity_called(tx: Transaction, access: Access, graph: Graph, called: str) -> Entity:
    """The entity of a graph with that uuid, or that answers to that name or its short form.

    For who may see everything: a name that only hidden episodes use would be found, too.
    """
    found = knowledge.entities_by_uuids(tx, access, graph, [called])
    found = found or _answering(tx, access, graph, called)
    if not found:
        raise NotFound(f"entity not found: {called}")
    if len(found) > 1:
        named = ", ".join(f"{one.name} ({one.uuid})" for one in found[:_SHOWN])
        raise InvalidInput(f"entity: {called!r} may be any of {named}; give the uuid")
    return found[0]


def _answering(tx: Transaction, access: Access, graph: Graph, called: str) -> list[Entity]:
    """Those with exactly that name; if there are none, and it is one word, those it may be short
    for: a first name, or initials."""
    exact, *others = names.keys(called) or ("",)
    short = [key for key in others if key[:2] in _SHORT] if " " not in exact else []
    for key in (exact, *short):
        hits = tx.all("entity_ids_by_key", graph_id=graph.id, key=key, limit=CANDIDATES_PER_KEY_MAX)
        ids = [row["entity_id"] for row in hits]
        if found := knowledge.entities_by_ids(tx, access, graph, ids):
            return found
    return []
