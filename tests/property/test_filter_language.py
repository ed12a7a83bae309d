"""The filter language: what is written is what is read, and means what the text says."""

from collections.abc import Iterator
from datetime import datetime
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.episodic_memory.filter_language import parse
from recollect.errors import InvalidInput
from recollect.graph.episode_filters import EpisodeTest, EpisodeTree, holds
from recollect.graph.types import Episode
from tests.property.effort import examples
from tests.property.filter_texts import (
    KEYS,
    MOMENTS,
    episode_trees,
    meaning,
    numbers,
    texts,
    written,
)

EXAMPLES = examples(100)
WORDS = ("and", "or", "not", "in", "is", "null", "date", "true", "m.a", "uid", "created_at", "x")
PIECES = (*WORDS, "=", "<>", ">", "(", ")", ",", "'x'", "'", '"', "5", "-1e5", "1e999", "\0")
styles = st.integers(0, 2**32).map(Random)


def simple(part: EpisodeTest | EpisodeTree) -> Any:
    """A form that is the same for trees that differ only in how they are nested."""
    if isinstance(part, EpisodeTest):
        value = part.value
        typed = tuple(map(_typed, value)) if isinstance(value, tuple) else _typed(value)
        return ("test", part.field, part.key, part.comparison, typed)
    joined = "or" if part.joined_by == "not" else part.joined_by
    parts = _merged(joined, [simple(one) for one in (*part.tests, *part.trees)])
    whole = parts[0] if len(parts) == 1 else (joined, *parts)
    if part.joined_by != "not":
        return whole
    return whole[1] if whole[0] == "not" else ("not", whole)


def _merged(joined: str, parts: list[Any]) -> list[Any]:
    """In the order of their texts: where tests stand beside trees is not kept."""
    flat = [one for part in parts for one in (part[1:] if part[0] == joined else (part,))]
    return sorted(flat, key=repr)


def _typed(value: Any) -> Any:
    return float(value) if type(value) is int else (type(value).__name__, value)


@settings(max_examples=EXAMPLES)
@given(tree=episode_trees, style=styles)
def test_a_tree_is_read_from_every_text_that_states_it(tree: EpisodeTree, style: Random) -> None:
    """In whatever case, spacing and parentheses."""
    found = parse(written(style, tree))
    assert found is not None
    assert simple(found) == simple(tree)


scalars: st.SearchStrategy[Any] = numbers | texts | st.booleans()
names = st.sampled_from(["1", "bot", "user", "x", "message"])
episodes: st.SearchStrategy[Episode] = st.builds(
    Episode,
    id=st.just(1),
    uuid=st.sampled_from(["e1", "e2"]),
    graph_id=st.just(1),
    seq=st.just(1),
    kind=st.sampled_from(["message", "text"]),
    content=st.just(""),
    role=st.none() | names,
    speaker=st.none() | names,
    producer=st.none() | names,
    addressee=st.none() | st.just("") | names,
    metadata=st.fixed_dictionaries(
        {"a": scalars | st.lists(scalars, min_size=2, max_size=3)},
        optional={KEYS[1]: st.none() | scalars},
    ),
    created_at=st.sampled_from(MOMENTS),
    received_at=st.just(MOMENTS[0]),
)


def values_of(episode: Episode) -> dict[str, list[Any]]:
    """What an episode has in each field, in plain maps and lists."""
    found: dict[str, list[Any]] = {
        "uid": [episode.uuid],
        "producer_id": [episode.producer or episode.speaker or episode.role or "user"],
        "producer_role": [episode.role or ""],
        "produced_for_id": [episode.addressee] if episode.addressee else [],
        "episode_type": ["message"],
        "created_at": [episode.created_at],
    }
    for key, value in (episode.metadata or {}).items():
        listed = value if isinstance(value, list) else [value]
        found[f"m.{key}"] = [one for one in listed if one is not None]
    return found


@settings(max_examples=examples(200))
@given(tree=episode_trees, several=st.lists(episodes, min_size=6, max_size=6), style=styles)
def test_a_text_holds_of_the_episodes_it_describes(
    tree: EpisodeTree, several: list[Episode], style: Random
) -> None:
    """As another reader of the same text finds; the whole, and each of its tests alone."""
    for one in (tree, *_alone(tree)):
        text = written(style, one)
        found = parse(text)
        assert found is not None
        for episode in several:
            expected = meaning(text, values_of(episode))
            assert holds(found, episode) is holds(one, episode) is expected, (text, episode)


def _alone(tree: EpisodeTree) -> Iterator[EpisodeTree]:
    for test in tree.tests:
        yield EpisodeTree(joined_by="and", tests=(test,))
    for inner in tree.trees:
        yield from _alone(inner)


@settings(max_examples=EXAMPLES)
@given(tree=episode_trees, strange=st.sampled_from("~!@#$%^&*[]{}|\\;:?/`-+€\0"), style=styles)
def test_a_strange_character_is_refused_wherever_it_stands(
    tree: EpisodeTree, strange: str, style: Random
) -> None:
    """With its place, unless it stands in a quoted text."""
    text = written(style, tree)
    place = style.choice(_outside(text))
    broken = f"{text[:place]} {strange} {text[place:]}"
    with pytest.raises(InvalidInput, match=rf"at character {place + 2}$"):
        parse(broken)


def _outside(text: str) -> list[int]:
    """Places that are in no quoted text and in no word."""
    found, quote = [0], ""
    for place, letter in enumerate(text):
        quote = "" if letter == quote else (quote or (letter if letter in "'\"" else ""))
        if not quote and letter in " \n\t()," and text[place + 1 : place + 2] not in ("'", '"'):
            found.append(place + 1)
    return found


@settings(max_examples=EXAMPLES)
@given(text=st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join))
@example(text="m.a = date('0001-01-01T00:00:00+14:00')")
@example(text="created_at = '9999-12-31T23:59:59-14:00'")
@example(text="m.a = " + "9" * 5_000)
@example(text="m.a = '\ud800'")
def test_any_text_is_a_tree_or_is_refused(text: str) -> None:
    """Nothing else happens, and what was read can be asked."""
    try:
        tree = parse(text)
    except InvalidInput:
        return
    assert (tree is None) == (not text.strip())
    if tree is not None:
        at = datetime(2024, 1, 1, tzinfo=MOMENTS[0].tzinfo)
        one = Episode(
            id=1,
            uuid="e1",
            graph_id=1,
            seq=1,
            kind="text",
            content="",
            created_at=at,
            received_at=at,
        )
        assert holds(tree, one) in (True, False)
