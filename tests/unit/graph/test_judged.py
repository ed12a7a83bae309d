"""What a reader says about the facts and entities it was shown counts, while they are what they were."""

from typing import Any

import msgspec
import pytest

from recollect.graph.delta import Delta
from recollect.graph.found import EntityRef, Found, FoundEntity, FoundFact, Judgement, Verdict
from recollect.graph.gist import mark
from tests.unit.graph.world import World, day, fact, said

READER = "model:episode.v2"


def judge(world: World, sentence: str, verdict: Verdict, sure: float = 1.0) -> Judgement:
    """A judgement of a fact that the world knows."""
    (uuid,) = (uuid for uuid, one in world.facts.items() if one.fact == sentence)
    return Judgement(fact=uuid, mark=mark(sentence), verdict=verdict, sure=sure)


def seen(world: World, *facts: FoundFact | FoundEntity) -> Found:
    """What an episode says to a reader that was shown everything."""
    marks = tuple(mark(one.fact) for one in world.facts.values())
    return msgspec.structs.replace(said(*facts), extractor=READER, shown=marks)


def with_code() -> World:
    """A world with a door code since day 1, in a relation that the table does not know."""
    world = World()
    world.hear(said(fact("Door", "HAS_CODE", None, "The door code is 4471", at=1)), at=1)
    return world


def closing(delta: Delta) -> list[tuple[str, float | None]]:
    """On whose word what ended."""
    return [(one.judge, one.sure) for one in delta.closings]


@pytest.mark.parametrize("verdict", ["replaces", "ends"])
def test_what_is_replaced_or_ended_ends_when_the_new_fact_begins(verdict: Verdict) -> None:
    """Whatever the relations are called; the closing keeps whose word it was."""
    world = with_code()
    new = fact(
        *("Hall", "IS_SET_TO", None, "The lock of the hall is set to 9026"),
        at=5,
        judged=(judge(world, "The door code is 4471", verdict, 0.9),),
    )
    delta = world.hear(seen(world, new), at=5)
    assert world.spans() == [
        ("The door code is 4471", 1, 5),
        ("The lock of the hall is set to 9026", 5, None),
    ]
    assert closing(delta) == [(READER, 0.9)]
    assert [one.by for one in delta.closings] == [delta.new_facts[0].uuid]


@pytest.mark.parametrize("begins", [None, 0.0, 1.0])
def test_without_a_later_beginning_it_ends_with_the_episode(begins: float | None) -> None:
    """What was said later is the newer truth, whenever it dates itself."""
    world = with_code()
    judged = (judge(world, "The door code is 4471", "replaces"),)
    world.hear(
        seen(world, fact("Door", "HAS_CODE", None, "It is 9026", at=begins, judged=judged)), at=7
    )
    assert world.spans()[0] == ("The door code is 4471", 1, 7)
    assert world.spans()[1][2] is None


def test_an_end_that_is_to_come_is_not_learned_yet() -> None:
    """A job that begins next month leaves the present one until then."""
    world = with_code()
    judged = (judge(world, "The door code is 4471", "replaces"),)
    now = day(5)
    world.hear(
        seen(world, fact("Door", "HAS_CODE", None, "It is 9026", at=9, judged=judged)),
        at=5,
        now=now,
    )
    old = next(iter(world.facts.values()))
    assert (old.invalid_at, old.expired_at) == (day(9), None)


def test_what_is_corrected_never_held() -> None:
    """It ends where it begins."""
    world = with_code()
    judged = (judge(world, "The door code is 4471", "corrects"),)
    world.hear(seen(world, fact("Door", "HAS_CODE", None, "It is 4417", at=5, judged=judged)), at=5)
    assert world.spans() == [("The door code is 4471", 1, 1), ("It is 4417", 5, None)]


def test_what_says_the_same_is_no_new_fact() -> None:
    """Whatever its words and its relation; it may do away with others all the same."""
    world = with_code()
    world.hear(said(fact("Door", "HAS_LOCK", None, "The door is open", at=2)), at=2)
    judged = (
        judge(world, "The door code is 4471", "same"),
        judge(world, "The door is open", "ends"),
    )
    delta = world.hear(
        seen(world, fact("Door", "OPENS_WITH", None, "4471 opens it", at=5, judged=judged)), at=5
    )
    assert world.spans() == [("The door code is 4471", 1, None), ("The door is open", 2, 5)]
    assert [one.role for one in delta.supports] == ["restates", "closes"]


