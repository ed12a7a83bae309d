"""What closes what, and when: the rules T1 to T9, table by table."""

import pytest

from recollect.graph.found import FoundFact
from tests.unit.graph.world import NOW, World, day, fact, said


def told(*episodes: tuple[float, FoundFact]) -> World:
    """A world that heard one fact after the other."""
    world = World()
    for at, item in episodes:
        world.hear(said(item), at=at)
    return world


@pytest.mark.parametrize(
    ("first", "second", "spans"),
    [
        pytest.param(
            fact("Ann", "LIVES_IN", "Paris", "Ann lives in Paris", at=1),
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=5),
            [("Ann lives in Paris", 1, 5), ("Ann lives in Rome", 5, None)],
            id="T5 a single relation closes its predecessor",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Paris", "Ann lives in Paris", at=1, until=3),
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=5),
            [("Ann lives in Paris", 1, 3), ("Ann lives in Rome", 5, None)],
            id="T4 disjoint times do not touch",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Paris", "Ann lives in Paris", at=5),
            fact("Ann", "LIVES_IN", "Rome", "Ann lived in Rome", at=1, until=3),
            [("Ann lives in Paris", 5, None), ("Ann lived in Rome", 1, 3)],
            id="T4 nor do they the other way round",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Paris", "Ann lives in Paris", at=5),
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=1),
            [("Ann lives in Paris", 5, None), ("Ann lives in Rome", 1, 5)],
            id="T6 an older fact that comes late is born closed",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Paris", "Ann lives in Paris", at=5),
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=5),
            [("Ann lives in Paris", 5, None), ("Ann lives in Rome", 5, None)],
            id="T7 equal times decide nothing",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Paris", "Ann lives in Paris", at=None),
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=5),
            [("Ann lives in Paris", None, None), ("Ann lives in Rome", 5, None)],
            id="T7 unknown times decide nothing",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Paris", "Ann lives in Paris", at=5),
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=None),
            [("Ann lives in Paris", 5, None), ("Ann lives in Rome", None, None)],
            id="T7 not even for the new one",
        ),
        pytest.param(
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=1),
            fact("Ann", "LIKES", "jam", "Ann likes jam", at=5),
            [("Ann likes tea", 1, None), ("Ann likes jam", 5, None)],
            id="a relation that is not single coexists",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Paris", "Ann lives in Paris", at=1),
            fact("Bob", "LIVES_IN", "Rome", "Bob lives in Rome", at=5),
            [("Ann lives in Paris", 1, None), ("Bob lives in Rome", 5, None)],
            id="another owner does not matter",
        ),
        pytest.param(
            fact("Ann", "AGE", None, "Ann is 30 years old", at=1),
            fact("Ann", "AGE", None, "Ann is 31 years old", at=5),
            [("Ann is 30 years old", 1, 5), ("Ann is 31 years old", 5, None)],
            id="a single relation without a target has another value",
        ),
        pytest.param(
            fact("Ann", "MARRIED_TO", "Tom", "Ann is married to Tom", at=1),
            fact("Ann", "MARRIED_TO", None, "Ann is married", at=5),
            [("Ann is married to Tom", 1, None), ("Ann is married", 5, None)],
            id="less detail is no contradiction",
        ),
        pytest.param(
            fact("Ann", "MARRIED_TO", "Tom", "Ann is married to Tom", at=1),
            fact("Eve", "MARRIED_TO", "Tom", "Eve is married to Tom", at=5),
            [("Ann is married to Tom", 1, 5), ("Eve is married to Tom", 5, None)],
            id="a symmetric single relation is single on both sides",
        ),
        pytest.param(
            fact("Ann", "WORKS_AS", "cook", "Ann works as a cook", at=1),
            fact("Ann", "PROMOTED", "chef", "Ann was promoted to chef", at=5),
            [("Ann works as a cook", 1, 5), ("Ann was promoted to chef", 5, None)],
            id="one relation replaces another",
        ),
        pytest.param(
            fact("Ann", "PROMOTED", "chef", "Ann was promoted to chef", at=5),
            fact("Ann", "WORKS_AS", "cook", "Ann works as a cook", at=1),
            [("Ann was promoted to chef", 5, None), ("Ann works as a cook", 1, 5)],
            id="T6 what is replaced comes late",
        ),
        pytest.param(
            fact("Ann", "PREFERS", "Puma shoes", "Ann prefers Puma shoes", at=5),
            fact("Ann", "LIKES", "Adidas shoes", "Ann loves Adidas shoes", at=1),
            [("Ann prefers Puma shoes", 5, None), ("Ann loves Adidas shoes", 1, 5)],
            id="T6 so does what has a rival",
        ),
    ],
)
def test_the_later_of_two_facts_wins_whichever_comes_first(
    first: FoundFact, second: FoundFact, spans: list[tuple[str, float | None, float | None]]
) -> None:
    """Plain contradictions."""
    assert told((9, first), (9, second)).spans() == spans


