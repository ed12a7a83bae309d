"""What a careful reader expects of a graph, and how to find it whatever the exact words."""

import re
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from recollect.graph.types import Fact
from tests.golden.chain import Learned

ANY = datetime.max  # any time will do


@dataclass(frozen=True)
class Holds:
    """A fact that has to be there.

    *says*: patterns that its sentence matches, all of them. *source* and *target* are names of
    entities, *relation* is a pattern for its name. *day*: it began at some time of that day.
    *until* None: it holds to this day.
    """

    says: tuple[str, ...]
    source: str | None = None
    target: str | None = None
    relation: str | None = None
    since: datetime | None = ANY
    day: date | None = None
    until: datetime | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    episodes: int | None = None

    def __str__(self) -> str:
        return " ".join(self.says)


@dataclass(frozen=True)
class Absent:
    """A fact that must not be there: no sentence matches all of these patterns."""

    says: tuple[str, ...]

    def __str__(self) -> str:
        return "no " + " ".join(self.says)


def matches(fact: Fact, patterns: tuple[str, ...]) -> bool:
    """Whether a sentence says something."""
    return all(re.search(pattern, fact.fact, re.IGNORECASE) for pattern in patterns)


def told(learned: Learned) -> str:
    """All facts, for the message of a test that fails."""
    lines = (
        f"  {fact.source_name} -{fact.name}-> {fact.target_name}: {fact.fact}"
        f" ({_when(fact.valid_at)} - {_when(fact.invalid_at)}) {fact.attributes or ''}"
        for fact in sorted(learned.facts, key=lambda fact: (fact.created_at, fact.uuid))
    )
    return "\n".join(("the graph has:", *lines))


def _when(moment: datetime | None) -> str:
    return "?" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def check_holds(learned: Learned, expected: Holds) -> None:
    """There is a fact that says it, between those entities, in that time."""
    saying = [fact for fact in learned.facts if matches(fact, expected.says)]
    assert saying, f"nothing says {expected.says}; {told(learned)}"
    fitting = [fact for fact in saying if not _differences(fact, expected)]
    reasons = [(fact.fact, _differences(fact, expected)) for fact in saying]
    assert fitting, f"not as expected: {reasons}; {told(learned)}"


def check_absent(learned: Learned, unwanted: Absent) -> None:
    """No fact says it."""
    saying = [fact.fact for fact in learned.facts if matches(fact, unwanted.says)]
    assert not saying, f"wrongly said: {saying}; {told(learned)}"


def _differences(fact: Fact, expected: Holds) -> list[str]:
    found: list[str] = []
    if expected.source is not None and fact.source_name != expected.source:
        found.append(f"source is {fact.source_name}")
    if expected.target is not None and fact.target_name != expected.target:
        found.append(f"target is {fact.target_name}")
    if expected.relation is not None and not re.fullmatch(expected.relation, fact.name):
        found.append(f"relation is {fact.name}")
    if expected.since is not ANY and fact.valid_at != expected.since:
        found.append(f"holds since {fact.valid_at}")
    began = None if fact.valid_at is None else fact.valid_at.date()
    if expected.day is not None and began != expected.day:
        found.append(f"began on {began}")
    if expected.until is not ANY and fact.invalid_at != expected.until:
        found.append(f"holds until {fact.invalid_at}")
    if expected.episodes is not None and len(fact.episodes) != expected.episodes:
        found.append(f"has {len(fact.episodes)} episodes")
    given = fact.attributes or {}
    found += [
        f"{key} is {given.get(key)!r}"
        for key, value in expected.attributes.items()
        if given.get(key) != value
    ]
    return found
