"""Loads the part of a graph that reconciliation sees, and writes what it decides.

Everything is looked up by key and bounded, so that an episode costs the same in a small graph and in a
large one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.derive import taken_in, user_sides
from recollect.graph import names
from recollect.graph.delta import (
    ChangedEntity,
    Closing,
    Delta,
    KnownEntity,
    KnownFact,
    NewDoubt,
    NewFact,
    Support,
)
from recollect.graph.needs import FactNeeds, Needs
from recollect.limits import CANDIDATES_PER_KEY_MAX, FACTS_PER_NEED_MAX
from recollect.store import numbers, rows
from recollect.store.protocol import Transaction
from recollect.store.queries.facts import FactRow
from recollect.store.queries.shapes import EntityRow


class Neighbourhood:
    """Entities and facts of one graph as loaded, with the row ids of their uuids.

    New items get row ids derived from an episode, and its *side* of the walls drawn by policies. Only
    items of that side are loaded. Without walls *side* is None.
    """

    def __init__(
        self, tx: Transaction, graph_id: int, episode_id: int, side: str | None = None
    ) -> None:
        self._tx = tx
        self._graph_id = graph_id
        self._episode_id = episode_id
        self._wall = side
        self._side = side or ""
        self._bounds: dict[str, Any] = {
            "graph_id": graph_id,
            "side": self._side,
            "limit": CANDIDATES_PER_KEY_MAX,
        }
        self._user: KnownEntity | None = None  # the whole node, not only what this side knows
        self._numbers = numbers.of_episode(episode_id)
        self._entity_ids: dict[str, int] = {}
        self._entity_uuids: dict[int, str] = {}
        self._fact_ids: dict[str, int] = {}
        self.new_keys: list[str] = []  # under which entities became known
        self.ends: tuple[KnownEntity, ...] = ()  # of loaded facts, unless already loaded

    def entities(self, wanted: Needs) -> tuple[KnownEntity, ...]:
        """The user, the assistant, and the entities that may be one of those found."""
        who = self._tx.entities.who(graph_id=self._graph_id)
        found = [row for row in who if row.is_user or row.side == self._side]
        if wanted.keys:
            found += self._tx.entities.by_keys(keys=rows.to_json(wanted.keys), **self._bounds)
        if wanted.uuids:
            found += self._tx.entities.by_uuids_on_side(
                graph_id=self._graph_id,
                uuids=rows.to_json(wanted.uuids),
                side=self._side,
            )
        return self._known(found)

    def alike(self, wanted: Mapping[str, Sequence[str]]) -> tuple[KnownEntity, ...]:
        """The entities with similar names, among the many that only begin or end alike."""
        if not wanted:
            return ()
        keys = rows.to_json(list(wanted))
        alike = {
            row.entity_id
            for row in self._tx.entities.names_beside(keys=keys, **self._bounds)
            if any(names.may_be_alike(name, row.key) for name in wanted[row.asked])
        }
        missing = sorted(alike - self._entity_uuids.keys())
        return self._known(self._tx.entities.by_ids(ids=rows.to_json(missing))) if missing else ()

    def meet(self, named: Mapping[str, int]) -> None:
        """Add the row ids of further entities, without loading them."""
        self._entity_ids.update(named)

    def _known(self, found: Iterable[EntityRow]) -> tuple[KnownEntity, ...]:
        by_id = {row.id: row for row in found}
        for row in by_id.values():
            self._entity_ids[row.uuid] = row.id
            self._entity_uuids[row.id] = row.uuid
        return tuple(self._known_entity(by_id[number]) for number in sorted(by_id))

    def _known_entity(self, row: EntityRow) -> KnownEntity:
        if self._wall is not None and row.is_user:
            self._user = _known_entity(row, None)
        return known_on(self._tx, row, self._wall)

    def facts(self, needs: FactNeeds) -> tuple[KnownFact, ...]:
        """The facts that those found may restate or close, oldest first."""
        found: dict[int, FactRow] = {}
        facts = self._tx.facts
        since = rows.micros_or_none(needs.since)
        for still_open, closed, wanted in (
            (facts.open_by_source, facts.closed_by_source, needs.by_source),
            (facts.open_by_target, facts.closed_by_target, needs.by_target),
            (facts.open_by_slot, facts.closed_by_slot, needs.by_slot),
        ):
            for uuid, value in wanted:
                self._gather(found, still_open, uuid, value=value)
                if since is not None:
                    self._gather(found, closed, uuid, value=value, since=since)
        for source, target in needs.by_pair:
            if target in self._entity_ids:
                target_id = self._entity_ids[target]
                self._gather(found, facts.by_pair, source, target_id=target_id)
        for source, gist in needs.by_gist:
            self._gather(found, facts.by_gist, source, gist=gist)
        if needs.by_uuid:
            uuids = rows.to_json(needs.by_uuid)
            for row in self._tx.facts.by_uuids_on_side(
                graph_id=self._graph_id, uuids=uuids, side=self._side
            ):
                found[row.id] = row
        for row in found.values():
            self._fact_ids[row.uuid] = row.id
        self.ends = self._name_ends(found.values())
        said = self._said(found)
        return tuple(self._known_fact(found[id_], said.get(id_)) for id_ in sorted(found))

    def _said(self, fact_ids: Iterable[int]) -> dict[int, int]:
        """The time of the episode that states each of these facts."""
        listed = list(fact_ids)
        found = self._tx.facts.said(ids=rows.to_json(listed)) if listed else []
        return {row.fact_id: row.said_at for row in found}

    def _gather(
        self,
        found: dict[int, FactRow],
        read: Callable[..., list[FactRow]],
        uuid: str,
        **params: Any,
    ) -> None:
        number = self._entity_ids.get(uuid)
        if number is None:
            return  # it is new, so nothing is known about it
        params |= {"side": self._side, "limit": FACTS_PER_NEED_MAX}
        for row in read(entity_id=number, **params):
            found[row.id] = row

    def _name_ends(self, found: Iterable[FactRow]) -> tuple[KnownEntity, ...]:
        ends = {end for row in found for end in (row.source_id, row.target_id)}
        missing = sorted(ends - self._entity_uuids.keys())
        if not missing:
            return ()
        return self._known(self._tx.entities.by_ids(ids=rows.to_json(missing)))

    def _known_fact(self, row: FactRow, said_at: int | None) -> KnownFact:
        return KnownFact(
            uuid=row.uuid,
            source=self._entity_uuids[row.source_id],
            target=self._entity_uuids[row.target_id],
            name=row.name,
            predicate=row.predicate,
            fact=row.fact,
            gist=row.gist,
            negated=bool(row.negated),
            ends=bool(row.ends),
            slot=row.slot,
            valid_at=rows.moment_or_none(row.valid_at),
            invalid_at=rows.moment_or_none(row.invalid_at),
            created_at=rows.moment(row.created_at),
            expired_at=rows.moment_or_none(row.expired_at),
            attributes=rows.from_json(row.attributes),
            said_at=rows.moment_or_none(said_at),
            event_at=rows.moment_or_none(row.event_at),
            kept_against=tuple(rows.from_json(row.kept_against) or ()),
        )

    def apply(
        self, delta: Delta, *, now: datetime, extractor: str | None = None, gone: bool = False
    ) -> None:
        """Write what was decided about the episode, in the caller's transaction, but for its mentions.

        *gone*: it was deleted, so it supports nothing.
        """
        for entity in delta.new_entities:
            self._add_entity(entity, now)
        for changed in delta.changed_entities:
            self._change_entity(changed)
        for fact in delta.new_facts:
            self._add_fact(fact, extractor)
        for closed in delta.closed_facts:
            self._tx.facts.end(
                id=self._fact_ids[closed.uuid],
                invalid_at=rows.micros_or_none(closed.invalid_at),
                expired_at=rows.micros_or_none(closed.expired_at),
            )
        for closing in delta.closings:
            self._closing(closing, None if gone else self._episode_id)
        for support in () if gone else delta.supports:
            self._support(support, self._episode_id)
        for doubt in () if gone else delta.doubts:
            self._doubt(doubt)

    def cite(self, delta: Delta) -> list[int]:
        """Make cited episodes of the log support the facts that cite them; returns their row ids.

        Episodes deleted since are skipped.
        """
        cited = dict[int, None]()
        for support in delta.supports:
            if support.role == "closes" or not support.cites:
                continue
            listed = rows.to_json(sorted(set(support.cites)))
            for row in self._tx.episodes.ids_by_seqs(
                graph_id=self._graph_id, seqs=listed, side=self._wall
            ):
                self._support(Support(fact=support.fact, role="restates"), row)
                cited[row] = None
        return list(cited)

    def entity_id(self, uuid: str) -> int:
        """The row id of an entity that was loaded or added."""
        return self._entity_ids[uuid]

    def fact_id(self, uuid: str) -> int:
        """The row id of a fact that was loaded or added."""
        return self._fact_ids[uuid]

    def _add_entity(self, entity: KnownEntity, now: datetime) -> None:
        entity_id = self._tx.entities.insert(
            **self._numbers,
            uuid=entity.uuid,
            graph_id=self._graph_id,
            name=entity.name,
            labels=rows.to_json(entity.labels),
            summary=entity.summary,
            attributes=rows.to_json(entity.attributes),
            is_user=entity.who == "user",
            is_assistant=entity.who == "assistant",
            kind=entity.kind,
            names=rows.to_json(entity.names),
            side=self._side,
            now=rows.micros(now),
        )
        self._entity_ids[entity.uuid] = entity_id
        self.new_keys += put_names(self._tx, self._graph_id, entity_id, entity.names)

    def _change_entity(self, entity: ChangedEntity) -> None:
        entity_id = self._entity_ids[entity.uuid]
        if self._user is not None and self._user.uuid == entity.uuid:
            entity = user_sides.learn(self._tx, entity_id, self._side, self._user, entity)
        self.new_keys += change_entity(self._tx, self._graph_id, entity_id, entity)

    def _add_fact(self, fact: NewFact, extractor: str | None) -> None:
        self._fact_ids[fact.uuid] = self._tx.facts.insert(
            **self._numbers,
            uuid=fact.uuid,
            graph_id=self._graph_id,
            source_id=self._entity_ids[fact.source],
            target_id=self._entity_ids[fact.target],
            name=fact.name,
            fact=fact.fact,
            attributes=rows.to_json(fact.attributes),
            rating=fact.rating,
            created_at=rows.micros(fact.created_at),
            expired_at=rows.micros_or_none(fact.expired_at),
            valid_at=rows.micros_or_none(fact.valid_at),
            invalid_at=rows.micros_or_none(fact.invalid_at),
            predicate=fact.predicate,
            gist=fact.gist,
            negated=fact.negated,
            ends=fact.ends,
            slot=fact.slot,
            confidence=fact.confidence,
            extractor=extractor,
            event_at=rows.micros_or_none(fact.event_at),
            side=self._side,
        )

    def _support(self, support: Support, episode_id: int) -> None:
        """Make an episode support a fact; a restatement removes doubts about it."""
        start, end = support.span or (None, None)
        if support.role == "restates":
            self._tx.doubts.dispel(fact_id=self._fact_ids[support.fact])
        self._tx.links.support_insert(
            fact_id=self._fact_ids[support.fact],
            episode_id=episode_id,
            role=support.role,
            span_start=start,
            span_end=end,
        )

    def _closing(self, closing: Closing, episode_id: int | None) -> None:
        self._tx.closings.insert(
            fact_id=self._fact_ids[closing.fact],
            by_fact_id=None if closing.by is None else self._fact_ids[closing.by],
            episode_id=episode_id if closing.ours else None,
            ended_at=rows.micros_or_none(closing.ended_at),
            expired_at=rows.micros_or_none(closing.expired_at),
            judge=closing.judge,
            sure=closing.sure,
        )

    def _doubt(self, doubt: NewDoubt) -> None:
        self._tx.doubts.insert(
            fact_id=self._fact_ids[doubt.fact],
            by_fact_id=self._fact_ids[doubt.by],
            episode_id=self._episode_id,
            judge=doubt.judge,
            sure=doubt.sure,
        )


def change_entity(
    tx: Transaction, graph_id: int, entity_id: int, entity: ChangedEntity
) -> list[str]:
    """Write a changed entity; returns the keys of its new names."""
    tx.entities.learn(
        id=entity_id,
        name=entity.name,
        labels=rows.to_json(entity.labels),
        summary=entity.summary,
        attributes=rows.to_json(entity.attributes),
        kind=entity.kind,
        names=rows.to_json(entity.names),
    )
    return put_names(tx, graph_id, entity_id, entity.new_names)


def put_names(tx: Transaction, graph_id: int, entity_id: int, given: Iterable[str]) -> list[str]:
    """Make an entity findable under names, in addition to those it has; returns their keys."""
    keys = list(dict.fromkeys(key for name in given for key in names.keys(name)))
    if keys:
        tx.entities.names_add(graph_id=graph_id, keys=rows.to_json(keys), entity_id=entity_id)
    return keys


def known_on(tx: Transaction, row: EntityRow, side: str | None) -> KnownEntity:
    """An entity as known on one *side*; None without walls."""
    known = _known_entity(row, side)
    if side is None or known.who != "user":
        return known
    return user_sides.as_known(known, user_sides.learned(tx, row.id, side))


def _known_entity(row: EntityRow, side: str | None) -> KnownEntity:
    return KnownEntity(
        uuid=row.uuid,
        name=row.name,
        names=tuple(rows.from_json(row.names)),
        kind=row.kind,
        who="user" if row.is_user else "assistant" if row.is_assistant else None,
        labels=tuple(rows.from_json(row.labels)),
        summary=row.summary,
        attributes=rows.from_json(row.attributes),
        taken_in=taken_in.marks(row, side or "") if row.given else (),
    )
