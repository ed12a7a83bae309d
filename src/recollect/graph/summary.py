"""The running summary of an entity, and the phrasing that all derived texts share.

A summary consists of the sentences of the entity's facts that hold, the newest last.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

import regex

from recollect.graph.gist import gist
from recollect.limits import ENTITY_SUMMARY_CHARS_MAX

_ENDS = (".", "!", "?", "\u2026", "\u3002")
# Not from the machine's locale, which may be another language.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def sentence(text: str) -> str:
    """*text* on one line, ending with a full stop."""
    line = " ".join(text.split())
    return line if line.endswith(_ENDS) else line + "."


def clause(text: str) -> str:
    """*text* on one line without its full stop, to be continued."""
    return " ".join(text.split()).rstrip(".\u3002")


def day(moment: datetime) -> str:
    """A date in words."""
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def span(first: datetime, last: datetime) -> str:
    """One date in words, or a range of two."""
    if first.date() == last.date():
        return f"on {day(first)}"
    return f"from {day(first)} to {day(last)}"


def listing(names: Sequence[str], most: int) -> str:
    """Names joined as in a sentence; beyond *most* the earliest are only counted."""
    hidden = max(0, len(names) - most)
    shown = [*names[hidden:]]
    if hidden:
        return f"{', '.join(shown)} and {hidden} more"
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


# A full stop after an initial or a short form does not end a sentence.
_BORDER = regex.compile(
    r"(?<=[.!?\u2026\u3002][\"'\u201d\u2019)]?)(?<!\b(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|e\.g|i\.e)\.)\s+"
)
_CUT = "\u2026"


def grow(summary: str, said: Iterable[str], gone: Iterable[str]) -> str:
    """*summary* without the sentences *gone* and with those *said*, each once.

    It is at most `ENTITY_SUMMARY_CHARS_MAX` long: the oldest sentences are dropped first, always
    whole. A sentence that is too long by itself is dropped, or cut if it is the only one.
    """
    new = [_sentence(fact) for fact in said]
    left = {gist(fact) for fact in gone}
    if not new and not left:
        return summary
    old = _without(summary, gone)
    kept: dict[str, str] = {}
    for sentence in [*old, *new]:
        mark = gist(sentence)
        if mark not in left:
            # Said again, it moves to the end: the newest knowledge is the last to be cut.
            kept.pop(mark, None)
            kept[mark] = sentence
    return _fit(list(kept.values()))


def taken_apart(summary: str, facts: Sequence[str]) -> tuple[list[int], list[str]]:
    """The indexes of the *facts* that a summary contains, and its other sentences.

    A fact is matched as a whole, whatever punctuation it contains, longer ones first.
    """
    rest = [summary.strip()]
    told = []
    for place in sorted(range(len(facts)), key=lambda place: (-len(facts[place]), place)):
        sentence = _sentence(facts[place])
        if rest == [summary.strip()] and _cut_from(summary, sentence):
            return [place], []
        if any(sentence in part for part in rest):
            told.append(place)
            rest = [piece.strip() for part in rest for piece in part.split(sentence)]
    return sorted(told), [sentence for part in rest for sentence in _BORDER.split(part) if sentence]


def _cut_from(summary: str, sentence: str) -> bool:
    return summary.endswith(_CUT) and sentence.startswith(summary.removesuffix(_CUT))


def composed(others: Iterable[str], facts: Iterable[str]) -> str:
    """A summary made of other sentences and then of facts, in the given order, each once."""
    kept = {gist(sentence): sentence for sentence in (*others, *map(_sentence, facts))}
    return _fit(list(kept.values()))


def _without(summary: str, gone: Iterable[str]) -> list[str]:
    """The sentences of *summary* except those *gone*, which are matched as a whole."""
    parts = [summary.strip()]
    for fact in gone:
        sentence = _sentence(fact)
        parts = [piece for part in parts for piece in _around(sentence, part)]
    return [sentence for part in parts for sentence in _BORDER.split(part) if sentence]


def _around(sentence: str, text: str) -> list[str]:
    """What is left of *text* before, between and after *sentence*.

    The same words at the end of a longer sentence are left there, unless they occur nowhere else: what
    precedes them may be a text of a caller that has no full stop.
    """
    pieces, start = [], 0
    at = text.find(sentence)
    while at >= 0:
        if at == 0 or text[:at].rstrip().endswith(_ENDS):
            pieces.append(text[start:at].strip())
            start = at + len(sentence)
        at = text.find(sentence, max(start, at + 1))
    if not pieces:
        return [piece.strip() for piece in text.split(sentence)]
    return [*pieces, text[start:].strip()]


def _sentence(fact: str) -> str:
    text = " ".join(fact.split())
    return text if text.endswith(_ENDS) else text + "."


def _fit(sentences: list[str]) -> str:
    kept: list[str] = []
    room = ENTITY_SUMMARY_CHARS_MAX
    for sentence in reversed(sentences):
        if len(sentence) > ENTITY_SUMMARY_CHARS_MAX:
            continue
        if len(sentence) > room:
            break
        kept.append(sentence)
        room -= len(sentence) + 1
    if kept or not sentences:
        return " ".join(reversed(kept))
    return sentences[-1][: ENTITY_SUMMARY_CHARS_MAX - 1].rsplit(" ", 1)[0] + _CUT