@pytest.mark.parametrize(
    ("first", "second", "end"),
    [
        pytest.param(
            fact("Ann", "WORKS_AT", "Acme", "Ann works at Acme", at=1),
            fact("Ann", "WORKS_AT", "Acme", "Ann no longer works at Acme", at=5, ends=True),
            5,
            id="a stated end closes what it names",
        ),
        pytest.param(
            fact("Ann", "WORKS_AT", "Acme", "Ann works at Acme", at=1),
            fact("Ann", "WORKS_AT", "Acme", "Ann no longer works at Acme", at=None, ends=True),
            9,
            id="T7 an undated end counts from the episode's time",
        ),
        pytest.param(
            fact("Ann", "WORKS_AT", "Acme", "Ann works at Acme", at=None),
            fact("Ann", "LEFT", "Acme", "Ann left Acme", at=5),
            5,
            id="an ending relation closes, also what began at an unknown time",
        ),
        pytest.param(
            fact("Ann", "WORKS_AT", "Acme", "Ann works at Acme", at=1),
            fact("Ann", "LEFT", "Globex", "Ann left Globex", at=5),
            None,
            id="but only what it names",
        ),
        pytest.param(
            fact("Ann", "WORKS_AT", "Acme", "Ann works at Acme", at=1),
            fact("Ann", "LEFT", "Acme", "Ann did not leave Acme", at=5, negated=True),
            None,
            id="an end that did not happen ends nothing",
        ),
        pytest.param(
            fact("Ann", "WORKS_AT", "Acme", "Ann works at Acme", at=1),
            fact("Ann", "QUIT", None, "Ann quit her job", at=5, ends=True),
            5,
            id="an end without a target ends the only one of its kind",
        ),
        pytest.param(
            fact("Ann", "WORKS_AT", "Acme", "Ann works at Acme", at=1),
            fact("Ann", "LEFT", None, "Ann left early", at=5, ends=True),
            None,
            id="one that could mean many things ends none of them",
        ),
        pytest.param(
            fact("Tom", "MARRIED_TO", "Ann", "Tom is married to Ann", at=1),
            fact("Ann", "DIVORCED", None, "Ann got divorced", at=5, ends=True),
            5,
            id="on either side of a symmetric relation",
        ),
        pytest.param(
            fact("Tom", "MARRIED_TO", "Ann", "Tom is married to Ann", at=1),
            fact("Ann", "DIVORCED", "Tom", "Ann divorced Tom", at=5),
            5,
            id="and when both are named the other way round",
        ),
        pytest.param(
            fact("Ann", "OWNS", "car", "Ann owns a car", at=1),
            fact("Ann", "SOLD", "car", "Ann sold the car", at=5),
            5,
            id="what is sold is owned no longer",
        ),
        pytest.param(
            fact("Ann", "OWNS", "car", "Ann owns a car", at=1),
            fact("Ann", "SOLD", None, "Ann sold some books", at=5, ends=True),
            None,
            id="an end without a target does not end one of many",
        ),
        pytest.param(
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=1),
            fact("Ann", "LIKES", "tea", "Ann does not like tea", at=5, negated=True),
            5,
            id="a denial closes what it denies",
        ),
        pytest.param(
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=5),
            fact("Ann", "LIKES", "tea", "Ann does not like tea", at=5, negated=True),
            5,
            id="a denial closes at an equal time, too",
        ),
        pytest.param(
            fact("Ann", "LIKES", "tea", "Ann does not like tea", at=1, negated=True),
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=5),
            5,
            id="the positive closes the denial",
        ),
        pytest.param(
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=1),
            fact("Ann", "DISLIKES", "tea", "Ann hates tea", at=5),
            5,
            id="hating ends liking",
        ),
        pytest.param(
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=1),
            fact("Ann", "DISLIKES", "tea", "Ann no longer hates tea", at=5, ends=True),
            None,
            id="the end of hating does not",
        ),
        pytest.param(
            fact("Ann", "RUNS", None, "Ann runs every morning", at=1),
            fact("Ann", "RUNS", None, "Ann stopped running", at=5, ends=True),
            5,
            id="stopping closes what has no target",
        ),
        pytest.param(
            fact("Ann", "BE", None, "Ann is tall", at=1),
            fact("Ann", "BE", None, "Ann is no longer tired", at=5, ends=True, negated=True),
            None,
            id="and leaves other things alone",
        ),
        pytest.param(
            fact("Ann", "SMOKES", None, "Ann smokes", at=1),
            fact("Ann", "SMOKES", None, "Ann does not smoke", at=5, negated=True),
            5,
            id="a denial of the same words closes what has no target",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Paris", "Ann lives in Paris", at=5),
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=5, corrects=True),
            5,
            id="a correction closes at an equal time",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Paris", "Ann lives in Paris", at=5),
            fact("Ann", "LIVES_IN", "Rome", "Ann lives in Rome", at=3, corrects=True),
            5,
            id="what is corrected by an earlier date was never true",
        ),
        pytest.param(
            fact("Ann", "OWNS", "dogs", "Ann has 2 dogs", at=1),
            fact("Ann", "OWNS", "dogs", "Ann has 3 dogs", at=5, corrects=True),
            5,
            id="a correction of a detail",
        ),
        pytest.param(
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=1),
            fact("Ann", "LIKES", "jam", "Actually Ann likes jam", at=5, corrects=True),
            None,
            id="a correction does not touch another of many",
        ),
        pytest.param(
            fact("Ann", "LIKES", "Adidas shoes", "Ann loves Adidas shoes", at=1),
            fact("Ann", "PREFERS", "Puma shoes", "Ann prefers Puma shoes now", at=5),
            5,
            id="what is preferred takes the place of its own sort",
        ),
        pytest.param(
            fact("Ann", "LIKES", "green tea", "Ann loves green tea", at=1),
            fact("Ann", "PREFERS", "Puma shoes", "Ann prefers Puma shoes now", at=5),
            None,
            id="and of no other sort",
        ),
    ],
)
def test_what_says_that_something_ended_closes_it(
    first: FoundFact, second: FoundFact, end: float | None
) -> None:
    """Firm contradictions: denials, ends, corrections."""
    world = told((9, first), (9, second))
    assert len(world.facts) == 2
    assert world.spans()[0][2] == end
    assert world.spans()[1][2] is None


