"""Histories of a graph that is folded: what can happen to it, and the strategies that draw it."""

from dataclasses import dataclass
from typing import Literal

from hypothesis import strategies as st

from recollect.governance import erasure

PLACES = ("thread", "user", "graph")
WORDS = ("alpha", "beta", "gamma", "delta")
RELATIONS = ("LIKES", "LIVES_IN", "WORKS_AT")

Hand = Literal[
    "fact.word", "fact.end", "fact.begin", "fact.delete", "fact.reopen", "fact.undo",
    "entity.name", "entity.summary", "entity.attributes", "entity.delete", "entity.merge",
    "entity.unmerge",
]  # fmt: skip


@dataclass(frozen=True)
class Add:
    """Something that is said and learned; *fails*: nobody can read it, so it is parked."""

    place: str
    kind: str
    words: tuple[str, ...]
    fails: bool = False


@dataclass(frozen=True)
class Retry:
    """The n-th of those that are parked is read after all."""

    pick: int


@dataclass(frozen=True)
class Reread:
    """The n-th episode is read once more, and says something else this time; *cites*: all that
    was said before it bears it out."""

    pick: int
    words: tuple[str, ...]
    cites: bool = False


@dataclass(frozen=True)
class Erase:
    """The n-th episode goes."""

    pick: int
    mode: erasure.Mode


@dataclass(frozen=True)
class Change:
    """The n-th fact or entity is changed by hand."""

    what: Hand
    pick: int
    word: str = "alpha"


@dataclass(frozen=True)
class Settle:
    """The folder comes by."""


@dataclass(frozen=True)
class Restart:
    """The store is closed and opened again."""


Step = Add | Retry | Reread | Erase | Change | Settle | Restart
picks = st.integers(0, 20)
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple)
adds = st.builds(
    Add,
    place=st.sampled_from(PLACES),
    kind=st.sampled_from(["text", "text", "text", "triple", "node"]),
    words=sentences,
    fails=st.sampled_from([False, False, False, True]),
)
changes = st.builds(
    Change,
    what=st.sampled_from(Hand.__args__),  # type: ignore[attr-defined]
    pick=picks,
    word=st.sampled_from(["alpha", "gamma", "omega"]),
)
others = (
    st.builds(Retry, pick=picks),
    st.builds(Reread, pick=picks, words=sentences, cites=st.booleans()),
    changes,
    changes,
    st.builds(Settle),
    st.builds(Restart),
)
erasures = st.builds(Erase, pick=picks, mode=st.sampled_from(["delete", "forget"]))
forgettings = st.builds(Erase, pick=picks, mode=st.just("forget"))


# Much is said of few, so that many stand behind one thing, and then some of it goes.
talk = st.builds(
    Add,
    place=st.just("thread"),
    kind=st.just("text"),
    words=st.lists(st.sampled_from(WORDS), min_size=2, max_size=6).map(tuple),
)
takings = st.lists(
    st.one_of(erasures, erasures, changes, st.builds(Settle)), min_size=1, max_size=6
)
partings = st.tuples(
    st.lists(talk, min_size=2, max_size=6), takings, st.lists(talk, max_size=2)
).map(lambda parts: [*parts[0], *parts[1], *parts[2]])


def histories(size: int, *, deleting: bool) -> st.SearchStrategy[list[Step]]:
    """Lists of steps; *deleting*: not everything that goes is forgotten."""
    erasing = erasures if deleting else forgettings
    steps = st.one_of(adds, adds, adds, *others, erasing)
    return st.lists(steps, min_size=size // 2, max_size=size)
