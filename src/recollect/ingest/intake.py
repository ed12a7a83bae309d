"""Accepting episodes: checked, then written with their jobs in one commit."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from recollect import spans
from recollect.derive import chapters
from recollect.errors import InvalidInput, InvariantViolated, NotFound
from recollect.governance import quotas
from recollect.graph import checks
from recollect.graph.expiry import Reason
from recollect.graph.types import Access, GraphKind, NewEpisode, Record
from recollect.limits import (
    DESCRIPTION_CHARS_MAX,
    DOCUMENT_ID_CHARS_MAX,
    EPISODE_CHARS_MAX,
    EPISODES_PER_BATCH_CALL_MAX,
    MESSAGE_CHARS_MAX,
    MESSAGES_PER_CALL_MAX,
    NAME_CHARS_MAX,
)
from recollect.records import expiring, graphs
from recollect.store import index, rows, tasks
from recollect.store.protocol import Transaction
from recollect.store.queries.graphs import GrownRow
from recollect.store.work import beside_others


class Receipt(Record):
    """What a caller gets for episodes that are on disk: their ids, and the task to poll."""

    uuids: list[str]
    task_uuid: str | None


class MessageWords(NamedTuple):
    """A client's names for the two fields that say who spoke."""

    role: str = "role"
    speaker: str = "name"


USUAL_WORDS = MessageWords()
_DIRECT_TASKS = {"fact_triple": "graph.edge.add", "nodes": "graph.add_nodes"}


def check_messages(messages: Sequence[NewEpisode], words: MessageWords = USUAL_WORDS) -> None:
    """Check the messages of one call: their number, and the bounds of each."""
    if not messages:
        raise InvalidInput("messages: at least one is required")
    if len(messages) > MESSAGES_PER_CALL_MAX:
        raise InvalidInput(
            f"messages: at most {MESSAGES_PER_CALL_MAX} per call, got {len(messages)}"
        )
    for number, message in enumerate(messages):
        check_message(f"messages[{number}]", message, words)


def check_message(field: str, message: NewEpisode, words: MessageWords = USUAL_WORDS) -> None:
    """Check the bounds of one message."""
    checks.text(f"{field}.content", message.content, MESSAGE_CHARS_MAX, required=True)
    checks.text(f"{field}.{words.speaker}", message.speaker, NAME_CHARS_MAX)
    checks.role(f"{field}.{words.role}", message.role or "")
    checks.episode_metadata(f"{field}.metadata", message.metadata)


def check_episode(field: str, episode: NewEpisode) -> None:
    """Check the bounds of one episode. *field* is the prefix of the field names in errors."""
    checks.text(f"{field}data", episode.content, EPISODE_CHARS_MAX, required=True)
    checks.text(f"{field}source_description", episode.source_description, DESCRIPTION_CHARS_MAX)
    checks.episode_metadata(f"{field}metadata", episode.metadata)
    if episode.document_id is not None:
        checks.text(
            f"{field}document_id", episode.document_id, DOCUMENT_ID_CHARS_MAX, required=True
        )
    if episode.kind == "json":
        checks.json_text(f"{field}data", episode.content)


def check_batch(episodes: Sequence[NewEpisode]) -> None:
    """Check the episodes of one call: their number, and the bounds of each."""
    if not episodes:
        raise InvalidInput("episodes: at least one is required")
    if len(episodes) > EPISODES_PER_BATCH_CALL_MAX:
        raise InvalidInput(
            f"episodes: at most {EPISODES_PER_BATCH_CALL_MAX} per call, got {len(episodes)}"
        )
    for number, episode in enumerate(episodes):
        check_episode(f"episodes[{number}].", episode)


@beside_others
def add_messages(
    tx: Transaction, access: Access, thread_id: str, messages: Sequence[NewEpisode]
) -> Receipt:
    """Append checked messages to a thread and to its user's graph."""
    quotas.spend(tx, access, "episodes", len(messages))
    grow = partial(
        tx.graphs.grow_by_thread,
        project_id=access.project_id,
        thread_id=thread_id,
        count=len(messages),
    )
    grown = grow()
    if grown is None:
        row = tx.threads.place(project_id=access.project_id, thread_id=thread_id)
        if row is None:
            raise NotFound(f"thread not found: {thread_id}")
        tx.hold(row.graph_id)  # another writer held it
        grown = grow()
    return _append(tx, grown, messages, expiring.said_by(access))


@beside_others
def add_episodes(
    tx: Transaction,
    access: Access,
    user_id: str | None,
    graph_id: str | None,
    episodes: Sequence[NewEpisode],
    *,
    opens: bool = False,
) -> Receipt:
    """Append checked data to the graph that exactly one of the two ids names.

    *opens*: create the standalone graph if it does not exist yet.
    """
    kind: GraphKind = "standalone" if user_id is None else "user"
    grow = partial(tx.graphs.grow, project_id=access.project_id, kind=kind, count=len(episodes))
    quotas.spend(tx, access, "episodes", len(episodes))
    given = [one for one in (user_id, graph_id) if one is not None]
    grown = grow(graph_id=given[0]) if len(given) == 1 else None
    if grown is None:
        graph = graphs.target(tx, access, user_id, graph_id, opens=opens)
        tx.hold(graph.id)  # another writer held it, or it is new
        grown = grow(graph_id=graph.graph_id)
    return _append(tx, grown, episodes, expiring.said_by(access))


