"""One walk over a collection of documents, keeping only what a query asks of each."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from recollect.graph.comparing import tree_holds
from recollect.graph.filters import MetadataTree
from recollect.graph.terms import COUNT_BYTES, HASH_BYTES
from recollect.graph.types import Access, Record
from recollect.limits import DOCUMENTS_PER_PAGE
from recollect.store import rows
from recollect.store.protocol import Row, Transaction
from recollect.subjects import collections, seeing
from recollect.subjects.collections import Collection

Floats = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

# The constants of BM25 for texts of any length: how soon repetition stops counting, and how much
# length counts.
_K1 = 1.2
_B = 0.75
# Between these cosines a text goes from having nothing to do with a question to answering it.
_LIKENESS_FROM = 0.4
_LIKENESS_TO = 0.8


class Scan(Record):
    """The documents that pass the filter, in the order of their ids, against one query.

    `counts` says how often each document has each term of the query. A cosine is NaN where a
    document has no vector yet.
    """

    collection: Collection
    ids: Ints
    lengths: Scores
    counts: Scores
    cosines: Floats


def scan(
    tx: Transaction,
    access: Access,
    name: str,
    hashes: Sequence[int],
    query: Floats | None,
    tree: MetadataTree | None,
) -> Scan:
    """Look at every document of a collection, page by page."""
    collection = collections.get(tx, access, name)
    asked = np.array(hashes, np.uint64)
    parts = [_looked_at([], asked, query)]
    after = 0
    while page := tx.all(
        "document_shelf",
        collection_id=collection.id,
        after=after,
        limit=DOCUMENTS_PER_PAGE,
        with_metadata=tree is not None or access.sight is not None,
    ):
        after = page[-1]["id"]
        passing = [row for row in page if _passes(access, tree, row)]
        parts.append(_looked_at(passing, asked, query))
    ids, lengths, counts, cosines = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Scan(collection=collection, ids=ids, lengths=lengths, counts=counts, cosines=cosines)


def _passes(access: Access, tree: MetadataTree | None, row: Row) -> bool:
    if tree is None and access.sight is None:
        return True
    metadata = rows.from_json(row["metadata"]) or {}
    return seeing.document(access, metadata) and (tree is None or tree_holds(tree, metadata))


def _looked_at(
    page: Sequence[Row], asked: Hashes, query: Floats | None
) -> tuple[Ints, Scores, Scores, Floats]:
    """Ids, lengths, counts and cosines of one page."""
    ids = np.array([row["id"] for row in page], np.int64)
    return ids, *_held([row["terms"] for row in page], asked), _cosines(page, query)


def _held(packed: Sequence[bytes], asked: Hashes) -> tuple[Scores, Scores]:
    """How many terms each document has, and how often it has those that are asked for."""
    sizes = [len(blob) // (HASH_BYTES + COUNT_BYTES) for blob in packed]
    cut = [size * HASH_BYTES for size in sizes]
    hashes = np.frombuffer(b"".join(b[:n] for b, n in zip(packed, cut, strict=True)), np.uint64)
    counts = np.frombuffer(b"".join(b[n:] for b, n in zip(packed, cut, strict=True)), np.uint16)
    owners = np.repeat(np.arange(len(packed)), sizes)
    found = np.zeros((len(packed), len(asked)))
    for column, term in enumerate(asked):
        places = np.flatnonzero(hashes == term)
        found[owners[places], column] = counts[places]
    return np.bincount(owners, counts, len(packed)).astype(np.float64), found


def _cosines(page: Sequence[Row], query: Floats | None) -> Floats:
    cosines = np.full(len(page), np.nan, np.float32)
    held = [place for place, row in enumerate(page) if row["vector"] is not None]
    if query is not None and held:
        joined = unpacked(b"".join(page[place]["vector"] for place in held))
        cosines[held] = joined.reshape(len(held), -1) @ query
    return cosines


def packed_vector(vector: Floats) -> bytes:
    """A vector as it is stored, in half precision."""
    return vector.astype(np.float16).tobytes()


def unpacked(blob: bytes) -> Floats:
    """A stored vector, or several one behind the other."""
    return np.frombuffer(blob, np.float16).astype(np.float32)


def by_words(found: Scan) -> Scores:
    """From 0 to 1: BM25 with the statistics of what passed, over the most it could be."""
    size = len(found.ids)
    if not size or not found.counts.shape[1]:
        return np.zeros(size)
    holding = np.count_nonzero(found.counts, axis=0)
    rarity = np.log1p((size - holding + 0.5) / (holding + 0.5))
    norm = _K1 * (1 - _B + _B * found.lengths / max(1.0, float(found.lengths.mean())))
    weighed = found.counts * (_K1 + 1) / (found.counts + norm[:, None])
    return np.asarray((weighed @ rarity) / (float(rarity.sum()) * (_K1 + 1)))


def by_likeness(cosines: Floats) -> Scores:
    """From 0 to 1: the likeness of vectors; 0 without one."""
    stretched = (cosines.astype(np.float64) - _LIKENESS_FROM) / (_LIKENESS_TO - _LIKENESS_FROM)
    return np.asarray(np.nan_to_num(np.clip(stretched, 0.0, 1.0), nan=0.0))
