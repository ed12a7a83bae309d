"""Collections keep documents under a name; their own ids are unique within one collection."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import pytest
from msgspec import UNSET

from recollect.errors import AlreadyExists, InvalidInput, NotFound
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.limits import (
    COLLECTION_DOCUMENT_CHARS_MAX,
    COLLECTION_DOCUMENTS_PER_CALL_MAX,
)
from recollect.records import collections
from recollect.records.collections import DocumentChange, NewDocument
from recollect.store.protocol import Store, Transaction
from tests.support.stores import open_store

P = ParamSpec("P")
T = TypeVar("T")


class World:
    """A store with a project that has the collection `drinks`."""

    def __init__(self, store: Store, access: Access) -> None:
        self.store = store
        self.access = access

    async def do(
        self,
        unit: Callable[Concatenate[Transaction, Access, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a unit of work of this project."""
        return await self.store.write(unit, self.access, *args, **kwargs)

    async def add(self, *document_ids: str | None) -> list[str]:
        """Documents with these ids."""
        new = [NewDocument(content=f"About {name}.", document_id=name) for name in document_ids]
        return await self.do(collections.add, "drinks", new)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """One project with one collection."""
    store = open_store(tmp_path)
    await store.write(keys.create_project, "home")
    key = await store.write(keys.create_key, "home", "key")
    access = await store.read(keys.authenticate, keys.hashed(key.secret))
    assert access is not None
    made = World(store, access)
    await made.do(collections.create, "drinks", "Hot ones", {"shelf": 3})
    yield made
    await store.close()


async def test_a_name_is_taken_once(world: World) -> None:
    """A second collection of that name is refused, and the first stays as it was."""
    with pytest.raises(AlreadyExists, match="collection_name"):
        await world.do(collections.create, "drinks", None, None)
    assert (await world.do(collections.get, "drinks")).description == "Hot ones"


@pytest.mark.parametrize("name", ["", "a/b", "..", " tea", "a?b"])
async def test_a_name_must_be_addressable(world: World, name: str) -> None:
    """A collection that no path can name is refused."""
    with pytest.raises(InvalidInput, match="collection_name"):
        await world.do(collections.create, name, None, None)


