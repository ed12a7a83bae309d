"""A template either becomes pieces in order, or says what is wrong with it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.context.templates import Placeholder, TemplateText, parse
from recollect.errors import InvalidInput

VARIABLES = ("edges", "entities", "episodes", "observations", "thread_summaries", "user_summary")


def test_words_and_holes_keep_their_order() -> None:
    """What stands between the holes stays as it was written."""
    assert parse("# WHO\n%{user_summary}\n\n# FACTS\n%{edges limit=10}") == [
        TemplateText(text="# WHO\n"),
        Placeholder(variable="user_summary"),
        TemplateText(text="\n\n# FACTS\n"),
        Placeholder(variable="edges", limit=10),
    ]


def test_a_hole_carries_all_its_options() -> None:
    """Limit, types and attributes may come in any order, with space inside the list."""
    (hole,) = parse("%{ entities include_attributes=false types=[Person, Organization ] limit=5 }")
    assert hole == Placeholder(
        variable="entities",
        limit=5,
        types=("Person", "Organization"),
        include_attributes=False,
    )


@pytest.mark.parametrize("variable", VARIABLES)
def test_every_variable_stands_alone(variable: str) -> None:
    """No option is needed anywhere."""
    (hole,) = parse(f"%{{{variable}}}")
    assert isinstance(hole, Placeholder)
    assert (hole.variable, hole.limit, hole.types) == (variable, None, ())


@pytest.mark.parametrize("text", ["plain", "100 % {sure}", '{"a": {"b": 1}}', "}", "%", "$ { }"])
def test_other_braces_are_only_text(text: str) -> None:
    """A hole begins with a percent sign and a brace, and with nothing else."""
    assert parse(text) == [TemplateText(text=text)]


@pytest.mark.parametrize("variable", ["observations", "thread_summaries"])
def test_derived_items_are_capped_however_many_are_asked_for(variable: Any) -> None:
    """More than twenty may be asked for and gives twenty."""
    assert parse(f"%{{{variable} limit=21}}") == [Placeholder(variable=variable, limit=20)]
    assert parse(f"%{{{variable} limit=3}}") == [Placeholder(variable=variable, limit=3)]


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        ("", "must not be empty"),
        (" \n", "must not be empty"),
        ("x" * 1201, "at most 1200 characters"),
        ("%{weather}", "unknown variable 'weather'"),
        ("%{}", "unknown variable ''"),
        ("%{Edges}", "unknown variable 'Edges'"),
        ("%{edges,limit=1}", "unknown variable 'edges,limit'"),
        ("%{edges", "the '%{' at character 1 is never closed"),
        ("so: %{edges\n%{entities}", "the '%{' at character 5 is never closed"),
        ("%{edges limit}", "cannot read 'limit'"),
        ("%{edges limit=}", "cannot read 'limit='"),
        ("%{edges limit = 3}", "cannot read 'limit = 3'"),
        ("%{edges types=[a,b}", "cannot read 'types=[a,b'"),
        ("%{edges types=a]}", "cannot read ']'"),
        ("%{edges limit=0}", "limit must be a number from 1 to 1000, got '0'"),
        ("%{edges limit=1001}", "limit must be a number from 1 to 1000, got '1001'"),
        ("%{edges limit=-1}", "got '-1'"),
        ("%{edges limit=0x}", "got '0x'"),
        ("%{edges limit=1.5}", "got '1.5'"),
        ("%{edges limit=٣}", "got '٣'"),
        ("%{edges limit=[3]}", "got '[3]'"),
        ("%{edges limit=1 limit=2}", "'limit' is given twice"),
        ("%{edges types=LIKES}", "types must be a list such as [a,b]"),
        ("%{edges types=[]}", "types must be a list such as [a,b]"),
        ("%{edges types=[a,,b]}", "types must be a list such as [a,b]"),
        ("%{edges include_attributes=yes}", "include_attributes must be true or false"),
        (
            "%{edges order=asc}",
            "edges takes limit, types, include_attributes, max_characters, not 'order'",
        ),
        ("%{user_summary limit=3}", "user_summary takes max_characters, not 'limit'"),
        ("%{observations types=[a]}", "observations takes limit, max_characters, not 'types'"),
        ("%{thread_summaries include_attributes=true}", "thread_summaries takes limit"),
    ],
)
def test_a_mistake_is_named(template: str, complaint: str) -> None:
    """The field, the hole and what is wrong with it are in the message."""
    with pytest.raises(InvalidInput) as refused:
        parse(template)
    assert refused.value.message.startswith("template: ")
    assert complaint in refused.value.message


@given(st.text(alphabet="%{}[]=, \nedgslimt10", min_size=1, max_size=80))
def test_any_text_is_read_or_refused(template: str) -> None:
    """Nothing but a complaint to the caller ever comes out, and the words stay as they were."""
    try:
        pieces = parse(template)
    except InvalidInput:
        return
    position = 0
    for piece in pieces:
        if isinstance(piece, TemplateText):
            position = template.index(piece.text, position) + len(piece.text)
    if "%{" not in template:
        assert pieces == [TemplateText(text=template)]
