"""What an entity becomes when things found in an episode turn out to be it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from recollect.graph import names
from recollect.graph.delta import ChangedEntity, KnownEntity, NewEntity
from recollect.graph.found import EntityKind, FoundEntity
from recollect.graph.resolve import compatible, new_names
from recollect.graph.types import Json
from recollect.limits import ENTITY_NAMES_MAX

BASE_LABEL = "Entity"


def born(uuid: str, items: Sequence[FoundEntity], others: Iterable[KnownEntity]) -> KnownEntity:
    """A new entity out of what was found of it: the more specific type, then the longer name."""
    shown = max(items, key=lambda item: (not names.is_address(item.name), len(item.name)))
    start = KnownEntity(uuid=uuid, name=shown.name, names=(shown.name,), who=shown.who)
    rest = [item for item in items if item is not shown]
    return merged(start, sorted([shown, *rest], key=lambda item: item.guessed), others)


def merged(
    known: KnownEntity, items: Sequence[FoundEntity], others: Iterable[KnownEntity]
) -> KnownEntity:
    """*known* with all that was found of it. *others* keep the names they answer to."""
    taken = [other for other in others if other.uuid != known.uuid]
    entity = known
    for item in items:
        entity = msgspec.structs.replace(
            entity,
            name=_display(entity, item),
            names=_names(entity, item, taken),
            kind=entity.kind or item.kind,
            labels=_labels(entity.labels, None if _misread(entity, item) else item.label),
            summary=item.summary or entity.summary,
            attributes=_overlay(entity.attributes, item.attributes),
        )
        entity = _renamed(entity, item.rename, taken)
    return entity


def joined(known: KnownEntity, other: KnownEntity) -> KnownEntity:
    """*known* with all that is known of *other*, which someone said is the same; where they differ,
    *known* is right."""
    answers = known.names or (known.name,)
    held = set(map(names.normal, answers))
    fresh = [n for n in (other.name, *other.names) if names.normal(n) not in held]
    label = next((one for one in other.labels if one != BASE_LABEL), None)
    return msgspec.structs.replace(
        known,
        names=(*answers, *dict.fromkeys(fresh))[: max(ENTITY_NAMES_MAX, len(answers))],
        kind=known.kind or other.kind,
        labels=_labels(known.labels, label),
        attributes=_overlay(other.attributes, known.attributes) or known.attributes,
    )


def _renamed(entity: KnownEntity, name: str | None, others: Sequence[KnownEntity]) -> KnownEntity:
    """*entity* under another name; those it had stay. The user and the assistant are called what
    their records say, and gain the name. Nobody is given the name of another such thing."""
    if not name or names.normal(name) in _taken(entity.kind, others):
        return entity
    answers = entity.names or (entity.name,)
    known = names.normal(name) in map(names.normal, answers)
    answers = answers if known else (*answers, name)
    shown = name if entity.who is None else entity.name
    return msgspec.structs.replace(entity, name=shown, names=answers)


def _misread(known: KnownEntity, item: FoundEntity) -> bool:
    """Whether it was taken for what it is not; then its type is not believed either."""
    return item.guessed and not compatible(known.kind, item.kind)


def _display(known: KnownEntity, item: FoundEntity) -> str:
    """The name it has, unless a person becomes known by a fuller one: "Jane", "Jane Smith".

    The two were told to be one by an alias or a uuid; a bare likeness of names never is enough.
    """
    fuller = names.extends(item.name, known.name) and not names.is_address(item.name)
    person = known.kind == "person" and item.kind in ("person", None)
    return item.name if fuller and person and known.who is None else known.name


def _names(known: KnownEntity, item: FoundEntity, others: Sequence[KnownEntity]) -> tuple[str, ...]:
    """All it answers to. A name that another such thing has already stays with that one."""
    answers = known.names or (known.name,)
    fresh = new_names(answers, item)
    if fresh:
        held = _taken(known.kind or item.kind, others)
        fresh = [name for name in fresh if names.normal(name) not in held]
    return (*answers, *fresh)[: max(ENTITY_NAMES_MAX, len(answers))]


def _taken(kind: EntityKind | None, others: Iterable[KnownEntity]) -> set[str]:
    """The names that things of a sort answer to already."""
    return {
        names.normal(name)
        for other in others
        if compatible(kind, other.kind)
        for name in (other.name, *other.names)
    }


def _labels(labels: tuple[str, ...], label: str | None) -> tuple[str, ...]:
    """The base label and one type at most: a generic entity takes the first specific one."""
    if label is None or label == BASE_LABEL or any(held != BASE_LABEL for held in labels):
        return labels
    return (BASE_LABEL, label)


def _overlay(held: Json | None, given: Mapping[str, Any] | None) -> Json | None:
    """Attributes with those given over them; what is unknown (null) changes nothing."""
    told = {key: value for key, value in (given or {}).items() if value is not None}
    return {**(held or {}), **told} if told else held


def as_new(entity: KnownEntity) -> NewEntity:
    """*entity* as one to be added."""
    return NewEntity(
        uuid=entity.uuid,
        name=entity.name,
        names=entity.names,
        kind=entity.kind,
        who=entity.who,
        labels=entity.labels,
        summary=entity.summary,
        attributes=entity.attributes,
    )


def as_changed(before: KnownEntity, after: KnownEntity) -> ChangedEntity | None:
    """What is to be written of an entity, if anything of it changed."""
    if before == after:
        return None
    answers = before.names or (before.name,)
    return ChangedEntity(
        uuid=after.uuid,
        name=after.name,
        names=after.names or (after.name,),
        new_names=tuple(name for name in after.names if name not in answers),
        kind=after.kind,
        labels=after.labels,
        summary=after.summary,
        attributes=after.attributes,
    )
