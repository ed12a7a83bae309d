"""Users, threads and messages with the client of generation 4."""

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import NOBODY, eventually, instant, unique
from tests.contract.sdk.support_4 import a_thread4, a_user4, ended, refused4, said4, told


@requirement("v4:user.create", "v4:user.get", "v4:user.lookup", "v4:transport:conflict")
def test_a_user_is_made_and_found_by_either_id(zep4: Zep) -> None:
    """A user has the caller's id and the server's; a second one of the same id is refused."""
    id_ = unique("user")
    made = zep4.user.create(user_id=id_, email="a@example.com", metadata={"tier": "gold"})
    assert zep4.user.get(made["uuid"]) == made
    assert zep4.user.lookup(user_id=id_) == made
    assert (made["user_id"], made["metadata"]) == (id_, {"tier": "gold"})
    instant(made["created_at"])
    thread = a_thread4(zep4, made)
    assert zep4.user.lookup(thread_id=thread["thread_id"]) == made
    with refused4(409, "ConflictError", param="user_id"):
        zep4.user.create(user_id=id_, request_options={"max_retries": 0})


@requirement("v4:user.create")
def test_a_user_without_an_id_is_called_by_its_uuid(zep4: Zep) -> None:
    """Whoever gives no id can still be named in the vocabularies that need one."""
    made = zep4.user.create(first_name="Ann")
    assert made["user_id"] == made["uuid"]


@requirement("v4:user.list", "v4:transport:pages")
def test_users_are_listed_page_by_page(zep4: Zep) -> None:
    """The client follows the cursors, and the order is the one asked for."""
    word = unique("listed")
    made = [a_user4(zep4, user_id=f"{word}-{n}")["uuid"] for n in range(5)]
    first = zep4.user.list(search=word, page_size=2, order_by="user_id", order="asc")
    assert [user["uuid"] for user in first["items"]] == made[:2]
    assert first["total_size"] == 5
    every = zep4.user.list(
        search=word, page_size=2, order_by="user_id", order="asc", **{"$all": True}
    )
    assert [user["uuid"] for user in every] == made
    newest = zep4.user.list(search=word, **{"$all": True})
    assert [user["uuid"] for user in newest] == made[::-1]


@requirement("v4:user.update")
def test_a_user_is_changed_where_something_is_given(zep4: Zep) -> None:
    """What is left out stays; metadata merges."""
    made = a_user4(zep4, metadata={"a": 1})
    changed = zep4.user.update(made["uuid"], email="new@example.com", metadata={"b": 2})
    assert changed == {**made, "email": "new@example.com", "metadata": {"a": 1, "b": 2}}
    assert zep4.user.get(made["uuid"]) == changed


@requirement("v4:user.delete", "v4:task.get:delete")
def test_a_deletion_is_a_task_that_tells_the_truth(zep4: Zep) -> None:
    """The user is gone at once; the task ends when the files hold nothing of them."""
    made = a_user4(zep4)
    thread, _ = told(zep4, "I live in Lisbon.", made)
    answer = zep4.user.delete(made["uuid"])
    assert answer["task"]["type"] == "user.delete"
    task = ended(zep4, answer)
    assert task["status"] == "succeeded"
    for read in (
        lambda: zep4.user.get(made["uuid"]),
        lambda: zep4.thread.get(thread["uuid"]),
        lambda: zep4.graph.get(made["graph_uuid"]),
    ):
        with refused4(404, "NotFoundError"):
            read()


@requirement("v4:user.get_node")
def test_a_users_own_node_has_their_summary(zep4: Zep) -> None:
    """It is answered bare, with what is known of the user."""
    user = a_user4(zep4)
    told(zep4, "I moved to Lisbon in May.", user)
    node = eventually(
        lambda: zep4.user.get_node(user["uuid"]), lambda node: "Lisbon" in node["summary"]
    )
    assert (node["name"], node["graph_uuid"]) == ("Jane Smith", user["graph_uuid"])
    assert node["user_uuid"] == user["uuid"]
    assert node["episode_uuids_truncated"] is False


