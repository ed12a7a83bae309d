"""Types as a whole: the guide's conversation, the defaults, what is dropped, what strict means."""

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from recollect.extract.brief import Brief, KnownName
from recollect.extract.ontology import Classifier
from recollect.graph.found import Found, FoundEntity
from recollect.models import embedder
from recollect.models.embedder import Vectors
from recollect.records.guidance import Ontology
from recollect.settings import Settings
from tests.unit.extract.ontologies import FOOD, GARAGE, OFFICE
from tests.unit.extract.told import (
    AT,
    JOHN,
    USER,
    edge_type,
    entity_type,
    heard,
    message,
    says,
    text,
    thing,
    whole,
)

LUNCH = (
    ("user", "Take me to a lunch place"),
    ("assistant", "How about Panera Bread, Chipotle, or Green Leaf Cafe, which are nearby?"),
    ("user", "Do any of those have vegetarian options? I\u2019m vegetarian"),
    ("assistant", "Yes, Green Leaf Cafe has vegetarian options"),
)


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier(embedder.load(Settings().models).passages)


def _no_vectors(texts: Sequence[str]) -> Vectors:
    raise AssertionError(f"nothing should be embedded, but {texts} was")


def _entity(found: Found, name: str) -> FoundEntity:
    return next(entity for entity in found.entities if entity.name == name)


def test_the_guides_visit_to_a_restaurant_comes_out_as_printed(classifier: Classifier) -> None:
    fact = says("John Doe wants to go to Green Leaf Cafe", "VISITED", 1, mood="requested")
    got = classifier.classify(
        heard(fact, about=(thing("Green Leaf Cafe", "organization"),)),
        message("Let\u2019s go to Green Leaf Cafe", ontology=FOOD, before=LUNCH),
    )
    cafe = _entity(got, "Green Leaf Cafe")
    assert cafe.label == "Restaurant"
    assert cafe.attributes == {"dietary_accommodation": "vegetarian"}
    assert [(fact.name, fact.attributes) for fact in got.facts] == [
        ("RESTAURANT_VISIT", {"restaurant_name": "Green Leaf Cafe"})
    ]


def test_the_guides_audiobook_comes_out_as_printed(classifier: Classifier) -> None:
    title = "7 habits of highly effective people"
    fact = says(f"John Doe wants to play the {title}", "PLAYS", 1, mood="requested")
    got = classifier.classify(
        heard(fact, about=(thing(title, "document"),)),
        message(f"Play the {title}", ontology=FOOD),
    )
    assert _entity(got, title).label == "Audiobook"
    assert not _entity(got, title).attributes
    assert [(fact.name, fact.attributes) for fact in got.facts] == [
        ("AUDIOBOOK_LISTEN", {"audiobook_title": title})
    ]


@pytest.mark.parametrize("about", [(), (thing("vegetarian", "topic"),)], ids=["alone", "topic"])
def test_the_guides_dietary_preference_comes_out_as_printed(
    classifier: Classifier, about: tuple[FoundEntity, ...]
) -> None:
    fact = says("John Doe is vegetarian", "IS", len(about))
    got = classifier.classify(
        heard(fact, about=about),
        message("Do any of those have vegetarian options? I\u2019m vegetarian", ontology=FOOD),
    )
    assert got.facts[0].name == "DIETARY_PREFERENCE"
    assert got.facts[0].attributes == {"preference_type": "vegetarian", "allergy": False}


def test_a_typed_fact_keeps_the_relation_by_which_facts_are_compared(
    classifier: Classifier,
) -> None:
    fact = says("John Doe bought a Toyota Corolla", "OWNS", 1)
    got = classifier.classify(
        heard(fact, about=(thing("Toyota Corolla", "object"),)),
        message("I bought a Toyota Corolla", ontology=GARAGE),
    )
    assert (got.facts[0].name, got.facts[0].predicate) == ("OWNS_VEHICLE", "OWNS")


def test_a_wish_without_a_type_goes_and_takes_common_nouns_with_it() -> None:
    found = heard(
        says("John Doe wants to go to a lunch place", "VISITED", 1, mood="requested"),
        says("John Doe wants to go to London", "VISITED", 2, mood="requested"),
        says("John Doe is tired", "IS"),
        about=(thing("lunch place", "place"), thing("London", "place")),
    )
    got = Classifier(_no_vectors).classify(found, message("…", defaults=False))
    assert [entity.name for entity in got.entities] == ["John Doe", "London"]
    assert [fact.fact for fact in got.facts] == ["John Doe is tired"]


def test_facts_join_the_same_entities_after_some_were_dropped() -> None:
    found = heard(
        says("John Doe wants a snack", "WANT", 1, mood="requested"),
        says("John Doe works at Acme", "WORKS_AT", 2),
        about=(thing("snack", "object"), thing("Acme", "organization")),
    )
    got = Classifier(_no_vectors).classify(found, message("…", defaults=False))
    assert got.entities[got.facts[0].target].name == "Acme"


