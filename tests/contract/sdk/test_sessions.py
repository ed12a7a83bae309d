"""Sessions of generation 2: open, list, change, end, delete."""

import json
from typing import Any

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    a_session,
    a_user,
    bad_request,
    contents,
    eventually,
    instant,
    missing,
    pages,
    refused,
    said2,
    unique,
)


@requirement("v2:memory.add_session", "v2:memory.get_session")
def test_a_session_reads_back_as_it_was_opened(zep2: Zep) -> None:
    """Owner and metadata come back from creation and from a later read."""
    user = a_user(zep2)
    session_id = unique("session")
    created = zep2.memory.add_session(
        session_id=session_id, user_id=user["user_id"], metadata={"topic": "travel"}
    )
    found = zep2.memory.get_session(session_id)
    for answer in (created, found):
        assert answer["session_id"] == session_id
        assert answer["user_id"] == user["user_id"]
        assert answer["metadata"] == {"topic": "travel"}
        assert answer["created_at"]
    assert found["uuid"] == created["uuid"]


@requirement("v2:memory.add_session", "v2:errors:400-is-typed", "v2:errors:duplicate-is-400")
def test_a_session_is_refused_twice_and_without_its_user(zep2: Zep) -> None:
    """A duplicate id is the client's BadRequestError; an unknown user is told by status."""
    session = a_session(zep2)
    with bad_request():
        zep2.memory.add_session(session_id=session["session_id"], user_id=session["user_id"])
    with refused(404):
        zep2.memory.add_session(session_id=unique("session"), user_id=unique("nobody"))


@requirement("v2:memory.update_session")
def test_updating_a_session_changes_its_metadata(zep2: Zep) -> None:
    """The new value is in the answer and in a later read."""
    session = a_session(zep2, metadata={"topic": "travel"})
    changed = zep2.memory.update_session(session["session_id"], metadata={"topic": "food"})
    assert changed["metadata"]["topic"] == "food"
    assert zep2.memory.get_session(session["session_id"])["metadata"]["topic"] == "food"
    with missing():
        zep2.memory.update_session(unique("nothing"), metadata={"topic": "food"})


@requirement("v2:memory.list_sessions")
def test_walking_the_pages_of_sessions_finds_each_once(zep2: Zep) -> None:
    """Pages do not overlap, the counts are right, and every session is on one of them."""
    mine = {a_session(zep2)["session_id"] for _ in range(2)}

    def read(number: int) -> dict:
        page = zep2.memory.list_sessions(page_number=number, page_size=40)
        assert page["response_count"] == len(page["sessions"])
        totals.add(page["total_count"])
        return page

    totals: set[int] = set()
    seen = [session["session_id"] for page in pages(read, "sessions", 40) for session in page]
    assert len(seen) == len(set(seen))
    assert mine <= set(seen)
    assert totals == {len(seen)}


@requirement("v2:memory.list_sessions:order")
def test_sessions_are_listed_in_the_order_asked_for(zep2: Zep) -> None:
    """Newest first shows the last ones opened; ascending ids rise."""
    user = a_user(zep2)
    made = [a_session(zep2, user_id=user["user_id"])["session_id"] for _ in range(3)]
    newest = zep2.memory.list_sessions(page_number=1, page_size=3, order_by="created_at", asc=False)
    assert [session["session_id"] for session in newest["sessions"]] == made[::-1]
    named = zep2.memory.list_sessions(page_number=1, page_size=30, order_by="session_id", asc=True)
    ids = [session["session_id"] for session in named["sessions"]]
    assert ids == sorted(ids)


@requirement("v2:memory.end_session")
def test_ending_a_session_stamps_the_time(zep2: Zep) -> None:
    """The answer holds the session with its end, and a later read has it too."""
    session = a_session(zep2)
    ended = zep2.memory.end_session(session["session_id"])["session"]
    assert ended["session_id"] == session["session_id"]
    assert instant(ended["ended_at"]) >= instant(session["created_at"])
    found = zep2.memory.get_session(session["session_id"])
    assert instant(found["ended_at"]) == instant(ended["ended_at"])
    with missing():
        zep2.memory.end_session(unique("nothing"))


@requirement("v2:memory.end_sessions")
def test_several_sessions_end_at_once(zep2: Zep) -> None:
    """All named sessions come back ended."""
    made = [a_session(zep2)["session_id"] for _ in range(2)]
    ended = zep2.memory.end_sessions(session_ids=made)["sessions"]
    assert {session["session_id"] for session in ended} == set(made)
    assert all(session["ended_at"] for session in ended)


