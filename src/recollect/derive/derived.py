"""What rests on facts and episodes, and how it is updated when they are deleted or changed."""

from collections.abc import Sequence
from typing import Literal

from recollect.derive import chapters, observations, summaries
from recollect.graph.types import Record
from recollect.store import rows
from recollect.store.protocol import Transaction

DerivedKind = Literal["observation", "thread_summary"]


class Derived(Record):
    """An observation or a thread summary in its current wording.

    It has the row ids of the facts that it rests on, or of messages if there are no facts.
    """

    kind: DerivedKind
    id: int
    text: str
    facts: tuple[int, ...] = ()
    episodes: tuple[int, ...] = ()


class Gone(Record):
    """An observation or a thread summary that was deleted because nothing supports it any more."""

    kind: DerivedKind
    id: int
    graph_id: int


class Resting(Record):
    """What rests on some facts and episodes.

    Pairs of row id and graph id; for chapters, of graph id and number.
    """

    observations: tuple[tuple[int, int], ...] = ()
    thread_summaries: tuple[tuple[int, int], ...] = ()
    document_summaries: tuple[tuple[int, int], ...] = ()
    chapters: tuple[tuple[int, int], ...] = ()


class Aftermath(Record):
    """The result of `renew`: what changed its wording, with its graph id, and what is gone."""

    renewed: tuple[tuple[int, Derived], ...] = ()
    gone: tuple[Gone, ...] = ()


def resting_on(
    tx: Transaction,
    *,
    episodes: Sequence[int] = (),
    facts: Sequence[int] = (),
    entities: Sequence[int] = (),
) -> Resting:
    """What rests on these. Call it before they are deleted or changed.

    A user summary written by a language model is dropped right here: it is unknown what it rests on.
    """
    said = rows.to_json(list(episodes))
    behind = [*facts, *(row for row in tx.facts.resting_on(episodes=said))]
    listed = rows.to_json(behind)
    tx.summaries.user_summaries_forget(episodes=said, facts=listed)
    told = {
        row.id: row
        for row in (
            *tx.summaries.of_episodes(episodes=said),
            *tx.summaries.resting_on(facts=listed),
        )
    }
    seen = {
        row.id: row
        for row in (
            *tx.observations.resting_on(facts=listed),
            *tx.observations.of_entities(entities=rows.to_json(list(entities))),
        )
    }
    return Resting(
        observations=tuple((row.id, row.graph_id) for row in seen.values()),
        thread_summaries=tuple((row.id, row.graph_id) for row in told.values() if row.of_thread),
        document_summaries=tuple(
            (row.id, row.graph_id) for row in told.values() if not row.of_thread
        ),
        chapters=tuple(chapters.touched(tx, episodes=episodes, facts=facts)),
    )


def merged(one: Resting, other: Resting) -> Resting:
    """The union of the two, without duplicates."""

    def both(name: str) -> tuple[tuple[int, int], ...]:
        return tuple(dict.fromkeys((*getattr(one, name), *getattr(other, name))))

    return Resting(
        observations=both("observations"),
        thread_summaries=both("thread_summaries"),
        document_summaries=both("document_summaries"),
        chapters=both("chapters"),
    )


def renew(tx: Transaction, resting: Resting, *, forgetting: bool = False) -> Aftermath:
    """Update what rested on deleted or changed things to match what is left.

    *forgetting*: an observation with too little support left is deleted, as if it had never been made;
    otherwise it stays, with an end.
    """
    seen = _renew_observations(tx, resting.observations, forgetting)
    threads = _renew_summaries(tx, resting.thread_summaries)
    _renew_summaries(tx, resting.document_summaries)
    chapters.again(tx, resting.chapters)
    return Aftermath(renewed=(*seen.renewed, *threads.renewed), gone=(*seen.gone, *threads.gone))


def _renew_observations(
    tx: Transaction, found: Sequence[tuple[int, int]], forgetting: bool
) -> Aftermath:
    listed = rows.to_json([number for number, _ in found])
    tx.observations.delete_unfounded(ids=listed)
    renewed = [
        (old.graph_id, observation(kept))
        for old in tx.observations.by_ids(ids=listed)
        if (kept := observations.again(tx, old, tx.now, forgetting=forgetting)) is not None
    ]
    left = set(tx.observations.among(ids=listed))
    gone = [
        Gone(kind="observation", id=number, graph_id=graph_id)
        for number, graph_id in found
        if number not in left
    ]
    return Aftermath(renewed=tuple(renewed), gone=tuple(gone))


def _renew_summaries(tx: Transaction, found: Sequence[tuple[int, int]]) -> Aftermath:
    listed = rows.to_json([number for number, _ in found])
    renewed = [
        (old.graph_id, summary(kept))
        for old in tx.summaries.by_ids(ids=listed)
        if (kept := summaries.again(tx, old)) is not None
    ]
    left = {item.id for _, item in renewed}
    gone = [
        Gone(kind="thread_summary", id=number, graph_id=graph_id)
        for number, graph_id in found
        if number not in left
    ]
    return Aftermath(renewed=tuple(renewed), gone=tuple(gone))


def observation(kept: observations.KeptObservation) -> Derived:
    """An observation, ready for the index."""
    return Derived(kind="observation", id=kept.id, text=kept.text, facts=kept.facts)


def summary(kept: summaries.KeptSummary) -> Derived:
    """A thread summary, ready for the index."""
    return Derived(
        kind="thread_summary",
        id=kept.id,
        text=kept.text,
        facts=kept.facts,
        episodes=kept.episodes,
    )
