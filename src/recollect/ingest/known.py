"""What a judging reader is shown of a graph: what is known near an episode, and nothing later.

An episode may be read long after later ones were learned. So everything is seen from its position in
the log: only facts stated by an earlier episode are shown, and a fact is open unless something before
that position had ended it. Facts are found in three ways: by the entities that the text names, by its
meaning, and by what was learned last.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from recollect.extract.brief import Brief, Shown, ShownEntity, ShownFact
from recollect.governance import policies
from recollect.graph import names
from recollect.graph.types import Access, Episode, Graph
from recollect.ingest import briefing, known_view
from recollect.ingest.known_view import View
from recollect.limits import (
    KNOWN_NAME_WORDS_MAX,
    KNOWN_NAMES_MAX,
    SHOWN_ENTITIES_MAX,
    SHOWN_FACTS_MAX,
    SHOWN_GLOSS_CHARS_MAX,
    SHOWN_RELATIONS_MAX,
)
from recollect.search.finder import Finder
from recollect.search.query import Query
from recollect.store import rows
from recollect.store.protocol import Store, Transaction
from recollect.store.queries.known import KnownFactRow
from recollect.store.queries.shapes import EntityRow

_WORD = re.compile(r"[^\s,;:!?()\[\]\"]+")
_RELATION = re.compile(r"[A-Z][A-Z0-9_]*")
_NAME_WORDS_MAX = 3
_QUESTION_CHARS_MAX = 2_000
_SHORT_CHARS = (
    80  # a text this short may be an answer, so the turn before it is searched for as well
)
_MEANT_MAX = 40
_MEANT_THEN_MAX = 150  # for an earlier position: many of the hits came later and are dropped
_OF_ENTITY_MAX = 15
_LATELY_MAX = 15
_SINCE_MAX = 100
_RELATIONS_AMONG_MAX = 1_000
# The cost of each position in a list of candidates, by the way they were found; the cheapest are shown.
_STEPS = {"meant": 1.0, "named": 1.5, "lately": 2.0, "own": 3.0, "since": 3.0}


async def brief(
    store: Store, finder: Finder, access: Access, episode: Episode, *, strict: bool = False
) -> Brief | None:
    """The whole brief for an episode's reader, as far as *access* sees it; None if its graph is gone."""
    reading = await store.read(briefing.of_episode, episode, strict=strict)
    if reading is None:
        return None
    return replace(reading, shown=await shown(store, finder, access, episode, reading))


async def shown(
    store: Store, finder: Finder, access: Access, episode: Episode, reading: Brief
) -> Shown:
    """What is known near an episode: the nearest entities and facts, oldest first."""
    place = await store.glance(_graph, episode.graph_id)
    if place is None:
        return Shown()
    graph, last = place
    limit = _MEANT_MAX if episode.seq == last else _MEANT_THEN_MAX
    query = Query(text=_question(reading), kind="fact", now=episode.created_at, limit=limit)
    found = await finder.find(access, graph, query)
    meant = [one.item.id for one in found]
    return await store.read(_gather, access, graph, episode, reading, meant)


def everyone(project_id: int) -> Access:
    """The access of the memory itself, which sees all of a project."""
    return Access(project_id=project_id, project_uuid="", key_uuid="")


def project_of(tx: Transaction, graph_id: int) -> int | None:
    """The project of a graph; None if it is gone."""
    row = tx.graphs.by_id(id=graph_id)
    return None if row is None else int(row.project_id)


def _graph(tx: Transaction, graph_id: int) -> tuple[Graph, int] | None:
    """A graph, and the last position of its log."""
    row = tx.graphs.by_id(id=graph_id)
    return None if row is None else (rows.graph(row), row.last_seq)


def _question(reading: Brief) -> str:
    asked = reading.before[-1].content if reading.before else ""
    if len(reading.content) > _SHORT_CHARS or not asked:
        return reading.content[:_QUESTION_CHARS_MAX]
    return f"{asked[-_QUESTION_CHARS_MAX:]} {reading.content}"


class _Near(NamedTuple):
    """Row ids of what may be near: entities in order, facts with their costs."""

    entities: dict[int, None]
    facts: dict[int, float]


def _gather(
    tx: Transaction,
    access: Access,
    graph: Graph,
    episode: Episode,
    reading: Brief,
    meant: Sequence[int],
) -> Shown:
    project_id = project_of(tx, graph.id)
    guarded = frozenset() if project_id is None else policies.guarded(tx, project_id)
    view = View(tx, access, episode, guarded)
    near = _near(tx, graph.id, episode, reading, meant)
    seen = view.facts(near.facts)
    chosen = _chosen(seen, near.facts)
    ends = (end for row in chosen for end in (row.source_id, row.target_id))
    listed = view.entities([*near.entities, *ends])[:SHOWN_ENTITIES_MAX]
    return Shown(
        entities=_entities(view, listed, {row.id for row in chosen}),
        facts=_facts(chosen, view),
        relations=_relations(tx, graph.id, view),
    )


