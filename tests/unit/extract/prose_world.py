"""One loaded parser for all tests of prose, and short ways to read a sentence."""

from datetime import UTC, datetime
from functools import cache

from recollect.extract.brief import Brief, KnownName, Profile, Turn
from recollect.extract.prose import Prose
from recollect.graph import predicates
from recollect.graph.found import Found, FoundFact
from recollect.models import embedder, parser, sentence_kinds
from recollect.settings import Settings

AT = datetime(2024, 3, 14, 12, 0, tzinfo=UTC)
JANE = Profile(
    name="Jane Smith",
    user_id="user-1",
    first_name="Jane",
    last_name="Smith",
    email="jane@example.com",
)


@cache
def prose() -> Prose:
    """The extractor under test."""
    models = Settings().models
    kinds = sentence_kinds.classifier(embedder.load(models).passages)
    return Prose(parser.load(models), predicates.load(), kinds)


def reading(
    text: str,
    *,
    kind: str = "message",
    role: str | None = "user",
    speaker: str | None = "Jane",
    user: Profile | None = JANE,
    before: tuple[Turn, ...] = (),
    known: tuple[KnownName, ...] = (),
    zone: str | None = None,
) -> Brief:
    """A message of Jane's unless told otherwise."""
    return Brief(
        kind=kind,  # type: ignore[arg-type]
        content=text,
        at=AT,
        role=role,
        speaker=speaker,
        user=user,
        before=before,
        known=known,
        time_zone=zone,
    )


def said(text: str, **more: object) -> Found:
    """What a message of Jane's says."""
    return prose().read(reading(text, **more))  # type: ignore[arg-type]


def written(text: str, **more: object) -> Found:
    """What a text says."""
    return prose().read(reading(text, kind="text", role=None, speaker=None, **more))  # type: ignore[arg-type]


def triples(found: Found) -> list[tuple[str, str, str]]:
    """Source, name and target of each fact, by name."""
    names = [entity.name for entity in found.entities]
    return [(names[fact.source], fact.name, names[fact.target]) for fact in found.facts]


def sentences(found: Found) -> list[str]:
    return [fact.fact for fact in found.facts]


def fact_named(found: Found, name: str) -> FoundFact:
    """The one fact of this name."""
    (fact,) = [fact for fact in found.facts if fact.name == name]
    return fact
