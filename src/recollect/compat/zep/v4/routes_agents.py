"""Agents. What an agent did is remembered in a graph of its own, which has the agent's uuid."""

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import agents, traces
from recollect.app.agents import AgentChange
from recollect.app.refs import GraphRef
from recollect.app.traces import TraceRef
from recollect.compat.zep import translate as translate3
from recollect.compat.zep.v4 import idempotency, paging, routes_search, translate
from recollect.compat.zep.v4.wire import agents as wire
from recollect.compat.zep.v4.wire import search, tasks
from recollect.compat.zep.v4.wire.base import Json, Page4
from recollect.errors import InvalidInput, NotOffered
from recollect.records.agents import AgentDetails, AgentFilter

_NO_SETTINGS = (
    "memory_settings: this server learns no skills, so nobody would hold to them; what was said in "
    "traces is remembered in the graph of the agent"
)


def _no_settings(sent: Json | None) -> None:
    if sent:
        raise NotOffered(_NO_SETTINGS)


async def create(call: Call) -> Reply:
    """A new agent with an empty graph of its own."""
    sent: wire.CreateAgent4 = call.body
    _no_settings(sent.memory_settings)
    details = AgentDetails(
        name=sent.name,
        description=sent.description,
        deployment_id=sent.deployment_id,
        version=sent.version,
        metadata=sent.metadata,
    )
    given = (sent.agent_id, sent.security_domain, details)
    create = agents.create.bind(call.services, call.access, *given)
    return await idempotency.write(call, create, translate.agent)


async def get(call: Call) -> wire.Agent4:
    """An agent by its uuid."""
    found = await agents.get(call.services, call.access, call.path["agent_uuid"])
    return translate.agent(found)


async def update(call: Call) -> Reply:
    """Change what is given of an agent, unless somebody else did meanwhile."""
    sent: wire.UpdateAgent4 = call.body
    _no_settings(call.body.memory_settings)
    change = AgentChange(
        name=sent.name,
        description=sent.description,
        deployment_id=sent.deployment_id,
        version=sent.version,
        metadata=sent.metadata,
    )
    given = (call.path["agent_uuid"], sent.expected_revision, change)
    update = agents.update.bind(call.services, call.access, *given)
    return await idempotency.write(call, update, translate.agent)


async def delete(call: Call) -> Reply:
    """Forget an agent with its traces and its graph; the task ends when the files are wiped."""
    given = (call.path["agent_uuid"], call.body.expected_revision)
    delete = agents.delete.bind(call.services, call.access, *given)
    return await idempotency.write(call, delete, translate.task_answer)


async def list_all(call: Call) -> Page4[wire.Agent4]:
    """A page of agents, the newest first unless asked otherwise."""
    sent: wire.ListAgents4 = call.body
    if sent.status not in (None, "active"):
        return Page4(items=[])  # deletions take effect at once and cannot fail
    wanted = AgentFilter(
        agent_id=sent.agent_id,
        deployment_id=sent.deployment_id,
        version=sent.version,
        metadata=sent.metadata,
        search=translate3.search_text(sent.search or ""),
    )
    request = paging.keyset(call.query, "created_at")
    page = await agents.page(call.services, call.access, wanted, request)
    items = [translate.agent(one) for one in page.items]
    return Page4(items=items, next_cursor=page.next_cursor)


async def get_context(call: Call) -> wire.AgentContext4:
    """What an agent's traces taught about an objective, as one text for a prompt."""
    sent: wire.AskAgentContext4 = call.body
    agent_uuid = call.path["agent_uuid"]
    objective, family = sent.objective, sent.task_family
    if sent.trace_uuid is None:
        await agents.get(call.services, call.access, agent_uuid)
    else:
        ref = TraceRef(agent_uuid=agent_uuid, trace_uuid=sent.trace_uuid)
        trace = (await traces.get(call.services, call.access, ref)).value
        objective, family = objective or trace.objective, family or trace.task_family
    if not objective or not objective.strip():
        raise InvalidInput("objective: is required, unless a trace is named")
    asked = search.ContextRequest4(query=objective, max_characters=sent.max_characters)
    found = await routes_search.context_of(call, GraphRef(uuid=agent_uuid), asked)
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
        also=(NotOffered,),
    ),
    Route(
        "POST",
        "/agents/list",
        "agent.list",
        list_all,
        "List agents",
        body=wire.ListAgents4,
        query=wire.AgentsQuery4,
        reads=True,
    ),
    Route("GET", _AGENT, "agent.get", get, "Get an agent"),
    Route(
        "PATCH",
        _AGENT,
        "agent.update",
        update,
        "Update an agent",
        body=wire.UpdateAgent4,
        answer=wire.Agent4,
        also=(NotOffered,),
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
        reads=True,
    ),
]
