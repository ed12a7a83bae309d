"""Given a question and facts in the order in which they were said, which answer it, and which no longer do?

The model was trained here (`training/answers`), on questions over invented histories, and comes with
the package. It reads the question and all facts together, so nothing can be computed ahead: it is for the
best of what a search has found.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from recollect.errors import ModelUnavailable
from recollect.models import onnx
from recollect.models.manifest import EMBEDDER

FILE = Path(__file__).with_name("answers.onnx")
GRAPH = Path(__file__).with_name("answers.graph.onnx")  # decision 37
SETTING = Path(__file__).with_name("answers.json")
TOKENS_MAX = 448  # the question and all facts
QUESTION_TOKENS_MAX, FACT_TOKENS_MAX = 80, 40


class Reading(NamedTuple):
    """Logits for one fact: that it answers, now or formerly; and, if it does, that this is over."""

    answers: float
    over: float


class AnswersSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The version of the model and the hash of its file."""

    version: str
    sha256: str


class AnswerModel:
    """Reads a question and several facts at once."""

    def __init__(self, file: Path, tokenizer: Path, *, sha256: str | None) -> None:
        if not tokenizer.is_file():
            raise ModelUnavailable("its words are not installed; run `recollect models install`")
        if sha256 is not None and hashlib.sha256(file.read_bytes()).hexdigest() != sha256:
            raise ModelUnavailable("the model of answers is damaged; install recollect again")
        self._session: Any = onnx.session(GRAPH, file.parent)
        self._tokenizer = onnx.tokenizer(tokenizer, QUESTION_TOKENS_MAX)

    def read(self, question: str, facts: Sequence[str]) -> list[Reading]:
        """A reading of each fact, in order, which is that in which they were said."""
        if not facts:
            return []
        ids, parts = encode(self._tokenizer, question, facts)
        feed = {
            "input_ids": np.array([ids], dtype=np.int64),
            "parts": np.array([parts], dtype=np.int64),
            "numbers": np.arange(len(facts) + 1, dtype=np.int64),
        }
        return [Reading(*row) for row in self._session.run(None, feed)[0][0].tolist()]


def encode(words: Any, question: str, facts: Sequence[str]) -> tuple[list[int], list[int]]:
    """The tokens, and of which part each is: 0 for the question, n for the nth fact.

    Each part has the sign that ends it, and facts are cut so that all have room.
    """
    first, *others = words.encode_batch([question, *facts])
    ids, parts = list(first.ids), [0] * len(first.ids)
    room = min(FACT_TOKENS_MAX, (TOKENS_MAX - len(ids)) // max(1, len(others)))
    for number, one in enumerate(others, 1):
        kept = one.ids[1 : room + 1]
        ids += kept
        parts += [number] * len(kept)
    return ids, parts


@cache
def setting() -> AnswersSetting:
    """What ships."""
    return msgspec.json.decode(SETTING.read_bytes(), type=AnswersSetting)


@cache
def load(models: Path) -> AnswerModel:
    """The model, which shares its tokenizer with the embedder; loaded once per process."""
    return AnswerModel(FILE, EMBEDDER.folder(models) / "tokenizer.json", sha256=setting().sha256)
