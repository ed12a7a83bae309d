"""What sort of preference a name is, where no word of it is in the table: guide of generation 2,
"Default entity types". None of the names was used to choose the thresholds."""

import numpy as np
import pytest

from recollect.extract.ontology.defaults import category_like, category_of
from recollect.extract.ontology.shapes import Space
from recollect.models import embedder
from recollect.settings import Settings

NAMES = {
    "Music": "hip hop, Adele, cello, techno, the Beatles, gospel choirs",
    "Food": "ramen, pancakes, olives, falafel, cheesecake, grilled salmon",
    "Drinks": "matcha, cider, sparkling water, hot cocoa, rum",
    "Sports": "volleyball, pilates, the Olympics, Real Madrid, boxing, kayaking",
    "Books": "detective stories, Jane Austen, memoirs, The Lord of the Rings trilogy",
    "Film": "horror flicks, Breaking Bad, Pixar, westerns",
    "Games": "Zelda, Monopoly, sudoku, Dungeons and Dragons",
    "Travel": "island hopping, city breaks, safaris, train journeys",
    "Clothing": "linen trousers, hats, turtlenecks, sandals",
    "Technology": "Rust, iPads, noise-cancelling headphones, Firefox",
    "Animals": "dolphins, kittens, tortoises, ponies",
    "Arts": "oil portraits, tango, street murals, ceramics",
    "Colors": "pink, beige, crimson, light grey",
    "Work": "flexible hours, working from home, one-on-ones, freelancing",
    "Communication": "voice notes, concise wording, detailed feedback, polite phrasing",
    "Places": "Tokyo, the countryside, Scotland, the seaside",
    "Hobbies": "scrapbooking, beekeeping, stamp albums, embroidery",
}
OTHERS = "punctuality, sunshine, even numbers, aisle seats, quiet rooms, soft pillows"


@pytest.fixture(scope="module")
def space() -> Space:
    """The vectors that a reader works with."""
    return Space(embedder.load(Settings().models).passages)


def told(name: str, space: Space) -> str | None:
    """The category of a name by itself."""
    return category_of(name) or category_like(name, space)


def test_most_names_are_told_by_what_they_are_like(space: Space) -> None:
    """At least seven of ten are right, and no more than one of ten is wrong."""
    pairs = [(name, category) for category, names in NAMES.items() for name in names.split(", ")]
    found = [(told(name, space), category) for name, category in pairs]
    assert np.mean([one == category for one, category in found]) >= 0.7
    wrong = [one for one, category in found if one not in (None, category)]
    assert len(wrong) <= len(pairs) / 10, wrong


def test_what_is_like_none_of_them_mostly_stays_without(space: Space) -> None:
    """It is General then; a wrong category is worse."""
    found = [told(name, space) for name in OTHERS.split(", ")]
    assert found.count(None) >= 4, found
