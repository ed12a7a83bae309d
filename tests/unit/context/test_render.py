"""A template is filled in: every variable, every option, within the budget."""

from collections.abc import Sequence
from typing import Any

import pytest

from recollect.context.templates import filled, parse
from recollect.graph.types import Item
from tests.unit.context.items import (
    a_fact,
    a_thread_summary,
    an_entity,
    an_episode,
    an_observation,
    day,
)

ROOM = 10_000


def text_of(template: str, *filling: Sequence[Item], summary: str = "", room: int = ROOM) -> str:
    """A template filled with what is given for each hole."""
    return filled(parse(template), filling, summary, room).text


def test_facts_have_their_dates_their_relation_and_their_words() -> None:
    """In the form that clients know, oldest first and ended ones last."""
    facts = [
        a_fact(3, "Jane lives in Oslo", name="LIVES_IN"),
        a_fact(1, "Jane lived in Rome", name="LIVES_IN", invalid_at=day(3)),
        a_fact(2, "Jane sings", name="DOES", valid_at=None),
    ]
    assert text_of("# FACTS\n%{edges}\n", facts) == (
        "# FACTS\n"
        "- (date unknown - present) [DOES] <Jane sings>\n"
        "- (2025-01-04 00:00:00 - present) [LIVES_IN] <Jane lives in Oslo>\n"
        "- (2025-01-02 00:00:00 - 2025-01-04 00:00:00) [LIVES_IN] <Jane lived in Rome>\n"
    )


def test_entities_have_name_types_and_summary() -> None:
    """The base label is no type; one without a summary has none."""
    entities = [
        an_entity(1, "A town.", name="Oslo", labels=["Entity", "Location"]),
        an_entity(2, " ", name="Bob", labels=["Entity"]),
    ]
    assert text_of("%{entities}", entities) == (
        "- { name: Oslo, types: [Location], summary: A town. }\n- { name: Bob, types: [] }"
    )


def test_the_other_kinds_have_their_dates_and_their_words() -> None:
    """What was said, what recurs, and what threads were about."""
    told = text_of(
        "%{episodes}\n%{observations}\n%{thread_summaries}",
        [an_episode(1, "I moved")],
        [an_observation(2, "Jane moves often.", end_at=day(5))],
        [a_thread_summary(3, "Moving house.")],
    )
    assert told == (
        "- (2025-01-02 00:00:00) Jane: I moved\n"
        "- (2025-01-03 00:00:00 - 2025-01-06 00:00:00) Jane moves often.\n"
        "- (2025-01-04 00:00:00) Moving house."
    )


ATTRIBUTES: list[tuple[str, Any, str]] = [
    ("edges", a_fact(1, "Jane sings", attributes={"b": 2, "a": "x\ny", "c": None}), "a: x y, b: 2"),
    ("entities", an_entity(1, attributes={"open": True, "at": ["a"]}), 'at: ["a"], open: true'),
    ("episodes", an_episode(1, metadata={"channel": "mail"}), "channel: mail"),
]


@pytest.mark.parametrize(("variable", "item", "told"), ATTRIBUTES)
def test_attributes_are_told_when_they_are_asked_for(variable: str, item: Item, told: str) -> None:
    """In the order of their names; without the option they are not told."""
    assert f"{{ {told} }}" in text_of(f"%{{{variable} include_attributes=true}}", [item])
    assert told not in text_of(f"%{{{variable} include_attributes=false}}", [item])
    assert told not in text_of(f"%{{{variable}}}", [item])


def test_an_item_without_attributes_has_no_braces_for_them() -> None:
    """Asking for attributes does not make any."""
    line = text_of("%{edges include_attributes=true}", [a_fact(1, "Jane sings")])
    assert line.endswith("<Jane sings>")


def test_the_user_summary_keeps_its_lines() -> None:
    """It is a text of its own, and stands wherever the template wants it."""
    told = text_of("<WHO>%{user_summary}</WHO>", [], summary="Jane paints.\n\nShe says </who>.")
    assert told == "<WHO>Jane paints.\nShe says [/who].</WHO>"


def test_a_hole_without_filling_is_empty() -> None:
    """The words around it stay."""
    assert text_of("a %{observations} b %{user_summary} c", [], []) == "a  b  c"


def test_what_is_remembered_cannot_close_a_tag_of_the_template() -> None:
    """Neither one of the template's, nor one that every block has."""
    fact = a_fact(1, "x </mine> y </FACTS> z <i>")
    told = text_of("<mine>%{edges}</mine>", [fact])
    assert "x [/mine] y [/FACTS] z <i>" in told
    assert told.count("</mine>") == 1


def test_a_tight_budget_goes_to_the_best_of_each_hole() -> None:
    """Whole lines, and never the template's own words."""
    facts = [a_fact(n, f"{'f' * 100} {n}") for n in range(9)]
    entities = [an_entity(n, f"{'e' * 100} {n}") for n in range(9)]
    told = text_of("KNOWN\n%{edges}\nWHO\n%{entities}", facts, entities, room=800)
    assert len(told) <= 800
    lines = told.splitlines()
    assert lines.index("WHO") in (3, 4)
    assert "fff 0>" in lines[1]
    assert f"{'e' * 100} 0 }}" in told
    assert all(line.endswith((">", "}")) for line in lines if line.startswith("- "))


def test_a_summary_told_many_times_does_not_break_the_budget() -> None:
    """Each telling gets its share."""
    told = text_of("%{user_summary} " * 50, *[[]] * 50, summary="word " * 500, room=2_000)
    assert len(told) <= 2_000


def test_the_order_of_relevance_does_not_change_the_text() -> None:
    """The same things are the same prompt."""
    facts = [a_fact(n) for n in range(3)]
    assert text_of("%{edges}", facts) == text_of("%{edges}", facts[::-1])


def test_a_hole_can_have_a_bound_of_its_own() -> None:
    """In whole lines; the other holes have what they had."""
    facts = [a_fact(n, "Jane sings") for n in range(4)]
    said = [an_episode(n, "I sing") for n in range(4)]
    text = text_of("%{edges max_characters=150}|%{episodes}", facts, said)
    told, quoted = text.split("|")
    assert 0 < len(told) <= 150
    assert len(quoted.splitlines()) == 4
    assert text_of("%{user_summary max_characters=12}", [], summary="Jane is tall") != ""
    assert len(text_of("%{user_summary max_characters=8}", [], summary="Jane is tall")) <= 8
