"""Whether one item passes the filters, rule by rule: F4 to F7, Q11 to Q14, Q18 and T8."""

from datetime import datetime
from typing import Any

import pytest

from recollect.graph.filters import (
    NO_FILTERS,
    DateTest,
    EpisodeSource,
    Filters,
    MetadataTree,
    ValueTest,
    needs_evidence,
    passes_entity,
    passes_episode,
    passes_fact,
    stands_at,
    tree_holds,
    values_hold,
)
from recollect.graph.types import Entity, Episode, Fact
from tests.unit.graph.world import START, day


def fact(**given: Any) -> Fact:
    """A fact of Ann (a Person) about Acme (a Company)."""
    usual: dict[str, Any] = {
        "id": 1,
        "uuid": "f1",
        "graph_id": 1,
        "name": "WORKS_AT",
        "fact": "Ann works at Acme",
        "source_uuid": "ann",
        "source_name": "Ann",
        "source_labels": ["Entity", "Person"],
        "target_uuid": "acme",
        "target_name": "Acme",
        "target_labels": ["Entity", "Company"],
        "created_at": START,
    }
    return Fact(**(usual | given))


def entity(**given: Any) -> Entity:
    """Ann."""
    usual: dict[str, Any] = {
        "id": 1,
        "uuid": "ann",
        "graph_id": 1,
        "name": "Ann",
        "labels": ["Entity", "Person"],
        "created_at": START,
    }
    return Entity(**(usual | given))


def episode(**given: Any) -> Episode:
    """Something that was said."""
    usual: dict[str, Any] = {
        "id": 1,
        "uuid": "e1",
        "graph_id": 1,
        "seq": 1,
        "kind": "text",
        "content": "Ann works at Acme",
        "created_at": START,
        "received_at": START,
    }
    return Episode(**(usual | given))


def asks(name: str, operator: Any, value: Any = None) -> ValueTest:
    """One test of a named value."""
    return ValueTest(name=name, operator=operator, value=value)


def both(*tests: ValueTest) -> MetadataTree:
    """All of the tests."""
    return MetadataTree(joined_by="and", tests=tests)


def either(*tests: ValueTest) -> MetadataTree:
    """Any of the tests."""
    return MetadataTree(joined_by="or", tests=tests)


def about(tree: MetadataTree) -> Filters:
    """Filters that are a metadata tree."""
    return Filters(episode_metadata=tree)


def test_f5_an_and_filter_split_across_two_episodes_matches_nothing() -> None:
    """Trap 1: together the episodes have both values, but no single one of them does."""
    evidence = [
        EpisodeSource(uuid="e1", metadata={"team": "red"}),
        EpisodeSource(uuid="e2", metadata={"year": 2024}),
    ]
    filters = about(both(asks("team", "=", "red"), asks("year", "=", 2024)))
    assert not passes_fact(filters, fact(), evidence)
    assert not passes_entity(filters, entity(), evidence)
    merged = EpisodeSource(uuid="e3", metadata={"team": "red", "year": 2024})
    assert passes_fact(filters, fact(), [*evidence, merged])
    assert passes_entity(filters, entity(), [*evidence, merged])


def test_f5_either_half_of_an_or_filter_is_enough() -> None:
    """What joins the tests is the tree's own word."""
    filters = about(either(asks("team", "=", "red"), asks("year", "=", 2024)))
    assert passes_fact(filters, fact(), [EpisodeSource(uuid="e2", metadata={"year": 2024})])
    assert not passes_fact(filters, fact(), [EpisodeSource(uuid="e2", metadata={"year": 2023})])


def test_f1_a_tree_inside_a_tree_counts_as_one_of_its_tests() -> None:
    """(team is red or blue) and the year is given."""
    inner = either(asks("team", "=", "red"), asks("team", "=", "blue"))
    tree = MetadataTree(joined_by="and", tests=(asks("year", "IS NOT NULL"),), trees=(inner,))
    assert tree_holds(tree, {"team": "blue", "year": 1})
    assert not tree_holds(tree, {"team": "blue"})
    assert not tree_holds(tree, {"team": "green", "year": 1})


