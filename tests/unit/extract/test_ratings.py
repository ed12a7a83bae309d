"""Ratings by the two instructions of the guide, and by less than they give."""

from typing import Any

import pytest

from recollect.extract.embedded import Rater
from recollect.models import embedder
from recollect.settings import Settings

POIGNANCY: dict[str, Any] = {
    "instruction": (
        "Rate the facts by poignancy. Highly poignant facts have a significant emotional impact or "
        "relevance to the user. Facts with low poignancy are minimally relevant or of little "
        "emotional significance."
    ),
    "examples": {
        "high": "The user received news of a family member's serious illness.",
        "medium": "The user completed a challenging marathon.",
        "low": "The user bought a new brand of toothpaste.",
    },
}
SHOES: dict[str, Any] = {
    "instruction": "Rate the facts by how relevant they are to purchasing shoes.",
    "examples": {
        "high": "The user has agreed to purchase a Reebok running shoe.",
        "medium": "The user prefers running to cycling.",
        "low": "The user purchased a dress.",
    },
}


def _rate(rating: dict[str, Any], *texts: str) -> list[float]:
    model = embedder.load(Settings().models)
    return Rater(model.passages).rate(texts, model.passages(texts), rating)


@pytest.mark.parametrize("rating", [POIGNANCY, SHOES], ids=["poignancy", "shoes"])
def test_an_example_is_rated_at_its_own_level(rating: dict[str, Any]) -> None:
    high, medium, low = _rate(rating, *rating["examples"].values())
    assert high > 0.95
    assert medium == pytest.approx(0.5, abs=0.05)
    assert low < 0.05


@pytest.mark.parametrize(
    ("rating", "falling"),
    [
        (
            POIGNANCY,
            (
                "The user's mother was diagnosed with cancer",
                "The user completed a marathon",
                "The user bought toothpaste",
            ),
        ),
        (
            POIGNANCY,
            (
                "John's brother is in intensive care",
                "John ran his first half marathon",
                "John switched to another brand of soap",
            ),
        ),
        (
            SHOES,
            (
                "John wants to purchase new running shoes this week",
                "John prefers jogging over swimming",
                "John bought a shirt",
            ),
        ),
        (
            SHOES,
            ("John ordered Adidas trainers", "John is training for a marathon", "John likes jazz"),
        ),
    ],
)
def test_clear_cases_come_in_the_right_order(
    rating: dict[str, Any], falling: tuple[str, str, str]
) -> None:
    high, medium, low = _rate(rating, *falling)
    assert high > medium > low


@pytest.mark.parametrize("missing", ["high", "medium", "low", "instruction"])
def test_a_missing_part_is_tolerated(missing: str) -> None:
    examples = {level: text for level, text in SHOES["examples"].items() if level != missing}
    rating = {"examples": examples}
    if missing != "instruction":
        rating["instruction"] = SHOES["instruction"]
    wanted, unwanted = _rate(rating, "John ordered Adidas running shoes", "John bought a skirt")
    assert 0.0 <= unwanted < wanted <= 1.0


@pytest.mark.parametrize(
    "rating",
    [{}, {"instruction": "Rate."}, {"examples": None}, {"examples": {"high": "A", "low": " "}}],
)
def test_without_two_examples_everything_is_in_the_middle(rating: dict[str, Any]) -> None:
    assert _rate(rating, "John likes jazz", "John is ill") == [0.5, 0.5]


def test_a_fact_is_rated_alike_alone_and_among_others() -> None:
    together = _rate(SHOES, "John ordered boots", "John likes jazz")
    assert together == [*_rate(SHOES, "John ordered boots"), *_rate(SHOES, "John likes jazz")]


def test_no_facts_need_no_ratings() -> None:
    assert _rate(SHOES) == []
