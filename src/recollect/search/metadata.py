"""What the metadata of episodes says under one key, as columns over their distinct texts.

A key is looked at when somebody first asks for it; from then on only new texts are read. Values
are known by their kind, as in `graph.sight`, and a list is known by its elements.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from recollect.graph.comparing import value_test
from recollect.graph.filters import MetadataTree, ValueTest
from recollect.graph.sight import Typed, typed
from recollect.search.columns import Codes, Column, Flags

_decode = msgspec.json.Decoder(dict[str, Any]).decode


class MetadataKey:
    """Which texts hold which values under one key. `values` are the distinct ones."""

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
        """Take in the texts that have come since."""
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
        """For every value, what *reader* makes of it; each is read once."""
        known = self._readings.setdefault(reader, [])
        known += [reader(value) for value in self.values[len(known) :]]
        return known

    def one_of(self, wanted: "list[Typed]") -> Flags:
        """For every value, whether it is one of these."""
        flags = np.zeros(len(self.values), bool)
        flags[[self._codes[one] for one in wanted if one in self._codes]] = True
        return flags

    def holding(self, values: Flags) -> Flags:
        """For every text, and in the end for having none, whether it holds a flagged value."""
        flags = np.zeros(self._read + 1, bool)
        flags[self._text.array[values[self._value.array]]] = True
        return flags

    @property
    def present(self) -> Flags:
        """For every text, and in the end for having none, whether it has a value."""
        return self.holding(np.ones(len(self.values), bool))


Key = Callable[[str], MetadataKey]


def satisfying(tree: MetadataTree, key: Key, size: int) -> Flags:
    """For every one of *size* texts, and in the end for having none, whether the tree holds."""
    parts = [_tested(test, key(test.name)) for test in tree.tests]
    parts += [satisfying(part, key, size) for part in tree.trees]
    joined = np.logical_and if tree.joined_by == "and" else np.logical_or
    found: Flags = joined.reduce(parts) if parts else np.full(size + 1, tree.joined_by == "and")
    return found


def _tested(test: ValueTest, key: MetadataKey) -> Flags:
    if test.operator == "IS NULL":
        return ~key.present
    if test.operator == "IS NOT NULL":
        return key.present
    given = test.value
    if test.operator in ("=", "<>") and isinstance(given, str | int | float):
        equal = key.holding(key.one_of([typed(given)]))
        return equal if test.operator == "=" else key.present & ~equal
    holds = value_test(test)
    fitting = (holds({key.name: value}) for value in key.values)
    return key.holding(np.fromiter(fitting, bool, len(key.values)))
