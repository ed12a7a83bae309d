"""The questions in `training/questions`, and the pairs of question and sentence that a model learns from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from recollect.graph.gist import listed
from training.judge import corpus
from training.judge.corpus import History, Vectors

QUESTIONS = Path(corpus.__file__).parents[1] / "questions"
HARD, FAR = 5, 1  # sentences that answer nothing: of those near the question, and of the others
NEAR = 12
# Most sentences as the product reads them, some clean, some as typed.
WAYS = {"read": 6.0, "fact": 2.5, "text": 1.5}
KEYWORDS = 0.15  # of the questions are asked as a few words
_SMALL = listed(
    """
    a an and are at be been did do does for from had has have he her his how i in is it its me my of
    on or our s she still that the their them there they this to was we were what when where which
    who whose why will with you your
    """
)
Read = dict[str, list[list[str]]]  # by history, for each statement the facts that the product reads


@dataclass(frozen=True)
class Question:
    """A question over a history, the statements that answer it now, and those that did before."""

    history: History
    text: str
    answers: frozenset[int]
    outdated: frozenset[int]


class Example(NamedTuple):
    """A question, a sentence, and whether the one answers or answered the other."""

    question: str
    sentence: str
    answers: bool


def questions(hands: Sequence[str]) -> list[Question]:
    """The questions about the histories of these hands."""
    histories = {one.name: one for one in corpus.read(hands)}
    lines = (
        line.split(" | ")
        for hand in hands
        for line in (QUESTIONS / f"{hand}.txt").read_text(encoding="utf-8").splitlines()
    )
    return [
        Question(histories[name], text, places(answers), places(outdated))
        for name, text, answers, outdated in lines
    ]


def places(text: str) -> frozenset[int]:
    """The statements that a field of a question names."""
    return frozenset(int(part) for part in text.split(",") if part.strip() != "-")


def examples(
    asked: Sequence[Question],
    vectors: dict[str, Vectors],
    meanings: dict[str, Vectors],
    read: Read,
    chance: Random,
) -> list[Example]:
    """All that answers a question or once did, and some of what does not, drawn anew for each round.

    What is about the same slot as an answer is left out: nobody said whether it answers as well.
    """
    found = []
    for one in asked:
        history = one.history
        way = chance.choices(list(WAYS), list(WAYS.values()))[0]
        told = [sentences(history, place, way, read) for place in range(len(history.statements))]
        right = one.answers | one.outdated
        slots = {history.statements[place].slot for place in right}
        others = [
            place
            for place, said in enumerate(history.statements)
            if place not in right and said.slot not in slots
        ]
        likeness = vectors[history.name] @ meanings[one.text].T
        others.sort(key=lambda place: -float(likeness[place]))
        near, far = others[:NEAR], others[NEAR:]
        chosen = chance.sample(near, min(HARD, len(near))) + chance.sample(far, min(FAR, len(far)))
        text = keywords(one.text) if chance.random() < KEYWORDS else one.text
        found += [Example(text, nearest(told[p], history.statements[p].fact), True) for p in right]
        found += [Example(text, chance.choice(told[place]), False) for place in chosen]
    return found


def sentences(history: History, place: int, way: str, read: Read) -> list[str]:
    """A statement in one of the ways it can be told: clean, as the product reads it, or as typed."""
    said = history.statements[place]
    if way == "fact":
        return [said.fact]
    facts = read[history.name][place] if way == "read" else []
    return facts or [f"{said.who}: {said.text}"]


def nearest(told: Sequence[str], fact: str) -> str:
    """Of several facts read from one statement, the one with most words of its clean sentence."""
    wanted = _words(fact)
    return max(told, key=lambda text: len(_words(text) & wanted))


def keywords(question: str) -> str:
    """A question as somebody types it into a search box."""
    kept = [word for word in question.rstrip("?.! ").split() if word.lower() not in _SMALL]
    return " ".join(kept) or question


def _words(text: str) -> set[str]:
    return set(text.lower().replace(".", " ").replace(",", " ").split())


def stacked(texts: Sequence[str], vectors: Vectors) -> dict[str, Vectors]:
    """Vectors by text."""
    return dict(zip(texts, np.asarray(vectors), strict=True))
