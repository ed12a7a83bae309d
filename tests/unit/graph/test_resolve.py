"""Who is who: better two entities than one wrong one."""

import pytest

from recollect.graph.delta import KnownEntity
from recollect.graph.found import EntityKind, Found, FoundEntity
from recollect.graph.resolve import Resolution, compatible, resolve
from recollect.limits import CANDIDATES_PER_KEY_MAX


def known(name: str, kind: EntityKind | None = None, *more: str) -> KnownEntity:
    """An entity of the graph whose uuid is its name and kind."""
    return KnownEntity(uuid=f"{name}/{kind}", name=name, names=(name, *more), kind=kind)


def resolved(graph: list[KnownEntity], *found: FoundEntity) -> Resolution:
    """The same whatever the order of what is loaded."""
    answer = resolve(tuple(graph), Found(entities=found))
    assert resolve(tuple(reversed(graph)), Found(entities=found)) == answer
    return answer


USER = KnownEntity(
    uuid="user",
    name="Emily Painter",
    names=("Emily Painter", "Emily", "emily0e62", "emily@painters.com"),
    kind="person",
    who="user",
    labels=("Entity", "User"),
)
JANE = known("Jane Smith", "person")
DOE = known("Jane Doe", "person")
SHORT = known("Jane", "person")
IBM = known("International Business Machines", "organization")


@pytest.mark.parametrize(
    ("graph", "item", "uuid"),
    [
        pytest.param([JANE], FoundEntity(name="jane  SMITH"), JANE.uuid, id="G5 normal name"),
        pytest.param(
            [known("Acme Corp", "organization")],
            FoundEntity(name="Acme", kind="organization"),
            "Acme Corp/organization",
            id="legal form",
        ),
        pytest.param(
            [known("Jane Smith", "person", "jane@x.org")],
            FoundEntity(name="Jane S.", aliases=("JANE@x.org",), kind="person"),
            JANE.uuid,
            id="e-mail address",
        ),
        pytest.param([known("Al", None)], FoundEntity(name="Al"), "Al/None", id="G5 any length"),
        pytest.param(
            [known("Paris", "place")],
            FoundEntity(name="Paris", kind="person"),
            None,
            id="a person is no place",
        ),
        pytest.param(
            [known("Max", "animal")],
            FoundEntity(name="Max", kind="person"),
            None,
            id="nor an animal",
        ),
        pytest.param(
            [known("Paris", "place"), known("Paris", "person")],
            FoundEntity(name="Paris", kind="person"),
            "Paris/person",
            id="several: the one of the same kind",
        ),
        pytest.param(
            [known("Paris", "place"), known("Paris", "person")],
            FoundEntity(name="Paris"),
            None,
            id="several and none of the same kind: a new one",
        ),
        pytest.param(
            [known("Apple", "organization"), known("Apple", "topic")],
            FoundEntity(name="Apple", kind="object"),
            None,
            id="several that merely fit: a new one",
        ),
        pytest.param(
            [known("5", "value")], FoundEntity(name="-5", kind="value"), None, id="values: signs"
        ),
        pytest.param(
            [JANE], FoundEntity(name="Jane", kind="person"), JANE.uuid, id="unique first name"
        ),
        pytest.param(
            [JANE, DOE], FoundEntity(name="Jane", kind="person"), None, id="two of that name"
        ),
        pytest.param(
            [JANE, DOE, SHORT],
            FoundEntity(name="Jane", kind="person"),
            SHORT.uuid,
            id="one of that very name",
        ),
        pytest.param(
            [JANE], FoundEntity(name="Jane"), None, id="a first name of nobody in special"
        ),
        pytest.param(
            [SHORT],
            FoundEntity(name="Jane Smith", kind="person"),
            None,
            id="a full name after a short one is somebody else",
        ),
        pytest.param(
            [known("Anna-Lena Berg", "person")],
            FoundEntity(name="Anna", kind="person"),
            None,
            id="half a first name",
        ),
        pytest.param([IBM], FoundEntity(name="IBM", kind="organization"), IBM.uuid, id="initials"),
        pytest.param(
            [known("IBM", "organization")],
            FoundEntity(name="International Business Machines", kind="organization"),
            "IBM/organization",
            id="initials, the other way",
        ),
        pytest.param(
            [IBM, known("Institute of Better Maps", "organization")],
            FoundEntity(name="IBM", kind="organization"),
            None,
            id="initials of two",
        ),
        pytest.param([IBM], FoundEntity(name="IBM"), None, id="initials of what?"),
        pytest.param(
            [known("Golden Gate Bridge Authority", "organization")],
            FoundEntity(name="Golden Gate Bridge Authoritys"),
            "Golden Gate Bridge Authority/organization",
            id="G7 almost the same",
        ),
        pytest.param(
            [known("Mario", "person")],
            FoundEntity(name="Maria", kind="person"),
            None,
            id="G6 short",
        ),
        pytest.param([USER], FoundEntity(name="I", who="user"), "user", id="the user, as I"),
        pytest.param([USER], FoundEntity(name="Emily", kind="person"), "user", id="first name"),
        pytest.param([USER], FoundEntity(name="emily painter"), "user", id="full name"),
        pytest.param([USER], FoundEntity(name="Emily@Painters.com"), "user", id="e-mail"),
        pytest.param([USER], FoundEntity(name="Emily0e62"), "user", id="user id"),
        pytest.param(
            [USER], FoundEntity(name="Emily Watson", kind="person"), None, id="another Emily"
        ),
        pytest.param([], FoundEntity(name="I", who="user"), None, id="no user in the graph"),
        pytest.param(
            [JANE], FoundEntity(name="Whoever", uuid=JANE.uuid), JANE.uuid, id="a given uuid"
        ),
    ],
)
def test_one_found(graph: list[KnownEntity], item: FoundEntity, uuid: str | None) -> None:
    """Against what the graph knows."""
    assert resolved(graph, item).known == (uuid,)


