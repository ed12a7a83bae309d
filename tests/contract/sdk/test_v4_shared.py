"""One memory beneath: what generation 4 writes, every other vocabulary reads, and the other way."""

import json

import httpx

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.memmachine import MemMachine
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import a_user, eventually, processed, said3, unique
from tests.contract.sdk.support_4 import a_graph4, a_thread4, a_user4, an_episode, ended, told
from tests.support.server import Server


@requirement("v4:shared:older")
def test_older_generations_read_what_this_one_writes(zep4: Zep, py3: Zep, py2: Zep) -> None:
    """Users, threads, messages, facts and what was deleted."""
    user = a_user4(zep4)
    thread, message = told(zep4, "I moved to Lisbon in May 2024.", user)
    assert py3.user.get(user["user_id"])["uuid"] == user["uuid"]
    (read,) = py3.thread.get(thread["thread_id"])["messages"]
    assert (read["uuid"], read["content"]) == (message["uuid"], message["content"])
    facts = [edge["fact"] for edge in py3.graph.edge.get_by_user_id(user["user_id"])]
    assert any("Lisbon" in fact for fact in facts)
    assert "Lisbon" in py2.memory.get(thread["thread_id"])["context"]
    ended(zep4, zep4.thread.delete(thread["uuid"]))
    facts = [edge["fact"] for edge in py3.graph.edge.get_by_user_id(user["user_id"])]
    assert not any("Lisbon" in fact for fact in facts)


@requirement("v4:shared:newer")
def test_this_generation_reads_what_older_ones_write(zep4: Zep, py3: Zep) -> None:
    """Found by its older ids, with the same words and facts."""
    user_id, thread_id = a_user(py3)["user_id"], unique("thread")
    py3.thread.create(thread_id=thread_id, user_id=user_id)
    added = py3.thread.add_messages(thread_id, messages=[said3("I work at Siemens.")])
    processed(py3, added["message_uuids"][0])
    thread = zep4.thread.lookup(thread_id=thread_id)
    (message,) = zep4.thread.list_messages(thread["uuid"])["items"]
    assert message["uuid"] == added["message_uuids"][0]
    found = zep4.graph.search_edges(thread["user_uuid"], query="Where does Jane work?")["items"]
    assert "Siemens" in found[0]["fact"]


@requirement("v4:shared:memmachine")
def test_memory_clients_read_what_this_generation_writes(zep4: Zep, mm: MemMachine) -> None:
    """A standalone graph is a project of theirs, under its uuid."""
    graph = a_graph4(zep4)
    episode = an_episode(zep4, graph, "The library is open.")
    rows = mm.memory("universal", graph["graph_id"]).list()["content"]["episodic_memory"]
    assert [(row["uid"], row["content"]) for row in rows] == [
        (episode["uuid"], "The library is open.")
    ]


@requirement("v4:shared:mcp")
def test_the_tools_of_mcp_read_what_this_generation_writes(zep4: Zep, server: Server) -> None:
    """Searching the facts of a user."""
    user = a_user4(zep4)
    told(zep4, "I moved to Lisbon in May 2024.", user)
    a_thread4(zep4, user)
    call = {
        "name": "search_graph",
        "arguments": {"user_id": user["user_id"], "query": "Where does Jane live?"},
    }
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {
        "Authorization": f"Bearer {server.api_key}",
        "Accept": "application/json, text/event-stream",
    }

    def answer() -> str:
        with httpx.Client(trust_env=False, timeout=30) as http:
            return http.post(f"{server.url}/mcp", json=asked, headers=headers).text

    assert "Lisbon" in eventually(answer, lambda text: "Lisbon" in json.dumps(text))