def _near(
    tx: Transaction, graph_id: int, episode: Episode, reading: Brief, meant: Sequence[int]
) -> _Near:
    own = tx.known.own(graph_id=graph_id)
    said = [reading.content, *(turn.content for turn in reading.before[-1:])]
    named = [one for one in _named(tx, graph_id, said) if one not in own]
    here: dict[str, Any] = {"graph_id": graph_id, "seq": episode.seq}
    ways: dict[str, list[Sequence[int]]] = {
        "meant": [meant],
        "named": [_of_entity(tx, one, episode.seq) for one in named],
        "lately": [tx.known.lately(limit=_LATELY_MAX, **here)],
        "own": [_of_entity(tx, one, episode.seq) for one in own],
        "since": [tx.known.closed_since(limit=_SINCE_MAX, **here)],
    }
    turns: dict[int, float] = {}
    for way, lists in ways.items():
        for ids in lists:
            for place, id_ in enumerate(ids):
                turns[id_] = min(turns.get(id_, float("inf")), (place + 1) * _STEPS[way])
    return _Near(dict.fromkeys([*own, *named]), turns)


def _named(tx: Transaction, graph_id: int, said: Iterable[str]) -> list[int]:
    """Entities whose whole name occurs in one of the texts, looked up by the words of the texts."""
    keys = dict.fromkeys(key for text in said for key in _keys(text))
    listed = rows.to_json(list(keys))
    return tx.known.named(graph_id=graph_id, keys=listed, limit=KNOWN_NAMES_MAX)


def _keys(text: str) -> Iterable[str]:
    heard = _WORD.findall(text)[:KNOWN_NAME_WORDS_MAX]
    for length in range(1, _NAME_WORDS_MAX + 1):
        for start in range(len(heard) - length + 1):
            if key := names.whole_key(" ".join(heard[start : start + length]).rstrip(".")):
                yield key


def _of_entity(tx: Transaction, entity_id: int, seq: int) -> list[int]:
    found = [
        id_
        for read in (tx.known.at_source, tx.known.at_target)
        for id_ in read(entity_id=entity_id, seq=seq, limit=_OF_ENTITY_MAX)
    ]
    return sorted(set(found), reverse=True)[:_OF_ENTITY_MAX]


def _chosen(seen: Sequence[KnownFactRow], turns: dict[int, float]) -> list[KnownFactRow]:
    """The nearest first."""
    ranked = sorted(seen, key=lambda row: (turns[row.id], -row.id))
    return ranked[:SHOWN_FACTS_MAX]


def _facts(chosen: Sequence[KnownFactRow], view: View) -> tuple[ShownFact, ...]:
    """The facts to show, oldest first; facts with the same words become one."""
    alike: dict[str, list[KnownFactRow]] = {}
    for row in chosen:
        alike.setdefault(row.fact.casefold(), []).append(row)
    ranked = [_fact(group, rank, view) for rank, group in enumerate(alike.values())]
    order = {group[0].uuid: group[0].id for group in alike.values()}
    return tuple(sorted(ranked, key=lambda fact: order[fact.uuid]))


def _fact(group: Sequence[KnownFactRow], rank: int, view: View) -> ShownFact:
    row, *twins = group
    return ShownFact(
        uuid=row.uuid,
        sentence=row.fact,
        relation=row.name,
        source=row.source,
        target=row.target,
        valid_at=rows.moment_or_none(row.valid_at),
        invalid_at=view.end(row.id),
        event_at=rows.moment_or_none(row.event_at),
        twins=tuple(twin.uuid for twin in twins),
        rank=rank,
    )


def _entities(
    view: View, listed: Sequence[EntityRow], told: Collection[int]
) -> tuple[ShownEntity, ...]:
    """The entities to show, oldest first; *told* are the facts shown beside them."""
    whole = view.whole([row.id for row in listed])
    about = {row.id: view.about(row.id) for row in listed if not row.is_user}
    seen = {row.id: row for row in view.facts({id_ for ids in about.values() for id_ in ids})}

    def gloss(entity_id: int) -> str:
        more = (n for n in about.get(entity_id, ()) if n in seen and n not in told)
        return _gloss([seen[number].fact for number in more])

    return tuple(
        known_view.entity(row, whole=row.id in whole, gloss=gloss(row.id))
        for row in sorted(listed, key=lambda row: int(row.id))
    )


def _gloss(sentences: Sequence[str]) -> str:
    """A line about an entity, from facts that are not shown otherwise."""
    line = " ".join(". ".join(one.rstrip(".") for one in sentences).split())
    if len(line) <= SHOWN_GLOSS_CHARS_MAX:
        return line
    return line[:SHOWN_GLOSS_CHARS_MAX].rsplit(" ", 1)[0] + " …"


def _relations(tx: Transaction, graph_id: int, view: View) -> tuple[str, ...]:
    """Names of relations in use, in the order of their first use."""
    found = tx.known.relations(graph_id=graph_id, limit=_RELATIONS_AMONG_MAX)
    seen = view.passing("fact", [row.id for row in found])
    used = (row.name for row in found if row.id in seen)
    return tuple(dict.fromkeys(filter(_RELATION.fullmatch, used)))[:SHOWN_RELATIONS_MAX]
