"""A search finds what a plain walk over everything that passes the filters finds."""

import math
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from recollect.graph.filters import Filters
from recollect.graph.terms import hashed, packed
from recollect.graph.types import Fact, Kind
from recollect.models.embedder import USUAL_LIKENESS
from recollect.search import rank, vectors
from recollect.search.query import Lookups, NamedEntity, PreparedQuery, Query
from recollect.search.segment import IndexPage, Segment
from recollect.search.times import TimeWindow
from recollect.search.vectors import DIMENSIONS
from recollect.store.rows import micros, micros_or_none, to_json
from tests.property.effort import examples
from tests.property.search_oracle import Oracle, Question, Told, Vector
from tests.property.search_rankings import RANKINGS
from tests.property.small_graphs import Small, many_filters, maybe_moments, moments, small_graphs

EXAMPLES = examples(20)  # for each reranker; each of them some twenty filters over one graph
KINDS: tuple[Kind, ...] = ("fact", "entity", "episode")
WORDS = ("tea", "rain", "boat", "song", "lamp")
SPEAKERS = ("Ann Lee", "Bob", None)
COMMON = 8  # of the sixteen numbers of a vector that are not 0, each of them a quarter

counts = st.sampled_from([1, 1, 2, 40])  # what is long lends its neighbours less
texts = st.dictionaries(st.sampled_from(WORDS), counts, max_size=4).map(Counter)
uuids = st.sampled_from([f"n{number}" for number in range(8)])


@st.composite
def stories(draw: st.DrawFn) -> tuple[Small, Told]:
    """A graph whose items say something."""
    graph = draw(small_graphs())
    graph = replace(graph, gone=_with_their_facts(graph))
    episodes = [replace_times(episode, draw(st.integers(0, 100))) for episode in graph.episodes]
    graph = replace(graph, episodes=episodes)
    items = [*graph.facts, *graph.entities, *graph.episodes]
    mute = draw(st.sets(st.sampled_from([item.uuid for item in items]), max_size=3))
    numbers = np.random.default_rng(draw(st.integers(0, 10_000)))
    told = Told(
        terms={item.uuid: draw(texts) for item in items},
        vectors={item.uuid: some_vector(numbers) for item in items if item.uuid not in mute},
        strands={one.uuid: draw(st.sampled_from(["s1", "s2", None])) for one in episodes},
        speakers={one.uuid: draw(st.sampled_from(SPEAKERS)) for one in episodes},
        by_user={one.uuid for one in episodes if draw(st.booleans())},
        asking={one.uuid for one in episodes if draw(st.booleans())},
    )
    return graph, told


def _with_their_facts(graph: Small) -> set[str]:
    """Whoever deletes an entity deletes its facts."""
    ended = [fact.uuid for fact in graph.facts if {fact.source_uuid, fact.target_uuid} & graph.gone]
    return graph.gone | set(ended)


def replace_times(episode: Any, hours: int) -> Any:
    """The same episode at another time."""
    fields = {name: getattr(episode, name) for name in episode.__struct_fields__}
    return type(episode)(**(fields | {"created_at": episode.created_at + timedelta(hours=hours)}))


def some_vector(numbers: np.random.Generator) -> Vector:
    """A vector of unit length that every precision holds exactly, half of it common to all."""
    vector = np.zeros(DIMENSIONS)
    vector[:COMMON] = 0.25
    places = COMMON + numbers.choice(DIMENSIONS - COMMON, COMMON, replace=False)
    vector[places] = numbers.choice([-0.25, 0.25], COMMON)
    return vector


def some_query(numbers: np.random.Generator) -> Vector:
    """A vector of unit length, about as like all others as texts usually are."""
    vector = numbers.normal(size=DIMENSIONS)
    vector[:COMMON] = 0.0
    common = USUAL_LIKENESS / (0.25 * COMMON)
    vector *= math.sqrt(1 - COMMON * common**2) / np.linalg.norm(vector)
    vector[:COMMON] = common
    return vector


def _is_span(window: TimeWindow) -> bool:
    return window.start is None or window.end is None or window.start < window.end


