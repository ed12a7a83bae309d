"""The running summary of an entity: the sentences of its facts that hold, the newest last."""

from collections.abc import Iterable, Sequence

import regex

from recollect.graph.gist import gist
from recollect.limits import ENTITY_SUMMARY_CHARS_MAX

# A full stop after an initial or a short form does not end a sentence.
_BORDER = regex.compile(
    r"(?<=[.!?\u2026\u3002][\"'\u201d\u2019)]?)(?<!\b(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|e\.g|i\.e)\.)\s+"
)
_CUT = "\u2026"
_ENDS = (".", "!", "?", "\u2026", "\u3002")


def grow(summary: str, said: Iterable[str], gone: Iterable[str]) -> str:
    """*summary* without the sentences *gone* and with those *said*, each once.

    It never becomes longer than `ENTITY_SUMMARY_CHARS_MAX`: the oldest sentences leave first, and
    always as a whole. A sentence that alone is too long is left out, or cut if it stands alone.
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
    """Which of *facts* a summary tells, by place, and those of its sentences that are none of them.

    A fact is looked for as a whole, whatever stops are in it, and the longer ones first.
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
    """A summary of sentences that are no facts and then of facts, in the orders given, each once."""
    kept = {gist(sentence): sentence for sentence in (*others, *map(_sentence, facts))}
    return _fit(list(kept.values()))


def _without(summary: str, gone: Iterable[str]) -> list[str]:
    """The sentences of *summary*; one that *gone* has is found whole, whatever stops are in it."""
    parts = [summary.strip()]
    for fact in gone:
        sentence = _sentence(fact)
        parts = [piece.strip() for part in parts for piece in part.split(sentence)]
    return [sentence for part in parts for sentence in _BORDER.split(part) if sentence]


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