def test_f5_an_item_without_episodes_satisfies_no_tree() -> None:
    """Not even one that asks for a missing key: there is no episode to ask."""
    filters = about(both(asks("team", "IS NULL")))
    assert not passes_fact(filters, fact())
    assert passes_fact(filters, fact(), [EpisodeSource(uuid="e1")])


@pytest.mark.parametrize(
    ("stored", "operator", "given", "holds"),
    [
        pytest.param(["a", "b"], "=", "b", True, id="F4 = holds of any element"),
        pytest.param(["a", "b"], "=", "c", False, id="F4 = needs one of them"),
        pytest.param(["a", "b"], "<>", "b", False, id="F4 <> wants no element to be it"),
        pytest.param(["a", "b"], "<>", "c", True, id="F4 <> holds when none is"),
        pytest.param(["a", "b"], "CONTAINS", ("c", "b"), True, id="F4 CONTAINS any element"),
        pytest.param([1, 9], ">", 5, True, id="F4 > holds of any element"),
        pytest.param("b", "CONTAINS", ("a", "b"), True, id="F2 CONTAINS is one of the list"),
        pytest.param("ab", "CONTAINS", ("a", "b"), False, id="F2 CONTAINS is not part of a text"),
        pytest.param(5, "CONTAINS", ("5", "6"), True, id="F2 a listed text names a number"),
        pytest.param(5.0, "CONTAINS", ("5",), True, id="F2 a whole number has no fraction"),
        pytest.param(True, "CONTAINS", ("true",), True, id="F2 a listed text names a boolean"),
        pytest.param("5", "CONTAINS", (5,), False, id="F2 a listed number is a number"),
        pytest.param("crm/calls", "STARTS WITH", "crm/", True, id="F2 STARTS WITH a beginning"),
        pytest.param("crm/", "STARTS WITH", "crm/", True, id="F2 STARTS WITH the whole text"),
        pytest.param("my crm/", "STARTS WITH", "crm/", False, id="F2 STARTS WITH is not inside"),
        pytest.param("CRM/calls", "STARTS WITH", "crm/", False, id="F2 STARTS WITH minds the case"),
        pytest.param(10, "STARTS WITH", "1", False, id="F2 STARTS WITH is of texts only"),
        pytest.param("10", "STARTS WITH", 1, False, id="F2 STARTS WITH takes a text only"),
        pytest.param(
            ["web", "crm/a"], "STARTS WITH", "crm/", True, id="F4 STARTS WITH any element"
        ),
        pytest.param(
            ["web", 5], "STARTS WITH", "crm/", False, id="F4 STARTS WITH needs one of them"
        ),
        pytest.param(None, "STARTS WITH", "crm/", False, id="F6 STARTS WITH on nothing"),
        pytest.param(None, "=", "a", False, id="F6 = on nothing"),
        pytest.param(None, "<>", "a", False, id="F6 <> on nothing is false"),
        pytest.param(None, "<", "a", False, id="F6 < on nothing"),
        pytest.param(None, "CONTAINS", ("a",), False, id="F6 CONTAINS on nothing"),
        pytest.param(None, "IS NULL", None, True, id="F6 IS NULL on nothing"),
        pytest.param(None, "IS NOT NULL", None, False, id="F6 IS NOT NULL on nothing"),
        pytest.param([], "IS NULL", None, True, id="F6 an empty list is nothing"),
        pytest.param([], "<>", "a", False, id="F6 an empty list differs from nothing"),
        pytest.param(False, "IS NULL", None, False, id="F6 false is a value"),
        pytest.param("", "IS NOT NULL", None, True, id="F6 so is an empty text"),
        pytest.param(10, ">", 9, True, id="F7 numbers are compared as numbers"),
        pytest.param(9.5, "<=", 10, True, id="F7 whole or not"),
        pytest.param("10", ">", "9", False, id="F7 texts are compared as texts"),
        pytest.param(10, ">", "9", False, id="C17 a number and a text are compared as texts"),
        pytest.param(True, ">", 0, True, id="C17 a boolean is no number: true follows 0 as text"),
        pytest.param(True, "<", 2, False, id="C17 a boolean is no number: nor is it below 2"),
        pytest.param(5, "=", 5.0, True, id="M6 5 and 5.0 are one number"),
        pytest.param(5, "=", "5", False, id="M6 a number is not a text"),
        pytest.param(1, "=", True, False, id="M6 one is not true"),
        pytest.param(True, "=", True, True, id="M6 true is true"),
        pytest.param("5", "<>", 5, True, id="M6 a text differs from a number"),
        pytest.param({"a": 1}, "IS NOT NULL", None, True, id="an object is a value"),
        pytest.param({"a": 1}, "<>", "a", True, id="that equals no scalar"),
        pytest.param({"a": 1}, "<", "z", False, id="and has no place in any order"),
    ],
)
def test_one_value(stored: Any, operator: Any, given: Any, holds: bool) -> None:
    """The table of operators."""
    assert values_hold([asks("key", operator, given)], {"key": stored, "other": "a"}) is holds


