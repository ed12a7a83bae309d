"""What is made of a good answer: types, people, relations, fields, times and places in the text."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest

from recollect.errors import ModelAnswerInvalid
from recollect.extract.brief import Brief, Guidance, Profile
from recollect.extract.llm.answer import Answer
from recollect.extract.llm.interpret import interpret
from recollect.graph import predicates
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.records.guidance import EdgeType, Ends, EntityType, Ontology, Property
from tests.unit.extract.test_model import entity, fact

AT = datetime(2024, 5, 1, 10, 0, 0, 123456, tzinfo=UTC)
TEXT = "We ate at  Osteria\nFrancescana, and I loved it."
JANE = Profile(
    name="Jane Smith",
    user_id="jane-1",
    first_name="Jane",
    last_name="Smith",
    email="jane@example.com",
)
ONTOLOGY = Ontology(
    entity_types=(
        EntityType(
            name="Restaurant",
            description="A place to eat.",
            properties=(
                Property(name="cuisine", type="Text", description=""),
                Property(name="stars", type="Int", description=""),
                Property(name="price", type="Float", description=""),
                Property(name="vegan", type="Boolean", description=""),
            ),
        ),
    ),
    edge_types=(
        EdgeType(
            name="RESTAURANT_VISIT",
            description="A visit.",
            properties=(Property(name="meal", type="Text", description=""),),
            source_targets=(Ends(source="User", target="Restaurant"),),
        ),
    ),
)


def reading(**more: Any) -> Brief:
    """An episode of Jane's graph."""
    guidance = Guidance(ontology=ONTOLOGY, defaults=True)
    plain: dict[str, Any] = {
        "kind": "message",
        "content": TEXT,
        "at": AT,
        "user": JANE,
        "guidance": guidance,
    }
    return Brief(**(plain | more))


def found(entities: list[Any], facts: list[Any], **more: Any) -> Found:
    """What becomes of an answer."""
    answer = msgspec.convert({"entities": entities, "facts": facts}, Answer)
    return interpret(answer, reading(**more), predicates.load(), extractor="t")


def one_entity(item: Any, **more: Any) -> FoundEntity:
    """What becomes of one entity."""
    return found([item], [], **more).entities[0]


def one_fact(item: Any, **more: Any) -> FoundFact:
    """What becomes of one fact between Jane and a restaurant."""
    ends = [entity("Jane"), entity("Osteria Francescana", kind="place", label="Restaurant")]
    return found(ends, [item], **more).facts[0]


def ate(**more: Any) -> Any:
    """A fact that says where Jane ate."""
    relation = more.pop("relation", "ATE_AT")
    return fact(0, 1, relation, "Jane ate at Osteria Francescana", **more)


def attributes(**values: Any) -> list[dict[str, Any]]:
    """Fields as a model would write them."""
    return [{"name": name, "value": value} for name, value in values.items()]


@pytest.mark.parametrize(
    "name", ["Jane", "jane smith", "Jane  Smith", "jane-1", "JANE@example.com", "user", "the user"]
)
def test_the_user_is_known_by_every_name_of_the_profile(name: str) -> None:
    """And is called by the name that the user's node has."""
    user = one_entity(entity(name))
    assert (user.who, user.name, user.kind, user.label) == ("user", "Jane Smith", "person", "User")
    assert "user" not in [alias.casefold() for alias in user.aliases]


@pytest.mark.parametrize("name", ["Jane Doe", "Janet", "Smith", "I"])
def test_another_name_is_another_person(name: str) -> None:
    """Better two than one wrong one."""
    assert one_entity(entity(name)).who is None


def test_without_a_user_nobody_is_the_user() -> None:
    """A standalone graph has none."""
    plain = Guidance()
    assert one_entity(entity("user"), user=None, guidance=plain).who is None


def test_the_assistant_is_known_by_its_word_and_by_its_voice() -> None:
    """The speaker of an assistant's message is the assistant."""
    assert one_entity(entity("Assistant")).who == "assistant"
    spoken = {"role": "assistant", "speaker": "HAL"}
    assert one_entity(entity("Hal"), **spoken).who == "assistant"
    assert one_entity(entity("Hal"), role="user", speaker="Hal").who is None


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("Restaurant", "Restaurant"),
        ("restaurant", "Restaurant"),
        ("Location", "Location"),
        ("Spaceship", None),
        ("User", None),
        ("Entity", None),
        ("", None),
        (None, None),
    ],
)
def test_a_label_is_one_of_the_types_or_none(label: str | None, expected: str | None) -> None:
    """And there is only one user."""
    assert one_entity(entity("Noma", label=label)).label == expected


def test_default_types_hold_only_where_they_are_wanted() -> None:
    """A user may opt out; the project's own types stay."""
    own = Guidance(ontology=ONTOLOGY)
    assert one_entity(entity("Paris", label="Location"), guidance=own).label is None
    assert one_entity(entity("Noma", label="Restaurant"), guidance=own).label == "Restaurant"
    assert one_entity(entity("Jane"), guidance=own).label is None


