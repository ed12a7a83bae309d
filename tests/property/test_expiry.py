"""After any history of telling, letting expire, taking that back and forgetting: what is known is what would
be known if what has expired had never been told."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from recollect.app import expiry
from recollect.app.stores import DataFolder
from recollect.governance import soundness
from recollect.graph.types import Access
from recollect.ingest import intake
from recollect.records import erasing, expiring
from recollect.store.protocol import Transaction
from tests.property.reader import LearnedReader
from tests.property.test_forgetting import (
    BEGIN,
    NO_HURRY,
    RELATIONS,
    WORDS,
    Add,
    World,
    content,
    new_episode,
)
from tests.support import here

KEPT_DAYS = 10


@dataclass(frozen=True)
class Tell:
    """Something that is said, and after how many hours it expires, if it does."""

    said: Add
    expires_h: int | None


@dataclass(frozen=True)
class Change:
    """What becomes of the n-th of those that are known, if there are so many."""

    what: Literal["expire", "clear", "forget"]
    pick: int
    after_h: int


told = st.builds(
    Tell,
    said=st.builds(
        Add,
        place=st.just("graph"),
        kind=st.sampled_from(["text", "triple"]),
        words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=len(RELATIONS)).map(tuple),
    ),
    expires_h=st.sampled_from([None, 1, 3, 6]),
)
changes = st.builds(
    Change,
    what=st.sampled_from(["expire", "clear", "forget"]),
    pick=st.integers(0, 9),
    after_h=st.integers(0, 6),
)
histories = st.lists(told | told | changes, min_size=2, max_size=10)


class Known:
    """The model: what is known, when it was said and when it expires."""

    def __init__(self) -> None:
        self.said: dict[str, tuple[int, Add]] = {}
        self.expires: dict[str, datetime] = {}

    def pass_until(self, now: datetime) -> None:
        for uuid in [uuid for uuid, at in self.expires.items() if at <= now]:
            self.forget(uuid)

    def forget(self, uuid: str) -> None:
        del self.said[uuid]
        self.expires.pop(uuid, None)


def _tell(tx: Transaction, access: Access, step: Tell) -> str:
    new = new_episode(step.said, tx.now)
    if step.expires_h is not None:
        new = replace(new, expires_at=tx.now + timedelta(hours=step.expires_h))
    return intake.add_episodes(tx, access, None, "g", [new]).uuids[0]


def _change(world: World, known: Known, step: Change) -> None:
    if not known.said:
        return
    uuid = sorted(known.said)[step.pick % len(known.said)]
    if step.what == "forget":
        world.write(erasing.episode, world.access, uuid, "forget")
        known.forget(uuid)
    elif step.what == "clear":
        world.write(expiring.expire, world.access, "episode", uuid, None)
        known.expires.pop(uuid, None)
    else:
        at = world.now + timedelta(hours=step.after_h)
        world.write(expiring.expire, world.access, "episode", uuid, at)
        known.expires[uuid] = at


def _hide(world: World, known: Known) -> None:
    """As every request does first."""
    known.pass_until(world.now)
    folder = DataFolder(world.store)
    world.run(expiry.hide_due(folder, world.access, kept_days=KEPT_DAYS))


def _live(history: Sequence[Tell | Change]) -> None:
    world, never, known = World(), World(), Known()
    try:
        for number, step in enumerate(history, start=1):
            world.now = BEGIN + timedelta(hours=number)
            _hide(world, known)
            if isinstance(step, Change):
                _change(world, known, step)
            else:
                uuid = world.write(_tell, world.access, step)
                known.said[uuid] = (number, step.said)
                if step.expires_h is not None:
                    known.expires[uuid] = world.now + timedelta(hours=step.expires_h)
            world.run(here.learn(world.store, LearnedReader()))
        world.now += timedelta(hours=6)
        _hide(world, known)
        world.run(here.learn(world.store, LearnedReader()))
        assert world.read(soundness.check) == []
        for number, said in sorted(known.said.values()):
            never.add(number, said)
        assert world.read(content) == never.read(content)
        world.now += timedelta(days=KEPT_DAYS)
        world.write(expiring.forget_for_good, KEPT_DAYS)
        assert world.read(_kept) == 0
    finally:
        world.close()
        never.close()


def _kept(tx: Transaction) -> int:
    """How much is still known of anything that expires or has."""
    hidden: list[Any] = tx.expiries.hidden(project_id=1, limit=100)
    return len(hidden) + (tx.expiries.due(now=1 << 60) is not None)


@settings(max_examples=10, **NO_HURRY)
@given(history=histories)
def test_what_has_expired_was_never_told(history: list[Tell | Change]) -> None:
    """Facts, times, entities, observations, summaries, episodes and the index."""
    _live(history)


@pytest.mark.long
@settings(max_examples=500, **NO_HURRY)
@given(history=histories)
def test_much_that_has_expired_was_never_told(history: list[Tell | Change]) -> None:
    """The same, more often."""
    _live(history)
