"""Who is meant: the speaker, the listener, relatives, pronouns, the user by every name."""

import pytest

from recollect.extract.brief import KnownName, Turn
from tests.unit.extract.prose_world import said, sentences, triples, written

J = "Jane Smith"


def test_the_users_first_person_is_the_user():
    found = said("I live in Rome.")
    assert (found.entities[0].who, found.entities[0].name) == ("user", J)


def test_a_speaker_before_the_colon_is_the_speaker():
    text = "Paul (user): I went to Eric Clapton concert last night"
    found = said(text, role=None, speaker=None, user=None)
    assert triples(found)[0] == ("Paul", "VISITED", "Eric Clapton concert")
    start, end = found.facts[0].span
    assert text[start:end] == "I went to Eric Clapton concert last night"


def test_a_transcript_has_a_speaker_on_each_line():
    text = "Anna: I live in Rome.\nBob: I live in Oslo."
    found = said(text, role=None, speaker=None, user=None)
    assert triples(found) == [("Anna", "LIVES_IN", "Rome"), ("Bob", "LIVES_IN", "Oslo")]


def test_the_role_in_brackets_makes_the_speaker_the_user():
    found = said("Jane (user): I love jazz", role=None, speaker=None)
    assert found.entities[found.facts[0].source].who == "user"


def test_an_assistant_speaks_for_itself():
    found = said("I booked a table at Panera Bread.", role="assistant", speaker="Bot")
    source = found.entities[found.facts[0].source]
    assert (source.who, source.name) == ("assistant", "Bot")


def test_what_an_assistant_says_of_the_listener_is_of_the_user():
    found = said("You booked a flight to Rome.", role="assistant", speaker="Bot")
    assert found.entities[found.facts[0].source].who == "user"


def test_a_named_speaker_without_a_profile_is_a_person():
    found = said("I live in Rome.", speaker="Caroline", user=None)
    assert found.entities[0].name == "Caroline"
    assert (found.entities[0].who, found.entities[0].kind) == (None, "person")


@pytest.mark.parametrize("name", ["Jane", "Jane Smith", "The user", "jane@example.com"])
def test_a_text_may_call_the_user_by(name):
    found = written(f"{name} lives in Rome.")
    assert found.entities[found.facts[0].source].who == "user"


def test_another_jane_with_another_surname_is_not_the_user():
    found = written("Jane Miller lives in Rome.")
    assert found.entities[found.facts[0].source].who is None


KIN = [
    ("My sister Emma lives in Rome.", ("Emma", "LIVES_IN", "Rome")),
    ("My sister Emma lives in Rome.", (J, "HAS_SISTER", "Emma")),
    ("Anna, my boss, moved to Oslo.", (J, "HAS_BOSS", "Anna")),
    ("Emma is my sister.", (J, "HAS_SISTER", "Emma")),
    ("My dog's name is Max.", (J, "HAS_DOG", "Max")),
    ("I have a cat named Luna.", (J, "HAS_CAT", "Luna")),
    ("I have two kids.", (J, "HAS_CHILD", "Jane Smith's kids")),
    ("My sister lives in Rome.", ("Jane Smith's sister", "LIVES_IN", "Rome")),
    ("My brother's wife works for Google.", ("Jane Smith's brother's wife", "WORKS_AT", "Google")),
    ("Tom's mother lives in Rome.", ("Tom's mother", "LIVES_IN", "Rome")),
    (
        "My husband, who works at Google, loves chess.",
        ("Jane Smith's husband", "WORKS_AT", "Google"),
    ),
    ("My friend Tom plays chess.", (J, "HAS_FRIEND", "Tom")),
    ("My mom is a teacher.", ("Jane Smith's mom", "WORKS_AS", "teacher")),
    ("my wife sara works at Ikea", ("Sara", "WORKS_AT", "Ikea")),
]


@pytest.mark.parametrize(("text", "triple"), KIN, ids=[f"{row[0]} {row[1][1]}" for row in KIN])
def test_relatives_and_pets_are_known_by_owner_or_name(text, triple):
    assert triple in triples(said(text))


