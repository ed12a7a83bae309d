"""Restricts what was read to what the caller may see.

An object is visible or not as a whole, by the combined metadata of its episodes. A visible object
carries nothing that only hidden episodes contributed, and no name of something that may be hidden
itself. A caller that sees everything gets back what was read, at no cost.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from msgspec.structs import replace

from recollect.derive import effective
from recollect.derive.effective import DerivedKind
from recollect.graph import summary
from recollect.graph import visibility as rules
from recollect.graph.filters import EpisodeSource
from recollect.graph.types import Access, Entity, Episode, Fact, Json, Observation
from recollect.graph.visibility import Visibility
from recollect.limits import ENTITY_SUMMARY_FACTS_MAX
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.closings import EndingsOfFactsRow
from recollect.store.queries.episodes import EpisodesJudgedRow
from recollect.store.queries.facts import FactsAboutEntityRow, FactsOfObservationsRow
from recollect.store.queries.links import SourcesOfFactsRow
from recollect.store.queries.observations import ObservationEpisodesRow
from recollect.store.queries.shapes import SourceRow

# What a caller with restricted visibility gets of the attributes of a user's own node.
# The node exists on all sides of the walls that policies draw. What the user's record and people wrote
# into it is shown to everyone who sees the node; what episodes taught it, only on visible sides.


def user_attributes(tx: Transaction, visibility: Visibility, node: Entity) -> Json | None:
    """The visible attributes of a user's own node.

    None while the graph waits to be refolded: until then it is not known who gave which.
    """
    graph = tx.graphs.fold_state(graph_id=node.graph_id)
    if graph is None or graph.fold_from is not None:
        return None
    taught = [
        (row.side, rows.from_json(row.attributes) or {})
        for row in tx.entities.user_sides_of(entity_id=node.id)
    ]
    anywhere = {key for _, given in taught for key in given}
    told = {key: value for key, value in (node.attributes or {}).items() if key not in anywhere}
    for side, given in taught:
        if visibility.sees(rules.said_on(side)):
            told |= given
    return told or None


T = TypeVar("T")
Given = Json | None


def first(
    access: Access,
    read: Callable[[int], Sequence[T]],
    narrow: Callable[[Sequence[T]], list[T]],
    limit: int,
) -> list[T]:
    """The first *limit* visible items; *read* takes the number of items to read."""
    if access.visibility is None or limit <= 0:
        return narrow(read(limit))
    several = limit
    while True:
        found = read(several)
        kept = narrow(found)
        if len(kept) >= limit or len(found) < several:
            return kept[:limit]
        several *= 4


def sees_all(visibility: Visibility, given: Iterable[Given]) -> bool:
    """Whether every single episode with one of these metadata is visible."""
    return all(visibility.sees(rules.effective([one])) for one in given)


def _seen_of(visibility: Visibility, given: Iterable[Given]) -> list[Given]:
    return [one for one in given if visibility.sees(rules.effective([one]))]


def ids(tx: Transaction, access: Access, kind: DerivedKind, among: Sequence[int]) -> set[int]:
    """Which of these row ids are visible, judged only by the combined metadata of their episodes."""
    if access.visibility is None:
        return set(among)
    behind = _behind(tx, access.visibility, kind, among)
    return {n for n, given in behind.items() if access.visibility.sees(rules.effective(given))}


def _behind(
    tx: Transaction, visibility: Visibility, kind: DerivedKind, among: Sequence[int]
) -> dict[int, list[Given]]:
    """The metadata of supporting episodes.

    A user's node exists on all sides of the walls that policies draw, so of the episodes that mention it
    only the visible ones count.
    """
    behind = effective.sources(tx, kind, among)
    if kind == "entity":
        for number in _own(tx, among):
            behind[number] = _seen_of(visibility, behind[number])
    return behind


def _own(tx: Transaction, among: Sequence[int]) -> set[int]:
    """Which of these entities are users' own nodes."""
    return set(tx.entities.own(ids=rows.to_json(list(among))))


def episodes(access: Access, found: Sequence[Episode]) -> list[Episode]:
    """The visible episodes."""
    if access.visibility is None:
        return list(found)
    return [one for one in found if access.visibility.sees(rules.effective([one.metadata]))]


class Carrier(Protocol):
    """A row with the metadata of one episode."""

    @property
    def metadata(self) -> str | None: ...


C = TypeVar("C", bound=Carrier)


def carriers(access: Access, found: Sequence[C]) -> list[C]:
    """The rows whose metadata, that of one episode, is visible."""
    visibility = access.visibility
    if visibility is None:
        return list(found)
    return [
        row for row in found if visibility.sees(rules.effective([rows.from_json(row.metadata)]))
    ]


