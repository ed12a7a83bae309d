"""Graphs small enough to check item by item, as values and as the tables of a segment."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from hypothesis import strategies as st

from recollect.graph.episode_filters import addressee_of, producer_of, role_of
from recollect.graph.filters import Dates, DateTest, Filters, MetadataTree, Operator, ValueTest
from recollect.graph.types import Entity, Episode, Fact, Json
from recollect.search.columns import NO_TIME, Codes
from recollect.search.query import Lookups
from recollect.search.segment import Segment
from recollect.search.tables import Tables
from recollect.store.rows import micros, to_json

LABELS = ("Entity", "Person", "Place")
TYPES = ("LIKES", "KNOWS", "OWNS")
KEYS = ("a", "b")
ITEMS_MAX = 6
sizes = st.sampled_from([0, 3, ITEMS_MAX])
COMPARISONS: tuple[Operator, ...] = ("=", "<>", ">", "<", ">=", "<=")
NULLS: tuple[Operator, ...] = ("IS NULL", "IS NOT NULL")

moments = st.integers(0, 4).map(lambda day: datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=day))
maybe_moments = st.none() | moments
# Values that are easily confused: as numbers, as texts, as Booleans.
scalars: st.SearchStrategy[Any] = st.sampled_from(
    (1, 1.0, "1", True, 2, 10, "10", 9.5, "x", False, "True", "2024-01-02")
)
maps: st.SearchStrategy[Json | None] = st.none() | st.dictionaries(
    st.sampled_from(KEYS), scalars | st.lists(scalars, min_size=1, max_size=2)
)
# Who produced an episode, for whom, and for which memory; only MemMachine clients give more than a speaker.
NAMES = ("1", "bot", "user", "x")
who: st.SearchStrategy[Json] = st.fixed_dictionaries(
    {},
    optional={
        "producer": st.sampled_from(NAMES),
        "speaker": st.sampled_from(NAMES),
        "role": st.sampled_from(("user", "assistant", "10")),
        "addressee": st.sampled_from(("", *NAMES)),
        "kept_for": st.sampled_from(("semantic", "episodic")),
    },
)
ratings = st.none() | st.sampled_from([0.1, 0.3, 0.5, 0.7])


@dataclass(frozen=True)
class Small:
    """A graph: items by position, and which episodes facts and entities rest on.

    The uuids in `gone` have a slot, but no item: it was deleted, or its row has not arrived yet.
    """

    entities: list[Entity]
    facts: list[Fact]
    episodes: list[Episode]
    closed: set[int]  # episodes that cannot be found, but still support facts
    supports: list[tuple[int, int]]
    mentions: list[tuple[int, int]]
    gone: set[str]

    def evidence(self, links: list[tuple[int, int]], position: int) -> list[Episode]:
        """The existing episodes that support an item."""
        behind = [self.episodes[episode] for item, episode in links if item == position]
        return [episode for episode in behind if episode.uuid not in self.gone]


@st.composite
def small_graphs(draw: st.DrawFn) -> Small:
    """Any graph of a few items."""
    entities = [
        Entity(
            id=100 + number,
            uuid=f"n{number}",
            graph_id=1,
            name=f"n{number}",
            labels=draw(st.lists(st.sampled_from(LABELS), unique=True)),
            attributes=draw(maps),
            created_at=draw(moments),
        )
        for number in range(1 + draw(sizes))
    ]
    facts = [draw(_facts(number, entities)) for number in range(draw(sizes))]
    episodes = [_episode(number, draw(maps), draw(who)) for number in range(draw(sizes))]
    uuids = [item.uuid for items in (entities, facts, episodes) for item in items]
    return Small(
        entities=entities,
        facts=facts,
        episodes=episodes,
        closed=draw(st.sets(st.integers(0, ITEMS_MAX), max_size=2)),
        supports=draw(_links(len(facts), len(episodes))),
        mentions=draw(_links(len(entities), len(episodes))),
        gone=draw(st.sets(st.sampled_from(uuids), max_size=5)),
    )


@st.composite
def _facts(draw: st.DrawFn, number: int, entities: list[Entity]) -> Fact:
    source, target = draw(st.sampled_from(entities)), draw(st.sampled_from(entities))
    return Fact(
        id=200 + number,
        uuid=f"f{number}",
        graph_id=1,
        name=draw(st.sampled_from(TYPES)),
        fact="",
        source_uuid=source.uuid,
        source_name=source.name,
        source_labels=source.labels,
        target_uuid=target.uuid,
        target_name=target.name,
        target_labels=target.labels,
        attributes=draw(maps),
        rating=draw(ratings),
        created_at=draw(moments),
        expired_at=draw(maybe_moments),
        valid_at=draw(maybe_moments),
        invalid_at=draw(maybe_moments),
    )


def _episode(number: int, metadata: Json | None, given: Json) -> Episode:
    at = datetime(2024, 1, 1, tzinfo=UTC)
    return Episode(
        id=300 + number,
        uuid=f"e{number}",
        graph_id=1,
        seq=number,
        kind="text",
        content="",
        metadata=metadata,
        created_at=at + timedelta(days=number % 3),
        received_at=at,
        **given,
    )


def _links(items: int, episodes: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    if not items or not episodes:
        return st.just([])
    pairs = st.tuples(st.integers(0, items - 1), st.integers(0, episodes - 1))
    return st.lists(pairs, unique=True, max_size=3 * ITEMS_MAX)


def _test_of(operator: Operator) -> st.SearchStrategy[ValueTest]:
    value: st.SearchStrategy[Any] = scalars
    if operator in NULLS:
        value = st.none()
    if operator == "CONTAINS":
        value = scalars | st.lists(scalars, min_size=1, max_size=3).map(tuple)
    return st.builds(ValueTest, name=st.sampled_from(KEYS), operator=st.just(operator), value=value)


def _date_test_of(operator: Operator) -> st.SearchStrategy[DateTest]:
    moment = st.none() if operator in NULLS else moments
    return st.builds(DateTest, operator=st.just(operator), moment=moment)


value_tests = st.sampled_from(get_args(Operator)).flatmap(_test_of)
date_tests = st.sampled_from([*COMPARISONS, *NULLS]).flatmap(_date_test_of)
leaves = st.lists(value_tests, min_size=1, max_size=3).map(tuple)
joins = st.sampled_from(["and", "or"])
trees: st.SearchStrategy[MetadataTree] = st.recursive(
    st.builds(MetadataTree, joined_by=joins, tests=leaves),
    lambda inner: st.builds(
        MetadataTree,
        joined_by=joins,
        tests=st.just(()) | leaves,
        trees=st.lists(inner, min_size=1, max_size=2).map(tuple),
    ),
    max_leaves=4,
)


def _some(pool: Any) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(st.sampled_from(pool), unique=True, min_size=1, max_size=3).map(tuple)


def _uuids(letter: str) -> st.SearchStrategy[tuple[str, ...]]:
    return st.just(()) | _some([f"{letter}{number}" for number in range(ITEMS_MAX + 2)])


dates: st.SearchStrategy[Dates] = st.lists(
    st.lists(date_tests, min_size=1, max_size=2).map(tuple), min_size=1, max_size=2
).map(tuple)
CHOICES: dict[str, st.SearchStrategy[Any]] = {
    "node_labels": _some([*LABELS, "Unknown"]),
    "exclude_node_labels": _some([*LABELS, "Unknown"]),
    "edge_types": _some([*TYPES, "UNKNOWN"]),
    "exclude_edge_types": _some([*TYPES, "UNKNOWN"]),
    "created_at": dates,
    "valid_at": dates,
    "invalid_at": dates,
    "expired_at": dates,
    "properties": st.lists(value_tests, min_size=1, max_size=2).map(tuple),
    "edge_uuids": _uuids("f"),
    "episode_uuids": _uuids("e"),
    "source_node_uuids": _uuids("n"),
    "target_node_uuids": _uuids("n"),
    "connected_node_uuids": _uuids("n"),
    "episode_metadata": trees,
    "rating_min": st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]),
    "valid_on": moments,
    "known_on": moments,
}


@st.composite
def many_filters(draw: st.DrawFn) -> list[Filters]:
    """Every filter alone, and some of them combined; all at once would match nothing."""
    values = {name: draw(choice) for name, choice in CHOICES.items()}
    alone = [Filters(**{name: value}) for name, value in values.items()]
    groups = draw(st.lists(st.sets(st.sampled_from(sorted(CHOICES)), max_size=4), max_size=4))
    return alone + [Filters(**{name: values[name] for name in group}) for group in groups]


def tables_of(graph: Small) -> Tables:
    """The tables of a segment that holds the graph."""
    tables = Segment().tables
    _fill_entities(graph, tables)
    _fill_episodes(graph, tables)
    _fill_facts(graph, tables)
    for links, pairs, table, items in (
        (tables.supports, graph.supports, tables.facts, graph.facts),
        (tables.mentions, graph.mentions, tables.entities, graph.entities),
    ):
        links.add(
            table.slots(items[item].id for item, _ in pairs),
            tables.episodes.slots(graph.episodes[episode].id for _, episode in pairs),
        )
    return tables


def _fill_entities(graph: Small, tables: Tables) -> None:
    table = tables.entities
    for entity in graph.entities:
        (slot,) = table.slots([entity.id])
        table.alive.put(slot, entity.uuid not in graph.gone)
        table.created_at.put(slot, micros(entity.created_at))
        table.labels.put(slot, table.label_sets.code(tuple(entity.labels)))
        table.attributes.put(slot, _coded(table.attribute_texts, entity.attributes))


def _fill_episodes(graph: Small, tables: Tables) -> None:
    table = tables.episodes
    for position, episode in enumerate(graph.episodes):
        (slot,) = table.slots([episode.id])
        table.alive.put(slot, episode.uuid not in graph.gone)
        table.open.put(slot, position not in graph.closed)
        table.metadata.put(slot, _coded(table.metadata_texts, episode.metadata))
        table.created_at.put(slot, micros(episode.created_at))
        table.producer.put(slot, table.producers.code(producer_of(episode)))
        table.role.put(slot, table.roles.code(role_of(episode)))
        addressee = addressee_of(episode)
        table.addressee.put(slot, table.addressees.code(addressee) if addressee else -1)
        table.recallable.put(slot, episode.kept_for != "semantic")


def _fill_facts(graph: Small, tables: Tables) -> None:
    table = tables.facts
    ids = {entity.uuid: entity.id for entity in graph.entities}
    for fact in graph.facts:
        (slot,) = table.slots([fact.id])
        if fact.uuid in graph.gone:
            continue  # at most a link refers to it
        table.alive.put(slot, True)
        table.source.put(slot, tables.entities.slots([ids[fact.source_uuid]])[0])
        table.target.put(slot, tables.entities.slots([ids[fact.target_uuid]])[0])
        table.name.put(slot, table.names.code(fact.name))
        table.rating.put(slot, float("nan") if fact.rating is None else fact.rating)
        table.attributes.put(slot, _coded(table.attribute_texts, fact.attributes))
        for name in ("created_at", "valid_at", "invalid_at", "expired_at"):
            moment = getattr(fact, name)
            getattr(table, name).put(slot, NO_TIME if moment is None else micros(moment))


def _coded(texts: Codes, values: Json | None) -> int:
    return -1 if values is None else texts.code(to_json(values))


def looked_up(graph: Small, chosen: Filters) -> Lookups:
    """The uuid lists of filters as row ids."""

    def ids(items: list[Any], uuids: tuple[str, ...] | None) -> tuple[int, ...] | None:
        return None if uuids is None else tuple(i.id for i in items if i.uuid in uuids)

    return Lookups(
        facts=ids(graph.facts, chosen.edge_uuids),
        episodes=ids(graph.episodes, chosen.episode_uuids),
        sources=ids(graph.entities, chosen.source_node_uuids),
        targets=ids(graph.entities, chosen.target_node_uuids),
        connected=ids(graph.entities, chosen.connected_node_uuids),
        tested={one.uuid: one.id for one in graph.episodes},
    )
