"""The tools that read."""

from typing import Annotated, Any, get_args

from msgspec import UNSET, UnsetType

from recollect.errors import InvalidInput
from recollect.limits import GRAPH_PAGE_MAX, PAGE_MAX, SEARCH_LIMIT_MAX
from recollect.mcp import actions, shapes
from recollect.mcp.tools import Arguments, Ask, Tool, described, given
from recollect.search.query import Reranker

_UserId = Annotated[str, described("Id of the user whose memory is read.")]
_ThreadId = Annotated[str, described("Id of the thread (conversation).")]
_Limit = Annotated[int, described("How many at most.", maximum=GRAPH_PAGE_MAX)]
_NodeUuid = Annotated[str, described("UUID of the node.")]


class SearchGraph(Arguments):
    """Arguments of search_graph."""

    user_id: _UserId
    query: Annotated[str, described("What to look for, in plain words.")]
    scope: Annotated[
        str,
        described(
            "What to return: `edges` (facts), `nodes` (entities) or `episodes` (sources).",
            enum=["edges", "nodes", "episodes"],
        ),
    ] = "edges"
    limit: Annotated[int, described("How many at most.", maximum=SEARCH_LIMIT_MAX)] = 10
    reranker: Annotated[
        str | UnsetType,
        described(
            "How results are ordered: `rrf`, `mmr` (varied), `node_distance` (near "
            "center_node_uuid), `episode_mentions` (often mentioned) or `cross_encoder`.",
            enum=list(get_args(Reranker)),
        ),
    ] = UNSET
    min_fact_rating: Annotated[
        float | UnsetType,
        described(
            "Leave out facts whose `rating` is lower than this. Facts are rated once it was said "
            "how (rate_facts); one that is not rated is never left out.",
            maximum=1,
        ),
    ] = UNSET
    mmr_lambda: Annotated[
        float | UnsetType,
        described("With `mmr`: 1 favours relevance, near 0 favours variety.", maximum=1),
    ] = UNSET
    center_node_uuid: Annotated[
        str | UnsetType, described("With `node_distance`: the node to be near to.")
    ] = UNSET
    node_labels: Annotated[
        list[str] | UnsetType | None,
        described(
            "Only nodes with one of these labels, such as Person; of edges, those with such a "
            "node at either end."
        ),
    ] = UNSET
    edge_types: Annotated[
        list[str] | UnsetType | None, described("Only facts of these types, such as WORKS_AT.")
    ] = UNSET


class GetUserContext(Arguments):
    """Arguments of get_user_context."""

    thread_id: Annotated[
        str | UnsetType, described("Id of the thread (conversation), if there is one.")
    ] = UNSET
    template_id: Annotated[
        str | UnsetType, described("Id of a context template that shapes that of a thread.")
    ] = UNSET
    user_id: Annotated[
        str | UnsetType, described("Without a thread: id of the user whose memory is read.")
    ] = UNSET
    query: Annotated[
        str | UnsetType,
        described("Without a thread: what it is about, in plain words; else the newest is told."),
    ] = UNSET


class ListUsers(Arguments):
    """Arguments of list_users."""

    limit: Annotated[int, described("How many at most.", maximum=PAGE_MAX)] = 20
    page: Annotated[int, described("Which page of so many, from 1.")] = 1


class OfUser(Arguments):
    """Arguments of get_user and list_threads."""

    user_id: _UserId


class ListOfUser(Arguments):
    """Arguments of get_user_nodes and get_user_edges."""

    user_id: _UserId
    limit: _Limit = 20


class GetEpisodes(Arguments):
    """Arguments of get_episodes."""

    user_id: _UserId
    lastn: Annotated[int, described("How many of the newest.", maximum=PAGE_MAX)] = 10


class GetThreadMessages(Arguments):
    """Arguments of get_thread_messages."""

    thread_id: _ThreadId
    lastn: Annotated[
        int | UnsetType, described("Only so many of the newest messages.", maximum=PAGE_MAX)
    ] = UNSET
    limit: Annotated[
        int | UnsetType, described("How many messages at most, from the start.", maximum=PAGE_MAX)
    ] = UNSET


class GetNode(Arguments):
    """Arguments of get_node."""

    uuid: _NodeUuid


class GetEdge(Arguments):
    """Arguments of get_edge."""

    uuid: Annotated[str, described("UUID of the edge.")]


