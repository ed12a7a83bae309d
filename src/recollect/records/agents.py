"""Agents: actors on somebody's behalf. Each has a standalone graph of its own.

The graph holds what was said in the agent's traces; its id and name are those of the agent.
"""

import re
from datetime import datetime
from typing import Any

from recollect.errors import AlreadyExists, Conflict, InvalidInput, NotFound
from recollect.graph import checks
from recollect.graph.types import Access, Graph, Json, Record
from recollect.limits import NAME_CHARS_MAX
from recollect.records import graphs
from recollect.records.graphs import GraphDetails
from recollect.records.pages import Page, PageRequest, page_seen
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.agents import AgentRow
from recollect.store.statements import Keyed

_DOMAIN = re.compile(r"[a-z0-9:._-]{1,200}")
VERSION_DEFAULT = "default"


class AgentDetails(Record):
    """What a caller can set for an agent."""

    name: str
    description: str | None = None
    deployment_id: str | None = None
    version: str | None = None
    metadata: Json | None = None


class AgentRecord(Record):
    """An agent. *revision* counts changes, for optimistic concurrency control."""

    graph: Graph
    agent_id: str
    security_domain: str
    details: AgentDetails
    revision: int
    created_at: datetime
    updated_at: datetime

    @property
    def uuid(self) -> str:
        """The uuid of the agent and of its graph."""
        return self.graph.uuid


class AgentFilter(Record):
    """Filters for agents; None does not filter."""

    agent_id: str | None = None
    deployment_id: str | None = None
    version: str | None = None
    metadata: Json | None = None
    search: str = ""


def create(
    tx: Transaction, access: Access, agent_id: str, security_domain: str, details: AgentDetails
) -> AgentRecord:
    """Create an agent with an empty graph."""
    if _DOMAIN.fullmatch(security_domain) is None:
        raise InvalidInput(
            "security_domain: 1 to 200 lowercase letters, digits, colons, dots, hyphens and underscores"
        )
    _check(details)
    checks.caller_id("agent_id", agent_id)
    if graphs.find(tx, access, "standalone", agent_id) is not None:
        raise AlreadyExists(f"agent_id: {agent_id!r} is already the id of an agent or a graph")
    about = GraphDetails(name=details.name, description=details.description)
    graph = graphs.create(tx, access, agent_id, about, field="agent_id")
    tx.agents.insert(
        graph_id=graph.id,
        security_domain=security_domain,
        deployment_id=details.deployment_id,
        version=details.version or VERSION_DEFAULT,
        metadata=rows.to_json(details.metadata),
    )
    return get(tx, access, graph.uuid)


def _check(details: AgentDetails) -> None:
    checks.text("name", details.name, NAME_CHARS_MAX, required=True)
    checks.text("deployment_id", details.deployment_id, NAME_CHARS_MAX)
    checks.text("version", details.version, NAME_CHARS_MAX)
    checks.json_object("metadata", details.metadata)


def get(tx: Transaction, access: Access, uuid: str) -> AgentRecord:
    """An agent by its uuid."""
    row = tx.agents.by_uuid(uuid=uuid, project_id=access.project_id)
    if row is None:
        raise NotFound(f"agent not found: {uuid}")
    return _agent(row)


def update(
    tx: Transaction, access: Access, uuid: str, expected_revision: int, details: AgentDetails
) -> AgentRecord:
    """Replace an agent's details, if it has not changed since the caller read it."""
    agent = get(tx, access, uuid)
    expect(expected_revision, agent.revision)
    _check(details)
    about = GraphDetails(
        name=details.name,
        description=details.description,
        time_zone=agent.graph.time_zone,
        rating=agent.graph.rating,
    )
    graphs.change(tx, agent.graph, about)
    tx.agents.update(
        graph_id=agent.graph.id,
        deployment_id=details.deployment_id,
        version=details.version,
        metadata=rows.to_json(details.metadata),
    )
    return get(tx, access, uuid)


def expect(expected: int | None, revision: int) -> None:
    """Refuse a change based on an outdated revision."""
    if expected is not None and expected != revision:
        raise Conflict(f"expected_revision: the revision is {revision}, not {expected}")


def page(
    tx: Transaction, access: Access, wanted: AgentFilter, request: PageRequest
) -> Page[AgentRecord]:
    """A page of a project's agents that pass the filter."""

    def read(bounds: dict[str, Any]) -> list[Keyed[AgentRow]]:
        return tx.agents.page(
            order=request.order,
            project_id=access.project_id,
            agent_id=wanted.agent_id,
            deployment_id=wanted.deployment_id,
            version=wanted.version,
            search=wanted.search,
            **bounds,
        )

    def tell(found: list[AgentRow]) -> dict[int, AgentRecord]:
        several = ((row.id, _agent(row)) for row in found)
        return {id_: one for id_, one in several if contains(one.details.metadata, wanted.metadata)}

    return page_seen(read, request, tell, narrowing=bool(wanted.metadata))


def contains(metadata: Json | None, wanted: Json | None) -> bool:
    """Whether metadata contains all the given pairs."""
    had = metadata or {}
    return all(name in had and had[name] == value for name, value in (wanted or {}).items())


def _agent(row: AgentRow) -> AgentRecord:
    graph = rows.graph(row)
    details = AgentDetails(
        name=graph.name or "",
        description=graph.description,
        deployment_id=row.deployment_id,
        version=row.version,
        metadata=rows.from_json(row.metadata),
    )
    return AgentRecord(
        graph=graph,
        agent_id=graph.graph_id,
        security_domain=row.security_domain,
        details=details,
        revision=row.revision,
        created_at=graph.created_at,
        updated_at=graph.updated_at,
    )
