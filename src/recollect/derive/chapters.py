"""Chapters of a graph's log: the facts worth keeping from each run of episodes.

A chapter is computed from what its episodes say and holds no text of its own. So it cannot mention
what was forgotten, nor present as true what has ended. The log itself is not changed.
"""

from collections.abc import Iterable, Sequence

from recollect.derive.summaries import said_by
from recollect.graph import chapters as rules
from recollect.graph import thread_summary
from recollect.graph.chapters import Chapter
from recollect.graph.thread_summary import SummaryFact, SummaryMessage
from recollect.limits import CHAPTERS_PER_COMMIT_MAX, SUMMARY_MESSAGES_MAX
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.shapes import MessageRow


def condense(tx: Transaction, graph_id: int) -> None:
    """Turn on chapters for a graph.

    Episodes already in its log are covered gradually: each time something is learned, a few more
    chapters are made.
    """
    tx.chapters.condense(id=graph_id)


def follow(tx: Transaction, graph_id: int, seqs: Iterable[int]) -> None:
    """Update the chapters with what was just learned from the episodes at these log positions."""
    row = tx.chapters.condensing(id=graph_id)
    if row is None or not row.condenses:
        return
    done = row.condensed
    late = {number for seq in seqs if (number := rules.number_of(seq)) <= done}
    _make_again(tx, graph_id, late, done)
    _go_on(tx, graph_id, done, row.last_seq)


def touched(
    tx: Transaction, *, episodes: Sequence[int], facts: Sequence[int]
) -> list[tuple[int, int]]:
    """The chapters that these episodes or facts contribute to, as (graph id, number)."""
    listed = {"episodes": rows.to_json(list(episodes)), "facts": rows.to_json(list(facts))}
    return [(row.graph_id, row.number) for row in tx.chapters.touched(**listed)]


def again(tx: Transaction, changed: Iterable[tuple[int, int]]) -> None:
    """Rebuild chapters from the episodes that are left; a chapter without any is deleted."""
    numbers: dict[int, list[int]] = {}
    for graph_id, number in changed:
        numbers.setdefault(graph_id, []).append(number)
    for graph_id, several in numbers.items():
        row = tx.chapters.condensing(id=graph_id)
        if row is not None:
            _make_again(tx, graph_id, several, row.condensed)


def copy(
    tx: Transaction, source_id: int, target_id: int, *, facts: Sequence[tuple[int, int]]
) -> None:
    """Give a copy of a graph its chapters; *facts* are ids of the original and of the copy."""
    tx.chapters.copy(source=source_id, graph_id=target_id)
    tx.chapters.facts_copy(graph_id=target_id, pairs=rows.to_json(list(facts)))


def made(tx: Transaction, graph_id: int) -> int | None:
    """How many lowest-level chapters exist, counted from the first; None if the graph makes no chapters."""
    row = tx.chapters.condensing(id=graph_id)
    return None if row is None or not row.condenses else int(row.condensed)


def kept(tx: Transaction, graph_id: int, among: Sequence[Chapter]) -> list[SummaryFact]:
    """The facts that these chapters keep."""
    found = tx.chapters.facts_of(graph_id=graph_id, chapters=rows.to_json(list(among)))
    return [said_by(row) for row in found]


def said(tx: Transaction, episodes: Sequence[int]) -> list[SummaryFact]:
    """The facts that some episodes state."""
    found = tx.episodes.said_by_episodes(episodes=rows.to_json(list(episodes)))
    return [said_by(row) for row in found]


def messages(tx: Transaction, episodes: Sequence[int]) -> list[SummaryMessage]:
    """The contents of the newest of some episodes, given by row id, oldest first."""
    newest = sorted(episodes)[-SUMMARY_MESSAGES_MAX:]
    return [_message(row) for row in tx.episodes.messages_among(ids=rows.to_json(newest))]


def _message(row: MessageRow) -> SummaryMessage:
    return SummaryMessage(number=row.id, content=row.content, speaker=row.speaker or row.role)


def _go_on(tx: Transaction, graph_id: int, done: int, last_seq: int) -> None:
    """Make chapters of the runs that are complete and fully read, a few at a time."""
    number = done
    while number < min(rules.before(last_seq + 1), done + CHAPTERS_PER_COMMIT_MAX):
        first, last = rules.extent(number + 1)
        if tx.chapters.waits(graph_id=graph_id, first=first, last=last) is not None:
            break
        number += 1
        _make_again(tx, graph_id, [number], number)
    if number > done:
        tx.chapters.condensed(id=graph_id, condensed=number)


def _make_again(tx: Transaction, graph_id: int, numbers: Iterable[int], whole: int) -> None:
    """Rebuild lowest-level chapters, and then the higher ones that contain them, each once."""
    holding: set[Chapter] = set()
    for number in numbers:
        _make(tx, graph_id, number)
        holding.update(rules.above(number, whole))
    for level, number in sorted(holding):
        _gather(tx, graph_id, level, number)


def _make(tx: Transaction, graph_id: int, number: int) -> None:
    first, last = rules.extent(number)
    there = tx.chapters.told(graph_id=graph_id, first=first, last=last) is not None
    found = tx.chapters.said(graph_id=graph_id, first=first, last=last) if there else []
    _put(tx, graph_id, (0, number), [said_by(row) for row in found] if there else None)


def _gather(tx: Transaction, graph_id: int, level: int, number: int) -> None:
    parts = rules.parts(level, number)
    there = tx.chapters.among(graph_id=graph_id, chapters=rows.to_json(parts)) is not None
    _put(tx, graph_id, (level, number), kept(tx, graph_id, parts) if there else None)


def _put(
    tx: Transaction, graph_id: int, chapter: Chapter, facts: Sequence[SummaryFact] | None
) -> None:
    place = {"graph_id": graph_id, "level": chapter[0], "number": chapter[1]}
    if facts is None:
        tx.chapters.drop(**place)
        return
    listed = rows.to_json([fact.number for fact in thread_summary.keep(facts)])
    tx.chapters.put(**place)
    tx.chapters.facts_drop(facts=listed, **place)
    tx.chapters.facts_put(facts=listed, **place)
