"""Batches of generation 3: draft, filled, processed, read."""

from typing import Any

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    NOBODY,
    a_graph,
    a_thread,
    contents,
    eventually,
    missing,
    refused,
    unique,
)

ENDED = {"succeeded", "partial", "failed", "canceled", "invalid"}


def conflict() -> Any:
    """The call inside must fail with the client's ConflictError."""
    return refused(409, "ConflictError")


def note(graph_id: str, data: str, **fields: Any) -> dict[str, Any]:
    """A batch item that becomes an episode of a graph."""
    return typed(
        "BatchAddItem",
        type="graph_episode",
        graph_id=graph_id,
        data=data,
        data_type="text",
        **fields,
    )


def message(thread_id: str, content: str, **fields: Any) -> dict[str, Any]:
    """A batch item that becomes a message of a thread."""
    return typed(
        "BatchAddItem",
        type="thread_message",
        thread_id=thread_id,
        content=content,
        **{"role": "user", **fields},
    )


def ended(zep3: Zep, batch_id: str) -> dict[str, Any]:
    """Wait until a batch has come to an end."""
    return eventually(lambda: zep3.batch.get(batch_id), lambda batch: batch["status"] in ENDED)


@requirement("v3:batch.create", "v3:batch.get", "v3:transport:empty-body")
def test_a_new_batch_is_an_empty_draft(zep3: Zep) -> None:
    """A batch needs no arguments; metadata given comes back."""
    created = zep3.batch.create()
    found = zep3.batch.get(created["batch_id"])
    for answer in (created, found):
        assert answer["status"] == "draft"
        assert answer["item_count"] == 0
    with_metadata = zep3.batch.create(metadata={"import": "2024"})
    assert zep3.batch.get(with_metadata["batch_id"])["metadata"] == {"import": "2024"}


@requirement("v3:batch.add", "v3:batch.list_items")
def test_items_keep_the_order_they_were_added_in(zep3: Zep) -> None:
    """Items of two calls are numbered through, and read in pages by cursor."""
    graph_id = a_graph(zep3)["graph_id"]
    thread_id = a_thread(zep3)["thread_id"]
    batch_id = zep3.batch.create()["batch_id"]
    first = zep3.batch.add(batch_id, items=[note(graph_id, "one"), message(thread_id, "two")])
    second = zep3.batch.add(batch_id, items=[note(graph_id, "three")])
    added = first + second
    assert [item["kind"] for item in added] == ["graph_episode", "thread_message", "graph_episode"]
    assert {item["status"] for item in added} == {"pending"}
    assert zep3.batch.get(batch_id)["item_count"] == 3
    page = zep3.batch.list_items(batch_id, limit=2)
    rest = zep3.batch.list_items(batch_id, limit=2, cursor=page["next_cursor"])
    listed = page["items"] + rest["items"]
    assert "next_cursor" not in rest
    assert [item["item_id"] for item in listed] == [item["item_id"] for item in added]
    numbers = [item["sequence_index"] for item in listed]
    assert numbers == sorted(set(numbers))


@requirement("v3:batch.process", "v3:batch:life-cycle", "v3:batch.get")
def test_a_processed_batch_succeeds_with_all_its_items(zep3: Zep) -> None:
    """Episodes and messages are there afterwards, and the progress is complete."""
    graph_id = a_graph(zep3)["graph_id"]
    thread_id = a_thread(zep3)["thread_id"]
    batch_id = zep3.batch.create()["batch_id"]
    items = [note(graph_id, "one", metadata={"n": 1}), message(thread_id, "two", name="Jane")]
    zep3.batch.add(batch_id, items=items)
    assert zep3.batch.process(batch_id)["status"] in {"queued", "processing", "succeeded"}
    done = ended(zep3, batch_id)
    assert done["status"] == "succeeded"
    assert done["progress"]["total_items"] == 2
    assert done["progress"]["succeeded_items"] == 2
    assert done["completed_at"]
    listed = zep3.batch.list_items(batch_id)["items"]
    assert {item["status"] for item in listed} == {"succeeded"}
    episode = zep3.graph.episode.get(listed[0]["episode_uuid"])
    assert episode["content"] == "one"
    assert episode["metadata"] == {"n": 1}
    found = zep3.thread.get(thread_id)["messages"]
    assert contents(found) == ["two"]
    assert found[0]["name"] == "Jane"


