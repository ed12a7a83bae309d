"""The use cases behind tools, resources and prompts, with their action names in policies.

Input and output have the form of Zep's API.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import msgspec

from recollect.app import (
    context,
    episodes,
    forget,
    graphs,
    knowledge,
    memories,
    readings,
    remember,
    threads,
    users,
)
from recollect.app.refs import GraphRef, ThreadRef, UserRef
from recollect.app.services import Services
from recollect.app.users import UserChange
from recollect.compat.zep import translate
from recollect.compat.zep.search import search
from recollect.compat.zep.wire import base as base_wire
from recollect.compat.zep.wire import graphs as graphs_wire
from recollect.compat.zep.wire import knowledge as knowledge_wire
from recollect.compat.zep.wire import messages as messages_wire
from recollect.compat.zep.wire import search as search_wire
from recollect.compat.zep.wire import threads as threads_wire
from recollect.errors import BodyTooLarge
from recollect.graph.filters import NO_FILTERS
from recollect.graph.types import Access, Json, NewEpisode
from recollect.limits import BODY_BYTES_MAX, ID_CHARS_MAX, PAGE_DEFAULT, PAGE_MAX
from recollect.records.graphs import GraphDetails
from recollect.records.users import UserDetails


@dataclass(frozen=True, slots=True)
class Action:
    """A use case that is called with a name, with fields, or both.

    *run* gets the name if *of* says which parameter it is, and the fields if *takes* gives their type. The
    fields of a *query* do not go into the audit log. *erases*: its target may be gone afterwards. *shows* is
    the read action that covers what a write returns. *tells* converts the result to its wire form.
    """

    action: str
    run: Callable[..., Awaitable[Any]]
    of: str | None = None
    takes: type[msgspec.Struct] | None = None
    tells: Callable[[Any], Any] | None = None
    query: bool = False
    mutates: bool = False
    erases: bool = False
    shows: str | None = None
    public: bool = False
    admin: bool = False


_writes = partial(Action, mutates=True)


# ---------------------------------------------------------------- reads


async def _context(
    services: Services, access: Access, thread_id: str, sent: messages_wire.ContextQuery
) -> Json:
    if sent.template_id is not None:
        text = await context.templated(services, access, thread_id, sent.template_id)
    else:
        text = await context.user_block(services, access, thread_id)
    return {"context": text}


class UserContextQuery(msgspec.Struct):
    """What to look for in the memory of a named user; without a query, the newest knowledge."""

    query: str | None = None


async def _user_context(
    services: Services, access: Access, user_id: str, sent: UserContextQuery
) -> Json:
    place = memories.one_memory(user_id, None)
    return {"context": await memories.context(services, access, place, sent.query)}


async def _user(services: Services, access: Access, user_id: str) -> threads_wire.User:
    return translate.user(access, await users.get(services, access, UserRef(user_id=user_id)))


async def _users(services: Services, access: Access, sent: threads_wire.ListQuery) -> Json:
    window = translate.window(sent.page_number, sent.page_size)
    page = await users.page(services, access, search="", order="created_at/desc", **window)
    return {"users": [translate.user(access, one) for one in page.users], "total_count": page.total}


async def _user_node(services: Services, access: Access, user_id: str) -> knowledge_wire.Node:
    found = await users.node(services, access, UserRef(user_id=user_id))
    return translate.listed_node(found.value)


async def _user_facts(
    services: Services, access: Access, user_id: str
) -> list[knowledge_wire.Edge]:
    graph = GraphRef(user_id=user_id)
    found = await knowledge.facts_holding(services, access, graph, PAGE_MAX)
    return [translate.edge(fact) for fact in found]


async def _threads(services: Services, access: Access, user_id: str) -> list[threads_wire.Thread]:
    found = await users.threads_of(services, access, user_id, PAGE_MAX)
    return [translate.thread(access, thread) for thread in found]


async def _nodes(
    services: Services, access: Access, user_id: str, sent: graphs_wire.PageRequest
) -> list[knowledge_wire.Node]:
    page, graph = translate.graph_page(sent, ("uuid",)), GraphRef(user_id=user_id)
    found = await knowledge.entities(services, access, graph, page, NO_FILTERS)
    return [translate.listed_node(node) for node in found.value.items]


async def _edges(
    services: Services, access: Access, user_id: str, sent: graphs_wire.PageRequest
) -> list[knowledge_wire.Edge]:
    page, graph = translate.graph_page(sent, ("uuid",)), GraphRef(user_id=user_id)
    found = await knowledge.facts(services, access, graph, page, NO_FILTERS)
    return [translate.edge(edge) for edge in found.value.items]


async def _episodes(
    services: Services, access: Access, user_id: str, sent: graphs_wire.LastQuery
) -> list[graphs_wire.Episode]:
    limit = min(sent.lastn or PAGE_DEFAULT, PAGE_MAX)
    found = await episodes.last(services, access, GraphRef(user_id=user_id), limit)
    return [translate.episode(episode) for episode in found]


async def _messages(
    services: Services, access: Access, thread_id: str, sent: messages_wire.MessagesQuery
) -> messages_wire.MessageList3:
    ref = ThreadRef(thread_id=thread_id)
    if sent.lastn:
        newest = min(sent.lastn, PAGE_MAX)
        found = await threads.last_messages(services, access, ref, newest)
    else:
        limit = min(sent.limit or PAGE_DEFAULT, PAGE_MAX)
        found = await threads.messages(services, access, ref, limit=limit, offset=0)
    return translate.message_list3(found)


async def _node_edges(services: Services, access: Access, uuid: str) -> list[knowledge_wire.Edge]:
    found = await knowledge.facts_of_entity(services, access, uuid, PAGE_MAX)
    return [translate.edge(fact) for fact in found]


async def _mentions(services: Services, access: Access, uuid: str) -> knowledge_wire.Mentions:
    nodes, edges = await episodes.mentions(services, access, uuid, PAGE_MAX)
    return knowledge_wire.Mentions(
        nodes=[translate.listed_node(node) for node in nodes],
        edges=[translate.edge(edge) for edge in edges],
    )


SEARCH = Action("graph.search", search, takes=search_wire.Search)
GET_CONTEXT = Action(
    "thread.get_user_context", _context, "thread_id", messages_wire.ContextQuery, query=True
)
GET_USER_CONTEXT = Action(
    "thread.get_user_context", _user_context, "user_id", UserContextQuery, query=True
)
GET_USER = Action("user.get", _user, "user_id")
LIST_USERS = Action("user.list_ordered", _users, takes=threads_wire.ListQuery, query=True)
GET_USER_NODE = Action("user.get_node", _user_node, "user_id")
GET_USER_FACTS = Action("user.get_facts", _user_facts, "user_id")
LIST_THREADS = Action("user.get_threads", _threads, "user_id")
LIST_NODES = Action("graph.node.list", _nodes, "user_id", graphs_wire.PageRequest)
LIST_EDGES = Action("graph.edge.list", _edges, "user_id", graphs_wire.PageRequest)
LIST_EPISODES = Action(
    "graph.episode.list", _episodes, "user_id", graphs_wire.LastQuery, query=True
)
GET_MESSAGES = Action("thread.get", _messages, "thread_id", messages_wire.MessagesQuery, query=True)
GET_NODE = Action("graph.node.get", knowledge.entity, "node_uuid", tells=translate.listed_node)
GET_EDGE = Action("graph.edge.get", knowledge.fact, "edge_uuid", tells=translate.edge)
GET_EPISODE = Action("graph.episode.get", episodes.get, "episode_uuid", tells=translate.episode)
GET_NODE_EDGES = Action("graph.node.get_edges", _node_edges, "node_uuid")
GET_MENTIONS = Action("graph.episode.get_nodes_and_edges", _mentions, "episode_uuid")


# ---------------------------------------------------------------- writes


async def _add_user(
    services: Services, access: Access, sent: threads_wire.AddUser
) -> threads_wire.User:
    made = await users.create(services, access, sent.user_id, UserDetails())
    return translate.user(access, made)


async def _add_thread(
    services: Services, access: Access, sent: threads_wire.CreateThread
) -> threads_wire.Thread:
    user = UserRef(user_id=sent.user_id)
    return translate.thread(access, await threads.create(services, access, sent.thread_id, user))


async def _add_graph(
    services: Services, access: Access, sent: graphs_wire.CreateGraph
) -> graphs_wire.Graph:
    made = await graphs.create(services, access, sent.graph_id, GraphDetails())
    return translate.graph(access, made)


async def _add_messages(
    services: Services, access: Access, thread_id: str, sent: messages_wire.AddMessages
) -> messages_wire.AddMessagesAnswer:
    new = [translate.new_message3(n, m, (), strict=False) for n, m in enumerate(sent.messages)]
    remember.check_messages(new)
    ref = ThreadRef(thread_id=thread_id)
    receipt = await remember.add_messages(services, access, ref, new)
    return messages_wire.AddMessagesAnswer(message_uuids=receipt.uuids, task_id=receipt.task_uuid)


async def _add_data(
    services: Services, access: Access, sent: graphs_wire.AddData
) -> graphs_wire.Episode:
    source = sent.source_description
    new = NewEpisode(kind=sent.type, content=sent.data, source_description=source)
    remember.check_episode("", new)
    ref = GraphRef(user_id=sent.user_id, graph_id=sent.graph_id)
    (stored,) = await remember.add_data(services, access, ref, [new])
    return translate.episode(stored)


async def _correct(
    services: Services, access: Access, uuid: str, sent: knowledge_wire.UpdateEdge
) -> knowledge_wire.Edge:
    change = translate.fact_change(sent)
    return translate.edge(await knowledge.update_fact(services, access, uuid, change))


async def _rate(
    services: Services, access: Access, user_id: str, sent: threads_wire.UpdateUser
) -> threads_wire.User:
    change = UserChange(rating=translate.new_rating(sent.fact_rating_instruction))
    made = await users.update(services, access, UserRef(user_id=user_id), change)
    return translate.user(access, made)


async def _delete_edge(services: Services, access: Access, uuid: str) -> base_wire.Success:
    await knowledge.delete_fact(services, access, uuid)
    return base_wire.Success(message="edge deleted")


def _forgets(action: str, kind: forget.Kind, of: str) -> Action:
    async def run(services: Services, access: Access, name: str) -> forget.Receipt:
        return await forget.one(services, access, kind, name, "forget")

    return _writes(action, run, of, erases=True)


ADD_USER = _writes("user.add", _add_user, takes=threads_wire.AddUser)
ADD_THREAD = _writes("thread.create", _add_thread, takes=threads_wire.CreateThread)
ADD_GRAPH = _writes("graph.create", _add_graph, takes=graphs_wire.CreateGraph)
ADD_MESSAGES = _writes("thread.add_messages", _add_messages, "thread_id", messages_wire.AddMessages)
ADD_DATA = _writes("graph.add", _add_data, takes=graphs_wire.AddData)
CORRECT = _writes(
    "graph.edge.update", _correct, "edge_uuid", knowledge_wire.UpdateEdge, shows="graph.edge.get"
)
RATE = _writes("user.update", _rate, "user_id", threads_wire.UpdateUser)
DELETE_EDGE = _writes("graph.edge.delete", _delete_edge, "edge_uuid", erases=True)
FORGET_EPISODE = _forgets("graph.episode.delete", "episode", "episode_uuid")
FORGET_THREAD = _forgets("thread.delete", "thread", "thread_id")
FORGET_USER = _forgets("user.delete", "user", "user_id")


# ---------------------------------------------------------------- second readings


class Take(msgspec.Struct):
    """The graph to take a reading from; any graph if none is given."""

    user_id: str | None = None
    graph_id: str | None = None


class Give(msgspec.Struct):
    """An answer, under the lease that came with the question."""

    episode_uuid: str
    lease: Annotated[str, msgspec.Meta(max_length=ID_CHARS_MAX)]
    answer: Json


async def _take(services: Services, access: Access, sent: Take) -> readings.Taken | None:
    graph = await readings.scope(services, access, sent.user_id, sent.graph_id)
    return await readings.take(services, access, graph)


async def _give(services: Services, access: Access, sent: Give) -> readings.Given:
    answer = msgspec.json.encode(sent.answer)
    if len(answer) > BODY_BYTES_MAX:
        raise BodyTooLarge(f"answer: at most {BODY_BYTES_MAX} bytes")
    return await readings.give(services, access, sent.episode_uuid, sent.lease, answer)


TAKE = _writes("reading.take", _take, takes=Take, shows="graph.episode.get")
GIVE = _writes("reading.give", _give, takes=Give)
