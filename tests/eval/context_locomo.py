"""The context of 6,000 characters: how much of the answers to LoCoMo's questions stands in it."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from recollect.context import blocks, gather
from recollect.context.gather import Gatherer
from recollect.graph.summary import day
from recollect.graph.terms import terms
from recollect.search.query import Query
from tests.eval import found
from tests.eval.common import Options, Table, data
from tests.eval.learned import Learned, learned, prepare
from tests.eval.locomo import CATEGORIES
from tests.eval.search_locomo import Talk, talks

ROOM = 6_000
HEAD = ("words of the answer", "answer complete", "characters")
GOALS = (84.0, 70.0, None)
OURS, PLAIN = "context", "messages alone, as the search ranks them"
NOTE = (
    "The share of the words of an answer that stand in the text, and the share of questions of which "
    "all do, in percent with 95 % intervals; stems, without words that occur everywhere, and with "
    "dates also in words."
)
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
Row = tuple[float, float, float]


def measured(answer: str, text: str) -> Row:
    """How much of an answer a text has, whether it has all of it, and how long it is."""
    dates = " ".join(day(datetime.fromisoformat(date)) for date in _DATE.findall(text))
    wanted, there = set(terms(answer)), set(terms(f"{text} {dates}"))
    return len(wanted & there) / len(wanted), float(wanted <= there), len(text) / 100


async def told(held: Learned, question: str, now: datetime) -> str:
    """The product's context for a question."""
    asked = await held.store.read(gather.graph_request, held.access, held.graph, question)
    gatherer = Gatherer(held.store, held.finder, held.access, asked, now)
    known = await gatherer.everything(gather.ALL_KINDS)
    return blocks.user_block(asked.user.summary if asked.user else None, known, ROOM).text


async def plain(held: Learned, question: str, now: datetime) -> str:
    """The messages that fit best, cut at the same length."""
    query = Query(text=question, kind="episode", now=now, limit=50)
    hits = await held.finder.find(held.access, held.graph, query)
    lines = [f"{hit.item.speaker}: {hit.item.content} ({hit.item.created_at})" for hit in hits]
    return "\n".join(lines)[:ROOM]


async def _rows(talk: Talk, answers: dict[str, str]) -> list[tuple[str, Row]]:
    now = talk.conversation.turns[-1].at + timedelta(days=1)
    made: list[tuple[str, Row]] = []
    async with learned("locomo", talk.memory) as held:
        for question in talk.conversation.questions:
            answer = answers.get(question.text, "")
            if question.category in CATEGORIES and terms(answer):
                for name, tell in ((PLAIN, plain), (OURS, told)):
                    text = await tell(held, question.text, now)
                    made.append((name, measured(answer, text)))
    return made


def _answers() -> Iterator[dict[str, str]]:
    for raw in data("locomo_dev.json.gz"):
        yield {item["question"]: str(item.get("answer", "")) for item in raw["qa"]}


def tables(options: Options) -> list[Table]:
    """LoCoMo dev. A sample is that many turns of each conversation."""
    chosen: Sequence[Talk] = talks(options)
    prepare("locomo", [talk.memory for talk in chosen])
    rows = [
        row
        for talk, answers in zip(chosen, _answers(), strict=True)
        for row in asyncio.run(_rows(talk, answers))
    ]
    body = [found.goal(GOALS)]
    for name in (PLAIN, OURS):
        own = [row for other, row in rows if other == name]
        figures = found.row(name, [row[:2] for row in own])
        body.append((*figures, f"{100 * sum(row[2] for row in own) / max(1, len(own)):.0f}"))
    return [Table(f"LoCoMo dev: contexts of {ROOM:,} characters", ("", *HEAD), tuple(body), NOTE)]
