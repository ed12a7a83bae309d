"""A beginning that was only assumed gives way to what is said later of the time before it."""

from itertools import permutations

import pytest

from recollect.graph.delta import KnownFact
from recollect.graph.found import FoundEntity, FoundFact
from tests.unit.graph.world import World, day, fact, said

SAID = 1000.0
LATER = SAID + 2
OSLO = fact("Ann", "LIVES_IN", "Oslo", "Ann lives in Oslo", at=SAID)
MOVED = fact("Ann", "LIVES_IN", "Bergen", "Ann moved to Bergen", at=SAID - 30, dated=True)
JOB = fact("Ann", "WORKS_AT", "Acme", "Ann works at Acme", at=SAID)
QUIT = fact("Ann", "QUIT", "Acme", "Ann quit her job at Acme", at=SAID - 7, dated=True)


def told(*episodes: tuple[float, FoundFact]) -> World:
    """A world that heard one fact after the other, each at its time."""
    world = World()
    for at, item in episodes:
        world.hear(said(item), at=at)
    return world


def ends(world: World) -> dict[str, float | None]:
    """When each fact ends."""
    return {text: end for text, _, end in world.spans()}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(OSLO, MOVED, id="a move"),
        pytest.param(
            OSLO,
            fact("Ann", "LIVES_IN", "Bergen", "Ann moved to Bergen", at=SAID, dated=True),
            id="dated to the very moment of the other",
        ),
        pytest.param(
            OSLO,
            fact("Ann", "LIVES_IN", "Bergen", "Ann moved to Bergen", at=366, dated=True),
            id="last year, which counts from its first day",
        ),
        pytest.param(
            fact("Ann", "MARRIED_TO", "Tom", "Ann is married to Tom", at=SAID),
            fact("Eve", "MARRIED_TO", "Tom", "Eve married Tom", at=SAID - 9, dated=True),
            id="a relation that both sides have",
        ),
        pytest.param(
            fact("Ann", "WORKS_AS", "cook", "Ann works as a cook", at=SAID),
            fact("Ann", "PROMOTED", "chef", "Ann was promoted to chef", at=SAID - 9, dated=True),
            id="a relation that replaces another",
        ),
        pytest.param(JOB, QUIT, id="an end"),
        pytest.param(
            JOB,
            fact("Ann", "QUIT", None, "Ann quit her job", at=SAID - 7, dated=True),
            id="an end without a target",
        ),
        pytest.param(
            JOB,
            fact("Ann", "WORKS_AT", "Acme", "Ann no longer works at Acme", at=3, ends=True),
            id="an end that says how it is now, since whenever",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Oslo", "Ann does not live in Oslo", at=SAID, negated=True),
            fact("Ann", "LIVES_IN", "Oslo", "Ann moved to Oslo", at=SAID - 9, dated=True),
            id="what holds after all",
        ),
    ],
)
def test_the_later_words_win_over_an_assumed_beginning(first: FoundFact, second: FoundFact) -> None:
    """In whichever order they arrive; the first ends when the second was said."""
    episodes = (SAID, first), (LATER, second)
    for order in permutations(episodes):
        assert ends(told(*order)) == {first.fact: LATER, second.fact: None}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            OSLO,
            fact("Ann", "LIVES_IN", "Bergen", "Ann moved to Bergen", at=-400, dated=True),
            id="a move of years ago",
        ),
        pytest.param(
            OSLO,
            fact("Ann", "LIVES_IN", "Bergen", "Ann lived in Bergen", at=700, until=900),
            id="a state of the past",
        ),
        pytest.param(
            OSLO,
            fact("Ann", "LIVES_IN", "Bergen", "Ann lived in Bergen", at=900, until=1200),
            id="a state that has an end of its own, even one to come",
        ),
        pytest.param(
            fact("Ann", "LIVES_IN", "Oslo", "Ann lives in Oslo", at=SAID - 1, dated=True),
            MOVED,
            id="a beginning that was told",
        ),
        pytest.param(
            JOB,
            fact("Ann", "QUIT", None, "Ann quit her job", at=-400, dated=True),
            id="the end of an earlier job",
        ),
        pytest.param(
            fact("Ann", "LIKES", "tea", "Ann likes tea", at=SAID),
            fact("Ann", "DISLIKES", "tea", "Ann hated tea", at=SAID - 99, dated=True),
            id="what someone felt once",
        ),
        pytest.param(
            fact("Ann", "LIKES", "red shoes", "Ann likes red shoes", at=SAID),
            fact("Ann", "PREFERS", "blue shoes", "Ann preferred blue shoes", at=SAID - 99),
            id="what someone preferred once",
        ),
    ],
)
def test_what_is_not_told_of_the_present_closes_nothing(
    first: FoundFact, second: FoundFact
) -> None:
    """Then the later beginning wins, as ever."""
    for order in permutations(((SAID, first), (LATER, second))):
        assert first.fact in told(*order).open()