def test_fields_take_the_type_they_have() -> None:
    """A number in words of digits is that number; nothing is made up."""
    item = entity(
        "Noma",
        label="Restaurant",
        attributes=attributes(Cuisine=" nordic ", stars="3", price=99, vegan="no"),
    )
    found_fields = one_entity(item).attributes
    assert found_fields == {"cuisine": "nordic", "stars": 3, "price": 99.0, "vegan": False}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cuisine", "x" * 251),
        ("cuisine", ""),
        ("cuisine", None),
        ("stars", "three"),
        ("stars", 2.5),
        ("stars", True),
        ("stars", "1e400"),
        ("price", "nan"),
        ("price", None),
        ("vegan", "maybe"),
        ("vegan", 1),
        ("owner", "Rene"),
    ],
)
def test_a_field_that_does_not_fit_is_left_out_alone(name: str, value: Any) -> None:
    """The others stay: a wrong extra is no reason to lose the rest."""
    given = [*attributes(**{name: value}), *([] if name == "price" else attributes(price=5))]
    item = one_entity(entity("Noma", label="Restaurant", attributes=given))
    assert item.attributes == (None if name == "price" else {"price": 5.0})


def test_an_entity_without_a_type_has_no_fields() -> None:
    """There is nothing that says what they are."""
    assert one_entity(entity("Noma", attributes=attributes(stars=3))).attributes is None


@pytest.mark.parametrize(
    ("given", "name", "predicate"),
    [
        ("WORKS_AT", "WORKS_AT", "WORKS_AT"),
        ("works at", "WORKS_AT", "WORKS_AT"),
        ("worksAt", "WORKS_AT", "WORKS_AT"),
        ("WORKS_FOR", "WORKS_FOR", "WORKS_AT"),
        ("RESIDES_IN", "RESIDES_IN", "LIVES_IN"),
        ("IS_EMPLOYED_BY", "IS_EMPLOYED_BY", "WORKS_AT"),
        ("EMPLOYED_BY", "EMPLOYED_BY", "WORKS_AT"),
        ("STARTED_AT", "STARTED_AT", "WORKS_AT"),
        ("DOES_NOT_LIKE", "DOES_NOT_LIKE", "LIKES"),
        ("IS_FOND_OF", "IS_FOND_OF", "LIKES"),
        ("TUNES_THE_PIANO_OF", "TUNES_THE_PIANO_OF", "TUNES_THE_PIANO_OF"),
        ("café_owner_of", "CAFE_OWNER_OF", "CAFE_OWNER_OF"),
    ],
)
def test_a_relation_has_one_spelling_and_one_meaning(given: str, name: str, predicate: str) -> None:
    """Facts are compared by the predicate of the table; an open relation is its own."""
    item = one_fact(ate(relation=given))
    assert (item.name, item.predicate) == (name, predicate)


def test_a_denied_relation_says_so_in_its_name() -> None:
    """Whether the model said it in the name or in the flag."""
    by_flag = one_fact(ate(relation="LIKES", negated=True))
    by_name = one_fact(ate(relation="DOES_NOT_LIKE"))
    assert (by_flag.name, by_flag.predicate, by_flag.negated) == ("NOT_LIKES", "LIKES", True)
    assert (by_name.predicate, by_name.negated) == ("LIKES", True)


def test_a_fact_of_a_type_has_its_fields() -> None:
    """When both ends are of the types it may join."""
    item = one_fact(ate(relation="restaurant_visit", attributes=attributes(meal="dinner")))
    assert (item.name, item.attributes) == ("RESTAURANT_VISIT", {"meal": "dinner"})


def test_a_fact_between_other_types_has_none() -> None:
    """The direction counts too."""
    visit = fact(1, 0, "RESTAURANT_VISIT", "s", attributes=attributes(meal="dinner"))
    assert one_fact(visit).attributes is None


def test_a_fact_without_a_second_entity_is_about_its_first() -> None:
    """Its target is its source."""
    item = one_fact(fact(0, None, "RETIRED", "Jane retired"))
    assert (item.source, item.target) == (0, 0)


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("I loved it", "I loved it"),
        ("we ate at Osteria Francescana", "We ate at  Osteria\nFrancescana"),
        ('"I loved it."', "I loved it."),
        ("I adored it", None),
        ("   ", None),
        (None, None),
    ],
)
def test_a_quote_is_found_in_the_text_or_trusted_less(quote: str | None, words: str | None) -> None:
    """White space and case may differ, words may not."""
    item = one_fact(ate(quote=quote))
    assert (item.span and TEXT[slice(*item.span)]) == words
    assert (item.confidence < 1.0) == (words is None)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2024-04-30T20:00:00+02:00", datetime(2024, 4, 30, 18, tzinfo=UTC)),
        ("2024-04-30T20:00:00Z", datetime(2024, 4, 30, 20, tzinfo=UTC)),
        ("2024-04-30", datetime(2024, 4, 30, tzinfo=UTC)),
        ("2024-04", datetime(2024, 4, 1, tzinfo=UTC)),
        ("2019", datetime(2019, 1, 1, tzinfo=UTC)),
        (None, None),
    ],
)
def test_a_time_is_in_utc(given: str | None, expected: datetime | None) -> None:
    """A date is its first moment."""
    item = one_fact(ate(valid_at=given))
    assert item.valid_at == expected
    assert item.dated == (expected is not None)


