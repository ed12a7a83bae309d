"""Two sentences about one life, the older and the newer: is the older one still so?

The model was trained here (`training/`), on whole histories in which about one pair in thirty closes,
and comes with the package. What it makes of the two sentences is weighed together with what they
have in common (`pair_signs.py`). The weights, the thresholds and the hash of the model are in
`judge.json`, which `make train` writes.
"""

import hashlib
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from recollect.errors import ModelUnavailable
from recollect.models import onnx
from recollect.models.manifest import EMBEDDER
from recollect.models.pair_signs import Pair, repeats, signs

FILE = Path(__file__).with_name("judge.onnx")
SETTING = Path(__file__).with_name("judge.json")
_TOKENS_MAX = 96


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the model's own logits and the signs are weighed, and from when on that is *sure* enough to
    end a fact, or enough to *doubt* it. *most* is the most that the model was ever seen to give."""

    version: str
    sha256: str
    weights: tuple[float, ...]
    bias: float
    sure: float
    doubt: float
    most: tuple[float, float]


class Opinion(NamedTuple):
    """What the newer sentence does to the older one, if it does something, and how sure that is."""

    verdict: Literal["replaces", "ends"]
    sure: float


class Reading(NamedTuple):
    """What the model alone makes of two sentences: the logits of a closing and of being about the
    same thing, and which kind of closing it would be."""

    closes: float
    about: float
    verdict: Literal["replaces", "ends"]


class Judge:
    """Reads both sentences at once. Not to be shared between threads."""

    def __init__(self, file: Path, tokenizer: Path, *, sha256: str | None) -> None:
        from tokenizers import Tokenizer

        if not tokenizer.is_file():
            raise ModelUnavailable("its words are not installed; run `recollect models install`")
        weights = file.read_bytes()
        if sha256 is not None and hashlib.sha256(weights).hexdigest() != sha256:
            raise ModelUnavailable("the judge is damaged; install recollect again")
        self._session: Any = onnx.session(weights)
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.enable_truncation(_TOKENS_MAX)
        self._tokenizer.no_padding()

    def opinions(self, pairs: Sequence[Pair], setting: Setting) -> list[Opinion]:
        """One for each pair, in order. Sentences that it could not even doubt, whatever the model
        made of them, are not read; one whose numbers and names are all said again is not in doubt."""
        return [self._opinion(pair, setting) for pair in pairs]

    def _opinion(self, pair: Pair, setting: Setting) -> Opinion:
        if weighed(*setting.most, pair, setting) < setting.doubt:
            return Opinion("replaces", 0.0)
        (one,) = self.read([(pair.older, pair.newer)])
        closes, about = min(one.closes, setting.most[0]), min(one.about, setting.most[1])
        sure = weighed(closes, about, pair, setting)
        if sure < setting.sure and one.verdict == "replaces" and repeats(pair):
            return Opinion("replaces", 0.0)
        return Opinion(one.verdict, sure)

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """What the model alone makes of pairs of an older and a newer sentence.

        Each pair runs by itself: in company its numbers would be rounded otherwise.
        """
        return [self._run(encoded) for encoded in self._tokenizer.encode_batch(list(pairs))]

    def _run(self, encoded: Any) -> Reading:
        tokens = np.array([encoded.ids], dtype=np.int64)
        feed = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.array([encoded.type_ids], dtype=np.int64),
        }
        holds, replaces, ends, about = self._session.run(None, feed)[0][0].astype(np.float64)
        closes = float(np.logaddexp(replaces, ends) - holds)
        return Reading(closes, float(about), "replaces" if replaces >= ends else "ends")


def weighed(closes: float, about: float, pair: Pair, by: Setting) -> float:
    """How sure it is that the older sentence is over."""
    given = (closes, about, *signs(pair))
    total = sum(w * x for w, x in zip(by.weights, given, strict=True)) + by.bias
    return 1 / (1 + math.exp(-total))


@cache
def setting() -> Setting:
    """The weights and thresholds that come with the model."""
    return msgspec.json.decode(SETTING.read_bytes(), type=Setting)


@cache
def load(models: Path) -> Judge:
    """The judge, which shares its words with the embedder; loaded once per process."""
    return Judge(FILE, EMBEDDER.folder(models) / "tokenizer.json", sha256=setting().sha256)
