"""The running summary of an entity: the sentences of its facts that hold, the newest last."""

from collections.abc import Iterable

import regex

from recollect.graph.gist import gist
from recollect.limits import ENTITY_SUMMARY_CHARS_MAX

# A full stop after an initial or a short form does not end a sentence.
_BORDER = regex.compile(
    r"(?<=[.!?\u2026\u3002][\"'\u201d\u2019)]?)(?<!\b(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|e\.g|i\.e)\.)\s+"
)
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
    return sentences[-1][: ENTITY_SUMMARY_CHARS_MAX - 1].rsplit(" ", 1)[0] + "\u2026"