@beside_others
def add_entries(
    tx: Transaction,
    access: Access,
    kind: GraphKind,
    graph_id: str,
    episodes: Sequence[NewEpisode],
    *,
    field: str = "graph_id",
) -> Receipt:
    """Append episodes of MemMachine clients; a standalone graph is created if it does not exist yet.

    *field* is the caller's name for the id.
    """
    if kind == "user":
        graph = graphs.of_user(tx, access, graph_id)
    else:
        graph = graphs.opened(tx, access, graph_id, field=field)
    tx.hold(graph.id)
    chapters.condense(tx, graph.id)
    quotas.spend(tx, access, "episodes", len(episodes))
    room = _room(tx, graph.id, None, len(episodes))
    return _append(tx, room, episodes, expiring.said_by(access))


def add_direct(
    tx: Transaction,
    access: Access,
    graph_id: int,
    episodes: Sequence[NewEpisode],
    thread_key: int | None = None,
) -> Receipt:
    """Append direct writes that `ingest.direct` has checked; their graph, and thread if any, exist."""
    quotas.spend(tx, access, "episodes", len(episodes))
    room = _room(tx, graph_id, thread_key, len(episodes))
    return _append(tx, room, episodes, expiring.said_by(access))


def add_planned(
    tx: Transaction,
    *,
    graph_id: int,
    thread_key: int | None,
    task_uuid: str,
    planned: Sequence[tuple[str, NewEpisode]],
) -> None:
    """Append checked episodes whose uuids and task were assigned before; their graph exists.

    The caller has already charged them to the quota.
    """
    uuids, episodes = [uuid for uuid, _ in planned], [episode for _, episode in planned]
    room = _room(tx, graph_id, thread_key, len(episodes))
    _append(tx, room, episodes, Reason(), uuids, task_uuid)


def _room(tx: Transaction, graph_id: int, thread_key: int | None, count: int) -> GrownRow | None:
    """Reserve *count* positions at the end of a graph's log; None if the graph is gone."""
    head = tx.graphs.next_seq(id=graph_id, count=count)
    return None if head is None else GrownRow(graph_id, head, thread_key)


def _append(
    tx: Transaction,
    room: GrownRow | None,
    episodes: Sequence[NewEpisode],
    because: Reason,
    uuids: list[str] | None = None,
    task_uuid: str | None = None,
) -> Receipt:
    """The only way a log grows: append episodes in order, with a job for each that must be read.

    *because*: the reason recorded for those that have an expiry.
    """
    if room is None:
        raise InvariantViolated("a graph vanished inside a transaction")
    graph_id, head, thread_key = room
    place = _Place(graph_id, thread_key, rows.micros(tx.now), head)
    task = task_uuid or tx.new_id()
    uuids = uuids or [tx.new_id() for _ in episodes]
    spans.leave(uuids)
    first_seq = head - len(episodes) + 1
    numbered = enumerate(zip(uuids, episodes, strict=True), start=first_seq)
    for seq, (uuid, episode) in numbered:
        _write(tx, place, seq, uuid, task, episode)
    ignored = [seq for seq, new in enumerate(episodes, start=first_seq) if new.ignored]
    if ignored:
        listed = rows.to_json(ignored)
        ids = tx.episodes.ids_by_seqs(graph_id=graph_id, seqs=listed, side=None)
        index.keep_unfound(tx, graph_id, ids)
    for uuid, new in zip(uuids, episodes, strict=True):
        if new.expires_at is not None:
            if task_uuid is None and new.expires_at <= tx.now:
                raise InvalidInput("expires_at: has passed already")
            expiring.put(tx, graph_id, "episode", uuid, rows.micros(new.expires_at), because)
    if all(episode.ignored for episode in episodes):
        return Receipt(uuids=uuids, task_uuid=None)
    tx.queue.enter(graph_id=graph_id)
    if task_uuid is None:
        owed = len(episodes) - len(ignored)
        tasks.owe(tx, task, _task_type(thread_key, episodes[0]), graph_id, owed)
    return Receipt(uuids=uuids, task_uuid=task)


def _task_type(thread_key: int | None, first: NewEpisode) -> str:
    """The task's type as callers see it."""
    if first.kind in _DIRECT_TASKS:
        return _DIRECT_TASKS[first.kind]
    return "graph.add" if thread_key is None else "thread.add_messages"


class _Place(NamedTuple):
    """Where the episodes of one call go, and when."""

    graph_id: int
    thread_key: int | None
    now: int
    last_seq: int

    def happened_at(self, seq: int) -> int:
        """When an episode without a time of its own happened.

        The last one of a call happened now, each one before it a microsecond earlier: what was said
        later replaces what was said before, and for that their times must differ.
        """
        return self.now - (self.last_seq - seq)


def _write(tx: Transaction, place: _Place, seq: int, uuid: str, task: str, new: NewEpisode) -> None:
    # An episode with an ignored role is stored as history, without a job.
    tx.episodes.insert(
        uuid=uuid,
        graph_id=place.graph_id,
        seq=seq,
        kind=new.kind,
        content=new.content,
        role=new.role,
        speaker=new.speaker,
        source_description=new.source_description,
        thread_id=place.thread_key,
        document_id=new.document_id,
        metadata=rows.to_json(new.metadata),
        ignored=new.ignored,
        strict_ontology=new.strict_ontology,
        created_at=(
            place.happened_at(seq) if new.created_at is None else rows.micros(new.created_at)
        ),
        received_at=place.now,
        processed_at=place.now if new.ignored else None,
        task_uuid=None if new.ignored else task,
        producer=new.producer,
        addressee=new.addressee,
        extra=rows.to_json(new.extra),
        kept_for=new.kept_for,
    )
    if not new.ignored:
        tx.jobs.insert(
            graph_id=place.graph_id,
            seq=seq,
            task_uuid=task,
            now=place.now,
        )
