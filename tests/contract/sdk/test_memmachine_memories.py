"""Episodes of the MemMachine client: what is added, listed and deleted."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from tests.contract.sdk.memmachine import MemMachine, Place, listed, moment, raises, spoken, told
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import NOBODY, instant
from tests.support.server import Server

EPISODIC = {"memory_types": ["episodic"]}


def only(place: Place, **metadata: str) -> dict[str, Any]:
    """The one episode of a project."""
    (episode,) = place.memory(**metadata).list()["content"]["episodic_memory"]
    found: dict[str, Any] = episode
    return found


@requirement("mm:memory.add", "mm:memory.add:uids", "mm:memory.list")
def test_what_is_added_is_listed_under_the_id_that_was_answered(place: Place) -> None:
    """Each message has a uuid of its own, and is there at once."""
    uids = place.said("Hello.", "Hello.", **EPISODIC)
    assert [str(UUID(uid)) for uid in uids] == uids
    assert len(set(uids)) == 2
    page = place.memory().list()["content"]["episodic_memory"]
    assert [episode["uid"] for episode in page] == uids


@requirement("mm:memory.add:uids")
def test_several_messages_get_their_ids_in_order(place: Place, http: httpx.Client) -> None:
    """One request with many messages answers one id for each."""
    lines = [f"Line {number}." for number in range(20)]
    body = {
        "org_id": place.org_id,
        "project_id": place.project_id,
        "types": ["episodic"],
        "messages": [{"content": line} for line in lines],
    }
    answer = http.post("memories", json=body)
    assert answer.status_code == 200, answer.text
    said = {
        episode["uid"]: episode["content"]
        for episode in place.memory().list()["content"]["episodic_memory"]
    }
    assert [said[result["uid"]] for result in answer.json()["results"]] == lines


@requirement("mm:memory.add:creates")
def test_adding_makes_the_project(place: Place) -> None:
    """No project has to be made first."""
    place.said("Hello.", **EPISODIC)
    found = place.mm.client.get_project(place.org_id, place.project_id)
    assert (found["org_id"], found["project_id"]) == (place.org_id, place.project_id)


@requirement("mm:memory.add:fields", "mm:memory.list:session-key", "mm:memory.add:episode-type")
def test_every_field_of_a_message_comes_back(place: Place) -> None:
    """From the list and from a search, each under the name it has there."""
    (added,) = place.memory(user_id="u1").add(
        "It is done.",
        role="assistant",
        producer="bot",
        produced_for="u1",
        episode_type={"$type": "EpisodeType", "value": "message"},
        timestamp=moment("2024-01-02T03:04:05+00:00"),
        metadata={"k": "v"},
        **EPISODIC,
    )
    metadata = {"user_id": "u1", "k": "v", "episode_type": "message"}
    shared = {
        "uid": added["uid"],
        "content": "It is done.",
        "producer_id": "bot",
        "producer_role": "assistant",
        "produced_for_id": "u1",
        "episode_type": "message",
        "metadata": metadata,
    }
    found = only(place)
    assert {name: found[name] for name in shared} == shared
    assert found["session_key"] == f"{place.org_id}/{place.project_id}"
    assert found["content_type"] == "string"
    assert found["filterable_metadata"] == metadata
    assert instant(found["created_at"]) == datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
    both = place.memory().search("done")["content"]["episodic_memory"]
    (seen,) = both["short_term_memory"]["episodes"]
    assert {name: seen[name] for name in shared} == shared
    assert instant(seen["created_at"]) == instant(found["created_at"])


@requirement("mm:memory.add:defaults")
def test_what_is_left_out_has_a_default(place: Place) -> None:
    """The producer is `user`, there is no role and no addressee, and the time is now."""
    before = datetime.now(UTC)
    place.said("Hello.", **EPISODIC)
    found = only(place)
    assert (found["producer_id"], found["producer_role"]) == ("user", "")
    assert not found["produced_for_id"]
    assert found["episode_type"] == "message"
    assert not found["metadata"]
    assert (
        before - timedelta(seconds=5)
        < instant(found["created_at"])
        < before + timedelta(seconds=60)
    )


@requirement("mm:memory.add:zoned")
@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("2024-01-02T03:04:05", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2024-01-02T03:04:05+02:00", datetime(2024, 1, 2, 1, 4, 5, tzinfo=UTC)),
        ("2024-01-02T03:04:05.678901", datetime(2024, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)),
        ("1960-01-01T00:00:00", datetime(1960, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_time_without_a_zone_is_utc(place: Place, sent: str, meant: datetime) -> None:
    """The client sends it as it is; the answer always names its zone."""
    place.memory().add("Then.", timestamp=moment(sent), **EPISODIC)
    assert instant(only(place)["created_at"]) == meant


@requirement("mm:memory.add:timestamps")
@pytest.mark.parametrize(
    "sent",
    [
        1704164645,
        1704164645.0,
        1704164645000,
        "2024-01-02T03:04:05Z",
        "2024-01-02T03:04:05",
        "2024-01-02 03:04:05+00:00",
        "2024-01-02T05:04:05+02:00",
        "20240102T030405Z",
    ],
)
def test_every_form_of_a_time_is_the_same_point(
    place: Place, http: httpx.Client, sent: object
) -> None:
    """Seconds, milliseconds and ISO 8601 with and without a zone."""
    said = {"content": "Then.", "timestamp": sent}
    answer = http.post("memories", json=add_body(place, said))
    assert answer.status_code == 200, answer.text
    assert instant(only(place)["created_at"]) == datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)


def add_body(place: Place, *messages: Any, **more: Any) -> dict[str, Any]:
    """A request to add messages that learns nothing from them."""
    named = {"org_id": place.org_id, "project_id": place.project_id}
    return {**named, "types": ["episodic"], "messages": list(messages), **more}


@requirement("mm:memory.add:timestamps", "mm:memory.add:refusals", "mm:errors:names-field")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("timestamp", "yesterday"),
        ("timestamp", "2024-13-01T00:00:00Z"),
        ("timestamp", 1e300),
        ("timestamp", [2024]),
        ("content", ""),
        ("content", None),
        ("content", 7),
        ("metadata", {"_session": "x"}),
        ("metadata", "text"),
        ("episode_type", "dream"),
        ("role", 7),
        ("role", "narrator"),
        ("producer", ["x"]),
    ],
)
def test_a_message_that_cannot_be_stored_stores_nothing(
    place: Place, http: httpx.Client, field: str, value: object
) -> None:
    """It is 422 with the field, and the good message beside it is not stored either."""
    bad = {"content": "Bad.", field: value}
    answer = http.post("memories", json=add_body(place, {"content": "Good."}, bad))
    assert answer.status_code == 422, answer.text
    assert field in answer.json()["detail"]["message"]
    with told(404):
        place.mm.client.get_project(place.org_id, place.project_id)


@requirement("mm:memory.add:refusals")
@pytest.mark.parametrize(
    "more", [{"messages": []}, {"messages": None}, {"types": ["procedural"]}, {"types": "episodic"}]
)
def test_a_call_without_messages_or_of_an_unknown_memory_is_refused(
    place: Place, http: httpx.Client, more: dict[str, Any]
) -> None:
    """At least one message, for a memory that there is."""
    answer = http.post("memories", json={**add_body(place, {"content": "Hi."}), **more})
    assert answer.status_code == 422, answer.text
    assert next(iter(more)) in answer.json()["detail"]["message"]


@requirement("mm:memory.add:roles")
@pytest.mark.parametrize("role", ["user", "assistant", "system", "tool", "function", ""])
def test_a_role_is_kept_as_it_is(place: Place, role: str) -> None:
    """Every known one, and none at all."""
    place.memory().add("Once upon a time.", role=role, **EPISODIC)
    assert only(place)["producer_role"] == role


@requirement("mm:memory.add:metadata")
def test_metadata_of_the_memory_and_of_the_message_are_merged(place: Place) -> None:
    """What the message says wins."""
    memory = place.memory(user_id="u1", session_id="s1")
    memory.add("Hello.", metadata={"session_id": "s2", "mood": "good"}, **EPISODIC)
    wanted = {"user_id": "u1", "session_id": "s2", "mood": "good"}
    assert only(place)["metadata"] == wanted


@requirement("mm:memory.add:metadata")
def test_metadata_of_any_shape_come_back(place: Place, http: httpx.Client) -> None:
    """Values that cannot be filtered by are kept as well, and told apart."""
    plain = {"n": 1, "ratio": 0.25, "yes": True, "ünï": "é", "with space": "x"}
    deep = {"list": [1, {"a": None}], "map": {"b": [2]}, "none": None}
    said = {"content": "Much.", "metadata": {**plain, **deep}}
    assert http.post("memories", json=add_body(place, said)).status_code == 200
    found = only(place)
    assert found["metadata"] == {**plain, **deep}
    assert found["filterable_metadata"] == plain


@requirement("mm:memory.add:types")
def test_a_message_for_features_alone_is_not_in_the_episodic_memory(place: Place) -> None:
    """It is counted and listed, since it is kept, but neither in the window nor recalled."""
    place.memory().add("Semantic only.", memory_types=["semantic"])
    place.memory().add("Episodic only.", memory_types=["episodic"])
    both = place.memory().search("only")["content"]["episodic_memory"]
    assert spoken(both["short_term_memory"]["episodes"]) == ["Episodic only."]
    assert spoken(both["long_term_memory"]["episodes"]) == []


@requirement("mm:memory.list:pages")
def test_pages_are_in_the_order_of_time_without_gaps(place: Place) -> None:
    """From page 0 on, whatever order the messages came in."""
    order = [3, 0, 6, 1, 5, 2, 4]
    memory = place.memory()
    for number in order:
        at = f"2024-01-0{number + 1}T00:00:00"
        memory.add(f"Day {number}.", timestamp=moment(at), **EPISODIC)
    pages = [listed(place, page_size=3, page_num=number) for number in range(4)]
    assert [len(page) for page in pages] == [3, 3, 1, 0]
    assert [line for page in pages for line in page] == [
        f"Day {number}." for number in sorted(order)
    ]


@requirement("mm:memory.list:pages", "mm:errors:names-field")
@pytest.mark.parametrize(
    ("field", "value"), [("page_size", 0), ("page_size", -1), ("page_num", -1), ("page_size", "x")]
)
def test_a_page_that_cannot_be_is_refused(
    place: Place, http: httpx.Client, field: str, value: object
) -> None:
    """Sizes begin at one and numbers at none."""
    named = {"org_id": place.org_id, "project_id": place.project_id}
    answer = http.post("memories/list", json={**named, field: value})
    assert answer.status_code == 422, answer.text
    assert field in answer.json()["detail"]["message"]


@requirement("mm:memory.list:type")
def test_a_list_holds_the_memory_that_was_asked_for(place: Place) -> None:
    """The other one is null, not empty."""
    place.said("Hello.", **EPISODIC)
    episodes = place.memory().list(memory_type="episodic")["content"]
    assert len(episodes["episodic_memory"]) == 1
    assert episodes["semantic_memory"] is None
    features = place.memory().list(memory_type="semantic")["content"]
    assert features == {"episodic_memory": None, "semantic_memory": []}


@requirement("mm:memory.delete_episodic", "mm:memory.delete_episodic:several")
def test_episodes_are_deleted_by_id(place: Place) -> None:
    """One id, several ids, and both at once."""
    uids = place.said(*"ABCDEF", **EPISODIC)
    memory = place.memory()
    assert memory.delete_episodic(uids[0]) is True
    assert listed(place) == [*"BCDEF"]
    memory.delete_episodic(episodic_ids=uids[1:3])
    assert listed(place) == [*"DEF"]
    memory.delete_episodic(uids[3], [uids[3], uids[4]])
    assert listed(place) == ["F"]
    assert place.project.get_episode_count() == 1


@requirement("mm:memory.delete_episodic:gone")
def test_a_deleted_episode_is_found_in_no_memory(place: Place) -> None:
    """Neither in the window nor by a search, and not by its id."""
    uids = place.said("The harbour is closed.", "The library is open.", **EPISODIC)
    place.memory().delete_episodic(uids[0])
    both = place.memory().search("harbour")["content"]["episodic_memory"]
    assert spoken(both["short_term_memory"]["episodes"]) == ["The library is open."]
    assert spoken(both["long_term_memory"]["episodes"]) == []
    with told(404):
        place.memory().delete_episodic(uids[0])


@requirement("mm:memory.delete_episodic:refusals")
def test_a_deletion_of_what_is_not_there_deletes_nothing(place: Place) -> None:
    """An unknown id is 404, and the known one beside it stays."""
    (uid,) = place.said("Hello.", **EPISODIC)
    with told(404):
        place.memory().delete_episodic(NOBODY)
    with told(404):
        place.memory().delete_episodic(episodic_ids=[uid, NOBODY])
    other = Place(place.mm)
    other.said("Elsewhere.", **EPISODIC)
    with told(404):
        other.memory().delete_episodic(uid)
    assert listed(place) == ["Hello."]


@requirement("mm:memory.delete_episodic:refusals")
def test_a_deletion_without_an_id_is_refused(place: Place, http: httpx.Client) -> None:
    """The client does not send it; whoever does is told so and nothing is deleted."""
    place.said("Hello.", **EPISODIC)
    with raises("ValidationError"):
        place.memory().delete_episodic()
    named = {"org_id": place.org_id, "project_id": place.project_id}
    for body in (named, {**named, "episodic_ids": []}, {**named, "episodic_id": "x"}):
        answer = http.post("memories/episodic/delete", json=body)
        assert answer.status_code == 422, answer.text
        assert "episodic_id" in answer.json()["detail"]["message"]
    assert listed(place) == ["Hello."]


@requirement("mm:memory.add:durable", "mm:short-term:restart")
def test_what_was_answered_is_there_after_a_crash(mm: MemMachine, tmp_path: Path) -> None:
    """Lists and the window are the same after the process was killed and started again."""
    with Server(tmp_path / "data") as server:
        place = Place(MemMachine(mm.driver, server.url, server.api_key))
        lines = [f"Line {number}." for number in range(8)]
        for line in lines:
            place.memory(user_id="u1").add(line)
        before = place.memory().list()
        window = place.memory().search("Line", limit=5)
        server.kill()
        server.start()
        assert spoken(before["content"]["episodic_memory"]) == lines
        assert place.memory().list() == before
        after = place.memory().search("Line", limit=5)["content"]["episodic_memory"]
        expected = window["content"]["episodic_memory"]
        assert after["short_term_memory"] == expected["short_term_memory"]
