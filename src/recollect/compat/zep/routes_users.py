"""Users."""

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import graphs, knowledge, users
from recollect.app.refs import GraphRef, UserRef
from recollect.app.users import UserChange
from recollect.compat.zep import common, translate
from recollect.compat.zep.wire import knowledge as knowledge_wire
from recollect.compat.zep.wire import threads as threads_wire
from recollect.compat.zep.wire.base import Success
from recollect.limits import PAGE_MAX
from recollect.records.users import UserDetails

_ORDERS = ("created_at", "updated_at", "user_id", "email", "id")


def _ref(call: Call) -> UserRef:
    return UserRef(user_id=call.path["user_id"])


async def add(call: Call) -> threads_wire.User:
    """A new user."""
    sent: threads_wire.AddUser = call.body
    details = UserDetails(
        email=sent.email,
        first_name=sent.first_name,
        last_name=sent.last_name,
        metadata=sent.metadata,
        time_zone=sent.time_zone,
        disable_default_ontology=bool(sent.disable_default_ontology),
        rating=translate.rating(sent.fact_rating_instruction),
    )
    made = await users.create(call.services, call.access, sent.user_id, details)
    return translate.user(call.access, made)


async def get(call: Call) -> threads_wire.User:
    """A user by id."""
    return translate.user(call.access, await users.get(call.services, call.access, _ref(call)))


async def update(call: Call) -> threads_wire.User:
    """Change what is given of a user."""
    sent: threads_wire.UpdateUser = call.body
    change = UserChange(
        email=sent.email,
        first_name=sent.first_name,
        last_name=sent.last_name,
        metadata=sent.metadata,
        time_zone=sent.time_zone,
        disable_default_ontology=sent.disable_default_ontology,
        rating=translate.new_rating(sent.fact_rating_instruction),
    )
    made = await users.update(call.services, call.access, _ref(call), change)
    return translate.user(call.access, made)


async def delete(call: Call) -> Success:
    """Forget a user with all threads and the graph."""
    await users.delete(call.services, call.access, _ref(call))
    return Success(message="user deleted")


async def list_ordered(call: Call) -> threads_wire.UserList:
    """A page of users."""
    sent: threads_wire.ListQuery = call.query
    page = await users.page(
        call.services,
        call.access,
        search=translate.search_text(sent.search),
        order=translate.order(sent.order_by, _ORDERS, default="created_at", asc=sent.asc),
        **translate.window(sent.page_number, sent.page_size),
    )
    found = [translate.user(call.access, user) for user in page.users]
    return threads_wire.UserList(users=found, row_count=len(found), total_count=page.total)


async def get_node(call: Call) -> knowledge_wire.NodeAnswer:
    """The user's own node."""
    found = await users.node(call.services, call.access, _ref(call))
    return knowledge_wire.NodeAnswer(node=translate.listed_node(found.value))


async def get_sessions(call: Call) -> Reply:
    """A user's threads, as Zep v2 shows them."""
    user_id = call.path["user_id"]
    found = await users.threads_of(call.services, call.access, user_id, PAGE_MAX + 1)
    sessions = [translate.session(call.access, thread) for thread in found[:PAGE_MAX]]
    return common.capped(sessions, truncated=len(found) > PAGE_MAX)


async def get_threads(call: Call) -> Reply:
    """A user's threads, updated when something was last said in them."""
    user_id = call.path["user_id"]
    found = await users.threads_of(call.services, call.access, user_id, PAGE_MAX + 1)
    shown = [translate.thread(call.access, thread) for thread in found[:PAGE_MAX]]
    return common.capped(shown, truncated=len(found) > PAGE_MAX)


async def get_facts(call: Call) -> knowledge_wire.FactsAnswer:
    """The facts that hold in a user's graph."""
    graph = GraphRef(user_id=call.path["user_id"])
    found = await knowledge.facts_holding(call.services, call.access, graph, PAGE_MAX)
    return knowledge_wire.FactsAnswer(facts=[translate.fact2(fact) for fact in found])


async def warm(call: Call) -> Success:
    """Bring a user's graph into memory ahead of its first search."""
    await graphs.warm(call.services, call.access, GraphRef(user_id=call.path["user_id"]))
    return Success(message="warm")


ROUTES = [
    Route("POST", "/users", "user.add", add, "Add a user", body=threads_wire.AddUser),
    Route(
        "GET",
        "/users-ordered",
        "user.list_ordered",
        list_ordered,
        "List users",
        query=threads_wire.ListQuery,
    ),
    Route("GET", "/users/{user_id}", "user.get", get, "Get a user"),
    Route(
        "PATCH",
        "/users/{user_id}",
        "user.update",
        update,
        "Update a user",
        body=threads_wire.UpdateUser,
    ),
    Route(
        "DELETE",
        "/users/{user_id}",
        "user.delete",
        delete,
        "Delete a user and all that is known of them",
    ),
    Route("GET", "/users/{user_id}/node", "user.get_node", get_node, "Get a user's own node"),
    Route(
        "GET",
        "/users/{user_id}/sessions",
        "user.get_threads",
        get_sessions,
        "List a user's sessions",
        answer=list[threads_wire.Session],
    ),
    Route(
        "GET",
        "/users/{user_id}/threads",
        "user.get_threads",
        get_threads,
        "List a user's threads",
        answer=list[threads_wire.Thread],
    ),
    Route(
        "GET",
        "/users/{user_id}/facts",
        "user.get_facts",
        get_facts,
        "List the facts that hold in a user's graph",
    ),
    Route("GET", "/users/{user_id}/warm", "user.warm", warm, "Preload a user's graph"),
]
