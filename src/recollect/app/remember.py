"""Ingesting messages and data, and facts and entities that a caller writes directly."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from recollect.app import refs, tasks
from recollect.app.idempotency import Done, Once, repeatable, write
from recollect.app.refs import GraphRef, InGraph, ThreadRef
from recollect.app.services import Services
from recollect.app.tasks import Outcome, Tracked, WithTask
from recollect.app.threads import Messages
from recollect.graph.predicates import Predicates
from recollect.graph.types import Access, Episode, Json, NewEpisode
from recollect.ingest import direct, intake
from recollect.ingest.direct import GivenTriple, check_nodes, check_triple
from recollect.ingest.direct_checks import GivenNode, node_count, one_label
from recollect.ingest.direct_checks import fact as check_fact
from recollect.ingest.intake import (
    MessageWords,
    Receipt,
    check_batch,
    check_episode,
    check_messages,
)
from recollect.records import episodes
from recollect.store.protocol import Transaction
from recollect.store.work import beside_others

__all__ = [
    "GivenNode",
    "GivenTriple",
    "MessageWords",
    "Outcome",
    "Receipt",
    "check_batch",
    "check_episode",
    "check_fact",
    "check_messages",
    "check_nodes",
    "check_triple",
    "node_count",
    "one_label",
]

NewNode = tuple[GivenNode, Json | None, datetime | None]  # with its metadata and its own time


async def add_messages(
    services: Services, access: Access, ref: ThreadRef, new: list[NewEpisode]
) -> Receipt:
    """Add messages to a thread; they are on disk when this returns."""
    receipt = await services.store.write(_add_messages, access, ref, new)
    services.wake_workers()
    return receipt


@beside_others
def _add_messages(
    tx: Transaction, access: Access, ref: ThreadRef, new: list[NewEpisode]
) -> Receipt:
    thread_id = ref.thread_id
    if thread_id is None:
        thread_id = refs.thread(tx, access, ref).thread_id
    return intake.add_messages(tx, access, thread_id, new)


@repeatable
@beside_others
def add_messages_tracked(
    tx: Transaction, access: Access, ref: ThreadRef, new: list[NewEpisode]
) -> Done[WithTask[Messages]]:
    """Add messages to a thread; returns them as stored, and the task that reads them."""
    thread = refs.thread(tx, access, ref)
    receipt = intake.add_messages(tx, access, thread.thread_id, new)
    stored = [episodes.as_stored(tx, access, uuid) for uuid in receipt.uuids]
    task = tasks.of_write(tx, access, receipt.task_uuid, "thread.add_messages")
    added = Messages(thread=thread, messages=stored, total=len(stored))
    return Done(value=WithTask(value=added, task=task), graph_id=thread.graph_id, made=receipt)


async def add_data(
    services: Services,
    access: Access,
    ref: GraphRef,
    new: list[NewEpisode],
    *,
    opens: bool = False,
) -> list[Episode]:
    """Add data to a graph, in the given order; *opens* creates a missing graph."""
    stored = await services.store.write(_add_data, access, ref, new, opens=opens)
    services.wake_workers()
    return stored


@beside_others
def _add_data(
    tx: Transaction, access: Access, ref: GraphRef, new: list[NewEpisode], *, opens: bool
) -> list[Episode]:
    receipt = intake.add_episodes(tx, access, ref.user_id, ref.graph_id, new, opens=opens)
    return [episodes.as_stored(tx, access, uuid) for uuid in receipt.uuids]


@repeatable
@beside_others
def add_data_tracked(
    tx: Transaction, access: Access, ref: GraphRef, new: NewEpisode
) -> Done[WithTask[InGraph[Episode]]]:
    """Add one piece of data to a graph; returns it with the task that reads it."""
    where = refs.graph(tx, access, ref)
    receipt = intake.add_episodes(tx, access, where.user_id, where.graph_id, [new])
    stored = episodes.as_stored(tx, access, receipt.uuids[0])
    task = tasks.of_write(tx, access, receipt.task_uuid, "graph.add")
    added = WithTask(value=InGraph(where=where, value=stored), task=task)
    return Done(value=added, graph_id=where.graph.id, made=stored)


# ---------------------------------------------------------------- facts and entities written directly


async def add_triple(
    services: Services, access: Access, ref: GraphRef, triple: GivenTriple, *, opens: bool = False
) -> Receipt:
    """Add one fact between two entities; *opens* creates a missing graph."""
    return await services.store.write(
        direct.add_triple,
        access,
        ref.user_id,
        ref.graph_id,
        triple,
        services.predicates,
        opens=opens,
    )


async def add_triples(
    services: Services,
    access: Access,
    ref: GraphRef,
    triples: Sequence[GivenTriple],
    *,
    once: Once | None = None,
) -> WithTask[list[GivenTriple]]:
    """Add facts between entities, each with a uuid of its own; returns them with their task."""
    return await write(services, access, once, _add_triples, ref, triples, services.predicates)


def _add_triples(
    tx: Transaction,
    access: Access,
    ref: GraphRef,
    triples: Sequence[GivenTriple],
    predicates: Predicates,
) -> Done[WithTask[list[GivenTriple]]]:
    where = refs.graph(tx, access, ref)
    named = [replace(triple, uuid=tx.new_id()) for triple in triples]
    receipt = direct.add_triples(tx, access, where.graph, named, predicates)
    task = tasks.of_write(tx, access, receipt.task_uuid, "graph.edge.add")
    added = WithTask(value=named, task=task)
    return Done(value=added, graph_id=where.graph.id, made=receipt)


async def add_nodes(
    services: Services,
    access: Access,
    ref: GraphRef,
    nodes: Sequence[NewNode],
) -> Receipt:
    """Add entities to a graph; each is matched to an existing one or created."""
    return await services.store.write(direct.add_nodes, access, ref.user_id, ref.graph_id, nodes)


@repeatable
def add_nodes_tracked(
    tx: Transaction, access: Access, ref: GraphRef, nodes: Sequence[NewNode]
) -> Done[Tracked]:
    """Add entities to a graph; returns the task that does it."""
    where = refs.graph(tx, access, ref)
    receipt = direct.add_nodes(tx, access, where.user_id, where.graph_id, nodes)
    task = tasks.of_write(tx, access, receipt.task_uuid, "graph.add_nodes")
    return Done(value=task, graph_id=where.graph.id, made=receipt)


async def add_thread_facts(
    services: Services, access: Access, ref: ThreadRef, facts: list[str]
) -> None:
    """Store sentences about the user of a thread verbatim."""
    await services.store.write(_add_thread_facts, access, ref, facts)
    services.wake_workers()


def _add_thread_facts(tx: Transaction, access: Access, ref: ThreadRef, facts: list[str]) -> None:
    direct.add_thread_facts(tx, access, refs.thread(tx, access, ref), facts)


async def outcome(
    services: Services,
    access: Access,
    task_uuid: str | None,
    *,
    facts_for: Access | None,
    nodes_for: Access | None,
) -> Outcome | None:
    """What a direct write resulted in, limited to the facts and entities that the caller may read.

    None if that takes longer than a caller should wait.
    """
    if task_uuid is None or not await tasks.completed(services, access, task_uuid):
        return None
    return await services.store.read(direct.readable, facts_for, nodes_for, task_uuid)