@requirement("v2:memory.delete", "v2:memory.delete:keeps-graph")
def test_deleting_a_session_keeps_its_episodes(zep2: Zep) -> None:
    """Session and messages are gone; what was learned from them is not."""
    session = a_session(zep2)
    session_id, user_id = session["session_id"], session["user_id"]
    zep2.memory.add(session_id, messages=[said2("My cat is called Mog.")])
    eventually(
        lambda: zep2.graph.episode.get_by_user_id(user_id, lastn=5)["episodes"],
        lambda episodes: any("Mog" in content for content in contents(episodes)),
    )
    assert zep2.memory.delete(session_id)["message"]
    with missing():
        zep2.memory.get_session(session_id)
    with missing():
        zep2.memory.get_session_messages(session_id)
    kept = zep2.graph.episode.get_by_user_id(user_id, lastn=5)["episodes"]
    assert any("Mog" in content for content in contents(kept))
    assert zep2.user.get_sessions(user_id) == []


@requirement("v2:errors:404-is-typed")
def test_an_unknown_session_is_not_found(zep2: Zep) -> None:
    """Every read of an unknown session raises the client's NotFoundError."""
    nothing = unique("nothing")
    for call in (
        lambda: zep2.memory.get_session(nothing),
        lambda: zep2.memory.get(nothing),
        lambda: zep2.memory.get_session_messages(nothing),
        lambda: zep2.memory.delete(nothing),
    ):
        with missing():
            call()


CLASSES = ["travel", "cooking", "software bugs"]
TRIP = [
    said2("I want to book a flight to Lisbon in June."),
    said2("Which airport do you start from?", "assistant"),
    said2("From Berlin. My email is jane@example.com. Is it warm in Lisbon in June?"),
]
SCHEMA = json.dumps(
    {
        "properties": {
            "email": {"zep_type": "ZepEmail", "description": "The e-mail address"},
            "phone": {"zep_type": "ZepPhoneNumber", "description": "The phone number"},
        }
    }
)


def a_trip(zep2: Zep) -> Any:
    """The id of a session about a trip."""
    session_id = a_session(zep2)["session_id"]
    zep2.memory.add(session_id, messages=TRIP)
    return session_id


@requirement("v2:memory.classify_session")
def test_a_session_is_put_in_the_nearest_class(zep2: Zep) -> None:
    """The class comes back under the name of the question."""
    session_id = a_trip(zep2)
    asked = {"name": "topic", "classes": CLASSES}
    found = zep2.memory.classify_session(session_id, **asked)
    assert (found["class"], found["label"]) == ("travel", "topic")
    told = zep2.memory.classify_session(
        session_id, **asked, instruction="What the person wants", last_n=2, persist=True
    )
    assert told["class"] == "travel"
    assert zep2.memory.get_session(session_id)["classifications"] == {"topic": "travel"}
    with refused(400):
        zep2.memory.classify_session(session_id, name="topic", classes=[])
    with missing():
        zep2.memory.classify_session(unique("nothing"), **asked)


@requirement("v2:memory.end_session:classifies")
def test_a_session_is_classified_as_it_ends(zep2: Zep) -> None:
    """The end and the class come in one answer."""
    classify = typed("ClassifySessionRequest", name="topic", classes=CLASSES)
    ended = zep2.memory.end_session(a_trip(zep2), classify=classify, instruction="The subject")
    assert ended["classification"]["class"] == "travel"
    assert ended["session"]["ended_at"]


@requirement("v2:memory.extract_data")
def test_fields_are_read_out_of_a_session(zep2: Zep) -> None:
    """What was said is there as text; a schema out of shape is the client's BadRequestError."""
    session_id = a_trip(zep2)
    found = zep2.memory.extract_data(
        session_id,
        last_n=10,
        model_schema=SCHEMA,
        validate=True,
        current_date_time="2024-05-01T10:00:00Z",
    )
    assert found == {"email": "jane@example.com"}
    with bad_request():
        zep2.memory.extract_data(session_id, last_n=10, model_schema="{")
    with missing():
        zep2.memory.extract_data(unique("nothing"), last_n=10, model_schema=SCHEMA)


@requirement("v2:memory.get_summaries")
def test_a_session_has_a_summary_once_something_was_said(zep2: Zep) -> None:
    """It tells what the session was about and which messages it is made of."""
    found = zep2.memory.get_summaries(a_trip(zep2))
    assert found["total_count"] == found["row_count"] == 1
    (summary,) = found["summaries"]
    assert "Lisbon" in summary["content"]
    assert len(summary["related_message_uuids"]) == len(TRIP)
    assert instant(summary["created_at"])
    assert zep2.memory.get_summaries(a_session(zep2)["session_id"])["summaries"] == []
    with missing():
        zep2.memory.get_summaries(unique("nothing"))


@requirement("v2:memory.synthesize_question")
def test_the_last_question_of_a_session_can_be_asked_for(zep2: Zep) -> None:
    """It stands by itself."""
    session_id = a_trip(zep2)
    for more in ({}, {"last_n_messages": 3}):
        question = zep2.memory.synthesize_question(session_id, **more)["question"]
        assert "Lisbon" in question
        assert question.endswith("?")
    with missing():
        zep2.memory.synthesize_question(unique("nothing"))
