"""Observations and summaries, as clients of generation 3 read them."""

from typing import Any

import pytest

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    NOBODY,
    a_graph,
    a_thread,
    a_user,
    bad_request,
    cursor_pages,
    eventually,
    instant,
    missing,
    processed,
    said3,
    unique,
    uuids,
)

LIKES = ("I love jazz.", "I love green tea.", "I love Beethoven.")


def talked(zep3: Zep, thread_id: str, *contents: str) -> list[str]:
    """Say something in a thread and wait until it was processed."""
    answer = zep3.thread.add_messages(thread_id, messages=[said3(text) for text in contents])
    added: list[str] = answer["message_uuids"]
    for uuid in added:
        processed(zep3, uuid)
    return added


def a_talk(zep3: Zep) -> dict[str, Any]:
    """A thread of a new user in which three tastes were told."""
    thread = a_thread(zep3)
    thread["messages"] = talked(zep3, thread["thread_id"], *LIKES)
    return thread


@requirement("v3:thread.get_summary", "v3:thread.get_summary:none-yet")
def test_a_thread_has_a_summary_once_a_message_was_processed(zep3: Zep) -> None:
    """404 before; then what was said, with both marks of how far it was read."""
    thread_id = a_thread(zep3)["thread_id"]
    with missing():
        zep3.thread.get_summary(thread_id)
    talked(zep3, thread_id, *LIKES)
    found = zep3.thread.get_summary(thread_id)
    assert found["thread_id"] == thread_id
    for word in ("jazz", "green tea", "Beethoven"):
        assert word in found["summary"]
    for mark in ("created_at", "last_summarized_at", "last_summarized_episode_valid_at"):
        assert instant(found[mark])
    with missing():
        zep3.thread.get_summary(unique("nobody"))


@requirement("v3:graph.thread_summary.get_by_user_id")
def test_the_thread_summaries_of_a_user_are_listed_in_pages(zep3: Zep) -> None:
    """One for each thread that was talked in; the header leads to the next page."""
    user_id = a_user(zep3)["user_id"]
    talked_in = set()
    for _ in range(3):
        thread = a_thread(zep3, user_id=user_id)
        talked(zep3, thread["thread_id"], LIKES[0])
        talked_in.add(thread["thread_id"])
    a_thread(zep3, user_id=user_id)

    def read(**page: Any) -> Any:
        return zep3.raw.graph.thread_summary.get_by_user_id(user_id, **page)

    found = [item for page in cursor_pages(read, 2) for item in page]
    assert {item["thread_id"] for item in found} == talked_in
    assert len(found) == 3
    last = uuids(zep3.graph.thread_summary.get_by_user_id(user_id, limit=1))
    rest = zep3.graph.thread_summary.get_by_user_id(user_id, uuid_cursor=last[0])
    assert len(rest) == 2


@requirement("v3:graph.thread_summary.get_by_graph_id", "v3:graph.observation.get_by_graph_id")
def test_a_standalone_graph_has_no_threads_and_observations_of_its_own(zep3: Zep) -> None:
    """Lists are bare arrays."""
    graph_id = a_graph(zep3)["graph_id"]
    assert zep3.graph.thread_summary.get_by_graph_id(graph_id) == []
    assert zep3.graph.observation.get_by_graph_id(graph_id) == []
    for text in ("Ann visited Oslo.", "Ann visited Bergen.", "Ann visited Rome."):
        zep3.graph.add(graph_id=graph_id, type="text", data=text)
    (found,) = eventually(
        lambda: zep3.graph.observation.get_by_graph_id(graph_id, limit=5), lambda items: bool(items)
    )
    assert found["summary"].startswith("Ann visited Oslo, Bergen and Rome (3 in all")
    with missing():
        zep3.graph.observation.get_by_graph_id(unique("nobody"))


@requirement("v3:graph.document_summary.get_by_graph_id")
def test_documents_of_a_graph_have_summaries(zep3: Zep) -> None:
    """One for each id."""
    graph_id = a_graph(zep3)["graph_id"]
    for name, text in (
        ("d1", "Ann works at Acme."),
        ("d1", "Ann lives in Oslo."),
        ("d2", "Bo sings."),
    ):
        episode = zep3.graph.add(graph_id=graph_id, type="text", data=text, document_id=name)
        processed(zep3, episode["uuid"])
    found = zep3.graph.document_summary.get_by_graph_id(graph_id)
    assert {item["document_id"]: item["summary"] for item in found} == {
        "d1": "Ann works at Acme. Ann lives in Oslo.",
        "d2": "Bo sings.",
    }


@requirement(
    "v3:graph.observation.get_by_user_id",
    "v3:graph.observation.get",
    "v3:graph.observation:evidence",
)
def test_an_observation_names_what_it_rests_on(zep3: Zep) -> None:
    """Its episodes and its edges are there to be read, and it reads alike by its uuid."""
    thread = a_talk(zep3)
    (found,) = zep3.graph.observation.get_by_user_id(thread["user_id"])
    assert zep3.graph.observation.get(found["uuid"]) == found
    assert sorted(found["episode_ids"]) == sorted(thread["messages"])
    assert found["labels"] == ["Observation", "generic"]
    assert "jazz" in found["summary"]
    for edge in found["attributes"]["fact_uuids"]:
        assert zep3.graph.edge.get(edge)["fact"]
    for mark in ("created_at", "start_at", "latest_evidence_at"):
        assert instant(found[mark])
    assert found.get("end_at") is None
    with missing():
        zep3.graph.observation.get(NOBODY)


@requirement("v3:graph.observation:follow-deletion")
def test_what_is_deleted_is_in_no_summary(zep3: Zep) -> None:
    """Neither in observations nor in the summary of the thread."""
    thread = a_talk(zep3)
    (before,) = zep3.graph.observation.get_by_user_id(thread["user_id"])
    zep3.graph.episode.delete(thread["messages"][0])
    after = zep3.graph.observation.get(before["uuid"])
    assert "jazz" not in after["summary"]
    assert instant(after["end_at"])
    assert "jazz" not in zep3.thread.get_summary(thread["thread_id"])["summary"]


@requirement("v3:graph.observation:filters")
@pytest.mark.parametrize("noun", ["observation", "thread_summary"])
def test_lists_are_narrowed_by_dates_and_episodes(zep3: Zep, noun: str) -> None:
    """A field that means nothing is refused, not passed over."""
    thread = a_talk(zep3)
    read = getattr(zep3.graph, noun).get_by_user_id
    user_id = thread["user_id"]
    past = [[{"comparison_operator": "<", "date": "2020-01-01T00:00:00Z"}]]
    future = [[{"comparison_operator": ">", "date": "2020-01-01T00:00:00Z"}]]
    assert read(user_id, filters={"created_at": past}) == []
    assert len(read(user_id, filters={"created_at": future})) == 1
    assert len(read(user_id, filters={"episode_uuids": thread["messages"][:1]})) == 1
    assert read(user_id, filters={"episode_uuids": [NOBODY]}) == []
    with bad_request():
        read(user_id, order_by="colour")
