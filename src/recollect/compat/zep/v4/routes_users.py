"""Users, by the server's ids."""

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import user_groups, users
from recollect.app.refs import UserRef
from recollect.app.users import UserChange
from recollect.compat.zep import translate as translate3
from recollect.compat.zep.v4 import idempotency, paging, translate
from recollect.compat.zep.v4.routes_unsupported import no_policy
from recollect.compat.zep.v4.wire import knowledge, project, tasks
from recollect.compat.zep.v4.wire import threads as wire
from recollect.compat.zep.v4.wire.base import Page4, PageQuery4, SearchList4
from recollect.errors import InvalidInput, NotOffered
from recollect.records.users import UserDetails


def _ref(call: Call) -> UserRef:
    return UserRef(uuid=call.path["user_uuid"])


async def create(call: Call) -> Reply:
    """A new user, under an id of the caller's or of ours."""
    sent: wire.CreateUser4 = call.body
    no_policy(sent.content_policy)
    details = UserDetails(
        email=sent.email,
        first_name=sent.first_name,
        last_name=sent.last_name,
        metadata=sent.metadata,
        time_zone=sent.time_zone,
        disable_default_ontology=bool(sent.disable_default_ontology),
    )
    create = users.create.bind(call.services, call.access, sent.user_id, details)
    return await idempotency.write(call, create, translate.user)


async def get(call: Call) -> wire.User4:
    """A user by uuid."""
    return translate.user(await users.get(call.services, call.access, _ref(call)))


async def lookup(call: Call) -> wire.User4:
    """A user by the caller's id, or by that of a thread."""
    sent: wire.Lookup4 = call.body
    if sent.user_id is None and sent.thread_id is None:
        raise InvalidInput("user_id: is required")
    ref = UserRef(user_id=sent.user_id, thread_id=sent.thread_id)
    return translate.user(await users.get(call.services, call.access, ref))


async def update(call: Call) -> Reply:
    """Change what is given of a user."""
    sent: wire.UpdateUser4 = call.body
    change = UserChange(
        email=sent.email,
        first_name=sent.first_name,
        last_name=sent.last_name,
        metadata=sent.metadata,
        time_zone=sent.time_zone,
        disable_default_ontology=sent.disable_default_ontology,
    )
    update = users.update.bind(call.services, call.access, _ref(call), change)
    return await idempotency.write(call, update, translate.user)


async def delete(call: Call) -> Reply:
    """Forget a user with all threads and the graph; the task ends when the files are wiped."""
    delete = users.delete.bind(call.services, call.access, _ref(call))
    return await idempotency.write(call, delete, translate.task_answer)


async def list_all(call: Call) -> Page4[wire.User4]:
    """A page of users."""
    asked: wire.UsersQuery4 = call.query
    sent: SearchList4 = call.body
    request = paging.keyset(asked, "created_at")
    search = translate3.search_text(sent.search or "")
    found = await users.page_after(call.services, call.access, request, search=search)
    return paging.answer(found, translate.user)


async def get_node(call: Call) -> knowledge.Node4:
    """The user's own node."""
    found = await users.node(call.services, call.access, _ref(call))
    return translate.node(found.where, found.value)


async def list_groups(call: Call) -> Page4[project.UserGroup4]:
    """A page of the groups a user is in."""
    given = (call.path["user_uuid"], paging.in_order(call.query, user_groups.ORDER))
    found = await user_groups.page_of_user(call.services, call.access, *given)
    return paging.answer(found, translate.user_group)


_LOOKED_UP_MAX = 1_000


async def lookup_all(call: Call) -> wire.LookupAnswer4:
    """The uuids behind ids that callers chose."""
    sent: wire.LookupBatch4 = call.body
    asked = (("user", sent.users), ("thread", sent.threads), ("graph", sent.graphs))
    named = [(kind, id_) for kind, ids in asked for id_ in ids or ()]
    if not 1 <= len(named) <= _LOOKED_UP_MAX:
        raise InvalidInput(
            f"users, threads and graphs: 1 to {_LOOKED_UP_MAX} ids, got {len(named)}"
        )
    found = await users.uuids(call.services, call.access, named)
    items = [
        wire.LookupItem4(
            resource_type=kind,  # type: ignore[arg-type]
            legacy_id=id_,
            found=uuid is not None,
            uuid=uuid,
        )
        for (kind, id_), uuid in zip(named, found, strict=True)
    ]
    return wire.LookupAnswer4(items=items)


ROUTES = [
    Route(
        "POST",
        "/users",
        "user.add",
        create,
        "Create a user",
        body=wire.CreateUser4,
        answer=wire.User4,
        also=(NotOffered,),
    ),
    Route(
        "POST",
        "/users/list",
        "user.list_ordered",
        list_all,
        "List users",
        body=SearchList4,
        query=wire.UsersQuery4,
        reads=True,
    ),
    Route(
        "POST",
        "/users/lookup",
        "user.get",
        lookup,
        "Look a user up by an id of the caller's",
        body=wire.Lookup4,
        reads=True,
    ),
    Route("GET", "/users/{user_uuid}", "user.get", get, "Get a user"),
    Route(
        "PATCH",
        "/users/{user_uuid}",
        "user.update",
        update,
        "Update a user",
        body=wire.UpdateUser4,
        answer=wire.User4,
    ),
    Route(
        "DELETE",
        "/users/{user_uuid}",
        "user.delete",
        delete,
        "Delete a user and all that is known of them",
        answer=tasks.TaskAnswer4,
    ),
    Route("GET", "/users/{user_uuid}/node", "user.get_node", get_node, "Get a user's own node"),
    Route(
        "GET",
        "/users/{user_uuid}/user-groups",
        "user_group.list_for_user",
        list_groups,
        "List the groups a user is in",
        query=PageQuery4,
    ),
    Route(
        "POST",
        "/lookup",
        "lookup.batch",
        lookup_all,
        "Look uuids up by ids of the caller's",
        body=wire.LookupBatch4,
        reads=True,
    ),
]
