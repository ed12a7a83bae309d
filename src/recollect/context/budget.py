"""A budget of characters, spent on whole lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def affordable(
    offers: Iterable[tuple[str, str]], room: int, frames: Mapping[str, int] | None = None
) -> list[int]:
    """Which of *offers* fit into *room*, taken in their order; one that is too long is passed over.

    An offer is the section it belongs to and its line. A line costs its characters and the line
    break before it; the first line of a section costs the section's frame as well.
    """
    left = room
    unpaid = dict(frames or {})
    taken = []
    for number, (section, line) in enumerate(offers):
        cost = len(line) + 1 + unpaid.get(section, 0)
        if cost <= left:
            left -= cost
            unpaid.pop(section, None)
            taken.append(number)
    return taken


def distinct(offers: Iterable[T], line: Callable[[T], str]) -> list[T]:
    """*offers* in their order, without those that have no line or the line of one before them.

    One sentence may stand for several facts ("works at Acme as a cook"): a block tells it once.
    """
    first: dict[str, T] = {}
    for offer in offers:
        first.setdefault(line(offer), offer)
    first.pop("", None)
    return list(first.values())


def in_turns(lists: Sequence[Sequence[T]], shares: Sequence[int] | None = None) -> Iterator[T]:
    """The best of every list, then the next best: each turn takes a list's *share* from it."""
    shares = shares or [1] * len(lists)
    for turn in range(max((len(each) for each in lists), default=0)):
        for each, share in zip(lists, shares, strict=True):
            yield from each[turn * share : (turn + 1) * share]
