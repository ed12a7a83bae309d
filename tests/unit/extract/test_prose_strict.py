"""What the reader does not claim: a name, a time or a fact that the words do not support."""

from datetime import UTC, datetime

import pytest

from recollect.extract.brief import Turn
from tests.unit.extract.prose_world import AT, said, sentences, triples

J = "Jane Smith"


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        # What happened to a thing did not happen to its owner.
        ("Tom's badge was revoked.", ("Tom", "STATES", "Tom's badge")),
        # Which noun a second phrase belongs to is a guess.
        ("I signed the lease for the flat on Elm Street.", (J, "SIGNED", "lease")),
        # A passive says what one is allowed, not what one allows.
        ("I am allowed to drive at night again.", (J, "IS_ALLOWED_TO_DRIVE", J)),
        # What is past is no plan; what somebody would do is none either.
        ("We organized a party for Nils.", (J, "ORGANIZED_PARTY_FOR", "Nils")),
        ("If they ask me, I'd move to Bergen in May.", (J, "STATES", "Bergen")),
        # A taste in a relative clause is about something else.
        ("I may have found a job at a firm I like.", (J, "STATES", "job")),
        # The particle is part of what is said.
        ("I'm up for the challenge.", (J, "IS_UP_FOR", "challenge")),
        # Who loses a job does not quit it.
        ("I lost my job at Helix Labs.", (J, "LOST_JOB", "Helix Labs")),
        # A weekday in the plural is a time, not what something is.
        ("Rehearsals are Thursdays now.", (J, "STATES", "Rehearsals")),
    ],
)
def test_a_relation_says_no_more_than_its_sentence(text: str, triple: tuple[str, str, str]) -> None:
    assert triple in triples(said(text))


def test_what_was_booked_is_known_since_it_was_said() -> None:
    (fact,) = said("I have booked Room Fjord for 7 May from 10:00 to 11:30.").facts
    day = datetime(2024, 5, 7, 10, tzinfo=UTC)
    assert (fact.valid_at, fact.invalid_at, fact.event_at) == (AT, None, day)


@pytest.mark.parametrize(
    "text",
    [
        "My neighbour put his bike up for sale last week, he wants 400 for it.",
        "The plan is 14 euros a seat; before January it was 12.",
    ],
)
def test_a_time_that_belongs_to_one_of_several_clauses_bounds_none(text: str) -> None:
    assert {(fact.valid_at, fact.invalid_at) for fact in said(text).facts} == {(AT, None)}


def test_an_end_in_the_past_is_no_beginning() -> None:
    (fact,) = said("Grandpa worked as a carpenter until he retired in 1988.").facts
    assert fact.invalid_at == datetime(1988, 1, 1, tzinfo=UTC)
    assert fact.valid_at is None


def test_a_day_of_every_month_is_no_date() -> None:
    (fact,) = said("The book club meets on the first Tuesday of the month, half past seven.").facts
    assert (fact.valid_at, fact.event_at) == (AT, None)


def test_to_come_by_is_no_deadline() -> None:
    (fact,) = said("I'd love to come by next weekend.").facts
    assert fact.invalid_at is None
    assert "before" not in fact.fact


def test_a_consequence_has_a_time_of_its_own() -> None:
    """Thursday 14 March: the Monday on which one works now is still to come."""
    found = said("I swapped the night shift with Dario so I'm working Monday.")
    swapped, working = found.facts
    assert swapped.valid_at == AT
    assert working.valid_at == datetime(2024, 3, 18, tzinfo=UTC)


def test_a_new_year_that_greets_is_no_date() -> None:
    (fact,) = said("New year, new me: I'm going vegan.").facts
    assert fact.valid_at == AT


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I forwarded Ana's e-mail.", "Ana's e-mail"),
        ("Free slots: Tue 10-11, Thu after 15:00.", None),
        ("emergency: call Grandma 555 0199", "Grandma"),
    ],
)
def test_no_piece_of_a_word_date_or_number_is_an_entity(text: str, name: str | None) -> None:
    names = {entity.name for entity in said(text).entities}
    assert names.isdisjoint({"Ana's e", "Thu", "Tue", "Grandma 555"})
    assert name is None or name in names


def test_what_something_is_for_stays_with_it() -> None:
    found = sentences(said("I started running again so I can keep up with the kids."))
    assert found == ["Jane Smith started running again so Jane can keep up with the kids"]


@pytest.mark.parametrize(
    "text",
    [
        "You'll find the perfect opportunity.",
        "You've got this!",
        "Don't worry!",
        "Congrats on the new store!",
        "We shall see.",
    ],
)
def test_encouragement_is_no_fact(text: str) -> None:
    assert said(text).facts == ()


def test_which_of_two_questions_is_answered_is_not_guessed() -> None:
    before = (Turn(content="Where do you live? Where do you work?", role="assistant"),)
    (fact,) = said("In Oslo.", before=before).facts
    assert 'asked "Where do you live? Where do you work?"' in fact.fact


def test_a_question_told_before_a_statement_is_still_a_question() -> None:
    found = sentences(said("Did Ana send the drafts? I printed them on Monday for the meeting."))
    assert not any("drafts. " in one or "drafts, " in one for one in found)


def test_a_verb_behind_a_relative_clause_is_not_given_to_the_subject() -> None:
    found = sentences(said("I met Rolf, who had lost a lot, yet stayed cheerful."))
    assert not any(one.startswith("Jane Smith yet stayed") for one in found)


def test_a_verb_that_is_joined_to_a_passive_is_active() -> None:
    found = sentences(said("Ana was born in Riga, grew up in Hamburg and worked as a carpenter."))
    assert not any("was worked" in one for one in found)


def test_what_one_is_sure_of_is_not_torn_off() -> None:
    found = sentences(said("I'm sure with some effort, I can make a good place for my guests."))
    assert not any("can make" in one and "sure" not in one for one in found)


def test_what_is_not_wanted_is_told_in_the_speakers_words() -> None:
    found = sentences(said("Klara wants the report in English, not Dutch, and hates pie charts."))
    assert "Klara wants the report in English, not Dutch" in found
    assert "Klara hates pie charts" in found


def test_a_weekday_with_an_article_keeps_it() -> None:
    found = sentences(said("Earl's check-up is the Wednesday."))
    assert not any("the on" in one for one in found)


def test_a_note_in_the_past_tense_is_past() -> None:
    found = said("Customer wrote again. Refunded 49.90 on 1 March; second charge still pending.")
    assert not any(fact.event_at and fact.event_at > AT for fact in found.facts)
