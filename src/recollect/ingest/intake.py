"""Accepting episodes: checked, then written with their jobs in one commit."""

from collections.abc import Sequence
from typing import NamedTuple

from recollect.errors import InvalidInput, InvariantViolated, NotFound
from recollect.graph import checks
from recollect.graph.types import Access, Episode, NewEpisode, Record
from recollect.limits import (
    DESCRIPTION_CHARS_MAX,
    DOCUMENT_ID_CHARS_MAX,
    EPISODE_CHARS_MAX,
    EPISODES_PER_BATCH_CALL_MAX,
    MESSAGE_CHARS_MAX,
    MESSAGES_PER_CALL_MAX,
    NAME_CHARS_MAX,
)
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.subjects import graphs


class Receipt(Record):
    """What a caller gets for episodes that are on disk: their ids, and the task to poll."""

    episodes: list[Episode]
    task_uuid: str | None


class MessageWords(NamedTuple):
    """How a client's generation calls the two fields that say who spoke."""

    role: str = "role"
    name: str = "name"


OUR_WORDS = MessageWords()


def check_messages(messages: Sequence[NewEpisode], words: MessageWords = OUR_WORDS) -> None:
    """Messages of one call: few enough, and each within its bounds."""
    if not messages:
        raise InvalidInput("messages: at least one is required")
    if len(messages) > MESSAGES_PER_CALL_MAX:
        raise InvalidInput(
            f"messages: at most {MESSAGES_PER_CALL_MAX} per call, got {len(messages)}"
        )
    for number, message in enumerate(messages):
        check_message(f"messages[{number}]", message, words)


def check_message(field: str, message: NewEpisode, words: MessageWords = OUR_WORDS) -> None:
    """One message within its bounds."""
    checks.text(f"{field}.content", message.content, MESSAGE_CHARS_MAX, required=True)
    checks.text(f"{field}.{words.name}", message.role, NAME_CHARS_MAX)
    checks.role_type(f"{field}.{words.role}", message.role_type or "")
    checks.episode_metadata(f"{field}.metadata", message.metadata)


def check_episode(field: str, episode: NewEpisode) -> None:
    """One piece of data within its bounds. *field* prefixes what the error names."""
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
    """Pieces of data of one call."""
    if not episodes:
        raise InvalidInput("episodes: at least one is required")
    if len(episodes) > EPISODES_PER_BATCH_CALL_MAX:
        raise InvalidInput(
            f"episodes: at most {EPISODES_PER_BATCH_CALL_MAX} per call, got {len(episodes)}"
        )
    for number, episode in enumerate(episodes):
        check_episode(f"episodes[{number}].", episode)


def add_messages(
    tx: Transaction, access: Access, thread_id: str, messages: Sequence[NewEpisode]
) -> Receipt:
    """Append checked messages to a thread and to its user's graph."""
    row = tx.one("thread_place", project_id=access.project_id, thread_id=thread_id)
    if row is None:
        raise NotFound(f"thread not found: {thread_id}")
    return _append(
        tx,
        graph_id=row["graph_id"],
        thread_key=row["id"],
        thread_id=thread_id,
        episodes=messages,
    )


def add_episodes(
    tx: Transaction,
    access: Access,
    user_id: str | None,
    graph_id: str | None,
    episodes: Sequence[NewEpisode],
) -> Receipt:
    """Append checked data to the graph that exactly one of the two ids names."""
    graph = graphs.target(tx, access, user_id, graph_id)
    return _append(
        tx,
        graph_id=graph.id,
        thread_key=None,
        thread_id=None,
        episodes=episodes,
    )


def add_planned(
    tx: Transaction,
    *,
    graph_id: int,
    thread_key: int | None,
    task_uuid: str,
    planned: Sequence[tuple[str, NewEpisode]],
) -> None:
    """Append checked episodes whose uuids and task were given out before; their graph exists."""
    _append(
        tx,
        graph_id=graph_id,
        thread_key=thread_key,
        thread_id=None,
        episodes=[episode for _, episode in planned],
        uuids=[uuid for uuid, _ in planned],
        task_uuid=task_uuid,
    )


def _append(
    tx: Transaction,
    *,
    graph_id: int,
    thread_key: int | None,
    thread_id: str | None,
    episodes: Sequence[NewEpisode],
    uuids: Sequence[str] | None = None,
    task_uuid: str | None = None,
) -> Receipt:
    """The log's only way to grow: episodes in order, a job for each that is to be read."""
    head = tx.one("graph_next_seq", id=graph_id, count=len(episodes))
    if head is None:
        raise InvariantViolated(f"graph {graph_id} vanished inside a transaction")
    first_seq = head["last_seq"] - len(episodes) + 1
    task = None
    if any(not episode.ignored for episode in episodes):
        task = task_uuid or tx.new_id()
    if uuids is None:
        uuids = [tx.new_id() for _ in episodes]
    stored = [
        _write(tx, uuid, graph_id, first_seq + number, thread_key, thread_id, task, episode)
        for number, (uuid, episode) in enumerate(zip(uuids, episodes, strict=True))
    ]
    if task is not None:
        tx.run("queue_enter", graph_id=graph_id, now=rows.micros(tx.now))
    return Receipt(episodes=stored, task_uuid=task)


def _write(
    tx: Transaction,
    uuid: str,
    graph_id: int,
    seq: int,
    thread_key: int | None,
    thread_id: str | None,
    task: str | None,
    new: NewEpisode,
) -> Episode:
    now = tx.now
    created_at = new.created_at or now
    # An ignored role is kept as history; nothing is owed to it.
    own_task = None if new.ignored else task
    episode_id = tx.insert(
        "episode_insert",
        uuid=uuid,
        graph_id=graph_id,
        seq=seq,
        kind=new.kind,
        content=new.content,
        role_type=new.role_type,
        role=new.role,
        source_description=new.source_description,
        thread_id=thread_key,
        document_id=new.document_id,
        metadata=rows.to_json(new.metadata),
        ignored=new.ignored,
        strict_ontology=new.strict_ontology,
        created_at=rows.micros(created_at),
        received_at=rows.micros(now),
        processed_at=rows.micros(now) if new.ignored else None,
        task_uuid=own_task,
    )
    if own_task is not None:
        tx.run(
            "job_insert",
            graph_id=graph_id,
            episode_id=episode_id,
            task_uuid=own_task,
            now=rows.micros(now),
        )
    return Episode(
        id=episode_id,
        uuid=uuid,
        graph_id=graph_id,
        seq=seq,
        kind=new.kind,
        content=new.content,
        role_type=new.role_type,
        role=new.role,
        source_description=new.source_description,
        thread_id=thread_id,
        document_id=new.document_id,
        metadata=new.metadata,
        ignored=new.ignored,
        created_at=created_at,
        received_at=now,
        processed_at=now if new.ignored else None,
        task_uuid=own_task,
    )
