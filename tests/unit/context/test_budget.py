"""Whole lines, taken in turns."""

from recollect.context.budget import affordable, distinct, in_turns


def test_a_line_costs_its_characters_and_a_line_break() -> None:
    """Two lines of four need ten characters, not nine."""
    lines = [("a", "1234"), ("a", "5678")]
    assert affordable(lines, 10) == [0, 1]
    assert affordable(lines, 9) == [0]


def test_a_line_that_does_not_fit_is_passed_over_for_a_shorter_one() -> None:
    """Room that is left is used."""
    assert affordable([("a", "12"), ("a", "1234567"), ("a", "34")], 6) == [0, 2]


def test_a_section_is_paid_for_with_its_first_line() -> None:
    """A section that nothing can be said in costs nothing."""
    offers = [("a", "1"), ("b", "2"), ("a", "3")]
    assert affordable(offers, 4, {"b": 10}) == [0, 2]
    assert affordable(offers, 16, {"b": 10}) == [0, 1, 2]


def test_turns_take_the_best_of_each_list_first() -> None:
    """A list with a larger share gives more each time; one that is over is passed by."""
    lists: list[list[object]] = [[1, 2, 3, 4, 5], ["a", "b"], []]
    assert list(in_turns(lists, [2, 1, 1])) == [1, 2, "a", 3, 4, "b", 5]
    assert list(in_turns([])) == []


def test_what_reads_the_same_is_offered_once() -> None:
    """The first of those with the same line stays; what has no line goes."""
    lines = {1: "same", 2: "", 3: "other", 4: "same"}
    assert distinct([1, 2, 3, 4], lambda number: lines[number]) == [1, 3]
