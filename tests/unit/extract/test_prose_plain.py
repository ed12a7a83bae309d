"""Facts keep to the words: how clauses are cut, told in the speaker's words, and held against them."""

import time
from collections.abc import Collection
from datetime import UTC, datetime

import pytest

from recollect.extract.brief import Turn
from recollect.extract.prose.fidelity import SourceClause
from recollect.extract.prose.syntax import text_of
from recollect.extract.prose.units import units
from recollect.models import parser
from recollect.settings import Settings
from tests.unit.extract.prose_world import AT, said, sentences, triples, written

J = "Jane Smith"


def _source(text: str, names: Collection[str] = (J,)) -> SourceClause:
    return SourceClause(list(parser.load(Settings().models)(text)), (), names)


FAITHFUL = [
    ("I live in Oslo.", "Jane Smith lives in Oslo"),
    ("I live in Oslo and teach Latin.", "Jane Smith teaches Latin"),
    ("I like tea, pottery and chess.", "Jane Smith likes chess"),
    ("We are working on Project Alpha and Project Beta.", "Jane Smith is working on Project Beta"),
    ("I use the lawn mower and the hedge trimmer.", "Jane Smith uses the hedge trimmer"),
    ("Been working on a book and painting a wall.", "Jane Smith has been painting a wall"),
    ("My number is 555-123-4567.", "Jane Smith's number is 555-123-4567"),
    ("I can't eat nuts.", "Jane Smith cannot eat nuts"),
]
UNFAITHFUL = [
    # Words of its own, words in another order, words left out in the middle.
    ("I live in Oslo.", "Jane Smith resides in Oslo"),
    ("I told Anna that Bob left.", "Bob told Anna that Jane Smith left"),
    ("Anna left Bob in Rome.", "Bob left Anna in Rome"),
    ("I saw the film about Rome with Anna.", "Jane Smith saw Rome with Anna"),
    ("I never wanted to sell the house.", "Jane Smith sold the house"),
    ("I bought a car and sold a house.", "Jane Smith bought a house"),
    # A denial, or whose it is, left out or put in; half of a list that shares its end.
    ("I do not like tea.", "Jane Smith likes tea"),
    ("Lotte is off.", "Lotte is not off"),
    ("Nelson is Mrs Bevan's now.", "Nelson is Mrs Bevan now"),
    ("I saw her cat.", "Jane Smith saw Jane Smith cat"),
    ("I met Tom in Rome.", "Jane Smith met Tom Smith in Rome"),
    ("I fear most reptiles and animals with fur.", "Jane Smith fears most reptiles with fur"),
]


@pytest.mark.parametrize(("text", "fact"), FAITHFUL)
def test_a_fact_that_keeps_to_the_words_passes(text: str, fact: str) -> None:
    assert _source(text).covered(fact)


@pytest.mark.parametrize(("text", "fact"), UNFAITHFUL)
def test_a_fact_that_does_not_keep_to_the_words_fails(text: str, fact: str) -> None:
    assert _source(text).covered(fact) is None


def test_a_clause_is_told_whole_if_nearly_all_of_it_and_every_verb_is() -> None:
    source = _source("Tom gave me his lovely old bike and I repaired it")
    part = source.covered("Tom gave Jane Smith his lovely old bike")
    assert part
    assert not source.covers(part)
    assert source.covers(source.carrying)


