"""Prepares a query for one segment: the entities it names, its terms, its meaning and its time."""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
import regex
from msgspec.structs import replace

from recollect.graph import names
from recollect.graph.episode_filters import uuids_named
from recollect.graph.terms import STOP_WORDS, hashed, terms
from recollect.limits import SEARCH_TERMS_MAX
from recollect.search.columns import Floats
from recollect.search.query import Lookups, NamedEntity, PreparedQuery, Query
from recollect.search.segment import Segment
from recollect.search.tables import ItemTable
from recollect.search.times import TimeWords, tense_of, time_words
from recollect.store import rows
from recollect.store.protocol import Transaction

_NAME_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_'\u2019.&-]+")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
# Where one question ends and another begins.
_PART = regex.compile(
    r"\?\s+|,?\s+and\s+(?=(?:what|where|when|who|whom|whose|which|how|why|do|does|did|is|are|was|were"
    r"|has|have|had|can|will)\b)",
    regex.IGNORECASE,
)
_PARTS_MAX = 3
_NAMED_MAX = 32  # of those that are visible: hidden ones must not take their places
_NAME_WORDS_MAX = 3
_WORDS_MAX = 60
# The share of a question's vector that comes from its words without names. An answer seldom repeats the
# names of the question, and a name attracts everything that contains it: docs/measurements/search.md.
NAMELESS = 0.75


_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours"})
_TOGETHER = regex.compile(r"\b(?:and|both|together)\b", regex.IGNORECASE)
_POSSESSIVE = regex.compile(r"['\u2019]s\b|[,!]")


def look_up(tx: Transaction, graph_id: int, query: Query) -> Lookups:
    """The row ids of what *query* refers to, as far as it exists in this graph."""

    def episode_ids(**given: Any) -> list[int]:
        return [row.id for row in tx.episodes.ids_by_uuids(**given)]

    def ids(read: Callable[..., list[int]], uuids: tuple[str, ...] | None) -> tuple[int, ...]:
        if not uuids:
            return ()
        return tuple(read(graph_id=graph_id, uuids=rows.to_json(list(uuids))))

    def given(
        read: Callable[..., list[int]], uuids: tuple[str, ...] | None
    ) -> tuple[int, ...] | None:
        return None if uuids is None else ids(read, uuids)

    chosen = query.filters
    return Lookups(
        facts=given(tx.facts.ids_by_uuids, chosen.edge_uuids),
        episodes=given(episode_ids, chosen.episode_uuids),
        sources=given(tx.entities.ids_by_uuids, chosen.source_node_uuids),
        targets=given(tx.entities.ids_by_uuids, chosen.target_node_uuids),
        connected=given(tx.entities.ids_by_uuids, chosen.connected_node_uuids),
        center=ids(tx.entities.ids_by_uuids, (query.center_uuid,) if query.center_uuid else None),
        near=ids(tx.entities.ids_by_uuids, (query.near_uuid,) if query.near_uuid else None),
        origin_entities=ids(tx.entities.ids_by_uuids, query.origin_uuids),
        origin_episodes=ids(episode_ids, query.origin_uuids),
        named=_named(tx, graph_id, query.text),
        tested=_tested(tx, graph_id, query),
    )


def _tested(tx: Transaction, graph_id: int, query: Query) -> dict[str, int]:
    """The episodes that conditions of the filters name, by uuid."""
    tree = query.filters.episodes
    uuids = uuids_named(tree) if tree is not None else set()
    if not uuids:
        return {}
    listed = rows.to_json(sorted(uuids))
    found = tx.episodes.ids_by_uuids(graph_id=graph_id, uuids=listed)
    return {row.uuid: row.id for row in found}


def _named(tx: Transaction, graph_id: int, text: str) -> tuple[NamedEntity, ...]:
    """The entities whose whole name occurs in *text*."""
    words = list(_NAME_WORD.finditer(text))[:_WORDS_MAX]
    places: dict[str, tuple[int, int]] = {}
    for length in range(1, _NAME_WORDS_MAX + 1):
        for start in range(len(words) - length + 1):
            part = words[start : start + length]
            if length == 1 and part[0][0].casefold() in STOP_WORDS:
                continue
            span = (part[0].start(), part[-1].end())
            form = names.normal(text[span[0] : span[1]])
            if form:
                places.setdefault("=" + form, span)
    keys = rows.to_json(list(places))
    return tuple(
        NamedEntity(entity_id=row.id, start=start, end=end)
        for row in tx.entities.asked(graph_id=graph_id, keys=keys)
        for start, end in [places[row.key]]
    )


def parts(text: str) -> list[str]:
    """The questions of a text that asks several: "where does she live and what does she do"."""
    asked = [part.strip(" ,?") for part in _PART.split(text)]
    several = [part for part in asked if len(terms(part)) > 0][:_PARTS_MAX]
    return several if len(several) > 1 else []


