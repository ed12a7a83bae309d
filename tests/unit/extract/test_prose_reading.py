"""Noise, length, spans, sameness: how any text is read."""

import pytest

from recollect import limits
from recollect.extract.prose import syntax
from recollect.extract.prose.chat import normalise
from recollect.extract.prose.reader import is_english
from recollect.extract.prose.syntax import repair
from recollect.extract.prose.words import gerund, possessive, third
from recollect.models import parser
from recollect.settings import Settings
from tests.unit.extract.prose_world import prose, reading, said, sentences, triples, written

J = "Jane Smith"

NOISY = [
    ("im gonna visit rome tmrw", (J, "VISITS", "Rome")),
    ("i luv hiking", (J, "LIKES", "hiking")),
    ("i dont like metal 😀", (J, "DOES_NOT_LIKE", "metal")),
    ("I loooove sushi!!!", (J, "LIKES", "sushi")),
    ("i wanna learn piano lol", (J, "WANTS_TO", "piano")),
    ("ive been to Peru", (J, "VISITED", "Peru")),
    ("Went to the gym today", (J, "VISITED", "gym")),
    ("Just bought a new bike 🚲🚲", (J, "OWNS", "bike")),
    ("omg i got a job at Google!!", (J, "WORKS_AT", "Google")),
    ("I\u2019m vegetarian", (J, "IS_VEGETARIAN", "vegetarian")),
]


@pytest.mark.parametrize(("text", "triple"), NOISY, ids=[row[0] for row in NOISY])
def test_chat_spelling_is_understood(text, triple):
    assert triple in triples(said(text))


HYPHENATED = [
    'WiFi staff: SSID rw-staff, pass "otter-12" on the board in the hall.',
    "#7 Guests: SSID x-guest, key y-z, room a-b-c, desk d-e, all on the list.",
]


@pytest.mark.parametrize("text", HYPHENATED)
def test_mending_a_parse_leaves_a_tree(text):
    """The last part of "rw-staff" is above the first here; the sentence is a fact all the same."""
    doc = repair(parser.load(Settings().models)(text), lambda word: False)
    assert all(list(token.ancestors)[-1:] in ([], [token.sent.root]) for token in doc)
    assert sentences(said(text))


def test_a_parse_that_is_no_tree_is_left_as_it_came(monkeypatch):
    """Each correction is right by itself; two of one sentence may send words round in a circle."""

    def circle(hyphen):
        hyphen.nbor(-1).head, hyphen.nbor(1).head = hyphen.nbor(1), hyphen.nbor(-1)

    text = "The e-mail is in the rw-staff folder."
    nlp = parser.load(Settings().models)
    monkeypatch.setattr(syntax, "_name", lambda token: circle(token) if token.i == 2 else None)
    given = [(token.head.i, token.dep_) for token in nlp(text)]
    assert nlp(text)[2].text == "-"
    assert [(token.head.i, token.dep_) for token in repair(nlp(text), lambda word: False)] == given


SPELLING = [
    ("im here", "I'm here"),
    ("u r gonna luv it", "you are going to love it"),
    ("soooo goood", "so good"),
    ("thinkin' of you", "thinking of you"),
    ("reading & hiking w/ friends", "reading and hiking with friends"),
    ("one\n- two", "one. two"),
    ("It\u2019s \u201cfine\u201d", 'It\'s "fine"'),
    ("my id is A-1, U.S. stuff", "my id is A-1, U.S. stuff"),
    ("write to u@r.com", "write to u@r.com"),
]


@pytest.mark.parametrize(("raw", "plain"), SPELLING)
def test_spelling_is_made_ordinary(raw, plain):
    words = {"thinking", "good", "so"}
    assert normalise(raw, words.__contains__).text == plain


def test_a_call_to_the_listener_is_left_out():
    plain = normalise(
        "Hey Mel, I ran a race, Melanie!", set().__contains__, listener="Melanie"
    ).text
    assert plain == "I ran a race!"