def test_f6_an_absent_key_is_like_a_null() -> None:
    """Only asking for nothing finds it."""
    assert values_hold([asks("key", "IS NULL")], {})
    assert not values_hold([asks("key", "<>", "a")], {})


def test_q11_types_are_chosen_and_excluded() -> None:
    """Any of the listed, and none of the excluded even when listed."""
    assert passes_fact(Filters(edge_types=("LIKES", "WORKS_AT")), fact())
    assert not passes_fact(Filters(edge_types=("LIKES",)), fact())
    assert not passes_fact(Filters(exclude_edge_types=("WORKS_AT",)), fact())
    listed_and_excluded = Filters(edge_types=("WORKS_AT",), exclude_edge_types=("WORKS_AT",))
    assert not passes_fact(listed_and_excluded, fact())


def test_q11_labels_of_an_entity_are_chosen_and_excluded() -> None:
    """Any of the listed, and none of the excluded even when listed."""
    assert passes_entity(Filters(node_labels=("Company", "Person")), entity())
    assert not passes_entity(Filters(node_labels=("Company",)), entity())
    assert not passes_entity(
        Filters(node_labels=("Entity",), exclude_node_labels=("Person",)), entity()
    )


def test_q11_either_end_of_a_fact_must_carry_a_listed_label() -> None:
    """The source counts as much as the target."""
    assert passes_fact(Filters(node_labels=("Person", "Company")), fact())
    assert passes_fact(Filters(node_labels=("Person",)), fact())
    assert passes_fact(Filters(node_labels=("Company",)), fact())
    assert not passes_fact(Filters(node_labels=("Place",)), fact())


@pytest.mark.parametrize("label", ["Person", "Company"])
def test_q11_neither_end_of_a_fact_may_carry_an_excluded_label(label: str) -> None:
    """The source counts as much as the target."""
    assert not passes_fact(Filters(exclude_node_labels=(label,)), fact())


