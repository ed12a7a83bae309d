"""The judge that comes with the package: what it says of plain cases, and that it says it each time."""

from pathlib import Path

import pytest

from recollect.errors import ModelUnavailable
from recollect.models import judge
from recollect.models.judge import JudgeModel, Pair, pair_features, repeats, worth_reading
from recollect.models.manifest import EMBEDDER
from recollect.settings import Settings

TOKENIZER = EMBEDDER.folder(Settings().models) / "tokenizer.json"
OLD = "Kim Brand's front door code is 4471"
CODE = Pair(OLD, "Kim Brand's front door code is 9026", "Kim Brand", 0.95, 0.0, 90.0)
CAT = Pair(OLD, "Kim Brand's cat sleeps on the front porch", "Kim Brand", 0.8, 0.0, 90.0)


@pytest.fixture(scope="module")
def loaded() -> JudgeModel:
    """The judge as it comes."""
    return judge.load(Settings().models)


def test_another_value_closes_and_another_thing_does_not(loaded: JudgeModel) -> None:
    code, cat = loaded.opinions([CODE, CAT], judge.setting())
    assert code.sure > 0.8
    assert cat.sure < 0.1


def test_an_opinion_does_not_depend_on_its_company(loaded: JudgeModel) -> None:
    """Int8 activations are scaled per run."""
    setting = judge.setting()
    alone = [loaded.opinions([pair], setting)[0] for pair in (CODE, CAT)]
    assert loaded.opinions([CODE, CAT, CODE], setting) == [*alone, alone[0]]


def test_a_pair_is_read_once_and_weighed_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is counted of a pair may differ the second time, for it is compared with others by then."""
    model, runs = JudgeModel(judge.FILE, TOKENIZER, sha256=None), []
    run = model._run
    monkeypatch.setattr(model, "_run", lambda encoded: runs.append(encoded) or run(encoded))
    first, other = model.opinions([CODE, CAT], judge.setting())
    behind = CODE._replace(behind=-0.1)
    again, same, farther = model.opinions([CAT, CODE, behind], judge.setting())
    assert (again, same) == (other, first)
    assert farther.sure < first.sure
    assert len(runs) == 2


def test_only_recent_pairs_are_remembered(
    loaded: JudgeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "_RECENT_MAX", 3)
    loaded.read([(OLD, f"It is number {number}") for number in range(5)])
    assert list(loaded._recent) == [(OLD, f"It is number {number}") for number in (2, 3, 4)]


def test_long_sentences_are_cut(loaded: JudgeModel) -> None:
    long = "and so on " * 500
    (found,) = loaded.opinions([Pair(long, long)], judge.setting())
    assert 0.0 <= found.sure <= 1.0


def test_a_damaged_file_is_not_used(tmp_path: Path) -> None:
    broken = tmp_path / "judge.onnx"
    broken.write_bytes(judge.FILE.read_bytes()[:-1] + b"x")
    with pytest.raises(ModelUnavailable, match="damaged"):
        JudgeModel(broken, TOKENIZER, sha256=judge.setting().sha256)


def test_it_needs_the_words_of_the_embedder(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="recollect models install"):
        JudgeModel(judge.FILE, tmp_path / "tokenizer.json", sha256=None)


def test_what_may_well_be_over_is_read_first() -> None:
    """Shared words count beside the likeness in meaning."""
    moved = Pair(OLD, "Kim Brand got a new front door", "Kim Brand", 0.8, -0.01, 90.0)
    other = Pair(OLD, "Kim Brand sings in a choir", "Kim Brand", 0.81, 0.0, 90.0)
    assert worth_reading([other, moved, CODE], judge.setting(), 2) == [2, 1]


def test_what_has_next_to_no_chance_is_not_read() -> None:
    far = Pair(OLD, "Kim Brand sings in a choir", "Kim Brand", 0.75, -0.2, 1.0)
    assert worth_reading([far], judge.setting(), 5) == []


def test_signs_leave_out_the_owner() -> None:
    """Whoever it is about is in both sentences, and tells nothing."""
    one = Pair("Kim Brand rents in Lyon", "Kim Brand sings", "Kim Brand")
    two = Pair("Kim Brand rents in Lyon", "Jo Hill sings", "Kim Brand Jo Hill")
    assert pair_features(one) == pair_features(two)
    assert pair_features(one)[2:4] == [0.0, 0.0]


def test_signs_count_numbers_apart() -> None:
    assert pair_features(CODE)[6:9] == [0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("older", "newer", "again"),
    [
        ("The lease ends on 31 August 2025", "The end of the lease is 2025-08-31", True),
        ("Ann meets Ben at 09:30", "The meeting with Ben is at 9.30", True),
        ("The code is 4471", "The code is 9026", False),
        ("Ann works at Acme", "Ann works at Globex", False),
        ("Ann is vegan", "Ann eats meat", False),
    ],
)
def test_what_is_said_again_with_all_its_values_was_not_replaced(
    older: str, newer: str, again: bool
) -> None:
    """A date in other words is the same date; without any value nothing is known."""
    assert repeats(Pair(older, newer, "Ann")) is again
