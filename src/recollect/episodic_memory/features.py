"""Facts as features: named values with their supporting episodes, read and written.

Lists and searches return the facts that hold now; one that ended is still available by its id. A fact
belongs to the set of its first speaker. Its category and tag are those given with it, or follow from
its relation. A feature that a client adds is a direct fact; correcting it corrects the fact.
"""

import re
import tomllib
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from uuid import UUID

import msgspec
from msgspec.structs import replace

from recollect.episodic_memory import categories, feature_sets
from recollect.episodic_memory.categories import Sorting
from recollect.episodic_memory.feature_sets import FeatureSet
from recollect.errors import InvalidInput, NotFound
from recollect.governance import erasure
from recollect.graph import checks, predicates
from recollect.graph.episode_filters import EpisodeTree
from recollect.graph.filters import DateTest, Filters
from recollect.graph.predicates import Predicates
from recollect.graph.types import Access, Fact, Graph, Json, Record
from recollect.ingest import direct, direct_features
from recollect.ingest.direct_features import Statement
from recollect.ingest.intake import Receipt
from recollect.limits import DIRECT_NAME_CHARS_MAX, EPISODE_CHARS_MAX, ID_CHARS_MAX, NAME_CHARS_MAX
from recollect.records import knowledge, seeing
from recollect.records.knowledge import UNSET, FactChange
from recollect.search.finder import Finder
from recollect.search.query import Query
from recollect.store import rows
from recollect.store.protocol import Store, Transaction
from recollect.store.queries.features import FeatureSourcesRow

PROFILE = "profile"  # the category of learned facts, unless a client has one for their tag
OTHER = "other"
_TABLE = Path(__file__).with_name("feature_tags.toml")


class _Rule(Record, forbid_unknown_fields=True):
    relations: frozenset[str] = frozenset()
    begins: tuple[str, ...] = ()
    labels: frozenset[str] = frozenset()


@cache
def _rules() -> dict[str, _Rule]:
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return msgspec.convert(table, type=dict[str, _Rule])


def tag_of(fact: Fact) -> str:
    """The tag of a fact that was given none."""
    name, _ = direct.relation(fact.name, predicates.load())  # DOES_NOT_LIKE is about LIKES
    by_relation = (
        word
        for word, rule in _rules().items()
        if name in rule.relations or name.startswith(rule.begins)
    )
    by_label = (
        word for word, rule in _rules().items() if not rule.labels.isdisjoint(fact.target_labels)
    )
    return next(by_relation, None) or next(by_label, OTHER)


CATEGORY, TAG, NAME, SET = "feature_category", "feature_tag", "feature_name", "feature_set"
OWN = frozenset({CATEGORY, TAG, NAME, SET})
_FACTS_PER_LOOK = 200


class Feature(Record):
    """A fact as a named value; *other* is the rest of its attributes."""

    id: str
    category: str
    tag: str
    name: str
    value: str
    set: FeatureSet
    citations: tuple[str, ...] = ()
    other: Json


async def search(
    finder: Finder,
    store: Store,
    access: Access,
    graph: Graph,
    text: str,
    *,
    limit: int,
    now: datetime,
    tree: EpisodeTree | None = None,
    set_metadata: Json | None = None,
) -> tuple[Feature, ...]:
    """At most *limit* features that hold now and match *text*, best first.

    For each, one supporting episode satisfies *tree* and carries *set_metadata*, or as much of it as a
    set type requires. An empty text matches nothing.
    """
    sorting = await store.read(categories.sorting, graph.id)
    filters = _filters(sorting, tree, set_metadata, now)
    several = limit
    while True:
        query = Query(text=text, kind="fact", now=now, limit=several, filters=filters)
        found = await finder.find(access, graph, query)
        told = await store.read(_told, access, [one.item for one in found], sorting)
        if len(told) >= limit or len(found) < several:
            return tuple(told[:limit])
        several *= 4


async def page(
    finder: Finder,
    store: Store,
    access: Access,
    graph: Graph,
    *,
    page_size: int,
    page_num: int,
    now: datetime,
    tree: EpisodeTree | None = None,
    set_metadata: Json | None = None,
) -> tuple[Feature, ...]:
    """A page of the features that hold now, oldest first.

    Pages are numbered from 0; *tree* and *set_metadata* filter as in `search`.
    """
    sorting = await store.read(categories.sorting, graph.id)
    filters = _filters(sorting, tree, set_metadata, now)
    ids = sorted(await finder.matching(access, graph, "fact", filters))
    first = page_num * page_size
    if not sorting.off:
        wanted = ids[first : first + page_size]
        return tuple(await store.read(_by_ids, access, graph, wanted, sorting))
    kept: list[Feature] = []
    for start in range(0, len(ids), _FACTS_PER_LOOK):
        part = ids[start : start + _FACTS_PER_LOOK]
        kept += await store.read(_by_ids, access, graph, part, sorting)
        if len(kept) >= first + page_size:
            break
    return tuple(kept[first : first + page_size])


