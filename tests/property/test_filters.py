"""Filters over columns let by what the rule for one item lets by, whatever the graph."""

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.graph.episode_filters import EpisodeTree
from recollect.graph.filters import Filters, passes_entity, passes_episode, passes_fact
from recollect.search.columns import Flags
from recollect.search.kinds import mask
from recollect.search.tables import ItemTable, Tables
from tests.property.effort import examples
from tests.property.filter_texts import episode_trees
from tests.property.small_graphs import Small, looked_up, many_filters, small_graphs, tables_of

EXAMPLES = examples(150)  # each of them some twenty filters over one graph


def passing_ids(table: ItemTable, mask: Flags) -> list[int]:
    """The row ids of the flagged slots, in order."""
    assert len(mask) == len(table)
    return sorted(table.ids.array[mask].tolist())


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


def masks(graph: Small, tables: Tables, chosen: Filters) -> tuple[Flags, Flags, Flags]:
    """Of facts, entities and episodes."""
    lookups = looked_up(graph, chosen)
    return (
        mask(tables, "fact", chosen, lookups),
        mask(tables, "entity", chosen, lookups),
        mask(tables, "episode", chosen, lookups),
    )


@settings(max_examples=EXAMPLES)
@given(graph=small_graphs(), several=many_filters())
def test_what_passes_the_mask_is_what_passes_the_rule(graph: Small, several: list[Filters]) -> None:
    """Item by item, for every kind."""
    tables = tables_of(graph)
    for chosen in several:
        facts, entities, episodes = masks(graph, tables, chosen)
        assert passing_ids(tables.facts, facts) == facts_by_the_rule(graph, chosen)
        assert passing_ids(tables.entities, entities) == entities_by_the_rule(graph, chosen)
        assert passing_ids(tables.episodes, episodes) == episodes_by_the_rule(graph, chosen)


@settings(max_examples=examples(50))
@given(graph=small_graphs(), trees=st.lists(episode_trees, min_size=5, max_size=5))
def test_conditions_on_episodes_let_by_what_the_rule_for_one_lets_by(
    graph: Small, trees: list[EpisodeTree]
) -> None:
    """For episodes themselves, and for what rests on them."""
    tables = tables_of(graph)
    nested = EpisodeTree(joined_by="or", trees=tuple(trees[:2]))
    for tree in [*trees, nested]:
        for chosen in (
            Filters(episodes=tree),
            Filters(episodes=tree, recallable_only=True, episode_uuids=("e0", "e1", "e2")),
        ):
            facts, entities, episodes = masks(graph, tables, chosen)
            assert passing_ids(tables.facts, facts) == facts_by_the_rule(graph, chosen)
            assert passing_ids(tables.entities, entities) == entities_by_the_rule(graph, chosen)
            assert passing_ids(tables.episodes, episodes) == episodes_by_the_rule(graph, chosen)


@settings(max_examples=examples(20))
@given(graph=small_graphs())
def test_only_episodes_are_asked_which_memory_they_are_for(graph: Small) -> None:
    """What was learned from one that is not recalled is known all the same."""
    tables = tables_of(graph)
    facts, entities, episodes = masks(graph, tables, Filters(recallable_only=True))
    every = masks(graph, tables, Filters())
    assert (facts == every[0]).all()
    assert (entities == every[1]).all()
    semantic = {one.id for one in graph.episodes if one.kept_for == "semantic"}
    found = set(passing_ids(tables.episodes, every[2]))
    assert set(passing_ids(tables.episodes, episodes)) == found - semantic


@settings(max_examples=examples(20))
@given(graph=small_graphs(), several=many_filters())
def test_a_mask_is_no_view_of_a_column(graph: Small, several: list[Filters]) -> None:
    """Whoever asked may change it; the tables stay as they were."""
    tables = tables_of(graph)
    kinds: tuple[ItemTable, ...] = (tables.facts, tables.entities, tables.episodes)
    before = [table.alive.array.copy() for table in kinds]
    for chosen in several:
        for flags in masks(graph, tables, chosen):
            flags[:] = ~flags
    for table, alive in zip(kinds, before, strict=True):
        assert (table.alive.array == alive).all()
