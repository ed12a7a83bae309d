"""Short ways to write down what an episode says, for tests of what comes after reading."""

from datetime import UTC, datetime

from recollect.extract.brief import Brief, Guidance, Profile, Turn
from recollect.graph.found import EntityKind, Found, FoundEntity, FoundFact, Mood
from recollect.records.guidance import EdgeType, Ends, EntityType, Ontology, Property

AT = datetime(2025, 3, 4, 12, 0, tzinfo=UTC)
JOHN = Profile(
    name="John Doe",
    user_id="john-1",
    first_name="John",
    last_name="Doe",
    email="john.doe@example.com",
)
USER = FoundEntity(name="John Doe", kind="person", who="user")


def thing(name: str, kind: EntityKind | None = None) -> FoundEntity:
    """An entity that reading found."""
    return FoundEntity(name=name, kind=kind)


def says(
    fact: str,
    predicate: str,
    target: int = 0,
    *,
    source: int = 0,
    mood: Mood = "stated",
    negated: bool = False,
    ends: bool = False,
    slot: str | None = None,
) -> FoundFact:
    """A fact that reading found; without a target it is about its source alone."""
    return FoundFact(
        source=source,
        target=target,
        name=predicate,
        predicate=predicate,
        fact=fact,
        mood=mood,
        negated=negated,
        ends=ends,
        slot=slot,
    )


def heard(*facts: FoundFact, about: tuple[FoundEntity, ...] = ()) -> Found:
    """The user and what is named, with the facts between them."""
    return Found(entities=(USER, *about), facts=facts)


def message(
    content: str,
    *,
    ontology: Ontology | None = None,
    before: tuple[tuple[str, str], ...] = (),
    defaults: bool = True,
    strict: bool = False,
) -> Brief:
    """A message of the user; *before* is pairs of role and content, the newest last."""
    return Brief(
        kind="message",
        content=content,
        at=AT,
        role="user",
        speaker="John Doe",
        user=JOHN,
        before=tuple(Turn(content=said, role=role) for role, said in before),
        guidance=Guidance(ontology=ontology or Ontology(), defaults=defaults),
        strict=strict,
    )


def text(name: str, description: str) -> Property:
    """A field that holds text."""
    return Property(name=name, type="Text", description=description)


def whole(name: str, description: str) -> Property:
    """A field that holds a whole number."""
    return Property(name=name, type="Int", description=description)


def decimal(name: str, description: str) -> Property:
    """A field that holds a number."""
    return Property(name=name, type="Float", description=description)


def yes_or_no(name: str, description: str) -> Property:
    """A field that holds true or false."""
    return Property(name=name, type="Boolean", description=description)


def entity_type(name: str, description: str, *properties: Property) -> EntityType:
    """A custom kind of node."""
    return EntityType(name=name, description=description, properties=properties)


def edge_type(
    name: str,
    description: str,
    *properties: Property,
    ends: tuple[tuple[str | None, str | None], ...] = (),
) -> EdgeType:
    """A custom kind of edge."""
    return EdgeType(
        name=name,
        description=description,
        properties=properties,
        source_targets=tuple(Ends(source=source, target=target) for source, target in ends),
    )