def get(tx: Transaction, access: Access, graph: Graph, uuid: str) -> Feature:
    """A feature by its id, even if it no longer holds or is still being processed."""
    awaited = direct_features.awaited(tx, access, graph, uuid)
    found = awaited or fact_of(tx, access, graph, uuid)
    sorting = replace(categories.sorting(tx, graph.id), off=frozenset())
    (told,) = _told(tx, access, [found], sorting)
    return told


def fact_of(tx: Transaction, access: Access, graph: Graph, uuid: str) -> Fact:
    """The fact of a feature, also by the id that was returned when it was added."""
    wanted = direct_features.taken_in(tx, graph, uuid) or uuid
    try:
        found = knowledge.fact(tx, access, wanted)
    except NotFound:
        found = None
    if found is None or found.graph_id != graph.id:
        raise NotFound(f"feature not found: {uuid[:ID_CHARS_MAX]}")
    return found


def delete(tx: Transaction, access: Access, graph: Graph, uuids: Sequence[str]) -> None:
    """Delete features, all or none.

    Their supporting episodes stay, except those that were written as the feature itself; one that is not
    processed yet never will be.
    """
    waiting = [direct_features.waiting(tx, access, graph, uuid) for uuid in uuids]
    named = zip(uuids, waiting, strict=True)
    found = [fact_of(tx, access, graph, uuid) for uuid, number in named if number is None]
    wanted = {fact.uuid: fact for fact in found}
    # A fact about one thing alone has no other node that its carrier episode would have to keep.
    added = [fact.id for fact in found if fact.source_uuid == fact.target_uuid]
    carriers = tx.episodes.direct_episodes_behind(facts=rows.to_json(added), entity_id=None)
    for uuid in sorted(wanted):
        knowledge.delete_fact(tx, access, uuid)
    listed = rows.to_json([row.id for row in carriers])
    useless = tx.episodes.stating_nothing(ids=listed)
    erasure.forget_episodes(tx, {*useless, *filter(None, waiting)})


def _filters(
    sorting: Sorting, tree: EpisodeTree | None, set_metadata: Json | None, now: datetime
) -> Filters:
    types = (*feature_sets.BUILT_IN, *sorting.types)
    asked = feature_sets.both(tree, feature_sets.tree_of(types, set_metadata))
    unrefuted = (DateTest(operator="IS NULL"),), (DateTest(operator=">", moment=now),)
    return Filters(episodes=asked, valid_on=now, expired_at=unrefuted)


def _by_ids(
    tx: Transaction, access: Access, graph: Graph, ids: Sequence[int], sorting: Sorting
) -> list[Feature]:
    found = knowledge.facts_by_ids(tx, access, graph, ids)
    return _told(tx, access, sorted(found, key=lambda fact: fact.id), sorting)


def _told(
    tx: Transaction, access: Access, facts: Sequence[Fact], sorting: Sorting
) -> list[Feature]:
    """Facts as features, without those of an excluded category."""
    sets = _sets(tx, access, [fact.id for fact in facts])
    cited = _cited(tx, facts)
    features = [_feature(fact, sets.get(fact.id), sorting, cited) for fact in facts]
    return [one for one in features if not sorting.leaves_out(one.set, one.category)]


def _sets(tx: Transaction, access: Access, ids: Sequence[int]) -> dict[int, FeatureSet]:
    """The sets of the first speaker of each fact, where visible."""
    found: dict[int, FeatureSet] = {}
    said = tx.features.sources(ids=rows.to_json(list(ids)))
    for row in seeing.carriers(access, said):
        one = _said_by(row)
        if one is not None:
            found.setdefault(row.fact_id, one)
    return found


def _said_by(row: FeatureSourcesRow) -> FeatureSet | None:
    metadata = rows.from_json(row.metadata)
    return feature_sets.of_speaker(row.producer, row.speaker, metadata)


def _cited(tx: Transaction, facts: Sequence[Fact]) -> frozenset[str]:
    """The episodes that support facts, without those that were themselves written as facts."""
    if not facts:
        return frozenset()
    uuids = rows.to_json(sorted({uuid for fact in facts for uuid in fact.episodes}))
    found = tx.episodes.cited(graph_id=facts[0].graph_id, uuids=uuids)
    return frozenset(row.uuid for row in found)


def _feature(
    fact: Fact, said_by: FeatureSet | None, sorting: Sorting, cited: frozenset[str]
) -> Feature:
    # A caller that corrects an edge can write anything into its attributes.
    given = {key: value for key, value in (fact.attributes or {}).items() if value is not None}
    texts = {key: str(given[key]) for key in OWN if key in given}
    of_set = feature_sets.of_key(texts.get(SET, "")) or said_by or feature_sets.OF_PROJECT
    tag = texts.get(TAG) or tag_of(fact)
    usual = sorting.category_of(of_set, tag) or PROFILE
    return Feature(
        id=fact.uuid,
        category=texts.get(CATEGORY) or usual,
        tag=tag,
        name=texts.get(NAME) or fact.name.lower(),
        value=fact.fact,
        set=of_set,
        citations=tuple(uuid for uuid in fact.episodes if uuid in cited),
        other=_other(fact, given),
    )


