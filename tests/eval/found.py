"""What the product's search finds for a question, and how well the wanted turns come first."""

import ast
import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from types import ModuleType

from recollect.graph.types import Kind
from recollect.search.query import Query, Reranker
from tests.eval.chance import Estimate, means
from tests.eval.common import Table
from tests.eval.learned import Learned

NONE = "–"  # noqa: RUF001
# As many as a caller may ask for; several facts may come from one episode.
_LIMITS: dict[Kind, int] = {"episode": 20, "fact": 50}
# The order must not depend on how busy the machine is.
_NO_HURRY = {"finder.RERANK_BUDGET_S": 3600.0}


@dataclass(frozen=True)
class Way:
    """A way to search."""

    name: str
    kind: Kind
    reranker: Reranker | None = None
    limit: int | None = None


EPISODES = Way("episodes", "episode")
FACTS = Way("facts", "fact")
WAYS = (
    EPISODES,
    Way("episodes, rrf", "episode", "rrf"),
    Way("episodes, mmr", "episode", "mmr"),
    Way("episodes, cross_encoder", "episode", "cross_encoder"),
    FACTS,
    Way("facts, rrf", "fact", "rrf"),
    Way("facts, cross_encoder", "fact", "cross_encoder"),
)
# What a search of episodes does without, one at a time.
ABLATIONS: dict[str, dict[str, object]] = {
    "without meaning": {"rank.TURN_MEANING": 0.0},
    "without words": {"rank.TURN_WORDS": 0.0},
    "without facts": {"rank.TURN_FACTS": 0.0},
    "without a window": {"neighbours.DECAY": ()},
    "without names": {"score.SPOKEN_BY_NAMED": 0.0, "score.SPOKEN_BY_FIRST_NAMED": 0.0},
    "without time": {"score.IN_TIME": 0.0},
    "without the meaning of the turns before": {"score._BEFORE": (0.0, 0.0)},
}


async def ask(held: Learned, way: Way, question: str, now: datetime) -> list[int]:
    """The places of the turns that are found, in rank order, each once."""
    query = Query(
        text=question,
        kind=way.kind,
        now=now,
        limit=way.limit or _LIMITS[way.kind],
        reranker=way.reranker,
    )
    with changed(_NO_HURRY):
        found = await held.finder.find(held.access, held.graph, query)
    if way.kind == "fact":
        return distinct(held.places[uuid] for one in found for uuid in one.item.episodes)
    return distinct(held.places[one.item.uuid] for one in found)


def distinct(places: Iterable[int]) -> list[int]:
    """The places in order, each where it stands first."""
    return list(dict.fromkeys(places))


def settings(text: str) -> dict[str, object]:
    """ "rank.MEANING=0.5; neighbours.DECAY=()" as what to change in the modules of search."""
    pairs = (item.split("=", 1) for item in text.split(";") if item.strip())
    return {name.strip(): ast.literal_eval(value.strip()) for name, value in pairs}


@contextmanager
def changed(values: Mapping[str, object]) -> Iterator[None]:
    """Search with other constants for a while. A constant that is not there is an error."""
    before: list[tuple[ModuleType, str, object]] = []
    try:
        for name, value in values.items():
            module_name, constant = name.split(".")
            module = importlib.import_module(f"recollect.search.{module_name}")
            before.append((module, constant, getattr(module, constant)))
            setattr(module, constant, value)
        yield
    finally:
        for module, constant, value in reversed(before):
            setattr(module, constant, value)


def row(name: str, measured: Sequence[Sequence[float]]) -> tuple[str, ...]:
    """The mean of each measure over all questions, with its interval."""
    return (name, *(item.percent() for item in means(measured)))


def told(name: str, figures: Iterable[float | None]) -> tuple[str, ...]:
    """Figures from elsewhere, in percent."""
    return (name, *(NONE if value is None else f"{value:.1f}" for value in figures))


def goal(figures: Iterable[float | None]) -> tuple[str, ...]:
    """What is wanted of a table's columns, in percent."""
    return ("goal", *(NONE if value is None else f"≥ {value:g}" for value in figures))


def difference(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """How much the mean changes from *ours* to *theirs*, the same questions being compared."""
    change: Estimate = means([(new - old,) for old, new in zip(ours, theirs, strict=True)])[0]
    low, high = f"{100 * change.low:+.1f}", f"{100 * change.high:+.1f}"
    return f"{100 * change.value:+.1f} ({low} to {high})"


def compared(
    title: str,
    head: Sequence[str],
    base: Sequence[Sequence[float]],
    others: Mapping[str, Sequence[Sequence[float]]],
    note: str = "",
) -> Table:
    """What changes when something is left out, for each measure, against *base*."""
    plain = tuple(f"{100 * item.value:.1f}" for item in means(base))
    rows = [("as it is", *plain)]
    columns = list(zip(*base, strict=True))
    for name, measured in others.items():
        pairs = zip(columns, zip(*measured, strict=True), strict=True)
        rows.append((name, *(difference(ours, theirs) for ours, theirs in pairs)))
    return Table(title, ("", *head), tuple(rows), note)


def missed(
    question: str, wanted: Iterable[int], ranked: Sequence[int], turns: Sequence[str]
) -> str:
    """A question with its wanted turns and their ranks, and what came first instead."""
    ranks = {place: rank for rank, place in enumerate(ranked, start=1)}
    lines = [f"? {question}"]
    lines += [
        f"  wanted at {ranks.get(place, 'no place')}: {turns[place]}" for place in sorted(wanted)
    ]
    lines += [
        f"  {'* ' if place in set(wanted) else '  '}{rank}. {turns[place]}"
        for rank, place in enumerate(ranked[:5], start=1)
    ]
    return "\n".join(lines)
