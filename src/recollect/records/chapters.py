"""Reads the chapters of a graph: what each run of its episodes says, and which episodes say it.

Stored chapters divide the log itself. A caller with restricted visibility gets runs of visible
episodes instead, as if there were nothing else; so does everyone for a graph without chapters.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from recollect.derive import chapters
from recollect.graph import chapters as rules
from recollect.graph import thread_summary
from recollect.graph.thread_summary import SummaryFact
from recollect.graph.types import Access, Graph, Record
from recollect.limits import CHAPTER_EPISODES, INTEGER_MAX
from recollect.records import seeing
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.chapters import ChapterMembersRow

_EPISODES_PER_READ = 500


class Chapter(Record):
    """A run of episodes, summarised in sentences; *episodes* are those it rests on."""

    number: int
    first_at: datetime
    last_at: datetime
    summary: str
    episodes: list[str]


def page(
    tx: Transaction, access: Access, graph: Graph, *, limit: int, after: int = 0
) -> list[Chapter]:
    """The first *limit* chapters numbered above *after*, oldest first."""
    if access.visibility is None and chapters.made(tx, graph.id) is not None:
        return _stored(tx, graph, limit, after)
    return _runs(tx, access, graph, limit, after)


def _stored(tx: Transaction, graph: Graph, limit: int, after: int) -> list[Chapter]:
    found = tx.chapters.page(graph_id=graph.id, after=after, limit=limit)
    told = []
    for number in (row for row in found):
        first, last = rules.extent(number)
        members = _members(tx, graph, first - 1, last, CHAPTER_EPISODES)
        told.append(_told(tx, number, members, chapters.kept(tx, graph.id, [(0, number)])))
    return told


def _runs(tx: Transaction, access: Access, graph: Graph, limit: int, after: int) -> list[Chapter]:
    """Complete runs of visible episodes, numbered from the first; nothing stored is used."""
    run: list[ChapterMembersRow] = []
    told: list[Chapter] = []
    number = 0
    for row in _seen(tx, access, graph) if limit > 0 else ():
        run.append(row)
        if len(run) == CHAPTER_EPISODES:
            number += 1
            if number > after:
                told.append(_told(tx, number, run, _kept(tx, access, run)))
            run = []
            if len(told) == limit:
                break
    return told


def _seen(tx: Transaction, access: Access, graph: Graph) -> Iterator[ChapterMembersRow]:
    """The visible episodes that count towards chapters, in the order of the log."""
    after = 0
    while True:
        found = _members(tx, graph, after, INTEGER_MAX, _EPISODES_PER_READ)
        yield from seeing.carriers(access, found)
        if len(found) < _EPISODES_PER_READ:
            return
        after = found[-1].seq


def _members(
    tx: Transaction, graph: Graph, after: int, last: int, limit: int
) -> list[ChapterMembersRow]:
    return tx.chapters.members(graph_id=graph.id, after=after, last=last, limit=limit)


def _kept(
    tx: Transaction, access: Access, members: Sequence[ChapterMembersRow]
) -> list[SummaryFact]:
    said = chapters.said(tx, [row.id for row in members])
    return thread_summary.keep_seen(said, lambda some: seeing.ids(tx, access, "fact", some))


def _told(
    tx: Transaction, number: int, members: Sequence[ChapterMembersRow], facts: Sequence[SummaryFact]
) -> Chapter:
    every = [row.id for row in members]
    messages = [] if facts else chapters.messages(tx, every)
    behind = {message.number for message in messages}
    if facts:
        listed = rows.to_json([fact.number for fact in facts])
        saying = tx.episodes.saying(episodes=rows.to_json(every), facts=listed)
        behind = set(saying)
    times = [row.created_at for row in members]
    return Chapter(
        number=number,
        first_at=rows.moment(min(times)),
        last_at=rows.moment(max(times)),
        summary=thread_summary.summarize(sorted(facts, key=_number), messages),
        episodes=[row.uuid for row in members if row.id in behind],
    )


def _number(fact: SummaryFact) -> int:
    return fact.number
