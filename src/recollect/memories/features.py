"""What is known as features: a fact, told as a named value with the episodes behind it.

Lists and searches give the facts that hold now; one that ended is still there under its id. A fact
belongs to the set of whoever said it first. Its category and tag are those that were given with
it, or else they are told by its relation; categories that a set leaves out are left out.
"""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from recollect.errors import NotFound
from recollect.governance import erasure
from recollect.graph.episode_filters import EpisodeTree
from recollect.graph.filters import DateTest, Filters
from recollect.graph.types import Access, Fact, Graph, Json, Record
from recollect.ingest import direct_features
from recollect.limits import ID_CHARS_MAX
from recollect.memories import categories, feature_sets, feature_tags
from recollect.memories.categories import Sorting
from recollect.memories.feature_sets import FeatureSet
from recollect.search.finder import Finder
from recollect.search.query import Query
from recollect.store import rows
from recollect.store.protocol import Row, Store, Transaction
from recollect.subjects import knowledge, seeing

CATEGORY, TAG, NAME, SET = "feature_category", "feature_tag", "feature_name", "feature_set"
OWN = frozenset({CATEGORY, TAG, NAME, SET})
_FACTS_PER_LOOK = 200


class Feature(Record):
    """A fact as a named value. *other* is what is known of it besides."""

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
    """At most *limit* features that hold now and fit *text*, best first.

    One episode behind each satisfies *tree* and carries *set_metadata*, or as much of it as a
    set type asks for. An empty text finds nothing.
    """
    sorting = await store.read(categories.sorting, graph.id)
    filters = _filters(sorting, tree, set_metadata, now)
    several = limit
    while True:
        query = Query(text=text, kind="fact", now=now, limit=several, filters=filters)
        found = (await finder.find(access, graph, query)).facts
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
    """A page of the features that hold now, those learned first before the others.

    The pages are numbered from 0; *tree* and *set_metadata* narrow as in `search`.
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
    """A feature of a graph by its id, also one that holds no longer or is just being taken in."""
    awaited = direct_features.awaited(tx, access, graph, uuid)
    found = awaited or fact_of(tx, access, graph, uuid)
    sorting = replace(categories.sorting(tx, graph.id), off=frozenset())
    (told,) = _told(tx, access, [found], sorting)
    return told


def fact_of(tx: Transaction, access: Access, graph: Graph, uuid: str) -> Fact:
    """The fact of a graph that is told as a feature, also by the id that its adding was told."""
    wanted = direct_features.taken_in(tx, graph, uuid) or uuid
    try:
        found = knowledge.fact(tx, access, wanted)
    except NotFound:
        found = None
    if found is None or found.graph_id != graph.id:
        raise NotFound(f"feature not found: {uuid[:ID_CHARS_MAX]}")
    return found


def delete(tx: Transaction, access: Access, graph: Graph, uuids: Sequence[str]) -> None:
    """Remove features, all or none. The episodes behind them stay, but not what carries the words
    of one that was added; one that is not read yet never will be."""
    waiting = [direct_features.waiting(tx, access, graph, uuid) for uuid in uuids]
    named = zip(uuids, waiting, strict=True)
    found = [fact_of(tx, access, graph, uuid) for uuid, number in named if number is None]
    wanted = {fact.uuid: fact for fact in found}
    # What is about one thing alone has no other node that its carrier would have to keep.
    added = [fact.id for fact in found if fact.source_uuid == fact.target_uuid]
    carriers = tx.all("direct_episodes_behind", facts=rows.to_json(added), entity_id=None)
    for uuid in sorted(wanted):
        knowledge.delete_fact(tx, access, uuid)
    listed = rows.to_json([row["id"] for row in carriers])
    useless = [row["id"] for row in tx.all("episodes_stating_nothing", ids=listed)]
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
    """Facts as features, but for those of a category that is left out."""
    sets = _sets(tx, access, [fact.id for fact in facts])
    cited = _cited(tx, facts)
    features = [_feature(fact, sets.get(fact.id), sorting, cited) for fact in facts]
    return [one for one in features if not sorting.leaves_out(one.set, one.category)]


def _sets(tx: Transaction, access: Access, ids: Sequence[int]) -> dict[int, FeatureSet]:
    """The sets of whoever said facts first, as far as that may be seen."""
    found: dict[int, FeatureSet] = {}
    said = tx.all("feature_sources", ids=rows.to_json(list(ids)))
    for row in seeing.carriers(access, said):
        one = _said_by(row)
        if one is not None:
            found.setdefault(row["fact_id"], one)
    return found


def _said_by(row: Row) -> FeatureSet | None:
    metadata = rows.from_json(row["metadata"])
    return feature_sets.of_speaker(row["producer"], row["speaker"], metadata)


def _cited(tx: Transaction, facts: Sequence[Fact]) -> frozenset[str]:
    """The episodes behind facts, but for those that were written as facts: these are none to cite."""
    if not facts:
        return frozenset()
    uuids = rows.to_json(sorted({uuid for fact in facts for uuid in fact.episodes}))
    found = tx.all("episodes_cited", graph_id=facts[0].graph_id, uuids=uuids)
    return frozenset(row["uuid"] for row in found)


def _feature(
    fact: Fact, said_by: FeatureSet | None, sorting: Sorting, cited: frozenset[str]
) -> Feature:
    # Who corrects an edge can write anything into its attributes.
    given = {key: value for key, value in (fact.attributes or {}).items() if value is not None}
    texts = {key: str(given[key]) for key in OWN if key in given}
    of_set = feature_sets.of_key(texts.get(SET, "")) or said_by or feature_sets.OF_PROJECT
    tag = texts.get(TAG) or feature_tags.tag(fact)
    usual = sorting.category_of(of_set, tag) or feature_tags.PROFILE
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
