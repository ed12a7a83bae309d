"""The walk over a collection: counts, lengths and cosines per document, and what is made of them."""

import math
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from recollect.errors import NotFound
from recollect.graph.filters import MetadataTree, ValueTest
from recollect.graph.terms import hashed, terms
from recollect.graph.types import Access
from recollect.records import collections
from recollect.records.collections import NewDocument
from recollect.search import documents
from recollect.search.columns import Floats
from recollect.search.documents import (
    DocumentScan,
    by_likeness,
    by_words,
    packed_vector,
    scan,
    unpacked,
)
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import new_project
from tests.support.stores import open_store

TEXTS = ["apple apple pear", "pear plum plum plum cherry", "quince", "apple plum"]


def unit(*values: float) -> Floats:
    vector = np.zeros(384, np.float32)
    vector[: len(values)] = values
    made: Floats = vector / np.linalg.norm(vector)
    return made


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store."""
    opened = open_store(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
async def access(store: Store) -> Access:
    """A project with the collection `fruit`; every second document has a vector."""
    made = await new_project(store, "p")

    def fill(tx: Transaction) -> None:
        collections.create(tx, made, "fruit", None, None)
        new = [
            NewDocument(content=text, metadata={"even": n % 2 == 0}) for n, text in enumerate(TEXTS)
        ]
        collections.add(tx, made, "fruit", collections.prepared(new))
        for row in tx.collections.document_shelf(
            collection_id=1, after=0, limit=9, with_metadata=False
        ):
            if row.id % 2:
                tx.collections.document_set_vector(id=row.id, vector=packed_vector(unit(row.id, 1)))

    await store.write(fill)
    return made


async def look(
    store: Store, access: Access, text: str, query: Floats | None, tree: MetadataTree | None = None
) -> DocumentScan:
    hashes = [hashed(term) for term in terms(text)]
    return await store.read(scan, access, "fruit", hashes, query, tree)


def naive(texts: list[str], text: str) -> list[float]:
    """BM25 over the most it could be, written out."""
    documents = [terms(one) for one in texts]
    mean = sum(map(len, documents)) / len(documents)
    asked = terms(text)
    rarity = {}
    for term in asked:
        holding = sum(term in document for document in documents)
        rarity[term] = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
    scores = []
    for document in documents:
        norm = 1.2 * (0.25 + 0.75 * len(document) / mean)
        score = sum(
            rarity[term] * document.count(term) * 2.2 / (document.count(term) + norm)
            for term in asked
        )
        scores.append(score / (sum(rarity.values()) * 2.2))
    return scores


@pytest.mark.parametrize("per_page", [1, 3, 500])
async def test_the_walk_counts_what_is_asked_for(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch, per_page: int
) -> None:
    """Whatever the pages, each document is looked at once."""
    monkeypatch.setattr(documents, "DOCUMENTS_PER_PAGE", per_page)
    found = await look(store, access, "apples or plums", unit(1))
    assert found.counts.tolist() == [[2, 0], [0, 3], [0, 0], [1, 1]]
    assert found.lengths.tolist() == [3, 5, 1, 2]
    assert np.isnan(found.cosines).tolist() == [False, True, False, True]
    assert found.cosines[2] == pytest.approx(3 / math.sqrt(10), abs=1e-3)


@pytest.mark.parametrize("text", ["apple", "plum pear", "apple quince kiwi"])
async def test_words_score_as_bm25_does(store: Store, access: Access, text: str) -> None:
    """Between 0 and 1, with the statistics of the collection."""
    found = by_words(await look(store, access, text, None))
    assert found.tolist() == pytest.approx(naive(TEXTS, text))
    assert all(0 <= score <= 1 for score in found)


async def test_statistics_are_those_of_what_passes(store: Store, access: Access) -> None:
    """As if the others were not there."""
    test = ValueTest(name="even", operator="=", value=True)
    tree = MetadataTree(joined_by="and", tests=(test,))
    found = await look(store, access, "apple pear", None, tree)
    assert by_words(found).tolist() == pytest.approx(naive(TEXTS[::2], "apple pear"))


async def test_a_question_without_a_word_scores_nothing(store: Store, access: Access) -> None:
    """Nor does a collection without a document."""
    assert by_words(await look(store, access, "the of", None)).tolist() == [0.0] * len(TEXTS)
    await store.write(collections.create, access, "empty", None, None)
    empty = await store.read(scan, access, "empty", [hashed("appl")], unit(1), None)
    assert by_words(empty).shape == (0,)


async def test_a_collection_of_another_project_is_not_there(store: Store, access: Access) -> None:
    """Its name finds nothing."""
    other = await new_project(store, "q")
    with pytest.raises(NotFound):
        await store.read(scan, other, "fruit", [], None, None)


def test_likeness_goes_from_nothing_to_one_and_is_nothing_without_a_vector() -> None:
    """Cosines of texts that have nothing in common count as none."""
    cosines = np.array([np.nan, -1, 0.4, 0.6, 0.8, 1], np.float32)
    assert by_likeness(cosines).tolist() == pytest.approx([0, 0, 0, 0.5, 1, 1], abs=1e-6)


def test_a_vector_reads_back_as_it_was_stored() -> None:
    """But for half of its precision."""
    vector = unit(0.3, -0.4, 0.5)
    assert unpacked(packed_vector(vector)) == pytest.approx(vector, abs=1e-3)
