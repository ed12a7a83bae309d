"""Why a fact is known: the episodes behind it, the words they say it in, and what ended it."""

from datetime import datetime

from recollect.errors import InvalidInput, NotFound
from recollect.graph import names
from recollect.graph.delta import SupportRole
from recollect.graph.types import Access, Entity, Episode, Fact, Graph, Record
from recollect.limits import CANDIDATES_PER_KEY_MAX, PAGE_MAX
from recollect.store import rows
from recollect.store.protocol import Row, Transaction
from recollect.subjects import episodes, knowledge, seeing

_SHOWN = 5
_SHORT = ("f:", "a:")  # keys of first words and initials


class Evidence(Record):
    """An episode behind a fact: what it does to it, and where in its content it says so."""

    episode: Episode
    role: SupportRole
    span: tuple[int, int] | None = None


class Ending(Record):
    """Something that ended a fact: another fact, an episode, or neither when it was by hand.

    *ended_at* is when it stopped being true, *expired_at* when that was learned.
    """

    by_fact: Fact | None = None
    by_episode: Episode | None = None
    ended_at: datetime | None = None
    expired_at: datetime | None = None


class Provenance(Record):
    """A fact with all that stands behind it and all that ended it."""

    fact: Fact
    evidence: tuple[Evidence, ...]
    endings: tuple[Ending, ...]


def of_fact(tx: Transaction, access: Access, uuid: str) -> Provenance:
    """Why a fact is known, as far as the asker may see it."""
    try:
        fact = knowledge.fact(tx, access, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error
    behind = tx.all("evidence_of_fact", fact_id=fact.id, limit=PAGE_MAX)
    ended = tx.all("endings_of_fact", fact_id=fact.id, limit=PAGE_MAX)
    return Provenance(
        fact=fact,
        evidence=tuple(_evidence(row) for row in seeing.carriers(access, behind)),
        endings=tuple(_ending(tx, access, row) for row in ended),
    )


def _evidence(row: Row) -> Evidence:
    start, end = row["span_start"], row["span_end"]
    span = None if start is None or end is None else (start, end)
    return Evidence(episode=rows.episode(row), role=row["support_role"], span=span)


def _ending(tx: Transaction, access: Access, row: Row) -> Ending:
    """What may not be seen is left out; that there was an end is told by the fact itself."""
    return Ending(
        by_fact=_seen_fact(tx, access, row["by_fact"]),
        by_episode=_seen_episode(tx, access, row["by_episode"]),
        ended_at=rows.moment_or_none(row["ended_at"]),
        expired_at=rows.moment_or_none(row["expired_at"]),
    )


def _seen_fact(tx: Transaction, access: Access, uuid: str | None) -> Fact | None:
    try:
        return knowledge.fact(tx, access, uuid) if uuid else None
    except NotFound:
        return None


def _seen_episode(tx: Transaction, access: Access, uuid: str | None) -> Episode | None:
    try:
        return episodes.get(tx, access, uuid) if uuid else None
    except NotFound:
        return None


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
