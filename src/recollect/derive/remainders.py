"""What a deleted episode leaves at its log position: the part of its reading that others support.

When one of its episodes is deleted, a fact keeps its uuid and times, and an entity its name. Folding
the graph again must give the same result. So a remainder of the reading stays, without the deleted
text: only what it added to the graph that is still there, under the uuids it got then. Forgetting
leaves no remainder.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from recollect.derive import readings, taken_in
from recollect.derive.readings import Vectors
from recollect.graph import copies, names
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.graph.gist import mark
from recollect.graph.types import Episode, Record
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.facts import FactRow
from recollect.store.queries.readings import EpisodeReadingRow
from recollect.store.queries.shapes import EntityRow


class Remainder(Record):
    """A reading whose episode is about to be deleted."""

    episode: Episode
    found: Found
    vectors: Vectors
    side: str | None = None


def before(tx: Transaction, episode_ids: Sequence[int]) -> list[Remainder]:
    """What episodes added to the graph. Call it before they are deleted."""
    listed = rows.to_json(list(episode_ids))
    return [_brought(tx, row) for row in tx.readings.of_episodes(episodes=listed)]


def leave(tx: Transaction, left: Iterable[Remainder]) -> None:
    """Store the remainders of readings whose episodes have now been deleted."""
    for one in left:
        still = _still(tx, one)
        if still.found.facts or still.found.entities:
            _put(tx, still)


def renew(tx: Transaction, graph_id: int) -> None:
    """Drop from remainders what has since been deleted from the graph.

    The graph is then folded again from there, as if that had never existed.
    """
    for row in tx.readings.remainders_of_graph(graph_id=graph_id):
        one = Remainder(
            episode=readings.remains(row),
            found=_as_here(tx, graph_id, readings.reading(row).found),
            vectors=readings.reading(row).fact_vectors,
            side=row.side,
        )
        still = _still(tx, one)
        if still == one:
            continue
        if still.found.facts or still.found.entities:
            _put(tx, still)
        else:
            tx.readings.remainder_delete(graph_id=graph_id, seq=row.seq)
        readings.fold_again(tx, graph_id, row.seq)


def _as_here(tx: Transaction, graph_id: int, found: Found) -> Found:
    """A stored reading with this graph's uuids; readings of a copy are stored with the original's."""
    return copies.moved(found, readings.distance(tx, graph_id))


def _put(tx: Transaction, one: Remainder) -> None:
    graph_id = one.episode.graph_id
    kept = copies.moved(one.found, -readings.distance(tx, graph_id))
    tx.readings.remainder_put(
        graph_id=graph_id,
        seq=one.episode.seq,
        reader=kept.extractor,
        found=msgspec.json.encode(kept).decode(),
        vectors=readings.packed(one.vectors),
        remains=msgspec.json.encode(one.episode).decode(),
        side=one.side,
        now=rows.micros(tx.now),
    )


def _without_words(row: EpisodeReadingRow) -> Episode:
    episode = rows.episode(row.episode)
    return Episode(
        id=episode.id,
        uuid=episode.uuid,
        graph_id=episode.graph_id,
        seq=episode.seq,
        kind=episode.kind,
        content="",
        metadata=dict.fromkeys(episode.metadata or {}),  # only the keys it had
        created_at=episode.created_at,
        received_at=episode.received_at,
        processed_at=episode.processed_at,
    )


def _brought(tx: Transaction, row: EpisodeReadingRow) -> Remainder:
    """The reading of an episode without the facts that only restate what others added."""
    episode, kept = _without_words(row), readings.reading(row)
    found = _as_here(tx, episode.graph_id, kept.found)
    uuids = _own_uuids(tx, episode, found)
    listed = rows.to_json(uuids)
    born = _born(tx, found, tx.facts.by_uuids(graph_id=episode.graph_id, uuids=listed))
    own = tx.entities.by_uuids(graph_id=episode.graph_id, uuids=listed)
    taken = taken_in.takers(tx, episode.graph_id, row.side or "", uuids)
    return Remainder(
        episode=episode,
        found=replace(
            found,
            entities=tuple(_named(entity, own, taken) for entity in found.entities),
            facts=tuple(replace(found.facts[n], uuid=uuid, span=None) for n, uuid in born.items()),
        ),
        vectors=tuple(kept.fact_vectors[n] for n in born),
        side=row.side,
    )


def _born(tx: Transaction, found: Found, facts: Sequence[FactRow]) -> dict[int, str]:
    """The uuids in the graph of the facts found, by their index; others are left out."""
    sentences = {fact.fact: fact.uuid for fact in facts}
    told = {fact.fact for fact in found.facts}
    reworded = {
        known: fact.uuid
        for fact in facts
        if fact.fact not in told
        for known in _earlier_marks(tx, fact)
    }
    known = (sentences.get(f.fact) or reworded.get(mark(f.fact)) for f in found.facts)
    return {n: uuid for n, uuid in enumerate(known) if uuid is not None}


def _own_uuids(tx: Transaction, episode: Episode, found: Found) -> list[str]:
    """All uuids that an episode could give to new items: derived ones, and those a caller requested."""
    new_id = copies.derived(episode, readings.distance(tx, episode.graph_id))
    items: tuple[FoundEntity | FoundFact, ...] = (*found.entities, *found.facts)
    return [*(new_id() for _ in items), *(item.uuid for item in items if item.uuid)]


def _earlier_marks(tx: Transaction, fact: FactRow) -> list[str]:
    """The marks of what a fact said before someone corrected it."""
    edits = tx.edits.of_subject(subject=fact.uuid)
    return [known for row in edits for known in row.split()]


def _named(
    entity: FoundEntity, own: Sequence[EntityRow], taken: Mapping[str, EntityRow]
) -> FoundEntity:
    """An entity under the uuid it got, if it was new then; it may have been merged into another since."""
    for row in own:
        if entity.name in rows.from_json(row.names) and entity.kind in (None, row.kind):
            return replace(entity, uuid=row.uuid)
    for uuid, taker in taken.items():
        if mark(entity.name) in taken_in.by(taker)[uuid]["marks"]:
            return replace(entity, uuid=uuid)
    return entity


def _still(tx: Transaction, one: Remainder) -> Remainder:
    """The part of what an episode added that the graph still has."""
    graph_id, found = one.episode.graph_id, one.found
    listed = rows.to_json([fact.uuid for fact in found.facts])
    there = {row.uuid for row in tx.facts.by_uuids(graph_id=graph_id, uuids=listed)}
    said = [n for n, fact in enumerate(found.facts) if fact.uuid in there]
    facts = [found.facts[n] for n in said]
    needed = {end for fact in facts for end in (fact.source, fact.target)}
    kept = [
        n
        for n, entity in enumerate(found.entities)
        if n in needed or _is_named(tx, one, entity.name)
    ]
    moved = {old: new for new, old in enumerate(kept)}
    left = replace(
        found,
        entities=tuple(_heard(tx, one, found.entities[n]) for n in kept),
        facts=tuple(
            replace(fact, source=moved[fact.source], target=moved[fact.target]) for fact in facts
        ),
    )
    return replace(one, found=left, vectors=tuple(one.vectors[n] for n in said))


def _heard(tx: Transaction, one: Remainder, entity: FoundEntity) -> FoundEntity:
    """An entity with only those aliases that an entity of the graph still has."""
    aliases = tuple(alias for alias in entity.aliases if _is_named(tx, one, alias))
    return replace(entity, aliases=aliases)


def _is_named(tx: Transaction, one: Remainder, name: str) -> bool:
    """Whether an entity on the remainder's side has this name."""
    key = next(iter(names.keys(name)), None)
    if key is None:
        return False
    graph_id = one.episode.graph_id
    found = tx.entities.answers(graph_id=graph_id, key=key, name=name, side=one.side)
    return found is not None
