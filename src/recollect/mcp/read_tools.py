"""The thirteen tools that read."""

from typing import get_args

from recollect.graph.types import Json
from recollect.limits import GRAPH_PAGE_MAX, PAGE_MAX, SEARCH_LIMIT_MAX
from recollect.mcp import shapes
from recollect.mcp.parameters import Parameter
from recollect.mcp.tools import Request, Tool, get, needed, post, whole
from recollect.search.query import Reranker

_USER = Parameter("user_id", "string", "Id of the user whose memory is read.", required=True)
_THREAD = Parameter("thread_id", "string", "Id of the thread (conversation).", required=True)
_SEARCH_LIMIT = 10
_LIST_LIMIT = 20
_LAST_EPISODES = 10
_SCOPES = ("edges", "nodes", "episodes")


_LISTED = Parameter(
    "limit", "integer", "How many at most.", default=_LIST_LIMIT, maximum=GRAPH_PAGE_MAX
)


def _uuid(of_what: str) -> Parameter:
    return Parameter("uuid", "string", f"UUID of the {of_what}.", required=True)


def _search(arguments: Json) -> Request:
    body: Json = {
        "user_id": needed(arguments, "user_id"),
        "query": needed(arguments, "query"),
        "limit": whole(arguments, "limit"),
        "scope": arguments["scope"],
    }
    body |= {k: arguments[k] for k in ("reranker", "center_node_uuid") if k in arguments}
    for name in ("min_fact_rating", "mmr_lambda"):
        if arguments.get(name, 0) > 0:
            body[name] = arguments[name]
    filters = {k: arguments[k] for k in ("node_labels", "edge_types") if k in arguments}
    return post("graph", "search", body=body | ({"search_filters": filters} if filters else {}))


def _listed(kind: str, arguments: Json) -> Request:
    user_id = needed(arguments, "user_id")
    return post("graph", kind, "user", user_id, body={"limit": whole(arguments, "limit")})


def _context(arguments: Json) -> Request:
    thread_id = needed(arguments, "thread_id")
    return get("threads", thread_id, "context", template_id=arguments.get("template_id"))


def _messages(arguments: Json) -> Request:
    lastn, limit = whole(arguments, "lastn"), whole(arguments, "limit")
    return get("threads", needed(arguments, "thread_id"), "messages", lastn=lastn, limit=limit)


def _episodes(arguments: Json) -> Request:
    user_id = needed(arguments, "user_id")
    return get("graph", "episodes", "user", user_id, lastn=whole(arguments, "lastn"))


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
    (
        _USER,
        Parameter("query", "string", "What to look for, in plain words.", required=True),
        Parameter(
            "scope",
            "string",
            "What to return: `edges` (facts), `nodes` (entities) or `episodes` (sources).",
            default="edges",
            choices=_SCOPES,
        ),
        Parameter(
            "limit",
            "integer",
            "How many at most.",
            default=_SEARCH_LIMIT,
            maximum=SEARCH_LIMIT_MAX,
        ),
        Parameter(
            "reranker",
            "string",
            "How results are ordered: `rrf`, `mmr` (varied), `node_distance` (near "
            "center_node_uuid), `episode_mentions` (often mentioned) or `cross_encoder`.",
            choices=get_args(Reranker),
        ),
        Parameter(
            "min_fact_rating",
            "number",
            "Leave out facts whose `rating` is lower than this. Facts are rated once it was said "
            "how (rate_facts); one that is not rated is never left out.",
            maximum=1,
        ),
        Parameter(
            "mmr_lambda",
            "number",
            "With `mmr`: 1 favours relevance, near 0 favours variety.",
            maximum=1,
        ),
        Parameter("center_node_uuid", "string", "With `node_distance`: the node to be near to."),
        Parameter(
            "node_labels",
            "strings",
            "Only nodes with one of these labels, such as Person; of edges, those with such a node "
            "at either end.",
        ),
        Parameter("edge_types", "strings", "Only facts of these types, such as WORKS_AT."),
    ),
    _search,
    "could not search the graph",
    shaped=shapes.found,
)

GET_USER_CONTEXT = Tool(
    "get_user_context",
    "Get context for a thread",
    "Return `context`: one text, ready for a prompt, with the facts and entities of the user that "
    "matter to the newest messages of a thread. Use it at the start of a turn, before answering; "
    "use search_graph instead for a question of its own. A template made beforehand can shape the "
    "text.",
    (_THREAD, Parameter("template_id", "string", "Id of a context template that shapes it.")),
    _context,
    "could not get the context of the thread",
)

GET_USER = Tool(
    "get_user",
    "Get a user",
    "Return a user: `user_id`, names, email, metadata, when the user was added. Use it to learn "
    "who someone is, or whether a user is known at all: an unknown one is a 404 error.",
    (_USER,),
    lambda arguments: get("users", needed(arguments, "user_id")),
    "could not get the user",
    shaped=shapes.user,
)