def document(access: Access, metadata: Given) -> bool:
    """Whether a document of a collection is visible, by its own metadata; nested values are ignored."""
    if access.visibility is None:
        return True
    flat = {key: kept for key, given in (metadata or {}).items() if (kept := _scalars(given))}
    return access.visibility.sees(rules.effective([flat]))


def _scalars(given: Any) -> list[Any]:
    listed = given if isinstance(given, list) else [given]
    return [value for value in listed if isinstance(value, str | int | float)]


def facts(tx: Transaction, access: Access, found: Sequence[Fact]) -> list[Fact]:
    """The visible facts, without the names of their entities and without hidden episodes.

    Attributes are included only if all episodes are visible: nothing records which episode gave which.
    """
    visibility = access.visibility
    if visibility is None or not found:
        return list(found)
    behind = fact_sources(tx, [fact.id for fact in found])
    over = ends(tx, access, [fact.id for fact in found])
    return [
        _fact(visibility, _ended(fact, over.get(fact.id)), behind[fact.id])
        for fact in found
        if visibility.sees(rules.effective(source.metadata for source in behind[fact.id]))
    ]


def ends(
    tx: Transaction, access: Access, among: Sequence[int]
) -> dict[int, tuple[int | None, int | None]]:
    """The end times of facts that a hidden episode ended, recomputed without hidden episodes.

    Only visible closings and those by hand count. Facts not in the result keep their own end.
    """
    visibility = access.visibility
    if visibility is None:
        return {}
    told: dict[int, list[EndingsOfFactsRow]] = {}
    hidden = set[int]()
    for row in tx.closings.endings_of_facts(ids=rows.to_json(list(among))):
        shown = told.setdefault(row.fact_id, [])
        if row.episode_id is None or carriers(access, [row]):
            shown.append(row)
        else:
            hidden.add(row.fact_id)
    return {
        number: (
            _earliest(row.ended_at for row in told[number]),
            _earliest(row.expired_at for row in told[number]),
        )
        for number in hidden
    }


def _earliest(moments: Iterable[int | None]) -> int | None:
    return min((moment for moment in moments if moment is not None), default=None)


def _ended(fact: Fact, end: tuple[int | None, int | None] | None) -> Fact:
    if end is None:
        return fact
    invalid_at, expired_at = map(rows.moment_or_none, end)
    return replace(fact, invalid_at=invalid_at, expired_at=expired_at)


def fact_sources(tx: Transaction, among: Sequence[int]) -> dict[int, list[EpisodeSource]]:
    """The episodes that support facts, including hidden ones, oldest first."""
    behind: dict[int, list[EpisodeSource]] = {number: [] for number in among}
    for row in tx.links.sources_of_facts(ids=rows.to_json(list(behind))):
        behind[row.fact_id].append(source(row))
    return behind


def source(row: SourcesOfFactsRow | EpisodesJudgedRow | SourceRow) -> EpisodeSource:
    """A supporting episode, as filters see it."""
    return EpisodeSource(
        uuid=row.uuid,
        metadata=rows.from_json(row.metadata),
        role=row.role,
        speaker=row.speaker,
        producer=row.producer,
        addressee=row.addressee,
        created_at=rows.moment(row.created_at),
    )


def sources(access: Access, given: Sequence[EpisodeSource]) -> list[EpisodeSource]:
    """The supporting episodes that are visible themselves."""
    visibility = access.visibility
    if visibility is None:
        return list(given)
    return [one for one in given if visibility.sees(rules.effective([one.metadata]))]


def _fact(visibility: Visibility, fact: Fact, behind: Sequence[EpisodeSource]) -> Fact:
    seen = {one.uuid: one for one in behind if visibility.sees(rules.effective([one.metadata]))}
    return replace(
        fact,
        source_name="",
        source_labels=[],
        target_name="",
        target_labels=[],
        attributes=fact.attributes if len(seen) == len(behind) else None,
        episodes=[uuid for uuid in fact.episodes if uuid in seen],
        metadata=rules.effective(one.metadata for one in seen.values()),
    )


def entities(tx: Transaction, access: Access, found: Sequence[Entity]) -> list[Entity]:
    """The visible entities.

    Summaries mention visible facts only. Attributes, whose origin is not recorded, are included only if
    all episodes are visible.
    """
    visibility = access.visibility
    if visibility is None or not found:
        return list(found)
    behind = _behind(tx, visibility, "entity", [entity.id for entity in found])
    there = [one for one in found if visibility.sees(rules.effective(behind[one.id]))]
    others = [one for one in there if not one.is_user]
    whole = {one.id for one in others if sees_all(visibility, behind[one.id])}
    told = _summaries(tx, access, others, whole)
    given = {one.id: one.attributes if one.id in whole else None for one in others}
    for own in (one for one in there if one.is_user):
        told[own.id] = _summary_of_user(tx, access, own)
        given[own.id] = user_attributes(tx, visibility, own)
    return [
        replace(
            one,
            summary=told[one.id],
            attributes=given[one.id],
            metadata=rules.effective(_seen_of(visibility, behind[one.id])),
        )
        for one in there
    ]


