"""One immutable event of a session log, and the checks it passes before it is appended.

Keys inside `meta` and `payload` are spelled as on the wire (`turnId`, `pluginId`), and unknown keys
are kept. Values are copied once into dictionaries and lists that refuse changes but still compare,
print and serialise as such; `dict(value)` and `copy.deepcopy(value)` give mutable ones.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, NoReturn, cast

from recollect.session_log.errors import InvalidEpisode

DEPTH_MAX = 250  # well within what json can write and read with Python's default stack
INTEGER_BITS_MAX = 14_000  # Python refuses to print integers of more than 4,300 digits


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError("an episode is immutable: append another one, or change a copy")


class FrozenDict(dict[str, Any]):
    """A dictionary that refuses changes."""

    __slots__ = ()

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __deepcopy__(self, memo: object) -> dict[str, Any]:
        """A mutable copy."""
        return {key: thaw(value) for key, value in self.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the plain contents."""
        return type(self), (dict(self),)


class FrozenList(list[Any]):
    """A list that refuses changes."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __deepcopy__(self, memo: object) -> list[Any]:
        """A mutable copy."""
        return [thaw(value) for value in self]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the plain contents."""
        return type(self), (list(self),)


def thaw(value: Any) -> Any:
    """A mutable deep copy of a JSON value."""
    if isinstance(value, dict):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list):
        return [thaw(item) for item in value]
    return value


def freeze(value: Any, *, lenient: bool = False) -> Any:
    """An immutable copy of a JSON value.

    Raises InvalidEpisode for what JSON cannot represent: other types, keys that are not strings,
    numbers that are not finite, nesting beyond DEPTH_MAX. With *lenient* a non-finite number
    becomes null, as in JavaScript.
    """
    if type(value) is FrozenDict or type(value) is FrozenList:
        return value  # only at the top level: nested, it might exceed the depth limit
    return _freeze(value, DEPTH_MAX, lenient)


def _freeze(value: Any, room: int, lenient: bool) -> Any:
    """One function for objects and arrays, so that a level costs one stack frame."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if isinstance(value, dict):
        if room == 0:
            raise InvalidEpisode(f"nested more than {DEPTH_MAX} deep")
        items = {}
        for key, item in value.items():
            name = key if type(key) is str else _key(key)
            items[name] = item if type(item) is str else _freeze(item, room - 1, lenient)
        return FrozenDict(items)
    if isinstance(value, list | tuple):
        if room == 0:
            raise InvalidEpisode(f"nested more than {DEPTH_MAX} deep")
        array = []
        for item in value:
            array.append(_freeze(item, room - 1, lenient))  # noqa: PERF401 - less stack
        return FrozenList(array)
    return _scalar(value, lenient)


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise InvalidEpisode(f"the keys of an object are strings, not {type(key).__name__}")
    return str.__str__(key)


def _scalar(value: Any, lenient: bool) -> Any:
    """Numbers, and subclasses of strings."""
    if isinstance(value, int):
        return _integer(value, lenient)
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        if lenient:
            return None
        raise InvalidEpisode("a number in JSON is finite")
    if isinstance(value, str):
        return str.__str__(value)
    raise InvalidEpisode(f"JSON has no {type(value).__name__}")


def _integer(value: int, lenient: bool) -> int | None:
    if value.bit_length() <= INTEGER_BITS_MAX:
        return int(value)
    if lenient:
        return None
    raise InvalidEpisode("an integer of more than 4,000 digits")


ITEM: Final = "item"
BOUNDARY: Final = "boundary"
META: Final = "meta"
TYPES: Final = frozenset({ITEM, BOUNDARY, META})
SOURCES: Final = frozenset({"agent", "model", "runtime", "tool", "user"})
REASONS: Final = frozenset({"checkpoint", "intent", "interrupt", "overflow", "segment"})
SAFE_INTEGER: Final = 2**53 - 1
NEW_FIELDS: Final = ("type", "meta", "payload")

USAGE_EVENT: Final = "turn.usage"
PARSE_ERROR_EVENT: Final = "error.parse"


class Meta(FrozenDict):
    """Who wrote an episode and in which turn; further fields are kept unchanged."""

    __slots__ = ()

    @property
    def source(self) -> str:
        """agent, model, runtime, tool or user; defaults to runtime."""
        source = self.get("source")
        return source if isinstance(source, str) else "runtime"

    @property
    def turn_id(self) -> str | None:
        """The turn that appended the episode."""
        turn_id = self.get("turnId")
        return turn_id if isinstance(turn_id, str) else None

    @property
    def in_context(self) -> bool:
        """Whether views and model input may show the episode."""
        return self.get("context") is not False


class Episode(NamedTuple):
    """One event: an item of the conversation, a boundary, or an audit record (meta)."""

    id: int
    type: str
    meta: Meta
    payload: FrozenDict

    @property
    def item(self) -> Any:
        """What an item episode holds."""
        return self.payload.get("item")

    @property
    def reason(self) -> str | None:
        """The reason of a boundary; None for other types."""
        return cast("str | None", self.payload.get("reason")) if self.type == BOUNDARY else None

    @property
    def event(self) -> str | None:
        """What a meta episode records; None for other types."""
        return cast("str | None", self.payload.get("event")) if self.type == META else None

    def to_wire(self) -> dict[str, Any]:
        """The object on a line of JSONL."""
        return {"id": self.id, "type": self.type, "meta": self.meta, "payload": self.payload}


def make_meta(
    source: str | None = None,
    turn_id: str | None = None,
    extra: Mapping[str, Any] | None = None,
    below: Mapping[str, Any] = MappingProxyType({}),
) -> Meta:
    """The meta of a new episode. Named arguments win over *extra*, which wins over *below*."""
    if not isinstance(extra, Mapping | None):
        raise InvalidEpisode("meta is an object")
    fields = {**below, **(extra or {})}
    if "turn_id" in fields:
        raise InvalidEpisode("meta.turn_id is written turnId")
    said = source if source is not None else fields.get("source")
    fields["source"] = "runtime" if said is None else said
    if not isinstance(fields["source"], str) or fields["source"] not in SOURCES:
        raise InvalidEpisode(f"meta.source is one of {', '.join(sorted(SOURCES))}")
    if turn_id is not None:
        fields["turnId"] = turn_id
    if fields.get("turnId") is None:
        fields.pop("turnId", None)
    elif not isinstance(fields["turnId"], str):
        raise InvalidEpisode("meta.turnId is a string")
    return Meta(freeze(fields))


def parts_of(episode: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Type, payload and meta of an episode that is given as one object."""
    for name in episode:
        if name not in NEW_FIELDS:
            why = "the log gives it" if name == "id" else f"there are {', '.join(NEW_FIELDS)}"
            raise InvalidEpisode(f"{name}: a new episode has no such field; {why}")
    return episode.get("type"), episode.get("payload"), episode.get("meta")