def test_a_time_without_a_zone_is_in_that_of_the_reading() -> None:
    """Midnight in Berlin is not midnight in Greenwich."""
    item = one_fact(ate(valid_at="2024-04-30"), time_zone="Europe/Berlin")
    assert item.valid_at == datetime(2024, 4, 30, tzinfo=timezone(timedelta(hours=2)))
    assert item.valid_at is not None
    assert item.valid_at.tzinfo is UTC


def test_the_present_is_the_reference_time_exactly() -> None:
    """It was told in whole seconds, but facts of one episode share its moment."""
    item = one_fact(ate(valid_at="2024-05-01T12:00:00+02:00"))
    assert (item.valid_at, item.dated) == (AT, False)


def test_what_begins_and_ends_at_once_has_no_end() -> None:
    """A visit has a time, but it does not cease to have been."""
    item = one_fact(ate(valid_at="2024-04-30", invalid_at="2024-04-30"))
    assert (item.valid_at is None, item.invalid_at) == (False, None)


@pytest.mark.parametrize("value", ["99999-01-01", "0000-01-01", "0001-01-01T00:00:00+23:00", ""])
def test_a_time_out_of_the_calendar_is_an_error(value: str) -> None:
    """Never a crash of another kind."""
    with pytest.raises(ModelAnswerInvalid, match="valid_at"):
        one_fact(ate(valid_at=value))


def test_a_rating_counts_only_where_one_was_asked_for() -> None:
    """And lies between 0 and 1."""
    rated = Guidance(rating={"instruction": "by joy", "examples": {"high": "a", "low": "b"}})
    assert one_fact(ate(rating=0.8)).rating is None
    assert one_fact(ate(rating=0.8), guidance=rated).rating == 0.8
    assert one_fact(ate(rating=None), guidance=rated).rating is None
    with pytest.raises(ModelAnswerInvalid, match=r"facts\[0\]\.rating"):
        one_fact(ate(rating=1.5), guidance=rated)


def test_a_key_path_counts_only_for_json() -> None:
    """Prose has none."""
    assert one_fact(ate(slot="a.b")).slot is None
    assert one_fact(ate(slot="a.b"), kind="json").slot == "a.b"


def test_a_strict_ontology_lets_only_its_types_through() -> None:
    """Entities without a type go with their facts; positions still point at the same entities."""
    entities = [entity("Bob"), entity("Jane"), entity("Noma", label="Restaurant")]
    facts = [
        fact(0, 2, "RESTAURANT_VISIT", "Bob went to Noma"),
        fact(1, 2, "RESTAURANT_VISIT", "Jane went to Noma"),
        fact(1, 2, "LIKES", "Jane likes Noma"),
    ]
    result = found(entities, facts, strict=True)
    assert [item.name for item in result.entities] == ["Jane Smith", "Noma"]
    assert [(item.source, item.target, item.fact) for item in result.facts] == [
        (0, 1, "Jane went to Noma")
    ]


def test_a_strict_ontology_without_fact_types_lets_every_relation_through() -> None:
    """Only the entities are restricted then; without any type nothing is left."""
    entities = [entity("Jane"), entity("Noma", label="Restaurant"), entity("Bob")]
    facts = [fact(0, 1, "LIKES", "Jane likes Noma"), fact(0, 2, "KNOWS", "Jane knows Bob")]
    own = Guidance(ontology=Ontology(entity_types=ONTOLOGY.entity_types), defaults=True)
    result = found(entities, facts, strict=True, guidance=own)
    assert [item.fact for item in result.facts] == ["Jane likes Noma"]
    assert found(entities, facts, strict=True, guidance=Guidance()).entities == ()


def test_the_same_answer_is_read_the_same_way() -> None:
    """Nothing depends on when or how often it is read."""
    entities = [entity("Jane", aliases=["JS", "", "JS"]), entity("Noma", label="Restaurant")]
    facts = [ate(quote="I loved it", valid_at="2024-04-30")]
    assert found(entities, facts) == found(entities, facts)
    assert found(entities, facts).entities[0].aliases == ("Jane", "JS")
