"""Shapes that recur are counted, weighed and told the same way every time."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect.graph import patterns
from recollect.graph.patterns import GraphPattern, PatternNode, PatternOptions, WeightedLink

NOW = datetime(2026, 5, 1, tzinfo=UTC)
PEOPLE = {number: PatternNode("Person", f"P{number}") for number in range(1, 5)}
PLACES = {number: PatternNode("Place", f"L{number}") for number in range(11, 14)}
NODES = {**PEOPLE, **PLACES}
NOTHING = PatternOptions(relationships=False, clusters=False)


def lives(person: int, place: int, weight: float = 1.0) -> WeightedLink:
    """A person's home."""
    return WeightedLink(person, place, "LIVES_IN", weight)


def knows(one: int, other: int, weight: float = 1.0) -> WeightedLink:
    """Two people."""
    return WeightedLink(one, other, "KNOWS", weight)


def told(found: list[GraphPattern]) -> dict[str, int]:
    """How often each shape is there."""
    return {pattern.description: pattern.occurrences for pattern in found}


def test_relationships_are_counted_by_labels_and_name() -> None:
    """Once is no pattern, unless once is enough."""
    links = [lives(1, 11), lives(2, 11), lives(3, 12), knows(1, 2)]
    wanted = PatternOptions(clusters=False)
    assert told(patterns.detect(links, NODES, wanted)) == {"Person -[LIVES_IN]-> Place": 3}
    every = patterns.detect(links, NODES, wanted, occurrences_min=1)
    assert told(every) == {"Person -[LIVES_IN]-> Place": 3, "Person -[KNOWS]-> Person": 1}
    assert (every[0].node_labels, every[0].edge_types) == (("Person", "Place"), ("LIVES_IN",))


def test_the_weightiest_comes_first() -> None:
    """Three old facts weigh less than two new ones."""
    links = [lives(n, 11, 0.1) for n in (1, 2, 3)] + [knows(1, 2, 0.9), knows(2, 3, 0.9)]
    found = patterns.detect(links, NODES, PatternOptions(clusters=False))
    assert [p.description for p in found] == [
        "Person -[KNOWS]-> Person",
        "Person -[LIVES_IN]-> Place",
    ]
    assert [p.weight for p in found] == pytest.approx([1.8, 0.3])


def test_a_path_follows_its_facts_and_passes_no_node_twice() -> None:
    """Two steps and three, with the weight of the lightest step."""
    links = [knows(1, 2), knows(2, 3, 0.5), lives(3, 11), knows(3, 1)]
    found = patterns.detect(
        links,
        NODES,
        PatternOptions(relationships=False, clusters=False, path_hops=3),
        occurrences_min=1,
    )
    assert told(found) == {
        "Person -[KNOWS]-> Person -[KNOWS]-> Person": 3,
        "Person -[KNOWS]-> Person -[LIVES_IN]-> Place": 1,
        "Person -[KNOWS]-> Person -[KNOWS]-> Person -[LIVES_IN]-> Place": 1,
    }
    assert found[0].weight == pytest.approx(2.0)


def test_labels_occur_together_within_so_many_steps() -> None:
    """Each pair of nodes counts once, whichever way the facts point."""
    links = [lives(1, 11), lives(2, 11), lives(3, 12)]
    near = PatternOptions(relationships=False, clusters=False, co_occurrence_hops=1)
    far = PatternOptions(relationships=False, clusters=False, co_occurrence_hops=2)
    assert told(patterns.detect(links, NODES, near)) == {"Person near Place": 3}
    assert told(patterns.detect(links, NODES, far, occurrences_min=1)) == {
        "Person near Place": 3,
        "Person near Person": 1,
    }


def test_a_hub_has_many_nodes_beside_it() -> None:
    """Two facts with the same neighbour count once; a self-fact does not count."""
    links = [knows(1, 2), knows(3, 1), knows(1, 4), knows(1, 4), knows(1, 1), lives(2, 11)]
    wanted = PatternOptions(relationships=False, clusters=False, hub_degree=3)
    (hub,) = patterns.detect(links, NODES, wanted)
    assert (hub.shape, hub.occurrences, hub.description) == ("hub", 3, "P1 (Person): KNOWS (4)")


def test_a_cluster_is_three_nodes_joined_to_one_another() -> None:
    """Each triangle counts once, and an open one not at all."""
    closed = [knows(1, 2), knows(3, 2), knows(3, 1), lives(1, 11), lives(2, 11)]
    found = patterns.detect(closed, NODES, PatternOptions(relationships=False), occurrences_min=1)
    assert told(found) == {
        "Person, Person, Person joined to one another": 1,
        "Person, Person, Place joined to one another": 1,
    }
    assert found[0].edge_types == ("KNOWS", "KNOWS", "KNOWS")
    assert (
        patterns.detect(closed[:2], NODES, PatternOptions(relationships=False), occurrences_min=1)
        == []
    )


def test_around_some_nodes_only_their_part_is_counted() -> None:
    """Every shape wants one of them in it."""
    links = [knows(1, 2), knows(2, 3), knows(3, 1), lives(4, 12), lives(4, 13)]
    everything = PatternOptions(path_hops=2, co_occurrence_hops=1, hub_degree=2)
    found = patterns.detect(links, NODES, everything, around=[4], occurrences_min=1)
    assert told(found) == {
        "Person -[LIVES_IN]-> Place": 2,
        "Person near Place": 2,
        "P4 (Person): LIVES_IN (2)": 2,
    }
    assert patterns.detect(links, NODES, everything, around=[], occurrences_min=1) == []


def test_nothing_wanted_finds_nothing() -> None:
    """Neither do facts that are not there."""
    assert patterns.detect([knows(1, 2)] * 3, NODES, NOTHING) == []
    assert (
        patterns.detect([], {}, PatternOptions(path_hops=3, co_occurrence_hops=3, hub_degree=2))
        == []
    )


def test_a_dense_graph_is_counted_within_a_bound() -> None:
    """Three hundred nodes, each joined to every other: it ends, and says the same twice."""
    nodes = {number: PatternNode("Person", str(number)) for number in range(300)}
    links = [knows(a, b) for a in range(300) for b in range(300) if a != b and (a + b) % 6 == 0]
    wanted = PatternOptions(path_hops=5, co_occurrence_hops=5, hub_degree=3)
    assert patterns.detect(links, nodes, wanted) == patterns.detect(links, nodes, wanted)


@pytest.mark.parametrize(
    ("days", "half_life", "weight"),
    [(0, 7, 1.0), (7, 7, 0.5), (14, 7, 0.25), (900, None, 1.0), (-3, 30, 1.0)],
)
def test_a_fact_loses_half_its_weight_in_its_half_life(
    days: int, half_life: int | None, weight: float
) -> None:
    """Without a half-life it keeps it all, and what comes from the future is as new as can be."""
    created_at = NOW - timedelta(days=days)
    assert patterns.decay(created_at, NOW, half_life) == pytest.approx(weight)