def test_a_named_relative_is_told_in_one_sentence():
    assert "Emma is Jane Smith's sister" in sentences(said("My sister Emma lives in Rome."))


def test_a_relative_of_whom_one_has_one_keeps_the_qualified_name():
    found = said("My wife Sara works at Ikea.")
    (sara,) = [entity for entity in found.entities if entity.name == "Sara"]
    assert sara.aliases == ("Jane Smith's wife",)


def test_a_relative_named_before_is_the_same_later():
    found = said("My sister Emma lives in Rome. My sister works at Fiat.")
    assert ("Emma", "WORKS_AT", "Fiat") in triples(found)


def test_an_email_address_is_an_alias_of_its_owner():
    found = said("My email is jane.smith@work.org.")
    assert found.entities[0].aliases == ("jane.smith@work.org",)


def test_a_name_the_speaker_gives_is_an_alias():
    found = said("Hi, my name is Janet Smith and I work at Acme Corp.")
    assert "Janet Smith" in found.entities[0].aliases
    assert (J, "WORKS_AT", "Acme Corp") in triples(found)


PRONOUNS = [
    ("My sister Emma is an architect. She lives in Rome.", ("Emma", "LIVES_IN", "Rome")),
    ("Tom called. He works at Siemens.", ("Tom", "WORKS_AT", "Siemens")),
    ("My brother met my aunt. She lives in Rome.", ("Jane Smith's aunt", "LIVES_IN", "Rome")),
    ("My kids love nature. They play football.", ("Jane Smith's kids", "PLAYS", "football")),
    ("Emma moved to Oslo and she works at Equinor.", ("Emma", "WORKS_AT", "Equinor")),
]


@pytest.mark.parametrize(("text", "triple"), PRONOUNS, ids=[row[0] for row in PRONOUNS])
def test_a_pronoun_is_the_last_one_that_fits(text, triple):
    assert triple in triples(said(text))


def test_a_pronoun_can_reach_into_the_turn_before():
    before = (
        Turn(content="My sister Emma got a new job.", role="user", speaker="Jane"),
        Turn(content="Nice! Where does she work?", role="assistant", speaker="Bot"),
    )
    assert ("Emma", "WORKS_AT", "Fiat") in triples(said("She works at Fiat.", before=before))


def test_a_pronoun_for_two_is_not_guessed():
    before = (Turn(content="We met Anna and Clara in town.", role="user", speaker="Jane"),)
    found = said("She works at Fiat.", before=before)
    assert sentences(found) == ["Jane Smith: She works at Fiat"]
    assert triples(found) == [(J, "STATES", "Fiat")]


@pytest.mark.parametrize(
    "text",
    [
        "My physio is Marta at Greenleaf, she wants me to stop running for six weeks.",
        "My dentist is Paula at Brightsmile and she says I need a crown.",
        "I spoke to Karim at Oakfield, he offered me a desk.",
    ],
)
def test_a_pronoun_is_never_the_place_where_somebody_works(text):
    for place in ("Greenleaf", "Brightsmile", "Oakfield"):
        assert not any(sentence.startswith(place) for sentence in sentences(said(text)))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Olga is leaving and has asked Dr. Emeka Nwosu to stay on. He is a chemist.", "Olga is a"),
        ("I start a course in Bergen, the dean picked me, her name is Ida Dahl.", "Bergen's name"),
        ("Our family misses Rex. He is not here any more.", "family is not here"),
    ],
    ids=["somebody else who was named", "a place", "a family"],
)
def test_a_pronoun_is_nobody_who_may_not_be_meant(text, wrong):
    assert not any(wrong in sentence for sentence in sentences(said(text)))


def test_a_pronoun_for_nobody_is_not_guessed():
    assert sentences(said("She works at Fiat.")) == ["Jane Smith: She works at Fiat"]


