"""From what was found to what changes: entities, restated facts, triples that callers write."""

from typing import Any

import pytest

from recollect.graph.delta import KnownEntity
from recollect.graph.found import FoundEntity, FoundFact
from recollect.graph.predicates import load
from tests.unit.graph.world import World, day, fact, said


def add(world: World, **values: Any) -> KnownEntity:
    """Put an entity into a graph."""
    values.setdefault("names", (values["name"],))
    entity = KnownEntity(uuid=next(world.ids), **values)
    world.entities[entity.uuid] = entity
    return entity


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=1),
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=5),
            id="G13 verbatim",
        ),
        pytest.param(
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=1),
            fact("Ann", "LIKES", "tea", "Ann really enjoys tea", at=5),
            id="other words for the relation",
        ),
        pytest.param(
            fact("Ann", "WORKS_AT", "Acme", "Ann works at Acme", at=1),
            fact("Ann", "JOINED", "Acme", "Ann joined Acme", at=5),
            id="another name of the relation",
        ),
        pytest.param(
            fact("Ann", "VISITED", "Rome", "Ann visited Rome with Bob", at=1),
            fact("Ann", "VISITED", "Rome", "Ann visited Rome", at=5),
            id="with less detail",
        ),
        pytest.param(
            fact("Ann", "KNOWS", "Bob", "Ann knows Bob", at=1),
            fact("Bob", "KNOWS", "Ann", "Bob knows Ann", at=5),
            id="a symmetric relation, the other way round",
        ),
        pytest.param(
            fact("Ann", "SWIMS", None, "Ann swims every day", at=1),
            fact("Ann", "SWIMS", None, "Every day Ann is swimming", at=5),
            id="without a target, the same gist",
        ),
        pytest.param(
            fact("Ann", "LIKES", "tea", "Ann does not like tea", at=1, negated=True),
            fact("Ann", "LIKES", "tea", "Ann doesn't love tea", at=5, negated=True),
            id="a denial",
        ),
        pytest.param(
            fact("Ann", "LEFT", "Acme", "Ann left Acme", at=1, ends=True),
            fact("Ann", "LEFT", "Acme", "Ann was leaving Acme", at=5),
            id="an end",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=5),
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=2),
            id="heard late, of an earlier day",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Rome", "Ann lived in Rome", at=1, until=5),
            fact("Ann", "LIVES_IN", "Rome", "Ann lived in Rome", at=3),
            id="of a time when it held",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Rome", "Ann lived in Rome", at=1, until=5),
            fact("Ann", "LIVES_IN", "Rome", "Ann lived in Rome", at=5),
            id="of the very time it ended",
        ),
    ],
)
def test_what_is_said_again_gains_the_episode_and_keeps_its_times(
    first: FoundFact, second: FoundFact
) -> None:
    """G14: a restated fact."""
    world = World()
    world.hear(said(first))
    before = dict(world.facts)
    delta = world.hear(said(second))
    assert delta.new_facts == delta.closed_facts == ()
    assert [item.role for item in delta.supports] == ["restates"]
    assert world.facts == before


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            fact("Ann", "OWNS", "dogs", "Ann has 2 dogs", at=1),
            fact("Ann", "OWNS", "dogs", "Ann has 3 dogs", at=5),
            id="G14 numbers",
        ),
        pytest.param(
            fact("Ann", "MET", "Bob", "Ann met Bob on 5 May", at=1),
            fact("Ann", "MET", "Bob", "Ann met Bob on 6 May", at=5),
            id="G14 dates",
        ),
        pytest.param(
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=1),
            fact("Ann", "LIKES", "tea", "Ann likes tea with milk", at=5),
            id="G14 qualifiers",
        ),
        pytest.param(
            fact("Ann", "VISITED", "Rome", "Ann visited Rome", at=1, dated=True),
            fact("Ann", "VISITED", "Rome", "Ann visited Rome", at=5, dated=True),
            id="events of two days",
        ),
        pytest.param(
            fact("Ann", "RAN", "race", "Ann ran the race yesterday", at=1, dated=True),
            fact("Ann", "RAN", "race", "Ann ran the race yesterday", at=5, dated=True),
            id="dates of an open relation",
        ),
        pytest.param(
            fact("Ann", "LIKES", "Bob", "Ann likes Bob", at=1),
            fact("Bob", "LIKES", "Ann", "Bob likes Ann", at=5),
            id="the other way round",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Rome", "Ann lived in Rome", at=1, until=3),
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=5),
            id="it holds again",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=5),
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=1, dated=True),
            id="it began earlier",
        ),
        pytest.param(
            fact("Ann", "HAS", "5", "Ann has 5", at=1, slot="home"),
            fact("Ann", "HAS", "5", "Ann has 5", at=5, slot="work"),
            id="another slot",
        ),
    ],
)
def test_what_says_more_is_another_fact(first: FoundFact, second: FoundFact) -> None:
    """And both stand."""
    world = World()
    world.hear(said(first))
    before = dict(world.facts)
    delta = world.hear(said(second))
    assert len(delta.new_facts) == 1
    assert world.facts.items() >= before.items()


