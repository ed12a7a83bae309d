"""Given a question and a fact, does the fact answer it, now or in the past?

The model was trained here (`training/answers`), on questions over invented histories, and comes with
the package. It reads both texts together, so nothing can be computed ahead: it is for the best of what
a search has found.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from recollect.errors import ModelUnavailable
from recollect.models import onnx
from recollect.models.manifest import EMBEDDER

FILE = Path(__file__).with_name("answers.onnx")
GRAPH = Path(__file__).with_name("answers.graph.onnx")  # decision 37
SETTING = Path(__file__).with_name("answers.json")
TOKENS_MAX = 96
QUESTION_CHARS_MAX = 300  # a longer one would push the fact out


class AnswersSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The version of the model and the hash of its file."""

    version: str
    sha256: str


class AnswerModel:
    """Reads a question and a fact at once."""

    def __init__(self, file: Path, tokenizer: Path, *, sha256: str | None) -> None:
        if not tokenizer.is_file():
            raise ModelUnavailable("its words are not installed; run `recollect models install`")
        if sha256 is not None and hashlib.sha256(file.read_bytes()).hexdigest() != sha256:
            raise ModelUnavailable("the model of answers is damaged; install recollect again")
        self._session: Any = onnx.session(GRAPH, file.parent)
        self._tokenizer = onnx.tokenizer(tokenizer, TOKENS_MAX)

    def logits(self, question: str, facts: Sequence[str]) -> list[float]:
        """One logit per fact, in order; above zero it is more likely an answer than not."""
        asked = question[:QUESTION_CHARS_MAX]
        encoded = self._tokenizer.encode_batch([(asked, fact) for fact in facts])
        return [self._run(one) for one in encoded]

    def _run(self, encoded: Any) -> float:
        feed = {
            "input_ids": np.array([encoded.ids], dtype=np.int64),
            "token_type_ids": np.array([encoded.type_ids], dtype=np.int64),
        }
        return float(self._session.run(None, feed)[0][0][0])


@cache
def setting() -> AnswersSetting:
    """What ships."""
    return msgspec.json.decode(SETTING.read_bytes(), type=AnswersSetting)


@cache
def load(models: Path) -> AnswerModel:
    """The model, which shares its tokenizer with the embedder; loaded once per process."""
    return AnswerModel(FILE, EMBEDDER.folder(models) / "tokenizer.json", sha256=setting().sha256)
