"""What is said later of a time before counts, through the whole path of an episode."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from recollect.graph.types import Fact
from tests.golden.chain import Input, Learned, Story, learned
from tests.golden.expectations import told

MONDAY = datetime(2025, 4, 7, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def _heard(*said: str | Input) -> Learned:
    """The graph of a user who says one thing after the other, an hour apart."""
    inputs = (
        item
        if isinstance(item, Input)
        else Input(item, MONDAY + number * HOUR, role="user", speaker="Maya", thread="talk")
        for number, item in enumerate(said)
    )
    return learned(Story(tuple(inputs), user_id="maya", first_name="Maya", last_name="Berg"))


def _holding(graph: Learned, relation: str) -> list[str]:
    """The targets of a relation that hold, each once."""
    found = {fact.target_name for fact in graph.facts if _holds(fact) and fact.name == relation}
    return sorted(str(name) for name in found)


def _holds(fact: Fact) -> bool:
    return fact.invalid_at is None and fact.expired_at is None


@pytest.mark.parametrize(
    ("said", "relation", "holding"),
    [
        (("I live in Oslo.", "I moved to Bergen last month."), "LIVES_IN", ["Bergen"]),
        (("I live in Oslo.", "I moved to Bergen today."), "LIVES_IN", ["Bergen"]),
        (("I live in Oslo.", "I moved to Bergen last year."), "LIVES_IN", ["Bergen"]),
        (("I live in Oslo.", "I have lived in Bergen since January."), "LIVES_IN", ["Bergen"]),
        (("I live in Oslo.", "I began living in Bergen in March."), "LIVES_IN", ["Bergen"]),
        (("I live in Oslo.", "I relocated to Bergen two weeks ago."), "LIVES_IN", ["Bergen"]),
        (
            ("I live in Oslo.", "I moved to Bergen last month.", "I live in Oslo again."),
            "LIVES_IN",
            ["Oslo"],
        ),
        (
            ("My sister Emma lives in Oslo.", "Emma moved to Bergen last month."),
            "LIVES_IN",
            ["Bergen"],
        ),
        (
            ("Emma lives in Oslo. I live in Oslo.", "Emma moved to Bergen last month."),
            "LIVES_IN",
            ["Bergen", "Oslo"],
        ),
        (("I work at Equinor.", "I started at Google last week."), "WORKS_AT", ["Google"]),
        (("I work at Equinor.", "I joined Google in March."), "WORKS_AT", ["Google"]),
        (
            ("I work at Equinor.", "I started working at Google last month."),
            "WORKS_AT",
            ["Google"],
        ),
        (("I live in Oslo.", "I moved to Bergen in 2015."), "LIVES_IN", ["Oslo"]),
        (("I live in Oslo.", "I lived in Bergen last year."), "LIVES_IN", ["Oslo"]),
        (("I live in Oslo.", "I lived in Bergen this year."), "LIVES_IN", ["Oslo"]),
        (("I live in Oslo.", "I was based in Bergen last month."), "LIVES_IN", ["Oslo"]),
        (("I work at Equinor.", "I worked for Google in January."), "WORKS_AT", ["Equinor"]),
        (("I work at Equinor.", "I interned at Google last summer."), "WORKS_AT", ["Equinor"]),
        (
            ("I work at Equinor.", "I was employed by Google in January."),
            "WORKS_AT",
            ["Equinor"],
        ),
        (("I am dating Jonas.", "I dated Tom last year."), "DATES", ["Jonas"]),
        (("I report to Anna.", "I reported to Tom last year."), "REPORTS_TO", ["Anna"]),
        (
            ("I earn 5000 dollars.", "I earned 3000 dollars last year."),
            "EARNS",
            ["5000 dollars"],
        ),
        (("I love sushi.", "I hated sushi last year."), "LIKES", ["sushi"]),
    ],
)
def test_what_brought_about_the_present_holds(
    said: tuple[str, ...], relation: str, holding: list[str]
) -> None:
    graph = _heard(*said)
    assert _holding(graph, relation) == holding, told(graph)


@pytest.mark.parametrize(
    ("said", "relation", "holding"),
    [
        (("I work at Equinor.", "I quit my job at Equinor last week."), "WORKS_AT", []),
        (("I work at Equinor.", "I quit my job last week."), "WORKS_AT", []),
        (("I work at Equinor.", "I left Equinor in March."), "WORKS_AT", []),
        (("Emma works at Equinor.", "Emma left Equinor last week."), "WORKS_AT", []),
        (
            ("Emma works at Equinor. Tom works at Equinor.", "Emma left Equinor last week."),
            "WORKS_AT",
            ["Equinor"],
        ),
        (("I work at Equinor.", "I left Google last week."), "WORKS_AT", ["Equinor"]),
        (("I am married to Tom.", "I got divorced last month."), "MARRIED_TO", []),
        (("I am married to Tom.", "I got divorced in 2010."), "MARRIED_TO", ["Tom"]),
        (("I own a Volvo.", "I sold the Volvo last week."), "OWNS", []),
    ],
)
def test_an_end_closes_what_it_names(
    said: tuple[str, ...], relation: str, holding: list[str]
) -> None:
    graph = _heard(*said)
    assert _holding(graph, relation) == holding, told(graph)


def test_the_closed_fact_ends_when_the_later_words_were_said() -> None:
    graph = _heard("I live in Oslo.", "I moved to Bergen last month.")
    (oslo,) = (fact for fact in graph.facts if fact.target_name == "Oslo")
    assert (oslo.valid_at, oslo.invalid_at) == (MONDAY, MONDAY + HOUR)
    assert oslo.expired_at is not None
    assert len(oslo.episodes) == 2


def test_the_order_of_arrival_does_not_matter() -> None:
    """Said first and heard last, it is born closed; its rival stays."""
    late = Input("I live in Oslo.", MONDAY - HOUR, role="user", speaker="Maya", thread="talk")
    graph = _heard("I moved to Bergen last month.", late)
    assert _holding(graph, "LIVES_IN") == ["Bergen"], told(graph)
    (oslo,) = (fact for fact in graph.facts if fact.target_name == "Oslo")
    assert (oslo.valid_at, oslo.invalid_at) == (MONDAY - HOUR, MONDAY)


def test_an_older_episode_that_comes_late_changes_nothing() -> None:
    """Trap 5: in January nobody knew about April."""
    late = Input(
        "I moved to Bergen last month.",
        MONDAY - timedelta(days=90),
        role="user",
        speaker="Maya",
        thread="talk",
    )
    graph = _heard("I live in Oslo.", late)
    assert _holding(graph, "LIVES_IN") == ["Oslo"], told(graph)


def test_what_somebody_else_says_counts_too() -> None:
    """The assistant, and data without a thread."""
    first = Input("Emma lives in Oslo.", MONDAY, role="assistant", speaker="Bot", thread="talk")
    then = Input("Emma moved to Bergen last month.", MONDAY + HOUR, kind="text")
    assert _holding(_heard(first, then), "LIVES_IN") == ["Bergen"]


def test_a_record_gives_way_to_later_words() -> None:
    record = {"name": "Emma Stone", "employer": "Acme"}
    first = Input(json.dumps(record), MONDAY, kind="json")
    then = Input("Emma Stone joined Google in March.", MONDAY + HOUR, kind="text")
    graph = _heard(first, then)
    assert _holding(graph, "WORKS_AT") == ["Google"], told(graph)


def test_a_record_that_dates_itself_back_does_not_win() -> None:
    record = {"name": "Emma Stone", "employer": "Acme"}
    old = {"name": "Emma Stone", "employer": "Google", "updated_at": "2025-03-01T00:00:00Z"}
    first, stale = (
        Input(json.dumps(item), MONDAY + number * HOUR, kind="json")
        for number, item in enumerate((record, old))
    )
    graph = _heard(first, stale)
    assert _holding(graph, "WORKS_AT") == ["Acme"], told(graph)


@pytest.mark.parametrize(
    ("said", "over", "holding"),
    [
        (
            ("I live in Stockholm with my partner Jonas.", "We moved to Gothenburg last week."),
            "Stockholm",
            {"HAS_PARTNER", "LIVES_IN"},
        ),
        (("I work at Siemens in Berlin.", "I left Siemens."), "Berlin", {"LEFT"}),
        (("I work at Siemens in Berlin.", "I no longer work at Siemens."), "Berlin", set()),
        (("Emma works at Siemens in Berlin.", "Emma left Siemens last week."), "Berlin", {"LEFT"}),
        (("I study physics at MIT.", "I graduated from MIT."), "physics", {"GRADUATED_FROM"}),
    ],
)
def test_a_sentence_that_is_over_is_over_as_to_all_it_tells(
    said: tuple[str, ...], over: str, holding: set[str]
) -> None:
    graph = _heard(*said)
    open_ = [fact for fact in graph.facts if _holds(fact)]
    assert not [fact.fact for fact in open_ if over in fact.fact], told(graph)
    assert holding <= {fact.name for fact in open_}, told(graph)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            ("I work as an engineer at Acme in Berlin.", "I was promoted to manager."),
            {"WORKS_AT"},
        ),
        (("I visited Oslo with Jonas in March.", "I moved to Paris."), {"VISITED"}),
        (("I met Tom in Paris.", "Tom and I got divorced."), {"MET"}),
    ],
)
def test_what_happened_or_still_holds_stays(said: tuple[str, ...], kept: set[str]) -> None:
    graph = _heard(*said)
    assert kept <= {fact.name for fact in graph.facts if _holds(fact)}, told(graph)
