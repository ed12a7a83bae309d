"""The model of answers reads a question and facts at once, and only as the file that was shipped."""

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
    answer, *others = model.read(QUESTION, FACTS)
    assert answer.answers > 0 > max(one.answers for one in others)


CHANGED = [
    ("Where does Ilse live?", "Ilse lives in Bergen", "Ilse moved to Turin in May"),
    ("Who is Nuno's boss?", "Nuno's boss is Petra", "Nuno reports to Aslan now, Petra has retired"),
    ("What is the gate code?", "The code of the gate is 5518", "The code of the gate is 7702"),
]


@pytest.mark.parametrize(("question", "older", "newer"), CHANGED, ids=[row[0] for row in CHANGED])
def test_of_two_answers_the_one_that_was_said_first_is_over(
    model: AnswerModel, question: str, older: str, newer: str
) -> None:
    """Both answer; which is over goes by their order, with other facts between them."""
    first, _, last = model.read(question, [older, "The bus to Leeds was late again", newer])
    assert min(first.answers, last.answers) > 0
    assert first.over > last.over


def test_a_fact_is_read_the_same_whoever_reads_it(model: AnswerModel) -> None:
    """To the bit, also after others were read."""
    assert model.read(QUESTION, FACTS) == model.read(QUESTION, FACTS)
    assert model.read(QUESTION, []) == []


@pytest.mark.parametrize("text", ["", " ", "word " * 3000, "\u0000\ufffd", "ü" * 5000])
def test_any_text_gets_finite_logits(model: AnswerModel, text: str) -> None:
    """Long texts are cut, empty ones are read."""
    assert np.isfinite(model.read(text, [text, "a"])).all()


def test_many_long_facts_have_room(model: AnswerModel) -> None:
    """Each is cut so far that the last one is read, too."""
    long = [
        f"Marta plays the cello in orchestra {number}" + " and sings" * 60 for number in range(40)
    ]
    words = onnx.tokenizer(TOKENIZER, answers.QUESTION_TOKENS_MAX)
    ids, parts = answers.encode(words, "word " * 500, long)
    assert len(ids) == len(parts) <= answers.TOKENS_MAX
    assert set(parts) == set(range(41))
    assert len(model.read("word " * 500, long)) == 40


def test_the_graph_gives_the_logits_of_its_file(model: AnswerModel) -> None:
    """To rounding, which the scales of int8 make larger."""
    whole = onnx.session(answers.FILE)
    words = onnx.tokenizer(TOKENIZER, answers.QUESTION_TOKENS_MAX)
    ids, parts = answers.encode(words, QUESTION, FACTS)
    given = {
        "input_ids": np.array([ids]),
        "parts": np.array([parts]),
        "numbers": np.arange(len(FACTS) + 1),
    }
    for ours, theirs in zip(model.read(QUESTION, FACTS), whole.run(None, given)[0][0], strict=True):
        assert ours == pytest.approx(theirs.tolist(), abs=0.3)


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
