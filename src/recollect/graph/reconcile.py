"""What an episode changes: which entities and facts are new, which are known, what closes when.

A pure function from end to end. The caller loads what `needs` asks for, calls `reconcile` and
writes the delta. `resolve` decides who is who, `supersede` what is a restatement or a
contradiction, `ledger` applies both fact by fact; what becomes of an entity is decided here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from recollect.graph import names, summary
from recollect.graph.delta import ChangedEntity, Delta, Known, KnownEntity
from recollect.graph.found import EntityKind, Found, FoundEntity
from recollect.graph.ledger import Ledger, NewId
from recollect.graph.predicates import Predicates
from recollect.graph.resolve import Resolution, compatible, new_names, resolve
from recollect.graph.types import Json
from recollect.limits import ENTITY_NAMES_MAX

BASE_LABEL = "Entity"


def born(uuid: str, items: Sequence[FoundEntity], others: Iterable[KnownEntity]) -> KnownEntity:
    """A new entity from what was found of it: the longest name, the most specific type."""
    shown = max(items, key=lambda item: (not names.is_address(item.name), len(item.name)))
    start = KnownEntity(uuid=uuid, name=shown.name, names=(shown.name,), who=shown.who)
    rest = [item for item in items if item is not shown]
    return merged(start, sorted([shown, *rest], key=lambda item: item.guessed), others)


def merged(
    known: KnownEntity, items: Sequence[FoundEntity], others: Iterable[KnownEntity]
) -> KnownEntity:
    """*known* with everything found of it. Names that belong to *others* stay theirs."""
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
    """*known* merged by hand with *other*; where they differ, *known* wins."""
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
    """*entity* under a new name, keeping the old ones.

    The user and the assistant keep the name in their record and only gain the new one. A name that
    another entity of a compatible kind has is not given.
    """
    if not name or names.normal(name) in _taken(entity.kind, others):
        return entity
    answers = entity.names or (entity.name,)
    known = names.normal(name) in map(names.normal, answers)
    answers = answers if known else (*answers, name)
    shown = name if entity.who is None else entity.name
    return msgspec.structs.replace(entity, name=shown, names=answers)


def _misread(known: KnownEntity, item: FoundEntity) -> bool:
    """Whether its kind was guessed wrongly; then its type is not trusted either."""
    return item.guessed and not compatible(known.kind, item.kind)


def _display(known: KnownEntity, item: FoundEntity) -> str:
    """The name it has, unless a person turns out to have a fuller one: "Jane", "Jane Smith".

    An alias or a uuid has identified the two; similar names alone never do.
    """
    fuller = names.extends(item.name, known.name) and not names.is_address(item.name)
    person = known.kind == "person" and item.kind in ("person", None)
    return item.name if fuller and person and known.who is None else known.name


def _names(known: KnownEntity, item: FoundEntity, others: Sequence[KnownEntity]) -> tuple[str, ...]:
    """All its names. A new name that another entity of a compatible kind has stays with that one."""
    answers = known.names or (known.name,)
    fresh = new_names(answers, item)
    if fresh:
        held = _taken(known.kind or item.kind, others)
        fresh = [name for name in fresh if names.normal(name) not in held]
    return (*answers, *fresh)[: max(ENTITY_NAMES_MAX, len(answers))]


def _taken(kind: EntityKind | None, others: Iterable[KnownEntity]) -> set[str]:
    """The names of the entities of a compatible kind."""
    return {
        names.normal(name)
        for other in others
        if compatible(kind, other.kind)
        for name in (other.name, *other.names)
    }


def _labels(labels: tuple[str, ...], label: str | None) -> tuple[str, ...]:
    """The base label and at most one type: a generic entity takes the first specific one."""
    if label is None or label == BASE_LABEL or any(held != BASE_LABEL for held in labels):
        return labels
    return (BASE_LABEL, label)


def _overlay(held: Json | None, given: Mapping[str, Any] | None) -> Json | None:
    """Attributes updated with those given; null changes nothing."""
    told = {key: value for key, value in (given or {}).items() if value is not None}
    return {**(held or {}), **told} if told else held


def as_changed(before: KnownEntity, after: KnownEntity) -> ChangedEntity | None:
    """What must be written of an entity; None if nothing changed."""
    if before == after:
        return None
    answers = before.names or (before.name,)
    fields = msgspec.structs.asdict(after) | {"names": after.names or (after.name,)}
    new_names = tuple(name for name in after.names if name not in answers)
    return ChangedEntity(**fields, new_names=new_names)


def reconcile(
    known: Known,
    found: Found,
    *,
    now: datetime,
    at: datetime,
    new_id: NewId,
    predicates: Predicates,
    resolved: Resolution | None = None,
) -> Delta:
    """What must change in the graph to take in what was found. Pure: no I/O, no clock.

    *now* is when we learn it, *at* the episode's own time. *new_id* gives the uuid for a position,
    counting entities first, then facts. *resolved* is the result of `resolve(known.entities,
    found)`, if the caller has it.
    """
    resolved = resolved or resolve(known.entities, found)
    people = _Entities(known, found, resolved, new_id)
    ledger = Ledger(known.facts, people.now, now=now, at=at, new_id=new_id, predicates=predicates)
    ledger.enter_all(found, people.of)
    people.summarise(ledger)
    return Delta(
        new_entities=tuple(people.new()),
        changed_entities=tuple(people.changed()),
        new_facts=tuple(ledger.new_facts(found)),
        closed_facts=tuple(ledger.closed_facts()),
        closings=tuple(ledger.closings),
        doubts=tuple(ledger.doubts()),
        supports=tuple(ledger.supports()),
        mentions=tuple(dict.fromkeys(people.of)),
    )


class _Entities:
    """The entities of the episode with their changes; *of* has the uuid of each one found."""

    def __init__(self, known: Known, found: Found, resolved: Resolution, new_id: NewId) -> None:
        self._before = {item.uuid: item for item in known.entities}
        self.now = dict(self._before)
        self._given = set[str]()
        groups: dict[int, list[FoundEntity]] = {}
        for group, item in zip(resolved.groups, found.entities, strict=True):
            groups.setdefault(group, []).append(item)
        old = dict(zip(resolved.groups, resolved.known, strict=True))
        uuids: dict[int, str] = {}
        for group, items in groups.items():
            uuid = old[group]
            if uuid is None:
                asked = next((item.uuid for item in items if item.uuid), None)
                uuid = asked or new_id(resolved.groups.index(group))
                entity = born(uuid, items, self.now.values())
            else:
                entity = merged(self.now[uuid], items, self.now.values())
            self.now[uuid] = entity
            uuids[group] = uuid
            if any(item.summary for item in items):
                self._given.add(uuid)
        self.of = [uuids[group] for group in resolved.groups]

    def summarise(self, ledger: Ledger) -> None:
        """Update the summaries from the facts, except those that a caller just gave."""
        for uuid, (said, gone) in ledger.news().items():
            # An entity that is not loaded keeps its summary.
            if uuid in self.now and uuid not in self._given:
                text = summary.grow(self.now[uuid].summary, said, gone)
                self.now[uuid] = msgspec.structs.replace(self.now[uuid], summary=text)

    def new(self) -> Iterator[KnownEntity]:
        """The entities to add, in the order their uuids were made."""
        return (item for uuid, item in self.now.items() if uuid not in self._before)

    def changed(self) -> Iterator[ChangedEntity]:
        """The known entities that changed."""
        for uuid, before in sorted(self._before.items()):
            after = self.now[uuid]
            changed = None if after is before else as_changed(before, after)
            if changed is not None:
                yield changed
