"""The table of relations: how each is phrased, how many an entity can have, what ends what."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from recollect.errors import InvalidInput
from recollect.graph.types import Record

_TABLE = Path(__file__).with_name("predicates.toml")
_REMEMBERED = 4_096
_REFERRING = ("ends", "ends_alone", "replaces", "rivals", "carries")


class Predicate(Record, forbid_unknown_fields=True):
    """One relation. The fields are explained at the top of `predicates.toml`."""

    name: str = ""
    canonical: str | None = None
    phrases: tuple[str, ...] = ()
    single: bool = False
    event: bool = False
    symmetric: bool = False
    ends: tuple[str, ...] = ()
    ends_alone: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    carries: tuple[str, ...] = ()


class Predicates:
    """Relations by name and by phrase. A name that is not in the table is an open relation.

    An entry with `canonical` is another way to say that relation: both names lead to one relation,
    which has the phrases and the properties of all its entries.
    """

    def __init__(self, table: Mapping[str, Predicate]) -> None:
        _check(table)
        self._canonical = {name: item.canonical or name for name, item in table.items()}
        self._by_name = self._merged(table)
        self._by_phrase = {
            phrase: self._canonical[name] for name, item in table.items() for phrase in item.phrases
        }
        self._closers = self._inverse("ends")
        self._lone_closers = self._inverse("ends_alone")
        self._replacers = self._inverse("replaces")
        self._rivals = self._inverse("rivals")
        self._concerned = {name: self._concerned_by(item) for name, item in self._by_name.items()}

    def _merged(self, table: Mapping[str, Predicate]) -> dict[str, Predicate]:
        parts: dict[str, list[Predicate]] = {}
        for name, item in table.items():
            parts.setdefault(self._canonical[name], []).append(item)
        return {name: self._united(name, items) for name, items in parts.items()}

    def _united(self, name: str, items: list[Predicate]) -> Predicate:
        def names(field: str) -> tuple[str, ...]:
            given = (self._canonical[other] for item in items for other in getattr(item, field))
            return tuple(dict.fromkeys(given))

        return Predicate(
            name=name,
            phrases=tuple(dict.fromkeys(phrase for item in items for phrase in item.phrases)),
            single=any(item.single for item in items),
            event=any(item.event for item in items),
            symmetric=any(item.symmetric for item in items),
            ends=names("ends"),
            ends_alone=names("ends_alone"),
            replaces=names("replaces"),
            rivals=names("rivals"),
            carries=names("carries"),
        )

    def _inverse(self, field: str) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for name, item in self._by_name.items():
            for other in getattr(item, field):
                found[other] = (*found.get(other, ()), name)
        return found

    def _concerned_by(self, item: Predicate) -> frozenset[str]:
        return frozenset((item.name, *item.ends, *item.ends_alone, *item.replaces, *item.rivals))

    def __getitem__(self, name: str) -> Predicate:
        return self._by_name.get(self._canonical.get(name, name)) or _open(name)

    def __contains__(self, name: str) -> bool:
        return name in self._canonical

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def of_phrase(self, phrase: str) -> str | None:
        """The relation that a phrase of lemmas ("work at") expresses, if the table knows it."""
        return self._by_phrase.get(phrase)

    def concerns(self, name: str, other: str) -> bool:
        """Whether a fact of one relation can say anything of a fact of the other: it is the same, or one
        that it ends, replaces or rivals."""
        return name == other or other in self._concerned.get(self._canonical.get(name, name), ())

    def closers_of(self, name: str) -> tuple[str, ...]:
        """The relations that bring *name* to an end, between the same two entities."""
        return self._closers.get(name, ())

    def lone_closers_of(self, name: str) -> tuple[str, ...]:
        """The relations that bring *name* to an end when they have no second entity."""
        return self._lone_closers.get(name, ())

    def replacers_of(self, name: str) -> tuple[str, ...]:
        """The relations whose new facts close those of *name*, whatever their target."""
        return self._replacers.get(name, ())

    def rivals_of(self, name: str) -> tuple[str, ...]:
        """The relations whose new facts close those of *name* that have a target of the same sort."""
        return self._rivals.get(name, ())


@lru_cache(maxsize=_REMEMBERED)
def _open(name: str) -> Predicate:
    return Predicate(name=name)


def _check(table: Mapping[str, Predicate]) -> None:
    for name, item in table.items():
        for field in _REFERRING:
            for other in getattr(item, field):
                if other not in table:
                    raise InvalidInput(f"predicate {name}: {field} names {other}, which is unknown")
        if item.canonical is not None:
            _check_canonical(table, name, item.canonical)


def _check_canonical(table: Mapping[str, Predicate], name: str, canonical: str) -> None:
    if canonical not in table:
        raise InvalidInput(f"predicate {name}: canonical names {canonical}, which is unknown")
    if table[canonical].canonical is not None:
        raise InvalidInput(f"predicate {name}: canonical {canonical} is not canonical itself")


def _read(path: Path) -> dict[str, Predicate]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        table = msgspec.convert(raw, dict[str, Predicate])
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise InvalidInput(f"the table of predicates {path} cannot be read: {error}") from error
    _check_phrases(path, table)
    return {name: msgspec.structs.replace(item, name=name) for name, item in table.items()}


def _check_phrases(path: Path, table: Mapping[str, Predicate]) -> None:
    said: dict[str, str] = {}
    for name, item in table.items():
        for phrase in item.phrases:
            if said.setdefault(phrase, name) != name:
                raise InvalidInput(f"{path}: {phrase!r} is a phrase of {said[phrase]} and {name}")


@cache
def load(extension: Path | None = None) -> Predicates:
    """The built-in table, overlaid with a user's own entries.

    A user's entry replaces the built-in one of the same name, and a user's phrase the built-in phrase.
    """
    table = _read(_TABLE)
    if extension is not None:
        own = _read(extension)
        # Put last, so that their phrases win.
        table = {name: item for name, item in table.items() if name not in own} | own
    return Predicates(table)
