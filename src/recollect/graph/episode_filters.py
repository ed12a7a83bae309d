"""Filters on single episodes: producer, addressee, time and metadata.

The type of the given value decides how a stored value is read: a number is compared with numbers
and numeric strings, a string with strings and the usual spelling of numbers and booleans, a boolean
with booleans and "true" or "false", a time with times and ISO 8601 strings. A value that is absent
or cannot be read that way fails every comparison, `<>` included. A list matches if any element
does; `<>` needs a readable element and none that is equal.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from math import isfinite
from operator import ge, gt, le, lt
from typing import Any, Final, Literal, NamedTuple, Protocol

from recollect.graph.types import Json, Record

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER_CHARS_MAX = 64  # anything longer is text that happens to consist of digits
_MOMENT_CHARS_MAX = 64
_TRUTHS = {"true": True, "false": False}


def text_of(value: Any) -> str | None:
    """A string as it is, or the spelling of a number or boolean; equal numbers are spelled
    alike."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) else None


def number_of(value: Any) -> int | float | None:
    """A number as it is, or the one that a string spells; a boolean is not a number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    return written_number(value) if isinstance(value, str) else None


def written_number(text: str) -> int | float | None:
    """The finite number that *text* spells, if it does."""
    if len(text) > _NUMBER_CHARS_MAX or not _NUMBER.fullmatch(text):
        return None
    if _WHOLE.fullmatch(text):
        return int(text)
    number = float(text)
    return number if isfinite(number) else None


def truth_of(value: Any) -> bool | None:
    """A boolean, or a string that spells one."""
    if isinstance(value, bool):
        return value
    return _TRUTHS.get(value.lower()) if isinstance(value, str) else None


def moment_of(value: Any) -> datetime | None:
    """A time, or the one that an ISO 8601 string gives; UTC if it has no zone."""
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or len(value) > _MOMENT_CHARS_MAX:
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


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

EPISODE_TYPE: Final = "message"  # the only type that MemMachine's clients know, whatever the kind
DEFAULT_PRODUCER = "user"
ORDERED: dict[Comparison, Callable[[Any, Any], bool]] = {">": gt, "<": lt, ">=": ge, "<=": le}


class EpisodeTest(Record):
    """A comparison of one field of an episode; *key* names one of its metadata.

    `IN` takes several values of one type. `IS NULL` holds if there is no such metadata, or no
    addressee; the other fields always have a value. A uid has no order.
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


class EpisodeFields(Protocol):
    """The fields of an episode that filters look at."""

    @property
    def uuid(self) -> str:
        """The episode's uuid."""

    @property
    def role(self) -> str | None:
        """The speaker's role."""

    @property
    def speaker(self) -> str | None:
        """Who speaks."""

    @property
    def producer(self) -> str | None:
        """Who produced it, as the client named them."""

    @property
    def addressee(self) -> str | None:
        """Whom it is for."""

    @property
    def metadata(self) -> Json | None:
        """The episode's own metadata."""

    @property
    def created_at(self) -> datetime | None:
        """When it happened."""


def producer_of(episode: EpisodeFields) -> str:
    """Who produced an episode, as MemMachine's clients see it; there is always a name."""
    return producer_named(episode.producer, episode.speaker, episode.role)


def producer_named(producer: str | None, speaker: str | None, role: str | None) -> str:
    """The same from its fields: an episode added by other means has a speaker but no producer."""
    return producer or speaker or role or DEFAULT_PRODUCER


def role_of(episode: EpisodeFields) -> str:
    """The role of an episode, as MemMachine's clients see it; empty if it has none."""
    return episode.role or ""


def addressee_of(episode: EpisodeFields) -> str:
    """Whom an episode is for; empty if nobody is named."""
    return episode.addressee or ""


class TestParts(NamedTuple):
    """A test as two steps: how a stored value is read, and whether what was read fits."""

    read: Callable[[Any], Any]
    fits: Callable[[Any], bool]

    def __call__(self, value: Any) -> bool | None:
        """Whether it fits; None when it cannot be read that way."""
        known = self.read(value)
        return None if known is None else self.fits(known)


def judge(test: EpisodeTest) -> TestParts:
    """The steps of a test. For `=`, `<>` and `IN` an equal value fits, otherwise one in the right
    order."""
    given = test.value if isinstance(test.value, tuple) else (test.value,)
    order = ORDERED.get(test.comparison)
    if order is None:
        return TestParts(_reader(given[0]), frozenset(given).__contains__)
    if test.field == "uid":
        return TestParts(lambda _: None, lambda _: False)
    return TestParts(_reader(given[0]), lambda known: order(known, given[0]))


def _reader(given: Any) -> Callable[[Any], Any]:
    """How a stored value is read for comparison with a given one."""
    if isinstance(given, bool):
        return truth_of
    if isinstance(given, int | float):
        return number_of
    return moment_of if isinstance(given, datetime) else text_of


def stored(field: Field, key: str, episode: EpisodeFields) -> list[Any]:
    """The values of a field of an episode: none, one, or the elements of a list."""
    if field == "metadata":
        found = (episode.metadata or {}).get(key)
        return [one for one in (found if isinstance(found, list) else [found]) if one is not None]
    if field == "produced_for_id":
        return [episode.addressee] if episode.addressee else []
    if field == "created_at":
        return [] if episode.created_at is None else [episode.created_at]
    return [_always_there(field, episode)]


def _always_there(field: Field, episode: EpisodeFields) -> str:
    if field == "uid":
        return episode.uuid
    if field == "producer_id":
        return producer_of(episode)
    return role_of(episode) if field == "producer_role" else EPISODE_TYPE


def holds(tree: EpisodeTree, episode: EpisodeFields) -> bool:
    """Whether one episode satisfies the tree."""
    return tree_test(tree)(episode)


def tree_test(tree: EpisodeTree) -> Callable[[EpisodeFields], bool]:
    """The tree compiled to a predicate, for testing many episodes."""
    parts = [*map(_test, tree.tests), *map(tree_test, tree.trees)]
    if tree.joined_by == "and":
        return lambda episode: all(part(episode) for part in parts)
    if tree.joined_by == "or":
        return lambda episode: any(part(episode) for part in parts)
    return lambda episode: not any(part(episode) for part in parts)


def _test(test: EpisodeTest) -> Callable[[EpisodeFields], bool]:
    field, key = test.field, test.key
    if test.comparison == "IS NULL":
        return lambda episode: not stored(field, key, episode)
    judged = judge(test)
    differs = test.comparison == "<>"

    def passes(episode: EpisodeFields) -> bool:
        found = [judged(value) for value in stored(field, key, episode)]
        return False in found and True not in found if differs else True in found

    return passes


def uuids_named(tree: EpisodeTree) -> set[str]:
    """The uuids that the tree compares with, at any depth."""
    named: set[str] = set()
    for test in tree.tests:
        if test.field == "uid":
            given = test.value if isinstance(test.value, tuple) else (test.value,)
            named.update(one for one in given if isinstance(one, str))
    return named.union(*map(uuids_named, tree.trees))