@pytest.mark.parametrize(
    ("operator", "moment", "stored", "holds"),
    [
        ("=", day(1), day(1), True),
        ("=", day(1), day(2), False),
        ("<>", day(1), day(2), True),
        ("<>", day(1), day(1), False),
        (">", day(1), day(2), True),
        (">", day(1), day(1), False),
        (">=", day(1), day(1), True),
        ("<", day(2), day(1), True),
        ("<", day(1), day(1), False),
        ("<=", day(1), day(1), True),
        ("=", day(1), None, False),
        ("<>", day(1), None, False),
        ("<", day(1), None, False),
        (">", day(1), None, False),
        ("IS NULL", None, None, True),
        ("IS NULL", None, day(1), False),
        ("IS NOT NULL", None, day(1), True),
        ("IS NOT NULL", None, None, False),
    ],
)
@pytest.mark.parametrize("field", ["valid_at", "invalid_at", "expired_at"])
def test_q12_one_date(
    field: str, operator: Any, moment: datetime, stored: datetime | None, holds: bool
) -> None:
    """A missing date is only found by asking for none."""
    test = DateTest(operator=operator, moment=moment)
    filters = Filters(**{field: ((test,),)})  # type: ignore[arg-type]
    assert passes_fact(filters, fact(**{field: stored})) is holds


def test_q12_the_outer_list_is_any_and_the_inner_one_all() -> None:
    """From day 1 to day 2, or after day 5; groups do not lend each other their dates."""
    span = (DateTest(operator=">=", moment=day(1)), DateTest(operator="<=", moment=day(2)))
    filters = Filters(created_at=(span, (DateTest(operator=">", moment=day(5)),)))
    assert passes_fact(filters, fact(created_at=day(1)))
    assert not passes_fact(filters, fact(created_at=day(3)))
    assert passes_fact(filters, fact(created_at=day(6)))


def test_q12_dates_and_ratings_do_not_narrow_entities_and_episodes() -> None:
    """They speak of facts, as do types, fact anchors and both clocks."""
    filters = Filters(
        created_at=((DateTest(operator=">", moment=day(5)),),),
        edge_types=("LIKES",),
        exclude_edge_types=("WORKS_AT",),
        edge_uuids=(),
        source_node_uuids=(),
        target_node_uuids=(),
        connected_node_uuids=(),
        rating_min=1.0,
        valid_on=day(-1),
        known_on=day(-1),
    )
    assert passes_entity(filters, entity())
    assert passes_episode(filters, episode())
    assert not passes_fact(filters, fact())


def test_q13_every_property_must_hold_of_the_attributes() -> None:
    """Of a fact or an entity; without attributes every value is missing."""
    filters = Filters(properties=(asks("role", "=", "cook"), asks("grade", ">", 2)))
    for passes, item in ((passes_fact, fact), (passes_entity, entity)):
        assert passes(filters, item(attributes={"role": "cook", "grade": 3}))  # type: ignore[arg-type]
        assert not passes(filters, item(attributes={"role": "cook", "grade": 1}))  # type: ignore[arg-type]
        assert not passes(filters, item())  # type: ignore[arg-type]
        assert passes(Filters(properties=(asks("role", "IS NULL"),)), item())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "fitting", "other"),
    [
        ("edge_uuids", "f1", "f2"),
        ("source_node_uuids", "ann", "acme"),
        ("target_node_uuids", "acme", "ann"),
        ("connected_node_uuids", "ann", "bob"),
        ("connected_node_uuids", "acme", "bob"),
        ("episode_uuids", "e1", "e2"),
    ],
)
def test_q14_anchors_narrow_facts(field: str, fitting: str, other: str) -> None:
    """Any of the listed; an unknown one matches nothing, and neither does an empty list."""
    evidence = [EpisodeSource(uuid="e0"), EpisodeSource(uuid="e1")]

    def passes(uuids: tuple[str, ...] | None) -> bool:
        return passes_fact(Filters(**{field: uuids}), fact(), evidence)  # type: ignore[arg-type]

    assert passes((other, fitting))
    assert not passes((other,))
    assert not passes(())
    assert passes(None)


def test_q14_anchors_of_different_kinds_hold_together() -> None:
    """The source fits, the target does not."""
    assert not passes_fact(Filters(source_node_uuids=("ann",), target_node_uuids=("bob",)), fact())


