"""The long-term memory in this process: how much evidence for LoCoMo's questions it recalls."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from recollect.episodic_memory import long_term
from recollect.episodic_memory.settings import MemoryQuery as Asked
from tests.eval import found, ranking
from tests.eval.common import Options, Table
from tests.eval.found import EPISODES
from tests.eval.learned import Learned, learned, prepare
from tests.eval.locomo import CATEGORIES
from tests.eval.search_locomo import Talk, talks

LIMITS = (5, 10, 20)
EXPANDED = (0, 1, 2, 3, 6)
HEAD = tuple(f"R@{limit}" for limit in LIMITS)
SEARCH = "search of episodes"
NOTE = (
    "The share of the evidence among the episodes that are recalled, and no more than so many of "
    "them. Neighbours take the place of further hits. 95 % intervals by bootstrap over questions."
)
Rows = dict[str, list[tuple[float, ...]]]


def name(expand: int) -> str:
    """How a row is called."""
    return "long-term memory" if not expand else f"long-term memory, {expand} around each hit"


async def _recalled(held: Learned, asked: Asked) -> set[int]:
    """The places of the turns that the long-term memory recalls."""
    told = await long_term.search(held.finder, held.store, held.access, held.graph, asked)
    return {held.places[one.item.uuid] for one in told}


async def _ask(talk: Talk, held: Learned, rows: Rows) -> None:
    now = talk.conversation.turns[-1].at + timedelta(days=1)
    for question in talk.conversation.questions:
        if question.category not in CATEGORIES:
            continue
        places = await found.ask(held, EPISODES, question.text, now)
        plain = tuple(ranking.recall_at(places, question.wanted, limit) for limit in LIMITS)
        rows.setdefault(SEARCH, []).append(plain)
        for expand in EXPANDED:
            shares = []
            for limit in LIMITS:
                asked = Asked(text=question.text, now=now, limit=limit, expand=expand)
                got = await _recalled(held, asked)
                shares.append(len(got & question.wanted) / len(question.wanted))
            rows.setdefault(name(expand), []).append(tuple(shares))


async def _measured(chosen: Sequence[Talk]) -> Rows:
    rows: Rows = {}
    for talk in chosen:
        async with learned("locomo", talk.memory) as held:
            await _ask(talk, held, rows)
    return rows


def tables(options: Options) -> list[Table]:
    """LoCoMo dev, each turn one episode. A sample is that many turns of each conversation."""
    chosen = talks(options)
    prepare("locomo", [talk.memory for talk in chosen])
    rows = asyncio.run(_measured(chosen))
    title = f"LoCoMo dev, recalled by the long-term memory: {len(rows[SEARCH])} questions"
    body = tuple(found.row(way, measured) for way, measured in rows.items())
    return [Table(title, ("recalled by", *HEAD), body, NOTE)]