@requirement("v4:user.get_summary_instructions", "v4:user.set_summary_instructions")
def test_instructions_for_a_users_summary_are_replaced(zep4: Zep) -> None:
    """They are the user's own until they are left to the project again."""
    uuid = a_user4(zep4)["uuid"]
    assert zep4.user.get_summary_instructions(uuid)["inherited"] is True
    new = [typed("UserInstruction", name="work", text="Where do they work?")]
    made = zep4.user.set_summary_instructions(uuid, instructions=new)
    assert made == {
        "inherited": False,
        "instructions": [{"name": "work", "text": "Where do they work?"}],
    }
    assert zep4.user.get_summary_instructions(uuid) == made
    zep4.user.set_summary_instructions(uuid, inherited=True)
    assert zep4.user.get_summary_instructions(uuid)["inherited"] is True


@requirement("v4:thread.create", "v4:thread.get", "v4:thread.lookup", "v4:thread.list")
def test_threads_are_made_found_and_listed(zep4: Zep) -> None:
    """A thread has no id of the caller's; its uuid is its id in the older vocabularies."""
    user = a_user4(zep4)
    made = [a_thread4(zep4, user) for _ in range(3)]
    assert made[0]["thread_id"] == made[0]["uuid"]
    assert zep4.thread.get(made[0]["uuid"]) == made[0]
    assert zep4.thread.lookup(thread_id=made[0]["thread_id"]) == made[0]
    listed = zep4.thread.list(user_uuid=user["uuid"], page_size=2, **{"$all": True})
    assert listed == made[::-1]
    with refused4(404, "NotFoundError"):
        zep4.thread.list(user_uuid=NOBODY)


@requirement("v4:thread.add_messages", "v4:thread.list_messages", "v4:thread.message.get")
def test_messages_are_added_and_read_back(zep4: Zep) -> None:
    """They are answered as they were stored, with the task of reading them."""
    thread = a_thread4(zep4)
    sent = [
        said4("I work at Siemens.", metadata={"mood": "calm"}),
        said4("Noted.", role="assistant", name="Bot", reference_time="2024-05-01T10:00:00Z"),
    ]
    added = zep4.thread.add_messages(thread["uuid"], messages=sent, return_context=True)
    first, second = added["messages"]
    assert (first["content"], first["role"], first["name"]) == (
        "I work at Siemens.",
        "user",
        "Jane",
    )
    assert second["reference_time"] == "2024-05-01T10:00:00Z"
    assert instant(second["created_at"]) > instant(second["reference_time"])
    assert first["metadata"] == {"mood": "calm"}
    assert isinstance(added["context"], str)
    assert added["task"]["type"] == "thread.add_messages"
    assert ended(zep4, added)["status"] == "succeeded"
    page = zep4.thread.list_messages(thread["uuid"], page_size=1)
    assert [message["uuid"] for message in page["items"]] == [first["uuid"]]
    assert page["total_size"] == 2
    both = zep4.thread.list_messages(thread["uuid"], page_size=1, order="desc", **{"$all": True})
    assert [message["uuid"] for message in both] == [second["uuid"], first["uuid"]]
    read = zep4.thread.message.get(thread["uuid"], first["uuid"])
    assert read == {**first, "processed": True}


@requirement("v4:transport:pages", "v4:thread.list_messages", "v4:thread.list_episodes")
def test_a_page_goes_on_after_the_last_item_of_the_one_before(zep4: Zep) -> None:
    """What is added or deleted meanwhile neither shifts nor repeats anything."""
    thread = a_thread4(zep4)
    sent = [said4(f"Number {number}.") for number in range(4)]
    added = zep4.thread.add_messages(thread["uuid"], messages=sent)
    ended(zep4, added)
    zero, one, two, three = (message["uuid"] for message in added["messages"])
    lists = {
        "asc": (zep4.thread.list_messages, {"order": "asc"}, [one], [two, three]),
        "desc": (zep4.thread.list_messages, {"order": "desc"}, [three, two], [one]),
        "episodes": (zep4.thread.list_episodes, {}, [one], [two, three]),
    }
    pages = {
        name: list_(thread["uuid"], page_size=2, **given)
        for name, (list_, given, _, _) in lists.items()
    }
    ended(zep4, zep4.graph.episode.delete(thread["graph_uuid"], zero))
    for name, (list_, given, kept, rest) in lists.items():
        told = [item["uuid"] for item in pages[name]["items"] if item["uuid"] != zero]
        assert told == kept, name
        after = list_(thread["uuid"], page_size=9, cursor=pages[name]["next_cursor"], **given)
        assert [item["uuid"] for item in after["items"]] == rest, name
        assert "next_cursor" not in after, name


