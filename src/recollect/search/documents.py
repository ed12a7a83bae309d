"""Searching a collection of documents: by words and by vectors, half and half.

Documents are not part of a graph and have no segment: a search reads the whole collection page by
page and keeps only what the query needs of each document, which takes a tenth of the time of building
postings. Vectors are computed by the searches themselves, a bounded number each time, starting with
the documents that seem to fit best.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from recollect.graph.filters import MetadataTree, tree_holds
from recollect.graph.terms import COUNT_BYTES, HASH_BYTES, hashed, terms
from recollect.graph.types import Access, Record
from recollect.limits import (
    DOCUMENT_QUERY_TERMS_MAX,
    DOCUMENT_VECTOR_CHARS,
    DOCUMENT_VECTOR_CHARS_PER_SEARCH,
    DOCUMENTS_PER_PAGE,
    SEARCH_LIMIT_DEFAULT,
)
from recollect.models import embedder
from recollect.records import collections, seeing
from recollect.records.collections import Collection, Document
from recollect.search.columns import Floats, Ints, Scores
from recollect.search.postings import Hashes, bm25, length_norm, rarity
from recollect.search.query import Hit
from recollect.search.rank import marginal_relevance
from recollect.store import rows
from recollect.store.protocol import Store, Transaction
from recollect.store.queries.collections import DocumentShelfRow

_VECTORS_PER_SEARCH = DOCUMENTS_PER_PAGE
_POOL = 4  # `mmr` chooses from this many times the limit
_K1 = 1.2  # of BM25, for texts of any length
# Cosines from "unrelated to the question" to "answers it".
_LIKENESS_FROM = 0.4
_LIKENESS_TO = 0.8


class DocumentQuery(Record):
    """A query of a collection: a text, or without one everything that passes the tree."""

    text: str | None = None
    tree: MetadataTree | None = None
    limit: int = SEARCH_LIMIT_DEFAULT
    score_min: float | None = None
    mmr_lambda: float | None = None  # without one, by score alone


class DocumentScan(Record):
    """The documents that pass the filter, in the order of their ids, against one query.

    `counts` says how often each document has each term of the query. A cosine is NaN where a
    document has no vector yet.
    """

    collection: Collection
    ids: Ints
    lengths: Scores
    counts: Scores
    cosines: Floats


async def find(
    store: Store, models: Path, access: Access, name: str, query: DocumentQuery
) -> list[Hit[Document]]:
    """The documents that fit best, with scores from 0 to 1; without a text the oldest, with 1."""
    if query.text is None:
        found = await store.read(scan, access, name, (), None, query.tree)
        every = np.arange(len(found.ids)), np.ones(len(found.ids))
        return await _hits(store, access, found, *every, query)
    if not query.text.strip():
        await store.read(collections.get, access, name)  # an unknown collection is still an error
        return []
    hashes = list(dict.fromkeys(hashed(term) for term in terms(query.text)))
    asked = await asyncio.to_thread(_embedded, models, query.text)
    found = await store.read(
        scan, access, name, hashes[:DOCUMENT_QUERY_TERMS_MAX], asked, query.tree
    )
    words = by_words(found)
    found = await _complete(store, models, found, words, asked)
    scores = (words + by_likeness(found.cosines)) / 2
    fitting = np.flatnonzero(scores > 0)
    order = fitting[np.argsort(-scores[fitting], kind="stable")]
    return await _hits(store, access, found, order, scores, query)


def _embedded(models: Path, text: str) -> Floats:
    vector: Floats = embedder.load(models).queries([text])[0]
    return vector


async def _complete(
    store: Store, models: Path, found: DocumentScan, words: Scores, asked: Floats
) -> DocumentScan:
    """Compute vectors for documents that have none, as many as one search may."""
    without = np.flatnonzero(np.isnan(found.cosines))
    if not len(without):
        return found
    first = without[np.argsort(-words[without], kind="stable")][:_VECTORS_PER_SEARCH].tolist()
    texts = await store.read(_beginnings, [int(found.ids[place]) for place in first])
    places = _affordable({place: texts.get(int(found.ids[place]), "") for place in first})
    chosen = [texts.get(int(found.ids[place]), "") for place in places]
    vectors = await asyncio.to_thread(lambda: embedder.load(models).passages(chosen))
    cosines = found.cosines.copy()
    cosines[places] = vectors @ asked
    ids = [int(found.ids[place]) for place in places]
    await store.write(_keep, ids, [packed_vector(vector) for vector in vectors])
    return replace(found, cosines=cosines)


def _affordable(texts: Mapping[int, str]) -> list[int]:
    """The first places whose texts together are not too long; at least one."""
    chosen: list[int] = []
    length = 0
    for place, text in texts.items():
        length += max(len(text), 1)
        if chosen and length > DOCUMENT_VECTOR_CHARS_PER_SEARCH:
            break
        chosen.append(place)
    return chosen


def _beginnings(tx: Transaction, ids: Sequence[int]) -> dict[int, str]:
    found = tx.collections.document_beginnings(
        ids=rows.to_json(list(ids)), chars=DOCUMENT_VECTOR_CHARS
    )
    return {row.id: row.beginning for row in found}


def _keep(tx: Transaction, ids: Sequence[int], vectors: Sequence[bytes]) -> None:
    """Store vectors; a document deleted meanwhile is skipped."""
    for number, vector in zip(ids, vectors, strict=True):
        tx.collections.document_set_vector(id=number, vector=vector)


async def _hits(
    store: Store,
    access: Access,
    found: DocumentScan,
    order: Ints,
    scores: Scores,
    query: DocumentQuery,
) -> list[Hit[Document]]:
    """The documents at the best places, with their scores."""
    if query.score_min is not None:
        order = order[scores[order] >= query.score_min]
    if query.text is not None and query.mmr_lambda is not None:
        order = await _varied(store, found, order[: _POOL * query.limit], scores, query)
    best = order[: query.limit]
    by_id = {int(found.ids[place]): float(scores[place]) for place in best}
    documents = await store.read(collections.by_ids, access, found.collection, list(by_id))
    return [Hit(item=document, score=by_id[document.id]) for document in documents]


async def _varied(
    store: Store,
    found: DocumentScan,
    places: Ints,
    scores: Scores,
    query: DocumentQuery,
) -> Ints:
    """The places reordered for variety."""
    vectors = await store.read(_vectors, [int(found.ids[place]) for place in places])
    weight = 0.5 if query.mmr_lambda is None else query.mmr_lambda
    chosen, _ = marginal_relevance(scores[places], vectors, weight, query.limit)
    return places[chosen]


def _vectors(tx: Transaction, ids: Sequence[int]) -> Floats:
    """The vectors of documents in order; zeros, which resemble nothing, if there is none."""
    held = {
        row.id: row.vector
        for row in tx.collections.document_vectors_by_ids(ids=rows.to_json(list(ids)))
    }
    vectors = np.zeros((len(ids), embedder.DIMENSIONS), np.float32)
    for place, number in enumerate(ids):
        if held.get(number) is not None:
            vectors[place] = unpacked(held[number])
    return vectors


def scan(
    tx: Transaction,
    access: Access,
    name: str,
    hashes: Sequence[int],
    query: Floats | None,
    tree: MetadataTree | None,
) -> DocumentScan:
    """Look at every document of a collection, page by page."""
    collection = collections.get(tx, access, name)
    asked = np.array(hashes, np.uint64)
    parts = [_looked_at([], asked, query)]
    after = 0
    while page := tx.collections.document_shelf(
        collection_id=collection.id,
        after=after,
        limit=DOCUMENTS_PER_PAGE,
        with_metadata=tree is not None or access.visibility is not None,
    ):
        after = page[-1].id
        passing = [row for row in page if _passes(access, tree, row)]
        parts.append(_looked_at(passing, asked, query))
    ids, lengths, counts, cosines = (np.concatenate(part) for part in zip(*parts, strict=True))
    return DocumentScan(
        collection=collection, ids=ids, lengths=lengths, counts=counts, cosines=cosines
    )


def _passes(access: Access, tree: MetadataTree | None, row: DocumentShelfRow) -> bool:
    if tree is None and access.visibility is None:
        return True
    metadata = rows.from_json(row.metadata) or {}
    return seeing.document(access, metadata) and (tree is None or tree_holds(tree, metadata))


def _looked_at(
    page: Sequence[DocumentShelfRow], asked: Hashes, query: Floats | None
) -> tuple[Ints, Scores, Scores, Floats]:
    """Ids, lengths, counts and cosines of one page."""
    ids = np.array([row.id for row in page], np.int64)
    return ids, *_held([row.terms for row in page], asked), _cosines(page, query)


def _held(packed: Sequence[bytes], asked: Hashes) -> tuple[Scores, Scores]:
    """How many terms each document has, and how often it has each of the query's terms."""
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