def test_offsets_lead_back_to_the_original():
    raw = "im gonna luv it"
    normal = normalise(raw, set().__contains__, offset=5)
    start = normal.text.index("love")
    assert normal.span(start, start + 4) == (raw.index("luv") + 5, raw.index("luv") + 8)


def test_a_span_is_the_sentence_in_the_original_content():
    text = "Hi there! im livin in Rome 😀 It is warm."
    found = said(text)
    start, end = found.facts[0].span
    assert "Rome" in text[start:end]
    assert "warm" not in text[start:end]


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("I live in Madrid", True),
        ("Eric Clapton", True),
        ("Went camping yesterday", True),
        ("Vivo en Madrid", False),
        ("Ich mag Pizza", False),
        ("我住在北京", False),
        ("", True),
        ("12345", True),
    ],
)
def test_english_is_told_from_other_languages(text, english):
    assert is_english(text) is english


@pytest.mark.parametrize(
    ("lemma", "form"),
    [
        ("work", "works"),
        ("go", "goes"),
        ("have", "has"),
        ("try", "tries"),
        ("play", "plays"),
        ("watch", "watches"),
    ],
)
def test_third_person(lemma, form):
    assert third(lemma) == form


@pytest.mark.parametrize(
    ("lemma", "form"), [("run", "running"), ("make", "making"), ("die", "dying"), ("see", "seeing")]
)
def test_gerund(lemma, form):
    assert gerund(lemma) == form


def test_possessive():
    assert (possessive("Jane"), possessive("James")) == ("Jane's", "James'")


def test_an_episode_yields_a_bounded_number_of_facts():
    towns = [
        "Rome",
        "Paris",
        "Oslo",
        "Berlin",
        "Madrid",
        "Vienna",
        "Prague",
        "Dublin",
        "Bath",
        "Bern",
    ]
    text = " ".join(f"I visited {town} in {year}." for year in range(2010, 2020) for town in towns)
    assert len(said(text).facts) == limits.PROSE_FACTS_MAX


def test_many_are_read_as_if_each_were_alone():
    texts = ["I live in Rome.", "She works at Fiat.", "My sister Emma loves jazz.", "ok"]
    readings = [reading(text) for text in texts]
    assert prose().read_many(readings) == [prose().read(item) for item in readings]


def test_the_same_text_gives_the_same_facts():
    text = "My sister Emma, who lives in Rome, likes hiking, pottery and chess. She works at Fiat."
    assert said(text) == said(text)


def test_relation_names_are_short_and_screaming():
    text = "I went hiking with Tom. I took care of my neighbor's old dog. I'm allergic to nuts."
    for _, name, _ in triples(said(text)):
        assert name == name.upper()
        assert len(name.split("_")) <= 5
        assert len(name) <= limits.FACT_NAME_CHARS_MAX


def test_positions_of_a_fact_are_entities_of_the_same_found():
    found = said("My sister Emma lives in Rome and I live in Oslo with Tom.")
    for fact in found.facts:
        assert 0 <= fact.source < len(found.entities)
        assert 0 <= fact.target < len(found.entities)
        assert 0.0 < fact.confidence <= 1.0


@pytest.mark.parametrize(
    "text",
    [
        "(",
        '"',
        "a" * 5000,
        "\n\n\n",
        "I " * 500,
        "... ,,, !!!",
        "I'm",
        "'s",
        "not",
        "and and and",
        "\u200d\ufe0f",
    ],
)
def test_strange_input_does_no_harm(text):
    said(text)
    written(text)


def test_a_long_message_is_read_to_its_end():
    text = "It was a day like any other and nothing happened. " * 60 + "I work at Acme."
    assert "Jane Smith works at Acme" in sentences(said(text))


def test_a_list_with_bullets_is_read_line_by_line():
    found = said("Some facts:\n- I live in Rome\n- I work at Fiat")
    assert {name for _, name, _ in triples(found)} == {"LIVES_IN", "WORKS_AT"}