def make_payload(kind: object, payload: Mapping[str, Any]) -> FrozenDict:
    """The payload of a new episode, checked and made immutable."""
    if not isinstance(kind, str) or kind not in TYPES:
        raise InvalidEpisode(f"type is one of {', '.join(sorted(TYPES))}")
    if not isinstance(payload, dict):
        if not isinstance(payload, Mapping):
            raise InvalidEpisode("payload is an object")
        payload = dict(payload)
    if kind == ITEM:
        if "item" not in payload:
            raise InvalidEpisode("the payload of an item episode has an item")
    elif kind == BOUNDARY:
        _check_boundary(payload)
    else:
        _check_meta(payload)
    return cast("FrozenDict", freeze(payload))


def _check_boundary(payload: Mapping[str, Any]) -> None:
    reason = payload.get("reason")
    if not isinstance(reason, str) or reason not in REASONS:
        raise InvalidEpisode(f"payload.reason is one of {', '.join(sorted(REASONS))}")
    if not isinstance(payload.get("title"), str):
        raise InvalidEpisode("payload.title is a string")
    content = payload.get("content")
    if not isinstance(content, str) and (content is not None or reason == "checkpoint"):
        raise InvalidEpisode("payload.content is a string, and a checkpoint has one")
    confidence = payload.get("confidence")
    if confidence is not None and not is_number(confidence):
        raise InvalidEpisode("payload.confidence is a number")


def _check_meta(payload: Mapping[str, Any]) -> None:
    if not isinstance(payload.get("event"), str):
        raise InvalidEpisode("payload.event is a string")
    if not isinstance(payload.get("data", {}), Mapping | None):
        raise InvalidEpisode("payload.data is an object")
    if not isinstance(payload.get("pluginId", ""), str | None):
        raise InvalidEpisode("payload.pluginId is a string")


def is_number(value: object) -> bool:
    """Whether JSON would call the value a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def from_wire(value: object) -> Episode:
    """An episode from a decoded line, with its own id.

    Only the essentials are required: a safe integer as id, a known type, and objects for payload
    and meta. A top-level `date`, like any other field there, is ignored.
    """
    if not isinstance(value, dict):
        raise InvalidEpisode("not an object")
    if "items" in value and "type" not in value:
        raise InvalidEpisode("a state of the old format, no episode: append its items")
    kind, meta, payload = value.get("type"), value.get("meta"), value.get("payload")
    own_id = _safe_integer(value.get("id"))
    if not isinstance(kind, str) or kind not in TYPES:
        raise InvalidEpisode("unknown type")
    if not isinstance(payload, dict):
        raise InvalidEpisode("payload is not an object")
    if not isinstance(meta, dict):
        raise InvalidEpisode("meta is not an object")
    return Episode(own_id, kind, Meta(freeze(meta, lenient=True)), freeze(payload, lenient=True))


def _safe_integer(value: object) -> int:
    """1 and 1.0 are the same number in JSON."""
    if is_number(value) and -SAFE_INTEGER <= cast("float", value) <= SAFE_INTEGER:
        whole = int(cast("float", value))
        if whole == value:
            return whole
    raise InvalidEpisode("id is not a safe integer")


def renumbered(episode: Episode, new_id: int, moved: Mapping[int, int]) -> Episode:
    """The episode under another id, with its references to other episodes updated."""
    meta = episode.meta
    if moved and ("corrects" in meta or "sources" in meta):
        meta = _redirected(meta, moved)
    return Episode(new_id, episode.type, meta, episode.payload)


def _redirected(meta: Meta, moved: Mapping[int, int]) -> Meta:
    fields = dict(meta)
    target, sources = fields.get("corrects"), fields.get("sources")
    if type(target) is int:
        fields["corrects"] = moved.get(target, target)
    if isinstance(sources, list):
        fields["sources"] = FrozenList(
            [moved.get(one, one) if type(one) is int else one for one in sources]
        )
    return Meta(fields)
