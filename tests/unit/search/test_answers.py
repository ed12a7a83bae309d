"""What a model says of the best facts counts, and of two answers about the present the older one may be over."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

from recollect.graph.types import Fact
from recollect.search import answers
from recollect.search.freshness import Rivals
from recollect.search.query import Hit, Query
from tests.unit.context.items import a_fact

NOW = datetime(2024, 5, 1, tzinfo=UTC)
QUERY = Query(text="Where does Ilse swim?", kind="fact", now=NOW)


def hit(number: int, score: float = 0.6) -> Hit[Fact]:
    """A fact that was found."""
    return Hit(item=a_fact(number), score=score)


def saying(*logits: float) -> answers.Logits:
    """A model that says the same whatever it is asked."""

    def said(question: str, facts: Sequence[str]) -> Sequence[float]:
        assert question == QUERY.text
        return logits[: len(facts)]

    return said


def rivals(alike: float, *, later: bool = True, ended: bool = False) -> Rivals:
    """Two facts, of which the second is newer and so alike to the first."""
    return Rivals(
        [1, 2],
        np.array([[False, later], [False, False]]),
        np.array([[1.0, alike], [alike, 1.0]], dtype=np.float32),
        np.array([ended, False]),
    )


def test_what_answers_rises_and_what_does_not_falls() -> None:
    """A logit of zero changes nothing."""
    same, risen, fallen = answers.answering(
        QUERY, [hit(1), hit(2), hit(3)], None, saying(0.0, 4.0, -4.0)
    )
    assert same.score == pytest.approx(0.6)
    assert fallen.score < same.score < risen.score


def test_of_two_answers_the_older_falls_behind_the_newer() -> None:
    """Also where it fits better, by words or by what the model says."""
    older, newer = answers.answering(QUERY, [hit(1, 0.9), hit(2)], rivals(0.6), saying(4.0, 3.0))
    assert older.score < newer.score


def test_nothing_is_over_for_a_question_about_another_time() -> None:
    """There are no rivals then."""
    older, newer = answers.answering(QUERY, [hit(1, 0.9), hit(2)], None, saying(4.0, 3.0))
    assert older.score > newer.score


def test_a_newer_fact_that_answers_nothing_takes_no_place() -> None:
    """Whatever it is like."""
    chances = answers.over(np.array([4.0, -5.0]), rivals(0.6))
    assert chances[0] < 0.1


def test_the_more_alike_two_answers_are_the_likelier_is_the_older_over() -> None:
    """Two things that both answer may well stand side by side."""
    near, far = (answers.over(np.array([3.0, 3.0]), rivals(alike)) for alike in (0.5, -0.5))
    assert near[0] > far[0]
    assert near[1] == 0


def test_a_fact_that_could_not_have_been_replaced_is_not_over() -> None:
    """As one that a reader who was shown it let stand."""
    assert not answers.over(np.array([5.0, 5.0]), rivals(0.9, later=False)).any()


def test_rivals_follow_the_order_of_what_is_asked_for() -> None:
    """What is gone by then is left out."""
    turned = rivals(0.6).among([2, 1])
    assert turned.later.tolist() == [[False, False], [True, False]]
    assert rivals(0.6).among([2]).later.tolist() == [[False]]


def test_what_was_not_read_compares_with_what_was() -> None:
    """It counts as the model's usual no."""
    (unread,) = answers.unread([hit(1)])
    (read,) = answers.answering(QUERY, [hit(1)], None, saying(answers._UNREAD))
    assert unread.score == pytest.approx(read.score)


def test_the_share_of_reading_is_what_it_added() -> None:
    """On the scale of the other measures."""
    (read,) = answers.answering(QUERY, [hit(1)], None, saying(2.0))
    assert answers.share(read.score, 0.6) == pytest.approx(2.0 * answers.WEIGHT)


def test_what_ended_answers_no_question_about_the_present() -> None:
    """However well it did before."""
    still = answers.answering(QUERY, [hit(1)], rivals(0.0, later=False).among([1]), saying(4.0))
    over = answers.answering(
        QUERY, [hit(1)], rivals(0.0, later=False, ended=True).among([1]), saying(4.0)
    )
    assert over[0].score == pytest.approx(0.6)
    assert over[0].score < still[0].score