@requirement("v4:thread.add_messages")
def test_an_ignored_role_is_history_and_owes_nothing(zep4: Zep) -> None:
    """Its task is done at once, and the graph has no episode of it."""
    thread = a_thread4(zep4)
    added = zep4.thread.add_messages(
        thread["uuid"], messages=[said4("Hello!", role="assistant")], ignore_roles=["assistant"]
    )
    assert added["task"]["status"] == "succeeded"
    assert zep4.thread.list_episodes(thread["uuid"])["items"] == []
    assert len(zep4.thread.list_messages(thread["uuid"])["items"]) == 1


@requirement("v4:thread.add_messages")
def test_a_message_without_a_role_is_refused_by_name(zep4: Zep) -> None:
    """The field that is missing is named, and so is one that must be left out."""
    uuid = a_thread4(zep4)["uuid"]
    with refused4(400, "BadRequestError", param="messages[0].role"):
        zep4.thread.add_messages(uuid, messages=[typed("AddMessage", content="x")])
    with refused4(400, "BadRequestError", param="messages[0].uuid"):
        zep4.thread.add_messages(uuid, messages=[said4("x", uuid_=NOBODY)])


@requirement("v4:thread.message.update")
def test_metadata_of_a_message_merges(zep4: Zep) -> None:
    """A null takes a name away."""
    thread, message = told(zep4, "I like tea.", metadata={"a": "1", "b": "2"})
    made = zep4.thread.message.update(
        thread["uuid"], message["uuid"], metadata={"a": None, "c": "3"}
    )
    assert made["metadata"] == {"b": "2", "c": "3"}
    with refused4(404, "NotFoundError"):
        zep4.thread.message.update(a_thread4(zep4)["uuid"], message["uuid"], metadata={"a": "1"})


@requirement("v4:thread.list_episodes", "v4:thread.get_context", "v4:thread.get_summary")
def test_a_thread_tells_what_came_of_it(zep4: Zep) -> None:
    """Its episodes, its summary, and a context for a prompt, also as a template has it."""
    user = a_user4(zep4)
    thread, message = told(zep4, "I moved to Lisbon in May 2024.", user)
    (episode,) = zep4.thread.list_episodes(thread["uuid"])["items"]
    assert (episode["uuid"], episode["thread_uuid"]) == (message["uuid"], thread["uuid"])
    assert (episode["source"], episode["role"], episode["role_name"]) == ("message", "user", "Jane")
    assert "Lisbon" in zep4.thread.get_summary(thread["uuid"])["summary"]
    assert "Lisbon" in zep4.thread.get_context(thread["uuid"])["context"]
    template = zep4.context.create_template(name=unique("t"), template="Known: %{edges limit=5}")
    block = zep4.thread.get_context(thread["uuid"], template_uuid=template["uuid"])["context"]
    assert block.startswith("Known:")
    assert "Lisbon" in block


@requirement("v4:thread.delete")
def test_a_deleted_thread_takes_what_rested_on_it_along(zep4: Zep) -> None:
    """Its episodes and what they alone told are gone, and its task has ended."""
    user = a_user4(zep4)
    thread, message = told(zep4, "I moved to Porto in May 2024.", user)
    answer = zep4.thread.delete(thread["uuid"])
    assert answer["task"]["type"] == "thread.delete"
    assert ended(zep4, answer)["status"] == "succeeded"
    with refused4(404, "NotFoundError"):
        zep4.thread.get(thread["uuid"])
    with refused4(404, "NotFoundError"):
        zep4.graph.episode.get(user["uuid"], message["uuid"])
    edges = zep4.graph.edge.list(user["uuid"], **{"$all": True})
    assert not [edge for edge in edges if "Porto" in edge["fact"]]
