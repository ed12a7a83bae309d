"""Agents and the traces of what they did, with the client of generation 4."""

import httpx

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import unique
from tests.contract.sdk.support_4 import Json, a_user4, ended, refused4
from tests.support.server import Server

DOMAIN = "customer:support"


def an_agent(zep4: Zep, **fields: object) -> Json:
    """A new agent."""
    known = {"agent_id": unique("agent"), "name": "Refund agent", "security_domain": DOMAIN}
    agent: Json = zep4.agent.create(**{**known, **fields})
    return agent


def a_trace(zep4: Zep, agent: Json, **fields: object) -> Json:
    """A new trace of an agent."""
    trace: Json = zep4.agent.trace.create(
        agent["uuid"], **{"objective": "Refund a duplicate charge.", **fields}
    )
    return trace


def sessions(server: Server) -> httpx.Client:
    """Plain HTTP under the address of session logs."""
    headers = {"Authorization": f"Api-Key {server.api_key}"}
    url = f"{server.url}/api/v1/sessions"
    return httpx.Client(base_url=url, headers=headers, timeout=30, trust_env=False)


@requirement("v4:agent.create", "v4:agent.get", "v4:agent.list", "v4:agent.update")
def test_agents_are_created_listed_and_changed(zep4: Zep) -> None:
    """Under the caller's id, and only over what the caller has seen."""
    mark = unique("mark")
    made = an_agent(zep4, metadata={"team": mark}, description="Gives money back.")
    assert (made["status"], made["revision"], made["version"]) == ("active", 1, "default")
    assert zep4.agent.get(made["uuid"]) == made
    other = an_agent(zep4, metadata={"team": mark, "more": 1})
    newest = zep4.agent.list(metadata={"team": mark}, page_size=1)
    assert [one["uuid"] for one in newest["items"]] == [other["uuid"]]
    rest = zep4.agent.list(metadata={"team": mark}, page_size=1, cursor=newest["next_cursor"])
    assert [one["uuid"] for one in rest["items"]] == [made["uuid"]]
    assert "next_cursor" not in rest
    (found,) = zep4.agent.list(search=made["agent_id"].upper())["items"]
    assert found == made
    changed = zep4.agent.update(made["uuid"], expected_revision=1, name="Money agent")
    assert (changed["name"], changed["revision"]) == ("Money agent", 2)
    assert changed["description"] == "Gives money back."
    with refused4(409, "ConflictError"):
        zep4.agent.update(
            made["uuid"], expected_revision=1, name="Late", request_options={"max_retries": 0}
        )
    with refused4(409, "ConflictError"):
        an_agent(zep4, agent_id=made["agent_id"], request_options={"max_retries": 0})
    with refused4(501, "ApiError"):
        an_agent(
            zep4,
            memory_settings=typed("AgentMemorySettings", approval="manual"),
            request_options={"max_retries": 0},
        )