def test_nothing_is_embedded_without_custom_types() -> None:
    found = heard(
        says("John Doe likes pop music", "LIKES", 1), about=(thing("pop music", "topic"),)
    )
    got = Classifier(_no_vectors).classify(found, message("I like pop music"))
    assert _entity(got, "pop music").label == "Preference"


def test_likes_and_dislikes_are_preferences_with_their_category() -> None:
    found = heard(
        says("John Doe really likes pop music", "LIKES", 1),
        says("John Doe does not like metal", "LIKES", 2, negated=True),
        about=(thing("pop music", "topic"), thing("metal", "topic")),
    )
    content = "I really like pop music, and I don't like metal"
    got = Classifier(_no_vectors).classify(found, message(content))
    for name in ("pop music", "metal"):
        assert _entity(got, name).label == "Preference"
        assert (_entity(got, name).attributes or {})["category"] == "Music"


def test_a_person_one_is_a_fan_of_is_a_preference_and_one_simply_liked_is_not(
    classifier: Classifier,
) -> None:
    found = heard(
        says("John Doe is a fan of Eric Clapton", "LIKES", 1),
        says("John Doe likes Emma", "LIKES", 2),
        about=(thing("Eric Clapton", "person"), thing("Emma", "person")),
    )
    got = classifier.classify(found, message("I'm a fan of Eric Clapton."))
    assert [entity.label for entity in got.entities] == ["User", "Preference", None]


def test_what_someone_else_likes_is_no_preference_of_the_user() -> None:
    found = heard(
        says("Emma likes chess", "LIKES", 2, source=1),
        about=(thing("Emma", "person"), thing("chess", "topic")),
    )
    got = Classifier(_no_vectors).classify(found, message("Emma likes chess"))
    assert _entity(got, "chess").label == "Topic"


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("organization", "Organization"),
        ("document", "Document"),
        ("event", "Event"),
        ("place", "Location"),
        ("topic", "Topic"),
        ("object", "Object"),
        ("person", None),
        ("animal", None),
        ("value", None),
        (None, None),
    ],
)
def test_the_kind_of_a_thing_gives_its_default_type(kind: str | None, label: str | None) -> None:
    found = heard(says("John Doe saw it", "SEE", 1), about=(thing("it", kind),))  # type: ignore[arg-type]
    got = Classifier(_no_vectors).classify(found, message("I saw it"))
    assert got.entities[1].label == label


def test_the_user_and_the_assistant_carry_what_is_known_of_them() -> None:
    found = Found(entities=(USER, FoundEntity(name="Helper", who="assistant")))
    got = Classifier(_no_vectors).classify(found, message("Hello"))
    assert [entity.label for entity in got.entities] == ["User", "Assistant"]
    assert got.entities[0].attributes == {
        "user_id": "john-1",
        "role_type": "user",
        "email": "john.doe@example.com",
        "first_name": "John",
        "last_name": "Doe",
    }
    assert got.entities[1].attributes == {"assistant_name": "Helper"}


def test_default_types_do_not_hold_where_they_were_not_asked_for() -> None:
    found = heard(says("John Doe likes jazz", "LIKES", 1), about=(thing("jazz", "topic"),))
    got = Classifier(_no_vectors).classify(found, message("I like jazz", defaults=False))
    assert [entity.label for entity in got.entities] == [None, None]


def test_default_edges_need_an_event_or_a_place() -> None:
    found = heard(
        says("The conference took place in Berlin", "TAKE_PLACE_IN", 2, source=1),
        says("The Louvre is located in Paris", "LOCATED_IN", 4, source=3),
        says("John Doe works at Acme", "WORKS_AT", 5),
        about=(
            thing("conference", "event"),
            thing("Berlin", "place"),
            thing("Louvre", "organization"),
            thing("Paris", "place"),
            thing("Acme", "organization"),
        ),
    )
    got = Classifier(_no_vectors).classify(found, message("…"))
    assert [fact.name for fact in got.facts] == ["OCCURRED_AT", "LOCATED_AT", "WORKS_AT"]


@pytest.mark.parametrize(
    "rule",
    [
        "When I ask for code, respond only with code snippets followed by a bullet point list.",
        "Whenever I mention a city, please give me the weather there first.",
        "From now on, answer in French.",
        "Always cite your sources.",
    ],
)
def test_a_rule_for_the_agent_becomes_a_procedure(rule: str) -> None:
    got = Classifier(_no_vectors).classify(heard(), message(rule))
    procedures = [entity for entity in got.entities if entity.label == "Procedure"]
    assert [entity.attributes for entity in procedures] == [{"instruction": rule}]
    assert got.facts[0].fact == f"John Doe instructed the assistant: {rule}"


