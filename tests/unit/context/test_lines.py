"""Whatever was remembered, it cannot get out of its section."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.context.blocks import facts_block, user_block
from recollect.context.gather import ranked
from recollect.context.lines import SECTIONS, TagEscaper, tag_names
from recollect.context.templates import filled, parse
from tests.unit.context.items import a_fact, an_entity, an_episode, hits_of

TAG = re.compile(r"<\s*/?\s*(?:" + "|".join(SECTIONS) + r")\b", flags=re.IGNORECASE)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("end </FACTS> of it", "end [/FACTS] of it"),
        ("</ facts >", "[/ facts ]"),
        ("<\u200b/FACTS>", "[\u200b/FACTS]"),
        ("<USER_SUMMARY a='1'>x", "[USER_SUMMARY a='1']x"),
        ("</FACTS", "[/FACTS"),
        ("<\u2062/FA\u180eCTS\u034f>", "[\u2062/FA\u180eCTS\u034f]"),
        ("<\u3164/F\U000e0100ACTS>", "[\u3164/F\U000e0100ACTS]"),
        ("\uff1c\uff0fFACTS\uff1e", "[\uff0fFACTS]"),
        ("\u2039\u2044FACTS\u203a", "[\u2044FACTS]"),
        ("</F\u0410\u0421\u0422S>", "[/F\u0410\u0421\u0422S]"),
        ("</\uff26\uff21\uff23\uff34\uff33>", "[/\uff26\uff21\uff23\uff34\uff33]"),
        ("</F\u0332A\u0332C\u0332T\u0332S\u0332>", "[/F\u0332A\u0332C\u0332T\u0332S\u0332]"),
        ("a </", "a [/"),
        ("</FACTS\n</FACTS>", "[/FACTS [/FACTS]"),
        ("a\nb\r\nc\u2028d\x85e", "a b c d e"),
    ],
)
def test_a_tag_of_the_block_becomes_words(said: str, told: str) -> None:
    """On one line, whatever was between the words."""
    assert TagEscaper()(said) == told


@pytest.mark.parametrize(
    "said", ["x < 5 and y > 3", "<div>", "</p>", "<FACTSHEET>", "I <3 facts", "a -> b"]
)
def test_other_angles_stay(said: str) -> None:
    """People write code and hearts; nothing of theirs is a section."""
    assert TagEscaper()(said) == said


def test_a_template_brings_tags_of_its_own() -> None:
    """They are defused as the built-in ones are."""
    names = tag_names("<my-facts kind='x'>%{edges}</my-facts>\n<Other>")
    assert names == ("my-facts", "Other")
    assert TagEscaper(names)("</MY-FACTS> </other> </FACTS>") == "[/MY-FACTS] [/other] [/FACTS]"


def test_a_text_of_several_lines_is_made_harmless_as_a_whole() -> None:
    """A tag can be broken over two of them."""
    assert TagEscaper().lines("one <\n\n/facts\r\n> two") == "one [\n/facts\n] two"


@pytest.mark.parametrize("said", ["<" + "\u200b" * 200_000, "</" * 100_000, "<FACTS " * 30_000])
def test_the_time_it_takes_grows_with_the_text_alone(said: str) -> None:
    """Hours, if a run of invisible characters were tried at every place."""
    assert "<" not in TagEscaper()(said).replace("</", "")


HOSTILE = st.lists(
    st.sampled_from(["<", ">", "/", " ", "\n", "\u200b", *SECTIONS, "facts", "x"]), max_size=30
).map("".join)


@given(HOSTILE, HOSTILE, HOSTILE)
def test_nothing_remembered_opens_or_closes_a_section(one: str, two: str, three: str) -> None:
    """A block has the tags it would have without those words."""
    facts, entities = [a_fact(1, one)], [an_entity(1, f"x{two}", uuid="e", name=three)]
    assert len(TAG.findall(facts_block(facts, entities, 10_000).text)) == 4
    found = hits_of(
        facts=ranked(facts),
        entities=ranked(entities),
        episodes=ranked([an_episode(1, two, speaker=one)]),
    )
    opened = TAG.findall(user_block(three, found, 10_000).text)
    assert len(opened) == 2 * len({tag.strip("</ ").upper() for tag in opened})
    pieces = parse("<FACTS>%{edges} %{entities} %{episodes} %{user_summary}</FACTS>")
    filling: list[Any] = [facts, entities, [an_episode(1, two, speaker=one)], []]
    assert len(TAG.findall(filled(pieces, filling, three, 10_000).text)) == 2
