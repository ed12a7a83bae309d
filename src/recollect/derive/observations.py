"""Observations of a graph: loads the facts of a pattern, and stores the observation they support.

Every pattern is looked up by key and its facts are bounded, so that an episode costs the same in a
small graph and in a large one.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from recollect.derive import topics
from recollect.graph import observations
from recollect.graph.observations import FactEvidence, ObservedPattern, PatternKind
from recollect.graph.predicates import Predicates
from recollect.graph.types import Record
from recollect.limits import (
    OBSERVATION_CLOSED_FACTS_MAX,
    OBSERVATION_EPISODES_MAX,
    OBSERVATION_OPEN_FACTS_MAX,
)
from recollect.store import numbers, rows
from recollect.store.protocol import Transaction
from recollect.store.queries.observations import (
    ObservationRow,
    PatternFactRow,
    PatternsTouchedRow,
    RepeatedFactRow,
    TopicFactsRow,
)

_WORDS_OF_TEXT = "embedded"
_TAKES_A_VERB = ("WANTS_TO", "PLANS_TO")
Labels = Callable[[str], str]


class Cluster(Record):
    """Facts of one entity that may form a pattern.

    They share a relation or a slot, or the other entity, or the same gist if there is no other entity.
    A topic is a cluster of the user's facts: *gist* is the theme, or else *target_uuid* is the entity
    they are about.
    """

    entity_id: int
    kind: PatternKind
    predicate: str
    slot: str | None = None
    target_uuid: str | None = None
    gist: str | None = None
    side: str = ""  # of the walls drawn by policies

    @property
    def key(self) -> str:
        """Identifies it among the clusters of its entity and kind."""
        beyond = [self.side] if self.side else []
        return rows.to_json([self.predicate, self.slot, self.target_uuid, self.gist, *beyond]) or ""


class KeptObservation(Record):
    """An observation after a change, and the facts it rests on."""

    id: int
    text: str
    facts: tuple[int, ...]


def touched(tx: Transaction, episode_id: int, table: Predicates) -> list[Cluster]:
    """The clusters that an episode adds to and that may be large enough for a pattern."""
    found: dict[Cluster, None] = {}
    for row in tx.observations.patterns_touched(episode_id=episode_id):
        found.update(dict.fromkeys(_clusters(row, table)))

    def is_known(place: topics.Place) -> bool:
        return _at(tx, _on_topic(place)) is not None

    for place in topics.touched(tx, episode_id, observations.LEAST["topics"], is_known):
        found[_on_topic(place)] = None
    return list(found)


def _on_topic(place: topics.Place) -> Cluster:
    return Cluster(
        entity_id=place.user_id,
        kind="topics",
        predicate="",
        target_uuid=place.about,
        gist=place.theme,
        side=place.side,
    )


def _at(tx: Transaction, cluster: Cluster) -> ObservationRow | None:
    """The observation of a cluster, if there is one."""
    return tx.observations.at(entity_id=cluster.entity_id, kind=cluster.kind, key=cluster.key)


def _clusters(row: PatternsTouchedRow, table: Predicates) -> list[Cluster]:
    predicate, slot = row.predicate, row.slot
    known = Cluster(entity_id=row.source_id, kind="changes", predicate=predicate, side=row.side)
    if slot is not None:
        enough = row.of_slot >= observations.LEAST["changes"]
        return [replace(known, slot=slot)] if enough else []
    kind: PatternKind = "changes" if table[predicate].single else "gathers"
    made = []
    told = kind == "changes" or (not row.alone and _readable(row, table))
    if told and row.of_relation >= observations.LEAST[kind]:
        made.append(replace(known, kind=kind))
    if (row.of_gist if row.alone else row.of_pair) > 1 or row.said > 2:
        which = {"gist": row.gist} if row.alone else {"target_uuid": row.target_uuid}
        made.append(replace(known, kind="repeats", **which))
    return made


def _readable(row: PatternsTouchedRow, table: Predicates) -> bool:
    """Whether the relation's name reads well between two names in a sentence.

    A name from the table does, and one chosen by a caller or a model, but not words taken from a text.
    """
    chosen = row.predicate in table or not (row.extractor or "").startswith(_WORDS_OF_TEXT)
    return chosen and not row.predicate.endswith(_TAKES_A_VERB)


def renew(
    tx: Transaction,
    graph_id: int,
    cluster: Cluster,
    *,
    episode_id: int,
    now: datetime,
    new_id: Callable[[], str],
    label: Labels,
) -> KeptObservation | None:
    """Store the pattern that a cluster supports after an episode; None if nothing changes."""
    old = _at(tx, cluster)
    found = _pattern(tx, cluster, episode_id=episode_id)
    if found is None:
        return None if old is None else retire(tx, old, now)
    if old is not None:
        return _rewrite(tx, old, found)
    made = tx.observations.insert(
        **numbers.of_episode(episode_id),
        uuid=new_id(),
        graph_id=graph_id,
        entity_id=cluster.entity_id,
        kind=cluster.kind,
        key=cluster.key,
        label=label(f"{found.name} {found.summary}"),
        created_at=rows.micros(now),
        **_texts(found),
    )
    tx.observations.facts_add(id=made, facts=rows.to_json(found.facts))
    return KeptObservation(id=made, text=found.summary, facts=found.facts)


def again(
    tx: Transaction, old: ObservationRow, now: datetime, *, forgetting: bool = False
) -> KeptObservation | None:
    """Update an observation after some of its facts were deleted or changed; None if it is deleted too.

    *forgetting*: an observation that is no longer supported is deleted instead of ended.
    """
    found = _pattern(tx, _cluster_of(old))
    if found is None and forgetting:
        tx.observations.delete(id=old.id)
        return None
    return retire(tx, old, now) if found is None else _rewrite(tx, old, found)


def retire(tx: Transaction, old: ObservationRow, now: datetime) -> KeptObservation | None:
    """End an observation that its facts no longer support; without any facts it is deleted.

    Its text is composed from the facts that are left, so that it keeps nothing that was forgotten.
    """
    left = _pattern(tx, _cluster_of(old), least=1)
    if left is None:
        tx.observations.delete(id=old.id)
        return None
    ended = rows.moment_or_none(old.end_at) or left.end_at or now
    return _rewrite(tx, old, left, end_at=ended)


def _rewrite(
    tx: Transaction,
    old: ObservationRow,
    found: ObservedPattern,
    end_at: datetime | None = None,
) -> KeptObservation | None:
    texts = _texts(found)
    if end_at is not None:
        texts["end_at"] = rows.micros(end_at)
    held = set(tx.observations.fact_ids(id=old.id))
    fresh, gone = [n for n in found.facts if n not in held], sorted(held - set(found.facts))
    if not fresh and not gone and all(getattr(old, name) == value for name, value in texts.items()):
        return None
    tx.observations.update(id=old.id, **texts)
    if fresh:
        tx.observations.facts_add(id=old.id, facts=rows.to_json(fresh))
    if gone:
        tx.observations.facts_drop(id=old.id, facts=rows.to_json(gone))
    return KeptObservation(id=old.id, text=found.summary, facts=found.facts)


def _texts(found: ObservedPattern) -> dict[str, Any]:
    return {
        "name": found.name,
        "summary": found.summary,
        "start_at": rows.micros_or_none(found.start_at),
        "latest_evidence_at": rows.micros_or_none(found.latest_evidence_at),
        "end_at": rows.micros_or_none(found.end_at),
    }


def _cluster_of(old: ObservationRow) -> Cluster:
    predicate, slot, target, gist, *beyond = rows.from_json(old.key)
    return Cluster(
        entity_id=old.entity_id,
        kind=old.kind,
        predicate=predicate,
        slot=slot,
        target_uuid=target,
        gist=gist,
        side=beyond[0] if beyond else "",
    )


def _pattern(
    tx: Transaction, cluster: Cluster, least: int | None = None, episode_id: int | None = None
) -> ObservedPattern | None:
    entity = tx.entities.by_id(id=cluster.entity_id)
    facts = _evidence(tx, cluster, episode_id)
    if entity is None or not facts:
        return None
    relation = cluster.predicate
    if cluster.kind == "topics":
        relation = topics.called(tx, cluster.gist, cluster.target_uuid)
    return observations.pattern(cluster.kind, entity.name, relation, facts, least)


def _evidence(tx: Transaction, cluster: Cluster, episode_id: int | None) -> list[FactEvidence]:
    """The facts of a cluster as of an episode, or now."""
    if cluster.kind == "topics":
        old = _at(tx, cluster)
        held = [] if old is None else tx.observations.fact_ids(id=old.id)
        place = topics.Place(
            user_id=cluster.entity_id,
            theme=cluster.gist,
            about=cluster.target_uuid,
            side=cluster.side,
        )
        told = topics.facts(tx, place, set(held), episode_id)
        return [_fact(row, rows.from_json(row.said)) for row in told]
    if cluster.kind == "repeats":
        return [
            _fact(row, rows.from_json(row.said))
            for row in _said(tx, cluster)
            if row.predicate == cluster.predicate and not row.other
        ]
    found = _of_relation(tx, cluster)
    if cluster.kind == "gathers":
        found = [row for row in found if not row.alone]
    return [_fact(row, [] if row.said_at is None else [row.said_at]) for row in found]


def _said(tx: Transaction, cluster: Cluster) -> list[RepeatedFactRow]:
    bounds: dict[str, Any] = {
        "side": cluster.side,
        "limit": OBSERVATION_OPEN_FACTS_MAX,
        "said_max": OBSERVATION_EPISODES_MAX,
    }
    if cluster.target_uuid is None:
        return tx.observations.pattern_said_of_gist(
            entity_id=cluster.entity_id, gist=cluster.gist, **bounds
        )
    target = tx.entities.place(uuid=cluster.target_uuid)
    if target is None:
        return []
    return tx.observations.pattern_said_of_pair(
        entity_id=cluster.entity_id, target_id=target.id, **bounds
    )


def _of_relation(tx: Transaction, cluster: Cluster) -> list[PatternFactRow]:
    """The newest facts that hold, and those that ended last."""
    entity_id, side, most, least = (
        cluster.entity_id,
        cluster.side,
        OBSERVATION_OPEN_FACTS_MAX,
        OBSERVATION_CLOSED_FACTS_MAX,
    )
    if cluster.slot is not None:
        slot = cluster.slot
        return [
            *tx.observations.pattern_open_of_slot(
                entity_id=entity_id, slot=slot, side=side, limit=most
            ),
            *tx.observations.pattern_closed_of_slot(
                entity_id=entity_id, slot=slot, side=side, limit=least
            ),
        ]
    name = cluster.predicate
    return [
        *tx.observations.pattern_open_of_relation(
            entity_id=entity_id, predicate=name, side=side, limit=most
        ),
        *tx.observations.pattern_closed_of_relation(
            entity_id=entity_id,
            predicate=name,
            side=side,
            limit=least,
        ),
    ]


def _fact(
    row: RepeatedFactRow | PatternFactRow | TopicFactsRow, said: Sequence[int]
) -> FactEvidence:
    return FactEvidence(
        number=row.id,
        fact=row.fact,
        value=row.gist if row.alone else row.target_uuid,
        object_name=row.target_name,
        valid_at=rows.moment_or_none(row.valid_at),
        invalid_at=rows.moment_or_none(row.invalid_at),
        said_at=tuple(rows.moment(value) for value in said),
    )
