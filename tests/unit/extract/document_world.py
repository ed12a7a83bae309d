"""What the tests of JSON documents share: a user, a time, and how to look at what was found."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from recollect.extract import documents
from recollect.extract.brief import Brief, Profile
from recollect.graph.found import Found, FoundEntity, FoundFact

AT = datetime(2025, 2, 20, 20, 29, 39, tzinfo=UTC)
EMILY = Profile(
    name="Emily Painter",
    user_id="Emily0e62",
    first_name="Emily",
    last_name="Painter",
    email="Emily@painters.com",
)


def silent(reading: Brief) -> Found:
    """A reader of prose for documents without any."""
    return Found()


@dataclass(frozen=True)
class Line:
    """A fact with its entities by name."""

    source: str
    target: str
    fact: FoundFact

    @property
    def text(self) -> str:
        return self.fact.fact


@dataclass(frozen=True)
class Seen:
    """What was found in a document, easy to ask."""

    content: str
    found: Found

    @property
    def lines(self) -> list[Line]:
        names = [entity.name for entity in self.found.entities]
        return [Line(names[f.source], names[f.target], f) for f in self.found.facts]

    @property
    def texts(self) -> list[str]:
        return [fact.fact for fact in self.found.facts]

    def entity(self, name: str) -> FoundEntity:
        return next(entity for entity in self.found.entities if entity.name == name)

    def slot(self, slot: str) -> Line:
        found = [line for line in self.lines if line.fact.slot == slot]
        assert len(found) == 1, (slot, self.lines)
        return found[0]

    def named(self, name: str) -> list[Line]:
        return [line for line in self.lines if line.fact.name == name]


def seen(
    document: Any,
    user: Profile | None = EMILY,
    prose: Callable[[Brief], Found] = silent,
    **more: Any,
) -> Seen:
    """Read a document, given as a value or as JSON text."""
    content = document if isinstance(document, str) else json.dumps(document)
    reading = Brief(kind="json", content=content, at=AT, user=user, **more)
    return Seen(content, documents.read(reading, prose))


def day(year: int, month: int, number: int) -> datetime:
    """Midnight of a day, in UTC."""
    return datetime(year, month, number, tzinfo=UTC)
