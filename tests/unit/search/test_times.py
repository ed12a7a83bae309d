"""Time words in a question: what narrows, to when, and what only looks like a time."""

from datetime import UTC, datetime

import pytest

from recollect.search.times import TimedEvent, TimeWindow, TimeWords, around, time_words

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)  # a Wednesday


def day(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


def read(text: str, zone: str | None = None) -> TimeWords:
    found = time_words(text, NOW, zone)
    assert found is not None, text
    return found


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("What did Nadia paint last spring?", "2025-03-01", "2025-06-01"),
        ("where was my brother in May 2023", "2023-05-01", "2023-06-01"),
        ("what happened yesterday", "2026-05-19", "2026-05-20"),
        ("Where did he work before 2020?", None, "2020-01-01"),
        ("What has she cooked since March?", "2026-03-01", None),
        ("who visited between June 2021 and March 2022", "2021-06-01", "2022-04-01"),
        ("What did he do from 2015 to 2019?", "2015-01-01", "2020-01-01"),
        ("what will Ola do next week", "2026-05-25", "2026-06-01"),
        ("how often did we climb in the last 2 months", "2026-03-20", "2026-05-20"),
        ("which bands did she follow in the 90s", "1990-01-01", "2000-01-01"),
        ("What was the budget as of January 2024?", "2024-01-01", "2024-02-01"),
        ("Until 2019, where did they live?", None, "2019-01-01"),
        ("what changed after 2019 and before 2021", "2020-01-01", "2021-01-01"),
        ("who came to the party on 2024-03-05", "2024-03-05", "2024-03-06"),
        ("What did they do at Christmas 2022?", "2022-12-25", "2022-12-26"),
        ("who called the day before yesterday", "2026-05-18", "2026-05-19"),
        ("What was said in yesterday's meeting?", "2026-05-19", "2026-05-20"),
        ("What did I eat today?", "2026-05-20", "2026-05-21"),
        ("Where has he been this year?", "2026-01-01", "2027-01-01"),
        ("who visited the day after Thanksgiving", "2025-11-28", "2025-11-29"),
        ("Which roof did Karim mend during the autumn?", "2025-09-01", "2025-12-01"),
        ("What did he repair after Christmas 2023?", "2023-12-25", None),
        ("What did the week before 14 February 2024 bring?", "2024-02-07", "2024-02-14"),
    ],
)
def test_words_that_name_a_time_narrow_to_it(text: str, start: str | None, end: str | None) -> None:
    """One window, no event."""
    found = read(text)
    assert found.windows == (TimeWindow(day(start), day(end)),)
    assert found.event is None


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("What did she plant in December?", "2025-12-01"),
        ("What will she plant in December?", "2026-12-01"),
        ("what's Tom doing in December?", "2026-12-01"),
        ("holiday photos from December", "2025-12-01"),
        ("What are your plans for Christmas?", "2026-12-25"),
        ("What did you get for Christmas?", "2025-12-25"),
        ("What did he tell me on Friday?", "2026-05-15"),
        ("Who is going to call on Friday?", "2026-05-22"),
    ],
)
def test_the_tense_says_which_of_several_is_meant(text: str, start: str) -> None:
    """Memory is asked about the past, unless the question is about the future."""
    (window,) = read(text).windows
    assert window.start == day(start)


