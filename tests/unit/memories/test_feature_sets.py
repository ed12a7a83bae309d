"""Sets are what their values make them: the same id for the same values, and no other."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.episodic_memory import feature_sets
from recollect.episodic_memory.feature_sets import BUILT_IN, OF_PROJECT, FeatureSet, SetType
from recollect.errors import InvalidInput, NotFound
from recollect.graph.episode_filters import EpisodeTree, holds
from recollect.graph.types import Episode, Json

NOW = datetime(2024, 5, 1, tzinfo=UTC)
SESSIONS = SetType(tags=("session_id", "user_id"))
VALUES = st.text(min_size=1, max_size=20) | st.integers(-(2**40), 2**40) | st.booleans()
NAMES = st.text(min_size=1, max_size=10).filter(str.strip)


def said(producer: str | None = None, **metadata: Any) -> Episode:
    """A message by someone."""
    return Episode(
        id=1,
        uuid="u",
        graph_id=1,
        seq=1,
        kind="message",
        content="x",
        producer=producer,
        metadata=metadata,
        created_at=NOW,
        received_at=NOW,
    )


def selects(values: Json, *types: SetType) -> EpisodeTree:
    """What an episode must satisfy."""
    tree = feature_sets.tree_of((*types, *BUILT_IN), values)
    assert tree is not None
    return tree


@given(st.dictionaries(NAMES, VALUES, max_size=4), st.booleans())
def test_an_id_names_its_set_and_only_in_its_place(values: Json, is_org_level: bool) -> None:
    """An organisation's set is one in all its projects, a project's in no other."""
    made = feature_sets.made(values, values, is_org_level=is_org_level)
    set_id = feature_sets.id_of(made, "acme", "p1")
    assert feature_sets.read_id(set_id, "acme", "p1") == made
    assert feature_sets.of_key(made.key) == made
    assert (feature_sets.id_of(made, "acme", "p2") == set_id) == is_org_level
    with pytest.raises(NotFound):
        feature_sets.read_id(set_id, "other", "p1")


def test_the_order_of_values_makes_no_other_set() -> None:
    """Nor does a value that no tag names."""
    one = feature_sets.made(["a", "b"], {"a": 1, "b": 2, "c": 3})
    two = feature_sets.made(["b", "a", "a"], {"b": 2, "a": 1})
    assert one == two


@pytest.mark.parametrize("text", ["", "set_", "set_W10", "x", "set_é", "set_" + "A" * 1000])
def test_what_is_no_id_is_not_found(text: str) -> None:
    """Whatever it is."""
    with pytest.raises(NotFound):
        feature_sets.read_id(text, "acme", "p1")


@pytest.mark.parametrize("value", [None, ["x"], {"x": 1}, float("inf")])
def test_values_are_such_as_metadata_has(value: Any) -> None:
    """A set of anything else would have no episode."""
    with pytest.raises(InvalidInput):
        feature_sets.made(["a"], {"a": value})


def test_a_producer_selects_what_it_says_under_either_name() -> None:
    """Whoever names no producer is told by the user that the messages name."""
    tree = selects({"producer_id": "u1"})
    assert holds(tree, said("u1"))
    assert holds(tree, said("user", user_id="u1"))
    assert not holds(tree, said("bot", user_id="u1"))
    assert not holds(tree, said("user", user_id="u2"))


def test_a_type_says_which_values_make_a_set() -> None:
    """The sets of all types that fit are taken together; without one, all values count."""
    values: dict[str, Any] = {"user_id": "u1", "session_id": "s1"}
    assert holds(selects(values, SESSIONS), said(user_id="u1", session_id="s2"))
    values = {"team": "red", "level": 2}
    assert holds(selects(values), said(team="red", level=2))
    assert not holds(selects(values), said(team="red", level=3))
    assert holds(selects(values, SetType(tags=("team",))), said(team="red", level=3))


def test_no_values_select_everything() -> None:
    """And so do none at all."""
    assert feature_sets.tree_of(BUILT_IN, None) is None
    assert feature_sets.tree_of(BUILT_IN, {}) is None


@pytest.mark.parametrize(
    ("producer", "speaker", "metadata", "tags"),
    [
        ("ann", "ann", {"user_id": "u1"}, (("producer_id", "ann"),)),
        ("user", "u1", {"user_id": "u1"}, (("user_id", "u1"),)),
        ("user", "user", None, (("producer_id", "user"),)),
        (None, "Ann Lee", {"user_id": "u1"}, (("producer_id", "Ann Lee"),)),
    ],
)
def test_the_set_of_whoever_spoke(
    producer: str | None, speaker: str, metadata: Json | None, tags: Any
) -> None:
    """Under the name that the client gives them."""
    assert feature_sets.of_speaker(producer, speaker, metadata) == FeatureSet(tags=tags)


def test_nobody_has_no_set() -> None:
    """Text that nobody said is the project's."""
    assert feature_sets.of_speaker(None, None, {"user_id": "u1"}) is None


def test_features_of_a_set_are_about_whom_it_names() -> None:
    """The user first; else everything that tells the set; of a project, itself."""
    both = FeatureSet(tags=(("session_id", "s1"), ("user_id", "u1")))
    assert feature_sets.subject(both) == "u1"
    assert feature_sets.subject(FeatureSet(tags=(("floor", 2), ("room", "b")))) == "2 b"
    assert feature_sets.subject(OF_PROJECT) is None
