"""Finds the known entities that an episode names, whether or not it states a fact about them.

This is part of the fold, so that folding again gives the same graph, even if a late reading makes an
entity known that the episode names. A thing is named by one of its whole names, a person also by a
first name that nobody else has, and a user who says "my" names themselves.
"""

from collections.abc import Iterator
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
    """An entity that may be named, with all names that a side knows."""

    uuid: str
    names: tuple[str, ...]
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


def named(tx: Transaction, episode: Episode, side: str | None) -> dict[str, int]:
    """The known entities that an episode names, as row ids by uuid.

    Only entities known before it on its *side* of the walls drawn by policies; None without walls.
    """
    if episode.kind in DIRECT_KINDS or episode.kept_for == "episodic":
        return {}
    text = NamedText(_text(episode))
    begun = tx.known.names_begun(graph_id=episode.graph_id, keys=rows.to_json(text.keys()))
    said = text.phrases(set(begun))
    found = _candidates(tx, episode.graph_id, said, side)
    chosen = {found[entity].uuid: entity for entity in _chosen(_matches(said, found))}
    return {**_speaker(tx, episode), **chosen}


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


def _candidates(
    tx: Transaction, graph_id: int, said: list[NameMention], side: str | None
) -> dict[int, _Namesake]:
    """Entities with a name that occurs in the text, or whose first name does."""
    whole = (one.key for one in said)
    first = (f"f:{names.normal(one.text)}" for one in name_mentions.first_names(said))
    listed = [*dict.fromkeys(key for key in (*whole, *first) if key)]
    if not listed:
        return {}
    keys = rows.to_json(listed)
    found = tx.entities.named(
        graph_id=graph_id,
        keys=keys,
        side=side or "",
        limit=NAMED_CANDIDATES_MAX,
    )
    # Only people are known by a part of their name.
    meant = (row for row in found if row.kind == "person" or row.key.startswith("="))
    return {row.id: _namesake(tx, row, side) for row in meant}


def _namesake(tx: Transaction, row: NamedRow, side: str | None) -> _Namesake:
    known = rows.from_json(row.names)
    if row.is_user and side is not None:
        known = user_sides.names_on(known, user_sides.learned(tx, row.id, side))
    answers = tuple(dict.fromkeys((row.name, *known)))
    return _Namesake(uuid=row.uuid, names=answers, person=row.kind == "person")


def _matches(said: list[NameMention], found: dict[int, _Namesake]) -> list[_Match]:
    answers: dict[str, list[tuple[int, str]]] = {}
    first: dict[str, list[tuple[int, str]]] = {}
    for number, known in found.items():
        for name in known.names:
            answers.setdefault(names.normal(name), []).append((number, name))
            if known.person and len(name.split()) > 1:
                first.setdefault(names.first_name(name), []).append((number, name))
    plain = [
        _Match(heard=one, entity=number, name=name)
        for one in said
        for number, name in answers.get(names.normal(one.text), ())
        if name_mentions.is_name(one, name, person=found[number].person)
    ]
    short = [
        _Match(heard=one, entity=number, name=one.text)
        for one in name_mentions.first_names(said)
        for number, _ in first.get(names.normal(one.text), ())
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