def test_what_was_read_inside_a_rule_goes_with_its_entities() -> None:
    rule = "When I ask for code, respond only with code snippets."
    inside = msgspec.structs.replace(says("John Doe asks for code", "ASK_FOR", 1), span=(0, 19))
    got = Classifier(_no_vectors).classify(
        heard(inside, about=(thing("code", "topic"),)), message(rule)
    )
    assert [entity.label for entity in got.entities] == ["User", "Procedure"]
    assert [fact.name for fact in got.facts] == ["HAS_PROCEDURE"]


def test_a_fact_about_one_thing_alone_is_of_no_type_that_asks_for_a_target(
    classifier: Classifier,
) -> None:
    found = heard(
        says("Project Apollo is delayed", "BE_DELAYED", 1, source=1),
        about=(thing("Project Apollo", "object"),),
    )
    got = classifier.classify(found, message("Project Apollo is delayed", ontology=OFFICE))
    assert [fact.name for fact in got.facts] == ["BE_DELAYED"]


@pytest.mark.parametrize(
    "sentence",
    [
        "When I was young, I lived in Ohio.",
        "If it rains, we stay home.",
        "When I ask for help, nobody comes.",
        "Always a pleasure!",
        "When should I use a list?",
        "After I eat, I sleep.",
    ],
)
def test_what_only_sounds_like_a_rule_is_no_procedure(sentence: str) -> None:
    got = Classifier(_no_vectors).classify(heard(), message(sentence))
    assert not [entity for entity in got.entities if entity.label == "Procedure"]


def test_a_custom_type_takes_the_place_of_the_default_of_its_name(classifier: Classifier) -> None:
    own = Ontology(
        entity_types=(
            entity_type("Location", "A city or country.", text("climate", "e.g. hot, cold, mild")),
        )
    )
    found = heard(
        says("John Doe lives in London", "LIVES_IN", 1), about=(thing("London", "place"),)
    )
    got = classifier.classify(found, message("I live in London, where it is mild", ontology=own))
    assert _entity(got, "London").label == "Location"
    assert _entity(got, "London").attributes == {"climate": "mild"}


def test_an_entity_that_has_a_custom_type_in_the_graph_keeps_it(classifier: Classifier) -> None:
    reading = msgspec.structs.replace(
        message("I liked Blue Door", ontology=FOOD, defaults=False),
        known=(KnownName(name="Blue Door", label="Restaurant"),),
    )
    found = heard(says("John Doe liked Blue Door", "LIKES", 1), about=(thing("Blue Door"),))
    assert _entity(classifier.classify(found, reading), "Blue Door").label == "Restaurant"


def test_a_record_in_json_fills_fields_by_their_keys(classifier: Classifier) -> None:
    shop = Ontology(
        entity_types=(
            entity_type("Ticket", "A request.", whole("seats", "How many"), text("area", "Where")),
        )
    )
    found = Found(
        entities=(
            thing("T-17"),
            thing("ticket", "value"),
            thing("4", "value"),
            thing("Balcony", "value"),
        ),
        facts=(
            says("T-17 type: ticket", "TYPE", 1, slot="orders.type"),
            says("T-17 seats: 4", "SEATS", 2, slot="orders.seats"),
            says("T-17 area: Balcony", "AREA", 3, slot="orders.area"),
        ),
    )
    reading = Brief(
        kind="json",
        content="{}",
        at=AT,
        guidance=message("", ontology=shop, defaults=False).guidance,
    )
    got = classifier.classify(found, reading)
    assert (got.entities[0].label, got.entities[0].attributes) == (
        "Ticket",
        {"seats": 4, "area": "Balcony"},
    )


def test_strict_drops_what_has_no_configured_type_but_never_the_user(
    classifier: Classifier,
) -> None:
    found = heard(
        says("John Doe drives a Toyota Corolla", "DRIVES", 1),
        says("John Doe lives in Boston", "LIVES_IN", 2),
        about=(thing("Toyota Corolla", "object"), thing("Boston", "place")),
    )
    reading = message("I drive a Toyota Corolla", ontology=GARAGE, defaults=False, strict=True)
    got = classifier.classify(found, reading)
    assert [entity.name for entity in got.entities] == ["John Doe", "Toyota Corolla"]
    assert [fact.name for fact in got.facts] == ["OWNS_VEHICLE"]


def test_strict_without_edge_types_keeps_any_fact_between_typed_entities(
    classifier: Classifier,
) -> None:
    only = Ontology(entity_types=GARAGE.entity_types)
    found = heard(
        says("John Doe washed the Toyota Corolla", "WASH", 1),
        about=(thing("Toyota Corolla", "object"),),
    )
    reading = message("I washed the Toyota Corolla", ontology=only, defaults=False, strict=True)
    assert [fact.name for fact in classifier.classify(found, reading).facts] == ["WASH"]


