"""Document collections of generation 2."""

from typing import Any

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import NOBODY, bad_request, missing, refused, unique


def a_collection(zep2: Zep, **fields: Any) -> str:
    """A new collection, by name."""
    name = unique("collection").replace("-", "")
    assert zep2.document.add_collection(name, **fields)["message"]
    return name


def flat(nested: list[list[Any]]) -> list[Any]:
    """The client declares lists of lists here; the items count, not the grouping."""
    return [item for inner in nested for item in inner]


def fill(zep2: Zep, collection: str) -> list[str]:
    """Two documents, `tea` and `coffee`; answers their uuids."""
    documents = [
        typed(
            "CreateDocumentRequest", content=f"About {name}.", document_id=name, metadata={"n": n}
        )
        for n, name in enumerate(("tea", "coffee"))
    ]
    return flat(zep2.document.add_documents(collection, request=documents))


@requirement("v2:document.add_collection", "v2:document.get_collection")
def test_a_collection_reads_back_as_it_was_created(zep2: Zep) -> None:
    """Name, description and metadata come back; a second creation is refused."""
    name = a_collection(zep2, description="Drinks", metadata={"shelf": 3})
    found = zep2.document.get_collection(name)
    assert found["name"] == name
    assert found["description"] == "Drinks"
    assert found["metadata"] == {"shelf": 3}
    assert found["document_count"] == 0
    with bad_request():
        zep2.document.add_collection(name)


@requirement("v2:document.update_collection")
def test_a_collection_can_be_described_anew(zep2: Zep) -> None:
    """Description and metadata change."""
    name = a_collection(zep2, description="Drinks")
    assert zep2.document.update_collection(name, description="Hot drinks", metadata={"n": 1})
    found = zep2.document.get_collection(name)
    assert found["description"] == "Hot drinks"
    assert found["metadata"]["n"] == 1


@requirement("v2:document.list_collections")
def test_collections_are_listed_as_lists_of_lists(zep2: Zep) -> None:
    """Every collection is in there once."""
    mine = {a_collection(zep2) for _ in range(2)}
    listed = [collection["name"] for collection in flat(zep2.document.list_collections())]
    assert len(listed) == len(set(listed))
    assert mine <= set(listed)


@requirement(
    "v2:document.add_documents", "v2:document.gets_a_document_from_a_document_collection_by_uuid"
)
def test_documents_read_back_as_they_were_added(zep2: Zep) -> None:
    """The uuids come in the order given, and each document keeps its id, text and metadata."""
    collection = a_collection(zep2)
    tea, coffee = fill(zep2, collection)
    read = zep2.document.gets_a_document_from_a_document_collection_by_uuid
    found = read(collection, tea)
    assert found["uuid"] == tea
    assert found["document_id"] == "tea"
    assert found["content"] == "About tea."
    assert found["metadata"] == {"n": 0}
    assert read(collection, coffee)["document_id"] == "coffee"
    assert zep2.document.get_collection(collection)["document_count"] == 2
    with refused(404):
        read(collection, NOBODY)


@requirement("v2:document.batch_get_documents")
def test_documents_are_read_by_uuid_or_by_id(zep2: Zep) -> None:
    """Both ways find the same document."""
    collection = a_collection(zep2)
    tea, _ = fill(zep2, collection)
    by_uuid = flat(zep2.document.batch_get_documents(collection, uuids=[tea]))
    by_id = flat(zep2.document.batch_get_documents(collection, document_ids=["tea"]))
    for found in (by_uuid, by_id):
        assert [document["content"] for document in found] == ["About tea."]


@requirement("v2:document.updates_a_document", "v2:document.batch_update_documents")
def test_documents_change_singly_and_together(zep2: Zep) -> None:
    """Ids and metadata change, the text stays."""
    collection = a_collection(zep2)
    tea, coffee = fill(zep2, collection)
    zep2.document.updates_a_document(
        collection, tea, document_id="green tea", metadata={"hot": True}
    )
    changes = [typed("UpdateDocumentListRequest", uuid=coffee, metadata={"hot": False})]
    if zep2.client.language == "python":  # this model spells the field `uuid_`
        changes = [typed("UpdateDocumentListRequest", uuid_=coffee, metadata={"hot": False})]
    zep2.document.batch_update_documents(collection, request=changes)
    read = zep2.document.gets_a_document_from_a_document_collection_by_uuid
    changed, other = read(collection, tea), read(collection, coffee)
    assert changed["document_id"] == "green tea"
    assert changed["metadata"]["hot"] is True
    assert changed["content"] == "About tea."
    assert other["document_id"] == "coffee"
    assert other["metadata"]["hot"] is False


@requirement("v2:document.delete_document", "v2:document.batch_delete_documents")
def test_documents_are_deleted_singly_and_together(zep2: Zep) -> None:
    """A deleted document is gone and no longer counted."""
    collection = a_collection(zep2)
    tea, coffee = fill(zep2, collection)
    assert zep2.document.delete_document(collection, tea)["message"]
    with refused(404):
        zep2.document.gets_a_document_from_a_document_collection_by_uuid(collection, tea)
    assert zep2.document.get_collection(collection)["document_count"] == 1
    assert zep2.document.batch_delete_documents(collection, request=[coffee])["message"]
    assert zep2.document.get_collection(collection)["document_count"] == 0


@requirement("v2:document.delete_collection", "v2:errors:404-is-typed")
def test_a_deleted_collection_takes_its_documents(zep2: Zep) -> None:
    """The name is free again and the new collection is empty."""
    collection = a_collection(zep2)
    fill(zep2, collection)
    assert zep2.document.delete_collection(collection)["message"]
    with missing():
        zep2.document.get_collection(collection)
    zep2.document.add_collection(collection)
    assert zep2.document.get_collection(collection)["document_count"] == 0
