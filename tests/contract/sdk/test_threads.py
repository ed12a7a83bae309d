"""Threads of generation 3, and the same conversations seen as sessions of generation 2."""

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    a_session,
    a_thread,
    a_user,
    bad_request,
    contents,
    eventually,
    missing,
    pages,
    refused,
    said2,
    said3,
    unique,
    uuids,
)


@requirement("v3:thread.create", "v3:thread.get")
def test_a_new_thread_belongs_to_its_user_and_is_empty(zep3: Zep) -> None:
    """The thread names its owner by id and uuid, and has no messages."""
    user = a_user(zep3)
    thread_id = unique("thread")
    thread = zep3.thread.create(thread_id=thread_id, user_id=user["user_id"])
    assert thread["thread_id"] == thread_id
    assert thread["user_id"] == user["user_id"]
    assert thread["uuid"]
    found = zep3.thread.get(thread_id)
    assert found.get("messages", []) == []
    assert found["total_count"] == 0
    assert found["user_id"] == user["user_id"]


@requirement("v3:errors:duplicate-is-400", "v3:errors:400-is-typed")
def test_a_thread_is_refused_twice_and_without_its_user(zep3: Zep) -> None:
    """A duplicate id is the client's BadRequestError; an unknown user is told by status."""
    thread = a_thread(zep3)
    with bad_request():
        zep3.thread.create(thread_id=thread["thread_id"], user_id=thread["user_id"])
    with refused(404):
        zep3.thread.create(thread_id=unique("thread"), user_id=unique("nobody"))


@requirement("v3:thread.list_all")
def test_walking_the_pages_of_threads_finds_each_once(zep3: Zep) -> None:
    """Pages do not overlap, the counts are right, and every thread is on one of them."""
    mine = {a_thread(zep3)["thread_id"] for _ in range(2)}

    def read(number: int) -> dict:
        page = zep3.thread.list_all(page_number=number, page_size=40)
        assert page["response_count"] == len(page["threads"])
        totals.add(page["total_count"])
        return page

    totals: set[int] = set()
    seen = [thread["thread_id"] for page in pages(read, "threads", 40) for thread in page]
    assert len(seen) == len(set(seen))
    assert mine <= set(seen)
    assert totals == {len(seen)}


@requirement("v3:thread.list_all:order")
def test_threads_are_listed_in_the_order_asked_for(zep3: Zep) -> None:
    """Newest first shows the last ones opened."""
    user = a_user(zep3)
    made = [a_thread(zep3, user_id=user["user_id"])["thread_id"] for _ in range(3)]
    newest = zep3.thread.list_all(page_number=1, page_size=3, order_by="created_at", asc=False)
    assert [thread["thread_id"] for thread in newest["threads"]] == made[::-1]


@requirement("v3:thread.get_episodes")
def test_the_episodes_of_a_thread_are_its_messages(zep3: Zep) -> None:
    """Each message became an episode that names its thread."""
    thread = a_thread(zep3)
    zep3.thread.add_messages(
        thread["thread_id"], messages=[said3("I like tea."), said3("I like rain.")]
    )
    episodes = eventually(
        lambda: zep3.thread.get_episodes(thread["thread_id"])["episodes"],
        lambda found: len(found) == 2,
    )
    assert {episode["thread_id"] for episode in episodes} == {thread["thread_id"]}
    assert {episode["source"] for episode in episodes} == {"message"}
    assert any(text.endswith("I like tea.") for text in contents(episodes))
    with missing():
        zep3.thread.get_episodes(unique("nothing"))