UNITS = [
    ("I live in Oslo, but my sister lives in Rome.", ["I live in Oslo", "my sister lives in Rome"]),
    ("She lives in Oslo and works at Equinor.", ["She lives in Oslo", "She works at Equinor"]),
    (
        "I'm Ana, 31, living in Porto with Rui.",
        ["I'm Ana", "I'm 31", "I'm living in Porto with Rui"],
    ),
    (
        "The gate code is 7710, give it to my aunt if she asks, she is called Rosa.",
        ["The gate code is 7710", "give it to my aunt if she asks", "she is called Rosa"],
    ),
    (
        "Last year we sold the boat and bought a van.",
        ["Last year we sold the boat", "Last year we bought a van"],
    ),
    ("She has sold the boat and bought a van.", ["She has sold the boat", "She has bought a van"]),
    ("They pay 11 an hour, starts in July.", ["They pay 11 an hour, starts in July"]),
    ("I came and went.", ["I came and went"]),
    ("If it rains, we stay at home.", ["If it rains, we stay at home"]),
    (
        "Raised in Ghent, she speaks three languages.",
        ["Raised in Ghent, she speaks three languages"],
    ),
    (
        "I painted a wall, and there were many people.",
        ["I painted a wall, and there were many people"],
    ),
    ("I moved because I got a job in Rome.", ["I moved because I got a job in Rome"]),
    ("I think that Anna lives in Rome.", ["I think that Anna lives in Rome"]),
    ("Anna said she moved to Oslo.", ["Anna said she moved to Oslo"]),
    ("I think so", ["I think so"]),
    ("By the way, I live in Oslo.", ["I live in Oslo"]),
    ("So far I have read two books.", ["So far I have read two books"]),
    ("Remember that I use a Pixel 9.", ["I use a Pixel 9"]),
    ("I wanted to let you know that I live in Oslo.", ["I live in Oslo"]),
    ("Remember to call me.", ["Remember to call me"]),
]


@pytest.mark.parametrize(("text", "expected"), UNITS, ids=[text for text, _ in UNITS])
def test_only_clauses_that_stand_beside_each_other_are_cut_apart(
    text: str, expected: list[str]
) -> None:
    found = units(parser.load(Settings().models)(text)[:])
    told = [text_of(unit).strip(" .") for unit in found]
    assert told == expected


TOLD = [
    ("User is allergic to penicillin", "Jane Smith is allergic to penicillin"),
    ("Remember that I use a Pixel 9.", "Jane Smith uses a Pixel 9"),
    ("Please remember that I'm vegetarian.", "Jane Smith is vegetarian"),
    ("Don't forget that I live in Oslo.", "Jane Smith lives in Oslo"),
    # No subject, no verb, nobody whom a pronoun stands for: a quotation.
    ("Lives in Berlin", "Jane Smith: Lives in Berlin"),
    ("No calls after 16:00", "Jane Smith: No calls after 16:00"),
    ("She works at Fiat.", "Jane Smith: She works at Fiat"),
    # Nobody but the speaker knows who "we" are; a parse that is a guess; a verb that may be past.
    ("Our beagle Biscuit loves cheese.", "Jane Smith: Our beagle Biscuit loves cheese"),
    ("Not Helen, she's a director.", "Jane Smith: Not Helen, she's a director"),
    ("left shin hurts since Tuesday", "Jane Smith: left shin hurts since Tuesday (12 March 2024)"),
    ("Budget 120k, wants a pilot.", "Jane Smith: Budget 120k, wants a pilot"),
    ("I quit smoking in 2019.", "Jane Smith: I quit smoking in 2019"),
]


def test_a_full_stop_ends_a_sentence_and_nothing_else_does() -> None:
    found = sentences(said("The only seat left is 41K. Change fee is 90 EUR."))
    assert found == ["The only seat left is 41K", "Change fee is 90 EUR"]


def test_the_end_of_a_line_ends_a_sentence() -> None:
    """Whatever it ends with; and the heading of one item of a list is not that of the next."""
    lines = "Numbers:\n- 92 kg, 1.83 m\n- goal: Ghent marathon\n- 90 kg (cake)\n- pool only for now"
    assert sentences(said(lines)) == [
        "Jane Smith: Numbers: 92 kg, 1.83 m",
        "Jane Smith: goal: Ghent marathon",
        "Jane Smith: Numbers: 90 kg (cake)",
        "Jane Smith: Numbers: pool only for now",
    ]


def test_an_item_keeps_its_own_heading() -> None:
    """Also where the parser ends a sentence behind the colon."""
    lines = "- driving licence: renewed\n- car insurance: Allsecur, policy 77-120-9"
    assert sentences(said(lines)) == [
        "Jane Smith: driving licence: renewed",
        "Jane Smith: car insurance: Allsecur, policy 77-120-9",
    ]