@pytest.mark.parametrize(
    ("first", "second", "end"),
    [
        (
            fact("Ann", "LEFT", "Acme", "Ann left Acme", at=5),
            fact("Ann", "WORKS_AT", "Acme", "Ann worked at Acme", at=1),
            5,
        ),
        (
            fact("Ann", "WORKS_AT", "Acme", "Ann no longer works at Acme", at=5, ends=True),
            fact("Ann", "WORKS_AT", "Acme", "Ann worked at Acme", at=1),
            5,
        ),
        (
            fact("Ann", "DIVORCED", None, "Ann got divorced", at=5, ends=True),
            fact("Ann", "MARRIED_TO", "Tom", "Ann married Tom", at=1),
            5,
        ),
        (
            fact("Ann", "LIKES", "tea", "Ann does not like tea", at=5, negated=True),
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=1),
            5,
        ),
        (
            fact("Ann", "LEFT", "Acme", "Ann left Acme", at=5),
            fact("Ann", "WORKS_AT", "Acme", "Ann works at Acme", at=8),
            None,
        ),
    ],
)
def test_an_end_that_is_known_closes_what_began_before_it(
    first: FoundFact, second: FoundFact, end: float | None
) -> None:
    """T6 for ends: the order of arrival does not matter, the order of events does."""
    assert told((9, first), (9, second)).spans()[1][2] == end


def test_a_stated_end_in_the_past_is_known_to_be_over() -> None:
    """T3: it is set even if nothing else is known."""
    world = World()
    (new,) = world.hear(said(fact("Ann", "LIVES_IN", "Rome", at=1, until=3))).new_facts
    assert (new.invalid_at, new.expired_at) == (day(3), new.created_at)


