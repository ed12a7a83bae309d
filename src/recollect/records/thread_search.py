"""What a search over threads needs to know about them and their content."""

from collections.abc import Sequence

from recollect.errors import InvalidInput
from recollect.graph.types import Access, Episode, Fact, Graph, Record, Thread
from recollect.limits import SEARCH_SESSIONS_MAX, THREADS_PER_SEARCH_MAX
from recollect.records import episodes, graphs, listing, seeing, threads, users
from recollect.store import rows
from recollect.store.protocol import Transaction


class UserThreads(Record):
    """Threads of one user and the graph they feed; *whole*: all threads of the user.

    *thread_count* also counts those that are not included.
    """

    graph: Graph
    time_zone: str | None
    threads: tuple[Thread, ...]
    thread_count: int
    whole: bool


class Statement(Record):
    """Where a fact was stated: the thread, and the message if it was one."""

    thread_id: str
    message: Episode | None


def places(
    tx: Transaction, access: Access, user_id: str | None, thread_ids: Sequence[str]
) -> list[UserThreads]:
    """Where to search: the named threads, or else all threads of a user."""
    if len(thread_ids) > SEARCH_SESSIONS_MAX:
        raise InvalidInput(f"session_ids: at most {SEARCH_SESSIONS_MAX}, got {len(thread_ids)}")
    if not thread_ids:
        if user_id is None:
            raise InvalidInput("user_id or session_ids: one of them is required")
        found = threads.of_user(tx, access, user_id, THREADS_PER_SEARCH_MAX)
        return [_place(tx, access, user_id, found, whole=True)]
    by_user: dict[str, list[Thread]] = {}
    for thread in _named(tx, access, user_id, thread_ids):
        by_user.setdefault(thread.user_id, []).append(thread)
    return [_place(tx, access, owner, found, whole=False) for owner, found in by_user.items()]


def _named(
    tx: Transaction, access: Access, user_id: str | None, thread_ids: Sequence[str]
) -> list[Thread]:
    if user_id is not None:
        graphs.of_user(tx, access, user_id)  # raises NotFound for an unknown user
    found = [threads.get(tx, access, thread_id) for thread_id in dict.fromkeys(thread_ids)]
    for thread in found:
        if user_id is not None and thread.user_id != user_id:
            raise InvalidInput(f"session_ids: {thread.thread_id!r} is not a session of this user")
    return found


def _place(
    tx: Transaction, access: Access, user_id: str, found: Sequence[Thread], *, whole: bool
) -> UserThreads:
    graph = graphs.of_user(tx, access, user_id)
    return UserThreads(
        graph=graph,
        time_zone=listing.time_zone(tx, graph),
        threads=tuple(found),
        thread_count=users.get(tx, access, user_id).thread_count,
        whole=whole,
    )


def episode_uuids(tx: Transaction, access: Access, found: Sequence[Thread]) -> tuple[str, ...]:
    """The visible episodes that threads contributed to their graphs."""
    ids = rows.to_json([thread.id for thread in found])
    given = seeing.carriers(access, tx.episodes.uuids_of_threads(threads=ids))
    return tuple(row.uuid for row in given)


def statements(
    tx: Transaction, access: Access, place: UserThreads, facts: Sequence[Fact]
) -> dict[int, Statement]:
    """For each fact that a thread of *place* stated, the newest statement, by row id."""
    names = {thread.id: thread.thread_id for thread in place.threads}
    newest: dict[int, tuple[str, str]] = {}
    told = tx.threads.of_facts(facts=rows.to_json([fact.id for fact in facts]))
    for row in seeing.carriers(access, told):
        if row.thread_id in names:
            newest.setdefault(row.fact_id, (names[row.thread_id], row.episode))
    said = episodes.by_uuids(tx, access, place.graph, [uuid for _, uuid in newest.values()])
    messages = {message.uuid: message for message in said}
    return {
        fact_id: Statement(thread_id=thread_id, message=messages.get(uuid))
        for fact_id, (thread_id, uuid) in newest.items()
    }
