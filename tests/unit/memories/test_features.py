"""A fact as a feature: its words, its tag, and where it is sorted."""

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.episodic_memory import features
from recollect.episodic_memory.categories import Category, Sorting
from recollect.episodic_memory.feature_sets import OF_PROJECT, FeatureSet, SetType
from recollect.graph import predicates
from recollect.graph.types import Fact
from recollect.ingest import direct_checks

NOW = datetime(2024, 5, 1, tzinfo=UTC)
ANN = FeatureSet(tags=(("producer_id", "ann"),))
BOB = FeatureSet(tags=(("producer_id", "bob"),))


def fact(name: str, *labels: str) -> Fact:
    """A fact that leads to something of these types."""
    ends: dict[str, Any] = {
        "source_uuid": "s",
        "source_name": "Ann",
        "source_labels": ["Entity"],
        "target_uuid": "t",
        "target_name": "x",
        "target_labels": ["Entity", *labels],
    }
    return Fact(id=1, uuid="f", graph_id=1, name=name, fact="x", created_at=NOW, **ends)


@pytest.mark.parametrize(
    ("name", "labels", "tag"),
    [
        ("LIVES_IN", (), "place"),
        ("DOES_NOT_LIKE", (), "preference"),
        ("STARTED_AT", (), "work"),
        ("HAS_FAVORITE_SONG", (), "preference"),
        ("TALKS_ABOUT", ("Event",), "event"),
        ("LIVES_IN", ("Event",), "place"),
        ("FROBNICATES", (), "other"),
    ],
)
def test_the_tag_of_a_fact(name: str, labels: tuple[str, ...], tag: str) -> None:
    """By its relation first, then by what it leads to."""
    assert features.tag_of(fact(name, *labels)) == tag


def test_every_relation_of_the_table_of_predicates_has_a_tag_of_its_own() -> None:
    """What the memory knows by name is sorted by name; these few say nothing about a subject."""
    table = predicates.load()
    untold = {name for name in table if features.tag_of(fact(name)) == features.OTHER}
    assert untold == {"BREEDS", "PAID_FOR", "PART_OF", "WRITTEN_BY"} | FEELINGS


FEELINGS = {"AFRAID_OF", "WORRIED_ABOUT", "PROUD_OF", "GRATEFUL_FOR"}


@pytest.mark.parametrize(
    ("feature", "relation"),
    [
        ("favorite food", "FAVORITE_FOOD"),
        ("lives_in", "LIVES_IN"),
        ("  weird -- name! ", "WEIRD_NAME"),
        ("2nd language", "HAS_2ND_LANGUAGE"),
        ("любимый цвет", "HAS_FEATURE"),
        ("x" * 80, "X" * 50),
    ],
)
def test_the_relation_that_a_name_stands_for(feature: str, relation: str) -> None:
    """It is always one that a direct fact may have."""
    assert features.relation_of(feature) == relation
    direct_checks.fact_name("fact_name", relation)


def sorting(**fields: Any) -> Sorting:
    """Two categories: one of ann's, and one of all producers."""
    return Sorting(
        types=(SetType(id=7, tags=("producer_id",)),),
        categories=(
            Category(id=1, uuid="1", name="home", prompt="", set_key=ANN.key),
            Category(id=2, uuid="2", name="where", prompt="", set_type_id=7),
        ),
        tags={1: frozenset({"place"}), 2: frozenset({"place", "work"})},
        **fields,
    )


def test_a_category_of_the_set_goes_before_one_of_its_type() -> None:
    """And what no category has a tag for has none."""
    assert sorting().category_of(ANN, "place") == "home"
    assert sorting().category_of(BOB, "place") == "where"
    assert sorting().category_of(ANN, "work") == "where"
    assert sorting().category_of(OF_PROJECT, "place") is None
    assert sorting().category_of(ANN, "event") is None


def test_a_set_leaves_out_its_own_and_a_project_for_all() -> None:
    """Of another set nothing is said."""
    off = sorting(off=frozenset({(ANN.key, "home"), (OF_PROJECT.key, "work")}))
    assert off.leaves_out(ANN, "home")
    assert not off.leaves_out(BOB, "home")
    assert off.leaves_out(BOB, "work")
