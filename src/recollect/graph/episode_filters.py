"""Conditions on single episodes: who they are by and for, when they happened, their metadata.

The given value says how what is stored is read: a number is compared with numbers and with texts
that are written as numbers, a text with texts and with the way numbers and truths are written,
a truth with truths and the texts "true" and "false", a moment with moments and with texts in ISO
8601. What is not there, or cannot be read that way, makes every comparison false, `<>` too. Of a
list any element will do; `<>` wants one that can be read and none that is equal.
"""

from collections.abc import Callable
from datetime import datetime
from operator import ge, gt, le, lt
from typing import Any, Literal, NamedTuple, Protocol

from recollect.graph.scalars import moment_of, number_of, text_of, truth_of
from recollect.graph.types import Json, Record

Field = Literal[
    "uid",
    "producer_id",
    "producer_role",
    "produced_for_id",
    "episode_type",
    "created_at",
    "metadata",
]
Comparison = Literal["=", "<>", ">", "<", ">=", "<=", "IN", "IS NULL"]
Literals = str | int | float | bool | datetime

EPISODE_TYPE = "message"  # the one type that memory clients know, whatever the kind
DEFAULT_PRODUCER = "user"
ORDERED: dict[Comparison, Callable[[Any, Any], bool]] = {">": gt, "<": lt, ">=": ge, "<=": le}


class EpisodeTest(Record):
    """One field of an episode compared with what is given; *key* names one of its metadata.

    `IN` takes any of several values of one kind. `IS NULL` holds when nothing is there: no such metadata, or
    nobody whom the episode is for; the other fields always have a value. A uid has no order.
    """

    field: Field
    comparison: Comparison
    key: str = ""
    value: Literals | tuple[Literals, ...] | None = None


class EpisodeTree(Record):
    """Tests joined by `and` or `or`; `not` holds when none of its parts does."""

    joined_by: Literal["and", "or", "not"]
    tests: tuple[EpisodeTest, ...] = ()
    trees: tuple["EpisodeTree", ...] = ()


class Told(Protocol):
    """What these conditions look at. An `Episode` has it all."""

    @property
    def uuid(self) -> str:
        """The episode's uuid."""

    @property
    def role(self) -> str | None:
        """The role of whoever speaks."""

    @property
    def speaker(self) -> str | None:
        """Who speaks."""

    @property
    def producer(self) -> str | None:
        """Whom it is by, in the words of the client."""

    @property
    def addressee(self) -> str | None:
        """Whom it is for."""

    @property
    def metadata(self) -> Json | None:
        """What the episode itself carries."""

    @property
    def created_at(self) -> datetime | None:
        """When it happened."""


def producer_of(episode: Told) -> str:
    """Whom an episode is by, as memory clients read it; somebody is always named."""
    return producer_named(episode.producer, episode.speaker, episode.role)


def producer_named(producer: str | None, speaker: str | None, role: str | None) -> str:
    """The same of its parts: episodes that others added have no producer, but who spoke."""
    return producer or speaker or role or DEFAULT_PRODUCER


def role_of(episode: Told) -> str:
    """The role an episode was said in, as memory clients read it; empty without one."""
    return episode.role or ""


def addressee_of(episode: Told) -> str:
    """Whom an episode is for; empty when nobody is named."""
    return episode.addressee or ""


class Judge(NamedTuple):
    """How a stored value stands to the given one: read in one way, and then compared."""

    read: Callable[[Any], Any]
    fits: Callable[[Any], bool]

    def __call__(self, value: Any) -> bool | None:
        """Whether it fits; None when it cannot be read that way."""
        known = self.read(value)
        return None if known is None else self.fits(known)


def judge(test: EpisodeTest) -> Judge:
    """For `=`, `<>` and `IN` a value fits that is equal, for the others one in the right order."""
    given = test.value if isinstance(test.value, tuple) else (test.value,)
    order = ORDERED.get(test.comparison)
    if order is None:
        return Judge(_reader(given[0]), frozenset(given).__contains__)
    if test.field == "uid":
        return Judge(lambda _: None, lambda _: False)
    return Judge(_reader(given[0]), lambda known: order(known, given[0]))


def _reader(given: Any) -> Callable[[Any], Any]:
    """How a stored value is read to be compared with a given one."""
    if isinstance(given, bool):
        return truth_of
    if isinstance(given, int | float):
        return number_of
    return moment_of if isinstance(given, datetime) else text_of


def stored(field: Field, key: str, episode: Told) -> list[Any]:
    """The values that an episode has in a field: none, one, or the elements of a list."""
    if field == "metadata":
        found = (episode.metadata or {}).get(key)
        return [one for one in (found if isinstance(found, list) else [found]) if one is not None]
    if field == "produced_for_id":
        return [episode.addressee] if episode.addressee else []
    if field == "created_at":
        return [] if episode.created_at is None else [episode.created_at]
    return [_always_there(field, episode)]


def _always_there(field: Field, episode: Told) -> str:
    if field == "uid":
        return episode.uuid
    if field == "producer_id":
        return producer_of(episode)
    return role_of(episode) if field == "producer_role" else EPISODE_TYPE


def holds(tree: EpisodeTree, episode: Told) -> bool:
    """Whether the whole tree holds of one episode."""
    return tree_test(tree)(episode)


def tree_test(tree: EpisodeTree) -> Callable[[Told], bool]:
    """The tree made ready to be asked of many episodes."""
    parts = [*map(_test, tree.tests), *map(tree_test, tree.trees)]
    if tree.joined_by == "and":
        return lambda episode: all(part(episode) for part in parts)
    if tree.joined_by == "or":
        return lambda episode: any(part(episode) for part in parts)
    return lambda episode: not any(part(episode) for part in parts)


def _test(test: EpisodeTest) -> Callable[[Told], bool]:
    field, key = test.field, test.key
    if test.comparison == "IS NULL":
        return lambda episode: not stored(field, key, episode)
    judged = judge(test)
    differs = test.comparison == "<>"

    def passes(episode: Told) -> bool:
        found = [judged(value) for value in stored(field, key, episode)]
        return False in found and True not in found if differs else True in found

    return passes


def uuids_named(tree: EpisodeTree) -> set[str]:
    """The uuids that tests of the tree compare with, at any depth."""
    named: set[str] = set()
    for test in tree.tests:
        if test.field == "uid":
            given = test.value if isinstance(test.value, tuple) else (test.value,)
            named.update(one for one in given if isinstance(one, str))
    return named.union(*map(uuids_named, tree.trees))