@st.composite
def questions(draw: st.DrawFn, reranker: str | None) -> Question:
    """Anything that can be asked, save for filters."""
    numbers = np.random.default_rng(draw(st.integers(0, 10_000)))
    vector = some_query(numbers)
    spans = st.builds(TimeWindow, start=maybe_moments, end=maybe_moments).filter(_is_span)
    return Question(
        kind=draw(st.sampled_from(KINDS)),
        terms=draw(st.lists(st.sampled_from([*WORDS, "unheard"]), max_size=4)),
        vector=draw(st.sampled_from([vector, vector, None])),
        filters=Filters(),
        now=draw(moments),
        limit=draw(st.sampled_from([1, 2, 3, 10])),
        reranker=reranker,
        mmr_lambda=draw(st.sampled_from([0.0, 0.3, 0.5, 1.0])),
        named=tuple(draw(st.sets(uuids, max_size=2))),
        near=draw(st.none() | uuids),
        center=draw(uuids),
        origins=tuple(draw(st.sets(uuids | st.sampled_from(["e0", "e1", "e2"]), max_size=2))),
        people=draw(st.sampled_from([(), (), ("ann",), ("bob", "ann")])),
        together=draw(st.booleans()),
        own=draw(st.booleans()),
        windows=tuple(draw(st.lists(spans, max_size=2))),
    )


def segment_of(graph: Small, told: Told) -> Segment:
    """A segment that took the whole graph, and then heard what is gone."""
    ids = {entity.uuid: entity.id for entity in graph.entities}
    items: list[tuple[str, Any]] = [
        *(("entity", item) for item in graph.entities),
        *(("fact", item) for item in graph.facts),
        *(("episode", item) for item in graph.episodes),
    ]
    segment = Segment()
    segment.take(
        IndexPage(
            until=1,
            rows=[_index_row(kind, item, told) for kind, item in items],
            items={
                "entity": [_entity_row(entity) for entity in graph.entities],
                "fact": [_fact_row(fact, ids) for fact in graph.facts],
                "episode": [
                    _episode_row(episode, told, place not in graph.closed)
                    for place, episode in enumerate(graph.episodes)
                ],
            },
            supports=_links(graph.facts, graph.supports, graph),
            mentions=_links(graph.entities, graph.mentions, graph),
        )
    )
    gone = [
        SimpleNamespace(item_kind=kind, item_id=item.id, terms=None, vector=None)
        for kind, item in items
        if item.uuid in graph.gone
    ]
    segment.take(IndexPage(until=2, rows=gone))
    return segment


def _index_row(kind: str, item: Any, told: Told) -> Any:
    vector = told.vectors.get(item.uuid)
    return SimpleNamespace(
        item_kind=kind,
        item_id=item.id,
        terms=packed(told.terms[item.uuid].elements()),
        vector=None if vector is None else vector.astype(np.float16).tobytes(),
    )


def _entity_row(entity: Any) -> Any:
    return SimpleNamespace(
        id=entity.id,
        created_at=micros(entity.created_at),
        labels=to_json(entity.labels),
        is_user=entity.is_user,
        attributes=to_json(entity.attributes),
    )


def _fact_row(fact: Fact, ids: dict[str, int]) -> Any:
    return SimpleNamespace(
        id=fact.id,
        source_id=ids[fact.source_uuid],
        target_id=ids[fact.target_uuid],
        name=fact.name,
        rating=fact.rating,
        attributes=to_json(fact.attributes),
        created_at=micros(fact.created_at),
        valid_at=micros_or_none(fact.valid_at),
        invalid_at=micros_or_none(fact.invalid_at),
        expired_at=micros_or_none(fact.expired_at),
        doubts="[]",
        weighed=0,
        took_place=0,
        denies=0,
    )


def _episode_row(episode: Any, told: Told, is_open: bool) -> Any:
    return SimpleNamespace(
        id=episode.id,
        seq=episode.seq,
        created_at=micros(episode.created_at),
        open=int(is_open),
        role="user" if episode.uuid in told.by_user else "assistant",
        speaker=told.speakers[episode.uuid],
        strand=told.strands[episode.uuid],
        metadata=to_json(episode.metadata),
        producer=episode.producer,
        addressee=episode.addressee,
        kept_for=episode.kept_for,
        asked="Is it warm?" if episode.uuid in told.asking else None,
    )


