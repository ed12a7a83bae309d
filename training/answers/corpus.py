"""The questions in `training/questions`, and the lists of sentences that a model learns from."""

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
NEAREST = (4, 10)  # so many of the statements nearest to a question are in its list
FAR = 1  # and so many others
NOISE = 0.03  # how far nearness is off, so that lists differ from round to round
SURELY = 0.9  # how often a statement that answers is in the list, near or not
LINES_MAX = 14
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


class Line(NamedTuple):
    """A sentence of a list, whether it answers the question, now or formerly, and whether that is over.

    None: nobody said so.
    """

    text: str
    answers: bool | None
    over: bool | None


class Example(NamedTuple):
    """A question and what a search may have found, in the order in which it was said."""

    question: str
    lines: tuple[Line, ...]


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
    """A list for each question, drawn anew for each round."""
    found = []
    for one in asked:
        way = chance.choices(list(WAYS), list(WAYS.values()))[0]
        nearness = vectors[one.history.name] @ meanings[one.text].T
        told = [
            line for place in chosen(one, nearness, chance) for line in lines(one, place, way, read)
        ]
        text = keywords(one.text) if chance.random() < KEYWORDS else one.text
        found.append(Example(text, tuple(told[-LINES_MAX:])))
    return found


def chosen(one: Question, nearness: Vectors, chance: Random) -> list[int]:
    """The statements of a list: those a search would find, most of those that answer, and some others."""
    places = range(len(one.history.statements))
    near = sorted(places, key=lambda place: -float(nearness[place]) + chance.gauss(0, NOISE))
    kept = set(near[: chance.randint(*NEAREST)])
    for place in one.answers | one.outdated:
        if chance.random() < SURELY:
            kept.add(place)
    kept |= set(chance.sample(list(places), min(FAR, len(places))))
    return sorted(kept)


def lines(one: Question, place: int, way: str, read: Read) -> list[Line]:
    """What a list has of a statement.

    What is about the same slot as an answer may answer as well, and so may a second sentence of a
    statement that answers: nobody said.
    """
    history = one.history
    said = history.statements[place]
    told = sentences(history, place, way, read)
    right = one.answers | one.outdated
    if place in right:
        best = nearest(told, said.fact)
        over = place not in one.answers
        return [Line(text, True, over) if text == best else Line(text, None, None) for text in told]
    open_ = said.slot in {history.statements[other].slot for other in right}
    return [Line(text, None if open_ else False, None) for text in told]


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