def test_q14_episode_anchors_narrow_entities_and_episodes() -> None:
    """An entity by its episodes, an episode by itself."""
    filters = Filters(episode_uuids=("e1",))
    assert passes_entity(filters, entity(), [EpisodeSource(uuid="e0"), EpisodeSource(uuid="e1")])
    assert not passes_entity(filters, entity(), [EpisodeSource(uuid="e0")])
    assert passes_episode(filters, episode())
    assert not passes_episode(filters, episode(uuid="e2"))


def test_an_anchor_and_a_tree_may_be_met_by_different_episodes() -> None:
    """Each is a filter of its own, and filters hold together of the item."""
    filters = Filters(episode_uuids=("e1",), episode_metadata=both(asks("team", "=", "red")))
    evidence = [EpisodeSource(uuid="e1"), EpisodeSource(uuid="e2", metadata={"team": "red"})]
    assert passes_fact(filters, fact(), evidence)


def test_f5_an_episode_is_asked_for_its_own_metadata() -> None:
    """One without any has every key missing."""
    assert passes_episode(about(both(asks("a", "=", 1))), episode(metadata={"a": [1, 2]}))
    assert not passes_episode(about(both(asks("a", "=", 1))), episode())
    assert passes_episode(about(both(asks("a", "IS NULL"))), episode())


def test_q18_facts_below_the_rating_are_dropped_and_unrated_ones_kept() -> None:
    """At the mark is not below it."""
    filters = Filters(rating_min=0.5)
    assert passes_fact(filters, fact(rating=0.5))
    assert not passes_fact(filters, fact(rating=0.49))
    assert passes_fact(filters, fact(rating=None))


@pytest.mark.parametrize(
    ("moment", "start", "end", "holds"),
    [
        (1, 1, 2, True),
        (2, 1, 2, False),
        (0, 1, 2, False),
        (0, None, 2, True),
        (9, 1, None, True),
        (9, None, None, True),
    ],
)
def test_t8_true_then_is_from_its_start_until_before_its_end(
    moment: int, start: int | None, end: int | None, holds: bool
) -> None:
    """Either end may be open."""
    span = fact(
        valid_at=None if start is None else day(start), invalid_at=None if end is None else day(end)
    )
    assert stands_at(span, valid_on=day(moment)) is holds
    assert passes_fact(Filters(valid_on=day(moment)), span) is holds


@pytest.mark.parametrize(("moment", "holds"), [(0, False), (1, True), (2, False)])
def test_t8_known_then_is_from_learning_it_until_learning_better(moment: int, holds: bool) -> None:
    """The other clock, by itself."""
    span = fact(created_at=day(1), expired_at=day(2), valid_at=day(-9), invalid_at=day(-8))
    assert passes_fact(Filters(known_on=day(moment)), span) is holds


@pytest.mark.parametrize(
    ("valid", "known", "told"),
    [
        (3, 2, False),  # nobody knew of it yet
        (3, 6, True),  # it held, as far as was known
        (7, 6, True),  # that it had ended at 5 was learned at 8 only
        (7, 8, False),
        (3, 9, True),  # known to have ended, and to have been true before
        (0, 9, False),
    ],
)
def test_both_clocks_ask_what_would_have_been_said(valid: int, known: int, told: bool) -> None:
    """True from 1 to 5; learned at 4, its end at 8."""
    span = fact(valid_at=day(1), invalid_at=day(5), created_at=day(4), expired_at=day(8))
    asked = Filters(valid_on=day(valid), known_on=day(known))
    assert passes_fact(asked, span) is told
    assert stands_at(span, valid_on=day(valid), known_on=day(known)) is told


def test_no_filters_let_everything_by() -> None:
    """And ask for no evidence."""
    assert passes_fact(NO_FILTERS, fact())
    assert passes_entity(NO_FILTERS, entity())
    assert passes_episode(NO_FILTERS, episode())
    assert not needs_evidence(NO_FILTERS)
    assert needs_evidence(Filters(episode_uuids=()))
    assert needs_evidence(about(both(asks("a", "IS NULL"))))
