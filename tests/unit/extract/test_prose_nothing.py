"""What must not become a fact: small talk, questions, guesses, advice, other languages."""

import pytest

from tests.unit.extract.prose_world import said, written

SMALL_TALK = [
    "Thanks!",
    "Thank you so much, that was helpful.",
    "Hi!",
    "Hello Jane, how are you?",
    "Good morning!",
    "I'm fine.",
    "I'm fine, thanks.",
    "I'm good.",
    "That's great!",
    "That's awesome, congrats!",
    "I think so",
    "I see.",
    "I understand.",
    "I agree.",
    "It was nice talking to you",
    "Let me know",
    "Let me know if you need anything.",
    "Take care!",
    "See you later.",
    "Talk to you soon!",
    "No worries.",
    "You're welcome.",
    "Sounds good.",
    "Sounds like a plan!",
    "Have a great day!",
    "Good luck with everything!",
    "Wow, so cool!",
    "I'm so proud of you!",
    "I appreciate it.",
    "Yes.",
    "No.",
    "lol",
    "👍",
    "...",
    "",
]
QUESTIONS = [
    "How are you?",
    "Do you like pizza?",
    "Where do you live?",
    "Have you been to Paris?",
    "What's your name?",
    "Is Anna married to Bob?",
    "did you see the game",
    "Should I move to Berlin?",
]
NOT_SAID_TO_BE_SO = [
    "If I win the lottery, I will buy a house.",
    "I might go to Rome.",
    "I could move to Canada.",
    "Maybe I should get a dog.",
    "I wonder whether Anna works at Acme.",
    "I hope you are well.",
    "I would have bought the car.",
]
GENERAL = [
    "It is what it is.",
    "Time flies.",
    "We can do it!",
    "Taking care of ourselves is vital.",
    "Family is everything.",
    "She is nice.",
    "They did it again.",
    "This is it.",
]
FOREIGN = [
    "Ich wohne in Berlin und arbeite bei Siemens.",
    "Vivo en Madrid y trabajo en Telefónica.",
    "Je m'appelle Marie et j'habite à Paris avec mon mari.",
    "Mi hermana vive en Barcelona desde hace tres años.",
    "Abito a Roma e lavoro per una banca.",
    "我住在北京。我在谷歌工作。",
    "Я живу в Москве и работаю в банке.",
    "私は東京に住んでいます。",
    "Eu moro em Lisboa com a minha família.",
    "Ik woon in Amsterdam en werk bij Philips.",
]


@pytest.mark.parametrize("text", SMALL_TALK + QUESTIONS + NOT_SAID_TO_BE_SO + GENERAL)
def test_no_fact_comes_of(text):
    assert said(text).facts == ()


def test_a_plan_is_told_with_its_condition():
    (fact,) = said("Unless it rains, I will visit Tom.").facts
    assert (fact.predicate, fact.fact) == ("PLANS", "Jane Smith: Unless it rains, I will visit Tom")


@pytest.mark.parametrize("text", FOREIGN)
def test_another_language_is_left_alone(text):
    assert said(text).facts == ()
    assert said(text).entities == ()
    assert written(text).facts == ()


def test_an_english_sentence_beside_another_language_is_read():
    found = said("Ich wohne schon lange in dieser schönen Stadt. I work at Siemens.")
    assert [fact.name for fact in found.facts] == ["WORKS_AT"]


def test_the_first_person_of_nobody_says_nothing():
    assert said("I live in Rome.", role="system", speaker=None).facts == ()
