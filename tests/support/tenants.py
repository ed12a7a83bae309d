"""Two projects with the same ids and different secrets, and a world in which one of them never existed.

Requests are generated from the route table. If a new route has path parameters or id fields that are not
known here, add them: `missing_values` names them, and a test checks it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec

from recollect.api.router import Nothing, Route
from recollect.asgi import route_table
from recollect.compat.memmachine.errors import reply_for
from recollect.compat.zep.v4.errors import reply_for as reply_for_4
from recollect.extract.brief import Brief
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.records import injections, knowledge, merges
from recollect.records.injections import InjectedLine, NewInjection
from recollect.records.knowledge import FactChange
from recollect.store import numbers
from recollect.store.protocol import Transaction
from tests.support.asgi import Program
from tests.support.stores import Rows, behind

ALPHA_KEY = "the-key-of-project-alpha"
BETA_KEY = "the-key-of-project-beta-x"
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
PARAMETER = re.compile(r"{(\w+)}")
ID_FIELD = re.compile(r"(^|_)(id|ids|uuid|uuids|cursor)$")


def still_clock() -> datetime:
    """A fixed time, so that it is the same in both worlds."""
    return NOW


class CountingIds:
    """Server ids that count up; both worlds are set to the same number before each request."""

    def __init__(self) -> None:
        self.next = 1

    def __call__(self) -> str:
        self.next += 1
        return f"00000000-0000-7000-8000-{self.next:012d}"


@dataclass
class Tenant:
    """One project: its key, and the ids of its objects (its own ids and the server's)."""

    word: str
    key: str
    values: dict[str, Any]

    @property
    def secrets(self) -> list[str]:
        """Strings that no other project may ever read."""
        uuids = [v for v in self.values.values() if isinstance(v, str) and len(v) == 36]
        return [f"{self.word}-secret", f"{self.word}-only", self.key, *uuids]


def _context(project_id: int, graph_id: int, fact: str, word: str) -> NewInjection:
    """An injection: a context that was given out, with one line for a fact."""
    line = InjectedLine(
        text=f"- {word}-secret fact", kind="fact", uuid=fact, score=0.5, reason="relevance"
    )
    return NewInjection(
        project_id=project_id,
        key_uuid="",
        graph_id=graph_id,
        thread_id=None,
        form="block",
        question=f"{word}-secret question",
        lines=[line],
        rows_max=100,
        days_max=100,
    )


def _seed_graph(tx: Transaction, graph_uuid: str, project: str, word: str) -> dict[str, str]:
    """Entities, facts of which one ended another, and an observation, as extraction would leave them."""
    owner = keys.project_named(tx, project)
    graph = tx.graphs.by_uuid(uuid=graph_uuid, project_id=owner.id)
    assert graph is not None
    now = int(tx.now.timestamp() * 1_000_000)
    fact, ended, corrected = tx.new_id(), tx.new_id(), tx.new_id()
    entity_id, entity = _seed_entity(tx, graph.id, f"{word}-secret entity")
    (_, other), (_, kept), (_, merged) = (
        _seed_entity(tx, graph.id, f"{word}-secret {name}") for name in ("other", "one", "same")
    )
    fact_id = _seed_fact(tx, graph.id, entity_id, fact, f"{word}-secret fact")
    ended_id = _seed_fact(tx, graph.id, entity_id, ended, f"{word}-secret ended fact", now)
    tx.closings.insert(
        fact_id=ended_id,
        by_fact_id=fact_id,
        episode_id=None,
        ended_at=now,
        expired_at=now,
        judge="table",
        sure=None,
    )
    observation = tx.new_id()
    tx.observations.insert(
        **numbers.of_graph(graph.id),
        uuid=observation,
        graph_id=graph.id,
        entity_id=entity_id,
        kind="gathers",
        key='["KNOWS",null,null,null]',
        name=f"{word}-secret observation",
        summary=f"{word}-secret pattern",
        label="generic",
        start_at=now,
        latest_evidence_at=now,
        end_at=None,
        created_at=now,
    )
    _seed_fact(tx, graph.id, entity_id, corrected, f"{word}-secret error", extractor="rules")
    access = Access(project_id=owner.id, project_uuid=owner.uuid, key_uuid="")
    knowledge.update_fact(tx, access, corrected, FactChange(fact=f"{word}-secret correction"))
    merges.merge(tx, access, kept, merged)
    return {
        "node": entity,
        "other_node": other,
        "merged_node": merged,
        "edge": fact,
        "ended_edge": ended,
        "corrected_edge": corrected,
        "injection": injections.keep(tx, _context(owner.id, graph.id, fact, word)),
        "observation": observation,
    }


def _seed_entity(tx: Transaction, graph_id: int, name: str) -> tuple[int, str]:
    uuid = tx.new_id()
    number = tx.entities.insert(
        side="",
        **numbers.of_graph(graph_id),
        uuid=uuid,
        graph_id=graph_id,
        name=name,
        labels='["Entity"]',
        summary=f"{name} summary",
        attributes=None,
        is_user=False,
        is_assistant=False,
        kind=None,
        names=f'["{name}"]',
        now=int(tx.now.timestamp() * 1_000_000),
    )
    return number, uuid


def _seed_fact(
    tx: Transaction,
    graph_id: int,
    entity_id: int,
    uuid: str,
    says: str,
    end: int | None = None,
    extractor: str = "planted",  # without an extractor, the fact would be part of a record
) -> int:
    now = int(tx.now.timestamp() * 1_000_000)
    return tx.facts.insert(
        side="",
        **numbers.of_graph(graph_id),
        uuid=uuid,
        graph_id=graph_id,
        source_id=entity_id,
        target_id=entity_id,
        name="KNOWS",
        fact=says,
        attributes=None,
        rating=None,
        created_at=now,
        expired_at=end,
        valid_at=now,
        invalid_at=end,
        predicate="KNOWS",
        gist=says,
        negated=False,
        ends=False,
        slot=None,
        confidence=1.0,
        extractor=extractor,
        event_at=None,
    )


async def _seed_rest(ask: Any, word: str, prefix: str, user: Any) -> dict[str, str]:
    """Guidance, a draft batch, documents, a group of users and a policy set."""
    told = [{"name": f"{prefix}-instruction", "text": f"{word}-secret instruction"}]
    template = {"template_id": f"{prefix}-template", "template": f"{word}-secret template"}
    await ask("POST", "/api/v2/custom-instructions", {"instructions": told})
    await ask("POST", "/api/v2/user-summary-instructions", {"instructions": told})
    kept = await ask("POST", "/api/v2/context-templates", template)
    shelf = f"/api/v2/collections/{prefix}-collection"
    await ask("POST", shelf, {"description": f"{word}-secret"})
    text = {"content": f"{word}-secret document", "document_id": f"{prefix}-document"}
    ((document,),) = await ask("POST", f"{shelf}/documents", [text])
    batch = (await ask("POST", "/api/v2/batches", {"metadata": {"a": f"{word}-secret"}}))[
        "batch_id"
    ]
    item = {"type": "graph_episode", "graph_id": f"{prefix}-graph", "data": f"{word}-secret item"}
    await ask("POST", f"/api/v2/batches/{batch}/items", {"items": [{**item, "data_type": "text"}]})
    own = f"projectId={user['project_uuid']}"
    named = {"name": f"{word}-secret {prefix}"}
    group = (await ask("POST", "/api/v2/user-groups", named, own))["uuid"]
    members = {"user_uuids": [user["uuid"]]}
    await ask("POST", f"/api/v2/user-groups/{group}/members", members, own)
    gone = f"{prefix}-gone"
    await ask("POST", "/api/v2/graph/create", {"graph_id": gone})
    erasure = (await ask("DELETE", f"/api/v1/graphs/{gone}"))["uuid"]
    rules = [{"id": "all", "type": "authorization", "effect": "allow", "actions": ["readonly"]}]
    named = {"name": f"{prefix}-policy_set", "description": f"{word}-secret rules"}
    written = {"policy_set": {**named, "spec": {"policies": rules}}}
    policy_set = (await ask("PUT", "/api/v1/policy-sets", written))["uuid"]
    keys_ = (await ask("GET", "/api/v1/keys"))["keys"]
    governed = next(key["uuid"] for key in keys_ if not key["is_admin"])
    await ask("PUT", f"/api/v1/keys/{governed}/policy-sets/{prefix}-policy_set")
    return {
        "template": kept["uuid"],
        "document": document,
        "batch": batch,
        "group": group,
        "erasure": erasure,
        "policy_set": policy_set,
        "governed_key": governed,
    }


async def _seed_memory(ask: Any, word: str, prefix: str) -> dict[str, str]:
    """What a MemMachine client keeps in the same graph: a message, a feature, its category and tag."""
    named = {"org_id": "universal", "project_id": f"{prefix}-graph"}

    async def told(path: str, **body: Any) -> Any:
        return await ask("POST", f"/api/v2/{path}", {**named, **body})

    user = {"user_id": f"{word}-secret user"}
    message = {"content": f"{word}-secret memory", "metadata": user}
    added = await told("memories", messages=[message])
    tags = {"metadata_tags": ["user_id"]}
    set_type = await told("memories/semantic/set_type", **tags, name=f"{word}-secret type")
    of_user = await told("memories/semantic/set_id/get", **tags, set_metadata=user)
    secret = {"category_name": f"{word}-secret category", "prompt": f"{word}-secret prompt"}
    category = await told("memories/semantic/category", **of_user, **secret)
    of_type = {"set_type_id": set_type["set_type_id"]}
    await told("memories/semantic/category/template", **of_type, **secret)
    described = {"tag_name": f"{word}-secret tag", "tag_description": f"{word}-secret"}
    tag = await told("memories/semantic/category/tag", **category, **described)
    sorted_as = {"category_name": secret["category_name"], "tag": f"{word}-secret tag"}
    value = {"feature": "bread", "value": f"{word}-secret value"}
    feature = await told("memories/semantic/feature", **of_user, **sorted_as, **value)
    await told("memory/episodic/short_term/config", enabled=True, character_capacity=50_000)
    return {
        "memory": added["results"][0]["uid"],
        "set_type": set_type["set_type_id"],
        "set": of_user["set_id"],
        "category": category["category_id"],
        "tag": tag["tag_id"],
        "feature": feature["feature_id"],
    }


async def _seed_session(ask: Any, word: str, prefix: str) -> None:
    """A session under the id of a thread, with something in its log and in an open turn."""
    named = {"session_id": f"{prefix}-thread", "user_id": f"{prefix}-user", "feeds": False}
    context = {"about": f"{word}-secret context"}
    await ask("POST", "/api/v1/sessions", {**named, "context": context})
    log = f"/api/v1/sessions/{prefix}-thread/log"
    item = {"type": "message", "role": "user", "content": f"{word}-secret item"}
    said = {"type": "item", "payload": {"item": item}, "meta": {"turnId": "a-turn"}}
    await ask("POST", log, {"episodes": [said]})
    await ask("POST", f"{log}/turns", {"turn_id": f"{prefix}-turn"})
    await ask("POST", f"{log}/turns/{prefix}-turn", {"episodes": [said]})


async def _seed_agent(ask: Any, word: str, prefix: str) -> dict[str, str]:
    """An agent with two traces of what it did, one of which has ended."""
    named = {"agent_id": f"{prefix}-agent", "security_domain": "a:b"}
    agent = await ask("POST", "/api/v4/agents", {**named, "name": f"{word}-secret agent"})
    path = f"/api/v4/agents/{agent['uuid']}/traces"
    objective = {"objective": f"{word}-secret objective"}
    trace = await ask("POST", path, objective)
    said = {"event_type": "feedback", "content": f"{word}-secret event"}
    event = await ask("POST", f"{path}/{trace['uuid']}/events", said)
    over = await ask("POST", path, objective)
    await ask("POST", f"{path}/{over['uuid']}/close", {"reason": f"{word}-secret reason"})
    return {
        "agent": agent["uuid"],
        "trace": trace["uuid"],
        "event": event["uuid"],
        "ended_trace": over["uuid"],
    }


def _seed_readings(program: Program, word: str, taken: str, free: list[str]) -> None:
    """Episodes that wait for a second reading: one leased by an agent, and some that are free."""
    shown = Brief(kind="text", content=f"{word}-secret data", at=NOW)
    until = int(datetime(2100, 1, 1, tzinfo=UTC).timestamp() * 1_000_000)
    insert = (
        "INSERT INTO rereadings (episode_id, graph_id, reader, status, reason, error, ready_at,"
        " lease, lease_until, shown, created_at) SELECT id, graph_id, 'agent', 'waiting', ?, ?, 0,"
        " ?, ?, ?, 0 FROM episodes WHERE uuid = ?"
    )
    said = (f"{word}-secret reason", f"{word}-secret error")
    kept = msgspec.json.encode(shown).decode()
    program.execute(insert, *said, SAMPLES["lease"], until, kept, taken)
    for uuid in free:
        program.execute(insert, *said, None, 0, None, uuid)


async def seed(program: Program, word: str, key: str) -> Tenant:
    """A project with a user, threads, graphs, messages, data, a node, an edge and a parked job.

    Everything exists twice: under ids that every project uses and under ids of its own.
    """
    store = program.services.store
    await store.write(keys.create_project, word)
    await store.write(keys.create_key, word, "test", key, admin=True)
    await store.write(keys.create_key, word, f"{word}-secret key", f"{key} with rules")

    async def ask(method: str, path: str, body: Any = b"", query: str = "") -> Any:
        answer = await program.send(method, path, body, query=query, key=key)
        assert answer.status in (200, 201, 204), (method, path, answer)
        return answer.json() if answer.body else None

    place = {"url": f"https://{word}-secret.example/", "events": ["episode.processed"]}
    webhook = (await ask("POST", "/api/v1/webhooks", place))["uuid"]
    for prefix in ("shared", f"{word}-only"):
        user, thread, graph = f"{prefix}-user", f"{prefix}-thread", f"{prefix}-graph"
        person = {"first_name": f"{word}-secret", "email": f"{word}-secret@example.com"}
        made = await ask("POST", "/api/v2/users", {"user_id": user, **person})
        opened = await ask("POST", "/api/v2/threads", {"thread_id": thread, "user_id": user})
        made_graph = await ask(
            "POST", "/api/v2/graph/create", {"graph_id": graph, "name": f"{word}-secret"}
        )
        said = [{"role": "user", "name": f"{word}-secret", "content": f"{word}-secret message"}]
        added = await ask("POST", f"/api/v2/threads/{thread}/messages", {"messages": said})
        data = {"type": "text", "data": f"{word}-secret data", "document_id": f"{prefix}-document"}
        piece = await ask("POST", "/api/v2/graph", {**data, "graph_id": graph})
        found = await store.write(_seed_graph, made["graph_uuid"], word, word)
        found |= await _seed_rest(ask, word, prefix, made)
        found |= await _seed_memory(ask, word, prefix)
        found |= await _seed_agent(ask, word, prefix)
        await _seed_session(ask, word, prefix)
    await program.work()
    gone = await ask("POST", "/api/v2/graph", {**data, "graph_id": "shared-graph"})
    program.execute(
        "UPDATE jobs SET status = 'parked', error = ?, completed_at = created_at WHERE task_uuid = ?",
        f"{word}-secret error",
        gone["task_id"],
    )
    parked = await ask("GET", "/api/v1/jobs/parked")
    owed = await ask("GET", f"/api/v1/webhooks/{webhook}/deliveries")
    free = [piece["uuid"], added["message_uuids"][0]]
    _seed_readings(program, word, parked["jobs"][0]["episode_uuid"], free)
    return Tenant(
        word,
        key,
        {
            "user_id": f"{word}-only-user",
            "thread_id": f"{word}-only-thread",
            "turn_id": f"{word}-only-turn",
            "graph_id": f"{word}-only-graph",
            "document_id": f"{word}-only-document",
            "template_id": f"{word}-only-template",
            "policy_set_name": f"{word}-only-policy_set",
            "collection_name": f"{word}-only-collection",
            "project_name": word,
            "message_uuid": added["message_uuids"][0],
            "task_id": added["task_id"],
            "episode": piece["uuid"],
            "user_uuid": made["uuid"],
            "thread_uuid": opened["uuid"],
            "graph_uuid": made_graph["uuid"],
            "user_graph_uuid": made["graph_uuid"],
            "project_uuid": made["project_uuid"],
            "parked_episode": parked["jobs"][0]["episode_uuid"],
            "webhook": webhook,
            "delivery": owed["deliveries"][0]["uuid"],
            **found,
        },
    )


@dataclass(frozen=True)
class Asked:
    """A request generated from a route."""

    route: Route
    path: str
    query: str
    body: Any

    def __str__(self) -> str:
        return f"{self.route.method} {self.path}?{self.query} {self.body}"


# The name of a path parameter or id field on the wire, and the key of its value in `Tenant.values`.
# `uuid` depends on the path.
CALLER_IDS = {
    "user_id": "user_id",
    "user_ids": "user_id",
    "graph_ids": "graph_id",
    "document_ids": "document_id",
    "template_id": "template_id",
    "policy_set_name": "policy_set_name",
    "collection_name": "collection_name",
    "project_name": "project_name",
    "thread_id": "thread_id",
    "session_id": "thread_id",
    "session_ids": "thread_id",
    "turn_id": "turn_id",
    "graph_id": "graph_id",
    "group_id": "graph_id",
    "project_id": "graph_id",  # for MemMachine clients, whose projects are graphs
    "document_id": "document_id",
    "source_user_id": "user_id",
    "source_graph_id": "graph_id",
    "source_group_id": "graph_id",
}
SERVER_IDS = {
    "message_uuid": "message_uuid",
    "task_id": "task_id",
    "episode_uuid": "parked_episode",
    "batch_id": "batch",
    "document_uuid": "document",
    "uuids": "document",
    "group_uuid": "group",
    "policy_set_uuid": "policy_set",
    "key_uuid": "governed_key",
    "object_uuid": "edge",
    "user_uuid": "user_uuid",
    "user_uuids": "user_uuid",
    "mentioned_node_uuids": "node",
    "center_node_uuid": "node",
    "bfs_origin_node_uuids": "node",
    "seed_node_uuids": "node",
    "uuid_cursor": "node",
    "source_node_uuid": "node",
    "target_node_uuid": "node",
    "fact_uuid": "edge",
    "webhook_uuid": "webhook",
    "delivery_uuid": "delivery",
    "other": "other_node",
    "episodic_id": "memory",
    "episodic_ids": "memory",
    "citations": "memory",
    "feature_id": "feature",
    "semantic_id": "feature",
    "semantic_ids": "feature",
    "set_id": "set",
    "set_type_id": "set_type",
    "category_id": "category",
    "tag_id": "tag",
}
IDS_4 = {
    "user_uuid": "user_uuid",
    "user_uuids": "user_uuid",
    "thread_uuid": "thread_uuid",
    "message_uuid": "message_uuid",
    "graph_uuids": "graph_uuid",
    "node_uuid": "node",
    "edge_uuid": "edge",
    "observation_uuid": "observation",
    "episode_uuid": "episode",
    "batch_uuid": "batch",
    "task_uuid": "task_id",
    "template_uuid": "template",
    "group_uuid": "group",
    "center_node_uuid": "node",
    "bfs_origin_node_uuids": "node",
    "seed_node_uuids": "node",
    "agent_uuid": "agent",
    "trace_uuid": "trace",
    "parent_trace_uuid": "trace",
    "event_uuid": "event",
    # No project has any of these.
    "revision_uuid": "node",
    "hyperedge_uuid": "node",
    **dict.fromkeys(("skill_uuid", "review_uuid", "candidate_uuid", "use_uuid"), "node"),
    **dict.fromkeys(("import_uuid", "run_uuid", "verifier_uuid", "connection_uuid"), "node"),
    "version": "node",
}
UUID_OF_PATH = {
    "/api/v2/graph/episodes/": "episode",
    "/api/v2/graph/node/": "node",
    "/api/v2/graph/edge/": "edge",
    "/api/v2/facts/": "edge",
    "/api/v2/graph/observation/": "observation",
    "/api/v2/collections/": "document",
    "/api/v1/episodes/": "episode",
    "/api/v1/facts/{uuid}/undo": "corrected_edge",
    "/api/v1/facts/": "ended_edge",
    "/api/v1/entities/{uuid}/unmerge": "merged_node",
    "/api/v1/entities/": "node",
    "/api/v1/erasures/": "erasure",
    "/api/v1/injections/": "injection",
}
# Fields that name no object of a project: a cursor is opaque and has its own tests, ids in a log are
# numbers, and a resource belongs to the server.
NAMELESS = {"cursor", "from_id", "expected_last_id", "name"}
# Ids that callers use inside their own agents, and ids of things that are not stored here.
NAMELESS |= {"trace_id", "event_id", "tool_call_id", "deployment_id"}
NAMELESS |= {"verifier_id", "assertion_uuid"}
POLICIES = """
policy_set:
  name: renamed
  spec:
    policies:
      - {id: reads, type: authorization, effect: deny, actions: [graph.search]}
"""
# A value for each field that is required, or that a request needs to reach its target.
SAMPLES: dict[str, Any] = {
    "messages": [{"role": "user", "role_type": "user", "content": "hello"}],
    "data": "hello",
    "type": "text",
    "episodes": [{"data": "hello", "type": "text"}],
    "metadata": {"touched": True},
    "query": "alpha-secret message data",
    "text": "alpha-secret message data document",
    "scope": "episodes",
    "name": "renamed",
    "expected_version": 1,
    "instructions": [{"name": "how", "text": "briefly"}],
    "template": "a template",
    "content": "a text",
    "fact": "Paul met Eric",
    "fact_name": "MET",
    "source_node_name": "Paul",
    "target_node_name": "Eric",
    "nodes": [{"name": "Paul"}, {"name": "alpha-secret entity"}],
    # The target id of a copy, which is free in every project except alpha.
    "target_user_id": "alpha-only-user",
    "target_graph_id": "alpha-only-graph",
    "target_group_id": "alpha-only-graph",
    "facts": [{"fact": "Paul likes tea."}],
    "classes": ["travel", "food"],
    "action": "graph.search",
    "force": True,
    "role": "default_allow",
    "document": POLICIES,
    "url": "https://hooks.example/recollect",
    "events": ["episode.processed"],
    "last_n": 4,
    "lease": "a-lease",
    "expires_at": "2100-01-01T00:00:00Z",
    "answer": {"entities": [], "facts": []},
    "model_schema": '{"properties": {"drink": {"type": "string", "zep_type": "ZepText"}}}',
}


# Values of the same fields for session logs.
LOGS = "/api/v1/sessions"
LOG_SAMPLES: dict[str, Any] = {
    "episodes": [{"type": "item", "payload": {"item": {"type": "message", "content": "hello"}}}],
    "type": "item",
    "turn_id": "a-turn",
}


# Values of the same fields for Zep v4 clients.
_ENDS_4 = {"source_node": {"name": "Paul"}, "target_node": {"name": "Eric"}}
SAMPLES_4: dict[str, Any] = {
    "messages": [{"role": "user", "content": "hello"}],
    "users": ["shared-user", "alpha-only-user"],
    "threads": ["shared-thread", "alpha-only-thread"],
    "graphs": ["shared-graph", "alpha-only-graph"],
    "edges": [{"fact": "Paul met Eric", "fact_name": "MET", **_ENDS_4}],
    "instructions": [{"name": "how", "text": "briefly"}],
    "agent_id": "fresh-agent",
    "security_domain": "a:b",
    "objective": "alpha-secret objective",
    "event_type": "feedback",
    "expected_revision": 1,
    "highest_accepted_sequence": 1,
    "reason": "hello",
    **_ENDS_4,
}
OWN_SAMPLES_4: dict[str, dict[str, Any]] = {
    "/api/v4/graphs/{graph_uuid}/hyperedges": {"edges": [{"name": "MET", **_ENDS_4}]},
    "/api/v4/agents/list": {"agent_id": None},
    "/api/v4/agents/{agent_uuid}/traces/{trace_uuid}/close": {"outcome": "succeeded"},
    "/api/v4/agents/{agent_uuid}/traces/{trace_uuid}/reopen": {"expected_revision": 2},
    "/api/v4/tasks": {"type": "thread.add_messages"},
}


# Values of the same fields for MemMachine clients, and of fields that only they send.
MEMORY_SAMPLES: dict[str, Any] = {
    "org_id": "universal",
    "messages": [{"content": "hello", "metadata": {"user_id": "alpha-secret user"}}],
    "type": "episodic",
    "episodes": 3,
    "metadata": {"touched": "yes"},
    "metadata_tags": ["team_id"],
    "set_metadata": {"user_id": "alpha-secret user", "team_id": "a team"},
    "filter": "metadata.user_id = 'alpha-secret user'",
    "category_name": "another category",
    "prompt": "what is alpha-secret",
    "tag": "alpha-secret tag",
    "tag_name": "another tag",
    "tag_description": "another",
    "feature": "bread",
    "value": "alpha-secret value",
    "provider": "openai",
    "config": {},
}


def is_memory(route: Route) -> bool:
    """Whether a route is for MemMachine clients, which get errors in a format of their own."""
    return route.refusal is reply_for


def is_generation_4(route: Route) -> bool:
    """Whether a route is for Zep v4 clients, which use the server's ids."""
    return route.refusal is reply_for_4


def samples(route: Route) -> dict[str, Any]:
    """Sample values for the fields of a route."""
    if is_memory(route):
        return {**SAMPLES, **MEMORY_SAMPLES}
    if is_generation_4(route):
        return {**SAMPLES, **SAMPLES_4, **(OWN_SAMPLES_4.get(route.path) or {})}
    return {**SAMPLES, **LOG_SAMPLES} if route.path.startswith(LOGS) else SAMPLES


def parameters(route: Route) -> list[str]:
    """The path parameters of a route."""
    return PARAMETER.findall(route.path)


def fields(model: Any) -> dict[str, msgspec.structs.FieldInfo]:
    """A wire model's fields by their name on the wire."""
    if model is Nothing or not isinstance(model, type) or not issubclass(model, msgspec.Struct):
        return {}
    return {field.encode_name: field for field in msgspec.structs.fields(model)}


def _key_of(route: Route, name: str) -> str | None:
    if is_generation_4(route):
        return _key_of_4(route, name)
    if name == "uuid":
        return next((v for k, v in UUID_OF_PATH.items() if route.path.startswith(k)), None)
    return CALLER_IDS.get(name) or SERVER_IDS.get(name)


def _key_of_4(route: Route, name: str) -> str | None:
    """The key of a server's id for Zep v4; a graph is the one that contains the path's other objects."""
    if name == "graph_uuid":
        others = {"node_uuid", "edge_uuid", "observation_uuid"}.intersection(parameters(route))
        return "user_graph_uuid" if others or route.path.endswith("/subgraph") else name
    if name == "trace_uuid" and route.path.endswith("/reopen"):
        return "ended_trace"
    return IDS_4.get(name) or CALLER_IDS.get(name)


def _inner(model: Any) -> Any:
    return get_args(model)[0] if get_origin(model) is list else model


def missing_values() -> Iterator[str]:
    """Parameters and fields in the route table that this module does not know."""
    for route in route_table():
        if route.public:
            continue
        for name in parameters(route):
            if name not in NAMELESS and _key_of(route, name) is None:
                yield f"path parameter {name!r} of {route.method} {route.path}"
        for place, model in (("body", _inner(route.body)), ("query", route.query)):
            for name, field in fields(model).items():
                if name in NAMELESS or name in samples(route) or name in {"projectId", "items"}:
                    continue
                if ID_FIELD.search(name) and _key_of(route, name) is None:
                    yield f"id field {name!r} in the {place} of {route.method} {route.path}"
                elif field.required and _key_of(route, name) is None:
                    yield f"required field {name!r} in the {place} of {route.method} {route.path}"


def _value(route: Route, name: str, of: Tenant, *, shared: bool) -> Any:
    key = _key_of(route, name)
    if key is None:
        return "nameless"
    if shared and name in CALLER_IDS:
        return f"shared-{key.removesuffix('_id').removesuffix('_name')}"
    return of.values[key]


def _filled(route: Route, model: Any, of: Tenant, *, shared: bool, project: str) -> Any:
    """A body or a query with all required fields and all fields that name an object."""
    if get_origin(model) is list:
        (inner,) = get_args(model)
        if inner is str:
            return [of.values["document"]]
        return [_filled(route, inner, of, shared=shared, project=project)]
    filled: dict[str, Any] = {}
    for name, info in fields(model).items():
        if name == "projectId":
            filled[name] = project if shared else of.values["project_uuid"]
        elif name == "items":
            filled[name] = _items(route, of, shared=shared)
        elif name in samples(route) and (info.required or name not in {"name", "action"}):
            filled[name] = samples(route)[name]
        elif (name in {"template_id", "template_uuid", "import_uuid"} and not info.required) or (
            name == "version" and is_generation_4(route)
        ):
            continue
        elif (
            name == "uuid"
            or name in (IDS_4 if is_generation_4(route) else SERVER_IDS)
            or name in CALLER_IDS
        ):
            value = _value(route, name, of, shared=shared)
            filled[name] = [value] if name.endswith("s") else value
    return _one_target(filled)


def _items(route: Route, of: Tenant, *, shared: bool) -> list[dict[str, Any]]:
    """Items of a batch: one for a thread, one for a graph, one for a user's graph."""
    if is_generation_4(route):
        thread, graph, user = (of.values[n] for n in ("thread_uuid", "graph_uuid", "user_uuid"))
        piece = {"type": "graph_episode", "data": "hello", "data_type": "text"}
        said = {"type": "thread_message", "thread_uuid": thread, "role": "user", "content": "hello"}
        return [said, {**piece, "graph_uuid": graph}, {**piece, "user_uuid": user}]
    thread, graph, user = (
        _value(route, name, of, shared=shared) for name in ("thread_id", "graph_id", "user_id")
    )
    piece = {"type": "graph_episode", "data": "hello", "data_type": "text"}
    said = {"type": "thread_message", "thread_id": thread, "role": "user", "content": "hello"}
    return [said, {**piece, "graph_id": graph}, {**piece, "user_id": user}]


def _one_target(filled: dict[str, Any]) -> dict[str, Any]:
    """A request may name a graph in one way only, and so may each end of a copy."""
    for prefix in ("", "source_", "target_"):
        if {f"{prefix}user_id", f"{prefix}graph_id"} <= filled.keys():
            others = {f"{prefix}user_id", f"{prefix}group_id"}
            filled = {k: v for k, v in filled.items() if k not in others}
    return filled


def _of_a_user(route: Route, body: dict[str, Any], of: Tenant, *, shared: bool) -> dict[str, Any]:
    """The same request with users instead of graphs."""
    changed = dict(body)
    for name in ("graph_id", "source_graph_id", "target_graph_id"):
        if changed.pop(name, None) is not None:
            user = name.replace("graph", "user")
            changed[user] = SAMPLES.get(user) or _value(route, user, of, shared=shared)
    return changed


def requests(
    route: Route, of: Tenant, *, shared_path: bool, shared_body: bool, project: str | None = None
) -> list[Asked]:
    """The requests on a route that name objects of *of*, by shared ids or by its own.

    *project* is the caller's own project, which some queries have to name.
    """
    own = project or of.values["project_uuid"]
    path = PARAMETER.sub(
        lambda found: str(_value(route, found[1], of, shared=shared_path)), route.path
    )
    body = _filled(route, route.body, of, shared=shared_body, project=own)
    asked_query = _filled(route, route.query, of, shared=shared_body, project=own)
    query = "&".join(f"{name}={value}" for name, value in asked_query.items())
    asked = [Asked(route, path, query, body)]
    for graph, user in (("graph_id", "user_id"), ("source_graph_id", "source_user_id")):
        if graph in body and user in fields(route.body):
            other = _of_a_user(route, body, of, shared=shared_body)
            asked.append(Asked(route, path, query, other))
    if "graph_id" in asked_query and "user_id" in fields(route.query):
        user = _value(route, "user_id", of, shared=shared_body)
        asked.append(Asked(route, path, f"user_id={user}", body))
    if isinstance(body, dict) and not SEARCHES.isdisjoint(body):
        plain = {k: v for k, v in body.items() if k not in SEARCHES}
        asked.append(Asked(route, path, query, plain))
        if route.path == "/api/v2/graph/search":
            asked += [Asked(route, path, query, {**plain, **scope}) for scope in SCOPES]
    if route.path.endswith("/search") and "text" in fields(route.body):
        asked += [Asked(route, path, query, other) for other in _older_searches(route, body)]
    return asked


def _older_searches(route: Route, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The searches of Zep v2: over all metadata, in each scope, of a user or of sessions."""
    plain = {k: v for k, v in body.items() if k != "metadata"}
    yield plain
    if "search_scope" not in fields(route.body):
        return
    for scope in ("messages", "facts", "summary"):
        for left_out in ("", "user_id", "session_ids"):
            kept = {k: v for k, v in plain.items() if k != left_out}
            yield {**kept, "search_scope": scope}


# The other scopes of a search.
SCOPES: list[dict[str, Any]] = [
    {"scope": "edges"},
    {"scope": "nodes"},
    {"scope": "observations"},
    {"scope": "thread_summaries"},
    {"scope": "auto", "return_raw_results": True},
]

# Fields that narrow a request; without them it asks for everything.
SEARCHES = {
    "center_node_uuid",
    "bfs_origin_node_uuids",
    "mentioned_node_uuids",
    "uuid_cursor",
    "source_node_uuid",
    "target_node_uuid",
    "fact_uuid",
    "set_metadata",
    "filter",
}


def variants(route: Route, of: Tenant, project: str) -> list[Asked]:
    """Every way to name objects of *of* on a route, without duplicates."""
    found: dict[str, Asked] = {}
    for shared_path in (False, True):
        for shared_body in (False, True):
            for asked in requests(
                route, of, shared_path=shared_path, shared_body=shared_body, project=project
            ):
                found[str(asked)] = asked
    return list(found.values())


def rows_of(folder: Path, project: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row that belongs to a project by foreign keys, per table."""
    with behind(folder) as connection:
        names = [name for name in connection.tables() if name != "schema_version"]
        return {
            name: sorted(
                connection.execute(_owned(connection, name), (project,)).fetchall(), key=repr
            )
            for name in names
        }


def _owned(connection: Rows, table: str) -> str:
    """SQL for the rows of a table that a project owns; fails if no foreign key leads to a project."""
    if table == "projects":
        return "SELECT * FROM projects WHERE name = ?"
    links = connection.parents(table)
    assert links, f"no foreign key leads from {table} to its project"
    column, parent = next(
        ((c, p) for c, p in links.items() if p == "projects"), next(iter(links.items()))
    )
    inner = _owned(connection, parent).replace("SELECT *", "SELECT id", 1)
    return f"SELECT * FROM {table} WHERE {column} IN ({inner})"  # noqa: S608
