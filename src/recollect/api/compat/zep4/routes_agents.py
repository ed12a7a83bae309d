"""Agents. What they did is remembered in a graph of their own, which has their uuid."""

from dataclasses import replace

from msgspec import UNSET, UnsetType

from recollect.api import once
from recollect.api.compat.zep import translate
from recollect.api.compat.zep4 import answers, paging, routes_search, show_agents
from recollect.api.compat.zep4.wire import agents as wire
from recollect.api.compat.zep4.wire import search, tasks
from recollect.api.compat.zep4.wire.base import Json, Page4
from recollect.api.http import Reply
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput, NotOffered
from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from recollect.subjects import agents, erasing, traces
from recollect.subjects.agents import Agent, AgentDetails, Wanted

_NO_SETTINGS = (
    "memory_settings: this server learns no skills, so nobody would hold to them; what was said in "
    "traces is remembered in the graph of the agent"
)


def _no_settings(sent: Json | None) -> None:
    if sent:
        raise NotOffered(_NO_SETTINGS)


def owner(tx: Transaction, access: Access, path: dict[str, str]) -> Agent:
    """The agent that a path names."""
    return agents.get(tx, access, path["agent_uuid"])


def _create(tx: Transaction, access: Access, sent: wire.CreateAgent4) -> Done:
    details = AgentDetails(
        name=sent.name,
        description=sent.description,
        deployment_id=sent.deployment_id,
        version=sent.version,
        metadata=sent.metadata,
    )
    made = agents.create(tx, access, sent.agent_id, sent.security_domain, details)
    return Done(answer=show_agents.agent(made), graph_id=made.graph.id, made=made)


async def create(call: Call) -> Reply:
    """A new agent with an empty graph of its own."""
    sent: wire.CreateAgent4 = call.body
    _no_settings(sent.memory_settings)
    return await once.write(call, _create, sent)


def _get(tx: Transaction, access: Access, path: dict[str, str]) -> wire.Agent4:
    return show_agents.agent(owner(tx, access, path))


async def get(call: Call) -> wire.Agent4:
    """An agent by its uuid."""
    return await call.services.store.glance(_get, call.access, call.path)


def _update(tx: Transaction, access: Access, path: dict[str, str], sent: wire.UpdateAgent4) -> Done:
    old = owner(tx, access, path).details
    told = AgentDetails(
        name=old.name if sent.name is None else sent.name,
        description=_or(sent.description, old.description),
        deployment_id=_or(sent.deployment_id, old.deployment_id),
        version=_or(sent.version, old.version),
        metadata=old.metadata if isinstance(sent.metadata, UnsetType) else sent.metadata,
    )
    made = agents.update(tx, access, path["agent_uuid"], sent.expected_revision, told)
    return Done(answer=show_agents.agent(made), graph_id=made.graph.id, made=made)


def _or(sent: str | UnsetType | None, old: str | None) -> str | None:
    return old if sent is UNSET or isinstance(sent, UnsetType) else sent


async def update(call: Call) -> Reply:
    """Change what is given of an agent, unless somebody else did meanwhile."""
    _no_settings(call.body.memory_settings)
    return await once.write(call, _update, call.path, call.body)


def _delete(tx: Transaction, access: Access, path: dict[str, str], expected: int) -> Done:
    found = owner(tx, access, path)
    agents.expect(expected, found.revision)
    erased = erasing.graph(tx, access, found.agent_id)
    task = answers.task(tx, access, erased.uuid, "agent.delete")
    return Done(answer=tasks.TaskAnswer4(task=task), erased=erased)


async def delete(call: Call) -> Reply:
    """Forget an agent with its traces and its graph; the task ends when the files are wiped."""
    return await once.write(call, _delete, call.path, call.body.expected_revision)


async def list_all(call: Call) -> Page4[wire.Agent4]:
    """A page of agents, the newest first unless asked otherwise."""
    sent: wire.ListAgents4 = call.body
    if sent.status not in (None, "active"):
        return Page4(items=[])  # what is deleted is gone at once, and nothing fails at it
    wanted = Wanted(
        agent_id=sent.agent_id,
        deployment_id=sent.deployment_id,
        version=sent.version,
        metadata=sent.metadata,
        search=translate.search_text(sent.search or ""),
    )
    request = paging.keyset(call.query, "created_at")
    page = await call.services.store.read(agents.page, call.access, wanted, request)
    items = [show_agents.agent(one) for one in page.items]
    return Page4(items=items, next_cursor=page.next_cursor)


def _asked(
    tx: Transaction, access: Access, path: dict[str, str], sent: wire.AskAgentContext4
) -> tuple[str, str | None]:
    """The objective that is asked about, and the family of tasks it belongs to."""
    agent = owner(tx, access, path)
    if sent.trace_uuid is None:
        return sent.objective or "", sent.task_family
    trace = traces.get(tx, access, agent, sent.trace_uuid)
    return sent.objective or trace.objective, sent.task_family or trace.task_family


async def get_context(call: Call) -> wire.AgentContext4:
    """What an agent's traces taught about an objective, as one text for a prompt."""
    sent: wire.AskAgentContext4 = call.body
    objective, family = await call.services.store.glance(_asked, call.access, call.path, sent)
    if not objective.strip():
        raise InvalidInput("objective: is required, unless a trace is named")
    asked = search.ContextRequest4(query=objective, max_characters=sent.max_characters)
    meant = replace(call, path={"graph_uuid": call.path["agent_uuid"]}, body=asked)
    found = await routes_search.get_context(meant)
    return wire.AgentContext4(
        context=found.context,
        objective=objective,
        task_family=family,
        trace_uuid=sent.trace_uuid,
        truncated=found.truncated,
    )


_AGENT = "/agents/{agent_uuid}"

ROUTES = [
    Route(
        "POST",
        "/agents",
        "agent.create",
        create,
        "Create an agent",
        body=wire.CreateAgent4,
        answer=wire.Agent4,
    ),
    Route(
        "POST",
        "/agents/list",
        "agent.list",
        list_all,
        "List agents",
        body=wire.ListAgents4,
        query=wire.AgentsQuery4,
        answer=Page4[wire.Agent4],
        reads=True,
    ),
    Route("GET", _AGENT, "agent.get", get, "Get an agent", answer=wire.Agent4),
    Route(
        "PATCH",
        _AGENT,
        "agent.update",
        update,
        "Update an agent",
        body=wire.UpdateAgent4,
        answer=wire.Agent4,
    ),
    Route(
        "DELETE",
        _AGENT,
        "agent.delete",
        delete,
        "Delete an agent with its traces and its graph",
        body=wire.Expected4,
        answer=tasks.TaskAnswer4,
    ),
    Route(
        "POST",
        f"{_AGENT}/context",
        "agent.get_context",
        get_context,
        "Get what an agent knows for an objective",
        body=wire.AskAgentContext4,
        answer=wire.AgentContext4,
        reads=True,
    ),
]
