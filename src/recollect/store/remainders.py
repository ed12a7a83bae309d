"""What a deleted episode leaves at its place: the part of its reading that others stand behind.

A fact keeps its uuid and its times when one of its episodes is deleted, and an entity its name; a
graph that is folded again has to come to the same. So the reading stays without the words that went:
only with facts and entities that are in the graph anyway. Forgetting leaves nothing.
"""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from recollect.graph import names
from recollect.graph.found import Found
from recollect.graph.types import Episode, Record
from recollect.store import readings, rows
from recollect.store.protocol import Row, Transaction


class Remainder(Record):
    """A reading whose episode is about to be deleted."""

    episode: Episode
    found: Found


def before(tx: Transaction, episode_ids: Sequence[int]) -> list[Remainder]:
    """The readings of episodes, to be asked before they are deleted."""
    return [
        Remainder(episode=_without_words(row), found=readings.reading(row).found)
        for row in tx.all("readings_of_episodes", episodes=rows.to_json(list(episode_ids)))
    ]


def leave(tx: Transaction, left: Iterable[Remainder]) -> None:
    """Write down what is left of readings whose episodes are deleted now."""
    by_graph: dict[int, list[Remainder]] = {}
    for one in left:
        by_graph.setdefault(one.episode.graph_id, []).append(one)
    for graph_id, several in by_graph.items():
        said = _said(tx, graph_id, [one.found for one in several])
        for one in several:
            found = _still(tx, graph_id, one.found, said)
            if found.facts or found.entities:
                _put(tx, one.episode, found)


def renew(tx: Transaction, graph_id: int) -> None:
    """Take from what is left of deleted episodes whatever has gone from the graph since."""
    held = [
        (row, readings.reading(row).found)
        for row in tx.all("remainders_of_graph", graph_id=graph_id)
    ]
    said = _said(tx, graph_id, [found for _, found in held])
    for row, found in held:
        still = _still(tx, graph_id, found, said)
        if not still.facts and not still.entities:
            tx.run("remainder_delete", graph_id=graph_id, seq=row["seq"])
        elif still != found:
            _put(tx, readings.remains(row), still)


def _put(tx: Transaction, episode: Episode, found: Found) -> None:
    tx.run(
        "remainder_put",
        graph_id=episode.graph_id,
        seq=episode.seq,
        reader=found.extractor,
        found=msgspec.json.encode(found).decode(),
        remains=msgspec.json.encode(episode).decode(),
        now=rows.micros(tx.now),
    )


def _without_words(row: Row) -> Episode:
    episode = rows.episode(row)
    return Episode(
        id=episode.id,
        uuid=episode.uuid,
        graph_id=episode.graph_id,
        seq=episode.seq,
        kind=episode.kind,
        content="",
        created_at=episode.created_at,
        received_at=episode.received_at,
        processed_at=episode.processed_at,
    )


def _said(tx: Transaction, graph_id: int, found: Iterable[Found]) -> set[str]:
    """Those of the sentences that a graph still has as facts."""
    sentences = sorted({fact.fact for one in found for fact in one.facts})
    if not sentences:
        return set()
    listed = rows.to_json(sentences)
    return {row["fact"] for row in tx.all("facts_saying", graph_id=graph_id, sentences=listed)}


def _still(tx: Transaction, graph_id: int, found: Found, said: set[str]) -> Found:
    """The part of *found* that the graph says in the same words."""
    facts = [fact for fact in found.facts if fact.fact in said]
    needed = {end for fact in facts for end in (fact.source, fact.target)}
    kept = [
        number
        for number, entity in enumerate(found.entities)
        if number in needed or _is_named(tx, graph_id, entity.name)
    ]
    moved = {old: new for new, old in enumerate(kept)}
    return replace(
        found,
        entities=tuple(
            replace(found.entities[number], aliases=_heard(tx, graph_id, found, number))
            for number in kept
        ),
        facts=tuple(
            replace(fact, source=moved[fact.source], target=moved[fact.target], span=None)
            for fact in facts
        ),
    )


def _heard(tx: Transaction, graph_id: int, found: Found, number: int) -> tuple[str, ...]:
    aliases = found.entities[number].aliases
    return tuple(alias for alias in aliases if _is_named(tx, graph_id, alias))


def _is_named(tx: Transaction, graph_id: int, name: str) -> bool:
    key = next(iter(names.keys(name)), None)
    return (
        key is not None
        and tx.one("entity_answers", graph_id=graph_id, key=key, name=name) is not None
    )
