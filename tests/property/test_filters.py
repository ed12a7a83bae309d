"""Filters over columns let by what the rule for one item lets by, whatever the graph."""

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.graph.episode_filters import EpisodeTree
from recollect.graph.filters import Filters
from recollect.graph.passing import passes_entity, passes_episode, passes_fact
from recollect.search.columns import Flags
from recollect.search.masks import entity_mask, episode_mask, fact_mask
from recollect.search.shelves import Shelf, Shelves
from tests.property.filter_texts import episode_trees
from tests.property.small_graphs import Small, anchors, many_filters, shelve, small_graphs

EXAMPLES = 150  # each of them some twenty filters over one graph


def passing_ids(shelf: Shelf, mask: Flags) -> list[int]:
    """The row ids of the flagged slots, in order."""
    assert len(mask) == len(shelf)
    return sorted(shelf.ids.array[mask].tolist())


def facts_by_the_rule(graph: Small, chosen: Filters) -> list[int]:
    """The facts that pass, asked one by one."""
    return [
        fact.id
        for position, fact in enumerate(graph.facts)
        if fact.uuid not in graph.gone
        and passes_fact(chosen, fact, graph.evidence(graph.supports, position))
    ]


def entities_by_the_rule(graph: Small, chosen: Filters) -> list[int]:
    """The entities that pass, asked one by one."""
    return [
        entity.id
        for position, entity in enumerate(graph.entities)
        if entity.uuid not in graph.gone
        and passes_entity(chosen, entity, graph.evidence(graph.mentions, position))
    ]


def episodes_by_the_rule(graph: Small, chosen: Filters) -> list[int]:
    """The episodes that pass, asked one by one; what cannot be found at all does not."""
    return [
        episode.id
        for position, episode in enumerate(graph.episodes)
        if episode.uuid not in graph.gone
        and position not in graph.closed
        and passes_episode(chosen, episode)
    ]


def masks(graph: Small, shelves: Shelves, chosen: Filters) -> tuple[Flags, Flags, Flags]:
    """Of facts, entities and episodes."""
    slots = anchors(graph, shelves, chosen)
    return (
        fact_mask(shelves, chosen, slots),
        entity_mask(shelves, chosen, slots),
        episode_mask(shelves, chosen, slots),
    )


@settings(max_examples=EXAMPLES)
@given(graph=small_graphs(), several=many_filters())
def test_what_passes_the_mask_is_what_passes_the_rule(graph: Small, several: list[Filters]) -> None:
    """Item by item, for every kind."""
    shelves = shelve(graph)
    for chosen in several:
        facts, entities, episodes = masks(graph, shelves, chosen)
        assert passing_ids(shelves.facts, facts) == facts_by_the_rule(graph, chosen)
        assert passing_ids(shelves.entities, entities) == entities_by_the_rule(graph, chosen)
        assert passing_ids(shelves.episodes, episodes) == episodes_by_the_rule(graph, chosen)


@settings(max_examples=50)
@given(graph=small_graphs(), trees=st.lists(episode_trees, min_size=5, max_size=5))
def test_conditions_on_episodes_let_by_what_the_rule_for_one_lets_by(
    graph: Small, trees: list[EpisodeTree]
) -> None:
    """For episodes themselves, and for what rests on them."""
    shelves = shelve(graph)
    nested = EpisodeTree(joined_by="or", trees=tuple(trees[:2]))
    for tree in [*trees, nested]:
        for chosen in (
            Filters(episodes=tree),
            Filters(episodes=tree, recallable_only=True, episode_uuids=("e0", "e1", "e2")),
        ):
            facts, entities, episodes = masks(graph, shelves, chosen)
            assert passing_ids(shelves.facts, facts) == facts_by_the_rule(graph, chosen)
            assert passing_ids(shelves.entities, entities) == entities_by_the_rule(graph, chosen)
            assert passing_ids(shelves.episodes, episodes) == episodes_by_the_rule(graph, chosen)


@settings(max_examples=20)
@given(graph=small_graphs())
def test_only_episodes_are_asked_which_memory_they_are_for(graph: Small) -> None:
    """What was learned from one that is not recalled is known all the same."""
    shelves = shelve(graph)
    facts, entities, episodes = masks(graph, shelves, Filters(recallable_only=True))
    every = masks(graph, shelves, Filters())
    assert (facts == every[0]).all()
    assert (entities == every[1]).all()
    semantic = {one.id for one in graph.episodes if one.kept_for == "semantic"}
    found = set(passing_ids(shelves.episodes, every[2]))
    assert set(passing_ids(shelves.episodes, episodes)) == found - semantic


@settings(max_examples=20)
@given(graph=small_graphs(), several=many_filters())
def test_a_mask_is_no_view_of_a_column(graph: Small, several: list[Filters]) -> None:
    """Whoever asked may change it; the shelves stay as they were."""
    shelves = shelve(graph)
    kinds: tuple[Shelf, ...] = (shelves.facts, shelves.entities, shelves.episodes)
    before = [shelf.alive.array.copy() for shelf in kinds]
    for chosen in several:
        for mask in masks(graph, shelves, chosen):
            mask[:] = ~mask
    for shelf, alive in zip(kinds, before, strict=True):
        assert (shelf.alive.array == alive).all()
