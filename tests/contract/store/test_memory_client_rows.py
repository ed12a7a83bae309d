"""What other products' clients and agent frameworks keep: features and items."""

from typing import Any

from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from tests.contract.store.units import (
    NO_UUID,
    NOBODY,
    entity,
    episode,
    fact,
    graph_id,
    in_a_unit,
    listed,
    now,
    supported,
)


def _category(tx: Transaction, graph: int, name: str, **of: Any) -> Any:
    uuid = tx.new_id()
    values = {"set_key": None, "set_type_id": None} | of
    tx.features.category_insert(
        uuid=uuid,
        graph_id=graph,
        name=name,
        prompt="what",
        description=None,
        now=now(tx),
        **values,
    )
    return tx.features.category_by_uuid(uuid=uuid, graph_id=graph)


@in_a_unit
def test_types_of_feature_sets(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    like: dict[str, Any] = {"graph_id": graph, "is_org_level": 0, "tags": '["a"]'}
    assert tx.features.set_type_like(**like) is None
    tx.features.set_type_insert(uuid=tx.new_id(), name="one", description=None, now=now(tx), **like)
    (found,) = tx.features.set_types_of(graph_id=graph)
    assert tx.features.set_type_like(**like) == found.id
    assert tx.features.set_type_like(**like | {"is_org_level": 1}) is None
    template = _category(tx, graph, "likes", set_type_id=found.id)
    assert template.set_type_uuid == found.uuid
    assert tx.features.set_type_delete(uuid=found.uuid, graph_id=NOBODY) == 0
    assert tx.features.set_type_delete(uuid=found.uuid, graph_id=graph) == 1
    assert tx.features.categories_of(graph_id=graph) == []


@in_a_unit
def test_categories_and_their_tags(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    likes = _category(tx, graph, "likes", set_key="s")
    tags = [tx.new_id(), tx.new_id()]
    for uuid, name in zip(tags, ["food", "music"], strict=True):
        tx.features.tag_insert(uuid=uuid, category_id=likes.id, name=name, description="d")
    told = tx.features.tags_of(graph_id=graph)
    assert [(row.category_id, row.name) for row in told] == [
        (likes.id, "food"),
        (likes.id, "music"),
    ]
    assert tx.features.tag_delete(uuid=tags[0], graph_id=NOBODY) == 0
    assert tx.features.tag_delete(uuid=tags[0], graph_id=graph) == 1
    assert [row.name for row in tx.features.tags_of(graph_id=graph)] == ["music"]
    assert [row.id for row in tx.features.categories_of(graph_id=graph)] == [likes.id]
    assert tx.features.category_by_uuid(uuid=likes.uuid, graph_id=NOBODY) is None
    assert tx.features.category_delete(id=likes.id, graph_id=graph) == 1
    assert tx.features.tags_of(graph_id=graph) == []


@in_a_unit
def test_a_set_leaves_categories_out(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    off: dict[str, Any] = {"graph_id": graph, "set_key": "b", "name": "likes"}
    assert tx.features.category_off_put(**off) == 1
    assert tx.features.category_off_put(**off) == 0
    assert [tuple(row) for row in tx.features.categories_off_of(graph_id=graph)] == [("b", "likes")]
    _category(tx, graph, "likes", set_key="a")
    assert tx.features.set_keys(graph_id=graph) == ["a", "b"]
    assert tx.features.category_off_drop(**off) == 1
    assert tx.features.set_keys(graph_id=graph) == ["a"]


@in_a_unit
def test_who_said_a_feature(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    first = episode(tx, graph, "one", producer="jane", speaker="Jane")
    second = episode(tx, graph, "two", producer="mark")
    over = episode(tx, graph, "three", producer="nobody")
    node = entity(tx, graph, "Jane")
    known = fact(tx, graph, (node, node), "Jane sings", first.id, second.id)
    supported(tx, known, over.id, "closes")
    told = tx.features.sources(ids=listed(known))
    assert [(row.fact_id, row.producer, row.speaker) for row in told] == [
        (known, "jane", "Jane"),
        (known, "mark", None),
    ]


@in_a_unit
def test_a_statement_is_awaited_until_it_is_a_fact(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    stated = episode(tx, graph, "Jane sings", kind="fact_triple")
    of: dict[str, Any] = {"uuid": stated.uuid, "graph_id": graph}
    awaited = tx.features.statement_awaited(**of)
    assert awaited is not None
    assert (awaited.id, awaited.content) == (stated.id, "Jane sings")
    assert tx.features.fact_of_statement(**of) is None
    node = entity(tx, graph, "Jane")
    uuid = tx.new_id()
    fact(tx, graph, (node, node), "Jane sings", stated.id, uuid=uuid)
    tx.episodes.processed(graph_id=graph, now=now(tx), ids=listed(stated.id))
    assert tx.features.statement_awaited(**of) is None
    assert tx.features.fact_of_statement(**of) == uuid


@in_a_unit
def test_an_item_is_the_newest_episode_of_its_document(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    graph = graph_id(tx, access.project_id, "users/jane")
    empty = graph_id(tx, access.project_id, "users/mark")
    episode(tx, graph, "old", document_id="k")
    newest = episode(tx, graph, "new", document_id="k")
    other = episode(tx, graph, "other", document_id="l")
    plain = episode(tx, graph, "plain")
    found = tx.items.newest(graph_id=graph, key="k")
    assert found is not None
    assert (found.id, found.content) == (newest.id, "new")
    assert tx.items.newest(graph_id=graph, key="m") is None
    assert [row.id for row in tx.items.of_graph(graph_id=graph)] == [newest.id, other.id]
    assert tx.items.of_graph(graph_id=empty) == []
    told = tx.items.by_uuids(uuids=listed(newest.uuid, plain.uuid, NO_UUID))
    assert [row.id for row in told] == [newest.id]
    named: dict[str, Any] = {"first": "users/", "last": "users0"}
    assert [
        (row.id, row.graph_id) for row in tx.items.graphs(project_id=access.project_id, **named)
    ] == [(graph, "users/jane")]
    assert tx.items.graphs(project_id=stranger.project_id, **named) == []
