"""Searching sessions and collections with the clients of generation 2."""

from typing import Any

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    a_session,
    a_user,
    bad_request,
    eventually,
    missing,
    refused,
    said2,
    unique,
)

SHELVES = "My bookshelf of oak stands in the hall."
CELLO = "Every Thursday I practise the cello with Bruno."


def two_sessions(zep2: Zep) -> tuple[str, str, str]:
    """A user with a session about furniture and one about music; waits until both were read."""
    user_id = a_user(zep2)["user_id"]
    furniture, music = (a_session(zep2, user_id=user_id)["session_id"] for _ in range(2))
    zep2.memory.add(furniture, messages=[said2(SHELVES, metadata={"topic": "home"})])
    zep2.memory.add(music, messages=[said2(CELLO, metadata={"topic": "music"})])
    eventually(
        lambda: results(zep2, text="bookshelf cello", user_id=user_id),
        lambda found: len(found) == 2,
    )
    return user_id, furniture, music


def results(zep2: Zep, **asked: Any) -> list[dict[str, Any]]:
    """What a search over sessions finds."""
    found: list[dict[str, Any]] = zep2.memory.search_sessions(**asked).get("results") or []
    return found


@requirement("v2:memory.search_sessions")
def test_messages_are_found_over_the_sessions_of_a_user(zep2: Zep) -> None:
    """Each hit names its session and has a score; sessions, metadata and a limit narrow."""
    user_id, furniture, music = two_sessions(zep2)
    best = results(zep2, text="who plays the cello?", user_id=user_id)[0]
    assert best["session_id"] == music
    assert best["message"]["content"] == CELLO
    assert best["score"] is not None
    only = results(zep2, text="cello", session_ids=[furniture])
    assert [hit["session_id"] for hit in only] == [furniture] * len(only)
    narrowed = {"text": "cello", "user_id": user_id, "record_filter": {"topic": "home"}}
    assert all(hit["message"]["content"] == SHELVES for hit in results(zep2, **narrowed))
    assert len(results(zep2, text="cello bookshelf", user_id=user_id, limit=1)) == 1


@requirement("v2:memory.search_sessions")
def test_facts_are_found_with_the_session_that_told_them(zep2: Zep) -> None:
    """A fact that was added to a session is found in it and in no other."""
    _, furniture, music = two_sessions(zep2)
    zep2.memory.add_session_facts(music, facts=[typed("NewFact", fact="Bruno owns a viola.")])
    asked = {"text": "Bruno's viola", "search_scope": "facts"}

    def told(session_id: str) -> list[str]:
        found = results(zep2, session_ids=[session_id], **asked)
        return [hit["fact"]["fact"] for hit in found]

    eventually(lambda: told(music), lambda facts: "Bruno owns a viola." in facts)
    assert "Bruno owns a viola." not in told(furniture)


@requirement("v2:memory.search_sessions")
def test_a_search_over_sessions_needs_a_user_or_sessions(zep2: Zep) -> None:
    """What is missing is named; one that is not there is 404."""
    with refused(400) as raised:
        zep2.memory.search_sessions(text="tea")
    assert "user_id" in str(raised.value.body)
    with refused(404):
        zep2.memory.search_sessions(text="tea", user_id=unique("nobody"))


@requirement("v2:memory.search")
def test_one_session_is_searched_by_itself(zep2: Zep) -> None:
    """Its messages with their metadata and scores, whatever the user's other sessions say."""
    _, furniture, music = two_sessions(zep2)
    found = zep2.memory.search(music, text="instrument practice", search_scope="messages")
    assert [hit["message"]["content"] for hit in found] == [CELLO]
    assert found[0]["metadata"] == {"topic": "music"}
    assert found[0]["score"] is not None
    varied = zep2.memory.search(
        furniture,
        text="oak",
        search_type="mmr",
        mmr_lambda=0.5,
        limit=3,
        metadata={"topic": "home"},
    )
    assert [hit["message"]["content"] for hit in varied] == [SHELVES]
    with missing():
        zep2.memory.search(unique("nobody"), text="tea")


@requirement("v2:document.search")
def test_a_collection_is_searched_by_words_meaning_and_metadata(zep2: Zep) -> None:
    """Hits have scores that fall; the answer is one page."""
    name = unique("collection").replace("-", "")
    zep2.document.add_collection(name)
    texts = {"tea": "Green tea is brewed at eighty degrees.", "oak": "Oak is a hard wood."}
    documents = [
        typed("CreateDocumentRequest", content=text, document_id=key, metadata={"key": key})
        for key, text in texts.items()
    ]
    zep2.document.add_documents(name, request=documents)
    found = zep2.document.search(name, text="how hot must the water be", limit=5)
    assert found["results"][0]["document_id"] == "tea"
    assert found["results"][0]["content"] == texts["tea"]
    assert 0 < found["results"][0]["score"] <= 1
    assert found["result_count"] == len(found["results"])
    assert (found["current_page"], found["total_pages"]) == (1, 1)
    listed = zep2.document.search(name, metadata={"key": "oak"})
    assert [hit["document_id"] for hit in listed["results"]] == ["oak"]
    varied = zep2.document.search(
        name, text="wood", search_type="mmr", mmr_lambda=0.7, min_score=0.1
    )
    assert varied["results"][0]["document_id"] == "oak"
    with bad_request():
        zep2.document.search(name)
