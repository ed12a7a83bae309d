"""Summaries of threads and documents, updated with each episode that is read."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from recollect.graph import thread_summary
from recollect.graph.thread_summary import SummaryFact, SummaryMessage
from recollect.graph.types import Episode, Record
from recollect.limits import SUMMARY_CHARS_MAX, SUMMARY_MESSAGES_MAX
from recollect.store import numbers, rows
from recollect.store.protocol import Transaction
from recollect.store.queries.shapes import SaidFactRow
from recollect.store.queries.summaries import (
    SummaryExtentRow,
    SummaryRow,
    SummarySoFarRow,
    ThreadSummaryRow,
)

_NEWER_CHARS_MIN = 250
_ANY_SEQ = 2**62


class Place(Record):
    """What is summarized: a thread, by its row id, or a document of a graph."""

    graph_id: int
    thread_id: int | None = None
    document_id: str | None = None


class KeptSummary(Record):
    """A summary after a change, and the facts or episodes it rests on."""

    id: int
    of_thread: bool
    text: str
    facts: tuple[int, ...]
    episodes: tuple[int, ...]


def add(
    tx: Transaction, episode: Episode, *, now: datetime, new_id: Callable[[], str]
) -> list[KeptSummary]:
    """Add an episode that was just read to the summaries of its thread and document.

    Returns the summaries whose text changed.
    """
    places = _places(tx, episode)
    if not places:
        return []
    said = [said_by(row) for row in tx.summaries.facts_said(episode_id=episode.id)]
    grown = (_grow(tx, place, old, episode, said, now=now, new_id=new_id) for place, old in places)
    return [kept for kept in grown if kept is not None]


def closed(tx: Transaction, episode: Episode) -> list[KeptSummary]:
    """Rewrite the summaries that mention a fact which an episode ends; returns those that changed."""
    ids = tx.summaries.closed_by(episode_id=episode.id)
    found = tx.summaries.by_ids(ids=rows.to_json(ids)) if ids else []
    return [kept for old in found if (kept := _reword(tx, old)) is not None]


def text_of(tx: Transaction, row: SummaryRow | ThreadSummaryRow) -> str:
    """The text of a summary: a language model's, followed by the facts learned since, or the facts alone."""
    if row.written is None:
        return str(row.summary)
    newer = tx.summaries.facts_newer(id=row.id, after=row.written_fact_id)
    room = max(_NEWER_CHARS_MIN, SUMMARY_CHARS_MAX - len(row.written))
    tail = thread_summary.summarize([said_by(fact) for fact in newer], room=room) if newer else ""
    return " ".join(part for part in (row.written, tail) if part)


def as_told(tx: Transaction, number: int) -> KeptSummary | None:
    """A summary as callers see it, including what a language model wrote."""
    found = tx.summaries.by_ids(ids=rows.to_json([number]))
    if not found:
        return None
    facts = [said_by(fact) for fact in tx.summaries.facts_kept(id=number)]
    return _as_told(tx, _told(tx, number, _place_of(found[0]), facts, _ANY_SEQ), found[0])


def _as_told(tx: Transaction, kept: KeptSummary, old: SummaryRow | None) -> KeptSummary:
    if old is None or old.written is None:
        return kept
    return replace(kept, text=text_of(tx, old))


def retold(tx: Transaction, number: int, facts: Collection[int], episodes: Collection[int]) -> str:
    """What a summary would say if there were only these facts and episodes."""
    found = tx.summaries.by_ids(ids=rows.to_json([number]))
    kept = [said_by(row) for row in tx.summaries.facts_kept(id=number) if row.id in facts]
    if kept or not found:
        return thread_summary.summarize(kept)
    place, several = _place_of(found[0]), SUMMARY_MESSAGES_MAX
    while True:
        said = _messages(tx, place, _ANY_SEQ, several)
        heard = [message for message in said if message.number in episodes]
        if len(heard) >= SUMMARY_MESSAGES_MAX or len(said) < several:
            return thread_summary.summarize((), heard[:SUMMARY_MESSAGES_MAX])
        several *= 4


def again(tx: Transaction, old: SummaryRow) -> KeptSummary | None:
    """Rebuild a summary after episodes or facts behind it were deleted; None if nothing of it is left.

    What a language model wrote is discarded: it may mention what was forgotten.
    """
    place = _place_of(old)
    extent = _extent(tx, place)
    if extent is None or extent.seq is None:
        tx.summaries.delete(id=old.id)
        return None
    facts = [said_by(row) for row in tx.summaries.facts_kept(id=old.id)]
    kept = _told(tx, old.id, place, facts, extent.seq)
    _update(tx, old, kept.text, episode_count=extent.episodes, forget=True)
    return kept


def _places(tx: Transaction, episode: Episode) -> list[tuple[Place, SummarySoFarRow | None]]:
    found: list[tuple[Place, SummarySoFarRow | None]] = []
    graph_id = episode.graph_id
    if episode.thread_id is not None:
        row = tx.summaries.of_thread_of(episode_id=episode.id)
        if row is not None:
            found.append((Place(graph_id=graph_id, thread_id=row.thread_id), row))
    if episode.document_id is not None:
        name = episode.document_id
        old = tx.summaries.of_document(graph_id=graph_id, document_id=name)
        found.append((Place(graph_id=graph_id, document_id=name), old))
    return found


