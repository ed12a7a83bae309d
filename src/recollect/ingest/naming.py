"""Finds the known entities that an episode names, whether or not it states a fact about them.

This is part of the fold, so that folding again gives the same graph, even if a late reading makes an
entity known that the episode names. A thing is named by one of its whole names, a person also by a
first name that nobody else has, and a user who says "my" names themselves.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import regex

from recollect.derive import user_sides
from recollect.governance import policies
from recollect.graph import name_mentions, names
from recollect.graph.found import Found
from recollect.graph.name_mentions import NamedText, NameMention
from recollect.graph.types import DIRECT_KINDS, Episode, Record
from recollect.limits import NAMED_CANDIDATES_MAX
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.entities import NamedRow

_OWN = regex.compile(
    r"(?<![\w'\u2019])(?:I|i(?=['\u2019 ])|[Mm](?:e|y|ine|yself)|[Ww]e|us|[Oo]urs?)(?!\w)"
)


class _Namesake(Record):
    """An entity that may be named, with all names that a side knows, each after its normal form.

    *first_names*: in normal form, of a person who is known by a full name.
    """

    uuid: str
    names: tuple[tuple[str, str], ...]
    first_names: tuple[str, ...]
    person: bool


class _Match(Record):
    """A span of the text, and the name of an entity that it matches."""

    heard: NameMention
    entity: int
    name: str


def placed(tx: Transaction, graph_id: int, found: Found) -> Found:
    """A new reading as it is stored: new items get their uuids from their positions in it."""
    return msgspec.structs.replace(guarded(tx, graph_id, found), placed=True)


def guarded(tx: Transaction, graph_id: int, found: Found) -> Found:
    """A reading with the metadata keys that policies guard at this time."""
    row = tx.graphs.by_id(id=graph_id)
    keys = frozenset[str]() if row is None else policies.guarded(tx, row.project_id)
    return msgspec.structs.replace(found, guarded=tuple(sorted(keys)))


class Naming:
    """Finds the known entities that some consecutive episodes of a graph name.

    Which words begin a name is asked once for all their texts; `learn` tells which names were given since.
    """

    def __init__(self, tx: Transaction, graph_id: int, episodes: Iterable[Episode]) -> None:
        self._tx = tx
        self._graph_id = graph_id
        self._texts = {one.id: NamedText(_text(one)) for one in episodes if _is_searched(one)}
        keys = {key for text in self._texts.values() for key in text.first_keys()}
        listed = rows.to_json(sorted(keys))
        self._begun = set(tx.known.names_begun(graph_id=graph_id, keys=listed) if keys else ())
        self._namesakes: dict[NamedRow, _Namesake] = {}

    def learn(self, keys: Iterable[str]) -> None:
        """Take note of keys under which entities became known."""
        self._begun.update(keys)

    def named(self, episode: Episode, side: str | None) -> dict[str, int]:
        """The known entities that one of the episodes names, as row ids by uuid.

        Only entities known before it on its *side* of the walls drawn by policies; None without walls.
        """
        text = self._texts.get(episode.id)
        if text is None:
            return {}
        said = text.phrases(self._begun)
        first = list(name_mentions.first_names(said))
        found = self._candidates(said, first, side)
        chosen = {found[entity].uuid: entity for entity in _chosen(_matches(said, first, found))}
        return {**_speaker(self._tx, episode), **chosen}

    def _candidates(
        self, said: list[NameMention], first: list[NameMention], side: str | None
    ) -> dict[int, _Namesake]:
        """Entities with a name that occurs in the text, or whose first name does."""
        parts = (f"f:{names.normal(one.text)}" for one in first)
        listed = [key for key in dict.fromkeys((*(one.key for one in said), *parts)) if key]
        if not listed:
            return {}
        found = self._tx.entities.named(
            graph_id=self._graph_id,
            keys=rows.to_json(listed),
            side=side or "",
            limit=NAMED_CANDIDATES_MAX,
        )
        return {row.id: self._namesake(row, side) for row in found}

    def _namesake(self, row: NamedRow, side: str | None) -> _Namesake:
        """What a row says; the same people are met in many texts."""
        if row.is_user and side is not None:
            part = user_sides.learned(self._tx, row.id, side)
            return _namesake(row, user_sides.names_on(rows.from_json(row.names), part))
        if row not in self._namesakes:
            self._namesakes[row] = _namesake(row, rows.from_json(row.names))
        return self._namesakes[row]


def _is_searched(episode: Episode) -> bool:
    """Whether its text names what is known; what a caller wrote as knowledge does not."""
    return episode.kind not in DIRECT_KINDS and episode.kept_for != "episodic"


def _speaker(tx: Transaction, episode: Episode) -> dict[str, int]:
    """The user, if their message refers to themselves: "My tennis club is in Porto"."""
    if episode.role != "user" or _OWN.search(episode.content) is None:
        return {}
    who = tx.entities.who(graph_id=episode.graph_id)
    return {row.uuid: row.id for row in who if row.is_user}


def _text(episode: Episode) -> str:
    """The running text of an episode: all of it, or the strings of a document."""
    if episode.kind != "json":
        return episode.content
    return "\n".join(_strings(msgspec.json.decode(episode.content)))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


def _namesake(row: NamedRow, known: Iterable[str]) -> _Namesake:
    answers = dict.fromkeys((row.name, *known))
    person = row.kind == "person"
    full = (name for name in answers if person and len(name.split()) > 1)
    return _Namesake(
        uuid=row.uuid,
        names=tuple((names.normal(name), name) for name in answers),
        first_names=tuple(map(names.first_name, full)),
        person=person,
    )


def _matches(
    said: list[NameMention], first: list[NameMention], found: dict[int, _Namesake]
) -> list[_Match]:
    answers: dict[str, list[tuple[int, str]]] = {}
    bearers: dict[str, list[int]] = {}
    for number, known in found.items():
        for form, name in known.names:
            answers.setdefault(form, []).append((number, name))
        for form in known.first_names:
            bearers.setdefault(form, []).append(number)
    plain = [
        _Match(heard=one, entity=number, name=name)
        for one in said
        for number, name in answers.get(names.normal(one.text), ())
        if name_mentions.is_name(one, name, person=found[number].person)
    ]
    short = [
        _Match(heard=one, entity=number, name=one.text)
        for one in first
        for number in bearers.get(names.normal(one.text), ())
    ]
    return plain + short


def _chosen(matches: list[_Match]) -> list[int]:
    """The entities named, preferring longer names to shorter ones, and whole names to first names.

    A name that several entities have names none of them.
    """
    taken = set[int]()
    meant: dict[int, None] = {}
    by_place: dict[tuple[int, int], list[_Match]] = {}
    for one in matches:
        by_place.setdefault((one.heard.first, one.heard.count), []).append(one)
    for several in by_place.values():
        places = several[0].heard.places
        if taken.isdisjoint(places):
            taken.update(places)
            if len(entities := {one.entity for one in several}) == 1:
                meant.update(dict.fromkeys(entities))
    return list(meant)
