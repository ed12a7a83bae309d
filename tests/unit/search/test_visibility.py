"""A segment as a key sees it: what rests on what is hidden, and what goes without its words."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from recollect.graph.filters import Filters
from recollect.graph.terms import hashed, packed
from recollect.graph.visibility import Constraint, Visibility, typed
from recollect.search.masks import satisfying_episodes
from recollect.search.segment import IndexPage, Segment
from recollect.search.visibility import as_seen
from recollect.store.rows import to_json
from tests.unit.search.test_segment import VECTOR, entity_row, episode_row, fact_row


def constraint(*values: str, subset: bool = False) -> Constraint:
    """The class an object must have."""
    return Constraint(required=(("class", frozenset(map(typed, values))),), subset=subset)


OPEN = Visibility(allowed=(constraint("open"),))
NOT_SECRET = Visibility(denied=(constraint("secret", subset=True),))


def row(kind: str, number: int, word: str) -> Any:
    """An index row of something that says one word."""
    return SimpleNamespace(item_kind=kind, item_id=number, terms=packed([word]), vector=VECTOR)


def story() -> Segment:
    """Two threads: one is open, the other has a secret message beside an open one.

    Fact 0 joins entities 0 and 1 and is open, fact 1 joins 1 and 2 and is secret, fact 2 joins 2
    and 0, was said in the open and again in secret. Observation 0 rests on fact 0, observation 1
    on facts 0 and 2.
    """
    classes = ["open", "secret", "open"]
    strands = ["first", "second", "second"]
    segment = Segment()
    segment.take(
        IndexPage(
            until=1,
            rows=[
                *(row("episode", number, f"said{number}") for number in range(3)),
                *(row("fact", number, f"fact{number}") for number in range(3)),
                *(row("entity", number, f"about{number}") for number in range(3)),
                *(row("observation", number, f"seen{number}") for number in range(2)),
                *(row("thread_summary", number, f"sum{number}") for number in range(2)),
            ],
            items={
                "episode": [
                    SimpleNamespace(
                        **{
                            **vars(episode_row(n)),
                            "metadata": to_json({"class": one}),
                            "strand": strands[n],
                        }
                    )
                    for n, one in enumerate(classes)
                ],
                "fact": [fact_row(number) for number in range(3)],
                "entity": [entity_row(number) for number in range(3)],
                "observation": [
                    SimpleNamespace(id=0, created_at=0, facts="[0]"),
                    SimpleNamespace(id=1, created_at=0, facts="[0, 2]"),
                ],
                "thread_summary": [
                    SimpleNamespace(id=0, created_at=0, strand="first"),
                    SimpleNamespace(id=1, created_at=0, strand="second"),
                ],
            },
            supports=[
                SimpleNamespace(item_id=fact, episode_id=episode)
                for fact, episode in [(0, 0), (1, 1), (2, 2), (2, 1)]
            ],
            mentions=[
                SimpleNamespace(item_id=entity, episode_id=episode)
                for entity, episode in [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)]
            ],
        )
    )
    return segment


def there(segment: Segment) -> dict[str, list[int]]:
    """The row ids of what is there, by kind."""
    return {
        kind: segment.row_ids(kind, np.flatnonzero(shelf.alive.array).astype(np.int32))
        for kind, shelf in segment.tables.by_kind.items()
    }


def holding(segment: Segment, kind: Any, word: str) -> list[int]:
    """The row ids of what is found by a word."""
    scores = segment.words[kind].search([hashed(word)], segment.visible(kind))
    return segment.row_ids(kind, np.flatnonzero(scores).astype(np.int32))


def test_an_object_is_seen_by_the_values_of_all_its_episodes_together() -> None:
    assert there(as_seen(story(), OPEN)) == {
        "episode": [0, 2],
        "fact": [0],
        "entity": [0],
        "observation": [0],
        "thread_summary": [0],
    }
    assert there(as_seen(story(), NOT_SECRET)) == there(as_seen(story(), OPEN))


def test_a_subset_sees_what_others_contributed_to() -> None:
    seen = there(as_seen(story(), Visibility(allowed=(constraint("open", subset=True),))))
    assert seen["fact"] == [0, 2]
    assert seen["entity"] == [0, 1, 2]
    assert seen["observation"] == [0, 1]
    assert seen["thread_summary"] == [0, 1]


def test_an_observation_needs_all_of_its_evidence() -> None:
    secret_alone = Visibility(denied=(constraint("open", "secret"),))  # hides fact 2
    assert there(as_seen(story(), secret_alone))["observation"] == [0]


def test_what_may_tell_of_hidden_things_is_found_by_no_words() -> None:
    seen = as_seen(
        story(), Visibility(denied=(constraint("secret"),))
    )  # hides fact 1 and episode 1
    assert there(seen)["entity"] == [0, 1, 2]
    assert holding(seen, "entity", "about0") == [0]
    assert holding(seen, "entity", "about1") == []
    assert seen.entities.attributes.array.tolist() == [0, -1, -1]
    assert holding(seen, "thread_summary", "sum0") == [0]
    assert holding(seen, "thread_summary", "sum1") == []
    assert seen.vectors["thread_summary"].held(2).tolist() == [True, False]


def test_the_labels_of_hidden_ends_narrow_nothing() -> None:
    seen = as_seen(story(), OPEN)  # fact 0 joins entity 0 and the hidden entity 1
    people = seen.mask("fact", Filters(node_labels=("Person",)))
    others = seen.mask("fact", Filters(exclude_node_labels=("Person",)))
    assert people.tolist() == [True, False, False]  # by entity 0
    assert not others.any()
    whole = story()
    assert whole.mask("fact", Filters(node_labels=("Person",))).all()


def test_the_segment_itself_stays_whole_and_a_change_is_seen_at_once() -> None:
    segment = story()
    assert there(as_seen(segment, OPEN))["episode"] == [0, 2]
    assert there(segment)["episode"] == [0, 1, 2]
    assert as_seen(segment, OPEN) is as_seen(segment, OPEN)
    opened = SimpleNamespace(
        **{**vars(episode_row(1)), "metadata": to_json({"class": "open"}), "strand": "second"}
    )
    behind = [SimpleNamespace(item_id=fact, episode_id=1) for fact in (1, 2)]
    named = [SimpleNamespace(item_id=entity, episode_id=1) for entity in (1, 2)]
    said = [row("episode", 1, "said1")]
    segment.take(
        IndexPage(until=2, rows=said, items={"episode": [opened]}, supports=behind, mentions=named)
    )
    assert there(as_seen(segment, OPEN))["fact"] == [0, 1, 2]
    assert satisfying_episodes(segment.episodes, Filters()).all()