@pytest.mark.parametrize(
    "text",
    [
        "may I know her name",
        "What does May like to eat?",
        "Who came second in the race?",
        "give me a second",
        "Who won the march on the capital?",
        "where does she live now",
        "what is today's special",
        "Does the bakery sell bread today?",
        "Does she like sunday roast?",
        "Is Friday her cat?",
        "Who wrote the Christmas cards?",
        "Who is April?",
        "what does she usually do at Christmas",
        "What do they do in winter?",
        "what does she do every Monday",
        "how long has she lived there, for 3 years?",
        "at what time, 5 pm?",
        "Who directed Blade Runner 2049?",
        "which flat has 3 rooms",
        "the summer house",
        "When did she move to Lisbon?",
        "When is the birthday of Jane?",
        "Tell me when she moved",
        "Do you remember when Tom broke his leg?",
        "when she moved to Lisbon",
        "What does she do before she goes to bed?",
        "what did he eat after dinner",
        "what does he drink after the gym",
        "Since she likes tea, what should I buy?",
        "Who looks after the dog?",
        "Who was the boy named after?",
        "after all what is it",
        "before that",
        "what happened during that time",
        "until when does the offer last",
        "Does Ben feel sad when his dog barks?",
        "favourite colour",
        "",
        "   ",
    ],
)
def test_what_only_looks_like_a_time_does_not_narrow(text: str) -> None:
    """Names, habits, lengths, verbs with "after", and questions that ask for a time."""
    assert time_words(text, NOW) is None


@pytest.mark.parametrize(
    ("text", "event", "relation"),
    [
        ("before she moved", "she moved", "before"),
        ("Where did Ana live before she moved to Porto?", "she moved to Porto", "before"),
        ("What did Tom say after the surgery?", "the surgery", "after"),
        ("What did Rosa do after her sister's wedding?", "her sister's wedding", "after"),
        ("Which books did I read before moving to Berlin?", "moving to Berlin", "before"),
        ("what did he do after graduating", "graduating", "after"),
        ("When she lived in Paris, where did she work?", "she lived in Paris", "when"),
        ("when she lived in Paris where did she work", "she lived in Paris", "when"),
        ("What has changed since she got married?", "she got married", "since"),
        ("since the divorce where does he live", "the divorce", "since"),
        ("what happened during the road trip to Utah", "the road trip to Utah", "when"),
        ("What did they do while they were in Rome?", "they were in Rome", "when"),
        ("How did Ben feel when his dog died?", "his dog died", "when"),
        ("what did Kim do after Lee left", "Lee left", "after"),
        ("What will she do after the wedding?", "the wedding", "after"),
        ("Where did he stay until he found a flat?", "he found a flat", "before"),
        ("Who called after last year's reunion?", "last year's reunion", "after"),
        ("what did she like about Marco's flat before Marco's move?", "Marco's move", "before"),
    ],
)
def test_an_event_is_named_with_its_relation(text: str, event: str, relation: str) -> None:
    """The clause can be searched for; its dates make the window."""
    found = read(text)
    assert found.event == TimedEvent(event, relation)  # type: ignore[arg-type]
    assert found.windows == ()


def test_a_date_inside_an_events_clause_belongs_to_the_event() -> None:
    """ "Before she moved in 2020" is not about 2020."""
    found = read("Before she moved in 2020, where did she live?")
    assert found.event == TimedEvent("she moved in 2020", "before")
    assert found.windows == ()
    assert found.rest == "where did she live?"


def test_a_date_beside_an_events_clause_narrows_too() -> None:
    """Both hold together."""
    found = read("what did she pack in May before the move")
    assert found.event == TimedEvent("the move", "before")
    assert found.windows == (TimeWindow(day("2026-05-01"), day("2026-06-01")),)


def test_two_periods_are_alternatives() -> None:
    """Either of them will do."""
    found = read("Which cities did she see in 2022 and 2024?")
    assert [window.start for window in found.windows] == [day("2022-01-01"), day("2024-01-01")]


def test_a_distance_reaches_half_a_unit_to_both_sides() -> None:
    """ "Three years ago" is no single day."""
    (window,) = read("what was her job three years ago").windows
    assert window.overlaps(day("2023-01-01"), day("2023-01-02"))
    assert window.overlaps(day("2023-10-01"), day("2023-10-02"))
    assert not window.overlaps(day("2022-01-01"), day("2022-06-01"))
    assert not window.overlaps(day("2024-06-01"), None)


