"""Given an older and a newer sentence about the same life, does the older one still hold?

The model was trained here (`training/`), on whole histories in which about one pair in thirty
closes, and comes with the package. A logistic regression combines its logits with what the two
sentences have in common, counted (`pair_features`). Reading a pair costs, so a second regression over
the counts alone says first which pairs are worth it (`worth_reading`). The weights, the thresholds and
the model's hash are in `judge.json`, which `make train` writes.
"""

import hashlib
import math
import re
from calendar import month_name
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from recollect.errors import ModelUnavailable
from recollect.graph.gist import listed
from recollect.models import onnx
from recollect.models.manifest import EMBEDDER

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:[.,:/-]\d+)*")
_DIGITS = re.compile(r"\d+")
_CAPITALISED = re.compile(r"(?<=\s)[A-Z][\w'-]+")
_SMALL = listed(
    """
    a about an and are as at be been but by did do does for from had has have he her his i in into
    is it its my no not now of on or our out over s she so still t than that the their then there
    they this to up was we were which who will with you your
    """
)
_CHANGE = re.compile(
    r"\b(?:now|no longer|instead|switched|moved|changed|cancel\w*|stopp?ed|ended|quit|left|sold|"
    r"dropped|replaced|new|any ?more|from now|went back|over|closed|gave up|not|never)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[^:.,]{1,60}: ")  # a quotation, with the speaker in front
_NAMES_MAX = 3
_MONTHS = {name.lower(): str(number) for number, name in enumerate(month_name) if name}
FILE = Path(__file__).with_name("judge.onnx")
# The steps of the model, made by `training/fuse.py`; the weights are in the other file.
GRAPH = Path(__file__).with_name("judge.graph.onnx")
SETTING = Path(__file__).with_name("judge.json")
TOKENS_MAX = 96
_RECENT_MAX = 256


class Pair(NamedTuple):
    """An older and a newer sentence, and what is known about the pair.

    *owners* are the names of their owners, which all facts of theirs contain; *alike* is the sentences'
    similarity, *behind* by how much another older sentence is more similar, *days* the time between.
    """

    older: str
    newer: str
    owners: str = ""
    alike: float = 1.0
    behind: float = 0.0
    days: float = 0.0


class _Parts(NamedTuple):
    words: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    changes: bool


@lru_cache(maxsize=4_096)
def _parts(text: str, owners: str) -> _Parts:
    own = frozenset(_WORD.findall(owners.lower()))
    found = frozenset(_WORD.findall(text.lower()))
    names = frozenset(name.lower() for name in _CAPITALISED.findall(text))
    return _Parts(
        words=found - own - _SMALL,
        numbers=frozenset(word for word in found if word[0].isdigit()),
        names=names - own,
        changes=_CHANGE.search(text) is not None,
    )


def repeats(pair: Pair) -> bool:
    """Whether the older sentence has numbers or names and the newer one repeats them all.

    Then nothing in it was replaced.
    """
    old, new = _parts(pair.older, pair.owners), _parts(pair.newer, pair.owners)
    values = _digits(old) | (old.names - _MONTHS.keys())
    return bool(values) and values <= _digits(new) | new.words


def _digits(parts: _Parts) -> frozenset[str]:
    """Runs of digits, and the numbers of months, so that a date is the same in any notation."""
    found = (digits for number in parts.numbers for digits in _DIGITS.findall(number))
    months = (_MONTHS[word] for word in parts.words if word in _MONTHS)
    return frozenset((*(digits.lstrip("0") or "0" for digits in found), *months))


def pair_features(pair: Pair) -> list[float]:
    """What the sentences have in common, each feature scaled to about one. Owners' names are left out."""
    old, new = _parts(pair.older, pair.owners), _parts(pair.newer, pair.owners)
    shared = len(old.words & new.words)
    return [
        pair.alike,
        pair.behind,
        shared / max(1, len(old.words | new.words)),
        shared / max(1, min(len(old.words), len(new.words))),
        (len(old.words) - shared) / 10,
        (len(new.words) - shared) / 10,
        float(bool(old.numbers & new.numbers)),
        float(bool(old.numbers - new.numbers)),
        float(bool(new.numbers - old.numbers)),
        min(_NAMES_MAX, len(old.names & new.names)) / _NAMES_MAX,
        min(_NAMES_MAX, len(old.names - new.names)) / _NAMES_MAX,
        min(_NAMES_MAX, len(new.names - old.names)) / _NAMES_MAX,
        math.log1p(max(0.0, pair.days)) / 7,
        float(old.changes),
        float(new.changes),
        float(_QUOTED.match(pair.older) is not None),
        float(_QUOTED.match(pair.newer) is not None),
    ]


class JudgeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weights of the logits and features, and the thresholds.

    A fact is closed from the probability *sure* on, and doubted from *doubt* on. *unread* weighs the
    features alone, before the model has read a pair; it reads the pair from the probability *worth* on.
    """

    version: str
    sha256: str
    weights: tuple[float, ...]
    bias: float
    sure: float
    doubt: float
    unread: tuple[float, ...]
    unread_bias: float
    worth: float


class Opinion(NamedTuple):
    """What the newer sentence would do to the older one, and the probability that it does."""

    verdict: Literal["replaces", "ends"]
    sure: float


class PairLogits(NamedTuple):
    """The model's output: the logits of closing and of being about the same thing.

    *verdict* is the kind of closing it would be.
    """

    closes: float
    about: float
    verdict: Literal["replaces", "ends"]


class JudgeModel:
    """Reads both sentences at once, and remembers recent pairs. Not to be shared between threads.

    Where an episode must be learned before a later one can be judged, the later one is asked about again.
    """

    def __init__(self, file: Path, tokenizer: Path, *, sha256: str | None) -> None:
        if not tokenizer.is_file():
            raise ModelUnavailable("its words are not installed; run `recollect models install`")
        if sha256 is not None and _hash(file) != sha256:
            raise ModelUnavailable("the judge is damaged; install recollect again")
        self._session: Any = onnx.session(GRAPH, file.parent)
        self._tokenizer = onnx.tokenizer(tokenizer, TOKENS_MAX)
        self._recent: dict[tuple[str, str], PairLogits] = {}

    def opinions(self, pairs: Sequence[Pair], setting: JudgeSettings) -> list[Opinion]:
        """One per pair, in order. A sentence whose numbers and names are all repeated is not in doubt."""
        read = self.read([(pair.older, pair.newer) for pair in pairs])
        return [_opinion(pair, one, setting) for pair, one in zip(pairs, read, strict=True)]

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[PairLogits]:
        """The model's output for pairs of an older and a newer sentence."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._recent]
        made = zip(new, map(self._run, self._tokenizer.encode_batch(new)), strict=True)
        found = self._recent | dict(made)
        self._recent = dict(list(found.items())[-_RECENT_MAX:])
        return [found[pair] for pair in pairs]

    def _run(self, encoded: Any) -> PairLogits:
        feed = {
            "input_ids": np.array([encoded.ids], dtype=np.int64),
            "token_type_ids": np.array([encoded.type_ids], dtype=np.int64),
        }
        holds, replaces, ends, about = self._session.run(None, feed)[0][0].astype(np.float64)
        closes = float(np.logaddexp(replaces, ends) - holds)
        return PairLogits(closes, float(about), "replaces" if replaces >= ends else "ends")


def _opinion(pair: Pair, read: PairLogits, by: JudgeSettings) -> Opinion:
    given = (read.closes, read.about, *pair_features(pair))
    sure = _probability(given, by.weights, by.bias)
    if sure < by.sure and read.verdict == "replaces" and repeats(pair):
        return Opinion("replaces", 0.0)
    return Opinion(read.verdict, sure)


def _hash(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def worth_reading(pairs: Sequence[Pair], by: JudgeSettings, most: int) -> list[int]:
    """The positions of the pairs of one newer sentence that the model should read, likeliest first.

    These are the pairs whose older sentence may well be over by the counts alone, at most *most*.
    """
    chances = [_probability(pair_features(pair), by.unread, by.unread_bias) for pair in pairs]
    likely = sorted(range(len(pairs)), key=lambda place: -chances[place])
    return [place for place in likely[:most] if chances[place] >= by.worth]


def _probability(given: Sequence[float], weights: Sequence[float], bias: float) -> float:
    total = sum(w * x for w, x in zip(weights, given, strict=True)) + bias
    return 1 / (1 + math.exp(-total))


@cache
def setting() -> JudgeSettings:
    """The trained weights and thresholds."""
    return msgspec.json.decode(SETTING.read_bytes(), type=JudgeSettings)


@cache
def load(models: Path) -> JudgeModel:
    """The judge, which shares its tokenizer with the embedder; loaded once per process."""
    return JudgeModel(FILE, EMBEDDER.folder(models) / "tokenizer.json", sha256=setting().sha256)