async def test_there_are_only_so_many_collections(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list has no pages, so it is bounded."""
    monkeypatch.setattr(collections, "COLLECTIONS_MAX", 2)
    await world.do(collections.create, "second", None, None)
    with pytest.raises(InvalidInput, match="at most 2"):
        await world.do(collections.create, "third", None, None)
    assert len(await world.do(collections.all_of)) == 2


async def test_an_update_changes_only_what_it_names(world: World) -> None:
    """Metadata merges, null takes a key away, and what is not said stays."""
    made = await world.do(collections.update, "drinks", UNSET, {"row": 1, "shelf": None})
    assert made.description == "Hot ones"
    assert made.metadata == {"row": 1}
    made = await world.do(collections.update, "drinks", None, None)
    assert made.description is None
    assert made.metadata is None


async def test_document_ids_are_unique_in_a_collection(world: World) -> None:
    """A taken id is refused by position with the whole call; no id at all is no clash."""
    await world.add("tea", None, None)
    with pytest.raises(AlreadyExists, match=r"documents\[1\]\.document_id"):
        await world.add("milk", "tea")
    with pytest.raises(AlreadyExists, match=r"documents\[1\]\.document_id"):
        await world.add("cola", "cola")
    assert (await world.do(collections.get, "drinks")).document_count == 3
    await world.do(collections.create, "other", None, None)
    await world.do(collections.add, "other", [NewDocument(content="x", document_id="tea")])


async def test_documents_are_found_by_uuid_and_id_once_each(world: World) -> None:
    """In the order asked for, without what is unknown."""
    tea, milk = await world.add("tea", "milk")
    found = await world.do(collections.documents, "drinks", [milk, "nobody"], ["tea", "milk", "x"])
    assert [one.uuid for one in found] == [milk, tea]
    with pytest.raises(InvalidInput, match="documents"):
        await world.do(collections.documents, "drinks", [], [])


async def test_documents_are_answered_up_to_so_many_bytes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Letters of several bytes and metadata count; a document asked for twice counts once."""
    new = [
        NewDocument(content="é" * 20, document_id="tea"),
        NewDocument(content="x", document_id="milk", metadata={"k": "v" * 52}),
    ]
    uuids = await world.do(collections.add, "drinks", new)
    monkeypatch.setattr(collections, "COLLECTION_DOCUMENTS_BYTES_PER_READ_MAX", 101)
    found = await world.do(collections.documents, "drinks", uuids, ["tea", "milk"])
    assert len(found) == 2
    monkeypatch.setattr(collections, "COLLECTION_DOCUMENTS_BYTES_PER_READ_MAX", 100)
    with pytest.raises(InvalidInput, match=r"uuids and document_ids: .* 100 bytes"):
        await world.do(collections.documents, "drinks", [uuids[0]], ["milk"])


async def test_documents_change_all_or_none(world: World) -> None:
    """One change that fails takes the others back."""
    tea, milk = await world.add("tea", "milk")
    good = DocumentChange(uuid=tea, document_id="green tea", metadata={"hot": True})
    with pytest.raises(NotFound, match="nobody"):
        await world.do(
            collections.update_documents, "drinks", [good, DocumentChange(uuid="nobody")]
        )
    with pytest.raises(AlreadyExists, match=r"documents\[0\]\.document_id"):
        await world.do(
            collections.update_documents, "drinks", [DocumentChange(uuid=milk, document_id="tea")]
        )
    assert (await world.do(collections.document, "drinks", tea)).document_id == "tea"
    await world.do(collections.update_documents, "drinks", [good, DocumentChange(uuid=milk)])
    changed = await world.do(collections.document, "drinks", tea)
    assert (changed.document_id, changed.metadata) == ("green tea", {"hot": True})
    assert (await world.do(collections.document, "drinks", milk)).document_id == "milk"


async def test_a_document_keeps_its_own_id_on_update(world: World) -> None:
    """Saying the same id again is not a clash with itself; null gives it up."""
    (tea,) = await world.add("tea")
    for document_id in ("tea", None):
        change = DocumentChange(uuid=tea, document_id=document_id)
        await world.do(collections.update_document, "drinks", change)
        assert (await world.do(collections.document, "drinks", tea)).document_id == document_id


async def test_documents_are_deleted_from_their_own_collection_only(world: World) -> None:
    """A uuid of another collection is unknown here; gone ones are no error in a list."""
    tea, milk = await world.add("tea", "milk")
    await world.do(collections.create, "other", None, None)
    with pytest.raises(NotFound):
        await world.do(collections.delete_document, "other", tea)
    assert await world.do(collections.delete_documents, "drinks", [tea, tea, "nobody"]) == 1
    await world.do(collections.delete_document, "drinks", milk)
    assert (await world.do(collections.get, "drinks")).document_count == 0


async def test_a_deleted_collection_takes_its_documents(world: World) -> None:
    """The name is free again, and empty."""
    await world.add("tea")
    await world.do(collections.delete, "drinks")
    with pytest.raises(NotFound, match="drinks"):
        await world.do(collections.get, "drinks")
    await world.do(collections.create, "drinks", None, None)
    assert (await world.do(collections.get, "drinks")).document_count == 0


@pytest.mark.parametrize(
    ("new", "named"),
    [
        ([], "documents: at least one"),
        ([NewDocument(content="x")] * (COLLECTION_DOCUMENTS_PER_CALL_MAX + 1), "at most"),
        ([NewDocument(content="x"), NewDocument(content=" ")], r"documents\[1\]\.content"),
        (
            [NewDocument(content="x" * (COLLECTION_DOCUMENT_CHARS_MAX + 1))],
            r"documents\[0\]\.content",
        ),
        ([NewDocument(content="x", document_id="a/b")], r"documents\[0\]\.document_id"),
        ([NewDocument(content="x", metadata={"k": "v" * 70_000})], r"documents\[0\]\.metadata"),
    ],
)
def test_a_wrong_document_is_named(new: list[NewDocument], named: str) -> None:
    """Whoever sent hundreds of documents learns which one it was."""
    with pytest.raises(InvalidInput, match=named):
        collections.check_documents(new)