def test_what_is_over_by_then_is_said_anew() -> None:
    """A fact that another reading has closed meanwhile is no home for what holds again."""
    world = with_code()
    world.hear(said(fact("Door", "HAS_CODE", None, "The door code is 4471", until=3, at=1)), at=3)
    judged = (judge(world, "The door code is 4471", "same"),)
    world.hear(seen(world, fact("Door", "HAS_CODE", None, "Again 4471", at=5, judged=judged)), at=5)
    assert world.open() == ["Again 4471"]


def test_less_than_what_it_replaces_is_no_restatement() -> None:
    """By words alone a fact that says less says nothing new."""
    world = World()
    world.hear(said(fact("Ann", "LIKES", "Tea", "Ann likes green tea", at=1)), at=1)
    judged = (judge(world, "Ann likes green tea", "replaces"),)
    world.hear(seen(world, fact("Ann", "LIKES", "Tea", "Ann likes tea", at=4, judged=judged)), at=4)
    assert world.spans() == [("Ann likes green tea", 1, 4), ("Ann likes tea", 4, None)]


def test_what_was_shown_and_not_judged_stands() -> None:
    """The table would close it, but the reader saw it: two jobs are two jobs, in either order."""
    for begins, kept in ((3, 3), (0, 0)):
        world = World()
        world.hear(said(fact("Ann", "WORKS_AT", "Acme", at=1)), at=1)
        delta = world.hear(seen(world, fact("Ann", "WORKS_AT", "Globex", at=begins)), at=3)
        assert world.spans()[1][1] == kept
        assert len(world.open()) == 2
        assert delta.closings == ()


def test_what_a_reader_says_in_one_go_stands_together() -> None:
    """The table would let the second job end the first, but the reader wrote both."""
    world = World()
    notice = fact("Ann", "WORKS_AT", "Acme", "Ann works out her notice at Acme", at=1, until=40)
    new = fact("Ann", "WORKS_AT", "Beta", "Ann already works at Beta on Fridays", at=3)
    world.hear(seen(world, notice, new), at=3)
    assert world.spans() == [
        ("Ann works out her notice at Acme", 1, 40),
        ("Ann already works at Beta on Fridays", 3, None),
    ]


def test_what_was_not_shown_is_left_to_the_table() -> None:
    """And the closing says so."""
    world = World()
    world.hear(said(fact("Ann", "WORKS_AT", "Acme", at=1)), at=1)
    delta = world.hear(said(fact("Ann", "WORKS_AT", "Globex", at=3)), at=3)
    assert world.open() == ["Ann works at Globex"]
    assert closing(delta) == [("table", None)]


def test_an_end_that_a_fact_tells_itself_is_the_episodes() -> None:
    """Nobody had to judge it."""
    world = World()
    delta = world.hear(said(fact("Ann", "VISITED", "Rome", at=1, until=3)), at=3)
    assert closing(delta) == [("episode", None)]


def test_a_slot_has_one_value_whatever_was_shown() -> None:
    """What a document says now is what it says."""
    world = World()
    world.hear(said(fact("Ann", "HAS_PLAN", None, "Ann's plan is Basic", slot="plan", at=1)), at=1)
    world.hear(
        seen(world, fact("Ann", "HAS_PLAN", None, "Ann's plan is Pro", slot="plan", at=2)), at=2
    )
    assert world.open() == ["Ann's plan is Pro"]


def test_a_fact_that_is_another_now_is_not_meant() -> None:
    """The uuid may belong to other words since; nothing else is closed in its place."""
    world = with_code()
    one = judge(world, "The door code is 4471", "ends")
    other = msgspec.structs.replace(one, mark=mark("Something else"))
    world.hear(seen(world, fact("Door", "X", None, "A new door", at=5, judged=(other,))), at=5)
    assert len(world.open()) == 2


