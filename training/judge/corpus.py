"""The histories and pairs in this folder, and the pairs of sentences that a judge learns from.

A history is one text file: a line `# domain | style | owner`, then one line for each statement,
`index | time | who | text | fact | slot | does | closes`. README.md says what the fields mean.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

HERE = Path(__file__).parents[1]
HISTORIES = HERE / "histories"
PAIRS = HERE / "pairs"
CLASSES = ("holds", "replaces", "ends")
_ENDING = ("ends", "denies")
_FIELDS = 8

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Statement:
    """Something that was said: as typed, and as one clean sentence."""

    at: str
    who: str
    text: str
    fact: str
    slot: str
    does: str
    closes: tuple[int, ...]


@dataclass(frozen=True)
class History:
    """Everything that was said about one owner, in order."""

    name: str
    domain: str
    style: str
    owner: str
    statements: tuple[Statement, ...]


class Pair(NamedTuple):
    """An older and a newer statement of one history by their places, which class they are, and whether
    they are about the same thing."""

    older: int
    newer: int
    label: int
    same_slot: bool


class Example(NamedTuple):
    """An older and a newer sentence, which class they are, and whether they are about the same thing,
    as far as somebody said so."""

    older: str
    newer: str
    label: int
    same_slot: bool | None = None


def read(hands: Sequence[str]) -> list[History]:
    """The histories that these hands wrote."""
    files = [file for hand in hands for file in sorted((HISTORIES / hand).glob("*.txt"))]
    return [_history(file) for file in files]


def _history(file: Path) -> History:
    head, *lines = file.read_text(encoding="utf-8").splitlines()
    domain, style, owner = (part.strip() for part in head.removeprefix("#").split(" | "))
    statements = tuple(_statement(line, file) for line in lines if line.strip())
    name = f"{file.parent.name}-{file.stem}"
    return History(name, domain, style, owner, statements)


def _statement(line: str, file: Path) -> Statement:
    fields = [field.strip() for field in line.split(" | ")]
    if len(fields) != _FIELDS:
        raise ValueError(f"{file}: {len(fields)} fields in {line!r}")
    _, at, who, text, fact, slot, does, closes = fields
    closed = () if closes == "-" else tuple(int(number) for number in closes.split(","))
    return Statement(at, who, text, fact, slot, does, closed)


def open_pairs(history: History) -> Iterator[Pair]:
    """Each statement with every earlier one that was open when it was made."""
    closed: set[int] = set()
    for newer, said in enumerate(history.statements):
        kind = CLASSES.index("ends" if said.does in _ENDING else "replaces")
        for older in range(newer):
            if older not in closed:
                same = history.statements[older].slot == said.slot
                yield Pair(older, newer, kind if older in said.closes else 0, same)
        closed.update(said.closes)


def near_pairs(history: History, vectors: Vectors, most: int) -> tuple[list[Pair], list[Pair]]:
    """The pairs of each statement with the *most* open ones nearest in meaning, which are all that
    the product asks about, and those it closes that are farther away."""
    by_newer: dict[int, list[Pair]] = {}
    for pair in open_pairs(history):
        by_newer.setdefault(pair.newer, []).append(pair)
    near, far = [], []
    for newer, pairs in by_newer.items():
        pairs.sort(key=lambda pair: -float(vectors[pair.older] @ vectors[newer]))
        near += pairs[:most]
        far += [pair for pair in pairs[most:] if pair.label]
    return near, far


def told(history: History, read: Sequence[str | None], random: Random) -> list[str]:
    """The sentences of a history: as clean ones, as the product *read* them, or as they were typed."""
    way = random.choice(("fact", "fact", "read", "read", "text", "any"))
    return [
        _told(said, seen, way if way != "any" else random.choice(("fact", "read", "text")))
        for said, seen in zip(history.statements, read, strict=True)
    ]


def _told(said: Statement, seen: str | None, way: str) -> str:
    if way == "fact":
        return said.fact
    return seen if way == "read" and seen is not None else f"{said.who}: {said.text}"


def written_pairs() -> list[Example]:
    """The pairs that were written for each other."""
    labels = {"same": 0, "refines": 0, "coexists": 0, "replaces": 1, "ends": 2}
    lines = (line for file in sorted(PAIRS.glob("*.jsonl")) for line in file.open(encoding="utf-8"))
    return [Example(one["a"], one["b"], labels[one["label"]]) for one in map(json.loads, lines)]
