"""Histories of a graph that is folded: the possible steps, and the strategies that draw them."""

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
    """An episode is added and learned; *fails*: it cannot be read, so its job is parked."""

    place: str
    kind: str
    words: tuple[str, ...]
    fails: bool = False


@dataclass(frozen=True)
class Retry:
    """The n-th parked job is retried and succeeds."""

    pick: int


@dataclass(frozen=True)
class Reread:
    """The n-th episode is read again, with different findings; *cites*: they cite all earlier episodes."""

    pick: int
    words: tuple[str, ...]
    cites: bool = False


@dataclass(frozen=True)
class Erase:
    """The n-th episode is erased."""

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
    """The folder runs: pending folds are done."""


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


# Many episodes about few entities, so that several support the same fact; then some are erased.
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
    """Lists of steps; *deleting*: erasures may be in *delete* mode, not only in *forget* mode."""
    erasing = erasures if deleting else forgettings
    steps = st.one_of(adds, adds, adds, *others, erasing)
    return st.lists(steps, min_size=size // 2, max_size=size)