def test_strict_without_any_types_finds_nothing() -> None:
    found = heard(says("John Doe likes jazz", "LIKES", 1), about=(thing("jazz", "topic"),))
    reading = message("I like jazz", defaults=False, strict=True)
    got = Classifier(_no_vectors).classify(found, reading)
    assert (got.entities, got.facts) == ((), ())


def test_an_edge_type_is_not_given_where_its_ends_do_not_fit(classifier: Classifier) -> None:
    found = heard(
        says("Emma drives a Toyota Corolla", "DRIVES", 2, source=1),
        about=(thing("Emma", "person"), thing("Toyota Corolla", "object")),
    )
    got = classifier.classify(found, message("Emma drives a Toyota Corolla", ontology=GARAGE))
    assert [fact.name for fact in got.facts] == ["DRIVES"]


def test_the_same_episode_gets_the_same_types_whatever_came_before(classifier: Classifier) -> None:
    found = heard(
        says("John Doe drives a Subaru", "DRIVES", 1), about=(thing("Subaru", "organization"),)
    )
    reading = message("I drive a Subaru", ontology=GARAGE)
    fresh = Classifier(embedder.load(Settings().models).passages)
    assert classifier.classify(found, reading) == fresh.classify(found, reading)


def test_strange_input_is_survived() -> None:
    def embed(texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 4), dtype=np.float32)

    odd = Ontology(
        entity_types=(entity_type("___", ""), entity_type("日本", "   ")),
        edge_types=(edge_type("X", "", ends=((None, "___"),)),),
    )
    found = heard(says("John Doe … (", "", 1), about=(thing("(*[", None), thing("", None)))
    got = Classifier(embed).classify(found, message("(*[ ?!\n\n", ontology=odd))
    assert got.entities[0].name == JOHN.name


def test_steps_in_order_are_one_procedure() -> None:
    """Guide of generation 2, "Default Entity Types": a multi-step instruction, in one sentence or
    in several."""
    once = "Whenever I ask you for code, first write the tests, then the code, then explain it."
    several = "If I ask for a plan: first list the goals. Then ask me what is missing."
    for content, rule in (
        (once, once),
        (several, several),
        (f"{several} I live in Oslo.", several),
    ):
        got = Classifier(_no_vectors).classify(heard(), message(content))
        found = [entity.attributes for entity in got.entities if entity.label == "Procedure"]
        assert found == [{"instruction": rule}]


def test_an_overridden_procedure_fills_its_own_fields_only(classifier: Classifier) -> None:
    """A custom type takes the place of the default of its name, and is found where that would be."""
    own = Ontology(
        entity_types=(
            entity_type(
                "Procedure",
                "How the assistant should behave.",
                text("trigger", "When the procedure applies"),
                text("steps", "What to do"),
            ),
        )
    )
    rule = "Whenever I ask you for code, first write the tests, then the code."
    got = classifier.classify(heard(), message(rule, ontology=own))
    (found,) = [entity for entity in got.entities if entity.label == "Procedure"]
    assert found.attributes == {
        "trigger": "Whenever I ask you for code",
        "steps": "first write the tests, then the code",
    }


def test_an_overridden_preference_fills_its_own_fields(classifier: Classifier) -> None:
    """Those that the default has as well are filled as there, the others from the text."""
    own = Ontology(
        entity_types=(
            entity_type(
                "Preference",
                "Something that somebody likes or dislikes.",
                text("category", "The area of life it belongs to"),
                text("strength", "How strong it is, for example: strong, weak, mild"),
            ),
        )
    )
    content = "I have a strong liking for jazz"
    found = heard(says("John Doe has a strong liking for jazz", "LIKES", 1), about=(thing("jazz"),))
    got = classifier.classify(found, message(content, ontology=own))
    assert _entity(got, "jazz").label == "Preference"
    assert _entity(got, "jazz").attributes == {"category": "Music", "strength": "strong"}


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("Eric Clapton", "Music"),
        ("Radiohead", "Music"),
        ("steak", "Food"),
        ("iPhone", "Technology"),
        ("Star Wars", "Film"),
        ("short answers", "Communication"),
        ("knitting", "Hobbies"),
        ("dark mode", "General"),
    ],
)
def test_a_preference_always_has_a_category(
    classifier: Classifier, name: str, category: str
) -> None:
    """Guide of generation 2, "Default Entity Types": by its words, else by what it is like."""
    found = heard(says(f"John Doe likes {name}", "LIKES", 1), about=(thing(name, "topic"),))
    got = classifier.classify(found, message(f"I like {name}"))
    assert (_entity(got, name).attributes or {})["category"] == category
