"""Users."""

from msgspec.structs import replace

from recollect.api.compat.zep import answers, translate, wire
from recollect.api.erasing import erase
from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.graph.types import Access, Entity, User
from recollect.limits import PAGE_MAX
from recollect.store.protocol import Transaction
from recollect.subjects import derived, erasing, graphs, knowledge, threads, users
from recollect.subjects.users import UserDetails

_ORDERS = ("created_at", "updated_at", "user_id", "email", "id")


async def add(call: Call) -> wire.User:
    """A new user."""
    sent: wire.AddUser = call.body
    details = UserDetails(
        email=sent.email,
        first_name=sent.first_name,
        last_name=sent.last_name,
        metadata=sent.metadata,
        time_zone=sent.time_zone,
        disable_default_ontology=bool(sent.disable_default_ontology),
        rating=translate.rating(sent.fact_rating_instruction),
    )
    made = await call.services.store.write(users.create, call.access, sent.user_id, details)
    return translate.user(call.access, made)


async def get(call: Call) -> wire.User:
    """A user by id."""
    found = await call.services.store.glance(users.get, call.access, call.path["user_id"])
    return translate.user(call.access, found)


def _update(tx: Transaction, access: Access, user_id: str, sent: wire.UpdateUser) -> User:
    details = translate.user_details(users.get(tx, access, user_id), sent)
    return users.update(tx, access, user_id, details)


async def update(call: Call) -> wire.User:
    """Change what is given of a user."""
    made = await call.services.store.write(_update, call.access, call.path["user_id"], call.body)
    return translate.user(call.access, made)


async def delete(call: Call) -> wire.Success:
    """Forget a user with all threads and the graph."""
    await erase(call, erasing.user, call.path["user_id"])
    return wire.Success(message="user deleted")


async def list_ordered(call: Call) -> wire.UserList:
    """A page of users."""
    sent: wire.ListQuery = call.query
    page = await call.services.store.read(
        users.page,
        call.access,
        search=translate.search_text(sent.search),
        order=translate.order(sent.order_by, _ORDERS, default="created_at", asc=sent.asc),
        **translate.window(sent.page_number, sent.page_size),
    )
    found = [translate.user(call.access, user) for user in page.users]
    return wire.UserList(users=found, row_count=len(found), total_count=page.total)


def _node(tx: Transaction, access: Access, user_id: str) -> Entity:
    """The user's own node, which is where clients look for the user's summary."""
    found = users.told_node(tx, access, user_id)
    return replace(found, summary=derived.user_summary(tx, access, user_id))


async def get_node(call: Call) -> wire.NodeAnswer:
    """The user's own node."""
    found = await call.services.store.read(_node, call.access, call.path["user_id"])
    (node,) = await answers.nodes(call, [found])
    return wire.NodeAnswer(node=node)


async def get_sessions(call: Call) -> Reply:
    """A user's threads, in the words of generation 2."""
    found = await call.services.store.read(
        threads.told_of_user, call.access, call.path["user_id"], PAGE_MAX + 1
    )
    sessions = [translate.session(call.access, thread) for thread in found[:PAGE_MAX]]
    return answers.capped(sessions, truncated=len(found) > PAGE_MAX)


async def get_threads(call: Call) -> Reply:
    """A user's threads, updated when something was last said in them."""
    found = await call.services.store.read(
        threads.told_of_user, call.access, call.path["user_id"], PAGE_MAX + 1
    )
    told = [translate.thread(call.access, thread) for thread in found[:PAGE_MAX]]
    return answers.capped(told, truncated=len(found) > PAGE_MAX)


def _facts(tx: Transaction, access: Access, user_id: str) -> wire.FactsAnswer:
    graph = graphs.of_user(tx, access, user_id)
    found = knowledge.facts_holding(tx, access, graph, PAGE_MAX)
    return wire.FactsAnswer(facts=[translate.fact2(fact) for fact in found])


async def get_facts(call: Call) -> wire.FactsAnswer:
    """The facts that hold in a user's graph."""
    return await call.services.store.read(_facts, call.access, call.path["user_id"])


async def warm(call: Call) -> wire.Success:
    """Bring a user's graph into memory ahead of its first search."""
    graph = await call.services.store.read(graphs.of_user, call.access, call.path["user_id"])
    await call.services.finder.warm(call.access, graph)
    return wire.Success(message="warm")


ROUTES = [
    Route("POST", "/users", "user.add", add, "Add a user", body=wire.AddUser, answer=wire.User),
    Route(
        "GET",
        "/users-ordered",
        "user.list_ordered",
        list_ordered,
        "List users",
        query=wire.ListQuery,
        answer=wire.UserList,
    ),
    Route("GET", "/users/{user_id}", "user.get", get, "Get a user", answer=wire.User),
    Route(
        "PATCH",
        "/users/{user_id}",
        "user.update",
        update,
        "Update a user",
        body=wire.UpdateUser,
        answer=wire.User,
    ),
    Route(
        "DELETE",
        "/users/{user_id}",
        "user.delete",
        delete,
        "Delete a user and all that is known of them",
        answer=wire.Success,
    ),
    Route(
        "GET",
        "/users/{user_id}/node",
        "user.get_node",
        get_node,
        "Get a user's own node",
        answer=wire.NodeAnswer,
    ),
    Route(
        "GET",
        "/users/{user_id}/sessions",
        "user.get_threads",
        get_sessions,
        "List a user's sessions",
        answer=list[wire.Session],
    ),
    Route(
        "GET",
        "/users/{user_id}/threads",
        "user.get_threads",
        get_threads,
        "List a user's threads",
        answer=list[wire.Thread],
    ),
    Route(
        "GET",
        "/users/{user_id}/facts",
        "user.get_facts",
        get_facts,
        "List the facts that hold in a user's graph",
        answer=wire.FactsAnswer,
    ),
    Route(
        "GET",
        "/users/{user_id}/warm",
        "user.warm",
        warm,
        "Preload a user's graph",
        answer=wire.Success,
    ),
]