def test_a_distance_from_a_date_reaches_half_a_unit_too() -> None:
    """Two weeks before a day is not one day either; the week before it is that week."""
    (window,) = read("Who rented the boat two weeks before 20 March 2022?").windows
    assert window.overlaps(day("2022-03-03"), day("2022-03-04"))
    assert not window.overlaps(day("2022-03-18"), day("2022-03-19"))
    (week,) = read("What did he build the week before 14 February 2024?").windows
    assert week == (day("2024-02-07"), day("2024-02-14"))


def test_a_guess_at_a_period_is_wider_than_the_period() -> None:
    """ "Around May" begins in April; "about last year" is a subject and stays exact."""
    (window,) = read("around May 2023 what did she buy").windows
    assert window.overlaps(day("2023-04-20"), day("2023-04-21"))
    (year,) = read("what does Jane think about last year's election").windows
    assert year == (day("2025-01-01"), day("2026-01-01"))


@pytest.mark.parametrize(
    ("text", "words", "rest"),
    [
        ("What did Nadia paint last spring?", "last spring", "What did Nadia paint?"),
        ("In May 2023 where was he?", "May 2023", "where was he?"),
        ("Where did Ana live before she moved?", "before she moved", "Where did Ana live?"),
        ("songs of 2019 and 2021", "2019; 2021", "songs"),
        ("What  did\nI do yesterday ?", "yesterday", "What did I do?"),
    ],
)
def test_the_rest_of_a_question_is_what_is_not_about_time(text: str, words: str, rest: str) -> None:
    """Prepositions that would hang in the air go too."""
    found = read(text)
    assert (found.words, found.rest) == (words, rest)


def test_days_begin_at_midnight_in_the_askers_zone() -> None:
    """Yesterday in Auckland began and ended half a day earlier than in UTC."""
    (window,) = read("what happened yesterday", "Pacific/Auckland").windows
    assert window.start == datetime(2026, 5, 19, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("window", "first", "last", "overlaps"),
    [
        (("2020-01-01", "2021-01-01"), "2019-05-01", "2020-01-01", False),
        (("2020-01-01", "2021-01-01"), "2019-05-01", "2020-01-02", True),
        (("2020-01-01", "2021-01-01"), "2021-01-01", None, False),
        (("2020-01-01", "2021-01-01"), None, None, True),
        (("2020-01-01", None), "2015-01-01", None, True),
        ((None, "2020-01-01"), "2020-01-01", None, False),
    ],
)
def test_a_window_ends_before_its_end(
    window: tuple[str | None, str | None], first: str | None, last: str | None, overlaps: bool
) -> None:
    """What ended as a window begins is not in it; what has no dates may be."""
    found = TimeWindow(day(window[0]), day(window[1]))
    assert found.overlaps(day(first), day(last)) is overlaps


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("before", (None, "2021-02-01")),
        ("after", ("2021-02-01", None)),
        ("since", ("2021-02-01", None)),
        ("when", ("2021-02-01", "2022-03-01")),
    ],
)
def test_an_events_dates_make_the_window(relation: str, expected: tuple[str | None, ...]) -> None:
    """Without a date of the event there is none."""
    event = TimedEvent("she moved", relation)  # type: ignore[arg-type]
    window = around(event, day("2021-02-01"), day("2022-03-01"))
    assert window == tuple(day(moment) for moment in expected)
    assert around(event, None, day("2022-03-01")) is None


@pytest.mark.parametrize(
    "text",
    [
        "after " * 1300,
        "A " * 4000,
        "May 2023 " * 900,
        "when she was " * 600,
        " " * 8000,
        "'s " * 2600,
    ],
)
def test_any_text_is_read_without_trouble(text: str) -> None:
    """Repetitions are read to a bounded length; whatever is found is well formed."""
    found = time_words(text, NOW)
    assert found is None or found.windows or found.event
