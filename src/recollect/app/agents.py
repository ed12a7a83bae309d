"""Agents. What they did is remembered in a graph of their own, which has their uuid."""

from msgspec import UNSET, UnsetType

from recollect.app import tasks
from recollect.app.idempotency import Done, Once, write
from recollect.app.services import Services
from recollect.app.tasks import Tracked
from recollect.graph.types import Access, Json, Record
from recollect.records import agents, erasing
from recollect.records.agents import AgentDetails, AgentFilter, AgentRecord
from recollect.records.pages import Page, PageRequest
from recollect.store.protocol import Transaction


class AgentChange(Record):
    """What is said anew about an agent; what is left out stays, and a name cannot be taken away."""

    name: str | None = None
    description: str | UnsetType | None = UNSET
    deployment_id: str | UnsetType | None = UNSET
    version: str | UnsetType | None = UNSET
    metadata: Json | UnsetType | None = UNSET


async def create(
    services: Services,
    access: Access,
    agent_id: str,
    security_domain: str,
    details: AgentDetails,
    *,
    once: Once | None = None,
) -> AgentRecord:
    """A new agent with an empty graph of its own."""
    return await write(services, access, once, _create, agent_id, security_domain, details)


def _create(
    tx: Transaction,
    access: Access,
    agent_id: str,
    security_domain: str,
    details: AgentDetails,
) -> Done[AgentRecord]:
    made = agents.create(tx, access, agent_id, security_domain, details)
    return Done(value=made, graph_id=made.graph.id, made=made)


async def get(services: Services, access: Access, uuid: str) -> AgentRecord:
    """An agent by its uuid."""
    return await services.store.glance(agents.get, access, uuid)


async def update(
    services: Services,
    access: Access,
    uuid: str,
    expected_revision: int,
    change: AgentChange,
    *,
    once: Once | None = None,
) -> AgentRecord:
    """Change what is given of an agent, unless somebody else did meanwhile."""
    return await write(services, access, once, _update, uuid, expected_revision, change)


def _update(
    tx: Transaction, access: Access, uuid: str, expected_revision: int, change: AgentChange
) -> Done[AgentRecord]:
    old = agents.get(tx, access, uuid).details
    given = {
        name: getattr(change, name)
        for name in ("description", "deployment_id", "version", "metadata")
    }
    kept = {name: getattr(old, name) if value is UNSET else value for name, value in given.items()}
    details = AgentDetails(name=old.name if change.name is None else change.name, **kept)
    made = agents.update(tx, access, uuid, expected_revision, details)
    return Done(value=made, graph_id=made.graph.id, made=made)


async def delete(
    services: Services,
    access: Access,
    uuid: str,
    expected_revision: int,
    *,
    once: Once | None = None,
) -> Tracked:
    """Erase an agent with its traces and its graph; the task ends when the files are wiped."""
    return await write(services, access, once, _delete, uuid, expected_revision)


def _delete(tx: Transaction, access: Access, uuid: str, expected_revision: int) -> Done[Tracked]:
    found = agents.get(tx, access, uuid)
    agents.expect(expected_revision, found.revision)
    erased = erasing.graph(tx, access, found.agent_id)
    task = tasks.of_write(tx, access, erased.uuid, "agent.delete")
    return Done(value=task, made=erased, erased=erased)


async def page(
    services: Services, access: Access, wanted: AgentFilter, request: PageRequest
) -> Page[AgentRecord]:
    """A page of agents."""
    return await services.store.read(agents.page, access, wanted, request)
