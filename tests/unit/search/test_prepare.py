"""A question as a segment gets it: without the names of those who talk, with its time."""

from datetime import UTC, datetime

import numpy as np
import pytest

from recollect.graph.filters import DateTest, Filters
from recollect.graph.terms import hashed, terms
from recollect.search.prepare import prepare, without
from recollect.search.query import Lookups, NamedEntity, PreparedQuery, Query
from recollect.search.tables import first_name
from recollect.search.vectors import DIMENSIONS

NOW = datetime(2024, 6, 12, 12, tzinfo=UTC)


class Embedding:
    """Notes what is embedded; each text has a direction of its own."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, text: str) -> np.ndarray:
        self.texts.append(text)
        return np.eye(DIMENSIONS, dtype=np.float32)[len(self.texts) - 1]


def asked_of(
    text: str, *speakers: str, filters: Filters | None = None
) -> tuple[PreparedQuery, str]:
    """The question, and the text whose meaning is searched for."""
    embed = Embedding()
    query = Query(text=text, kind="episode", now=NOW, filters=filters or Filters())
    found = prepare({first_name(name) for name in speakers}, query, Lookups(), embed)
    searched = embed.texts[0]
    assert found.hashes == tuple(hashed(term) for term in terms(searched))
    return found, searched


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("What does Jane like?", "What does like?"),
        ("What is Jane's job?", "What is job?"),
        ("What is Jane\u2019s job?", "What is job?"),
        ("JANE, where do you work?", "where do you work?"),
        ("Where did Emma go?", "Where did Emma go?"),
        ("Are Janes or Janet here?", "Are Janes or Janet here?"),
    ],
)
def test_the_names_of_those_who_talk_are_taken_out(text: str, searched: str) -> None:
    """With their possessives; whoever never said a word stays in."""
    assert asked_of(text, "Jane Smith", "Bob")[1] == searched


@pytest.mark.parametrize("text", ["Jane", "Jane?", "Jane and Bob", "Who is Jane?"])
def test_a_question_of_nothing_but_names_keeps_them(text: str) -> None:
    """Else there would be nothing to search for."""
    assert asked_of(text, "Jane", "Bob")[1] == text


def test_people_are_told_in_the_order_they_are_named() -> None:
    """By their folded first names, each once."""
    found, _ = asked_of("What did BOB tell Jane about Bob's car?", "Jane Smith", "Bob Ray")
    assert found.people == ("bob", "jane")
    assert asked_of("What did she say?", "Jane")[0].people == ()


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("What do Jane and Bob both like?", True),
        ("Where did Jane meet Bob?", False),
        ("What does Jane like and hate?", False),
    ],
)
def test_what_people_share_is_noticed(text: str, together: bool) -> None:
    """Only of two or more of them."""
    assert asked_of(text, "Jane", "Bob")[0].together is together


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("What is my job?", True),
        ("Where do I live?", True),
        ("What did Mike buy?", False),
        ("Which icon is it?", False),
    ],
)
def test_whoever_asks_about_himself_is_noticed(text: str, own: bool) -> None:
    """By whole words."""
    assert asked_of(text)[0].own is own


def test_a_question_tells_its_time() -> None:
    """A date as a window, a happening as an event."""
    (window,) = asked_of("What did she do in March 2023?")[0].windows
    assert window == (datetime(2023, 3, 1, tzinfo=UTC), datetime(2023, 4, 1, tzinfo=UTC))
    event = asked_of("Where did she work before she moved to Berlin?")[0].event
    assert event is not None
    assert (event.text, event.relation) == ("she moved to Berlin", "before")
    assert asked_of("What does she like?")[0].windows == ()


DATES = ((DateTest(operator=">", moment=NOW),),)


@pytest.mark.parametrize(
    "filters",
    [
        Filters(valid_on=NOW),
        Filters(known_on=NOW),
        Filters(valid_at=DATES),
        Filters(invalid_at=DATES),
        Filters(created_at=DATES),
    ],
)
def test_a_caller_who_filters_by_time_has_said_it_already(filters: Filters) -> None:
    """Then the words of the question narrow nothing."""
    found, _ = asked_of("What did she do in March 2023 before she moved?", filters=filters)
    assert (found.windows, found.event) == ((), None)
    other = asked_of("What did she do in March 2023?", filters=Filters(node_labels=("Person",)))[0]
    assert other.windows


@pytest.mark.parametrize(
    ("speaker", "name"),
    [("Jane Smith", "jane"), ("  \u00c9mile ", "\u00e9mile"), ("", ""), ("??", "")],
)
def test_a_first_name_is_the_first_word(speaker: str, name: str) -> None:
    """Folded."""
    assert first_name(speaker) == name


def test_a_speaker_without_a_name_takes_nothing_out() -> None:
    """An empty name stands nowhere."""
    found, searched = asked_of("What is it?", "", "??")
    assert (found.people, searched) == ((), "What is it?")


def test_spans_are_cut_out_once() -> None:
    """Also those that lie within each other, in any order."""
    text = "Tell Jane Smith's boss"
    assert without(text, [(5, 15)]) == "Tell boss"
    assert without(text, [(5, 9), (10, 15)]) == "Tell boss"
    assert without(text, []) == text
    assert without(text, [(5, 9), (5, 15)]) == without(text, [(5, 15), (5, 9)]) == "Tell boss"


def test_what_is_asked_about_has_no_names_in_it() -> None:
    """By the way they are written, and whether they talk or not; the first word tells nothing."""
    found, _ = asked_of("How many seats does Kestrel Architects have, jane?", "Jane")
    assert set(found.content) == {hashed(term) for term in terms("How many seats does have")}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Who acquired Tidewater Surveyors?", "Who acquired"),
        ("When is the Bluefin Freight kick-off?", "When is the kick off"),
    ],
)
def test_the_meaning_of_a_question_is_mostly_that_of_its_other_words(text: str, plain: str) -> None:
    """What answers it seldom names again what the talk is about; what names it says anything."""
    embed = Embedding()
    query = Query(text=text, kind="fact", now=NOW)
    named = NamedEntity(entity_id=1, start=0, end=0)
    vector = prepare(set(), query, Lookups(named=(named,)), embed).vector
    assert embed.texts == [text, plain]
    assert vector is not None
    assert vector[1] > vector[0] > 0
    assert np.linalg.norm(vector) == pytest.approx(1)


def test_a_name_that_nobody_here_has_counts_in_full() -> None:
    """Of somebody else's home nobody asked."""
    embed = Embedding()
    prepare(set(), Query(text="Where does Jane live?", kind="fact", now=NOW), Lookups(), embed)
    assert embed.texts == ["Where does Jane live?"]


@pytest.mark.parametrize("text", ["Who is Emma?", "where does she work?"])
def test_a_question_with_nothing_but_names_or_without_any_has_one_meaning(text: str) -> None:
    """Then there is only one text to embed."""
    embed = Embedding()
    prepare(set(), Query(text=text, kind="fact", now=NOW), Lookups(), embed)
    assert embed.texts == [text]