def test_a_title_in_lower_case_ends_no_sentence() -> None:
    before = (Turn(content="Which dentist do you see?", role="assistant"),)
    assert sentences(said("dr. okafor, on high street", before=before)) == [
        'Jane Smith (asked "Which dentist do you see?"): Dr. okafor, on high street'
    ]


def test_whoever_speaks_beside_the_user_is_somebody_else() -> None:
    before = (Turn(content="I do the pick-up.", role="user", speaker="Jane"),)
    found = said("I'm in the office on Wednesdays.", speaker="Tom", before=before)
    assert [source for source, _, _ in triples(found)] == ["Tom"]


def test_advice_of_an_assistant_is_no_fact() -> None:
    advice = "Add an index on the barcode. I'd recommend moving to Postgres at some point."
    assert said(advice, role="assistant", speaker="Bot").facts == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Everyone except Dana is coming to the offsite.", "STATES"),
        ("I moved the whole app to a Hetzner box.", "STATES"),
        ("I'm two weeks into driving a van.", "STATES"),
    ],
)
def test_a_relation_says_no_more_than_the_words(text: str, name: str) -> None:
    assert [fact.name for fact in said(text).facts] == [name]


@pytest.mark.parametrize(
    "text",
    [
        "The book club moved to the library on Main Street.",
        "Our running club moved to Saturday mornings.",
        "We moved to the back room at the Fox and Hounds.",
        "The standup moved to Berlin time.",
        "I moved to the front row.",
    ],
)
def test_not_everything_that_moves_lives_there(text: str) -> None:
    assert all(name != "LIVES_IN" for _, name, _ in triples(said(text)))


@pytest.mark.parametrize(
    "text", ["We moved to a bigger flat.", "My sister moved to Leeds.", "I moved into a house."]
)
def test_whoever_moves_to_a_place_lives_there(text: str) -> None:
    assert [name for _, name, _ in triples(said(text)) if name == "LIVES_IN"]


def test_a_change_joins_what_it_led_to() -> None:
    found = triples(said("We switched from Okta to Entra ID."))
    assert [target for _, _, target in found] == ["Entra ID"]


def test_what_stands_behind_a_preposition_is_not_what_somebody_is() -> None:
    found = said("Lucía is on maternity leave from today, route deck requests to Okke Visser.")
    assert all(name != "IS_A" for _, name, _ in triples(found))


def test_a_time_in_a_clause_with_until_is_an_end() -> None:
    found = said("Tom does the invoices until Anna is back in September.")
    (fact,) = found.facts
    assert fact.valid_at == AT
    assert fact.invalid_at == datetime(2024, 9, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["The Old Mill confirmed 21 June 2024.", "I told Anna that the deck is due on the 25th."],
)
def test_what_was_done_did_not_begin_later(text: str) -> None:
    (fact,) = said(text).facts
    assert fact.valid_at == AT
    assert fact.event_at is not None
    assert fact.event_at > AT


@pytest.mark.parametrize(
    "text",
    [
        "Tom drops the kids off every day except Wednesday.",
        "I removed the schedule (Mon/Wed/Fri 10:00).",
    ],
)
def test_a_day_of_every_week_is_no_date(text: str) -> None:
    assert [(fact.valid_at, fact.event_at) for fact in said(text).facts] == [(AT, None)]
    assert not any("2024" in sentence for sentence in sentences(said(text)))


def test_what_somebody_is_asked_to_do_something_for_is_no_fact() -> None:
    found = sentences(said("Call Anna so she doesn't stand in front of a locked door."))
    assert not any(one.startswith("Anna does") for one in found)


def test_a_shouted_past_is_told_as_it_was_said() -> None:
    found = sentences(said("i PASSED. 112/180 but a pass is a pass"))
    assert "Jane Smith: I PASSED" in found


def test_a_greeting_opens_a_message() -> None:
    found = sentences(said("The guild imploded. gm ran off with the guild bank"))
    assert not any(": ran off" in one for one in found)


