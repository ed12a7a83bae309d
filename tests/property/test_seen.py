"""What a key finds that may not see everything is what it would find if the rest did not exist."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as changed

from recollect.graph.filters import Filters
from recollect.graph.types import Entity
from recollect.graph.visibility import Constraint, Visibility, effective, typed
from recollect.search import rank
from recollect.search.prepare import known_to
from recollect.search.query import Lookups
from recollect.search.segment import IndexPage, Segment
from recollect.search.visibility import as_seen
from recollect.store.rows import micros, to_json
from tests.property.effort import examples
from tests.property.search_oracle import Question, Told
from tests.property.search_rankings import RANKINGS
from tests.property.small_graphs import Small, many_filters
from tests.property.test_search import asked, questions, segment_of, stories

EXAMPLES = examples(40)  # for each reranker; each of them some twenty filters over one graph

# Few values, so that some of a graph is seen and some is not.
CARRIED = (None, {"a": 1}, {"a": "1"}, {"a": [1, "1"]}, {"a": 1, "b": True}, {"b": True})
REQUIRED = (
    {"a": {1}},
    {"a": {"1"}},
    {"a": {1, "1"}},
    {"b": {True}},
    {"b": {1}},
    {"a": {1}, "b": {True}},
)


def constraint(required: dict[str, set[Any]], subset: bool) -> Constraint:
    """A constraint as policies make it."""
    typed_sets = {key: frozenset(map(typed, values)) for key, values in required.items()}
    return Constraint(required=tuple(typed_sets.items()), subset=subset)


constraints = st.builds(constraint, st.sampled_from(REQUIRED), st.booleans())
several = st.lists(constraints, min_size=1, max_size=2).map(tuple)
visibilities = st.builds(Visibility, denied=several) | st.builds(
    Visibility, allowed=several, denied=several | st.just(())
)


@st.composite
def labelled_stories(draw: st.DrawFn) -> tuple[Small, Told]:
    """A graph whose episodes carry what policies ask for."""
    graph, told = draw(stories())
    episodes = [
        changed(episode, metadata=draw(st.sampled_from(CARRIED))) for episode in graph.episodes
    ]
    entities = [
        changed(entity, is_user=place == 0 and draw(st.booleans()))
        for place, entity in enumerate(graph.entities)
    ]
    return replace(graph, episodes=episodes, entities=entities), told


def hidden(graph: Small, visibility: Visibility) -> set[str]:
    """What the rule hides, object by object."""
    behind = {
        **{e.uuid: [e] for e in graph.episodes},
        **{f.uuid: graph.evidence(graph.supports, n) for n, f in enumerate(graph.facts)},
        **{n.uuid: graph.evidence(graph.mentions, i) for i, n in enumerate(graph.entities)},
    }
    for own in (entity for entity in graph.entities if entity.is_user):
        # The user's node stands on all sides: of what mentions it, what may be seen counts.
        behind[own.uuid] = [e for e in behind[own.uuid] if visibility.sees(effective([e.metadata]))]
    return {
        uuid
        for uuid, episodes in behind.items()
        if not visibility.sees(effective(episode.metadata for episode in episodes))
    }


def without(graph: Small, told: Told, unseen: set[str]) -> tuple[Small, Told]:
    """The story as it would be without what is hidden.

    Whom a hidden fact is about, or a hidden episode mentions, and the user's node in any case, is
    found by no words and has no attributes; what a hidden episode tells, too, has none; who is hidden has no labels.
    """
    here = [fact for fact in graph.facts if fact.uuid not in graph.gone]
    spoken_of = {
        uuid
        for fact in here
        if fact.uuid in unseen
        for uuid in (fact.source_uuid, fact.target_uuid)
    }
    for place, entity in enumerate(graph.entities):
        mixed = any(one.uuid in unseen for one in graph.evidence(graph.mentions, place))
        if mixed or entity.is_user:
            spoken_of.add(entity.uuid)

    def told_less(entity: Entity) -> Entity:
        attributes = None if entity.uuid in spoken_of else entity.attributes
        labels = [] if entity.uuid in unseen else entity.labels
        return changed(entity, attributes=attributes, labels=labels)

    retold = {
        fact.uuid
        for place, fact in enumerate(graph.facts)
        if any(one.uuid in unseen for one in graph.evidence(graph.supports, place))
    }
    terms = {uuid: Counter() if uuid in spoken_of else words for uuid, words in told.terms.items()}
    left = replace(
        graph,
        entities=[told_less(entity) for entity in graph.entities],
        facts=[
            changed(fact, attributes=None) if fact.uuid in retold else fact for fact in graph.facts
        ],
        gone=graph.gone | unseen,
    )
    return left, replace(told, terms=terms)


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@pytest.mark.parametrize("reranker", RANKINGS, ids=str)
def test_what_is_hidden_changes_nothing(reranker: str | None) -> None:
    """Neither what is found, nor in which order, nor by how much it fits."""

    @settings(max_examples=EXAMPLES, phases=(Phase.reuse, Phase.generate))
    @given(
        story=labelled_stories(),
        question=questions(reranker),
        filters=many_filters(),
        visibility=visibilities,
    )
    def holds(
        story: tuple[Small, Told],
        question: Question,
        filters: list[Filters],
        visibility: Visibility,
    ) -> None:
        graph, told = story
        whole = segment_of(graph, told)
        unseen = hidden(graph, visibility)
        alone = segment_of(*without(graph, told, unseen))
        named = tuple(uuid for uuid in question.named if uuid not in unseen)
        for chosen in (Filters(), *filters):
            unhidden = asked(graph, replace(question, filters=chosen, named=named))
            _, resolved = known_to(alone, unhidden.lookups)
            expected = alone.work(rank.search, changed(unhidden, lookups=resolved))
            wanted = asked(graph, replace(question, filters=chosen))
            whole.work(rank.search, wanted)  # whoever sees everything leaves no trace
            seen = as_seen(whole, visibility)
            _, resolved = known_to(seen, wanted.lookups)
            found = seen.work(rank.search, changed(wanted, lookups=resolved))
            assert [hit.item for hit in found] == [hit.item for hit in expected]
            assert [hit.score for hit in found] == pytest.approx(
                [hit.score for hit in expected], abs=1e-9
            )

    holds()


def test_only_those_who_can_be_heard_are_known_as_speakers() -> None:
    """A name that only hidden episodes carry is a word like any other."""
    at = datetime(2024, 1, 1, tzinfo=UTC)
    said = [
        SimpleNamespace(
            id=number,
            seq=number,
            created_at=micros(at),
            open=1,
            role="user",
            speaker=speaker,
            strand="t",
            metadata=to_json({"class": kind}),
            producer=None,
            addressee=None,
            kept_for=None,
            asked=None,
        )
        for number, (speaker, kind) in enumerate([("Ann Lee", "open"), ("Bob", "secret")])
    ]
    rows = [
        SimpleNamespace(item_kind="episode", item_id=n, terms=b"", vector=None) for n in range(2)
    ]
    segment = Segment()
    segment.take(IndexPage(until=1, rows=rows, items={"episode": said}))
    required = (("class", frozenset({typed("secret")})),)
    seen = as_seen(segment, Visibility(denied=(Constraint(required=required),)))
    assert known_to(segment, Lookups())[0] == {"ann", "bob"}
    assert known_to(seen, Lookups())[0] - {""} == {"ann"}