LIST_THREADS = Tool(
    "list_threads",
    "List a user's threads",
    "Return the threads (conversations) of a user, newest first, each with its `thread_id`, "
    "`created_at`, `updated_at` (when something was last said in it) and `metadata`. Use it to find a past conversation; read one with get_thread_messages, or get "
    "what matters to it with get_user_context.",
    (_USER,),
    lambda arguments: get("users", needed(arguments, "user_id"), "threads"),
    "could not list the threads",
    shaped=shapes.threads,
)

GET_USER_NODES = Tool(
    "get_user_nodes",
    "List what a user's memory is about",
    "Return entities of a user's graph (people, places, things), each with `uuid`, `name`, "
    "`labels` and `summary`. Use it to get an overview without a question in mind; to find "
    "something, search_graph with scope `nodes` is better. Follow up with get_node_edges.",
    (_USER, _LISTED),
    lambda arguments: _listed("node", arguments),
    "could not list the nodes",
)

GET_USER_EDGES = Tool(
    "get_user_edges",
    "List facts about a user",
    "Return facts of a user's graph, each with `fact`, `edge_type`, the nodes it joins and when it "
    "held; facts that ended are among them (`invalid_at`). Use it for an overview; to find "
    "something, search_graph is better. Follow up with get_node on the nodes of a fact.",
    (_USER, _LISTED),
    lambda arguments: _listed("edge", arguments),
    "could not list the edges",
    shaped=shapes.edges,
)

GET_EPISODES = Tool(
    "get_episodes",
    "List a user's newest episodes",
    "Return the newest messages, texts and records that a user's memory was made of, newest first, "
    "each with `uuid`, `content`, `source`, `created_at` and `metadata`. Use it to see what happened lately, word for "
    "word. Follow up with get_episode_mentions for what was learned from one.",
    (
        _USER,
        Parameter(
            "lastn",
            "integer",
            "How many of the newest.",
            default=_LAST_EPISODES,
            maximum=PAGE_MAX,
        ),
    ),
    _episodes,
    "could not list the episodes",
    shaped=shapes.episodes,
)

GET_THREAD_MESSAGES = Tool(
    "get_thread_messages",
    "Read a thread",
    "Return `messages` of a thread in the order they were said, each with `role`, `name`, "
    "`content`, `uuid` and `created_at`. Use it to read what exactly was said; `lastn` takes the "
    "newest ones and wins over `limit`, which counts from the start.",
    (
        _THREAD,
        Parameter("lastn", "integer", "Only so many of the newest messages.", maximum=PAGE_MAX),
        Parameter(
            "limit", "integer", "How many messages at most, from the start.", maximum=PAGE_MAX
        ),
    ),
    _messages,
    "could not get the messages",
)

GET_NODE = Tool(
    "get_node",
    "Get an entity",
    "Return one node: its `name`, `labels`, `summary` and attributes. Use it on a uuid that "
    "another tool returned, such as `source_node_uuid` of a fact. Follow up with get_node_edges.",
    (_uuid("node"),),
    lambda arguments: get("graph", "node", needed(arguments, "uuid")),
    "could not get the node",
)

GET_EDGE = Tool(
    "get_edge",
    "Get a fact",
    "Return one fact in full: the sentence, its `edge_type`, the nodes it joins, when it held "
    "(`valid_at`, `invalid_at`), when it was learned and given up, and the `episodes` it came "
    "from. Use it to check a fact before relying on it; follow up with get_episode for the source.",
    (_uuid("edge"),),
    lambda arguments: get("graph", "edge", needed(arguments, "uuid")),
    "could not get the edge",
    shaped=shapes.edges,
)

GET_EPISODE = Tool(
    "get_episode",
    "Get an episode",
    "Return one episode: its `content` word for word, `source`, who said it and when. Use it to "
    "quote or verify the source of a fact, by a uuid out of the fact's `episodes`.",
    (_uuid("episode"),),
    lambda arguments: get("graph", "episodes", needed(arguments, "uuid")),
    "could not get the episode",
    shaped=shapes.episode,
)

GET_NODE_EDGES = Tool(
    "get_node_edges",
    "List the facts about an entity",
    "Return every fact that begins or ends at a node. Use it to learn all about one person, place "
    "or thing, and to walk on: the other end of each fact is a node for get_node.",
    (Parameter("node_uuid", "string", "UUID of the node.", required=True),),
    lambda arguments: get("graph", "node", needed(arguments, "node_uuid"), "entity-edges"),
    "could not get the edges of the node",
    shaped=shapes.edges,
)

GET_EPISODE_MENTIONS = Tool(
    "get_episode_mentions",
    "See what an episode taught",
    "Return `nodes` and `edges`: the entities and facts that were learned from one episode. Use it "
    "to see what a message changed, or why something is known.",
    (_uuid("episode"),),
    lambda arguments: get("graph", "episodes", needed(arguments, "uuid"), "mentions"),
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
)
