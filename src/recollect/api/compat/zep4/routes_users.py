"""Users, by the server's ids."""

from msgspec.structs import replace

from recollect.api import once
from recollect.api.compat.zep import translate
from recollect.api.compat.zep4 import answers, paging, show, show_project
from recollect.api.compat.zep4.wire import knowledge, project, tasks
from recollect.api.compat.zep4.wire import users as wire
from recollect.api.compat.zep4.wire.base import Page4, PageQuery4, SearchList4
from recollect.api.http import Reply
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from recollect.subjects import derived, erasing, lookups, threads, user_groups, users
from recollect.subjects.users import UserDetails


def _create(tx: Transaction, access: Access, sent: wire.CreateUser4) -> Done:
    details = UserDetails(
        email=sent.email,
        first_name=sent.first_name,
        last_name=sent.last_name,
        metadata=sent.metadata,
        time_zone=sent.time_zone,
        disable_default_ontology=bool(sent.disable_default_ontology),
    )
    made = users.create(tx, access, sent.user_id, details)
    return Done(answer=show.user(made), graph_id=made.graph_id, made=made)


async def create(call: Call) -> Reply:
    """A new user, under an id of the caller's or of ours."""
    sent: wire.CreateUser4 = call.body
    answers.no_policy(sent.content_policy)
    return await once.write(call, _create, sent)


def _get(tx: Transaction, access: Access, uuid: str) -> wire.User4:
    return show.user(lookups.user(tx, access, uuid))


async def get(call: Call) -> wire.User4:
    """A user by uuid."""
    return await call.services.store.glance(_get, call.access, call.path["user_uuid"])


def _lookup(tx: Transaction, access: Access, sent: wire.Lookup4) -> wire.User4:
    if sent.user_id is not None:
        return show.user(users.get(tx, access, sent.user_id))
    if sent.thread_id is not None:
        thread = threads.get(tx, access, sent.thread_id)
        return show.user(users.get(tx, access, thread.user_id))
    raise InvalidInput("user_id: is required")


async def lookup(call: Call) -> wire.User4:
    """A user by the caller's id, or by that of a thread."""
    return await call.services.store.glance(_lookup, call.access, call.body)


def _update(tx: Transaction, access: Access, uuid: str, sent: wire.UpdateUser4) -> Done:
    old = lookups.user(tx, access, uuid)
    made = users.update(tx, access, old.user_id, translate.user_details(old, sent))
    return Done(answer=show.user(made), graph_id=made.graph_id, made=made)


async def update(call: Call) -> Reply:
    """Change what is given of a user."""
    return await once.write(call, _update, call.path["user_uuid"], call.body)


def _delete(tx: Transaction, access: Access, uuid: str) -> Done:
    erased = erasing.user(tx, access, lookups.user(tx, access, uuid).user_id)
    task = answers.task(tx, access, erased.uuid, "user.delete")
    return Done(answer=tasks.TaskAnswer4(task=task), erased=erased)


async def delete(call: Call) -> Reply:
    """Forget a user with all threads and the graph; the task ends when the files are wiped."""
    return await once.write(call, _delete, call.path["user_uuid"])


async def list_all(call: Call) -> Page4[wire.User4]:
    """A page of users."""
    asked: wire.UsersQuery4 = call.query
    sent: SearchList4 = call.body
    page = await call.services.store.read(
        users.page,
        call.access,
        search=translate.search_text(sent.search or ""),
        order=paging.order(asked, "created_at"),
        **paging.window(asked),
    )
    return Page4(
        items=[show.user(user) for user in page.users],
        next_cursor=paging.following(asked, len(page.users), page.total),
        total_size=page.total,
    )


def _node(tx: Transaction, access: Access, uuid: str) -> knowledge.Node4:
    """The user's own node, which is where clients look for the user's summary."""
    known = lookups.user(tx, access, uuid)
    found = users.told_node(tx, access, known.user_id)
    told = replace(found, summary=derived.user_summary(tx, access, known.user_id))
    return show.nodes(tx, access, lookups.place(tx, access, uuid), [told])[0]


async def get_node(call: Call) -> knowledge.Node4:
    """The user's own node."""
    return await call.services.store.read(_node, call.access, call.path["user_uuid"])


async def list_groups(call: Call) -> Page4[project.UserGroup4]:
    """A page of the groups a user is in."""
    found = await call.services.store.read(user_groups.of_user, call.access, call.path["user_uuid"])
    begin = paging.offset(call.query)
    told = answers.part(found, begin, paging.size(call.query))
    return Page4(
        items=[show_project.user_group(group) for group in told],
        next_cursor=paging.following(call.query, len(told), len(found)),
        total_size=len(found),
    )


def _uuids(tx: Transaction, access: Access, sent: wire.LookupBatch4) -> wire.LookupAnswer4:
    asked = (("user", sent.users), ("thread", sent.threads), ("graph", sent.graphs))
    items = []
    for kind, ids in asked:
        for id_ in ids or ():
            uuid = lookups.uuid_of(tx, access, kind, id_)
            items.append(
                wire.LookupItem4(
                    resource_type=kind,  # type: ignore[arg-type]
                    legacy_id=id_,
                    found=uuid is not None,
                    uuid=uuid,
                )
            )
    return wire.LookupAnswer4(items=items)


_LOOKED_UP_MAX = 1_000


async def lookup_all(call: Call) -> wire.LookupAnswer4:
    """The uuids behind ids that callers chose."""
    sent: wire.LookupBatch4 = call.body
    count = sum(len(ids or ()) for ids in (sent.users, sent.threads, sent.graphs))
    if not 1 <= count <= _LOOKED_UP_MAX:
        raise InvalidInput(f"users, threads and graphs: 1 to {_LOOKED_UP_MAX} ids, got {count}")
    return await call.services.store.read(_uuids, call.access, sent)


ROUTES = [
    Route(
        "POST",
        "/users",
        "user.add",
        create,
        "Create a user",
        body=wire.CreateUser4,
        answer=wire.User4,
    ),
    Route(
        "POST",
        "/users/list",
        "user.list_ordered",
        list_all,
        "List users",
        body=SearchList4,
        query=wire.UsersQuery4,
        answer=Page4[wire.User4],
        reads=True,
    ),
    Route(
        "POST",
        "/users/lookup",
        "user.get",
        lookup,
        "Look a user up by an id of the caller's",
        body=wire.Lookup4,
        answer=wire.User4,
        reads=True,
    ),
    Route("GET", "/users/{user_uuid}", "user.get", get, "Get a user", answer=wire.User4),
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
    Route(
        "GET",
        "/users/{user_uuid}/node",
        "user.get_node",
        get_node,
        "Get a user's own node",
        answer=knowledge.Node4,
    ),
    Route(
        "GET",
        "/users/{user_uuid}/user-groups",
        "user_group.list_for_user",
        list_groups,
        "List the groups a user is in",
        query=PageQuery4,
        answer=Page4[project.UserGroup4],
    ),
    Route(
        "POST",
        "/lookup",
        "lookup.batch",
        lookup_all,
        "Look uuids up by ids of the caller's",
        body=wire.LookupBatch4,
        answer=wire.LookupAnswer4,
        reads=True,
    ),
]