MAIL = """can you file this?
---------- Forwarded message ----------
From: Pieter Kloosterman <pieter@example.com>
To: Jane Smith <jane@example.com>
Date: 12 March 2024
Subject: Q1 review

Dear Jane,

Thanks, Jane

the auditors need three more days. We moved our office to Utrecht.

Best, Pieter"""


def test_an_e_mail_is_told_by_its_sender() -> None:
    found = said(MAIL)
    told = sentences(found)
    assert "Pieter Kloosterman: We moved our office to Utrecht" in told
    assert not any(word in one for one in told for word in ("From", "To:", "Subject", "@"))
    assert J not in {source for source, _, _ in triples(found)}


def test_an_e_mail_of_ones_own_is_ones_own() -> None:
    mail = "From: Jane Smith <jane@example.com>\nTo: Tom\nSubject: keys\n\nI work at Acme."
    assert sentences(said(mail)) == sentences(written(mail)) == ["Jane Smith works at Acme"]


def test_where_a_journey_begins_and_ends_sends_no_mail() -> None:
    found = said("From: Berlin\nTo: Paris\nDate: 3 May\nSeat 14 is booked for me.")
    assert all(source != "Berlin" for source, _, _ in triples(found))


@pytest.mark.parametrize(("text", "sentence"), TOLD, ids=[text for text, _ in TOLD])
def test_a_clause_is_told_so_that_it_can_be_understood_alone(text: str, sentence: str) -> None:
    assert sentences(said(text)) == [sentence]


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Please remember that I live in Oslo.", (J, "LIVES_IN", "Oslo")),
        ("User is allergic to penicillin", (J, "ALLERGIC_TO", "penicillin")),
        ("I have an appointment with Dr. Weber.", (J, "HAS_APPOINTMENT_WITH", "Dr. Weber")),
        ("I told Anna that I quit my job.", (J, "QUIT", J)),
    ],
)
def test_the_relation_stays_whatever_the_words(text: str, triple: tuple[str, str, str]) -> None:
    assert triples(said(text)) == [triple]


def test_a_note_without_a_speaker_is_told_as_it_stands() -> None:
    assert sentences(written("Lives in Berlin")) == ["Lives in Berlin"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Dentist with Dr. Weber next Tuesday",
            "Dentist with Dr. Weber next Tuesday (19 March 2024)",
        ),
        ("Dentist tomorrow at 9:00", "Dentist tomorrow at 9:00 (15 March 2024)"),
        ("Dentist on 3 May 2024", "Dentist on 3 May 2024"),
    ],
)
def test_a_date_stands_in_brackets_behind_the_words_for_it(text: str, told: str) -> None:
    assert sentences(said(text)) == [f"Jane Smith: {told}"]


def test_an_answer_is_told_with_its_question() -> None:
    before = (Turn(content="Nice. Where do you work?", role="assistant"),)
    assert sentences(said("At Google", before=before)) == [
        'Jane Smith (asked "Where do you work?"): At Google'
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "We bought a second-hand van. It does 8 litres on the motorway.",
            "Jane Smith: We bought a second-hand van. It does 8 litres on the motorway",
        ),
        (
            "The offer isn't 51 in the end, they came up to 53,500 after I haggled.",
            "Jane Smith: The offer isn't 51 in the end, they came up to 53,500 after I haggled",
        ),
        (
            "The kiln was delivered on Tuesday. It weighs more than our car.",
            "Jane Smith: The kiln was delivered on Tuesday (12 March 2024). It weighs more than our car",
        ),
        (
            "The gym moved. its at the station now",
            "Jane Smith: The gym moved. it's at the station now",
        ),
        (
            "Lumen Coffee are putting me on a retainer!! R22 000 a month, eight days.",
            "Jane Smith: Lumen Coffee are putting me on a retainer. R22 000 a month, eight days",
        ),
        (
            "Finance came back: 265k total, that's the ceiling.",
            "Jane Smith: Finance came back: 265k total, that's the ceiling",
        ),
        (
            "We got the signature! 88k for year one.",
            "Jane Smith: We got the signature. 88k for year one",
        ),
    ],
)
def test_a_quotation_that_points_back_is_told_behind_what_it_points_to(
    text: str, told: str
) -> None:
    """Nobody who finds it later knows what "it" was; what was said before it stays a fact of its own."""
    found = sentences(said(text))
    assert told in found
    assert len(found) > 1


