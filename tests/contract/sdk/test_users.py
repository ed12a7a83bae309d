"""Users, as all four released clients create, read, change, list and delete them."""

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    a_session,
    a_thread,
    a_user,
    bad_request,
    eventually,
    missing,
    pages,
    processed,
    refused,
    said2,
    said3,
    unique,
)


@requirement("v2:user.add", "v2:user.get", "v3:user.add", "v3:user.get")
def test_a_user_reads_back_as_it_was_created(zep: Zep) -> None:
    """All fields given at creation come back from creation and from a later read."""
    user_id = unique("user")
    given = {
        "user_id": user_id,
        "email": f"{user_id}@example.com",
        "first_name": "Jane",
        "last_name": "Smith",
        "metadata": {"plan": "pro", "seats": 3, "beta": True},
    }
    created = zep.user.add(**given)
    found = zep.user.get(user_id)
    for answer in (created, found):
        assert {name: answer[name] for name in given} == given
        assert answer["uuid"]
        assert answer["created_at"]
    assert found["uuid"] == created["uuid"]


@requirement("v2:user.add", "v3:user.add")
def test_a_user_needs_no_more_than_an_id(zep: Zep) -> None:
    """The id alone creates a user, and absent names stay absent."""
    user_id = unique("user")
    zep.user.add(user_id=user_id)
    found = zep.user.get(user_id)
    assert found["user_id"] == user_id
    assert not found.get("first_name")
    assert not found.get("email")


@requirement("v2:user.add")
def test_a_rating_instruction_stays_with_the_user(zep2: Zep) -> None:
    """Generation 2 keeps how facts should be rated on the user."""
    instruction = typed(
        "FactRatingInstruction",
        instruction="Rate facts by poignancy.",
        examples=typed("FactRatingExamples", high="a loss", medium="a move", low="a snack"),
    )
    user = a_user(zep2, fact_rating_instruction=instruction)
    kept = zep2.user.get(user["user_id"])["fact_rating_instruction"]
    assert kept["instruction"] == "Rate facts by poignancy."
    assert kept["examples"] == {"high": "a loss", "medium": "a move", "low": "a snack"}


@requirement("v2:errors:duplicate-is-400", "v3:errors:duplicate-is-400")
def test_creating_a_user_twice_is_a_bad_request(zep: Zep) -> None:
    """A second user with the same id is refused, and the first one is untouched."""
    user = a_user(zep, first_name="First")
    with bad_request():
        zep.user.add(user_id=user["user_id"], first_name="Second")
    assert zep.user.get(user["user_id"])["first_name"] == "First"


@requirement("v2:user.update", "v3:user.update")
def test_updating_a_user_changes_only_what_is_given(zep: Zep) -> None:
    """Given fields change, the others keep their value."""
    user = a_user(zep, metadata={"plan": "free"})
    changed = zep.user.update(user["user_id"], email="new@example.com", metadata={"plan": "pro"})
    found = zep.user.get(user["user_id"])
    for answer in (changed, found):
        assert answer["email"] == "new@example.com"
        assert answer["metadata"]["plan"] == "pro"
        assert answer["first_name"] == "Jane"
        assert answer["uuid"] == user["uuid"]


@requirement("v3:user.update")
def test_an_explicit_null_clears_a_time_zone(py3: Zep) -> None:
    """A field given as null is cleared; a field left out is not."""
    user = a_user(py3, time_zone="Europe/Paris")
    assert user["time_zone"] == "Europe/Paris"
    py3.user.update(user["user_id"], first_name="June")
    assert py3.user.get(user["user_id"])["time_zone"] == "Europe/Paris"
    py3.user.update(user["user_id"], time_zone=None)
    assert "time_zone" not in py3.user.get(user["user_id"])


@requirement("v3:user.update:node-follows")
def test_renaming_a_user_renames_its_node(zep3: Zep) -> None:
    """The user's node carries the user's name of today."""
    user = a_user(zep3)
    zep3.user.update(user["user_id"], first_name="Joan", last_name="Miller")
    node = eventually(
        lambda: zep3.user.get_node(user["user_id"])["node"],
        lambda found: found["name"] == "Joan Miller",
    )
    assert node["uuid"]


@requirement(
    "v2:user.get_node",
    "v3:user.get_node",
    "v2:user.add:node-and-facts",
    "v3:user.add:node-and-facts",
)
def test_a_user_has_a_node_with_its_name_from_creation(zep: Zep) -> None:
    """No episode is needed: the node is there, named and labelled, and can be read by uuid."""
    user = a_user(zep)
    node = zep.user.get_node(user["user_id"])["node"]
    assert node["name"] == "Jane Smith"
    assert "User" in node["labels"]
    assert isinstance(node["summary"], str)
    assert zep.graph.node.get(node["uuid"])["name"] == "Jane Smith"


@requirement("v2:user.get_facts", "v2:user.add:node-and-facts")
def test_a_new_user_has_facts_about_itself(zep2: Zep) -> None:
    """The e-mail given at creation is a fact that can be read at once."""
    user = a_user(zep2)
    facts = zep2.user.get_facts(user["user_id"])["facts"]
    assert any(user["email"] in fact["fact"] for fact in facts)
    assert all(fact["uuid"] and fact["content"] and fact["created_at"] for fact in facts)


