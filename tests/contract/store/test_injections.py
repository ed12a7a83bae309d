"""The injection log in the store: kept, paged, bounded, and following what is gone."""

from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from tests.contract.store.units import (
    NO_UUID,
    entity,
    episode,
    fact,
    graph_id,
    in_a_unit,
    now,
    thread_id,
    user_id,
)


def _given(
    tx: Transaction,
    project_id: int,
    graph: int,
    *,
    at: int,
    key: str = "",
    thread: int | None = None,
) -> tuple[int, str]:
    uuid = tx.new_id()
    number = tx.injections.insert(
        uuid=uuid,
        project_id=project_id,
        graph_id=graph,
        thread_id=thread,
        key_uuid=key,
        at=at,
        form="block",
        question="What does Ann play?",
    )
    return number, uuid


def _line(
    tx: Transaction,
    graph: int,
    number: int,
    place: int,
    kind: str | None,
    uuid: str | None,
    text: str,
) -> None:
    tx.injections.insert_line(
        graph_id=graph,
        injection_id=number,
        place=place,
        kind=kind,
        item_uuid=uuid,
        text=text,
        score=0.5,
        reason="relevance",
    )


@in_a_unit
def test_they_are_paged_the_newest_first_by_key_and_by_graph(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    one, other = (graph_id(tx, access.project_id, name) for name in ("one", "other"))
    _, first = _given(tx, access.project_id, one, at=now(tx), key="a")
    _, second = _given(tx, access.project_id, other, at=now(tx), key="b")

    def page(
        *,
        project_id: int = access.project_id,
        key_uuid: str | None = None,
        graph: int | None = None,
        before: str | None = None,
    ) -> list[str]:
        found = tx.injections.page(
            project_id=project_id, key_uuid=key_uuid, graph_id=graph, before=before, limit=5
        )
        return [row.uuid for row in found]

    assert page() == [second, first]
    assert page(before=second) == [first]
    assert page(key_uuid="a") == [first]
    assert page(graph=other) == [second]
    assert page(project_id=stranger.project_id) == []
    mine = tx.injections.by_uuid(uuid=first, project_id=access.project_id, key_uuid="a")
    assert mine is not None
    assert (mine.graph_name, mine.thread_name, mine.question) == (
        "one",
        None,
        "What does Ann play?",
    )
    assert tx.injections.by_uuid(uuid=first, project_id=access.project_id, key_uuid="b") is None
    assert tx.injections.by_uuid(uuid=first, project_id=stranger.project_id, key_uuid=None) is None


@in_a_unit
def test_a_project_keeps_the_newest_for_a_while(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "g")
    made = [_given(tx, access.project_id, graph, at=at)[1] for at in (1, 20, 30, 40)]
    assert tx.injections.trim(project_id=access.project_id, before=10, keep=100) == 1
    assert tx.injections.trim(project_id=access.project_id, before=10, keep=2) == 1
    left = tx.injections.page(
        project_id=access.project_id, key_uuid=None, graph_id=None, before=None, limit=9
    )
    assert [row.uuid for row in left] == [made[3], made[2]]


@in_a_unit
def test_lines_of_what_is_gone_or_reads_otherwise_go(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "g")
    said = episode(tx, graph, "Ann plays the cello.")
    ann = entity(tx, graph, "Ann", said.id)
    uuids = [tx.new_id() for _ in range(2)]
    for uuid in uuids:
        fact(tx, graph, (ann, ann), "Ann plays the cello", said.id, uuid=uuid)
    number, _ = _given(tx, access.project_id, graph, at=now(tx))
    _line(tx, graph, number, 0, None, None, "# FACTS\n")
    _line(tx, graph, number, 1, "fact", uuids[0], "- Ann plays the cello (2024)")
    _line(tx, graph, number, 2, "fact", uuids[1], "- Ann plays the flute (2024)")
    _line(tx, graph, number, 3, "fact", NO_UUID, "- Ann sings")
    _line(tx, graph, number, 4, "episode", said.uuid, "- Ann plays the cello.")
    _line(tx, graph, number, 5, "episode", NO_UUID, "- Hello.")
    _line(tx, graph, number, 6, "entity", NO_UUID, "- Ann: she plays")
    _line(tx, graph, number, 7, "user_summary", None, "Ann plays the cello.")

    def places() -> list[int]:
        found = tx.injections.lines(graph_id=graph, injection_id=number)
        return [row.place for row in found]

    assert places() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert tx.injections.drop_gone(graph_id=graph) == 3
    assert places() == [0, 1, 4, 6, 7]
    assert tx.injections.drop_derived(graph_id=graph) == 2
    assert places() == [0, 1, 4]
    assert tx.injections.drop_questions(graph_id=graph) == 1
    (row,) = tx.injections.page(
        project_id=access.project_id, key_uuid=None, graph_id=None, before=None, limit=9
    )
    assert row.question is None


@in_a_unit
def test_they_go_with_their_thread_and_their_graph(tx: Transaction, access: Access) -> None:
    user_id(tx, access.project_id, "ann")
    thread = thread_id(tx, access.project_id, "ann", "t")
    found = tx.threads.by_name(project_id=access.project_id, thread_id="t")
    assert found is not None
    graph = found.graph_id
    number, uuid = _given(tx, access.project_id, graph, at=now(tx), thread=thread)
    _line(tx, graph, number, 0, None, None, "words")
    row = tx.injections.by_uuid(uuid=uuid, project_id=access.project_id, key_uuid=None)
    assert row is not None
    assert row.thread_name == "t"
    tx.threads.delete(id=thread)
    assert tx.injections.by_uuid(uuid=uuid, project_id=access.project_id, key_uuid=None) is None
    assert tx.injections.lines(graph_id=graph, injection_id=number) == []
