"""A question made ready for a segment: whom it names, and row ids in the place of uuids."""

from collections.abc import Sequence

import regex

from recollect.graph import names
from recollect.graph.episode_filters import EpisodeTree, uuids_named
from recollect.graph.terms import STOP_WORDS, terms
from recollect.graph.types import Record
from recollect.search.query import Query
from recollect.store import rows
from recollect.store.protocol import Transaction

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_'\u2019.&-]+")
# Where one question ends and another begins.
_PART = regex.compile(
    r"\?\s+|,?\s+and\s+(?=(?:what|where|when|who|whom|whose|which|how|why|do|does|did|is|are|was|were"
    r"|has|have|had|can|will)\b)",
    regex.IGNORECASE,
)
_PARTS_MAX = 3
_NAME_WORDS_MAX = 3
_WORDS_MAX = 60


class Named(Record):
    """An entity that a question names, and where its name stands."""

    entity_id: int
    start: int
    end: int


class Resolved(Record):
    """The row ids of what a query speaks of by uuid or by name; None where nothing was given."""

    facts: tuple[int, ...] | None = None
    episodes: tuple[int, ...] | None = None
    sources: tuple[int, ...] | None = None
    targets: tuple[int, ...] | None = None
    connected: tuple[int, ...] | None = None
    center: tuple[int, ...] = ()
    near: tuple[int, ...] = ()
    origin_entities: tuple[int, ...] = ()
    origin_episodes: tuple[int, ...] = ()
    named: tuple[Named, ...] = ()
    tested: tuple[tuple[str, int], ...] = ()  # episodes that conditions name, by uuid


def resolve(tx: Transaction, graph_id: int, query: Query) -> Resolved:
    """Look up what *query* speaks of; what another graph has, or nobody, is not there."""

    def ids(query_name: str, uuids: tuple[str, ...] | None) -> tuple[int, ...]:
        if not uuids:
            return ()
        found = tx.all(query_name, graph_id=graph_id, uuids=rows.to_json(list(uuids)))
        return tuple(row["id"] for row in found)

    def given(query_name: str, uuids: tuple[str, ...] | None) -> tuple[int, ...] | None:
        return None if uuids is None else ids(query_name, uuids)

    chosen = query.filters
    return Resolved(
        facts=given("fact_ids_by_uuids", chosen.edge_uuids),
        episodes=given("episode_ids_by_uuids", chosen.episode_uuids),
        sources=given("entity_ids_by_uuids", chosen.source_node_uuids),
        targets=given("entity_ids_by_uuids", chosen.target_node_uuids),
        connected=given("entity_ids_by_uuids", chosen.connected_node_uuids),
        center=ids("entity_ids_by_uuids", (query.center_uuid,) if query.center_uuid else None),
        near=ids("entity_ids_by_uuids", (query.near_uuid,) if query.near_uuid else None),
        origin_entities=ids("entity_ids_by_uuids", query.origin_uuids),
        origin_episodes=ids("episode_ids_by_uuids", query.origin_uuids),
        named=_named(tx, graph_id, query.text),
        tested=_tested(tx, graph_id, chosen.episodes),
    )


def _tested(
    tx: Transaction, graph_id: int, tree: EpisodeTree | None
) -> tuple[tuple[str, int], ...]:
    uuids = uuids_named(tree) if tree is not None else set()
    if not uuids:
        return ()
    listed = rows.to_json(sorted(uuids))
    found = tx.all("episode_ids_by_uuids", graph_id=graph_id, uuids=listed)
    return tuple((row["uuid"], row["id"]) for row in found)


def _named(tx: Transaction, graph_id: int, text: str) -> tuple[Named, ...]:
    """The entities whose whole name stands in *text*."""
    words = list(_WORD.finditer(text))[:_WORDS_MAX]
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
        Named(entity_id=row["id"], start=start, end=end)
        for row in tx.all("entities_asked", graph_id=graph_id, keys=keys)
        for start, end in [places[row["key"]]]
    )


def parts(text: str) -> list[str]:
    """The questions that a text asks, if they are several: "where does she live and what does she
    do"."""
    asked = [part.strip(" ,?") for part in _PART.split(text)]
    several = [part for part in asked if len(terms(part)) > 0][:_PARTS_MAX]
    return several if len(several) > 1 else []


def longest(named: Sequence[Named]) -> tuple[Named, ...]:
    """Of names within names, the longest."""
    return tuple(one for one in named if not any(_inside(one, other) for other in named))


def _inside(one: Named, other: Named) -> bool:
    return (
        other.start <= one.start
        and one.end <= other.end
        and other.end - other.start > one.end - one.start
    )