class OfEpisode(Arguments):
    """Arguments of get_episode and get_episode_mentions."""

    uuid: Annotated[str, described("UUID of the episode.")]


class GetNodeEdges(Arguments):
    """Arguments of get_node_edges."""

    node_uuid: _NodeUuid


async def _search(ask: Ask, sent: SearchGraph) -> Any:
    fields = given(sent, "user_id", "query", "limit", "scope", "reranker", "center_node_uuid")
    for name, value in given(sent, "min_fact_rating", "mmr_lambda").items():
        if value > 0:
            fields[name] = value
    filters = given(sent, "node_labels", "edge_types")
    if filters:
        fields["search_filters"] = filters
    return await ask(actions.SEARCH, **fields)


async def _context(ask: Ask, sent: GetUserContext) -> Any:
    if sent.thread_id:
        return await ask(actions.GET_CONTEXT, sent.thread_id, **given(sent, "template_id"))
    if not sent.user_id:
        raise InvalidInput("give a thread_id, or a user_id")
    if sent.template_id:
        raise InvalidInput("template_id: a template is for a thread; give a thread_id")
    return await ask(actions.GET_USER_CONTEXT, sent.user_id, **given(sent, "query"))


SEARCH_GRAPH = Tool(
    "search_graph",
    "Search a user's memory",
    "Search what is known of a user, by meaning and by words, best matches first. With scope "
    "`edges` (the default) it returns facts: each has a sentence (`fact`), when it became true "
    "(`valid_at`) and, if it no longer holds, when it ended (`invalid_at`), and the uuids of the "
    "episodes it came from, and beside them the `nodes` they join. `nodes` returns the people, places and things, `episodes` the "
    "original messages and texts. Use it whenever an answer may depend on what the user said or "
    "did before; ask in a few plain words. Follow up with get_node_edges on a node's uuid for all "
    "facts about it, or with get_episode on an episode's uuid for the source.",
    SearchGraph,
    _search,
    "could not search the graph",
    shaped=shapes.found,
    of_user=True,
)

GET_USER_CONTEXT = Tool(
    "get_user_context",
    "Get context for a thread or a user",
    "Return `context`: one text, ready for a prompt, with the facts and entities of the user that "
    "matter to the newest messages of a thread (`thread_id`), or without a thread to a question "
    "(`user_id` and `query`), or the newest that is known of the user (`user_id` alone). Use it at "
    "the start of a turn, before answering; use search_graph to look for something of its own. A "
    "template made beforehand can shape the text of a thread.",
    GetUserContext,
    _context,
    "could not get the context",
    of_user=True,
)

LIST_USERS = Tool(
    "list_users",
    "List users",
    "Return `users` that are known here, newest first, each with `user_id`, names and email, and "
    "how many there are (`total_count`). Use it when it is not clear whose memory is meant; the "
    "other tools take a `user_id` from here.",
    ListUsers,
    lambda ask, sent: ask(actions.LIST_USERS, pageNumber=sent.page, pageSize=sent.limit),
    "could not list the users",
    shaped=shapes.users,
)

GET_USER = Tool(
    "get_user",
    "Get a user",
    "Return a user: `user_id`, names, email, metadata, when the user was added. Use it to learn "
    "who someone is, or whether a user is known at all: an unknown one is a 404 error.",
    OfUser,
    lambda ask, sent: ask(actions.GET_USER, sent.user_id),
    "could not get the user",
    shaped=shapes.user,
    of_user=True,
)

LIST_THREADS = Tool(
    "list_threads",
    "List a user's threads",
    "Return the threads (conversations) of a user, newest first, each with its `thread_id`, "
    "`created_at`, `updated_at` (when something was last said in it) and `metadata`. Use it to find a past conversation; read one with get_thread_messages, or get "
    "what matters to it with get_user_context.",
    OfUser,
    lambda ask, sent: ask(actions.LIST_THREADS, sent.user_id),
    "could not list the threads",
    shaped=shapes.threads,
    of_user=True,
)

GET_USER_NODES = Tool(
    "get_user_nodes",
    "List what a user's memory is about",
    "Return entities of a user's graph (people, places, things), each with `uuid`, `name`, "
    "`labels` and `summary`. Use it to get an overview without a question in mind; to find "
    "something, search_graph with scope `nodes` is better. Follow up with get_node_edges.",
    ListOfUser,
    lambda ask, sent: ask(actions.LIST_NODES, sent.user_id, limit=sent.limit),
    "could not list the nodes",
    of_user=True,
)