@requirement("v3:thread.delete", "v3:thread.delete:removes-episodes")
def test_deleting_a_thread_deletes_its_episodes(zep3: Zep) -> None:
    """Messages and episodes go with the thread; the user and its node stay."""
    thread = a_thread(zep3)
    thread_id, user_id = thread["thread_id"], thread["user_id"]
    zep3.thread.add_messages(thread_id, messages=[said3("My cat is called Mog.")])
    episodes = eventually(
        lambda: zep3.thread.get_episodes(thread_id)["episodes"],
        lambda found: len(found) == 1 and bool(found[0].get("processed")),
    )
    assert zep3.thread.delete(thread_id)["message"]
    with missing():
        zep3.thread.get(thread_id)
    with refused(404):
        zep3.graph.episode.get(episodes[0]["uuid"])
    left = zep3.graph.episode.get_by_user_id(user_id, lastn=5).get("episodes", [])
    assert episodes[0]["uuid"] not in uuids(left)
    assert zep3.user.get_threads(user_id) == []
    assert zep3.user.get_node(user_id)["node"]["name"] == "Jane Smith"


@requirement("v3:thread.get_user_context", "v3:thread.get_user_context:facts-that-hold")
def test_the_context_of_a_thread_tells_what_is_known_of_its_user(zep3: Zep) -> None:
    """Even an empty thread answers a string that carries the user's facts."""
    user = a_user(zep3)
    thread = a_thread(zep3, user_id=user["user_id"])
    context = zep3.thread.get_user_context(thread["thread_id"])["context"]
    assert isinstance(context, str)
    assert user["email"] in context
    with missing():
        zep3.thread.get_user_context(unique("nothing"))


@requirement("v3:errors:404-is-typed")
def test_an_unknown_thread_is_not_found(zep3: Zep) -> None:
    """Reading and deleting an unknown thread raise the client's NotFoundError."""
    nothing = unique("nothing")
    with missing():
        zep3.thread.get(nothing)
    with missing():
        zep3.thread.delete(nothing)


@requirement("v3:errors:404-untyped")
def test_adding_to_an_unknown_thread_still_says_404(zep3: Zep) -> None:
    """Where the client has no class for 404, the status and the message are there."""
    with refused(404):
        zep3.thread.add_messages(unique("nothing"), messages=[said3("Hello?")])


@requirement("shared:session-is-thread", "shared:message-words")
def test_a_session_is_a_thread_to_the_other_generation(zep2: Zep, zep3: Zep) -> None:
    """What generation 2 wrote, generation 3 reads, with role and name in its own words."""
    session = a_session(zep2)
    session_id = session["session_id"]
    zep2.memory.add(session_id, messages=[said2("Good morning.", role="Jane Smith")])
    found = zep3.thread.get(session_id)
    assert found["user_id"] == session["user_id"]
    message = found["messages"][0]
    assert message["content"] == "Good morning."
    assert message["name"] == "Jane Smith"
    assert message["role"] == "user"
    threads = zep3.user.get_threads(session["user_id"])
    assert [thread["thread_id"] for thread in threads] == [session_id]


@requirement("shared:session-is-thread", "shared:message-words")
def test_a_thread_is_a_session_to_the_other_generation(zep2: Zep, zep3: Zep) -> None:
    """What generation 3 wrote, generation 2 reads, with role and role type in its own words."""
    thread = a_thread(zep3)
    thread_id = thread["thread_id"]
    zep3.thread.add_messages(thread_id, messages=[said3("Hello.", role="assistant", name="Ada")])
    assert zep2.memory.get_session(thread_id)["user_id"] == thread["user_id"]
    message = zep2.memory.get_session_messages(thread_id)["messages"][0]
    assert message["content"] == "Hello."
    assert message["role"] == "Ada"
    assert message["role_type"] == "assistant"


@requirement("shared:episode-fields")
def test_an_episode_names_its_conversation_in_both_vocabularies(py2: Zep, py3: Zep) -> None:
    """The shared route answers session_id and thread_id, so either client finds its word."""
    thread = a_thread(py3)
    py3.thread.add_messages(thread["thread_id"], messages=[said3("Hello.")])
    episode = eventually(
        lambda: py3.thread.get_episodes(thread["thread_id"])["episodes"], lambda found: bool(found)
    )[0]
    assert py2.graph.episode.get(episode["uuid"])["session_id"] == thread["thread_id"]
    assert py3.graph.episode.get(episode["uuid"])["thread_id"] == thread["thread_id"]