def _summary_of_user(tx: Transaction, access: Access, node: Entity) -> str:
    """A user's summary composed from visible facts, even if nothing is hidden.

    Its wording must not reveal whether there is more.
    """

    def narrow(found: Sequence[FactsAboutEntityRow]) -> list[FactsAboutEntityRow]:
        every = [row.id for row in found]
        seen, over = ids(tx, access, "fact", every), ends(tx, access, every)
        return [row for row in found if row.id in seen and _holds(tx, row, over)]

    holding = first(
        access,
        lambda several: tx.facts.about_entity(entity_id=node.id, limit=several),
        narrow,
        ENTITY_SUMMARY_FACTS_MAX,
    )
    row = tx.entities.by_id(id=node.id)
    given = (rows.from_json(row.given) or {}).get("summary") if row is not None else None
    return _composed(reversed(holding), given or "")


def _holds(
    tx: Transaction, row: FactsAboutEntityRow, over: Mapping[int, tuple[int | None, int | None]]
) -> bool:
    """Whether a fact has not ended, as far as visible."""
    end = over[row.id][0] if row.id in over else row.invalid_at
    return end is None or end > rows.micros(tx.now)


def _summaries(
    tx: Transaction, access: Access, found: Sequence[Entity], whole: set[int]
) -> dict[int, str]:
    """The summaries of entities, verbatim where no supporting episode is hidden."""
    about = {one.id: _about(tx, one.id) for one in found}
    every = [row.id for said in about.values() for row in said]
    seen = ids(tx, access, "fact", every)
    over = ends(tx, access, every)

    def holds(row: FactsAboutEntityRow) -> bool:
        return row.id in seen and _holds(tx, row, over)

    return {
        one.id: one.summary
        if one.id in whole and _is_whole(about[one.id], seen)
        else _composed(filter(holds, reversed(about[one.id])))
        for one in found
    }


def _about(tx: Transaction, entity_id: int) -> list[FactsAboutEntityRow]:
    limit = ENTITY_SUMMARY_FACTS_MAX + 1
    return tx.facts.about_entity(entity_id=entity_id, limit=limit)


def _is_whole(said: Sequence[FactsAboutEntityRow], seen: set[int]) -> bool:
    return len(said) <= ENTITY_SUMMARY_FACTS_MAX and all(row.id in seen for row in said)


def _composed(holding: Iterable[FactsAboutEntityRow], given: str = "") -> str:
    """A summary of the visible facts that have not ended, composed as it would have grown from them."""
    return summary.grow(given, [row.fact for row in holding], ())


def observations(
    tx: Transaction, access: Access, found: Sequence[Observation]
) -> list[Observation]:
    """The observations that are visible together with every fact they rest on."""
    visibility = access.visibility
    if visibility is None or not found:
        return list(found)
    listed = rows.to_json([one.id for one in found])
    evidence = _grouped(tx.facts.of_observations(ids=listed), lambda row: row.fact_id)
    seen = ids(tx, access, "fact", [fact for some in evidence.values() for fact in some])
    behind = _grouped(
        tx.observations.episodes(ids=listed),
        lambda row: EpisodeSource(uuid=row.uuid, metadata=rows.from_json(row.metadata)),
    )
    return [
        _observation(visibility, one, behind.get(one.id, []))
        for one in found
        if seen.issuperset(evidence.get(one.id, ()))
        and visibility.sees(rules.effective(source.metadata for source in behind.get(one.id, ())))
    ]


G = TypeVar("G", FactsOfObservationsRow, ObservationEpisodesRow)


def _grouped(found: Iterable[G], convert: Callable[[G], T]) -> Mapping[int, list[T]]:
    groups: dict[int, list[T]] = {}
    for row in found:
        groups.setdefault(row.id, []).append(convert(row))
    return groups


def _observation(
    visibility: Visibility, one: Observation, behind: Sequence[EpisodeSource]
) -> Observation:
    seen = {each.uuid: each for each in behind if visibility.sees(rules.effective([each.metadata]))}
    return replace(
        one,
        episodes=[uuid for uuid in one.episodes if uuid in seen],
        metadata=rules.effective(each.metadata for each in seen.values()),
    )
