"""What the guide of generation 2 prints beside its examples, through the released clients.

Guide: zep-v2-guide, "Building a Chatbot with Zep" and "Sessions".
"""

import time
from typing import Any

import pytest

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import a_group, a_session, a_user, instant, processed, said2

pytestmark = pytest.mark.usefixtures("awake")


@requirement("v2:graph.edge:graph-id")
def test_nodes_and_edges_name_their_graph(zep2: Zep) -> None:
    """Walkthrough, "Retrieve data from Zep": each printed `EntityEdge` has a `graph_id`, and
    "Check data ingestion status" prints it on an `EntityNode`."""
    user = a_user(zep2)
    user_id = user["user_id"]
    added = zep2.graph.add(user_id=user_id, type="text", data="Jane works at Globex in Porto.")
    processed(zep2, added["uuid"])
    asked = {"user_id": user_id, "query": "Globex"}
    found = [
        *zep2.graph.edge.get_by_user_id(user_id),
        *zep2.graph.node.get_by_user_id(user_id),
        *zep2.graph.search(**asked)["edges"],
        *zep2.graph.search(**asked, scope="nodes")["nodes"],
        zep2.user.get_node(user_id)["node"],
    ]
    assert len(found) > 5
    (graph_id,) = {one.get("graph_id") or one.get("graph_uuid") for one in found}
    group = a_group(zep2)["group_id"]
    told = zep2.graph.add(group_id=group, type="text", data="Globex is in Porto.")
    processed(zep2, told["uuid"])
    (other,) = {one["graph_id"] for one in zep2.graph.node.get_by_group_id(group)}
    assert other != graph_id


@requirement("v2:memory.get_session:updated")
def test_a_session_was_updated_when_something_was_said(zep2: Zep) -> None:
    """Sessions, "Getting a session" and "Listing sessions": every way to read one says the same."""
    session = a_session(zep2)
    session_id, user_id = session["session_id"], session["user_id"]
    assert session["updated_at"] == session["created_at"]
    time.sleep(0.01)
    zep2.memory.add(session_id, messages=[said2("Hello there.")])

    def only(found: list[dict[str, Any]]) -> dict[str, Any]:
        return next(one for one in found if one["session_id"] == session_id)

    listed = zep2.memory.list_sessions(order_by="updated_at", asc=False, page_size=100)
    told = [
        zep2.memory.get_session(session_id),
        only(zep2.user.get_sessions(user_id)),
        only(listed["sessions"]),
    ]
    (updated,) = {one["updated_at"] for one in told}
    assert instant(updated) > instant(session["created_at"])
    times = [instant(one["updated_at"]) for one in listed["sessions"]]
    assert times == sorted(times, reverse=True)