def test_the_same_words_under_another_uuid_are_meant() -> None:
    """An earlier episode may have been read again since."""
    world = with_code()
    one = judge(world, "The door code is 4471", "replaces")
    moved = msgspec.structs.replace(one, fact="gone")
    world.whole = True
    world.hear(seen(world, fact("Door", "X", None, "It is 9026 now", at=5, judged=(moved,))), at=5)
    assert world.open() == ["It is 9026 now"]


def test_a_closing_that_was_taken_back_is_not_made_again() -> None:
    """By nothing that says what closed it then; another fact may."""

    def after(sentence: str, **how: Any) -> list[str]:
        world = World()
        world.hear(said(fact("Ann", "WORKS_AT", "Acme", at=1)), at=1)
        (uuid,) = world.facts
        kept = (mark("Ann works at Globex"),)
        world.facts[uuid] = msgspec.structs.replace(world.facts[uuid], kept_against=kept)
        judged = (
            (judge(world, "Ann works at Acme", "replaces"),) if how.pop("judged", False) else ()
        )
        world.hear(
            said(fact("Ann", "WORKS_AT", "Globex", sentence, at=3, judged=judged, **how)), at=3
        )
        return world.open()

    both = ["Ann works at Acme", "Ann works at Globex"]
    assert after("Ann works at Globex") == both
    assert after("Ann works at Globex", judged=True) == both
    assert after("Ann went over to Globex") == ["Ann went over to Globex"]


def test_an_events_time_is_kept_and_tells_two_events_apart() -> None:
    """The same words about another Friday are another fact."""
    world = World()
    for event in (8, 15):
        at = event - 3
        new = fact("Ann", "MEETS", None, "Ann meets on Friday", at=at, event_at=day(event))
        world.hear(said(new), at=at)
    assert [one.event_at for one in world.facts.values()] == [day(8), day(15)]


def test_an_entity_is_who_the_reader_says_it_is() -> None:
    """Under a name that nothing else would lead to."""
    world = World()
    world.hear(said(fact("Ann", "LIKES", "Rex", at=1)), at=1)
    rex = world.entity("Rex")
    ref = EntityRef(uuid=rex.uuid, name="Rex")
    world.hear(
        said(FoundEntity(name="Old boy", known=ref), fact("Old boy", "DIED", None, at=2)), at=2
    )
    assert {one.name for one in world.entities.values()} == {"Ann", "Rex"}
    assert "Old boy" in world.entity("Rex").names


@pytest.mark.parametrize("ref", [EntityRef(uuid="gone", name="Rex"), None])
def test_who_is_gone_is_looked_for_by_name(ref: EntityRef | None) -> None:
    """Also where the uuid belongs to somebody else now."""
    world = World()
    world.hear(said(fact("Ann", "LIKES", "Rex", at=1)), at=1)
    ref = ref or EntityRef(uuid=world.entity("Ann").uuid, name="Rex")
    world.hear(said(FoundEntity(name="Rex", known=ref), fact("Rex", "DIED", None, at=2)), at=2)
    died = next(one for one in world.facts.values() if one.predicate == "DIED")
    assert died.source == world.entity("Rex").uuid


def test_a_renamed_entity_keeps_the_names_it_had() -> None:
    """It is found under both."""
    world = World()
    world.hear(said(fact("Ann", "WORKS_AT", "Acme", at=1)), at=1)
    acme = world.entity("Acme").uuid
    ref = EntityRef(uuid=acme, name="Acme")
    world.hear(said(FoundEntity(name="Acme", known=ref, rename="Globex")), at=2)
    assert world.entities[acme].name == "Globex"
    assert world.entities[acme].names == ("Acme", "Globex")
    for name in ("Acme", "Globex"):
        world.hear(said(FoundEntity(name=name)), at=3)
    assert len(world.entities) == 2


def test_nobody_takes_the_name_of_another() -> None:
    """Two things of one name could not be told apart again."""
    world = World()
    world.hear(said(fact("Acme", "KNOWS", "Globex", at=1)), at=1)
    world.hear(said(FoundEntity(name="Acme", rename="Globex")), at=2)
    assert sorted(one.name for one in world.entities.values()) == ["Acme", "Globex"]


