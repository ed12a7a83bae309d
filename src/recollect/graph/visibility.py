"""What a key may see: constraints on the effective metadata of an object.

The effective metadata of an object holds, for each key, the distinct values of all its episodes. A
constraint names the values that some keys must have.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

Value = str | int | float | bool
Effective = Mapping[str, Sequence[Value]]
Typed = tuple[str, Value]
_WHOLE_MAX = 2.0**53


def typed(value: Value) -> Typed:
    """A value tagged with its type: 5, "5" and true are different."""
    if isinstance(value, bool):
        return "boolean", value
    return ("text", value) if isinstance(value, str) else ("number", value)


def effective(metadata: Iterable[Mapping[str, Any] | None]) -> dict[str, list[Value]]:
    """The metadata of several episodes as one: per key all distinct values, in order of appearance.

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
    """An episode's values for some keys, as policies compare them."""
    held = effective([metadata])
    return {key: {typed(value) for value in held[key]} for key in keys if key in held}


def side(metadata: Mapping[str, Any] | None, keys: Iterable[str]) -> str:
    """The side of the policies' walls that an episode is on; empty if it has none of the *keys*.

    A side is the episode's values for the metadata keys that policies name, in canonical form.
    """
    said = values(metadata, frozenset(keys))
    listed = [(key, [_plain(one) for one in sorted(held)]) for key, held in sorted(said.items())]
    return msgspec.json.encode(listed).decode() if listed else ""


def within(side: str, keys: Iterable[str]) -> str:
    """A side restricted to some of its keys."""
    kept = frozenset(keys)
    listed = [said for said in msgspec.json.decode(side or "[]") if said[0] in kept]
    return msgspec.json.encode(listed).decode() if listed else ""


def said_on(side: str) -> dict[str, list[Value]]:
    """The values of the guarded keys on a side."""
    return dict(msgspec.json.decode(side)) if side else {}


def _plain(one: Typed) -> Value:
    """A value in canonical form: 5.0 becomes 5, in the range where floats hold every whole number."""
    value = one[1]
    whole = isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE_MAX
    return int(value) if whole else value


class Constraint(msgspec.Struct, frozen=True, kw_only=True):
    """The values that some keys must have: exactly these, or at least these with *subset*."""

    required: tuple[tuple[str, frozenset[Typed]], ...]
    subset: bool = False

    def holds(self, metadata: Effective) -> bool:
        """Whether every key has the required values."""
        return all(self._fits(required, metadata.get(key, ())) for key, required in self.required)

    def _fits(self, required: frozenset[Typed], given: Sequence[Value]) -> bool:
        held = {typed(value) for value in given}
        return required <= held if self.subset else required == held


class Visibility(msgspec.Struct, frozen=True, kw_only=True):
    """What may be seen: objects that no denial matches and, unless *allowed* is None, some allowance does."""

    allowed: tuple[Constraint, ...] | None = None
    denied: tuple[Constraint, ...] = ()
    also: "Visibility | None" = None  # a further visibility that must see the object as well

    def sees(self, metadata: Effective) -> bool:
        """Whether an object with this effective metadata may be seen."""
        if any(constraint.holds(metadata) for constraint in self.denied):
            return False
        if self.allowed is not None and not any(one.holds(metadata) for one in self.allowed):
            return False
        return self.also is None or self.also.sees(metadata)


def both(one: Visibility | None, other: Visibility | None) -> Visibility | None:
    """What two visibilities both allow; None allows everything."""
    if one is None or other is None:
        return other if one is None else one
    return msgspec.structs.replace(one, also=both(one.also, other))
