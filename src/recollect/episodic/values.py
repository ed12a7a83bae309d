"""JSON values that cannot be changed.

An episode is immutable all the way down, so what is appended is copied once into dictionaries and
lists that refuse changes. They are still dictionaries and lists: they compare, print and serialise
as such. `dict(value)` and `copy.deepcopy(value)` give changeable ones.
"""

import math
from typing import Any, NoReturn

from recollect.episodic.errors import InvalidEpisode

DEPTH_MAX = 250  # well within what json itself writes and reads under Python's default stack
INTEGER_BITS_MAX = 14_000  # Python refuses to print integers of more than 4,300 digits


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError("an episode is immutable: append another one, or change a copy")


class FrozenDict(dict[str, Any]):
    """A dictionary that refuses changes."""

    __slots__ = ()

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __deepcopy__(self, memo: object) -> dict[str, Any]:
        """A copy that can be changed."""
        return {key: thaw(value) for key, value in self.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it is made of."""
        return type(self), (dict(self),)


class FrozenList(list[Any]):
    """A list that refuses changes."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __deepcopy__(self, memo: object) -> list[Any]:
        """A copy that can be changed."""
        return [thaw(value) for value in self]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it is made of."""
        return type(self), (list(self),)


def thaw(value: Any) -> Any:
    """A copy of a JSON value that can be changed, all the way down."""
    if isinstance(value, dict):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list):
        return [thaw(item) for item in value]
    return value


def freeze(value: Any, *, lenient: bool = False) -> Any:
    """An unchangeable copy of a JSON value.

    Raises InvalidEpisode for what JSON cannot say: other types, keys that are not strings, numbers
    that are not finite, nesting beyond DEPTH_MAX. With *lenient* a number that is not finite
    becomes null, which is what JavaScript writes for one.
    """
    if type(value) is FrozenDict or type(value) is FrozenList:
        return value  # only here: inside of something else it might lie too deep
    return _freeze(value, DEPTH_MAX, lenient)


def _freeze(value: Any, room: int, lenient: bool) -> Any:
    """One function for objects and arrays alike, so that a level costs one frame of the stack."""
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