@requirement(
    "v4:agent.trace.create",
    "v4:agent.trace.get",
    "v4:agent.trace.append_event",
    "v4:agent.trace.list_events",
    "v4:agent.trace.close",
    "v4:agent.trace.get_summary",
    "v4:agent.trace.list_summary_versions",
    "v4:agent.get_context",
    "v4:trace:remembered",
)
def test_what_is_said_in_a_trace_is_remembered_in_the_graph_of_its_agent(
    zep4: Zep, server: Server
) -> None:
    """It is a session log, and its turns are episodes that are searched like any other."""
    agent = an_agent(zep4)
    trace = a_trace(zep4, agent, metadata={"ticket": "4711"}, task_family="support/refund")
    where = (agent["uuid"], trace["uuid"])
    assert (trace["status"], trace["internal"]["next_sequence"]) == ("open", 1)
    tell = zep4.agent.trace.append_event
    at = "2026-03-01T10:00:00Z"
    tell(*where, event_type="input_reference", content="Paul works at Siemens.", occurred_at=at)
    tools = typed("AgentTraceEventContext", tools=[typed("AgentTraceResourceRef", name="orders")])
    call = {"tool_call_id": "call-1", "context": tools}
    tell(*where, event_type="tool_call", content='{"id": 7}', **call)
    tell(*where, event_type="tool_result", content="Order 7 was paid twice.", tool_call_id="call-1")
    tell(*where, event_type="artifact", content="receipt.pdf")
    tell(*where, event_type="decision", content="Paul gets the money for order 7 back.")
    events = zep4.agent.trace.list_events(*where, page_size=2)
    assert [one["sequence"] for one in events["items"]] == [1, 2]
    assert events["total_size"] == 5
    rest = zep4.agent.trace.list_events(*where, cursor=events["next_cursor"])["items"]
    assert [one["event_type"] for one in rest] == ["tool_result", "artifact", "decision"]
    assert [one["content"] for one in rest][:2] == ["Order 7 was paid twice.", "receipt.pdf"]

    closed = zep4.agent.trace.close(*where, outcome="succeeded", verification="customer")
    assert (closed["trace"]["status"], closed["trace"]["outcome"]) == ("closed", "succeeded")
    task = ended(zep4, closed)
    assert (task["type"], task["status"]) == ("agent.trajectory.finalize", "succeeded")
    assert task["progress"]["stage"] == "2 of 2 episodes read"
    states = {one["processing_state"] for one in zep4.agent.trace.list_events(*where)["items"]}
    assert states == {"processed"}

    episodes = zep4.graph.episode.list(agent["uuid"], order_by="created_at", order="asc")["items"]
    told = [(one["role"], one.get("role_name"), one["content"]) for one in episodes]
    assert told == [
        ("user", None, "Paul works at Siemens."),
        ("assistant", "Refund agent", "Paul gets the money for order 7 back."),
    ]
    assert episodes[0]["reference_time"].startswith("2026-03-01T10:00:00")
    assert episodes[0]["metadata"] == {"ticket": "4711"}
    edges = zep4.graph.search_edges(agent["uuid"], query="Where does Paul work?")["items"]
    assert edges[0]["name"] == "WORKS_AT"
    context = zep4.agent.get_context(agent["uuid"], objective="Where does Paul work?")
    assert "Siemens" in context["context"]
    assert zep4.agent.trace.get_summary(*where)["text"]
    (summary,) = zep4.agent.trace.list_summary_versions(*where)["items"]
    assert summary["trace_uuid"] == trace["uuid"]

    with sessions(server) as http:
        log = http.get(f"/{trace['uuid']}/log", params={"from_id": 0}).json()["episodes"]
    assert [one["type"] for one in log] == ["boundary", *["item"] * 3, "meta", "item", "meta"]
    assert log[2]["payload"]["item"]["call_id"] == "call-1"
    assert log[2]["payload"]["item"]["name"] == "orders"
    assert log[-1]["payload"]["event"] == "trace.closed"
    assert len(log[1]["graph_episodes"]) == 1


@requirement("v4:trace:once")
def test_a_trace_that_is_told_again_is_there_once(zep4: Zep) -> None:
    """The caller's ids make an import repeatable; other words under the same id are a conflict."""
    agent = an_agent(zep4)
    once = {"trace_id": "run-1", "metadata": {"a": 1}}
    trace = a_trace(zep4, agent, **once)
    assert a_trace(zep4, agent, **once) == trace
    where, no_retry = (agent["uuid"], trace["uuid"]), {"max_retries": 0}
    with refused4(409, "ConflictError"):
        a_trace(zep4, agent, trace_id="run-1", objective="Other.", request_options=no_retry)
    event = {"event_type": "feedback", "content": "Paul likes tea.", "event_id": "e-1"}
    first = zep4.agent.trace.append_event(*where, **event, sequence=3)
    again = zep4.agent.trace.append_event(*where, **event, sequence=3)
    assert (again["uuid"], again["sequence"]) == (first["uuid"], 3)
    for other in ({"content": "Paul likes coffee."}, {"event_id": "e-2"}, {"sequence": 4}):
        with refused4(409, "ConflictError"):
            zep4.agent.trace.append_event(
                *where, **{**event, "sequence": 3, **other}, request_options=no_retry
            )
    assert zep4.agent.trace.list_events(*where)["total_size"] == 1
    assert len(zep4.graph.episode.list(agent["uuid"])["items"]) == 1
    with refused4(409, "ConflictError") as raised:
        zep4.agent.trace.close(*where, closing_sequence=3, request_options=no_retry)
    assert "sequence 1 is missing" in str(raised.value.body)
    missing = [typed("AgentTraceSequenceRange", first=1, last=2)]
    closed = zep4.agent.trace.close(*where, closing_sequence=3, missing_sequence_ranges=missing)
    assert closed["trace"]["internal"]["closing_sequence"] == 3
    assert zep4.agent.trace.append_event(*where, **event, sequence=3)["uuid"] == first["uuid"]
    with refused4(409, "ConflictError"):
        zep4.agent.trace.append_event(*where, event_type="artifact", request_options=no_retry)