@requirement("v2:user.list_ordered", "v3:user.list_ordered")
def test_walking_the_pages_of_users_finds_each_once(zep: Zep) -> None:
    """Pages do not overlap, the counts are right, and every user is on one of them."""
    mine = {a_user(zep)["user_id"] for _ in range(3)}

    def read(number: int) -> dict:
        page = zep.user.list_ordered(page_number=number, page_size=40)
        assert page["row_count"] == len(page["users"])
        totals.add(page["total_count"])
        return page

    totals: set[int] = set()
    seen = [user["user_id"] for page in pages(read, "users", 40) for user in page]
    assert len(seen) == len(set(seen))
    assert mine <= set(seen)
    assert totals == {len(seen)}


@requirement("v3:user.list_ordered")
def test_users_are_found_by_search_words_in_order(zep3: Zep) -> None:
    """Generation 3 narrows by words and sorts by a field and a direction."""
    family = unique("family")
    made = [a_user(zep3, user_id=f"{family}-{number}")["user_id"] for number in range(3)]
    for ascending, expected in ((True, made), (False, made[::-1])):
        page = zep3.user.list_ordered(
            page_number=1, page_size=10, search=family, order_by="created_at", asc=ascending
        )
        assert [user["user_id"] for user in page["users"]] == expected
        assert page["total_count"] == 3


@requirement("v2:user.get_sessions")
def test_the_sessions_of_a_user_are_listed(zep2: Zep) -> None:
    """All sessions of the user, none of another."""
    user = a_user(zep2)
    mine = {a_session(zep2, user_id=user["user_id"])["session_id"] for _ in range(2)}
    a_session(zep2)
    listed = zep2.user.get_sessions(user["user_id"])
    assert {session["session_id"] for session in listed} == mine
    assert {session["user_id"] for session in listed} == {user["user_id"]}


@requirement("v3:user.get_threads")
def test_the_threads_of_a_user_are_listed(zep3: Zep) -> None:
    """All threads of the user, none of another."""
    user = a_user(zep3)
    mine = {a_thread(zep3, user_id=user["user_id"])["thread_id"] for _ in range(2)}
    a_thread(zep3)
    listed = zep3.user.get_threads(user["user_id"])
    assert {thread["thread_id"] for thread in listed} == mine
    assert {thread["user_id"] for thread in listed} == {user["user_id"]}


@requirement("v3:user.warm")
def test_warming_a_user_is_acknowledged(zep3: Zep) -> None:
    """The hint is answered for a known user and refused for an unknown one."""
    user = a_user(zep3)
    assert zep3.user.warm(user["user_id"])["message"]
    with missing():
        zep3.user.warm(unique("nobody"))


@requirement("v2:user.delete", "v2:user.delete:cascades")
def test_deleting_a_user_takes_its_sessions_and_graph(zep2: Zep) -> None:
    """Sessions, messages, node and episodes go with the user."""
    session = a_session(zep2)
    user_id = session["user_id"]
    zep2.memory.add(session["session_id"], messages=[said2("I moved to Oslo.")])
    node = zep2.user.get_node(user_id)["node"]
    episode = zep2.graph.add(user_id=user_id, type="text", data="Jane moved.")
    assert zep2.user.delete(user_id)["message"]
    for read in (
        lambda: zep2.user.get(user_id),
        lambda: zep2.user.get_node(user_id),
        lambda: zep2.memory.get_session(session["session_id"]),
        lambda: zep2.graph.node.get(node["uuid"]),
    ):
        with missing():
            read()
    with refused(404):
        zep2.graph.episode.get(episode["uuid"])


@requirement("v3:user.delete", "v3:user.delete:cascades")
def test_deleting_a_user_takes_its_threads_and_graph(zep3: Zep) -> None:
    """Threads, messages, node, edges and processed episodes go with the user."""
    thread = a_thread(zep3)
    user_id = thread["user_id"]
    zep3.thread.add_messages(thread["thread_id"], messages=[said3("I moved to Oslo.")])
    episode = zep3.graph.add(user_id=user_id, type="text", data="Jane moved.")
    processed(zep3, episode["uuid"])
    node = zep3.user.get_node(user_id)["node"]
    edge = zep3.graph.edge.get_by_user_id(user_id)[0]
    assert zep3.user.delete(user_id)["message"]
    for read in (
        lambda: zep3.user.get(user_id),
        lambda: zep3.thread.get(thread["thread_id"]),
        lambda: zep3.graph.node.get(node["uuid"]),
        lambda: zep3.graph.edge.get(edge["uuid"]),
    ):
        with missing():
            read()
    with refused(404):
        zep3.graph.episode.get(episode["uuid"])


@requirement("v2:user.delete", "v3:user.delete")
def test_an_id_is_free_again_after_its_user_is_deleted(zep: Zep) -> None:
    """A user made anew under an old id starts clean."""
    user = a_user(zep, metadata={"old": True})
    zep.user.delete(user["user_id"])
    again = zep.user.add(user_id=user["user_id"])
    assert again["uuid"] != user["uuid"]
    assert not again.get("metadata")


@requirement("v2:errors:404-is-typed", "v3:errors:404-is-typed")
def test_an_unknown_user_is_not_found(zep: Zep) -> None:
    """Reading, changing and deleting an unknown user raise the client's NotFoundError."""
    nobody = unique("nobody")
    for call in (
        lambda: zep.user.get(nobody),
        lambda: zep.user.update(nobody, first_name="X"),
        lambda: zep.user.delete(nobody),
        lambda: zep.user.get_node(nobody),
    ):
        with missing():
            call()