def test_a_fact_told_twice_in_one_episode_is_one() -> None:
    """G11."""
    world = World()
    delta = world.hear(
        said(
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=1),
            fact("Ann", "LIKES", "tea", "Ann likes tea!", at=1),
        )
    )
    assert [item.role for item in delta.supports] == ["states"]
    assert len(delta.new_facts) == 1


def test_a_restated_fact_learns_its_end() -> None:
    """A stated end is news, the beginning is not."""
    world = World()
    world.hear(said(fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=1)))
    delta = world.hear(said(fact("Ann", "LIVES_IN", "Rome", "Ann lived in Rome", at=2, until=5)))
    assert world.spans() == [("Ann lives in Rome", 1, 5)]
    assert [item.role for item in delta.supports] == ["closes"]
    assert delta.new_facts == ()


def test_leaving_again_is_another_event() -> None:
    """An end that ends something which began since is no restatement."""
    world = World()
    for at, predicate in enumerate(["WORKS_AT", "LEFT", "WORKS_AT", "LEFT", "LEFT"]):
        text = {"WORKS_AT": "Ann works at Acme", "LEFT": "Ann left Acme"}[predicate]
        world.hear(said(fact("Ann", predicate, "Acme", text, at=at)), at=at)
    assert world.spans() == [
        ("Ann works at Acme", 0, 1),
        ("Ann left Acme", 1, None),
        ("Ann works at Acme", 2, 3),
        ("Ann left Acme", 3, None),
    ]


def test_an_old_value_between_two_others_is_a_fact_of_its_own() -> None:
    """Rome, Oslo, Rome: heard last, the first Rome is not the second."""
    world = World()
    for at, place in ((5, "Oslo"), (8, "Rome"), (2, "Rome")):
        world.hear(said(fact("Ann", "LIVES_IN", place, f"Ann lives in {place}", at=at)), at=at)
    assert sorted(world.spans()) == [
        ("Ann lives in Oslo", 5, 8),
        ("Ann lives in Rome", 2, 5),
        ("Ann lives in Rome", 8, None),
    ]


def test_a_fact_of_one_entity_is_kept() -> None:
    """I15, C18."""
    world = World()
    (new,) = world.hear(said(fact("Ann", "SWIMS", None, "Ann swims"))).new_facts
    assert new.source == new.target == world.entity("Ann").uuid


def test_entities_of_one_episode_become_one_with_the_better_type_and_name() -> None:
    """G3."""
    world = World()
    delta = world.hear(
        said(
            FoundEntity(name="Acme", label="Company", attributes={"size": 5}),
            FoundEntity(name="ACME Corp", kind="organization", aliases=("acme@acme.com",)),
            fact("Acme", "LIKES", "ACME Corp", "Acme likes itself"),
        )
    )
    (entity,) = delta.new_entities
    assert entity.name == "ACME Corp"
    assert entity.names == ("ACME Corp", "acme@acme.com")
    assert entity.labels == ("Entity", "Company")
    assert (entity.kind, entity.attributes) == ("organization", {"size": 5})
    assert delta.mentions == (entity.uuid,)


