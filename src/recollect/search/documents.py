"""Searching a collection of documents: by words and by vectors, half and half.

Documents are not part of a graph. They can be found by their words as soon as they are there;
vectors are made by the searches themselves, a bounded number each time, beginning with the
documents that seem to fit best.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from recollect.graph.filters import MetadataTree
from recollect.graph.terms import hashed, terms
from recollect.graph.types import Access, Record
from recollect.limits import (
    DOCUMENT_QUERY_TERMS_MAX,
    DOCUMENT_VECTOR_CHARS,
    DOCUMENT_VECTOR_CHARS_PER_SEARCH,
    DOCUMENTS_PER_PAGE,
    SEARCH_LIMIT_DEFAULT,
)
from recollect.models import embedder
from recollect.search.document_scan import (
    Floats,
    Scan,
    Scores,
    by_likeness,
    by_words,
    packed_vector,
    scan,
    unpacked,
)
from recollect.search.fuse import marginal_relevance
from recollect.search.query import Ranked
from recollect.store import rows
from recollect.store.protocol import Store, Transaction
from recollect.subjects import collections
from recollect.subjects.collections import Document

_POOL = 4  # so many times the limit is what `mmr` chooses from


class DocumentQuery(Record):
    """What is asked of a collection: a text, or without one everything that the tree lets by."""

    text: str | None = None
    tree: MetadataTree | None = None
    limit: int = SEARCH_LIMIT_DEFAULT
    score_min: float | None = None
    mmr_lambda: float | None = None  # without one, by score alone


async def find(
    store: Store, models: Path, access: Access, name: str, query: DocumentQuery
) -> list[Ranked[Document]]:
    """The documents that fit best, with scores from 0 to 1; without a text the oldest, with 1."""
    if query.text is None:
        found = await store.read(scan, access, name, (), None, query.tree)
        every = np.arange(len(found.ids)), np.ones(len(found.ids))
        return await _told(store, access, found, *every, query)
    if not query.text.strip():
        await store.read(collections.get, access, name)  # one that is not there is still an error
        return []
    hashes = list(dict.fromkeys(hashed(term) for term in terms(query.text)))
    asked = await asyncio.to_thread(_asked, models, query.text)
    found = await store.read(
        scan, access, name, hashes[:DOCUMENT_QUERY_TERMS_MAX], asked, query.tree
    )
    words = by_words(found)
    found = await _complete(store, models, found, words, asked)
    scores = (words + by_likeness(found.cosines)) / 2
    fitting = np.flatnonzero(scores > 0)
    order = fitting[np.argsort(-scores[fitting], kind="stable")]
    return await _told(store, access, found, order, scores, query)


def _asked(models: Path, text: str) -> Floats:
    vector: Floats = embedder.load(models).queries([text])[0]
    return vector


async def _complete(store: Store, models: Path, found: Scan, words: Scores, asked: Floats) -> Scan:
    """Make vectors for documents that have none, as many as one search may."""
    without = np.flatnonzero(np.isnan(found.cosines))
    if not len(without):
        return found
    first = without[np.argsort(-words[without], kind="stable")][:DOCUMENTS_PER_PAGE].tolist()
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
    """The first places whose texts together are not too long; one at least."""
    chosen: list[int] = []
    length = 0
    for place, text in texts.items():
        length += max(len(text), 1)
        if chosen and length > DOCUMENT_VECTOR_CHARS_PER_SEARCH:
            break
        chosen.append(place)
    return chosen


def _beginnings(tx: Transaction, ids: Sequence[int]) -> dict[int, str]:
    found = tx.all("document_beginnings", ids=rows.to_json(list(ids)), chars=DOCUMENT_VECTOR_CHARS)
    return {row["id"]: row["beginning"] for row in found}


def _keep(tx: Transaction, ids: Sequence[int], vectors: Sequence[bytes]) -> None:
    """Store vectors; a document that is gone meanwhile has nowhere to put one."""
    for number, vector in zip(ids, vectors, strict=True):
        tx.run("document_set_vector", id=number, vector=vector)


async def _told(
    store: Store,
    access: Access,
    found: Scan,
    order: "np.typing.NDArray[np.int64]",
    scores: Scores,
    query: DocumentQuery,
) -> list[Ranked[Document]]:
    """The documents at the best places."""
    if query.score_min is not None:
        order = order[scores[order] >= query.score_min]
    if query.text is not None and query.mmr_lambda is not None:
        order = await _varied(store, found, order[: _POOL * query.limit], scores, query)
    best = order[: query.limit]
    by_id = {int(found.ids[place]): float(scores[place]) for place in best}
    documents = await store.read(collections.by_ids, access, found.collection, list(by_id))
    return [Ranked(item=document, score=by_id[document.id]) for document in documents]


async def _varied(
    store: Store,
    found: Scan,
    places: "np.typing.NDArray[np.int64]",
    scores: Scores,
    query: DocumentQuery,
) -> "np.typing.NDArray[np.int64]":
    """Those that fit and are unlike each other, first."""
    vectors = await store.read(_vectors, [int(found.ids[place]) for place in places])
    weight = 0.5 if query.mmr_lambda is None else query.mmr_lambda
    chosen, _ = marginal_relevance(scores[places], vectors, weight, query.limit)
    return places[chosen]


def _vectors(tx: Transaction, ids: Sequence[int]) -> Floats:
    """The vectors of documents in order; zeros, unlike anything, where there is none."""
    held = {
        row["id"]: row["vector"]
        for row in tx.all("document_vectors_by_ids", ids=rows.to_json(list(ids)))
    }
    vectors = np.zeros((len(ids), embedder.DIMENSIONS), np.float32)
    for place, number in enumerate(ids):
        if held.get(number) is not None:
            vectors[place] = unpacked(held[number])
    return vectors
