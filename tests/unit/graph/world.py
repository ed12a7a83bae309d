"""A graph in memory that loads what is asked for and does what a delta says, and short spellings
of what was found."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import msgspec

from recollect.graph import names
from recollect.graph.delta import Delta, Known, KnownEntity, KnownFact
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.graph.needs import FactNeeds, alike_needs, fact_needs, needs
from recollect.graph.predicates import Predicate, Predicates
from recollect.graph.reconcile import reconcile
from recollect.graph.resolve import resolve
from recollect.limits import FACTS_PER_NEED_MAX

START = datetime(2024, 1, 1, tzinfo=UTC)
NOW = START + timedelta(days=10_000)
TABLE = Predicates(
    {
        name: msgspec.structs.replace(item, name=name)
        for name, item in {
            "WORKS_AT": Predicate(
                phrases=("work at", "be employed by"), single=True, carries=("WORKS_AS",)
            ),
            "JOINED": Predicate(phrases=("join",), canonical="WORKS_AT"),
            "WORKS_AS": Predicate(phrases=("work as",), single=True),
            "PROMOTED": Predicate(phrases=("be promoted to",), replaces=("WORKS_AS",)),
            "LIVES_IN": Predicate(phrases=("live in",), single=True, carries=("LIVES_WITH",)),
            "LIVES_WITH": Predicate(phrases=("live with",)),
            "AGE": Predicate(phrases=("be old",), single=True),
            "MARRIED_TO": Predicate(phrases=("be married to",), single=True, symmetric=True),
            "KNOWS": Predicate(phrases=("know",), symmetric=True),
            "DIVORCED": Predicate(
                phrases=("divorce",), ends=("MARRIED_TO",), ends_alone=("MARRIED_TO",), event=True
            ),
            "LEFT": Predicate(phrases=("leave",), ends=("WORKS_AT", "LIVES_IN"), event=True),
            "QUIT": Predicate(
                phrases=("quit",), ends=("WORKS_AT",), ends_alone=("WORKS_AT",), event=True
            ),
            "LIKES": Predicate(phrases=("like", "love", "enjoy"), ends=("DISLIKES",)),
            "DISLIKES": Predicate(phrases=("dislike", "hate"), ends=("LIKES",)),
            "PREFERS": Predicate(phrases=("prefer",), rivals=("LIKES", "PREFERS")),
            "OWNS": Predicate(phrases=("own", "have")),
            "SOLD": Predicate(phrases=("sell",), ends=("OWNS",), event=True),
            "VISITED": Predicate(phrases=("visit",), event=True),
        }.items()
    }
)


def day(number: float) -> datetime:
    """A day of the world of these tests."""
    return START + timedelta(days=number)


def said(*facts: FoundFact | FoundEntity, people: tuple[str, ...] = ()) -> Found:
    """What an episode says, by facts that name their entities (see `fact`)."""
    entities: dict[str, FoundEntity] = {}
    rows: list[FoundFact] = []
    for item in facts:
        if isinstance(item, FoundEntity):
            entities[item.name] = item
    for item in facts:
        if isinstance(item, FoundFact):
            ends = tuple((item.attributes or {})["ends"])
            for name in ends:
                kind = "person" if name in people else None
                entities.setdefault(name, FoundEntity(name=name, kind=kind))
            order = list(entities)
            rows.append(
                msgspec.structs.replace(
                    item,
                    source=order.index(ends[0]),
                    target=order.index(ends[1]),
                    attributes=None,
                )
            )
    return Found(entities=tuple(entities.values()), facts=tuple(rows))


def fact(source: str, predicate: str, target: str | None, text: str = "", **more: Any) -> FoundFact:
    """A fact between two names; `at` is its day."""
    if "at" in more:
        at = more.pop("at")
        more["valid_at"] = None if at is None else day(at)
    if "until" in more:
        more["invalid_at"] = day(more.pop("until"))
    said_so = text or f"{source} {predicate.lower().replace('_', ' ')} {target or ''}".strip()
    return FoundFact(
        source=0,
        target=0,
        name=more.pop("name", predicate),
        predicate=predicate,
        fact=said_so,
        attributes={"ends": [source, target or source]},
        **more,
    )


class World:
    """A graph in memory. *whole*: everything is loaded, not only what is asked for."""

    def __init__(self, table: Predicates = TABLE, *, whole: bool = False) -> None:
        self.table = table
        self.whole = whole
        self.entities: dict[str, KnownEntity] = {}
        self.facts: dict[str, KnownFact] = {}
        self.supports: list[tuple[str, str]] = []
        self.clock = count()
        self.ids = (f"id-{number:05}" for number in count())

    def hear(
        self, found: Found, *, at: float = 0, now: datetime | None = None, backwards: bool = False
    ) -> Delta:
        """Reconcile an episode of day *at* and do what comes of it."""
        now = now or NOW + timedelta(seconds=next(self.clock))
        entities = self._candidates(found)
        resolved = resolve(entities, found)
        facts = self._facts(fact_needs(resolved, found, self.table, at=day(at)))
        ends = {uuid for item in facts for uuid in (item.source, item.target)}
        extra = ends - {item.uuid for item in entities}
        known = Known(
            entities=entities + tuple(self.entities[uuid] for uuid in sorted(extra)), facts=facts
        )
        if backwards:
            known = Known(entities=known.entities[::-1], facts=known.facts[::-1])
        delta = reconcile(
            known,
            found,
            now=now,
            at=day(at),
            new_id=lambda _: next(self.ids),
            predicates=self.table,
            resolved=resolved,
        )
        self._apply(delta, day(at))
        return delta

    def _candidates(self, found: Found) -> tuple[KnownEntity, ...]:
        if self.whole:
            return tuple(self.entities.values())
        wanted = needs(found)
        keys = set(wanted.keys)
        known = {
            item.uuid: item
            for item in self.entities.values()
            if item.who
            or item.uuid in wanted.uuids
            or any(key in keys for name in item.names for key in names.keys(name))
        }
        for key, asked in alike_needs(known.values(), found).items():
            known |= {item.uuid: item for item in self._alike(key, asked)}
        return tuple(known.values())

    def _alike(self, key: str, asked: list[str]) -> Iterator[KnownEntity]:
        for item in self.entities.values():
            stored = [names.keys(name) for name in item.names]
            if any(key in several for several in stored) and any(
                names.may_be_alike(name, exact) for name in asked for exact, *_ in stored
            ):
                yield item

    def _facts(self, wanted: FactNeeds) -> tuple[KnownFact, ...]:
        if self.whole:
            return tuple(self.facts.values())
        chosen: dict[str, KnownFact] = {}
        for value in self.facts.values():
            alive = value.invalid_at is None or (
                wanted.since is not None and value.invalid_at >= wanted.since
            )
            if (
                ((value.source, value.predicate) in wanted.by_source and alive)
                or ((value.target, value.predicate) in wanted.by_target and alive)
                or ((value.source, value.slot) in wanted.by_slot and alive)
                or (value.source, value.target) in wanted.by_pair
                or (value.source, value.gist) in wanted.by_gist
                or value.uuid in wanted.by_uuid
            ):
                chosen[value.uuid] = value
        assert len(chosen) <= 5 * FACTS_PER_NEED_MAX
        return tuple(chosen.values())

    def _apply(self, delta: Delta, said_at: datetime) -> None:
        for entity in delta.new_entities:
            assert entity.uuid not in self.entities
            self.entities[entity.uuid] = entity
        for changed in delta.changed_entities:
            values = msgspec.structs.asdict(changed)
            new_names = values.pop("new_names")
            before = self.entities[changed.uuid]
            assert changed.names == (*before.names, *new_names)
            self.entities[changed.uuid] = msgspec.structs.replace(before, **values)
        for new in delta.new_facts:
            assert new.uuid not in self.facts
            values = msgspec.structs.asdict(new)
            for key in ("found", "rating", "confidence", "said_at"):
                values.pop(key)
            self.facts[new.uuid] = KnownFact(**values, said_at=said_at)
        for closed in delta.closed_facts:
            self.facts[closed.uuid] = msgspec.structs.replace(
                self.facts[closed.uuid],
                invalid_at=closed.invalid_at,
                expired_at=closed.expired_at,
            )
        self.supports += [(item.fact, item.role) for item in delta.supports]

    def entity(self, name: str) -> KnownEntity:
        """The one entity shown under a name."""
        (found,) = (item for item in self.entities.values() if item.name == name)
        return found

    def spans(self) -> list[tuple[str, float | None, float | None]]:
        """Each fact with the days it holds, in the order they were learned."""
        return [
            (item.fact, _number(item.valid_at), _number(item.invalid_at))
            for item in self.facts.values()
        ]

    def open(self) -> list[str]:
        """The facts that have no end."""
        return [item.fact for item in self.facts.values() if item.invalid_at is None]


def _number(moment: datetime | None) -> float | None:
    return None if moment is None else (moment - START) / timedelta(days=1)