def test_a_generic_entity_takes_a_type_and_never_a_second_one() -> None:
    """G9, Z8, O6."""
    world = World()
    labels = []
    for label in (None, "Company", "Place", "Entity"):
        world.hear(said(FoundEntity(name="Acme", label=label)))
        labels.append(world.entity("Acme").labels)
    assert labels == [("Entity",), *[("Entity", "Company")] * 3]


def test_a_type_that_rests_on_a_wrong_guess_is_not_taken() -> None:
    """Nor does a guess come before what is told in the same episode."""
    world = World()
    add(world, name="Biscuit", kind="animal")
    guess = FoundEntity(name="Biscuit", kind="organization", label="Organization", guessed=True)
    world.hear(said(guess))
    assert world.entity("Biscuit").labels == ("Entity",)
    assert world.entity("Biscuit").kind == "animal"


def test_attributes_are_laid_over_those_known() -> None:
    """G15: what is null changes nothing."""
    world = World()
    world.hear(said(FoundEntity(name="Acme", attributes={"size": 5, "city": "Rome"})))
    world.hear(said(FoundEntity(name="Acme", attributes={"size": 6, "city": None, "old": True})))
    assert world.entity("Acme").attributes == {"size": 6, "city": "Rome", "old": True}


def test_an_entity_answers_to_its_new_names() -> None:
    """An e-mail address that is told once finds the entity ever after."""
    world = World()
    world.hear(said(FoundEntity(name="Jane Smith", kind="person")))
    world.hear(said(FoundEntity(name="Jane Smith", aliases=("jane@x.org",), kind="person")))
    delta = world.hear(said(FoundEntity(name="JANE@x.org")))
    assert delta.new_entities == delta.changed_entities == ()
    assert delta.mentions == (world.entity("Jane Smith").uuid,)


def test_a_first_name_does_not_become_an_alias() -> None:
    """As soon as there are two Janes, "Jane" is neither."""
    world = World()
    for name in ("Jane Smith", "Jane", "Jane Doe", "Jane", "Jane"):
        world.hear(said(FoundEntity(name=name, kind="person")))
    assert [item.name for item in world.entities.values()] == ["Jane Smith", "Jane Doe", "Jane"]


def test_an_alias_that_another_entity_has_stays_with_it() -> None:
    """A wrong alias does not make two entities answer to one name."""
    world = World()
    world.hear(said(FoundEntity(name="Bob Roe", kind="person", aliases=("b@x.org",))))
    world.hear(said(FoundEntity(name="Ann Lee", kind="person")))
    world.hear(said(FoundEntity(name="Ann Lee", kind="person", aliases=("Bob Roe", "ann"))))
    assert world.entity("Ann Lee").names == ("Ann Lee",)


def test_a_person_becomes_known_by_the_fuller_name_if_told_so() -> None:
    """By an alias; and the user's node is never renamed."""
    world = World()
    world.hear(said(FoundEntity(name="Jane", kind="person", aliases=("jane@x.org",))))
    world.hear(said(FoundEntity(name="Jane Smith", kind="person", aliases=("jane@x.org",))))
    assert world.entity("Jane Smith").names == ("Jane", "jane@x.org", "Jane Smith")
    user = add(world, name="Emily", kind="person", who="user", labels=("Entity", "User"))
    world.hear(said(FoundEntity(name="Emily Painter", who="user", aliases=("Emily Painter",))))
    assert world.entities[user.uuid].name == "Emily"
    assert world.entities[user.uuid].names == ("Emily", "Emily Painter")


def test_what_the_user_is_called_in_a_text_is_no_name() -> None:
    """Such as I or the user."""
    world = World()
    user = add(world, name="Emily Painter", kind="person", who="user")
    delta = world.hear(said(FoundEntity(name="I", who="user")))
    assert delta.mentions == (user.uuid,)
    assert delta.changed_entities == ()