def test_a_value_of_the_past_is_no_change() -> None:
    """How much it was then says nothing about now."""
    world = World()
    for at, begins, text in ((SAID, SAID, "30"), (LATER, SAID - 99, "29")):
        age = FoundEntity(name=text, kind="value")
        world.hear(said(age, fact("Ann", "AGE", text, f"Ann is {text}", at=begins)), at=at)
    assert world.open() == ["Ann is 30"]


def test_an_older_episode_that_comes_late_is_born_closed() -> None:
    """Trap 5: what was said before cannot win over what was said after it."""
    world = told((LATER, OSLO), (SAID - 300, MOVED))
    assert ends(world) == {"Ann lives in Oslo": None, "Ann moved to Bergen": SAID}


def test_a_document_dates_its_own_values() -> None:
    """A record of last month that is handed in today is not news."""
    world = told(
        (SAID, fact("Ann", "LIVES_IN", "Oslo", "Ann: city Oslo", at=SAID, slot="city")),
        (LATER, fact("Ann", "LIVES_IN", "Bergen", "Ann: city Bergen", at=SAID - 30, slot="city")),
    )
    assert world.open() == ["Ann: city Oslo"]


def test_what_one_episode_says_is_not_later_than_itself() -> None:
    """In one breath nothing was said before."""
    world = World()
    world.hear(said(JOB, fact("Ann", "QUIT", None, "Ann quit", at=SAID - 9)), at=SAID)
    assert world.open() == ["Ann works at Acme", "Ann quit"]


def test_who_comes_back_lives_there_again() -> None:
    """What was closed by later words can hold again, as another fact."""
    again = fact("Ann", "LIVES_IN", "Oslo", "Ann lives in Oslo", at=LATER + 9)
    world = told((SAID, OSLO), (LATER, MOVED), (LATER + 9, again))
    assert world.spans() == [
        ("Ann lives in Oslo", SAID, LATER),
        ("Ann moved to Bergen", SAID - 30, LATER + 9),
        ("Ann lives in Oslo", LATER + 9, None),
    ]


def test_the_closing_names_what_was_said_later() -> None:
    """So that forgetting it opens the fact again."""
    world = World()
    world.hear(said(OSLO), at=SAID)
    delta = world.hear(said(MOVED), at=LATER)
    (closing,) = delta.closings
    assert (closing.by, closing.ended_at, closing.ours) == (
        delta.new_facts[0].uuid,
        day(LATER),
        True,
    )
    assert [(item.fact, item.role) for item in delta.supports] == [
        (closing.fact, "closes"),
        (closing.by, "states"),
    ]


WITH = "Ann lives in Oslo with Jon"


def _home(at: float) -> tuple[FoundFact, FoundFact]:
    return (
        fact("Ann", "LIVES_IN", "Oslo", WITH, at=at),
        fact("Ann", "LIVES_WITH", "Jon", WITH, at=at),
    )


def _holding(world: World, predicate: str) -> list[KnownFact]:
    return [
        item
        for item in world.facts.values()
        if item.predicate == predicate and item.invalid_at is None
    ]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(MOVED, id="that is told of the time before"),
        pytest.param(fact("Ann", "LIVES_IN", "Bergen", at=LATER), id="that is told of now"),
        pytest.param(fact("Ann", "LEFT", "Oslo", "Ann left Oslo", at=LATER), id="that is an end"),
    ],
)
def test_a_sentence_that_is_over_is_over_as_to_all_it_tells(change: FoundFact) -> None:
    """By a change, the home and who shares it end together."""
    world = World()
    world.hear(said(*_home(SAID)), at=SAID)
    world.hear(said(change), at=LATER)
    assert {end for text, _, end in world.spans() if text == WITH} == {LATER}


def test_who_lives_alone_now_still_lives_there() -> None:
    """The other way round the home stays."""
    world = World()
    world.hear(said(*_home(SAID)), at=SAID)
    stop = fact("Ann", "LIVES_WITH", "Jon", "Ann no longer lives with Jon", at=None, ends=True)
    world.hear(said(stop), at=LATER)
    assert _holding(world, "LIVES_IN")
    assert not [item for item in _holding(world, "LIVES_WITH") if item.fact == WITH]


def test_other_words_about_the_same_two_stay() -> None:
    """Only the sentence that names the home is over."""
    world = World()
    world.hear(said(_home(SAID)[0], fact("Ann", "LIVES_WITH", "Jon", at=SAID)), at=SAID)
    world.hear(said(MOVED), at=LATER)
    assert _holding(world, "LIVES_WITH")


def test_the_same_words_of_a_later_time_stay() -> None:
    """A late episode that ends the first stay leaves the second alone."""
    world = World()
    world.hear(said(*_home(100)), at=100)
    world.hear(said(fact("Ann", "LEFT", "Oslo", "Ann left Oslo", at=200)), at=200)
    world.hear(said(*_home(500)), at=500)
    world.hear(said(fact("Ann", "LIVES_IN", "Rome", at=150)), at=150)
    (home,), (mate,) = _holding(world, "LIVES_IN"), _holding(world, "LIVES_WITH")
    assert home.valid_at == mate.valid_at == day(500)
