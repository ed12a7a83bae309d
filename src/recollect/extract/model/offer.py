"""What of the known things and of the turns before finds room in a prompt, and under which ids.

An id is a place among what was gathered (`e1`, `f1`), so it means the same whatever else is left
out. What is left out depends on nothing but the brief: who checks an answer comes to the same offer
as who asked for it.
"""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from recollect.extract.brief import Brief, ShownEntity, ShownFact, Turn
from recollect.graph.types import Record

_TURN_CHARS_MAX = 1_000
_TURN_CHARS_FEW = 300
_FACTS_FEW = 15
_TURNS_FEW = 2
_ENTITIES_FEW = 8
_CUT = " …"


class Offer(Record):
    """What a reader gets to see beside the episode and the wishes; known things by their ids."""

    entities: dict[str, ShownEntity]
    facts: dict[str, ShownFact]
    earlier: tuple[Turn, ...]
    before: tuple[Turn, ...]


def fitting(brief: Brief, fits: Callable[[Offer], bool]) -> Offer:
    """The largest offer that *fits*; where none does, the smallest.

    First go the facts that are farthest, then turns, then glosses, and then what is left of each.
    """
    offer = _whole(brief)
    for smaller in _smaller(offer):
        if fits(offer):
            break
        offer = smaller
    return offer


def _whole(brief: Brief) -> Offer:
    shown = brief.shown
    return Offer(
        entities={f"e{n}": one for n, one in enumerate(shown.entities, start=1)} if shown else {},
        facts={f"f{n}": one for n, one in enumerate(shown.facts, start=1)} if shown else {},
        earlier=tuple(_cut(turn, _TURN_CHARS_MAX) for turn in brief.earlier),
        before=tuple(_cut(turn, _TURN_CHARS_MAX) for turn in brief.before),
    )


def _cut(turn: Turn, chars: int) -> Turn:
    content = turn.content
    return turn if len(content) <= chars else replace(turn, content=content[:chars] + _CUT)


def _smaller(offer: Offer) -> Iterator[Offer]:
    """Ever smaller ones, step by step, down to an empty one."""
    for facts, turns, entities in (
        (_FACTS_FEW, _TURNS_FEW, _ENTITIES_FEW),
        (0, 0, 0),
    ):
        while len(offer.facts) > facts:
            offer = replace(offer, facts=_without_farthest(offer.facts))
            yield offer
        offer = replace(
            offer,
            earlier=tuple(_cut(turn, _TURN_CHARS_FEW) for turn in offer.earlier),
            before=tuple(_cut(turn, _TURN_CHARS_FEW) for turn in offer.before),
        )
        yield offer
        while len(offer.earlier) + len(offer.before) > turns:
            offer = _without_oldest(offer)
            yield offer
        bare = {n: replace(one, gloss="", aliases=()) for n, one in offer.entities.items()}
        offer = replace(offer, entities=bare)
        yield offer
        while len(offer.entities) > entities:
            offer = replace(offer, entities=dict(list(offer.entities.items())[:-1]))
            yield offer


def _without_farthest(facts: dict[str, ShownFact]) -> dict[str, ShownFact]:
    farthest = max(facts, key=lambda id_: facts[id_].rank)
    return {id_: one for id_, one in facts.items() if id_ != farthest}


def _without_oldest(offer: Offer) -> Offer:
    if offer.earlier:
        return replace(offer, earlier=offer.earlier[1:])
    return replace(offer, before=offer.before[1:])