def _longest(named: Sequence[NamedEntity]) -> tuple[NamedEntity, ...]:
    """The names that are not part of a longer one."""
    return tuple(one for one in named if not any(_inside(one, other) for other in named))


def _inside(one: NamedEntity, other: NamedEntity) -> bool:
    return (
        other.start <= one.start
        and one.end <= other.end
        and other.end - other.start > one.end - one.start
    )


def known_to(segment: Segment, lookups: Lookups) -> tuple[set[str], Lookups]:
    """The speakers of a segment, by folded first name, and the *lookups* that exist there.

    A name that is part of a longer one is dropped.
    """

    def entities(ids: Sequence[int]) -> tuple[int, ...]:
        return _there(segment.entities, ids)

    named = list(islice((one for one in lookups.named if entities((one.entity_id,))), _NAMED_MAX))
    known = replace(
        lookups,
        named=_longest(named),
        center=entities(lookups.center),
        near=entities(lookups.near),
        origin_entities=entities(lookups.origin_entities),
        origin_episodes=_there(segment.episodes, lookups.origin_episodes),
    )
    return set(segment.episodes.first_names), known


def _there(table: ItemTable, ids: Sequence[int]) -> tuple[int, ...]:
    return tuple(one for one in ids if table.alive.array[table.known([one])].any())


def prepare(
    speakers: Collection[str], query: Query, lookups: Lookups, embed: Callable[[str], Floats]
) -> PreparedQuery:
    """Prepare a query for a graph in which *speakers* talk, given by their folded first names.

    Names of speakers are not searched for, because they match every greeting that contains them, nor
    are words for a time, which also occur with other meanings; both are scored separately. A query that
    consists of nothing else keeps them.
    """
    words = [(found[0].casefold(), found.span()) for found in _WORD.finditer(query.text)]
    people = tuple(dict.fromkeys(name for name, _ in words if name in speakers))
    time = query_time(query)
    timeless = time.rest if time and time.windows else query.text
    nameless = without(
        timeless,
        [found.span() for found in _WORD.finditer(timeless) if found[0].casefold() in speakers],
    )
    text = nameless if terms(nameless) else query.text
    called = without(query.text, [(one.start, one.end) for one in lookups.named])
    content = dict.fromkeys(terms(_uncapitalized(nameless)))
    return PreparedQuery(
        query=query,
        lookups=lookups,
        hashes=tuple(dict.fromkeys(hashed(term) for term in terms(text)))[:SEARCH_TERMS_MAX],
        plain=tuple(hashed(term) for term in terms(called))[:SEARCH_TERMS_MAX],
        content=tuple(hashed(term) for term in content)[:SEARCH_TERMS_MAX],
        names=tuple(hashed(term) for term in terms(nameless) if term not in content),
        vector=_meaning(text, embed, known=bool(people or lookups.named)),
        people=people,
        together=len(people) > 1 and _TOGETHER.search(query.text) is not None,
        own=any(word in _FIRST_PERSON for word, _ in words),
        tense=tense_of(query.text),
        windows=time.windows if time else (),
        event=time.event if time else None,
    )


def _meaning(text: str, embed: Callable[[str], Floats], *, known: bool) -> Floats:
    """The vector of a question, mostly that of its words without names.

    If none of its names is *known*, all words count equally: facts about others are no answer.
    """
    plain = _uncapitalized(text)
    if not known or len(terms(plain)) in (0, len(terms(text))):
        return embed(text)
    both: Floats = (1 - NAMELESS) * embed(text) + NAMELESS * embed(plain)
    length = float(np.linalg.norm(both))
    return both / length if length else both


def _uncapitalized(text: str) -> str:
    """The words of *text* that are not capitalised like names; the first word always counts."""
    found = _WORD.findall(text)
    return " ".join([*found[:1], *(word for word in found[1:] if not word[0].isupper())])


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """*text* without the characters of *spans*, and without a possessive ending after one."""
    kept: list[str] = []
    place = 0
    for start, end in sorted(spans):
        if end <= place:
            continue
        kept.append(text[place:start] if start > place else "")
        tail = _POSSESSIVE.match(text, end)
        place = tail.end() if tail else end
    kept.append(text[place:])
    return " ".join("".join(kept).split())


def query_time(query: Query) -> TimeWords | None:
    """The time a question is about; None if the caller already filters by time."""
    chosen: Sequence[object] = (
        query.filters.valid_on,
        query.filters.known_on,
        query.filters.valid_at,
        query.filters.invalid_at,
        query.filters.created_at,
        query.filters.expired_at,
    )
    return None if any(chosen) else time_words(query.text, query.now, query.time_zone)
