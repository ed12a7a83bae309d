"""The rolling summary tells how things stand: the newest state, what was decided, what is open."""

from datetime import UTC, datetime

import pytest

from recollect.episodic_memory.rolling_summary import tell
from recollect.graph import gist
from recollect.graph.thread_summary import SummaryFact

OVER = datetime(2024, 5, 1, tzinfo=UTC)


def said(*sentences: str, ended: tuple[str, ...] = ()) -> list[SummaryFact]:
    """Facts in the order they came up, each of whom its first word names."""
    return [
        SummaryFact(
            number=number,
            fact=text,
            gist=gist.gist(text),
            place=f"{text.split()[0].split(chr(39))[0].rstrip(':')}/SAYS",
            invalid_at=OVER if text in ended else None,
        )
        for number, text in enumerate(sentences, start=1)
    ]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Dana wants a gas range", "Dana will get an induction range instead"),
        ("Dana wants a gas range", "Dana: We will get an induction range instead"),
        ("Dana wants a gas range", "Dana has decided against gas"),
        ("Dana would like to buy a used van", "Dana bought a new van"),
        ("Dana has decided on white tiles", "Dana chose grey tiles"),
        ("Dana still needs to choose the tiles", "Dana decided on grey tiles"),
        ("Dana has to call the electrician", "Dana called the electrician on Monday"),
        ("Dana is looking for a flat", "Dana rented a flat in Leeds"),
        ("Dana wants to move to Rome", "Dana wants to move to Porto"),
        ("Dana is considering a diesel car", "Dana no longer wants a car"),
    ],
)
def test_of_the_same_thing_only_the_newest_is_told(older: str, newer: str) -> None:
    """A wish that was settled, a decision that was changed, an open point that was done."""
    found = tell(said(older, "Omar lives in Leeds", newer), 1_000)
    assert newer in found
    assert older not in found
    assert "Omar lives in Leeds." in found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dana wants to visit Rome", "Dana wants to visit Paris"),
        ("Dana wants a dog", "Omar wants a dog"),
        ("Dana bought a red shirt", "Dana bought a blue shirt"),
        ("Dana has to call the electrician", "Dana has not called the electrician"),
        ("Dana needs to choose the tiles", "Dana chose a sink"),
        ("Dana has a gas range", "Dana will get an induction range"),
        ("Dana prefers electric ovens", "Dana ordered a gas oven"),
    ],
)
def test_what_is_about_something_else_stays(one: str, other: str) -> None:
    """Nothing that may still hold is dropped."""
    found = tell(said(one, other), 1_000)
    for sentence in (one, other):
        assert sentence.split(" ", 2)[2] in found


def test_what_was_closed_is_not_told() -> None:
    """Not even where nothing else is left."""
    facts = said("Dana lives in York", "Dana lives in Leeds", ended=("Dana lives in York",))
    assert tell(facts, 1_000) == "Dana lives in Leeds."
    assert tell(said("Dana lives in York", ended=("Dana lives in York",)), 1_000) == ""


def test_it_reads_as_prose_with_decisions_and_open_points_named() -> None:
    """What one does is one sentence; what is decided and what is open stand at the end."""
    found = tell(
        said(
            "Dana lives in Leeds",
            "Dana works at Acme",
            "Biscuit likes walks",
            "Biscuit likes sausages",
            "Dana decided on grey tiles",
            "The plumber is Mr Patel",
            "Dana has to call the electrician",
            "Dana must pay the deposit",
        ),
        1_000,
    )
    assert found == (
        "Dana lives in Leeds and works at Acme. Biscuit likes walks and sausages. The plumber is Mr Patel. "
        "Decided: Dana decided on grey tiles. "
        "Open: Dana has to call the electrician and must pay the deposit."
    )


def test_it_keeps_within_its_room() -> None:
    """Decisions and open points first, then what says most; whole sentences, or a cut one."""
    facts = said(
        *(f"Dana visited place {number}" for number in range(40)), "Dana must pay the rent"
    )
    for room in range(20, 600, 7):
        found = tell(facts, room)
        assert 0 < len(found) <= room
        assert room < 30 or "Dana must pay the rent." in found
