"""The reranking model: how well a text answers a question."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from recollect.models import onnx, weights
from recollect.models.manifest import CROSS_ENCODER

Logits = npt.NDArray[np.float32]

TOKENS_MAX = 256  # question and text together: time grows with it, and facts are short
QUERY_CHARS_MAX = 400  # a longer question would push the text out
PAIR = "Query: {query}\nSentence: {text}"  # as the model was trained: one sequence, not two


class CrossEncoder:
    """Reads question and text together, so nothing can be computed ahead."""

    def __init__(self, folder: Path) -> None:
        self._session: Any = onnx.session(folder / "model.onnx")
        self._tokenizer = onnx.tokenizer(folder / "tokenizer.json", TOKENS_MAX)

    def scores(self, query: str, texts: Sequence[str]) -> Logits:
        """One logit per text, in order; above zero it is more likely an answer than not."""
        asked = query[:QUERY_CHARS_MAX]
        pairs = [PAIR.format(query=asked, text=text) for text in texts]
        found = [self._run(encoded.ids) for encoded in self._tokenizer.encode_batch(pairs)]
        return np.array(found, dtype=np.float32)

    def _run(self, ids: list[int]) -> float:
        tokens = np.array([ids], dtype=np.int64)
        feed = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        # The logits of two classes; their difference is the logit of "answer".
        no_answer, answer = self._session.run(None, feed)[0][0]
        return float(answer - no_answer)


@cache
def load(models: Path) -> CrossEncoder:
    """The installed cross-encoder, loaded once per process."""
    return CrossEncoder(weights.verified(CROSS_ENCODER, models))
