"""What a key may see: rules over the metadata that the episodes of an object give it together.

An object is looked at as a whole. Its effective metadata holds, for each key, the distinct values
that its episodes give; a constraint names the values that it wants for some keys.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

Value = str | int | float | bool
Effective = Mapping[str, Sequence[Value]]
Typed = tuple[str, Value]


def typed(value: Value) -> Typed:
    """A value that equals another only within its kind: 5, "5" and true are three things."""
    if isinstance(value, bool):
        return "boolean", value
    return ("text", value) if isinstance(value, str) else ("number", value)


def effective(metadata: Iterable[Mapping[str, Any] | None]) -> dict[str, list[Value]]:
    """The metadata of several episodes as one: per key every distinct value, the first seen first.

    A list counts as its elements.
    """
    found: dict[str, dict[Typed, Value]] = {}
    for each in metadata:
        for key, given in (each or {}).items():
            held = found.setdefault(key, {})
            for value in given if isinstance(given, list) else [given]:
                held.setdefault(typed(value), value)
    return {key: list(held.values()) for key, held in found.items()}


def values(metadata: Mapping[str, Any] | None, keys: frozenset[str]) -> dict[str, set[Typed]]:
    """What an episode says under some keys, as policies compare it."""
    held = effective([metadata])
    return {key: {typed(value) for value in held[key]} for key in keys if key in held}


def side(metadata: Mapping[str, Any] | None, keys: Iterable[str]) -> str:
    """On which side of the walls that policies draw an episode stands: what it says under the keys
    that they name, written in one way only; empty if it says nothing there."""
    said = values(metadata, frozenset(keys))
    listed = [(key, [_plain(one) for one in sorted(held)]) for key, held in sorted(said.items())]
    return msgspec.json.encode(listed).decode() if listed else ""


def within(side: str, keys: Iterable[str]) -> str:
    """The part of a side that is under some of its keys: the one it is on when there are no others."""
    kept = frozenset(keys)
    listed = [said for said in msgspec.json.decode(side or "[]") if said[0] in kept]
    return msgspec.json.encode(listed).decode() if listed else ""


def said_on(side: str) -> dict[str, list[Value]]:
    """What the episodes on a side say under the guarded keys."""
    return dict(msgspec.json.decode(side)) if side else {}


def _plain(one: Typed) -> Value:
    """A value in one spelling: 5.0 is 5."""
    value = one[1]
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Constraint(msgspec.Struct, frozen=True, kw_only=True):
    """The values that some keys must have: exactly these, or with *subset* these at least."""

    required: tuple[tuple[str, frozenset[Typed]], ...]
    subset: bool = False

    def holds(self, metadata: Effective) -> bool:
        """Whether every key named here has the values wanted."""
        return all(self._fits(wanted, metadata.get(key, ())) for key, wanted in self.required)

    def _fits(self, wanted: frozenset[Typed], given: Sequence[Value]) -> bool:
        held = {typed(value) for value in given}
        return wanted <= held if self.subset else wanted == held


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """What may be seen: what no denial names and, unless *allowed* is None, some allowance does."""

    allowed: tuple[Constraint, ...] | None = None
    denied: tuple[Constraint, ...] = ()
    also: "Sight | None" = None  # what another rule sees must be seen by it as well

    def sees(self, metadata: Effective) -> bool:
        """Whether an object with this effective metadata may be seen."""
        if any(constraint.holds(metadata) for constraint in self.denied):
            return False
        if self.allowed is not None and not any(one.holds(metadata) for one in self.allowed):
            return False
        return self.also is None or self.also.sees(metadata)


def both(one: Sight | None, other: Sight | None) -> Sight | None:
    """What two sights see alike; None sees everything."""
    if one is None or other is None:
        return other if one is None else one
    return msgspec.structs.replace(one, also=both(one.also, other))
