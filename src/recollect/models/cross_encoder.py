"""A question and a text, read together, to how well the text answers the question."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from recollect.errors import ModelUnavailable
from recollect.models.manifest import CROSS_ENCODER

Logits = npt.NDArray[np.float32]

TOKENS_MAX = 256  # of question and text together: time grows with it, and facts are short
QUERY_CHARS_MAX = 400  # what is behind would push the text out
PAIR = "Query: {query}\nSentence: {text}"  # as the model was trained: one sequence, not two


class CrossEncoder:
    """The reranking model: it reads both texts at once, so nothing can be worked out ahead."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime  # loaded only where pairs are scored
        from tokenizers import Tokenizer

        if not (folder / "model.onnx").is_file():
            raise ModelUnavailable(
                f"the cross-encoder is not installed in {folder}; run `recollect models install`"
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: Any = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(TOKENS_MAX)
        self._tokenizer.no_padding()

    def scores(self, query: str, texts: Sequence[str]) -> Logits:
        """One logit per text, in order: above zero is rather an answer than not.

        Each pair runs by itself. The model's activations are quantised per run, so in company a
        pair would get a slightly different score each time.
        """
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
        # Two classes, no answer and answer: their difference is the logit of the second.
        no_answer, answer = self._session.run(None, feed)[0][0]
        return float(answer - no_answer)


@cache
def load(models: Path) -> CrossEncoder:
    """The cross-encoder out of the folder of installed weights, loaded once per process."""
    return CrossEncoder(CROSS_ENCODER.folder(models))
