"""Columns of a segment: one value per slot, in numpy arrays that grow."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

NO_TIME = np.iinfo(np.int64).min  # a moment that is not known; moments are microseconds
_FIRST = 64

Ints = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]


class Column:
    """An array with room to grow; slots that nobody wrote hold *fill*."""

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
        """Have at least *size* slots."""
        if size > len(self._data):
            larger = np.full(
                (max(size, 2 * len(self._data)), *self._shape), self._fill, dtype=self._data.dtype
            )
            larger[: self.size] = self._data[: self.size]
            self._data = larger
        self.size = max(self.size, size)

    def put(self, slots: Any, values: Any) -> None:
        """Write values at slots that exist."""
        self._data[slots] = values

    @property
    def array(self) -> Any:
        """All slots, without a copy: read it before the column grows again."""
        return self._data[: self.size]


class Codes:
    """Values that repeat, each known by a number."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def code(self, value: Any) -> int:
        """The number of a value, from now on."""
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = len(self.values)
            self.values.append(value)
        return number

    def flags(self, wanted: Iterable[Any]) -> Flags:
        """For every number, whether its value is one of *wanted*."""
        chosen = set(wanted)
        return np.fromiter((value in chosen for value in self.values), bool, len(self.values))
