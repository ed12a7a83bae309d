"""Readings: what a reader found in an episode, kept with it. The graph is folded from them."""

from datetime import datetime

import msgspec

from recollect.graph import copies
from recollect.graph.found import Found
from recollect.graph.types import Episode, Record
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.readings import EpisodeReadingRow, ReadingRow, StepRow

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Found)
_EPISODES = msgspec.json.Decoder(Episode)


Vectors = tuple[bytes | None, ...]


class KeptReading(Record):
    """What was found at a log position, with the vectors of its facts, if they have any."""

    found: Found
    fact_vectors: Vectors
    read_at: datetime


def put(tx: Transaction, episode_id: int, found: Found, fact_vectors: Vectors) -> Found:
    """Store the reading of an episode, replacing an earlier one; returns it as stored."""
    kept = _as_of_original(tx, episode_id, found)
    tx.readings.put(
        episode_id=episode_id,
        reader=found.extractor,
        found=_ENCODER.encode(kept).decode(),
        vectors=packed(fact_vectors),
        now=rows.micros(tx.now),
    )
    return kept


def replace(tx: Transaction, episode_id: int, found: Found, fact_vectors: Vectors) -> None:
    """Replace the reading of an episode, and have its graph folded again from there."""
    row = tx.episodes.place_in_log(id=episode_id)
    if row is not None:
        put(tx, episode_id, found, fact_vectors)
        fold_again(tx, row.graph_id, row.seq)


def fold_again(tx: Transaction, graph_id: int, seq: int) -> None:
    """Record that the input of a graph's fold changed at a log position."""
    tx.graphs.fold_again(graph_id=graph_id, seq=seq)


def head(tx: Transaction, graph_id: int) -> int:
    """The last log position that is folded into a graph."""
    row = tx.graphs.folded(graph_id=graph_id)
    return 0 if row is None else int(row)


def distance(tx: Transaction, graph_id: int) -> int:
    """How far the uuids of a graph are shifted from those in its readings; 0 unless it is a copy."""
    row = tx.graphs.distance(id=graph_id)
    return 0 if row is None else int(row)


def side(tx: Transaction, graph_id: int, seq: int) -> str | None:
    """The side of the walls drawn by policies that a log position is on; None without walls."""
    row = tx.readings.side(graph_id=graph_id, seq=seq)
    return None if row is None else row.side


def folded(tx: Transaction, graph_id: int, seq: int) -> None:
    """Record that a graph has folded in the reading at a log position."""
    tx.graphs.has_folded(graph_id=graph_id, seq=seq)


def of_episode(tx: Transaction, episode_id: int) -> KeptReading | None:
    """The reading of an episode; None if it was not read, or was read before readings were kept."""
    row = tx.readings.of_episode(episode_id=episode_id)
    if row is None:
        return None
    kept = reading(row)
    far = distance(tx, row.graph_id)
    return msgspec.structs.replace(kept, found=copies.moved(kept.found, far))


def _as_of_original(tx: Transaction, episode_id: int, found: Found) -> Found:
    row = tx.readings.distance_of_episode(id=episode_id)
    return copies.moved(found, -row) if row else found


def reading(row: ReadingRow | StepRow | EpisodeReadingRow) -> KeptReading:
    """A row of the table as a reading; in a copy of a graph, with the original's uuids."""
    found = _DECODER.decode(row.found)
    return KeptReading(
        found=found,
        fact_vectors=_unpacked(row.vectors, len(found.facts)),
        read_at=rows.moment(row.read_at),
    )


def remains(row: ReadingRow | StepRow) -> Episode:
    """A deleted episode, without its content."""
    return _EPISODES.decode(row.remains or "null")


def packed(vectors: Vectors) -> bytes | None:
    """All vectors concatenated; they have the same length, and are either all present or all missing."""
    return b"".join(vector or b"" for vector in vectors) or None


def _unpacked(packed: bytes | None, count: int) -> Vectors:
    if packed is None:
        return (None,) * count
    size = len(packed) // count
    return tuple(packed[at : at + size] for at in range(0, len(packed), size))
