"""Sets of features: what is known from the episodes that share a producer or some metadata.

A set is derived from its values and has no row. The sets of a project and of its organisation have
no values; a user's has the producer, or the `user_id` that messages carry; any other has the
metadata that its set type names.
"""

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from recollect.errors import InvalidInput, NotFound
from recollect.graph import checks
from recollect.graph.episode_filters import DEFAULT_PRODUCER, EpisodeTest, EpisodeTree
from recollect.graph.types import Json, Record

PRODUCER = "producer_id"
USER = "user_id"
Value = str | int | float | bool
_Key = tuple[bool, tuple[tuple[str, Value], ...]]
_PREFIX = "set_"
_WHO = (PRODUCER, USER)


class FeatureSet(Record):
    """A set of a project or an organisation, and what its episodes have in common."""

    is_org_level: bool = False
    tags: tuple[tuple[str, Value], ...] = ()

    @property
    def key(self) -> str:
        """The identity of the set, by which rows about it are found."""
        return msgspec.json.encode([self.is_org_level, self.tags]).decode()

    @property
    def keys(self) -> tuple[str, ...]:
        """The metadata keys that select its episodes."""
        return tuple(key for key, _ in self.tags)


OF_PROJECT = FeatureSet()
OF_ORGANISATION = FeatureSet(is_org_level=True)


class SetType(Record):
    """A kind of set: one set for every combination of values of the metadata it names."""

    tags: tuple[str, ...]
    is_org_level: bool = False
    id: int | None = None
    uuid: str | None = None
    name: str | None = None
    description: str | None = None


# Every speaker has a set, for both ways in which clients identify speakers.
BUILT_IN = (SetType(tags=(PRODUCER,)), SetType(tags=(USER,)))


class _Written(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A set's id, decoded."""

    org_id: str
    project_id: str | None
    tags: tuple[tuple[str, Value], ...]


def made(names: Iterable[str], values: Json | None, *, is_org_level: bool = False) -> FeatureSet:
    """The set with these values; each must be given."""
    wanted = sorted(set(names))
    given = values or {}
    missing = [name for name in wanted if given.get(name) is None]
    if missing:
        raise InvalidInput(
            f"set_metadata: a value is required for each of metadata_tags: {', '.join(missing)}"
        )
    chosen = {name: given[name] for name in wanted}
    check_values("set_metadata", chosen)
    return FeatureSet(is_org_level=is_org_level, tags=tuple(chosen.items()))


def check_values(field: str, values: Json | None) -> None:
    """Refuse values that metadata cannot have, and lists."""
    for name, value in (values or {}).items():
        if isinstance(value, list):
            raise InvalidInput(f"{field}.{name}: must be a string, number or boolean")
    checks.episode_metadata(field, values)


def id_of(one: FeatureSet, org_id: str, project_id: str) -> str:
    """The id of a set: the same for the same values in this project or organisation."""
    place = None if one.is_org_level else project_id
    raw = msgspec.json.encode(_Written(org_id, place, one.tags))
    return _PREFIX + base64.urlsafe_b64encode(raw).decode().rstrip("=")


def read_id(set_id: str, org_id: str, project_id: str) -> FeatureSet:
    """The set with an id; NotFound if it belongs elsewhere or is no valid id."""
    text = set_id.removeprefix(_PREFIX)
    try:
        raw = base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4))
        written = msgspec.json.decode(raw, type=_Written)
        found = FeatureSet(is_org_level=written.project_id is None, tags=written.tags)
        check_values("set_id", dict(found.tags))
    except (ValueError, RecursionError, msgspec.DecodeError, InvalidInput):
        found = None
    if found is None or id_of(found, org_id, project_id) != set_id:
        raise NotFound("set_id: not a set of this project")
    return found


def of_key(key: str) -> FeatureSet | None:
    """The set that a row is about, if any."""
    try:
        is_org_level, tags = msgspec.json.decode(key, type=_Key)
    except (msgspec.DecodeError, RecursionError):
        return None
    return FeatureSet(is_org_level=is_org_level, tags=tags)


def selected(
    types: Sequence[SetType], values: Mapping[str, Any]
) -> list[tuple[SetType, FeatureSet]]:
    """The existing sets for these values: one of each type whose metadata are all given."""
    return [
        (one, made(one.tags, dict(values), is_org_level=one.is_org_level))
        for one in types
        if one.tags and all(values.get(tag) is not None for tag in one.tags)
    ]


def tree_of(types: Sequence[SetType], values: Json | None) -> EpisodeTree | None:
    """The filter on the episodes that support the features of the selected sets.

    Types decide which of the values make a set, and the sets form a union. If no type fits, an episode
    must have all the values.
    """
    if not values:
        return None
    check_values("set_metadata", values)
    chosen = [found for _, found in selected(types, values)]
    return _any([_all(one.tags) for one in chosen] or [_all(tuple(values.items()))])


def both(*given: EpisodeTree | None) -> EpisodeTree | None:
    """Trees that must all hold, as one; None requires nothing."""
    asked = tuple(one for one in given if one is not None)
    if len(asked) <= 1:
        return asked[0] if asked else None
    return EpisodeTree(joined_by="and", trees=asked)


def _any(trees: Sequence[EpisodeTree]) -> EpisodeTree:
    return trees[0] if len(trees) == 1 else EpisodeTree(joined_by="or", trees=tuple(trees))


def _all(tags: Sequence[tuple[str, Any]]) -> EpisodeTree:
    return EpisodeTree(joined_by="and", trees=tuple(_carries(key, value) for key, value in tags))


def _carries(key: str, value: Any) -> EpisodeTree:
    if key != PRODUCER:
        return EpisodeTree(joined_by="and", tests=(_metadata(key, value),))
    by = EpisodeTest(field="producer_id", comparison="=", value=value)
    unnamed = EpisodeTest(field="producer_id", comparison="=", value=DEFAULT_PRODUCER)
    # A client that names no producer is identified by the user that its messages name.
    named = EpisodeTree(joined_by="and", tests=(unnamed, _metadata(USER, value)))
    return EpisodeTree(joined_by="or", tests=(by,), trees=(named,))


def _metadata(key: str, value: Any) -> EpisodeTest:
    return EpisodeTest(field="metadata", comparison="=", key=key, value=value)


def of_speaker(
    producer: str | None, speaker: str | None, metadata: Json | None
) -> FeatureSet | None:
    """The set of a speaker, if known."""
    user = (metadata or {}).get(USER)
    if producer == DEFAULT_PRODUCER and isinstance(user, str | int | float):
        return FeatureSet(tags=((USER, user),))
    who = producer or speaker
    return FeatureSet(tags=((PRODUCER, who),)) if who else None


def subject(one: FeatureSet) -> str | None:
    """Who or what the features of a set are about; None for the project or organisation itself."""
    values = dict(one.tags)
    who = next((values[key] for key in _WHO if key in values), None)
    if who is not None:
        return str(who)
    return " ".join(str(value) for _, value in one.tags) or None
