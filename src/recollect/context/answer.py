"""An answer composed of what was found, without a model: the facts that fit best, verbatim."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from recollect.context.lines import holds
from recollect.graph.types import Episode, Fact
from recollect.search.query import Hit

_SENTENCES_MAX = 3
_CLOSE = 0.75  # to the best fact, in score


def answer(hits: Sequence[Hit[Any]], now: datetime) -> tuple[str, list[int]]:
    """A few sentences, and the places among *hits* they come from: the best fact that holds now, and
    what comes close of the same one; if none holds, of what is over; without any fact, the best
    episode's own words."""
    facts = [number for number, hit in enumerate(hits) if isinstance(hit.item, Fact)]
    holding = [number for number in facts if holds(hits[number].item, now)]
    chosen = _close(hits, holding or facts)
    if chosen:
        return " ".join(_sentence(hits[number].item.fact) for number in chosen), chosen
    for number, hit in enumerate(hits):
        if isinstance(hit.item, Episode):
            return hit.item.content.strip(), [number]
    return "", []


def _close(hits: Sequence[Hit[Any]], among: Sequence[int]) -> list[int]:
    if not among:
        return []
    best = hits[among[0]]
    near = [
        number
        for number in among
        if hits[number].score >= _CLOSE * best.score
        and hits[number].item.source_uuid == best.item.source_uuid
    ]
    return near[:_SENTENCES_MAX]


def _sentence(fact: str) -> str:
    said = fact.strip()
    return said if said.endswith((".", "!", "?")) else f"{said}."
