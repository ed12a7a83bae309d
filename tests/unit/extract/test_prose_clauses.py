"""Which clauses of a sentence become facts, and about whom."""

import pytest

from recollect.extract.brief import Turn
from recollect.graph.found import Found
from tests.unit.extract.prose_world import fact_named, said, sentences, triples, written

J = "Jane Smith"
TO_TOM = (Turn(content="Hi Jane!", speaker="Tom"),)


def talked(text: str) -> Found:
    """What Jane says to Tom."""
    return said(text, before=TO_TOM)


NAMES = [
    ("I got a puppy last month! Her name is Shadow.", (J, "HAS_PUPPY", "Shadow")),
    ("I got a puppy last month! Her name's Coco.", (J, "HAS_PUPPY", "Coco")),
    ("We adopted a kitten. His name is Max.", (J, "HAS_KITTEN", "Max")),
]


@pytest.mark.parametrize(("text", "expected"), NAMES, ids=[text for text, _ in NAMES])
def test_a_pets_name_is_the_pets(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in triples(talked(text))


@pytest.mark.parametrize(
    "text",
    ["Her name is Luna.", "His name's Kyle!", "Our one-year-old is so cute, his name is Kyle!"],
)
def test_a_name_of_someone_unknown_never_renames_the_speaker(text: str) -> None:
    found = talked(text)
    assert all(fact.name != "HAS_NAME" for fact in found.facts)
    assert all(not entity.aliases for entity in found.entities if entity.name == J)


@pytest.mark.parametrize(
    "text",
    [
        "Must feel so liberating!",
        "Must have taken a lot of work.",
        "Really made me proud and reminded me to go on.",
        "Having belief in yourself matters.",
        "Don't give up on your dreams!",
        "Speak to you soon!",
        "Let's keep up the good work and make a difference.",
        "It's important to value different perspectives.",
        "I went to work, but it's nice to have someone to talk to.",
    ],
)
def test_what_is_not_said_of_the_speaker_is_no_fact_of_the_speaker(text: str) -> None:
    told = " ".join(sentences(talked(text)))
    assert "is nice" not in told
    assert told.replace("Jane Smith went to work", "") == "" or told.startswith("Jane Smith: ")


KEPT = [
    ("They've been there for me, I've known these friends for 4 years.", "has known these friends"),
    ("Thanks, I moved to Boston last week.", "moved to Boston"),
    ("Hey Tom, wanted to let you know that I'm running for office again.", "running for office"),
    ("We built a shed and I helped with getting the roof on.", "helped with getting the roof on"),
    ("I think that Tom works at Acme.", "Jane Smith thinks that Tom works at Acme"),
    ("The support group made me quit smoking.", "made Jane Smith quit smoking"),
    ("My aunt gave me a necklace, and it stands for love and faith.", "for love and faith"),
    ("Been busy, had an audition yesterday.", "had an audition"),
    ("Dyed my hair last week!", "dyed Jane's hair"),
    ("Seeing my garden grow was my favorite part.", "was Jane's favorite part"),
    ("One of the residents at the shelter, Cindy, wrote a poem.", "Cindy, wrote a poem"),
    ("I've been reading a lot and painting to relax.", "painting"),
]


@pytest.mark.parametrize(("text", "part"), KEPT, ids=[text for text, _ in KEPT])
def test_a_clause_beside_another_is_kept(text: str, part: str) -> None:
    assert any(part in fact for fact in sentences(talked(text))), sentences(talked(text))


def test_nobody_makes_a_place() -> None:
    assert "MADE" not in [name for _, name, _ in triples(talked("I went to the gym. I made it."))]


def test_it_is_tricky_says_nothing_certain() -> None:
    told = sentences(talked("I signed a petition. It is tricky."))
    assert all("tricky" not in fact for fact in told)


def test_who_finishes_a_book_has_read_it() -> None:
    fact = fact_named(talked("I finished reading The Hobbit."), "READ")
    assert not fact.ends


def test_what_is_left_may_be_a_company_or_a_town() -> None:
    found = said("I left Northwind last month.")
    (kind,) = [entity.kind for entity in found.entities if entity.name == "Northwind"]
    assert kind is None


def test_a_dose_is_not_the_medicine() -> None:
    assert (J, "TAKES", "Metformin") in triples(said("I take 500 mg of Metformin daily."))


@pytest.mark.parametrize("food", ["peanuts", "shellfish"])
def test_each_thing_of_a_list_after_a_preposition_is_a_fact(food: str) -> None:
    found = said("Bob is allergic to peanuts and shellfish.")
    assert ("Bob", "ALLERGIC_TO", food) in triples(found)


@pytest.mark.parametrize("when", ["now", "nowadays", "these days", "from now on", "instead"])
def test_a_taste_that_turned_is_a_preference(when: str) -> None:
    found = written(f"Kendra likes Puma shoes {when}.")
    assert ("Kendra", "PREFERS", "Puma shoes") in triples(found)


@pytest.mark.parametrize(
    ("text", "name"),
    [("Kendra likes Puma shoes.", "LIKES"), ("Kendra liked Puma shoes.", "LIKED")],
)
def test_a_taste_alone_is_no_preference(text: str, name: str) -> None:
    assert ("Kendra", name, "Puma shoes") in triples(written(text))


DOCUMENTS = [
    ("Schneider (born 13 March 1963 in Graz) is a player.", ("Schneider", "BORN_IN", "Graz")),
    ("Tom lived in Sudbury, Ontario.", ("Sudbury", "LOCATED_IN", "Ontario")),
    ("Mess of Blues is an album by Jeff Healey.", ("Mess of Blues", "IS_ALBUM_BY", "Jeff Healey")),
    (
        "The Sacramento Bee is the flagship of the McClatchy Company.",
        ("Sacramento Bee", "IS_FLAGSHIP_OF", "McClatchy Company"),
    ),
    (
        'Tom recorded the song "Mess of Blues" in 2007.',
        ("Tom", "RECORDED", "Mess of Blues"),
    ),
    ("Anna met author Bill Bryson in London.", ("Anna", "MET", "Bill Bryson")),
    ("Anna moved to the U.S. in 2004.", ("Anna", "LIVES_IN", "U.S.")),
    (
        "Paul Desmarais Jr. runs Power Corporation.",
        ("Paul Desmarais Jr.", "RUNS", "Power Corporation"),
    ),
]


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS, ids=[text for text, _ in DOCUMENTS])
def test_a_text_names_who_and_what_it_is_about(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in triples(written(text))


def test_who_said_it_stays_in_the_sentence() -> None:
    (fact,) = written("Orkem said it would fund the acquisition.").facts
    assert fact.fact == "Orkem said it would fund the acquisition"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Officials proposed a cut in the deficit to 70.9 billion dollars.", "ENGAGED_TO"),
        ("The old building serves as a museum.", "WORKS_AS"),
        ("The mood was in awe of the view.", "LOCATED_IN"),
    ],
)
def test_a_relation_needs_the_right_sort_of_thing(text: str, name: str) -> None:
    assert name not in [fact.name for fact in written(text).facts]
