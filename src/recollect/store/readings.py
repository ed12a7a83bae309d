"""Readings: what a reader found in an episode, kept with it. The graph is folded from them."""

from datetime import datetime

import msgspec

from recollect.graph.found import Found
from recollect.graph.types import Record
from recollect.store import rows
from recollect.store.protocol import Row, Transaction

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Found)


class KeptReading(Record):
    """What was found at one place of a log, with the vectors of its facts, if they have any."""

    graph_id: int
    seq: int
    found: Found
    fact_vectors: tuple[bytes | None, ...]
    read_at: datetime


def put(
    tx: Transaction, episode_id: int, found: Found, fact_vectors: tuple[bytes | None, ...]
) -> None:
    """Keep what was found in an episode, in place of what was kept of it before."""
    tx.run(
        "reading_put",
        episode_id=episode_id,
        reader=found.extractor,
        found=_ENCODER.encode(found).decode(),
        vectors=_packed(fact_vectors),
        now=rows.micros(tx.now),
    )


def replace(
    tx: Transaction, episode_id: int, found: Found, fact_vectors: tuple[bytes | None, ...]
) -> None:
    """Keep another reading of an episode; its graph has to be folded again from its place."""
    row = tx.one("episode_place_in_log", id=episode_id)
    if row is not None:
        put(tx, episode_id, found, fact_vectors)
        fold_again(tx, row["graph_id"], row["seq"])


def fold_again(tx: Transaction, graph_id: int, seq: int) -> None:
    """Say that what a graph is folded from changed at a place of its log."""
    tx.run("graph_fold_again", graph_id=graph_id, seq=seq)


def of_episode(tx: Transaction, episode_id: int) -> KeptReading | None:
    """The reading of an episode; None if nobody has read it, or only before readings were kept."""
    row = tx.one("reading_of_episode", episode_id=episode_id)
    return None if row is None else reading(row)


def reading(row: Row) -> KeptReading:
    """A row of the table."""
    found = _DECODER.decode(row["found"])
    return KeptReading(
        graph_id=row["graph_id"],
        seq=row["seq"],
        found=found,
        fact_vectors=_unpacked(row["vectors"], len(found.facts)),
        read_at=rows.moment(row["read_at"]),
    )


def _packed(vectors: tuple[bytes | None, ...]) -> bytes | None:
    """All vectors in one piece; they are of one length, and either all there or none."""
    return b"".join(vector or b"" for vector in vectors) or None


def _unpacked(packed: bytes | None, count: int) -> tuple[bytes | None, ...]:
    if packed is None:
        return (None,) * count
    size = len(packed) // count
    return tuple(packed[at : at + size] for at in range(0, len(packed), size))
