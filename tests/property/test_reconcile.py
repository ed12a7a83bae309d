"""Random histories of what episodes say: whatever comes, in whatever order, these rules hold."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from recollect.graph import predicates
from recollect.graph.delta import KnownFact
from recollect.graph.found import EntityKind, Found, FoundEntity, FoundFact
from recollect.graph.predicates import Predicates
from recollect.graph.supersede import Contradiction
from tests.unit.graph.world import TABLE, World, day

# Few of everything, so that histories meet themselves again.
ENTITIES: tuple[FoundEntity, ...] = (
    FoundEntity(name="Ann Lee", kind="person"),
    FoundEntity(name="Ann", kind="person"),
    FoundEntity(name="Ann Doe", kind="person", aliases=("ann@doe.org",)),
    FoundEntity(name="ann@doe.org"),
    FoundEntity(name="Acme Corp", kind="organization"),
    FoundEntity(name="acme"),
    FoundEntity(name="Paris", kind="place"),
    FoundEntity(name="Paris", kind="person"),
    FoundEntity(name="Paris"),
    FoundEntity(name="Puma shoes", kind="object", label="Shoe"),
    FoundEntity(name="Adidas shoes", kind="object"),
    FoundEntity(name="me", who="user", kind="person"),
)
PREDICATES = (
    "WORKS_AT",
    "JOINED",
    "LIVES_IN",
    "MARRIED_TO",
    "DIVORCED",
    "LEFT",
    "QUIT",
    "LIKES",
    "DISLIKES",
    "PREFERS",
    "PROMOTED",
    "WORKS_AS",
    "OWNS",
    "SOLD",
    "VISITED",
    "KNOWS",
    "MET",
)
EXTRAS = ("", " in 2020", " with joy", " 3 times")


@st.composite
def facts(draw: st.DrawFn, size: int) -> FoundFact:
    """Any fact between any of *size* entities."""
    predicate = draw(st.sampled_from(PREDICATES))
    source, target = draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))
    negated, ends = draw(st.sampled_from([(False, False)] * 3 + [(True, False), (False, True)]))
    start = draw(st.none() | st.integers(0, 6))
    text = f"{source} {'does not ' if negated else ''}{predicate.lower()} {target}"
    return FoundFact(
        source=source,
        target=target,
        name=predicate,
        predicate=predicate,
        fact=text + draw(st.sampled_from(EXTRAS)),
        valid_at=None if start is None else day(start),
        invalid_at=draw(st.sampled_from([None, None, None, day(3), day(5)])),
        dated=draw(st.booleans()),
        negated=negated,
        ends=ends,
        corrects=draw(st.sampled_from([False, False, True])),
        slot=draw(st.sampled_from([None, None, None, "status"])),
        event_at=None if start is None else draw(st.sampled_from([None, None, day(start), day(9)])),
    )


@st.composite
def episodes(draw: st.DrawFn) -> Found:
    """Some entities, some facts between them."""
    entities = draw(st.lists(st.sampled_from(ENTITIES), min_size=1, max_size=4))
    found = draw(st.lists(facts(len(entities)), max_size=4))
    return Found(entities=tuple(entities), facts=tuple(found))


histories = st.lists(st.tuples(st.integers(0, 6), episodes()), min_size=1, max_size=5)


def snapshot(world: World) -> tuple[dict[str, object], dict[str, object]]:
    """Everything that is known."""
    return dict(world.entities), dict(world.facts)


@given(histories)
def test_no_fact_ends_before_it_begins_and_what_is_over_is_known_to_be(
    history: list[tuple[int, Found]],
) -> None:
    """valid_at <= invalid_at; expired_at is set exactly where an end in the past is known."""
    world = World()
    for at, found in history:
        delta = world.hear(found, at=at)
        for item in world.facts.values():
            assert (
                item.invalid_at is None or item.valid_at is None or item.valid_at <= item.invalid_at
            )
            assert (item.expired_at is None) == (item.invalid_at is None)
            assert item.expired_at is None or item.expired_at >= item.created_at
        assert len({item.fact for item in delta.supports}) == len(delta.supports)
        for entity in world.entities.values():
            assert len(entity.labels) <= 2
            assert entity.labels[0] == "Entity"


@given(histories)
def test_nothing_is_rewritten_or_removed(history: list[tuple[int, Found]]) -> None:
    """Of a known fact only the end changes, and an end only moves to an earlier time."""
    world = World()
    for at, found in history:
        before = dict(world.facts)
        names = {uuid: item.names for uuid, item in world.entities.items()}
        world.hear(found, at=at)
        for uuid, old in before.items():
            new = world.facts[uuid]
            assert (
                msgspec.structs.replace(new, invalid_at=old.invalid_at, expired_at=old.expired_at)
                == old
            )
            assert old.expired_at is None or new.expired_at == old.expired_at
            assert old.invalid_at is None or (new.invalid_at or old.invalid_at) <= old.invalid_at
        for uuid, held in names.items():
            assert world.entities[uuid].names[: len(held)] == held


@given(histories)
def test_what_took_place_is_never_over(history: list[tuple[int, Found]]) -> None:
    """Unless it is corrected, whatever else is said of it."""
    world = World()
    for at, found in history:
        before = [item for item in world.facts.values() if item.took_place]
        world.hear(found, at=at)
        if not any(fact.corrects for fact in found.facts):
            assert [world.facts[item.uuid] for item in before] == before


@given(histories)
def test_what_is_heard_twice_adds_nothing(history: list[tuple[int, Found]]) -> None:
    """The same episode again: no new entity and no new fact."""
    world = World()
    for at, found in history:
        world.hear(found, at=at)
        again = world.hear(found, at=at)
        assert again.new_entities == ()
        assert again.new_facts == ()


@given(histories)
def test_the_outcome_does_not_depend_on_the_order_of_what_is_loaded(
    history: list[tuple[int, Found]],
) -> None:
    """Nor on how much more is loaded than is asked for."""
    plain, turned, whole = World(), World(), World(whole=True)
    for at, found in history:
        deltas = [
            plain.hear(found, at=at),
            turned.hear(found, at=at, backwards=True),
            whole.hear(found, at=at),
        ]
        assert deltas[0] == deltas[1]
        assert snapshot(plain) == snapshot(turned)
        assert snapshot(plain) == snapshot(whole)


def spans(world: World) -> list[tuple[str, datetime | None, datetime | None]]:
    """What holds when, whatever the order it was learned in."""
    return sorted((item.fact, item.valid_at, item.invalid_at) for item in world.facts.values())


@given(st.permutations(range(6)), st.integers(1, 6))
def test_late_facts_give_the_intervals_of_facts_in_order(order: Sequence[int], size: int) -> None:
    """A single relation with distinct values and distinct times: a chain without gaps."""
    world = World()
    for number in (number for number in order if number < size):
        world.hear(moved(number), at=9)
    ends = [day(number + 1) for number in range(size - 1)] + [None]
    assert spans(world) == [
        (f"Ann lives in {'ABCDEF'[number]}", day(number), ends[number]) for number in range(size)
    ]


def moved(number: int) -> Found:
    """Ann lives somewhere else every day."""
    place = "ABCDEF"[number]
    kinds: tuple[EntityKind, EntityKind] = ("person", "place")
    return Found(
        entities=(FoundEntity(name="Ann", kind=kinds[0]), FoundEntity(name=place, kind=kinds[1])),
        facts=(
            FoundFact(
                source=0,
                target=1,
                name="LIVES_IN",
                predicate="LIVES_IN",
                fact=f"Ann lives in {place}",
                valid_at=day(number),
            ),
        ),
    )


@st.composite
def plain_facts(draw: st.DrawFn) -> Found:
    """Positive facts with a time and no end, of relations that end nothing."""
    predicate = draw(st.sampled_from(["LIVES_IN", "LIKES", "OWNS", "VISITED", "KNOWS", "MET"]))
    target = draw(st.sampled_from(["A", "B", "C"]))
    return Found(
        entities=(FoundEntity(name="Ann", kind="person"), FoundEntity(name=target)),
        facts=(
            FoundFact(
                source=0,
                target=1,
                name=predicate,
                predicate=predicate,
                fact=f"Ann {predicate.lower()} {target}",
                valid_at=day(draw(st.integers(0, 9))),
                dated=draw(st.booleans()),
            ),
        ),
    )


@given(st.lists(plain_facts(), min_size=1, max_size=8))
def test_many_valued_facts_stay_open_and_one_valued_ones_never_overlap(
    history: list[Found],
) -> None:
    """Unless something ends them; and but for those that began at the very same time."""
    world = World()
    for found in history:
        world.hear(found, at=9)
    for item in world.facts.values():
        assert TABLE[item.predicate].single or item.invalid_at is None
    homes = [item for item in world.facts.values() if item.predicate == "LIVES_IN"]
    for one in homes:
        for two in homes:
            assert one.target == two.target or one.valid_at == two.valid_at or disjoint(one, two)


def disjoint(one: KnownFact, two: KnownFact) -> bool:
    """Whether two facts never hold at the same time."""
    assert one.valid_at is not None
    assert two.valid_at is not None
    first, second = sorted((one, two), key=lambda item: item.valid_at or day(0))
    return first.invalid_at is not None and first.invalid_at <= (second.valid_at or day(0))


class _Undecided(Predicates):
    """The built-in table, without the shortcut past relations that have nothing to do with each other."""

    def concerns(self, name: str, other: str) -> bool:
        return True


BUILT_IN = predicates.load()
UNDECIDED = _Undecided({name: BUILT_IN[name] for name in BUILT_IN})
RELATIONS = [*BUILT_IN, "SPEAKS_TO", "REQUESTED_OWNS"]


@st.composite
def _known(draw: st.DrawFn, uuid: str) -> KnownFact:
    return KnownFact(
        uuid=uuid,
        source=draw(st.sampled_from("ab")),
        target=draw(st.sampled_from("ab")),
        name="",
        predicate=draw(st.sampled_from(RELATIONS)),
        fact=f"a b {uuid}",
        gist=draw(st.sampled_from(("a b", "a not b"))),
        negated=draw(st.booleans()),
        ends=draw(st.booleans()),
        slot=draw(st.sampled_from((None, "x"))),
        created_at=day(1),
    )


@given(_known("one"), _known("two"), st.booleans(), st.booleans())
def test_relations_that_say_nothing_of_each_other_close_nothing(
    one: KnownFact, two: KnownFact, corrects: bool, together: bool
) -> None:
    """Passing over such a pair at once decides as the rules would."""
    quick, slow = Contradiction(BUILT_IN, {}), Contradiction(UNDECIDED, {})
    said = {"corrects": corrects, "together": together}
    assert quick.force(one, two, **said) == slow.force(one, two, **said)
    alike = msgspec.structs.replace(two, predicate=one.predicate)
    assert quick.force(one, alike, **said) == slow.force(one, alike, **said)


@given(st.sampled_from(RELATIONS), _known("one"), _known("two"))
def test_what_a_relation_names_is_not_passed_over(
    name: str, one: KnownFact, two: KnownFact
) -> None:
    """Random pairs are seldom related, so those that the table relates are tried one by one."""
    own = BUILT_IN[name]
    later = msgspec.structs.replace(one, predicate=name)
    for other in (*own.ends, *own.ends_alone, *own.replaces, *own.rivals):
        earlier = msgspec.structs.replace(two, predicate=other)
        quick, slow = Contradiction(BUILT_IN, {}), Contradiction(UNDECIDED, {})
        assert quick.force(later, earlier) == slow.force(later, earlier)