@pytest.mark.parametrize(
    ("graph", "item", "uuid"),
    [
        ([known("Acme", "organization")], ("Acme", "person"), "Acme/organization"),
        ([known("Max", "animal")], ("Max", "person"), "Max/animal"),
        ([known("Max", "animal")], ("Max", "organization"), "Max/animal"),
        ([known("Ada Berg", "person")], ("Ada Berg", "place"), "Ada Berg/person"),
        ([known("Paris", "place")], ("Paris", "person"), None),
        ([known("baker", "topic")], ("Baker", "person"), None),
        ([known("Acme Labs", "organization")], ("Acme", "person"), None),
        ([known("Max", "animal"), known("Max", "person")], ("Max", "person"), "Max/person"),
        ([known("Max", "animal"), known("Max", "place")], ("Max", "person"), None),
    ],
)
def test_a_guessed_kind_does_not_keep_equal_names_apart(
    graph: list[KnownEntity], item: tuple[str, EntityKind], uuid: str | None
) -> None:
    """But a first name may be a town's, too, and a job is nobody."""
    name, kind = item
    assert resolved(graph, FoundEntity(name=name, kind=kind, guessed=True)).known == (uuid,)


def test_a_kind_that_is_told_comes_before_one_that_is_guessed() -> None:
    """Whatever their order in the episode."""
    told = FoundEntity(name="Acme", kind="organization")
    guess = FoundEntity(name="Acme", kind="person", guessed=True)
    for found in ((told, guess), (guess, told)):
        assert len(set(resolved([], *found).groups)) == 1


def test_a_first_name_that_may_have_more_bearers_than_were_loaded_means_nobody() -> None:
    """The number of candidates is bounded, so a full list proves nothing."""
    things = [known(f"Jane's thing {n}") for n in range(CANDIDATES_PER_KEY_MAX)]
    item = FoundEntity(name="Jane", kind="person")
    assert resolved([JANE, *things[2:]], item).known == (JANE.uuid,)
    assert resolved([JANE, *things], item).known == (None,)


@pytest.mark.parametrize(
    ("found", "groups"),
    [
        (("Acme", "Acme Corp"), 1),
        (("Acme", "Globex"), 2),
        (("Ann Lee", "Ann"), 1),
        (("Ann", "Ann Lee"), 1),
        (("Ann", "Ann Lee", "Ann Doe"), 3),
    ],
)
def test_names_of_one_episode_collapse(found: tuple[str, ...], groups: int) -> None:
    """G3; a first name beside one full name is that person."""
    answer = resolved([], *(FoundEntity(name=name, kind="person") for name in found))
    assert len(set(answer.groups)) == groups
    assert answer.known == (None,) * len(found)


def test_a_first_name_beside_a_full_name_is_that_person_even_if_others_have_it() -> None:
    """Who was just mentioned is meant."""
    found = [FoundEntity(name=name, kind="person") for name in ("Jane", "Jane Doe")]
    assert resolved([JANE, DOE], *found).known == (DOE.uuid, DOE.uuid)


def test_kinds_are_compatible_both_ways_and_with_the_unknown() -> None:
    """A person is only a person."""
    kinds: list[EntityKind] = ["person", "animal", "organization", "place", "object", "value"]
    for one in kinds:
        assert compatible(one, None)
        assert compatible(None, one)
        assert compatible(one, one)
        for two in kinds:
            assert compatible(one, two) == compatible(two, one)
    for other in kinds[1:]:
        assert not compatible("person", other)
