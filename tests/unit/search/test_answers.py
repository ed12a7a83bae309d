"""What a model says of the best facts counts, and an answer that is over comes behind."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

from recollect.graph.types import Fact
from recollect.models.answers import Reading
from recollect.search import answers
from recollect.search.freshness import Order
from recollect.search.query import Hit, Query
from tests.unit.context.items import a_fact

NOW = datetime(2024, 5, 1, tzinfo=UTC)
QUERY = Query(text="Where does Ilse swim?", kind="fact", now=NOW)


def hit(number: int, score: float = 0.6) -> Hit[Fact]:
    """A fact that was found."""
    return Hit(item=a_fact(number), score=score)


def saying(*read: Reading) -> answers.Reads:
    """A model that says the same of whatever it is given."""

    def said(question: str, facts: Sequence[str]) -> Sequence[Reading]:
        assert question == QUERY.text
        assert len(facts) == len(read)
        return read

    return said


def order(count: int = 2, *, replaceable: bool = True, ended: bool = False) -> Order:
    """Facts that were said in the order of their numbers; *ended* is the first one."""
    said = np.arange(count)
    return Order(
        list(range(1, count + 1)),
        said,
        replaceable & (said[:, None] < said),
        np.array([ended, *[False] * (count - 1)]),
        strange=False,
    )


HOLDS, OVER = Reading(4.0, -4.0), Reading(4.0, 4.0)


def test_what_answers_rises_and_what_does_not_falls() -> None:
    """A logit of zero changes nothing."""
    read = saying(Reading(0.0, -6.0), Reading(4.0, -6.0), Reading(-4.0, -6.0))
    hits = [hit(1), hit(2), hit(3)]
    same, risen, fallen = answers.answering(QUERY, hits, order(3, replaceable=False), read)
    assert same.score == pytest.approx(0.6)
    assert fallen.score < same.score < risen.score


def test_an_answer_that_is_over_falls_behind_one_that_is_not() -> None:
    """Also where it fits better by its words."""
    over, holds = answers.answering(QUERY, [hit(1, 0.9), hit(2)], order(), saying(OVER, HOLDS))
    assert over.score < holds.score


def test_facts_are_read_in_the_order_in_which_they_were_said() -> None:
    """Whatever their rank; and each gets what was said of it."""
    seen: list[str] = []

    def read(question: str, facts: Sequence[str]) -> Sequence[Reading]:
        seen.extend(facts)
        return [Reading(-5.0, 0.0), Reading(5.0, 0.0)]

    best, second = answers.answering(QUERY, [hit(2), hit(1)], order(replaceable=False), read)
    assert seen == [a_fact(1).fact, a_fact(2).fact]
    assert best.item.id == 2
    assert best.score > second.score


def test_nothing_is_over_that_no_newer_fact_can_have_replaced() -> None:
    """As in a question about another time, or where a reader who was shown the fact let it stand."""
    given = order(replaceable=False)
    over, holds = answers.answering(QUERY, [hit(1, 0.9), hit(2)], given, saying(OVER, HOLDS))
    assert over.score > holds.score


NO = Reading(-6.0, 6.0)


@pytest.mark.parametrize("read", [(NO, HOLDS), (OVER, NO)], ids=["the older", "the newer"])
def test_both_have_to_answer_for_one_to_be_over(read: tuple[Reading, Reading]) -> None:
    """Whatever the model says of the older one; and the chance goes with the fact."""
    both = answers.answering(QUERY, [hit(1), hit(2)], order(), saying(OVER, HOLDS))
    hits = answers.answering(QUERY, [hit(1), hit(2)], order(), saying(*read))
    assert both[0].over > 0.5
    assert hits[0].over < 0.1
    assert hits[1].over == both[1].over == 0.0


def test_an_order_follows_what_is_asked_for() -> None:
    """What is gone by then is left out."""
    turned = order(3).among([3, 1])
    assert turned.ids == [3, 1]
    assert turned.places.tolist() == [2, 0]
    assert answers.answering(QUERY, [], order(), saying()) == []


def test_what_is_known_of_others_is_no_answer() -> None:
    """Asked about somebody of whom nothing is known, a fact gains nothing by where somebody else lives."""
    strange = order(1)._replace(strange=True)
    (same,) = answers.answering(QUERY, [hit(1)], strange, saying(HOLDS))
    assert same.score == pytest.approx(0.6)


def test_what_was_not_read_compares_with_what_was() -> None:
    """It counts as the model's usual no."""
    (unread,) = answers.unread([hit(1)])
    usual = saying(Reading(answers._UNREAD, 0.0))
    (read,) = answers.answering(QUERY, [hit(1)], order(1, replaceable=False), usual)
    assert unread.score == pytest.approx(read.score)


def test_the_share_of_reading_is_what_it_added() -> None:
    """On the scale of the other measures."""
    given = order(1, replaceable=False)
    (read,) = answers.answering(QUERY, [hit(1)], given, saying(Reading(2.0, 0.0)))
    assert answers.share(read.score, 0.6) == pytest.approx(2.0 * answers.WEIGHT)


def test_what_ended_answers_no_question_about_the_present() -> None:
    """However well it did before."""
    held, ended = (
        answers.answering(QUERY, [hit(1)], order(1, replaceable=False, ended=ended), saying(HOLDS))
        for ended in (False, True)
    )
    assert ended[0].score == pytest.approx(0.6)
    assert ended[0].score < held[0].score