def test_no_sentence_has_a_loose_pronoun():
    text = "I met Tom. He gave me his old bike and I repaired it. It was fun. I love this."
    told = sentences(said(text))
    assert "Tom gave Jane Smith Tom's old bike and Jane repaired it" in told
    for sentence in (one for one in told if not one.startswith("Jane Smith:")):
        assert not {"this", "that", "I", "me", "my", "It"} & set(sentence.split())
        assert "bike" in sentence or "it" not in sentence.split()


def test_each_entity_is_listed_once():
    found = said("I love Rome. Rome is beautiful. My sister lives in Rome.")
    names = [entity.name for entity in found.entities]
    assert len(names) == len(set(names))


def test_no_pronoun_or_date_is_an_entity():
    found = said("Yesterday I told her that on Friday we visited Rome in May.")
    assert {entity.name for entity in found.entities} <= {J, "Rome"}


def test_a_known_name_lends_its_kind_and_its_capital():
    found = said("i met luna yesterday", known=(KnownName(name="Luna", kind="animal"),))
    (luna,) = [entity for entity in found.entities if entity.name == "Luna"]
    assert luna.kind == "animal"


def test_the_verb_tells_what_sort_of_thing_it_is():
    found = said("I live in Xyzzy and work at Plugh.")
    kinds = {entity.name: entity.kind for entity in found.entities}
    assert (kinds["Xyzzy"], kinds["Plugh"]) == ("place", "organization")


def test_a_name_in_a_question_is_still_an_entity():
    found = said("Have you ever been to Paris?")
    assert [entity.name for entity in found.entities] == ["Paris"]


PETS = [
    # text, the pet's name, its kind
    ("Our cat Miso is ill.", "Miso", "animal"),
    ("My cat Miso threw up.", "Miso", "animal"),
    ("I have a cat Miso.", "Miso", "animal"),
    ("Our beagle Biscuit loves cheese.", "Biscuit", None),
    ("Poor Biscuit hurt his paw.", "Biscuit", None),
    ("We took our golden retriever Biscuit to the vet.", "Biscuit", None),
]


@pytest.mark.parametrize(("text", "name", "kind"), PETS)
def test_what_an_animal_is_and_pity_for_it_are_no_part_of_its_name(text, name, kind):
    entities = [entity for entity in said(text).entities if entity.who is None]
    assert [entity.kind for entity in entities if entity.name == name] == [kind]
    assert not any(entity.name.endswith((f" {name}", " cat")) for entity in entities)


def test_what_is_said_before_a_name_stays_in_the_sentence():
    assert sentences(said("Our beagle Biscuit loves cheese.")) == [
        "Jane Smith: Our beagle Biscuit loves cheese"
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I admire Vincent van Gogh.", "Vincent van Gogh"),
        ("I love New York.", "New York"),
        ("The Poor Clares are nuns.", "Poor Clares"),
    ],
)
def test_a_name_keeps_all_its_words(text, name):
    called = [entity.name.casefold() for entity in said(text).entities]
    assert name.casefold() in called


def test_a_name_that_is_part_of_the_name_says_nothing():
    assert written("Marta Kowalska is Marta.").facts == ()
    assert said("Hi, I'm Jane.").facts == ()
    assert said("My name is Jane.").facts == ()


GUESSES = [
    # text, name, kind, whether only the parser's label tells
    ("I work at Zirkon Labs.", "Zirkon Labs", "organization", False),
    ("I left Zirkon Labs.", "Zirkon Labs", "person", True),
    ("My friend Anna is ill.", "Anna", "person", False),
    ("I met Anna. I met my friend Anna.", "Anna", "person", False),
    ("I met Anna.", "Anna", "person", True),
    ("I live in Leeds.", "Leeds", "place", False),
]


@pytest.mark.parametrize(("text", "name", "kind", "guessed"), GUESSES)
def test_a_kind_is_a_guess_when_only_a_label_tells_it(text, name, kind, guessed):
    (entity,) = [entity for entity in said(text).entities if entity.name == name]
    assert (entity.kind, entity.guessed) == (kind, guessed)
