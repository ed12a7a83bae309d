"""The reranking model scores pairs, each by itself."""

from pathlib import Path

import numpy as np
import pytest

from recollect.errors import ModelUnavailable
from recollect.models import cross_encoder
from recollect.models.cross_encoder import CrossEncoder
from recollect.settings import Settings

QUESTION = "Which instrument does Marta play?"
TEXTS = ["Marta plays the cello in a small orchestra.", "The bus was late again.", "Cello lessons."]


@pytest.fixture(scope="module")
def encoder() -> CrossEncoder:
    """The installed model."""
    return cross_encoder.load(Settings().models)


def test_an_answer_scores_above_what_has_nothing_to_do_with_the_question(
    encoder: CrossEncoder,
) -> None:
    """Logits come in the order of the texts."""
    answer, other, _ = encoder.scores(QUESTION, TEXTS)
    assert answer > other


def test_the_score_of_a_pair_does_not_depend_on_its_company(encoder: CrossEncoder) -> None:
    """Alone, in company or in another order, a pair gets the same bits."""
    together = encoder.scores(QUESTION, TEXTS)
    alone = np.concatenate([encoder.scores(QUESTION, [text]) for text in TEXTS])
    backwards = encoder.scores(QUESTION, TEXTS[::-1])[::-1]
    assert together.dtype == np.float32
    assert together.tobytes() == alone.tobytes() == backwards.tobytes()


def test_no_texts_have_no_scores(encoder: CrossEncoder) -> None:
    """An empty list in, an empty array out."""
    assert encoder.scores(QUESTION, []).shape == (0,)


@pytest.mark.parametrize("text", ["", " ", "word " * 3000, "\u0000\ufffd", "ü" * 5000])
def test_any_text_gets_a_finite_score(encoder: CrossEncoder, text: str) -> None:
    """Long texts are cut, empty ones are scored."""
    assert np.isfinite(encoder.scores(text, [text, "a"])).all()


def test_a_long_question_leaves_room_for_the_text(encoder: CrossEncoder) -> None:
    """The longer side is cut first, so the text still counts."""
    question = "Who plays the cello? " * 400
    first, second = encoder.scores(question, TEXTS[:2])
    assert first != second


def test_it_is_loaded_once(encoder: CrossEncoder) -> None:
    """The same folder gives the same model."""
    assert cross_encoder.load(Settings().models) is encoder


def test_missing_weights_are_named(tmp_path: Path) -> None:
    """The message says what to run."""
    with pytest.raises(ModelUnavailable, match="recollect models install"):
        cross_encoder.load(tmp_path)