@pytest.mark.parametrize(
    "text",
    [
        "My sister moved to Leeds, she rents a flat.",
        "Left my gym, the queue was a joke. At Rust, the little place by the lock",
    ],
)
def test_what_can_be_understood_alone_is_told_alone(text: str) -> None:
    """A pronoun that is resolved; and the queue was not at Rust."""
    assert not any(
        sentence.startswith("Jane Smith:") and ". " in sentence
        for sentence in sentences(said(text))
    )


@pytest.mark.parametrize("opening", ["Just so you know", "Between you and me", "By the way"])
def test_words_that_only_open_a_sentence_are_no_fact(opening: str) -> None:
    found = sentences(said(f"{opening}, Dana is leaving the company in March."))
    assert [one.removesuffix(" 2024").removesuffix(" (2024)") for one in found] == [
        "Dana is leaving the company in March"
    ]


def test_a_question_is_no_answer() -> None:
    before = (Turn(content="How about Panera Bread or Chipotle?", role="assistant"),)
    assert said("Do any of those have vegetarian options?", before=before).facts == ()


def test_a_mother_in_law_is_no_mother() -> None:
    found = said("My mother in law Ingrid lives in Bergen.")
    assert all(fact.name != "HAS_MOTHER" for fact in found.facts)
    assert "Ingrid is Jane Smith's mother-in-law" in sentences(found)


def test_several_relations_with_the_same_words_are_one_fact() -> None:
    assert len(said("I work as an engineer at Acme in Berlin.").facts) == 1


@pytest.mark.parametrize("title", ['"War and Peace"', "'War and Peace'"])
def test_a_title_in_quotation_marks_is_one_thing(title: str) -> None:
    found = sentences(said(f"Last week I bought {title} and a lamp."))
    assert any(f"bought {title}" in one for one in found)
    assert all(one.count(title[0]) in (0, 2) for one in found)


def test_what_may_be_the_next_of_a_list_describes_nobody() -> None:
    """ "Acme Coffee, a law firm called Brink, and Cape Kites" are three."""
    found = sentences(said("My clients are Acme Coffee, a law firm called Brink, and Cape Kites."))
    assert not any("Acme Coffee is a" in one for one in found)
    assert "Ada Berg is a pharmacist" in sentences(said("My neighbour is Ada Berg, a pharmacist."))


def test_the_last_word_of_a_name_joins_nothing() -> None:
    found = sentences(said("I have the Blue Card Plus now, so I am free to go."))
    assert any("Blue Card Plus" in one for one in found)


def test_a_note_behind_a_comma_has_a_time_of_its_own() -> None:
    found = said("The buyer is Stella Marsh, cash, closing July 11.")
    assert all(fact.valid_at == found.facts[0].valid_at for fact in found.facts)
    assert not any(fact.valid_at and fact.valid_at.month == 7 for fact in found.facts)


POISON = {
    "one word": "word " * 2000,
    "brackets": ")." * 5000,
    "no pauses": ("i went to the shop and then we saw anna and she said hi " * 400)[:20_000],
    "one letter": "a" * 20_000,
    "a list": "I like " + ", ".join(["tea"] * 2000),
    "nested": "he said that " * 1200,
}


@pytest.mark.parametrize("text", POISON.values(), ids=POISON.keys())
def test_the_work_grows_with_the_text_and_no_faster(text: str) -> None:
    said("I live in Oslo.")  # loads the models
    began = time.process_time()
    said(text)
    assert time.process_time() - began < 15


def test_a_clause_that_names_someone_else_is_no_fact_of_one_alone() -> None:
    """Guide of generation 2, "Walkthrough": an edge joins the two that its fact names."""
    found = said("Karen wants me to lead the Berlin project.")
    assert triples(found) == [("Karen", "WANTS_THAT", "Jane Smith")]
