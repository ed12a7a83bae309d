"""The table of relations: how each is said, how many an entity can have, what ends what."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

from recollect.errors import InvalidInput
from recollect.graph.types import Record

_TABLE = Path(__file__).with_name("predicates.toml")


class Predicate(Record, forbid_unknown_fields=True):
    """One relation. The meaning of the fields is told at the top of `predicates.toml`."""

    name: str = ""
    canonical: str | None = None
    phrases: tuple[str, ...] = ()
    single: bool = False
    event: bool = False
    symmetric: bool = False
    ends: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()


class Predicates:
    """Relations by name and by phrase. A name that is not in the table is an open relation."""

    def __init__(self, table: Mapping[str, Predicate]) -> None:
        self._by_name = dict(table)
        self._by_phrase = {
            phrase: item.canonical or name
            for name, item in table.items()
            for phrase in item.phrases
        }

    def __getitem__(self, name: str) -> Predicate:
        return self._by_name.get(name) or Predicate(name=name)

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def of_phrase(self, phrase: str) -> str | None:
        """The relation that a phrase of lemmas ("work at") expresses, if the table knows it."""
        return self._by_phrase.get(phrase)


def _read(path: Path) -> dict[str, Predicate]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        table = msgspec.convert(raw, dict[str, Predicate])
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise InvalidInput(f"the table of predicates {path} cannot be read: {error}") from error
    return {name: msgspec.structs.replace(item, name=name) for name, item in table.items()}


@cache
def load(extension: Path | None = None) -> Predicates:
    """The table that comes with the program, with a user's own entries over it."""
    table = _read(_TABLE)
    if extension is not None:
        table.update(_read(extension))
    return Predicates(table)
