"""The registry of kinds: whole, and the only place where kinds are told apart by name."""

from typing import get_args

from recollect.context.lines import SECTION_KINDS, SECTIONS
from recollect.graph.types import Item, Kind
from recollect.search.kinds import KINDS, kind_of
from recollect.search.segment import Segment
from tests.unit.context.items import (
    a_fact,
    a_thread_summary,
    an_entity,
    an_episode,
    an_observation,
)


def test_every_kind_has_an_entry_of_its_own() -> None:
    """By type, by section of a block, by variable of a template and in a segment."""
    assert set(KINDS) == set(get_args(Kind))
    assert {spec.item for spec in KINDS.values()} == set(get_args(Item))
    assert len({spec.section for spec in KINDS.values()}) == len(KINDS)
    assert len({spec.variable for spec in KINDS.values()}) == len(KINDS)
    assert sorted(spec.precedence for spec in KINDS.values()) == list(range(len(KINDS)))
    segment = Segment()
    assert set(segment.tables.by_kind) == set(segment.words) == set(segment.vectors) == set(KINDS)


def test_what_is_known_is_shown_before_what_was_said() -> None:
    """The order of the sections is one that clients know."""
    assert SECTIONS == (
        "USER_SUMMARY",
        "FACTS",
        "ENTITIES",
        "OBSERVATIONS",
        "THREAD_SUMMARIES",
        "EPISODES",
    )
    assert set(SECTION_KINDS.values()) == set(KINDS)


def test_an_item_knows_its_kind() -> None:
    """Whatever is found."""
    items: list[Item] = [
        a_fact(1),
        an_entity(1),
        an_episode(1),
        an_observation(1),
        a_thread_summary(1),
    ]
    assert [kind_of(item) for item in items] == list(KINDS)
