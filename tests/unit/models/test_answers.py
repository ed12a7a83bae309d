"""The model of answers scores each fact by itself, and only as the file that was shipped."""

from pathlib import Path

import numpy as np
import pytest

from recollect.errors import ModelUnavailable
from recollect.models import answers, onnx
from recollect.models.answers import AnswerModel
from recollect.models.manifest import EMBEDDER
from recollect.settings import Settings

TOKENIZER = EMBEDDER.folder(Settings().models) / "tokenizer.json"
QUESTION = "Which instrument does Marta play?"
FACTS = [
    "Marta plays the cello in a small orchestra",
    "The bus to Leeds was late again",
    "Marta's brother sold his van",
]


@pytest.fixture(scope="module")
def model() -> AnswerModel:
    """The model that ships."""
    return answers.load(Settings().models)


def test_what_answers_scores_above_what_does_not(model: AnswerModel) -> None:
    """Above and below zero, for plain cases."""
    answer, *others = model.logits(QUESTION, FACTS)
    assert answer > 0 > max(others)


def test_a_fact_s_logit_does_not_depend_on_its_company(model: AnswerModel) -> None:
    """Alone, in company or in another order, it is the same to the bit."""
    together = model.logits(QUESTION, FACTS)
    assert together == [model.logits(QUESTION, [fact])[0] for fact in FACTS]
    assert together == model.logits(QUESTION, FACTS[::-1])[::-1]
    assert model.logits(QUESTION, []) == []


@pytest.mark.parametrize("text", ["", " ", "word " * 3000, "\u0000\ufffd", "ü" * 5000])
def test_any_text_gets_a_finite_logit(model: AnswerModel, text: str) -> None:
    """Long texts are cut, empty ones are scored."""
    assert np.isfinite(model.logits(text, [text, "a"])).all()


def test_the_graph_gives_the_logits_of_its_file(model: AnswerModel) -> None:
    """To rounding, which the scales of int8 make larger."""
    whole = onnx.session(answers.FILE)
    words = onnx.tokenizer(TOKENIZER, answers.TOKENS_MAX)
    encoded = words.encode_batch([(QUESTION, fact) for fact in FACTS])
    for ours, one in zip(model.logits(QUESTION, FACTS), encoded, strict=True):
        ids = np.array([one.ids])
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.array([one.type_ids]),
        }
        assert ours == pytest.approx(float(whole.run(None, given)[0][0][0]), abs=0.3)


def test_a_damaged_file_is_not_used(tmp_path: Path) -> None:
    """The hash is that of what ships."""
    spoilt = tmp_path / "answers.onnx"
    spoilt.write_bytes(answers.FILE.read_bytes()[:-1] + b"\0")
    with pytest.raises(ModelUnavailable, match="damaged"):
        AnswerModel(spoilt, TOKENIZER, sha256=answers.setting().sha256)


def test_missing_words_are_named(tmp_path: Path) -> None:
    """The message says what to run."""
    with pytest.raises(ModelUnavailable, match="recollect models install"):
        answers.load(tmp_path)
