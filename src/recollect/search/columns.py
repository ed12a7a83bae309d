"""Columns of a segment: one value per slot, in numpy arrays that grow."""

from collections.abc import Callable, Iterable
from copy import copy
from sys import getsizeof
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from recollect.graph.visibility import Typed, typed

NO_TIME = np.iinfo(np.int64).min  # a moment that is not known; moments are microseconds
_FIRST = 64
_ENTRY_BYTES = 150  # of a list and a dictionary

_decode = msgspec.json.Decoder(dict[str, Any]).decode

Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]


class Column:
    """An array with room to grow; slots that were never written hold *fill*."""

    def __init__(self, dtype: Any, fill: Any, width: int | None = None) -> None:
        self._fill = fill
        self._shape = () if width is None else (width,)
        self._data = np.full((_FIRST, *self._shape), fill, dtype=dtype)
        self.size = 0

    @property
    def bytes(self) -> int:
        """The memory it takes."""
        return int(self._data.nbytes)

    def grow(self, size: int) -> None:
        """Grow to at least *size* slots."""
        if size > len(self._data):
            larger = np.full(
                (max(size, 3 * len(self._data) // 2, _FIRST), *self._shape),
                self._fill,
                dtype=self._data.dtype,
            )
            larger[: self.size] = self._data[: self.size]
            self._data = larger
        self.size = max(self.size, size)

    def put(self, slots: Any, values: Any) -> None:
        """Write values at slots that exist."""
        self._data[slots] = values

    def restore(self, array: Any) -> None:
        """Continue with an array, which is written to."""
        self._data = array
        self.size = len(array)

    def where(self, kept: Flags, otherwise: Any) -> "Column":
        """A copy of the column that holds *otherwise* in the slots that are not *kept*."""
        other = copy(self)
        other.restore(np.where(kept, self.array, otherwise).astype(self._data.dtype))
        return other

    @property
    def array(self) -> Any:
        """All slots, without a copy: read it before the column grows again."""
        return self._data[: self.size]


class Codes:
    """Repeated values, each stored once under a number."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.bytes = 0  # about how much memory they take
        self._numbers: dict[Any, int] = {}

    def code(self, value: Any) -> int:
        """The number of a value; a new one gets the next."""
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = len(self.values)
            self.values.append(value)
            self.bytes += _value_bytes(value)
        return number

    def restore(self, values: Iterable[Any]) -> None:
        """Continue with these values, numbered in order."""
        self.values = list(values)
        self._numbers = {value: number for number, value in enumerate(self.values)}
        self.bytes = sum(map(_value_bytes, self.values))

    def flags(self, wanted: Iterable[Any]) -> Flags:
        """For every number, whether its value is one of *wanted*."""
        chosen = set(wanted)
        return np.fromiter((value in chosen for value in self.values), bool, len(self.values))


def _value_bytes(value: Any) -> int:
    """Roughly the memory of a text or a tuple of texts, with its number."""
    texts = value if isinstance(value, tuple) else (value,)
    return _ENTRY_BYTES + sum(getsizeof(text) for text in texts)


class MetadataKey:
    """Which metadata texts hold which values under one key. `values` are the distinct ones.

    A key is indexed when it is first used; from then on only new texts are read. Values are
    distinguished by type, as in `graph.visibility`, and a list counts as its elements.
    """

    def __init__(self, name: str, texts: Codes) -> None:
        self.name = name
        self.values: list[Any] = []
        self._texts = texts
        self._read = 0
        self._codes: dict[Typed, int] = {}
        self._text = Column(np.int32, -1)
        self._value = Column(np.int32, -1)
        self._readings: dict[Callable[[Any], Any], list[Any]] = {}

    def read(self) -> None:
        """Index the texts that were added since the last call."""
        texts, values = [], []
        for number in range(self._read, len(self._texts.values)):
            given = _decode(self._texts.values[number]).get(self.name)
            for value in given if isinstance(given, list) else [given]:
                if value is not None:
                    texts.append(number)
                    values.append(self._code_of(value))
        self._read = len(self._texts.values)
        places = np.arange(self._text.size, self._text.size + len(texts))
        for column, new in ((self._text, texts), (self._value, values)):
            column.grow(column.size + len(new))
            column.put(places, new)

    def _code_of(self, value: Any) -> int:
        code = self._codes.setdefault(typed(value), len(self.values))
        if code == len(self.values):
            self.values.append(value)
        return code

    def read_as(self, reader: Callable[[Any], Any]) -> list[Any]:
        """For every value, the result of *reader*; each value is read once."""
        known = self._readings.setdefault(reader, [])
        known += [reader(value) for value in self.values[len(known) :]]
        return known

    def one_of(self, wanted: "list[Typed]") -> Flags:
        """For every value, whether it is one of these."""
        flags = np.zeros(len(self.values), bool)
        flags[[self._codes[one] for one in wanted if one in self._codes]] = True
        return flags

    def holding(self, values: Flags) -> Flags:
        """For every text, and last for having none, whether it holds a flagged value."""
        flags = np.zeros(self._read + 1, bool)
        flags[self._text.array[values[self._value.array]]] = True
        return flags

    @property
    def present(self) -> Flags:
        """For every text, and last for having none, whether it has a value."""
        return self.holding(np.ones(len(self.values), bool))