def test_a_stated_end_in_the_future_is_not_over_yet() -> None:
    """T3 and the two clocks: it has not been learned to be false."""
    world = World()
    found = said(fact("Ann", "LIVES_IN", "Rome", at=1, until=30))
    (new,) = world.hear(found, now=day(2)).new_facts
    assert (new.invalid_at, new.expired_at) == (day(30), None)


def test_what_a_plan_will_close_is_known_until_then() -> None:
    """A move next month closes the present home next month."""
    world = World()
    world.hear(said(fact("Ann", "LIVES_IN", "Paris", at=1)), now=day(2))
    (closed,) = world.hear(said(fact("Ann", "LIVES_IN", "Rome", at=30)), now=day(2)).closed_facts
    assert (closed.invalid_at, closed.expired_at) == (day(30), None)
    assert world.entity("Ann").summary == "Ann lives in Paris. Ann lives in Rome."


def test_an_end_before_the_beginning_is_not_believed() -> None:
    """No fact ends before it begins."""
    world = World()
    (new,) = world.hear(said(fact("Ann", "LIVES_IN", "Rome", at=5, until=3))).new_facts
    assert (new.valid_at, new.invalid_at, new.expired_at) == (day(5), None, None)


def test_learning_and_holding_are_two_clocks() -> None:
    """T1: created and expired when learned, valid and invalid when true."""
    world = told(
        (1, fact("Ann", "LIVES_IN", "Paris", at=1)), (5, fact("Ann", "LIVES_IN", "Rome", at=5))
    )
    old, new = world.facts.values()
    assert old.created_at == NOW
    assert old.expired_at == new.created_at > NOW
    assert (old.invalid_at, new.expired_at) == (new.valid_at, None)


def test_a_closed_fact_keeps_when_it_was_learned_to_be_false() -> None:
    """T5, T8: an earlier end moves the end in the world, not the time we learned it."""
    world = told(
        (1, fact("Ann", "LIVES_IN", "Paris", at=1)),
        (9, fact("Ann", "LIVES_IN", "Rome", at=9)),
        (9, fact("Ann", "LIVES_IN", "Oslo", at=5)),
    )
    paris, rome, oslo = world.facts.values()
    assert (paris.invalid_at, paris.expired_at) == (day(5), rome.created_at)
    assert (oslo.invalid_at, oslo.expired_at) == (day(9), oslo.created_at)


def test_the_closing_episode_stands_behind_the_closed_fact() -> None:
    """Z3, T9, C20."""
    world = World()
    world.hear(said(fact("Ann", "OWNS", "car", "Ann owns a car", at=1)))
    delta = world.hear(said(fact("Ann", "SOLD", "car", "Ann sold the car", at=5, span=(3, 9))))
    assert [(item.role, item.span) for item in delta.supports] == [
        ("closes", (3, 9)),
        ("states", (3, 9)),
    ]


def test_an_end_tells_what_the_same_sentence_began() -> None:
    """Ann sold her car: she owned it, and no more; whichever of the two was found first."""
    for order in (1, -1):
        facts = [
            fact("Ann", "SOLD", "car", "Ann sold her car", at=5),
            fact("Ann", "OWNS", "car", "Ann has a car", at=5),
        ][::order]
        world = World()
        world.hear(said(*facts))
        assert sorted(world.spans()) == [("Ann has a car", 5, 5), ("Ann sold her car", 5, None)]


def test_an_end_without_a_target_spares_what_the_same_episode_begins() -> None:
    """I quit my job and work at Globex now."""
    world = told((1, fact("Ann", "WORKS_AT", "Acme", "Ann works at Acme", at=1)))
    world.hear(
        said(
            fact("Ann", "QUIT", None, "Ann quit her job", at=5, ends=True),
            fact("Ann", "WORKS_AT", "Globex", "Ann works at Globex", at=5),
        )
    )
    assert world.spans() == [
        ("Ann works at Acme", 1, 5),
        ("Ann quit her job", 5, None),
        ("Ann works at Globex", 5, None),
    ]


def test_in_one_breath_both_stand() -> None:
    """A denial with a circumstance does not deny what is said beside it."""
    world = World()
    world.hear(
        said(
            fact("Ann", "LIKES", "tea", "Ann likes tea at night", at=5),
            fact("Ann", "LIKES", "tea", "Ann does not like tea at noon", at=5, negated=True),
        )
    )
    assert len(world.open()) == 2


