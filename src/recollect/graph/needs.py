"""What must be loaded before an episode can be reconciled, however large the graph is.

Pure steps, with a read of the store after each but the last:

    first = needs(found)                                    # keys and uuids
    entities = ...                                          # tuple[KnownEntity, ...]
    similar = alike_needs(entities, found)                  # keys, and names to compare with
    entities += ...
    resolved = resolve(entities, found)
    third = fact_needs(resolved, found, predicates, at=at)
    facts = ...                                             # tuple[KnownFact, ...]
    delta = reconcile(Known(entities=entities, facts=facts), found, resolved=resolved, ...)

The order of what is loaded does not matter. `Known.entities` should include the entities at the
ends of the loaded facts: their summaries drop what no longer holds, and their names show which
facts are of one sort. An entity that is not loaded stays as it is.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache

from recollect.graph import names
from recollect.graph.delta import KnownEntity
from recollect.graph.found import EntityKind, Found, FoundEntity, FoundFact
from recollect.graph.gist import gist, opposite
from recollect.graph.predicates import Predicate, Predicates
from recollect.graph.resolve import Resolution, goes_by
from recollect.graph.types import Record

_REMEMBERED = 4_096
_REQUESTED = "REQUESTED_"
_PARTS: dict[EntityKind | None, str] = {"person": "f:", "organization": "a:"}


class Needs(Record):
    """The entities that may be one of those found, beside the user's and the assistant's node.

    *keys*: entities stored under any of these keys (`names.keys` of each of their names), at most
    `CANDIDATES_PER_KEY_MAX` of each key. *uuids*: these entities.
    """

    keys: tuple[str, ...] = ()
    uuids: tuple[str, ...] = ()


class FactNeeds(Record):
    """The facts that those found may restate or close, closed ones included.

    *by_source*, *by_target*: (entity, predicate), the facts that start or end at the entity.
    *by_slot*: (source, slot). Of each of these three: up to `FACTS_PER_NEED_MAX` facts without
    `invalid_at`, newest first, and as many with `invalid_at >= since`, earliest `valid_at` first.
    *by_pair*: (source, target) in this order; *by_gist*: (source, gist). Of each of these two: up
    to `FACTS_PER_NEED_MAX`, closed or not, newest first. *by_uuid*: these facts, so that no uuid
    is used twice, and those that a reader judged.
    """

    by_source: tuple[tuple[str, str], ...] = ()
    by_target: tuple[tuple[str, str], ...] = ()
    by_pair: tuple[tuple[str, str], ...] = ()
    by_slot: tuple[tuple[str, str], ...] = ()
    by_gist: tuple[tuple[str, str], ...] = ()
    by_uuid: tuple[str, ...] = ()
    since: datetime | None = None


def predicate_of(fact: FoundFact, predicates: Predicates) -> Predicate:
    """The relation by which a fact is compared. A wish does not count as the relation it wishes for."""
    if fact.mood == "requested":
        return Predicate(name=_REQUESTED + predicates[fact.predicate].name)
    return predicates[fact.predicate]


def needs(found: Found) -> Needs:
    """Which entities to load."""
    keys = (key for item in found.entities for key in _keys(item))
    uuids = (
        uuid
        for item in found.entities
        for uuid in (item.uuid, item.known.uuid if item.known else None)
        if uuid is not None
    )
    return Needs(keys=tuple(dict.fromkeys(keys)), uuids=tuple(dict.fromkeys(uuids)))


def alike_needs(known: Iterable[KnownEntity], found: Found) -> dict[str, list[str]]:
    """Keys to look under for names that are very similar (`names.may_be_alike`) to those listed.

    *known* are the entities that `needs` asked for: one that has the name itself leaves no need.
    """
    wanted: dict[str, list[str]] = {}
    for item in found.entities:
        if item.who is not None or item.uuid is not None or item.kind == "value":
            continue
        if not any(goes_by(one, item) for one in known):
            for key in names.alike_keys(item.name):
                wanted.setdefault(key, []).append(item.name)
    return wanted


def _keys(item: FoundEntity) -> Iterator[str]:
    """Its exact names, and the part of its name by which its kind may be known in full."""
    named = () if item.who is not None else (item.name,)
    for name in (*named, *item.aliases, *((item.rename,) if item.rename else ())):
        if key := names.whole_key(name):
            yield key
    part = _PARTS.get(item.kind)
    if part is not None and (item.kind != "person" or len(item.name.split()) == 1):
        yield from (key for key in names.keys(item.name) if key.startswith(part))


def fact_needs(
    resolved: Resolution, found: Found, predicates: Predicates, *, at: datetime
) -> FactNeeds:
    """Which facts to load, once it is decided which entities are known."""
    lookups = _Lookups()
    for fact in found.facts:
        _add_lookups(lookups, fact, resolved, predicates)
    return FactNeeds(
        by_source=tuple(lookups.by_source),
        by_target=tuple(lookups.by_target),
        by_pair=tuple(lookups.by_pair),
        by_slot=tuple(lookups.by_slot),
        by_gist=tuple(lookups.by_gist),
        by_uuid=tuple(dict.fromkeys(_named(found))),
        since=min((fact.valid_at or at for fact in found.facts), default=None),
    )


def _named(found: Found) -> Iterator[str]:
    """The facts referred to by uuid: requested by a caller, or judged by a reader."""
    for fact in found.facts:
        if fact.uuid is not None:
            yield fact.uuid
        yield from (judged.fact for judged in fact.judged)
    yield from (judged.fact for judged in found.judged)


class _Lookups:
    """Pairs to look up, without duplicates, in the order they were added; none for a new entity."""

    def __init__(self) -> None:
        self.by_source: dict[tuple[str, str], None] = {}
        self.by_target: dict[tuple[str, str], None] = {}
        self.by_pair: dict[tuple[str, str], None] = {}
        self.by_slot: dict[tuple[str, str], None] = {}
        self.by_gist: dict[tuple[str, str], None] = {}

    def add(self, pairs: dict[tuple[str, str], None], one: str | None, two: str | None) -> None:
        if one is not None and two is not None:
            pairs[one, two] = None

    def around(self, entity: str | None, predicate: Predicate) -> None:
        """All facts of one relation that an entity has, on either side if the relation is symmetric."""
        self.add(self.by_source, entity, predicate.name)
        if predicate.symmetric:
            self.add(self.by_target, entity, predicate.name)


def _add_lookups(
    lookups: _Lookups, fact: FoundFact, resolved: Resolution, predicates: Predicates
) -> None:
    own = predicate_of(fact, predicates)
    source, target = resolved.known[fact.source], resolved.known[fact.target]
    alone = resolved.groups[fact.source] == resolved.groups[fact.target]
    lookups.add(lookups.by_gist, source, gist(fact.fact))
    lookups.add(lookups.by_slot, source, fact.slot)
    ending = [predicates[name] for name in (*own.ends, *predicates.closers_of(own.name))]
    if alone:
        lookups.add(lookups.by_gist, source, opposite(fact.fact))
    else:
        lookups.add(lookups.by_pair, source, target)
        if own.symmetric or any(item.symmetric for item in ending):
            lookups.add(lookups.by_pair, target, source)
    if own.symmetric:
        lookups.add(lookups.by_gist, target, gist(fact.fact))
    for entity in (source, target) if own.symmetric else (source,):
        _add_related(lookups, entity, own, alone, predicates)


def _add_related(
    lookups: _Lookups, entity: str | None, own: Predicate, alone: bool, predicates: Predicates
) -> None:
    """Look up facts with other targets that may be closed by a fact of this relation, or close it."""
    if own.single or alone:
        lookups.around(entity, own)
    for other in _related(predicates, own.name, alone):
        lookups.around(entity, other)


# Open relations are named by what is said, so there is no end to them.
@lru_cache(maxsize=_REMEMBERED)
def _related(predicates: Predicates, name: str, alone: bool) -> tuple[Predicate, ...]:
    """The other relations whose facts a fact of this one may close, or that may close it."""
    own = predicates[name]
    closed = (own.name, *own.ends, *own.ends_alone, *own.replaces, *own.rivals)
    others = (
        *own.replaces,
        *predicates.replacers_of(own.name),
        *own.rivals,
        *predicates.rivals_of(own.name),
        *predicates.lone_closers_of(own.name),
        *(own.ends_alone if alone else ()),
        *(carried for name in closed for carried in predicates[name].carries),
    )
    return tuple(predicates[other] for other in others)
