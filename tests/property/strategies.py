"""Strategies for what callers could send: ids, texts, metadata and episodes, small on purpose."""

from typing import Any

from hypothesis import strategies as st

from recollect.graph.types import Json, NewEpisode

# Few names and few words, so that histories use the same ones again.
NAMES = ("a", "b", "c")
WORDS = ("alpha", "beta", "gamma", "delta", "the", "Ångström", "naïve", "東京", "42")

names = st.sampled_from(NAMES)
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
scalars: st.SearchStrategy[Any] = st.one_of(
    st.booleans(), st.integers(-5, 5), st.sampled_from(["x", "y"]), st.floats(-2, 2)
)
metadata: st.SearchStrategy[Json] = st.dictionaries(
    st.sampled_from(["k1", "k2", "k3"]),
    st.one_of(scalars, st.lists(scalars, min_size=1, max_size=2)),
)
changes: st.SearchStrategy[Json] = st.dictionaries(
    st.sampled_from(["k1", "k2", "k3"]), st.one_of(st.none(), scalars)
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
any_text = st.text(max_size=60)


@st.composite
def messages(draw: st.DrawFn) -> NewEpisode:
    """A message, sometimes of a role that is ignored."""
    return NewEpisode(
        kind="message",
        content=draw(words),
        role=draw(st.sampled_from(["user", "assistant"])),
        speaker=draw(st.sampled_from([None, "Jane", "alpha"])),
        metadata=draw(metadata) or None,
        ignored=draw(st.sampled_from([False, False, True])),
    )


@st.composite
def data(draw: st.DrawFn) -> NewEpisode:
    """A piece of text for a graph."""
    return NewEpisode(
        kind="text",
        content=draw(words),
        document_id=draw(st.sampled_from([None, "d1"])),
        metadata=draw(metadata) or None,
    )
