"""Agents. What an agent did is remembered in a graph of its own, which has the agent's uuid."""

from msgspec import UNSET, UnsetType

from recollect.app import tasks
from recollect.app.idempotency import Done, repeatable
from recollect.app.tasks import Tracked
from recollect.app.units import glances, reads
from recollect.graph.types import Access, Json, Record
from recollect.records import agents, erasing
from recollect.records.agents import AgentDetails, AgentRecord
from recollect.store.protocol import Transaction


class AgentChange(Record):
    """A partial update of an agent: fields left UNSET keep their value, and the name cannot be removed."""

    name: str | None = None
    description: str | UnsetType | None = UNSET
    deployment_id: str | UnsetType | None = UNSET
    version: str | UnsetType | None = UNSET
    metadata: Json | UnsetType | None = UNSET


@repeatable
def create(
    tx: Transaction, access: Access, agent_id: str, security_domain: str, details: AgentDetails
) -> Done[AgentRecord]:
    """A new agent with an empty graph of its own."""
    made = agents.create(tx, access, agent_id, security_domain, details)
    return Done(value=made, graph_id=made.graph.id, made=made)


get = glances(agents.get)


@repeatable
def update(
    tx: Transaction, access: Access, uuid: str, expected_revision: int, change: AgentChange
) -> Done[AgentRecord]:
    """Update the given fields of an agent; fails if its revision is no longer the expected one."""
    old = agents.get(tx, access, uuid).details
    given = {
        name: getattr(change, name)
        for name in ("description", "deployment_id", "version", "metadata")
    }
    kept = {name: getattr(old, name) if value is UNSET else value for name, value in given.items()}
    details = AgentDetails(name=old.name if change.name is None else change.name, **kept)
    made = agents.update(tx, access, uuid, expected_revision, details)
    return Done(value=made, graph_id=made.graph.id, made=made)


@repeatable
def delete(tx: Transaction, access: Access, uuid: str, expected_revision: int) -> Done[Tracked]:
    """Erase an agent with its traces and its graph; the task completes once the files are wiped."""
    found = agents.get(tx, access, uuid)
    agents.expect(expected_revision, found.revision)
    erased = erasing.graph(tx, access, found.agent_id)
    task = tasks.of_write(tx, access, erased.uuid, "agent.delete")
    return Done(value=task, made=erased, erased=erased)


page = reads(agents.page)