NURSE = "Ann is a nurse at Acme"
WITH_THE_JOB = [
    pytest.param(fact("Ann", "QUIT", "Acme", at=5, ends=True), ["Acme", "nurse"], id="quitting"),
    pytest.param(fact("Ann", "WORKS_AT", "Globex", at=5), ["Acme", "nurse"], id="another job"),
    pytest.param(
        fact("Ann", "WORKS_AT", "Acme", "Ann no longer works at Acme", at=5, ends=True),
        ["Acme", "nurse"],
        id="no longer there",
    ),
    pytest.param(fact("Ann", "WORKS_AS", "doctor", at=5), ["nurse"], id="another title there"),
    pytest.param(fact("Ann", "QUIT", "Globex", at=5, ends=True), [], id="another employer"),
]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("news", "over"), WITH_THE_JOB)
def test_a_title_ends_with_the_job_it_was_told_with(
    news: FoundFact, over: list[str], whole: bool
) -> None:
    """The sentence that says both is over; a title that was told apart is not."""
    world = World(whole=whole)
    world.hear(
        said(
            fact("Ann", "WORKS_AS", "nurse", NURSE, at=1),
            fact("Ann", "WORKS_AT", "Acme", NURSE, at=1),
            fact("Bob", "WORKS_AS", "nurse", "Bob is a nurse", at=1),
        ),
        at=1,
    )
    world.hear(said(news), at=5)
    ended = [item for item in world.facts.values() if item.invalid_at is not None]
    assert sorted(world.entities[item.target].name for item in ended) == over
    assert {item.invalid_at for item in ended} <= {day(5)}


def test_a_title_told_without_the_job_outlives_it() -> None:
    """Who leaves an employer may still be a nurse."""
    world = World()
    world.hear(said(fact("Ann", "WORKS_AS", "nurse", "Ann is a nurse", at=1)), at=1)
    world.hear(said(fact("Ann", "WORKS_AT", "Acme", at=2)), at=2)
    world.hear(said(fact("Ann", "QUIT", "Acme", at=5, ends=True)), at=5)
    assert "Ann is a nurse" in world.open()


def test_a_wish_closes_nothing() -> None:
    """To want to live in Rome is not to live there, and no later home ends it."""
    world = told(
        (1, fact("Ann", "LIVES_IN", "Paris", "Ann lives in Paris", at=1)),
        (5, fact("Ann", "LIVES_IN", "Rome", "Ann wants Rome", at=5, mood="requested")),
        (6, fact("Ann", "LIVES_IN", "Oslo", "Ann lives in Oslo", at=6)),
    )
    assert [end for _, _, end in world.spans()] == [6, None, None]
    assert world.entity("Ann").summary == "Ann lives in Oslo."


def test_a_new_value_of_a_slot_closes_the_old_one() -> None:
    """JSON: the same identity and the same key path."""
    world = told(
        (1, fact("order 7", "HAS_STATUS", "open", "status is open", at=1, slot="status")),
        (3, fact("order 7", "HAS_STATUS", "open", "status is open", at=3, slot="status")),
        (5, fact("order 7", "HAS_STATUS", "paid", "status is paid", at=5, slot="status")),
        (5, fact("order 7", "HAS_STATE", "late", "state is late", at=6, slot="other")),
        (9, fact("order 7", "HAS_STATUS", "sent", "status is sent", at=None, slot="status")),
        (2, fact("order 7", "HAS_STATUS", "new", "status is new", at=2, slot="status")),
    )
    assert world.spans() == [
        ("status is open", 1, 2),
        ("status is paid", 5, 9),
        ("state is late", 6, None),
        ("status is sent", 9, None),
        ("status is new", 2, 5),
    ]


def test_the_values_of_a_list_stand_together_and_the_next_list_replaces_them() -> None:
    """A slot with several values in one document."""
    world = World()
    for at, tags in ((1, "ab"), (5, "bc")):
        world.hear(
            said(*(fact("it", "HAS_TAG", tag, f"tag {tag}", at=at, slot="tags") for tag in tags))
        )
    assert world.spans() == [("tag a", 1, 5), ("tag b", 1, None), ("tag c", 5, None)]
