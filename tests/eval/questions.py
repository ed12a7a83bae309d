"""Questions over invented histories: is the statement found that answers now, and not the one it replaced?

The histories were typed as people type (training/histories), the questions written by somebody who saw
neither this code nor what it makes of them (training/questions). What counts is the message behind a
fact, not its words.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recollect.graph.types import Fact
from recollect.search.query import Query
from tests.eval import found
from tests.eval.common import Options, Table
from tests.eval.learned import Learned, Memory, Message, Session, learned, prepare
from training.judge import corpus
from training.judge.corpus import History

QUESTIONS = Path(corpus.__file__).parents[1] / "questions"
# Neither the judge nor the model of answers learned from these.
HANDS = ("h1", "h2")
MEASURED = ("fact@1", "fact@5", "stale")
FIRST = 5
NOTE = (
    "Histories of hands that no model learned from, read by the embedded reader. A fact counts by "
    "the message behind it: fact@1 and fact@5, one of the first facts that hold is of a message that answers; "
    "stale (only where the answer changed), one of the first five is of a message that answered before."
)
Row = tuple[float, ...]


@dataclass(frozen=True)
class Asked:
    """A question, the statements that answer it now, and those that did before."""

    text: str
    answers: frozenset[int]
    outdated: frozenset[int]


def read(hand: str) -> dict[str, list[Asked]]:
    """The questions about each history of a hand."""
    asked: dict[str, list[Asked]] = {}
    for line in (QUESTIONS / f"{hand}.txt").read_text(encoding="utf-8").splitlines():
        name, text, answers, outdated = line.split(" | ")
        asked.setdefault(name, []).append(Asked(text, _places(answers), _places(outdated)))
    return asked


def _places(text: str) -> frozenset[int]:
    return frozenset(int(part) for part in text.split(",") if part.strip() != "-")


def remembered(history: History) -> Memory:
    """A history as one thread of its owner, who is the user."""
    at = [_moment(one.at) for one in history.statements]
    messages = tuple(
        Message(place, one.text, _role(history, one.who), at[place], one.who)
        for place, one in enumerate(history.statements)
    )
    return Memory(history.name, tuple(Session((one,)) for one in messages), history.owner)


def _role(history: History, who: str) -> str:
    return "user" if who.split()[0] == history.owner.split()[0] else "norole"


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


async def ask(held: Learned, asked: Asked, now: datetime) -> Row:
    """What the first facts are worth. The last measure is negative where nothing changed."""
    query = Query(text=asked.text, kind="fact", now=now, limit=4 * FIRST)
    hits = await held.finder.find(held.access, held.graph, query)
    open_now = [hit.item for hit in hits if _holds(hit.item, now)][:FIRST]
    places = [{held.places[uuid] for uuid in fact.episodes} for fact in open_now]
    right = [bool(one & asked.answers) for one in places]
    stale = [bool(one & asked.outdated) and not one & asked.answers for one in places]
    return (any(right[:1]), any(right), any(stale) if asked.outdated else -1.0)


def _holds(fact: Fact, now: datetime) -> bool:
    begun = fact.valid_at is None or fact.valid_at <= now
    return begun and (fact.invalid_at is None or fact.invalid_at > now)


def measure(hands: Sequence[str], most: int | None = None) -> dict[str, list[Row]]:
    """The rows of every question, by hand."""
    chosen = {
        hand: [(one, remembered(one)) for one in corpus.read([hand]) if one.name in read(hand)]
        for hand in hands
    }
    chosen = {hand: histories[:most] for hand, histories in chosen.items()}
    prepare("questions", [memory for histories in chosen.values() for _, memory in histories])
    return asyncio.run(_measure(chosen))


async def _measure(chosen: dict[str, list[tuple[History, Memory]]]) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    for hand, histories in chosen.items():
        asked = read(hand)
        for history, memory in histories:
            now = memory.sessions[-1].messages[-1].at + timedelta(days=1)
            async with learned("questions", memory) as held:
                rows.setdefault(hand, []).extend(
                    [await ask(held, one, now) for one in asked[history.name]]
                )
    return rows


def tables(options: Options) -> Iterator[Table]:
    """A row for each hand."""
    measured = measure(HANDS, options.sample)
    every = [row for rows in measured.values() for row in rows]
    body = [_row(hand, rows) for hand, rows in {**measured, "all": every}.items()]
    yield Table(f"Questions over histories: {len(every)}", ("", *MEASURED), tuple(body), NOTE)


def _row(name: str, rows: Sequence[Row]) -> tuple[str, ...]:
    first, five = (found.row("", [row[:2] for row in rows]))[1:]
    stale = found.row("", [row[2:] for row in rows if row[2] >= 0])[1]
    return (name, first, five, stale)