GET_USER_EDGES = Tool(
    "get_user_edges",
    "List facts about a user",
    "Return facts of a user's graph, each with `fact`, `edge_type`, the nodes it joins and when it "
    "held; facts that ended are among them (`invalid_at`). Use it for an overview; to find "
    "something, search_graph is better. Follow up with get_node on the nodes of a fact.",
    ListOfUser,
    lambda ask, sent: ask(actions.LIST_EDGES, sent.user_id, limit=sent.limit),
    "could not list the edges",
    shaped=shapes.edges,
    of_user=True,
)

GET_EPISODES = Tool(
    "get_episodes",
    "List a user's newest episodes",
    "Return the newest messages, texts and records that a user's memory was made of, newest first, "
    "each with `uuid`, `content`, `source`, `created_at` and `metadata`. Use it to see what happened lately, word for "
    "word. Follow up with get_episode_mentions for what was learned from one.",
    GetEpisodes,
    lambda ask, sent: ask(actions.LIST_EPISODES, sent.user_id, lastn=sent.lastn),
    "could not list the episodes",
    shaped=shapes.episodes,
    of_user=True,
)

GET_THREAD_MESSAGES = Tool(
    "get_thread_messages",
    "Read a thread",
    "Return `messages` of a thread in the order they were said, each with `role`, `name`, "
    "`content`, `uuid` and `created_at`. Use it to read what exactly was said; `lastn` takes the "
    "newest ones and wins over `limit`, which counts from the start.",
    GetThreadMessages,
    lambda ask, sent: ask(actions.GET_MESSAGES, sent.thread_id, **given(sent, "lastn", "limit")),
    "could not get the messages",
)

GET_NODE = Tool(
    "get_node",
    "Get an entity",
    "Return one node: its `name`, `labels`, `summary` and attributes. Use it on a uuid that "
    "another tool returned, such as `source_node_uuid` of a fact. Follow up with get_node_edges.",
    GetNode,
    lambda ask, sent: ask(actions.GET_NODE, sent.uuid),
    "could not get the node",
)

GET_EDGE = Tool(
    "get_edge",
    "Get a fact",
    "Return one fact in full: the sentence, its `edge_type`, the nodes it joins, when it held "
    "(`valid_at`, `invalid_at`), when it was learned and given up, and the `episodes` it came "
    "from. Use it to check a fact before relying on it; follow up with get_episode for the source.",
    GetEdge,
    lambda ask, sent: ask(actions.GET_EDGE, sent.uuid),
    "could not get the edge",
    shaped=shapes.edges,
)

GET_EPISODE = Tool(
    "get_episode",
    "Get an episode",
    "Return one episode: its `content` word for word, `source`, who said it and when. Use it to "
    "quote or verify the source of a fact, by a uuid out of the fact's `episodes`.",
    OfEpisode,
    lambda ask, sent: ask(actions.GET_EPISODE, sent.uuid),
    "could not get the episode",
    shaped=shapes.episode,
)

GET_NODE_EDGES = Tool(
    "get_node_edges",
    "List the facts about an entity",
    "Return every fact that begins or ends at a node. Use it to learn all about one person, place "
    "or thing, and to walk on: the other end of each fact is a node for get_node.",
    GetNodeEdges,
    lambda ask, sent: ask(actions.GET_NODE_EDGES, sent.node_uuid),
    "could not get the edges of the node",
    shaped=shapes.edges,
)

GET_EPISODE_MENTIONS = Tool(
    "get_episode_mentions",
    "See what an episode taught",
    "Return `nodes` and `edges`: the entities and facts that were learned from one episode. Use it "
    "to see what a message changed, or why something is known.",
    OfEpisode,
    lambda ask, sent: ask(actions.GET_MENTIONS, sent.uuid),
    "could not get the mentions of the episode",
    shaped=shapes.edges,
)

TOOLS = (
    SEARCH_GRAPH,
    GET_USER_CONTEXT,
    GET_USER,
    LIST_THREADS,
    GET_USER_NODES,
    GET_USER_EDGES,
    GET_EPISODES,
    GET_THREAD_MESSAGES,
    GET_NODE,
    GET_EDGE,
    GET_EPISODE,
    GET_NODE_EDGES,
    GET_EPISODE_MENTIONS,
    LIST_USERS,
)
