"""Segment snapshots: a large graph is loaded into memory without reading all of its rows.

A snapshot is as disposable as the segment. It contains nothing that the index rows and their items do
not, is stored beside them, and is deleted in the transaction that removes any of them.
"""

from collections.abc import Iterator, Sequence
from secrets import token_bytes
from typing import Any

import msgspec
import numpy as np

from recollect.search.columns import Codes, Column
from recollect.search.postings import PostingRun, Postings
from recollect.search.segment import Segment
from recollect.search.tables import ItemTable, Links
from recollect.search.vectors import Vectors

_FORMAT = 9
_ALIGNED = 64
CHUNK_BYTES = 4 * 1024 * 1024


class _Array(msgspec.Struct, frozen=True, array_like=True):
    """The location of an array in the snapshot."""

    path: str
    dtype: str
    shape: tuple[int, ...]
    offset: int


class _SnapshotHead(msgspec.Struct, frozen=True, array_like=True):
    """The first chunk of a snapshot."""

    format: int
    version: int
    mark: bytes  # unique: segments of one version need not have the same order
    size: int
    arrays: list[_Array]
    codes: dict[str, list[Any]]
    evidence: dict[int, list[int]]
    doubts: dict[int, list[tuple[int, float]]]
    endings: dict[int, list[tuple[int, int, int]]]
    runs: dict[str, int]


def dump(segment: Segment) -> tuple[int, list[bytes]]:
    """The version of the segment, and its chunks, to be stored in order."""
    arrays, blobs, offset = [], [], 0
    for path, array in _arrays(segment):
        data = np.ascontiguousarray(array).tobytes()
        arrays.append(_Array(path, array.dtype.str, array.shape, offset))
        blobs.append(data.ljust(-(-len(data) // _ALIGNED) * _ALIGNED, b"\0"))
        offset += len(blobs[-1])
    head = _SnapshotHead(
        format=_FORMAT,
        version=segment.version,
        mark=token_bytes(16),
        size=offset,
        arrays=arrays,
        codes={path: codes.values for path, codes in _codes(segment)},
        evidence=segment.tables.observations.evidence,
        doubts=segment.facts.doubts,
        endings=segment.facts.endings,
        runs={kind: len(words.runs) for kind, words in segment.words.items()},
    )
    body = b"".join(blobs)
    blobs.clear()  # so that at most two copies of a large graph are in memory
    whole = [body[n : n + CHUNK_BYTES] for n in range(0, len(body), CHUNK_BYTES)]
    return segment.version, [msgspec.msgpack.encode(head), *whole]


def load(epoch: int, chunks: Sequence[bytes]) -> Segment | None:
    """Restore a segment; None if the snapshot has another format or is incomplete."""
    try:
        head = msgspec.msgpack.decode(chunks[0], type=_SnapshotHead)
    except (IndexError, msgspec.DecodeError):
        return None
    if head.format != _FORMAT or head.size != sum(map(len, chunks[1:])):
        return None
    segment = Segment(epoch)
    body = bytearray().join(chunks[1:])
    held = {
        one.path: np.frombuffer(
            body, one.dtype, int(np.prod(one.shape, dtype=np.int64)), one.offset
        ).reshape(one.shape)
        for one in head.arrays
    }
    if not {path for path, _ in _columns(segment)} <= held.keys():
        return None
    for kind, words in segment.words.items():
        words.runs = [
            PostingRun(*(held[f"words.{kind}.run{number}.{name}"] for name in PostingRun._fields))
            for number in range(head.runs[kind])
        ]
    for path, column in _columns(segment):
        column.restore(held[path])
    for path, codes in _codes(segment):
        codes.restore(tuple(v) if isinstance(v, list) else v for v in head.codes[path])
    for table in segment.tables.by_kind.values():
        table.restore()
    segment.tables.observations.evidence = head.evidence
    segment.facts.doubts = head.doubts
    segment.facts.endings = head.endings
    segment.episodes.order.restore(held["order.keys"], held["order.slots"])
    segment.version = segment.kept_version = head.version
    return segment


def _parts(segment: Segment) -> Iterator[tuple[str, ItemTable | Postings | Vectors | Links]]:
    for kind, table in segment.tables.by_kind.items():
        yield f"table.{kind}", table
        yield f"words.{kind}", segment.words[kind]
        yield f"vectors.{kind}", segment.vectors[kind]
    yield "supports", segment.supports
    yield "mentions", segment.mentions


def _columns(segment: Segment) -> Iterator[tuple[str, Column]]:
    for path, part in _parts(segment):
        for name, value in vars(part).items():
            if isinstance(value, Column):
                yield f"{path}.{name}", value
            elif isinstance(value, list) and value and isinstance(value[0], Column):
                for number, column in enumerate(value):
                    yield f"{path}.{name}{number}", column


def _codes(segment: Segment) -> Iterator[tuple[str, Codes]]:
    for path, part in _parts(segment):
        for name, value in vars(part).items():
            if isinstance(value, Codes):
                yield f"{path}.{name}", value


def _arrays(segment: Segment) -> Iterator[tuple[str, Any]]:
    for path, column in _columns(segment):
        yield path, column.array
    for kind, words in segment.words.items():
        for number, run in enumerate(words.runs):
            for name, array in zip(PostingRun._fields, run, strict=True):
                yield f"words.{kind}.run{number}.{name}", array
    yield "order.keys", segment.episodes.order.keys
    yield "order.slots", segment.episodes.order.slots
