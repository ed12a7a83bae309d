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
    """What was found at a place of a log, with the vectors of its facts, if they have any."""

    found: Found
    fact_vectors: Vectors
    read_at: datetime


def put(tx: Transaction, episode_id: int, found: Found, fact_vectors: Vectors) -> Found:
    """Keep what was found in an episode, in place of what was kept of it before; gives it as kept."""
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
    """Keep another reading of an episode; its graph has to be folded again from its place."""
    row = tx.episodes.place_in_log(id=episode_id)
    if row is not None:
        put(tx, episode_id, found, fact_vectors)
        fold_again(tx, row.graph_id, row.seq)


def fold_again(tx: Transaction, graph_id: int, seq: int) -> None:
    """Say that what a graph is folded from changed at a place of its log."""
    tx.graphs.fold_again(graph_id=graph_id, seq=seq)


def head(tx: Transaction, graph_id: int) -> int:
    """The last place of its log that a graph knows."""
    row = tx.graphs.folded(graph_id=graph_id)
    return 0 if row is None else int(row)


def distance(tx: Transaction, graph_id: int) -> int:
    """How far the uuids of a graph are from those that its readings speak of; none but for copies."""
    row = tx.graphs.distance(id=graph_id)
    return 0 if row is None else int(row)


def side(tx: Transaction, graph_id: int, seq: int) -> str | None:
    """On which side of the walls that policies draw a place of a log is; None without walls."""
    row = tx.readings.side(graph_id=graph_id, seq=seq)
    return None if row is None else row.side


def folded(tx: Transaction, graph_id: int, seq: int) -> None:
    """Say that a graph has taken in what was found at a place."""
    tx.graphs.has_folded(graph_id=graph_id, seq=seq)


def of_episode(tx: Transaction, episode_id: int) -> KeptReading | None:
    """The reading of an episode; None if nobody has read it, or only before readings were kept."""
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
    """A row of the table, in the words of the original where the graph is a copy."""
    found = _DECODER.decode(row.found)
    return KeptReading(
        found=found,
        fact_vectors=_unpacked(row.vectors, len(found.facts)),
        read_at=rows.moment(row.read_at),
    )


def remains(row: ReadingRow | StepRow) -> Episode:
    """The place of a deleted episode, without its words."""
    return _EPISODES.decode(row.remains or "null")


def packed(vectors: Vectors) -> bytes | None:
    """All vectors in one piece; they are of one length, and either all there or none."""
    return b"".join(vector or b"" for vector in vectors) or None


def _unpacked(packed: bytes | None, count: int) -> Vectors:
    if packed is None:
        return (None,) * count
    size = len(packed) // count
    return tuple(packed[at : at + size] for at in range(0, len(packed), size))