def _other(fact: Fact, given: Json) -> Json:
    own = {key: value for key, value in given.items() if key not in OWN}
    times = {
        "created_at": fact.created_at,
        "valid_at": fact.valid_at,
        "invalid_at": fact.invalid_at,
    }
    subject = {"subject": fact.source_name} if fact.source_name else {}
    return {**own, **times, **subject}


_UNNAMED = "HAS_FEATURE"  # for a feature whose name has no character that relation names may have
_NOT_IN_NAMES = re.compile(r"[^A-Z0-9]+")


class NewFeature(Record):
    """A feature to be added to a set. *project* is the subject of a project's set."""

    set: FeatureSet
    project: str | None
    category: str
    tag: str
    name: str
    value: str
    metadata: Json | None = None
    citations: tuple[str, ...] = ()


class Correction(Record):
    """The changes to a feature; None leaves a field unchanged. *vector* belongs to the new value."""

    category: str | None = None
    tag: str | None = None
    name: str | None = None
    value: str | None = None
    metadata: Json | None = None
    vector: bytes | None = None


class Added(Record):
    """The id that a feature will have, and the task that processes it."""

    id: str
    receipt: Receipt


def relation_of(name: str) -> str:
    """The relation for a feature's name: `favorite food` becomes FAVORITE_FOOD."""
    plain = _NOT_IN_NAMES.sub("_", name.upper()).strip("_")
    named = plain if not plain or plain[0].isalpha() else f"HAS_{plain}"
    return named[:DIRECT_NAME_CHARS_MAX].strip("_") or _UNNAMED


def check(new: NewFeature) -> None:
    """Refuse a feature that is out of bounds."""
    _check_texts(new.category, new.tag, new.name, new.value)
    _check_metadata("feature_metadata", new.metadata)
    for place, cited in enumerate(new.citations):
        _check_uuid(f"citations[{place}]", cited)


def _check_texts(
    category: str | None, tag: str | None, name: str | None, value: str | None
) -> None:
    given = {"category_name": category, "tag": tag, "feature": name}
    for field, text in given.items():
        if text is not None:
            checks.text(field, text, NAME_CHARS_MAX, required=True)
    if value is not None:
        checks.text("value", value, EPISODE_CHARS_MAX, required=True)


def _check_metadata(field: str, metadata: Json | None) -> None:
    for key, value in (metadata or {}).items():
        if key in OWN or not key.strip():
            raise InvalidInput(f"{field}: {key!r} cannot be a name here")
        if isinstance(value, dict | list):
            raise InvalidInput(f"{field}.{key}: must be a string, number, boolean or null")
    checks.json_object(field, metadata)


def _check_uuid(field: str, value: str) -> None:
    try:
        UUID(value)
    except ValueError as error:
        raise InvalidInput(f"{field}: must be a uuid") from error


def add(
    tx: Transaction, access: Access, graph: Graph, new: NewFeature, predicates: Predicates
) -> Added:
    """Append a checked feature to the log; it exists once the episode is processed."""
    cited = [str(UUID(uuid)) for uuid in dict.fromkeys(new.citations)]
    values = dict(new.set.tags)
    producer = values.pop(feature_sets.PRODUCER, None)
    same = [new.set.key, new.category, new.tag, new.name, new.value]
    statement = Statement(
        subject=feature_sets.subject(new.set) or new.project,
        name=relation_of(new.name),
        fact=new.value,
        kept_as=msgspec.json.encode(same).decode(),
        uuid=tx.new_id(),
        attributes=_attributes(new),
        metadata=values or None,
        producer=None if producer is None else str(producer),
        cites=direct_features.cited(tx, access, graph, cited),
    )
    receipt = direct_features.add(tx, access, graph, statement, predicates)
    return Added(id=statement.uuid, receipt=receipt)


def _attributes(new: NewFeature) -> Json:
    own = {
        CATEGORY: new.category,
        TAG: new.tag,
        NAME: new.name,
        SET: new.set.key,
    }
    known = {key: value for key, value in (new.metadata or {}).items() if value is not None}
    return {**known, **own}


def check_correction(change: Correction) -> None:
    """Refuse a correction that is out of bounds."""
    _check_texts(change.category, change.tag, change.name, change.value)
    _check_metadata("metadata", change.metadata)


def correct(tx: Transaction, access: Access, graph: Graph, uuid: str, change: Correction) -> None:
    """Correct a feature by hand; metadata merges."""
    wanted = fact_of(tx, access, graph, uuid).uuid
    own = {
        CATEGORY: change.category,
        TAG: change.tag,
        NAME: change.name,
    }
    attributes = {key: value for key, value in own.items() if value is not None}
    attributes |= change.metadata or {}
    knowledge.update_fact(
        tx,
        access,
        wanted,
        FactChange(
            name=UNSET if change.name is None else relation_of(change.name),
            fact=UNSET if change.value is None else change.value.strip(),
            vector=change.vector,
            attributes=attributes or UNSET,
        ),
    )
