"""A small memory with everything that a file of ours can hold, and calls to carry it."""

import io
from pathlib import Path
from typing import Any

from recollect.exchange import exporter, importer
from recollect.exchange.exporter import Exported, ExportRequest
from recollect.exchange.importer import Imported, ImportTarget
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.records import collections, user_groups, users
from recollect.records.collections import NewDocument
from recollect.store.protocol import Store, Transaction
from tests.support.memory import Memory
from tests.support.session_log import Session, item
from tests.support.stores import open_store

INSTRUCTION = {"name": "aims", "text": "What does this person aim for?"}


def unseen(done: int) -> None:
    """Nobody watches."""


def first_project(tx: Transaction) -> None:
    """What a server makes when it starts first."""
    if tx.projects.by_name(name=keys.DEFAULT_PROJECT) is None:
        keys.create_project(tx, keys.DEFAULT_PROJECT)


async def export(store: Store, **which: Any) -> tuple[bytes, Exported]:
    """A file in memory, and what was told of it."""
    project = await store.read(keys.project_named, keys.DEFAULT_PROJECT)
    sink = io.BytesIO()
    told = await store.read(
        exporter.export, ExportRequest(project=project, **which), sink.write, unseen
    )
    return sink.getvalue(), told


async def load(store: Store, file: bytes, **target: Any) -> Imported:
    """A file read into a store."""
    await store.write(first_project)
    return await store.write(importer.load, io.BytesIO(file), ImportTarget(**target), unseen)


def opened(folder: Path) -> Store:
    """An empty store."""
    return open_store(folder, readers=1)


def without_moment(file: bytes) -> list[bytes]:
    """The lines of a file but the first, which tells when it was written."""
    return file.splitlines()[1:]


async def fill(memory: Memory) -> None:
    """Users, threads, graphs, guidance, groups, collections, logs, and things done by hand."""
    await memory.thread("t1")
    await memory.say(
        "t1",
        {"content": "I work at Acme in Paris.", "created_at": "2024-01-02T10:00:00Z"},
        {"content": "My sister Eva lives in Rome.", "created_at": "2024-01-02T10:01:00Z"},
        {"role": "assistant", "name": "Bot", "content": "Nice to hear, Ann!"},
    )
    await memory.say("t1", {"content": "I left Acme. I work at Initech now."})
    await memory.say("t1", {"content": "Hello there."}, ignore_roles=["user"])
    await memory.tell("Tom leads Project Apollo. Tom lives in Berlin.", {"team": "blue"})
    await memory.tell('{"name": "Rex", "kind": "dog", "owner": "Tom"}', type="json")
    (edge,) = [one for one in await memory.listed("edge") if "Berlin" in one["fact"]]
    await memory.send(
        200, "PATCH", f"/graph/edge/{edge['uuid']}", {"fact": "Tom lives in Hamburg."}
    )
    await memory.post(
        "/graph/add-fact-triple",
        {"graph_id": "g", "fact": "Tom owns Rex", "fact_name": "OWNS",
         "source_node_name": "Tom", "target_node_name": "Rex"},
    )  # fmt: skip
    await memory.learn()
    await _fill_sorting(memory)
    await _fill_project(memory)
    await memory.learn()
    await memory.post("/graph", {"graph_id": "g", "type": "text", "data": "Not read yet."})


async def _fill_sorting(memory: Memory) -> None:
    """What a memory client says and how it sorts what is known; `g` is its project g."""
    place = {"org_id": "universal", "project_id": "g"}
    said = {"content": "I like tea.", "producer": "Tom", "metadata": {"session_id": "s1"}}
    await memory.send(200, "POST", "/memories", {**place, "messages": [said]})
    kind = {**place, "metadata_tags": ["team"]}
    made = (await memory.send(201, "POST", "/memories/semantic/set_type", kind)).json()
    template = {**place, **made, "category_name": "work", "prompt": ""}
    added = await memory.send(201, "POST", "/memories/semantic/category/template", template)
    tag = {**place, **added.json(), "tag_name": "job", "tag_description": ""}
    await memory.send(201, "POST", "/memories/semantic/category/tag", tag)
    chosen = {**kind, "set_metadata": {"team": "blue"}}
    of_set = await memory.send(200, "POST", "/memories/semantic/set_id/get", chosen)
    off = {**place, **of_set.json(), "category_name": "work"}
    await memory.send(204, "POST", "/memories/semantic/category/disable", off)


async def _fill_project(memory: Memory) -> None:
    """What belongs to no single graph."""
    rule = {"effect": "allow", "actions": ["graph.get"]}
    await memory.key(rule)
    await memory.post("/user-summary-instructions", {"instructions": [INSTRUCTION]})
    on_ann = {"instructions": [INSTRUCTION], "user_ids": ["ann"]}
    await memory.post("/user-summary-instructions", on_ann)
    await memory.running.services.store.write(_group_and_collection)
    session = Session(memory)
    await session.ask("POST", "/api/v1/sessions", {"session_id": "s", "user_id": "ann"})
    await session.append(item("I am allergic to peanuts."))
    await session.ask("POST", "/api/v1/sessions", {"session_id": "nobody"})
    await _fill_agent(session)


async def _fill_agent(session: Session) -> None:
    """An agent, and what was said in a trace of it."""
    named = {"agent_id": "helper", "name": "Helper", "security_domain": "a:b"}
    agent = (await session.ask("POST", "/api/v4/agents", named)).json()
    path = f"/api/v4/agents/{agent['uuid']}/traces"
    trace = (await session.ask("POST", path, {"objective": "Help.", "trace_id": "one"})).json()
    said = {"event_type": "feedback", "content": "Tom likes tea.", "event_id": "first"}
    await session.ask("POST", f"{path}/{trace['uuid']}/events", said)
    await session.ask("POST", f"{path}/{trace['uuid']}/close", {"outcome": "succeeded"})


def _group_and_collection(tx: Transaction) -> None:
    project = keys.project_named(tx, keys.DEFAULT_PROJECT)
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    group = user_groups.create(tx, access, "staff", "Who works here")
    user_groups.add_members(tx, access, group.uuid, [users.get(tx, access, "ann").uuid])
    row = tx.exchange.export("policy_sets", project_id=project.id, after=0, limit=1)[0]
    # As an earlier release did.
    attached = {"group_id": group.uuid, "policy_set_id": row["uuid"]}
    tx.exchange.put("user_group_policy_set", project_id=project.id, **attached)
    collections.create(tx, access, "papers", None, None)
    document = NewDocument(content="The moon is far away.", terms=b"moon")
    collections.add(tx, access, "papers", [document])