def _links(items: list[Any], pairs: list[tuple[int, int]], graph: Small) -> list[Any]:
    return [
        SimpleNamespace(item_id=items[item].id, episode_id=graph.episodes[episode].id)
        for item, episode in pairs
    ]


def asked(graph: Small, question: Question) -> PreparedQuery:
    """The question with row ids in the place of uuids; what is gone has none."""

    def ids(items: list[Any], wanted: Any) -> tuple[int, ...]:
        return tuple(
            item.id for item in items if item.uuid in wanted and item.uuid not in graph.gone
        )

    def given(items: list[Any], wanted: tuple[str, ...] | None) -> tuple[int, ...] | None:
        return None if wanted is None else ids(items, wanted)

    chosen = question.filters
    vector = question.vector
    return PreparedQuery(
        query=Query(
            text="",
            kind=question.kind,
            now=question.now,
            limit=question.limit,
            filters=chosen,
            reranker=question.reranker,  # type: ignore[arg-type]
            mmr_lambda=question.mmr_lambda,
            origin_uuids=question.origins,
        ),
        lookups=Lookups(
            facts=given(graph.facts, chosen.edge_uuids),
            episodes=given(graph.episodes, chosen.episode_uuids),
            sources=given(graph.entities, chosen.source_node_uuids),
            targets=given(graph.entities, chosen.target_node_uuids),
            connected=given(graph.entities, chosen.connected_node_uuids),
            center=ids(graph.entities, (question.center,)),
            near=ids(graph.entities, (question.near,)),
            origin_entities=ids(graph.entities, question.origins),
            origin_episodes=ids(graph.episodes, question.origins),
            named=tuple(
                NamedEntity(entity_id=number, start=0, end=0)
                for number in ids(graph.entities, question.named)
            ),
        ),
        hashes=tuple(hashed(term) for term in question.terms),
        plain=tuple(hashed(term) for term in question.terms),
        vector=None if vector is None else vector.astype(np.float32),
        people=question.people,
        together=question.together,
        own=question.own,
        windows=question.windows,
    )


def check(graph: Small, told: Told, segment: Segment, question: Question) -> None:
    """The same items with the same scores in the same order."""
    oracle = Oracle(graph, told, question)
    expected = RANKINGS[question.reranker](oracle) if oracle.seen else []
    uuids = {item.id: item.uuid for item in oracle.seen}
    hits = segment.work(rank.search, asked(graph, question))
    found = [(uuids[hit.item], hit.score) for hit in hits]
    assert [score for _, score in found] == pytest.approx(
        [score for _, score in expected], abs=1e-3
    )
    if question.reranker == "rrf":  # equal sums come in any order, so the last may be another
        last = min((score for _, score in expected), default=0.0)
        expected = [one for one in expected if one[1] > last + 1e-9]
        found = [one for one in found if one[1] > last + 1e-9]
        assert sorted(uuid for uuid, _ in found) == sorted(uuid for uuid, _ in expected)
    else:
        assert [uuid for uuid, _ in found] == [uuid for uuid, _ in expected]


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@pytest.mark.parametrize("reranker", RANKINGS, ids=str)
def test_a_search_finds_what_brute_force_finds(
    reranker: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the graph, the question, the filters and the limit.

    Vectors are kept as what they differ in from the usual one. Here that is nothing, so that
    they are kept exactly.
    """
    monkeypatch.setattr(vectors, "usual_vector", lambda: np.zeros(DIMENSIONS, np.float32))

    # A graph is small as it is; making it smaller would take minutes.
    @settings(max_examples=EXAMPLES, phases=(Phase.reuse, Phase.generate))
    @given(story=stories(), question=questions(reranker), several=many_filters())
    def holds(story: tuple[Small, Told], question: Question, several: list[Filters]) -> None:
        graph, told = story
        segment = segment_of(graph, told)
        for chosen in (Filters(), *several):
            check(graph, told, segment, replace(question, filters=chosen))

    holds()
