"""What a search of all kinds found, packed into one text."""

from collections.abc import Iterable

from recollect.context import assemble, budget
from recollect.context.defusing import SAFE
from recollect.context.lines import Item, told
from recollect.graph.types import Record
from recollect.search.query import Found, Ranked

# At the same score: what is short and exact goes first.
_KINDS = (
    ("FACTS", "facts"),
    ("OBSERVATIONS", "observations"),
    ("ENTITIES", "entities"),
    ("THREAD_SUMMARIES", "thread_summaries"),
    ("EPISODES", "episodes"),
)


class Packed(Record):
    """A text for a prompt, what stands in it in the order of choice, and whether more was found."""

    text: str
    chosen: tuple[Ranked[Item], ...]
    truncated: bool


def together(answers: Iterable[Found]) -> Found:
    """The answers of several searches as one, kind by kind in the order given."""
    every = list(answers)
    return Found(
        facts=tuple(hit for each in every for hit in each.facts),
        entities=tuple(hit for each in every for hit in each.entities),
        episodes=tuple(hit for each in every for hit in each.episodes),
        observations=tuple(hit for each in every for hit in each.observations),
        thread_summaries=tuple(hit for each in every for hit in each.thread_summaries),
    )


def pack(found: Found, *, max_characters: int, note: str = "") -> Packed:
    """As much of *found* as fits into *max_characters* in whole lines, better scores first.

    The scores of all kinds must be comparable. What is chosen by score is told by kind and time,
    as every block does. A *note* stands on the first line; without room for it nothing is told.
    """
    offers = budget.distinct(_by_score(found), lambda offer: told(offer[1].item, SAFE))
    start = SAFE(note)
    frames = {name: assemble.frame_chars(name) for name, _ in _KINDS}
    taken = budget.affordable(
        ((name, told(hit.item, SAFE)) for name, hit in offers),
        # The first section has no break before it, unless a note has.
        max_characters - len(start) + (0 if start else len(assemble.SECTION_BREAK)),
        frames,
    )
    if not taken:
        return Packed(text="", chosen=(), truncated=bool(offers))
    chosen = [offers[number] for number in taken]
    blocks = assemble.framed([(name, hit.item) for name, hit in chosen])
    return Packed(
        text=assemble.SECTION_BREAK.join([start, *blocks] if start else blocks),
        chosen=tuple(hit for _, hit in chosen),
        truncated=len(taken) < len(offers),
    )


def _by_score(found: Found) -> list[tuple[str, Ranked[Item]]]:
    hits = [(name, hit) for name, kind in _KINDS for hit in getattr(found, kind)]
    return sorted(hits, key=lambda each: -each[1].score)