def _grow(
    tx: Transaction,
    place: Place,
    so_far: SummarySoFarRow | None,
    episode: Episode,
    said: Sequence[SummaryFact],
    *,
    now: datetime,
    new_id: Callable[[], str],
) -> KeptSummary | None:
    old = so_far.summary if so_far else None
    if so_far is not None and old is not None and so_far.on_facts and not said:
        _put(tx, old.id, old, episode, now, old.summary)
        return None
    number = old.id if old is not None else _insert(tx, place, episode, now, new_id())
    held = [] if old is None else [said_by(row) for row in tx.summaries.facts_kept(id=number)]
    facts = thread_summary.keep({fact.number: fact for fact in (*held, *said)}.values())
    _keep(tx, number, held, facts)
    kept = _told(tx, number, place, facts, episode.seq)
    _put(tx, number, old, episode, now, kept.text)
    changed = old is None or kept.text != old.summary
    return _as_told(tx, kept, old) if changed else None


def _insert(tx: Transaction, place: Place, episode: Episode, now: datetime, uuid: str) -> int:
    return tx.summaries.insert(
        **numbers.of_episode(episode.id),
        uuid=uuid,
        graph_id=place.graph_id,
        thread_id=place.thread_id,
        document_id=place.document_id,
        summary="",
        now=rows.micros(now),
        covered_at=rows.micros(episode.created_at),
    )


def _keep(
    tx: Transaction, number: int, held: Iterable[SummaryFact], facts: Iterable[SummaryFact]
) -> None:
    before, after = {fact.number for fact in held}, {fact.number for fact in facts}
    if after - before:
        tx.summaries.facts_add(id=number, facts=rows.to_json(sorted(after - before)))
    if before - after:
        tx.summaries.facts_drop(id=number, facts=rows.to_json(sorted(before - after)))


def _told(
    tx: Transaction, number: int, place: Place, facts: Sequence[SummaryFact], seq: int
) -> KeptSummary:
    messages = [] if facts else _messages(tx, place, seq)
    return KeptSummary(
        id=number,
        of_thread=place.thread_id is not None,
        text=thread_summary.summarize(facts, messages),
        facts=tuple(fact.number for fact in facts),
        episodes=tuple(message.number for message in messages),
    )


def _messages(
    tx: Transaction, place: Place, seq: int, limit: int = SUMMARY_MESSAGES_MAX
) -> list[SummaryMessage]:
    bounds: dict[str, Any] = {"seq": seq, "limit": limit}
    if place.thread_id is not None:
        found = tx.summaries.messages_of_thread(thread_id=place.thread_id, **bounds)
    else:
        found = tx.summaries.messages_of_document(
            graph_id=place.graph_id,
            document_id=place.document_id,
            **bounds,
        )
    return [
        SummaryMessage(number=row.id, content=row.content, speaker=row.speaker or row.role)
        for row in found
    ]


def _put(
    tx: Transaction,
    number: int,
    old: Any,
    episode: Episode,
    now: datetime,
    text: str,
) -> None:
    """Write a summary that covers one more episode; `covered_at` never moves back."""
    happened = rows.micros(episode.created_at)
    tx.summaries.update(
        id=number,
        summary=text,
        episode_count=1 if old is None else old.episode_count + 1,
        updated_at=rows.micros(now),
        covered_at=happened if old is None else max(old.covered_at, happened),
        forget=False,
    )


def _update(
    tx: Transaction, old: SummaryRow, text: str, *, episode_count: int, forget: bool
) -> None:
    tx.summaries.update(
        id=old.id,
        summary=text,
        episode_count=episode_count,
        updated_at=old.updated_at,
        covered_at=old.covered_at,
        forget=forget,
    )


def _reword(tx: Transaction, old: SummaryRow) -> KeptSummary | None:
    facts = [said_by(row) for row in tx.summaries.facts_kept(id=old.id)]
    if not facts:
        return None
    kept = _told(tx, old.id, _place_of(old), facts, 0)
    if kept.text == old.summary:
        return None
    _update(tx, old, kept.text, episode_count=old.episode_count, forget=False)
    return _as_told(tx, kept, old)


def _place_of(old: SummaryRow) -> Place:
    return Place(graph_id=old.graph_id, thread_id=old.thread_id, document_id=old.document_id)


def _extent(tx: Transaction, place: Place) -> SummaryExtentRow | None:
    if place.thread_id is not None:
        return tx.summaries.extent_of_thread(thread_id=place.thread_id)
    return tx.summaries.extent_of_document(graph_id=place.graph_id, document_id=place.document_id)


def said_by(row: SaidFactRow) -> SummaryFact:
    """A row of a fact as summaries see it."""
    slot = row.slot or row.predicate
    return SummaryFact(
        number=row.id,
        fact=row.fact,
        gist=row.gist,
        place=f"{row.source_id}/{slot}",
        joins=bool(row.joins),
        of_user=bool(row.of_user),
        rating=row.rating,
        confidence=row.confidence,
        invalid_at=rows.moment_or_none(row.invalid_at),
    )
