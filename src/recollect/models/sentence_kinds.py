"""What kind of statement a sentence is, and whether it is worth remembering at all.

A multinomial logistic regression, trained here (`training/kinds`), over hashed word n-grams and the
sentence's embedding: words tell a question from a plan, the embedding a mood from an allergy. It
costs next to nothing, since the fact needs the embedding anyway.
"""

import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

import numpy as np
import numpy.typing as npt

Kind = Literal["state", "event", "plan", "preference", "instruction", "denial", "answer", "none"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ROLES = ("user", "assistant", "other", "document")
FILE = Path(__file__).with_name("sentence_kinds.npz")
BUCKETS = 1 << 14
VECTOR_WEIGHT = 4.0
_WORDS_WEIGHT = 3.0
_SHORT = 8
_HEDGED_SURE = 0.8
_HEDGED = re.compile(
    r"\b(?:if|unless|might|could|would have|would've|maybe|perhaps|wonder\w*|wish)\b", re.IGNORECASE
)
_WORD = re.compile(r"[a-z]+|\d+|[?!:;,.'\"()-]")
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]+")

Floats = npt.NDArray[np.float32]


class Utterance(NamedTuple):
    """A sentence, its speaker (one of `ROLES`), and the question it follows, if any.

    *told* is its wording as a fact; *within* is the whole sentence, if this is a part of one.
    """

    text: str
    role: str
    question: str = ""
    told: str = ""
    within: str = ""


def _features(said: Utterance) -> Iterator[str]:
    """Word n-grams, and features of the whole sentence."""
    words = ["0" if word[0].isdigit() else word for word in _WORD.findall(said.text.lower())]
    asks = said.text.rstrip(" \"')").endswith("?")
    first, last = (words[0], words[-1]) if words else ("", "")
    yield f"role={said.role}"
    yield f"role={said.role},asks={asks}"
    yield f"role={said.role},first={first}"
    yield f"first={first}"
    yield f"last={last}"
    yield f"asks={asks}"
    yield f"length={min(6, len(words) // 3)}"
    yield f"asked={bool(said.question)}"
    yield f"asked={bool(said.question)},short={len(words) <= _SHORT}"
    yield f"number={'0' in words}"
    yield f"name={_NAME.search(said.text) is not None}"
    for length in (1, 2, 3):
        for start in range(len(words) - length + 1):
            yield "_".join(words[start : start + length])


def buckets(said: Utterance) -> list[int]:
    """The rows of its features in the table of weights."""
    return sorted({zlib.crc32(feature.encode()) % BUCKETS for feature in _features(said)})


def scale(count: int) -> float:
    """The weight of each of *count* features, so that long sentences do not outweigh short ones."""
    return float(_WORDS_WEIGHT / np.sqrt(max(1, count)))


class SentenceKinds:
    """The classifier. The trained threshold says from which probability a sentence is worth keeping."""

    def __init__(self, file: Path = FILE) -> None:
        with np.load(file, allow_pickle=False) as held:
            self._words = held["words"].astype(np.float32)
            self._meaning = held["meaning"].astype(np.float32)
            self._bias = held["bias"].astype(np.float32)
            self._sure = float(held["sure"])

    def kinds(self, sentences: Sequence[Utterance], vectors: Floats) -> list[Kind]:
        """The kind of each; *vectors* embed the sentences as worded in *told*."""
        return [self._kind(said, vector) for said, vector in zip(sentences, vectors, strict=True)]

    def chances(self, said: Utterance, vector: Floats) -> Floats:
        """The probability of each kind."""
        places = buckets(said)
        logits = self._bias + self._words[places].sum(0) * scale(len(places))
        logits = logits + (vector * VECTOR_WEIGHT) @ self._meaning
        raised = np.exp(logits - logits.max())
        return cast(Floats, raised / raised.sum())

    def _kind(self, said: Utterance, vector: Floats) -> Kind:
        chances = self.chances(said, vector)
        hedged = _HEDGED.search(said.text) is not None
        worth = 1 - chances[-1]
        if said.within:  # a part may be too short to show its worth
            worth = max(worth, 1 - self.chances(said._replace(text=said.within), vector)[-1])
        if worth < (max(self._sure, _HEDGED_SURE) if hedged else self._sure):
            return "none"
        return KINDS[int(chances[:-1].argmax())]


def classifier(
    embed: Callable[[Sequence[str]], Floats],
) -> Callable[[Sequence[Utterance]], list[Kind]]:
    """A function that classifies sentences, embedding them with *embed*."""

    def kinds(sentences: Sequence[Utterance]) -> list[Kind]:
        return load().kinds(sentences, embed([said.told for said in sentences]))

    return kinds


@cache
def load() -> SentenceKinds:
    """The classifier that comes with the package."""
    return SentenceKinds()