def test_the_user_gains_a_name_and_is_called_as_before() -> None:
    """What the user is called is told by the user's record."""
    world = World()
    world.hear(said(FoundEntity(name="Jane Smith", who="user", kind="person")), at=1)
    world.hear(said(FoundEntity(name="Jane Smith", who="user", rename="Sam")), at=2)
    assert world.entity("Jane Smith").names[-1] == "Sam"


def test_what_is_carried_ends_on_the_same_word() -> None:
    """A sentence that is over as to the job is over as to the title it tells."""
    world = World(whole=True)
    both = "Ann works at Acme as a cook"
    world.hear(
        said(
            fact("Ann", "WORKS_AT", "Acme", both, at=1), fact("Ann", "WORKS_AS", "Cook", both, at=1)
        ),
        at=1,
    )
    at_acme = next(uuid for uuid, one in world.facts.items() if one.predicate == "WORKS_AT")
    judged = (Judgement(fact=at_acme, mark=mark(both), verdict="ends"),)
    delta = world.hear(
        seen(world, fact("Ann", "RETIRED", None, "Ann retired", at=4, judged=judged)),
        at=4,
    )
    assert world.open() == ["Ann retired"]
    assert {one.judge for one in delta.closings} == {READER}


@pytest.mark.parametrize("sentence", ["The door code is 9026", "Jane takes the train to Berlin"])
def test_what_cannot_be_the_same_is_told_anew(sentence: str) -> None:
    """A reader that is wrong about it loses nothing: another number, or quite other words."""
    world = with_code()
    judged = (judge(world, "The door code is 4471", "same"),)
    world.hear(seen(world, fact("Door", "HAS_CODE", None, sentence, at=5, judged=judged)), at=5)
    assert world.spans() == [("The door code is 4471", 1, None), (sentence, 5, None)]


def with_sale(**times: Any) -> World:
    """A world in which a boat was sold on day 2, told on day 3."""
    world = World()
    sold = fact("Boat", "SOLD_TO", "Ann", "The boat was sold to Ann for 39,000", at=2, **times)
    world.hear(said(msgspec.structs.replace(sold, event_at=day(2))), at=3)
    return world


@pytest.mark.parametrize("verdict", ["replaces", "ends"])
def test_what_took_place_is_not_over_on_a_readers_word(verdict: Verdict) -> None:
    """The verdict is heard, and closes nothing: the sale stays what it was."""
    world = with_sale()
    judged = (judge(world, "The boat was sold to Ann for 39,000", verdict),)
    delta = world.hear(
        seen(world, fact("Boat", "IS_GONE", None, "The boat is gone", at=5, judged=judged)), at=5
    )
    assert world.open() == ["The boat was sold to Ann for 39,000", "The boat is gone"]
    assert delta.closings == ()


def test_what_took_place_can_be_corrected() -> None:
    """Then it never did."""
    world = with_sale()
    judged = (judge(world, "The boat was sold to Ann for 39,000", "corrects"),)
    told = fact("Boat", "SOLD_TO", "Ann", "The boat was sold to Ann for 38,000", at=2)
    world.hear(seen(world, msgspec.structs.replace(told, judged=judged)), at=5)
    assert world.spans()[0] == ("The boat was sold to Ann for 39,000", 2, 2)


def test_what_took_place_is_not_ended_by_saying_it_again() -> None:
    """An end said along with it is none of its own."""
    world = with_sale()
    again = fact("Boat", "SOLD_TO", "Ann", "The boat was sold to Ann for 39,000", at=2, until=4)
    world.hear(said(again), at=5)
    assert world.open() == ["The boat was sold to Ann for 39,000"]


def test_what_was_going_to_happen_can_be_over() -> None:
    """A plan has its own time as well, but that lies ahead of when it was said."""
    world = World()
    plan = fact("Boat", "IS_SOLD_TO", "Ann", "The boat is sold to Ann on day 9", at=3)
    world.hear(said(msgspec.structs.replace(plan, event_at=day(9))), at=3)
    judged = (judge(world, "The boat is sold to Ann on day 9", "ends"),)
    world.hear(seen(world, fact("Ann", "BACKED_OUT", None, "Ann backed out", judged=judged)), at=5)
    assert world.spans()[0] == ("The boat is sold to Ann on day 9", 3, 5)
