"""How things stand after many episodes, as prose: what is so, what was decided, what is open.

Made of the sentences of facts that hold. Of several about the same thing only the newest is told;
what one and the same person or thing does is told in one sentence.
"""

from collections.abc import Iterable, Sequence

from recollect.graph.points import Point, current
from recollect.graph.sentences import clause, sentence
from recollect.graph.thread_summary import Said, weight

_TOGETHER_MAX = 3
_JOINED_CHARS_MAX = 90
_APART = (",", ";", ":", '"', "\u201c", " and ", "?", "!")
_AUXILIARIES = frozenset(
    """
    is are was were has have had will would can could may might must should does did do
    """.split()  # noqa: SIM905 - a list of one word per line hides the words
)
_LABELS = {"decided": "Decided: ", "open": "Open: "}


def tell(facts: Sequence[Said], room: int) -> str:
    """What the facts that hold come to, in at most *room* characters; the oldest of them first.

    Decisions and open points, the newest first, have room before the rest, of which the weightiest
    has it first.
    """
    holding = [fact for fact in facts if fact.invalid_at is None]
    ranked = sorted(_once(current(holding)), key=_place)
    chosen: list[Point] = []
    text = ""
    for point in ranked:
        longer = _composed([*chosen, point])
        if len(longer) <= room:
            chosen, text = [*chosen, point], longer
    if not text and ranked:
        return _composed(ranked[:1])[: room - 1].rsplit(" ", 1)[0] + "\u2026"
    return text


def _once(points: Iterable[Point]) -> list[Point]:
    """Nothing is said twice, in whichever words."""
    return list({point.fact.gist: point for point in points}.values())


def _place(point: Point) -> tuple[bool, float, int]:
    """Which has room first."""
    urgent = point.kind in _LABELS
    return not urgent, 0.0 if urgent else -weight(point.fact), -point.fact.number


def _composed(points: Iterable[Point]) -> str:
    ordered = sorted(points, key=lambda point: point.fact.number)
    parts = [_prose([point for point in ordered if point.kind not in _LABELS])]
    for kind, label in _LABELS.items():
        said = _prose([point for point in ordered if point.kind == kind])
        parts.append(f"{label}{said}" if said else "")
    return " ".join(filter(None, parts))


def _prose(points: Sequence[Point]) -> str:
    """Sentences, each with all that is told of its subject, as far as that can be read."""
    groups: dict[tuple[str, str | None, int], list[Point]] = {}
    for point in points:
        whose, subject = point.fact.place.partition("/")[0], point.subject
        alone = subject is None or not _joins(point.rest)
        place = point.fact.number if alone else -_full(groups, whose, subject)
        groups.setdefault((whose, subject, place), []).append(point)
    return " ".join(map(_sentence, groups.values()))


def _full(
    groups: dict[tuple[str, str | None, int], list[Point]], whose: str, subject: str | None
) -> int:
    """The number of the first sentence about a subject that has room for more."""
    number = 0
    while len(groups.get((whose, subject, -number), ())) >= _TOGETHER_MAX:
        number += 1
    return number


def _joins(rest: str) -> bool:
    return len(rest) <= _JOINED_CHARS_MAX and not any(mark in rest for mark in _APART)


def _verb_once(told: list[str]) -> list[str]:
    """What several predicates have as their verb is said by the first alone: likes tea, jazz."""
    verbs = {text.split(" ", 1)[0] for text in told}
    if len(verbs) > 1 or verbs & _AUXILIARIES or any(" " not in text for text in told):
        return told
    return [told[0], *(text.split(" ", 1)[1] for text in told[1:])]


def _sentence(group: Sequence[Point]) -> str:
    if len(group) == 1:
        return sentence(group[0].fact.fact)
    told = _verb_once([clause(point.rest) for point in group])
    return sentence(f"{group[0].subject} {', '.join(told[:-1])} and {told[-1]}")
