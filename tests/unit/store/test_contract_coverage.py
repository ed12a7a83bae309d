"""A method that no contract test calls is named at the end of a run."""

import pytest

from tests.support.store_coverage import UNCOVERED, Notes, complaints
from tests.support.store_methods import methods

SUITE = {"test_a.py", "test_b.py"}


@pytest.mark.parametrize(
    ("called", "listed", "expected"),
    [
        pytest.param({"x.a", "x.b"}, set(), [], id="all called"),
        pytest.param({"x.a"}, set(), ["no contract test calls x.b"], id="one is not"),
        pytest.param({"x.a"}, {"x.b"}, [], id="one is not, and is listed"),
        pytest.param(
            {"x.a", "x.b"}, {"x.b"}, ["x.b is called: take it off the list"], id="stale entry"
        ),
        pytest.param(
            {"x.a", "x.b"}, {"x.c"}, ["x.c is listed, and no method"], id="entry of no method"
        ),
    ],
)
def test_complaints(called: set[str], listed: set[str], expected: list[str]) -> None:
    notes = Notes()
    notes.add(called, {"test_a.py"})
    notes.add(set(), {"test_b.py"})
    assert complaints(notes, listed, {"x.a", "x.b"}, SUITE) == expected


def test_a_part_of_the_suite_proves_nothing() -> None:
    notes = Notes({"x.a"}, {"test_a.py"})
    assert complaints(notes, set(), {"x.a"}, SUITE) is None


def test_every_method_of_the_protocol_is_called() -> None:
    """The list of exceptions is empty, and stays so."""
    assert set() == UNCOVERED
    assert len(methods()) > 500
