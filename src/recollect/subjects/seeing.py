"""What of the things that were read an asker may see, and how much of each.

An object is there or not as a whole, by what all its episodes say of it together. What is there
carries nothing that only hidden episodes gave it, and no name of what may be hidden itself. Whoever
sees everything gets back what was read, at no cost.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from recollect.graph import sight as rules
from recollect.graph import summary
from recollect.graph.passing import Source
from recollect.graph.sight import Sight
from recollect.graph.types import Access, Entity, Episode, Fact, Json, Observation
from recollect.limits import ENTITY_SUMMARY_FACTS_MAX
from recollect.store import effective, rows
from recollect.store.effective import DerivedKind
from recollect.store.protocol import Row, Transaction

T = TypeVar("T")
Given = Json | None


def first(
    access: Access,
    read: Callable[[int], Sequence[T]],
    narrow: Callable[[Sequence[T]], list[T]],
    limit: int,
) -> list[T]:
    """The first *limit* that may be seen of what *read* gives, which takes how many to read."""
    if access.sight is None or limit <= 0:
        return narrow(read(limit))
    several = limit
    while True:
        found = read(several)
        kept = narrow(found)
        if len(kept) >= limit or len(found) < several:
            return kept[:limit]
        several *= 4


def sees_all(sight: Sight, given: Iterable[Given]) -> bool:
    """Whether every single episode with one of these metadata may be seen."""
    return all(sight.sees(rules.effective([one])) for one in given)


def _seen_of(sight: Sight, given: Iterable[Given]) -> list[Given]:
    return [one for one in given if sight.sees(rules.effective([one]))]


def ids(tx: Transaction, access: Access, kind: DerivedKind, among: Sequence[int]) -> set[int]:
    """Which of these row ids may be seen: by what their episodes say together, and nothing else."""
    if access.sight is None:
        return set(among)
    behind = effective.sources(tx, kind, among)
    return {n for n, given in behind.items() if access.sight.sees(rules.effective(given))}


def episodes(access: Access, found: Sequence[Episode]) -> list[Episode]:
    """Those that may be seen."""
    if access.sight is None:
        return list(found)
    return [one for one in found if access.sight.sees(rules.effective([one.metadata]))]


def carriers(access: Access, found: Sequence[Row]) -> list[Row]:
    """Those rows whose metadata, that of one episode, may be seen."""
    sight = access.sight
    if sight is None:
        return list(found)
    return [row for row in found if sight.sees(rules.effective([rows.from_json(row["metadata"])]))]


def document(access: Access, metadata: Given) -> bool:
    """Whether a document of a collection may be seen, by its own metadata; nested values say
    nothing."""
    if access.sight is None:
        return True
    flat = {key: kept for key, given in (metadata or {}).items() if (kept := _scalars(given))}
    return access.sight.sees(rules.effective([flat]))


def _scalars(given: Any) -> list[Any]:
    listed = given if isinstance(given, list) else [given]
    return [value for value in listed if isinstance(value, str | int | float)]


def facts(tx: Transaction, access: Access, found: Sequence[Fact]) -> list[Fact]:
    """Those that may be seen, without the names of their ends and without hidden episodes.

    Attributes are there when every episode is: nobody knows which of them gave which."""
    sight = access.sight
    if sight is None or not found:
        return list(found)
    behind = fact_sources(tx, [fact.id for fact in found])
    return [
        _fact(sight, fact, behind[fact.id])
        for fact in found
        if sight.sees(rules.effective(source.metadata for source in behind[fact.id]))
    ]


def fact_sources(tx: Transaction, among: Sequence[int]) -> dict[int, list[Source]]:
    """The episodes behind facts, hidden ones included, the oldest first."""
    behind: dict[int, list[Source]] = {number: [] for number in among}
    for row in tx.all("sources_of_facts", ids=rows.to_json(list(behind))):
        behind[row["fact_id"]].append(source(row))
    return behind


def source(row: Row) -> Source:
    """An episode behind something, as filters look at it."""
    return Source(
        uuid=row["uuid"],
        metadata=rows.from_json(row["metadata"]),
        role=row["role"],
        speaker=row["speaker"],
        producer=row["producer"],
        addressee=row["addressee"],
        created_at=rows.moment(row["created_at"]),
    )


def sources(access: Access, given: Sequence[Source]) -> list[Source]:
    """Those episodes behind something that may be seen themselves."""
    sight = access.sight
    if sight is None:
        return list(given)
    return [one for one in given if sight.sees(rules.effective([one.metadata]))]


def _fact(sight: Sight, fact: Fact, behind: Sequence[Source]) -> Fact:
    seen = {one.uuid: one for one in behind if sight.sees(rules.effective([one.metadata]))}
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
    """Those that may be seen; summaries speak of what may be seen, and attributes, of which nobody
    knows where they are from, are there when every episode is."""
    sight = access.sight
    if sight is None or not found:
        return list(found)
    behind = effective.sources(tx, "entity", [entity.id for entity in found])
    there = [one for one in found if sight.sees(rules.effective(behind[one.id]))]
    whole = {one.id for one in there if sees_all(sight, behind[one.id])}
    told = _summaries(tx, access, there, whole)
    return [
        replace(
            one,
            summary=told[one.id],
            attributes=one.attributes if one.id in whole else None,
            metadata=rules.effective(_seen_of(sight, behind[one.id])),
        )
        for one in there
    ]


def _summaries(
    tx: Transaction, access: Access, found: Sequence[Entity], whole: set[int]
) -> dict[int, str]:
    """What is said of entities, word for word where nothing behind it is hidden."""
    about = {one.id: _about(tx, one.id) for one in found}
    every = [row["id"] for said in about.values() for row in said]
    seen = ids(tx, access, "fact", every)
    return {
        one.id: one.summary
        if one.id in whole and _is_whole(about[one.id], seen)
        else _composed(about[one.id], seen, rows.micros(tx.now))
        for one in found
    }


def _about(tx: Transaction, entity_id: int) -> list[Row]:
    limit = ENTITY_SUMMARY_FACTS_MAX + 1
    return tx.all("facts_about_entity", entity_id=entity_id, limit=limit)


def speaks_of_hidden(tx: Transaction, access: Access, entity_id: int) -> bool:
    """Whether a fact about an entity may not be seen; of very many facts one is taken to be."""
    said = _about(tx, entity_id)
    return not _is_whole(said, ids(tx, access, "fact", [row["id"] for row in said]))


def _is_whole(said: Sequence[Row], seen: set[int]) -> bool:
    return len(said) <= ENTITY_SUMMARY_FACTS_MAX and all(row["id"] in seen for row in said)


def _composed(said: Sequence[Row], seen: set[int], now: int) -> str:
    """A summary of the facts that may be seen and are not over, as they would have grown one."""
    holding = [
        row["fact"]
        for row in reversed(said)
        if row["id"] in seen and (row["invalid_at"] is None or row["invalid_at"] > now)
    ]
    return summary.grow("", holding, ())


def observations(
    tx: Transaction, access: Access, found: Sequence[Observation]
) -> list[Observation]:
    """Those that may be seen together with every fact they rest on."""
    sight = access.sight
    if sight is None or not found:
        return list(found)
    listed = rows.to_json([one.id for one in found])
    evidence = _grouped(tx.all("facts_of_observations", ids=listed), lambda row: row["fact_id"])
    seen = ids(tx, access, "fact", [fact for some in evidence.values() for fact in some])
    behind = _grouped(
        tx.all("observation_episodes", ids=listed),
        lambda row: Source(uuid=row["uuid"], metadata=rows.from_json(row["metadata"])),
    )
    return [
        _observation(sight, one, behind.get(one.id, []))
        for one in found
        if seen.issuperset(evidence.get(one.id, ()))
        and sight.sees(rules.effective(source.metadata for source in behind.get(one.id, ())))
    ]


def _grouped(found: Iterable[Row], convert: Callable[[Row], T]) -> Mapping[int, list[T]]:
    groups: dict[int, list[T]] = {}
    for row in found:
        groups.setdefault(row["id"], []).append(convert(row))
    return groups


def _observation(sight: Sight, one: Observation, behind: Sequence[Source]) -> Observation:
    seen = {each.uuid: each for each in behind if sight.sees(rules.effective([each.metadata]))}
    return replace(
        one,
        episodes=[uuid for uuid in one.episodes if uuid in seen],
        metadata=rules.effective(each.metadata for each in seen.values()),
    )