def test_summaries_follow_the_facts_of_both_ends() -> None:
    """Also of an entity that the closing episode does not mention."""
    world = World()
    world.hear(said(fact("Ann", "WORKS_AT", "Acme", "Ann works at Acme", at=1)))
    assert world.entity("Acme").summary == "Ann works at Acme."
    world.hear(said(fact("Ann", "QUIT", None, "Ann quit her job", at=5, ends=True)))
    assert world.entity("Ann").summary == "Ann quit her job."
    assert world.entity("Acme").summary == ""


def test_a_fact_that_is_over_does_not_enter_the_summary() -> None:
    """Only what holds."""
    world = World()
    world.hear(said(fact("Ann", "LIVES_IN", "Rome", "Ann lived in Rome", at=1, until=3)))
    assert world.entity("Ann").summary == ""


def test_a_triple_merges_into_its_nodes() -> None:
    """I12: attributes merged, a given summary replaces, one type at most."""
    world = World()
    known = add(world, name="Acme", summary="Old.", attributes={"a": 1}, labels=("Entity", "Org"))
    delta = world.hear(
        said(
            FoundEntity(
                name="Acme", uuid=known.uuid, summary="New.", attributes={"b": 2}, label="Firm"
            ),
            fact("Acme", "LIKES", "tea", "Acme likes tea", uuid="wanted", rating=0.5),
        )
    )
    after = world.entities[known.uuid]
    assert (after.summary, after.attributes) == ("New.", {"a": 1, "b": 2})
    assert after.labels == ("Entity", "Org")
    (new,) = delta.new_facts
    assert (new.uuid, new.rating, new.found) == ("wanted", 0.5, 0)
    world.hear(said(FoundEntity(name="Acme", uuid=known.uuid, summary="")))
    assert world.entities[known.uuid].summary == "New."


def test_a_uuid_that_is_taken_by_another_fact_is_not_used_again() -> None:
    """I12."""
    world = World()
    world.hear(said(fact("Ann", "LIKES", "tea", uuid="taken")))
    (new,) = world.hear(said(fact("Bob", "OWNS", "car", uuid="taken"))).new_facts
    assert new.uuid != "taken"
    assert len(world.facts) == 2


def test_a_caller_may_say_when_a_fact_was_found_to_be_wrong() -> None:
    """I11: and to say it twice adds nothing."""
    world = World()
    found = said(fact("Ann", "LIKES", "tea", at=1, expired_at=day(4)))
    (new,) = world.hear(found).new_facts
    assert (new.invalid_at, new.expired_at) == (None, day(4))
    assert world.hear(found).new_facts == ()


def test_a_new_node_may_have_the_uuid_that_a_caller_gave_it() -> None:
    """Nodes that are added directly."""
    world = World()
    found = said(FoundEntity(name="Ann", uuid="mine"), FoundEntity(name="Ann Lee", uuid="other"))
    assert [item.uuid for item in world.hear(found).new_entities] == ["mine", "other"]
    assert world.hear(found).new_entities == ()


def test_kendra_changes_her_mind_about_shoes() -> None:
    """With the table that comes with the program: the old love ends, two facts are new."""
    world = World(load())
    world.hear(said(fact("Kendra", "LIKES", "Adidas shoes", "Kendra loves Adidas shoes", at=1)))
    world.hear(
        said(
            fact("Adidas shoes", "BROKE", None, "Kendra's Adidas shoes broke", at=5),
            fact("Kendra", "PREFERS", "Puma shoes", "Kendra prefers Puma shoes now", at=5),
            people=("Kendra",),
        ),
        at=5,
    )
    assert world.spans() == [
        ("Kendra loves Adidas shoes", 1, 5),
        ("Kendra's Adidas shoes broke", 5, None),
        ("Kendra prefers Puma shoes now", 5, None),
    ]


def test_an_episode_that_says_nothing_changes_nothing() -> None:
    """Not even an empty write."""
    delta = World().hear(said())
    assert all(not getattr(delta, field) for field in delta.__struct_fields__)