def _cosines(page: Sequence[DocumentShelfRow], query: Floats | None) -> Floats:
    cosines = np.full(len(page), np.nan, np.float32)
    held = [place for place, row in enumerate(page) if row.vector is not None]
    if query is not None and held:
        joined = unpacked(b"".join(page[place].vector or b"" for place in held))
        cosines[held] = joined.reshape(len(held), -1) @ query
    return cosines


def packed_vector(vector: Floats) -> bytes:
    """A vector in its stored form, in half precision."""
    return vector.astype(np.float16).tobytes()


def unpacked(blob: bytes) -> Floats:
    """A stored vector, or several concatenated."""
    return np.frombuffer(blob, np.float16).astype(np.float32)


def by_words(found: DocumentScan) -> Scores:
    """From 0 to 1: BM25 with the statistics of what passed, divided by its maximum."""
    size = len(found.ids)
    if not size or not found.counts.shape[1]:
        return np.zeros(size)
    weights = rarity(size, np.count_nonzero(found.counts, axis=0))
    norm = length_norm(found.lengths, float(found.lengths.mean()), _K1)
    scores = bm25(1.0, found.counts, norm[:, None], _K1) @ weights
    return np.asarray(scores / (float(weights.sum()) * (_K1 + 1)))


def by_likeness(cosines: Floats) -> Scores:
    """From 0 to 1: the similarity of vectors; 0 without one."""
    stretched = (cosines.astype(np.float64) - _LIKENESS_FROM) / (_LIKENESS_TO - _LIKENESS_FROM)
    return np.asarray(np.nan_to_num(np.clip(stretched, 0.0, 1.0), nan=0.0))