@requirement(
    "v4:agent.trace.list",
    "v4:agent.trace.abandon",
    "v4:agent.trace.reopen",
    "v4:agent.trace.update",
    "v4:agent.trace.correct_task_family",
)
def test_traces_end_go_on_and_are_sorted(zep4: Zep) -> None:
    """Each change counts, and lists tell them by what they are."""
    agent = an_agent(zep4)
    first = a_trace(zep4, agent, metadata={"team": "blue"})
    retry = a_trace(zep4, agent, parent_trace_uuid=first["uuid"], learn_from=False)
    assert retry["attempt_family_uuid"] == first["uuid"]
    where = (agent["uuid"], first["uuid"])
    given = zep4.agent.trace.abandon(*where, highest_accepted_sequence=0, reason="no time")
    assert given["trace"]["status"] == given["trace"]["outcome"] == "abandoned"
    assert given["task"]["status"] == "succeeded"
    list_ = zep4.agent.trace.list

    def listed(**wanted: object) -> list[str]:
        return [one["uuid"] for one in list_(agent["uuid"], **wanted)["items"]]

    assert listed() == [retry["uuid"], first["uuid"]]
    assert listed(status="open") == listed(parent_trace_uuid=first["uuid"]) == [retry["uuid"]]
    assert listed(outcome="abandoned") == listed(metadata={"team": "blue"}) == [first["uuid"]]
    assert listed(source_kind="trace_import") == []
    page = list_(agent["uuid"], page_size=1, order="asc")
    assert [one["uuid"] for one in page["items"]] == [first["uuid"]]
    revision = given["trace"]["revision"]
    again = zep4.agent.trace.reopen(*where, expected_revision=revision)
    assert (again["status"], "outcome" in again) == ("open", False)
    sorted_ = zep4.agent.trace.update(
        *where, expected_revision=again["revision"], task_family="support/refund"
    )
    assert listed(task_family="support/refund") == [first["uuid"]]
    moved = zep4.agent.trace.correct_task_family(
        *where, expected_revision=sorted_["revision"], reason="wrong", task_family="billing"
    )
    assert moved["trace"]["task_family"] == "billing"
    zep4.agent.trace.append_event(
        agent["uuid"], retry["uuid"], event_type="feedback", content="Paul likes tea."
    )
    assert zep4.graph.episode.list(agent["uuid"])["items"] == []


@requirement("v4:agent.trace.delete", "v4:agent.trace.delete_event", "v4:agent.delete")
def test_traces_events_and_agents_are_forgotten(zep4: Zep, server: Server) -> None:
    """From the log and from the graph; the task ends when the files are wiped."""
    agent = an_agent(zep4)
    trace = a_trace(zep4, agent)
    where = (agent["uuid"], trace["uuid"])
    told = [
        zep4.agent.trace.append_event(*where, event_type="feedback", content=content)
        for content in ("Paul works at Siemens.", "Paul lives in Oslo.", "Paul likes tea.")
    ]
    ended(zep4, zep4.agent.trace.close(*where))
    gone = zep4.agent.trace.delete_event(*where, told[0]["uuid"], expected_revision=2)
    assert ended(zep4, {"task": gone["summary_repair_task"]})["status"] == "succeeded"
    assert gone["trace"]["revision"] == 3
    left = zep4.agent.trace.list_events(*where)["items"]
    assert [one["uuid"] for one in left] == [one["uuid"] for one in told[1:]]
    facts = {edge["fact"] for edge in zep4.graph.edge.list(agent["uuid"])["items"]}
    assert facts
    assert not any("Siemens" in fact for fact in facts)
    with sessions(server) as http:
        assert "Siemens" not in http.get(f"/{trace['uuid']}/log", params={"from_id": 0}).text
        with refused4(404, "ApiError"):
            zep4.agent.trace.delete_event(*where, told[0]["uuid"], expected_revision=3)
        deleted = zep4.agent.trace.delete(*where, expected_revision=3)
        assert deleted["trace"]["status"] == "deleted"
        assert ended(zep4, {"task": deleted["summary_repair_task"]})["status"] == "succeeded"
        assert zep4.graph.edge.list(agent["uuid"])["items"] == []
        assert http.get(f"/{trace['uuid']}").status_code == 404
        other = a_trace(zep4, agent)
        answer = zep4.agent.delete(agent["uuid"], expected_revision=1)
        task = ended(zep4, answer)
        assert (task["type"], task["status"]) == ("agent.delete", "succeeded")
        assert http.get(f"/{other['uuid']}").status_code == 404
    with refused4(404, "NotFoundError"):
        zep4.agent.get(agent["uuid"])


@requirement("v4:trace:own")
def test_a_trace_belongs_to_its_agent_alone(zep4: Zep, server: Server) -> None:
    """Another agent does not have it, a user is no agent, and its log feeds nobody else."""
    agent, other = an_agent(zep4), an_agent(zep4)
    trace = a_trace(zep4, agent)
    with refused4(404, "NotFoundError"):
        zep4.agent.trace.get(other["uuid"], trace["uuid"])
    user = a_user4(zep4)
    with refused4(404, "NotFoundError"):
        zep4.agent.get(user["uuid"])
    with sessions(server) as http:
        bound = http.patch(f"/{trace['uuid']}", json={"user_id": user["user_id"]})
    assert bound.status_code == 409
    with refused4(501, "ApiError"):
        zep4.agent.trace_import.create(agent["uuid"], request_options={"max_retries": 0})