@requirement("v3:errors:409-is-typed", "v3:batch.process")
def test_processing_a_batch_twice_is_a_conflict(zep3: Zep) -> None:
    """The second start is refused at once."""
    graph_id = a_graph(zep3)["graph_id"]
    batch_id = zep3.batch.create()["batch_id"]
    zep3.batch.add(batch_id, items=[note(graph_id, "one")])
    zep3.batch.process(batch_id)
    with conflict():
        zep3.batch.process(batch_id)


@requirement("v3:batch:delete-only-draft", "v3:batch:closed-after-process", "v3:batch.delete")
def test_a_batch_that_ran_is_closed(zep3: Zep) -> None:
    """It takes no more items and cannot be deleted."""
    graph_id = a_graph(zep3)["graph_id"]
    batch_id = zep3.batch.create()["batch_id"]
    zep3.batch.add(batch_id, items=[note(graph_id, "one")])
    zep3.batch.process(batch_id)
    ended(zep3, batch_id)
    with conflict():
        zep3.batch.add(batch_id, items=[note(graph_id, "late")])
    with conflict():
        zep3.batch.delete(batch_id)


@requirement("v3:batch.delete")
def test_a_draft_can_be_deleted(zep3: Zep) -> None:
    """A deleted draft is gone and its items were never taken in."""
    graph_id = a_graph(zep3)["graph_id"]
    batch_id = zep3.batch.create()["batch_id"]
    zep3.batch.add(batch_id, items=[note(graph_id, "never")])
    assert zep3.batch.delete(batch_id)["message"]
    with missing():
        zep3.batch.get(batch_id)
    assert zep3.graph.episode.get_by_graph_id(graph_id).get("episodes", []) == []


@requirement("v3:batch.list")
def test_batches_are_listed_in_pages_by_status(zep3: Zep) -> None:
    """Walking the drafts meets the new ones once each and no batch of another status."""
    mine = {zep3.batch.create()["batch_id"] for _ in range(2)}
    seen: list[str] = []
    more: dict[str, int] = {}
    for _ in range(50):
        page = zep3.batch.list(status="draft", limit=3, **more)
        assert {batch["status"] for batch in page.get("batches", [])} <= {"draft"}
        seen += [batch["batch_id"] for batch in page.get("batches", [])]
        if "next_cursor" not in page:
            break
        more = {"cursor": page["next_cursor"]}
    assert len(seen) == len(set(seen))
    assert mine <= set(seen)


@requirement("v3:batch:ignored-roles-are-skipped", "v3:batch.list_items")
def test_items_of_ignored_roles_are_skipped(zep3: Zep) -> None:
    """They are reported as skipped, kept in the history, and the batch still succeeds."""
    thread_id = a_thread(zep3)["thread_id"]
    batch_id = zep3.batch.create(ignore_roles=["assistant"])["batch_id"]
    said = [message(thread_id, "I live in Rome."), message(thread_id, "Nice.", role="assistant")]
    zep3.batch.add(batch_id, items=said)
    zep3.batch.process(batch_id)
    assert ended(zep3, batch_id)["status"] == "succeeded"
    statuses = [item["status"] for item in zep3.batch.list_items(batch_id)["items"]]
    assert statuses == ["succeeded", "skipped"]
    skipped = zep3.batch.list_items(batch_id, status="skipped")["items"]
    assert len(skipped) == 1
    assert contents(zep3.thread.get(thread_id)["messages"]) == ["I live in Rome.", "Nice."]


@requirement("v3:batch:unknown-target-is-invalid")
def test_a_batch_for_an_unknown_target_is_invalid(py3: Zep) -> None:
    """Processing it stores nothing and leaves it invalid, so that it can be deleted."""
    batch_id = py3.batch.create()["batch_id"]
    py3.batch.add(batch_id, items=[note(unique("nothing"), "lost")])
    assert py3.batch.process(batch_id)["status"] in {"invalid", "queued", "processing"}
    assert ended(py3, batch_id)["status"] == "invalid"
    assert py3.batch.delete(batch_id)["message"]


@requirement("v3:errors:404-is-typed")
def test_an_unknown_batch_is_not_found(zep3: Zep) -> None:
    """Every call on an unknown batch raises the client's NotFoundError."""
    for call in (
        lambda: zep3.batch.get(NOBODY),
        lambda: zep3.batch.list_items(NOBODY),
        lambda: zep3.batch.process(NOBODY),
        lambda: zep3.batch.delete(NOBODY),
    ):
        with missing():
            call()
