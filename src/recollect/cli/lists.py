"""`recollect users` and `recollect threads`: list users and threads."""

from typing import Annotated, Any

import typer

from recollect.app import threads as threads_
from recollect.app import users as users_
from recollect.app.projects import DEFAULT_PROJECT
from recollect.app.refs import UserRef
from recollect.cli.common import DataOption, JsonOption, err, in_project, show
from recollect.cli.memory import NOTHING_FOUND, ProjectOption
from recollect.graph.types import Thread, User
from recollect.limits import PAGE_DEFAULT, PAGE_MAX

_Limit = Annotated[int, typer.Option(help="Maximum number of results.", min=1, max=PAGE_MAX)]
_USER_COLUMNS = ("user", "name", "threads", "created")
_THREAD_COLUMNS = ("thread", "user", "last said", "created")


def users(
    search: Annotated[
        str,
        typer.Option(
            help="Only users whose id, name or e-mail address contains this.", show_default=False
        ),
    ] = "",
    limit: _Limit = PAGE_DEFAULT,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List users, newest first. Exit code 3 if there are none."""
    found = in_project(
        data, project, users_.page, search=search, order="created_at/desc", limit=limit, offset=0
    )
    _tell([_user(one) for one in found.users], _USER_COLUMNS, found.total, as_json=as_json)


def threads(
    user: Annotated[
        str | None, typer.Option(help="Only threads of this user.", show_default="all users")
    ] = None,
    limit: _Limit = PAGE_DEFAULT,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List threads, newest first. Exit code 3 if there are none."""
    if user is None:
        page = in_project(
            data, project, threads_.page, order="created_at/desc", limit=limit, offset=0
        )
        found, total = page.threads, page.total
    else:
        found = in_project(data, project, users_.threads_of, user, limit)
        total = in_project(data, project, users_.get, UserRef(user_id=user)).thread_count
    _tell([_thread(one) for one in found], _THREAD_COLUMNS, total, as_json=as_json)


def _tell(
    rows: list[dict[str, Any]], columns: tuple[str, ...], total: int, *, as_json: bool
) -> None:
    if rows or as_json:
        show(rows, columns, as_json=as_json)
    if len(rows) < total and not as_json:
        err.print(f"{len(rows)} of {total}; --limit shows more")
    if not rows:
        raise typer.Exit(NOTHING_FOUND)


def _user(one: User) -> dict[str, Any]:
    return {
        "user": one.user_id,
        "name": " ".join(part for part in (one.first_name, one.last_name) if part),
        "email": one.email,
        "threads": one.thread_count,
        "created": one.created_at,
        "id": one.uuid,
    }


def _thread(one: Thread) -> dict[str, Any]:
    return {
        "thread": one.thread_id,
        "user": one.user_id,
        "last said": one.updated_at,
        "created": one.created_at,
        "id": one.uuid,
    }
