"""A sentence about one subject that a caller writes directly, with the episodes that support it.

Like every other direct write it becomes an episode that is never shown and carries the metadata.
"""

import hashlib
from collections.abc import Sequence

import msgspec

from recollect.errors import InvalidInput, NotFound
from recollect.governance import quotas
from recollect.graph.episode_filters import DEFAULT_PRODUCER
from recollect.graph.found import FoundEntity, FoundFact, Triple, encode_direct
from recollect.graph.predicates import Predicates
from recollect.graph.types import Access, Fact, Graph, Json, NewEpisode, Record
from recollect.ingest import direct, intake
from recollect.ingest.intake import Receipt
from recollect.limits import FEATURE_CITATIONS_MAX
from recollect.records import seeing, users
from recollect.store import rows
from recollect.store.protocol import Transaction


class Statement(Record):
    """A statement about *subject*; None is the graph's own user.

    *kept_as* distinguishes statements that say the same but must be stored separately. *uuid* is that
    of its episode, and of the fact if it is new.
    """

    subject: str | None
    name: str
    fact: str
    kept_as: str
    uuid: str
    attributes: Json
    metadata: Json | None = None
    producer: str | None = None
    cites: tuple[int, ...] = ()


def add(
    tx: Transaction, access: Access, graph: Graph, given: Statement, predicates: Predicates
) -> Receipt:
    """Append a checked statement to the log of a graph."""
    predicate, negated = direct.relation(given.name, predicates)
    about = _about(tx, access, graph, given.subject)
    fact = FoundFact(
        source=0,
        target=0,
        name=given.name,
        predicate=predicate,
        negated=negated,
        fact=given.fact.strip(),
        valid_at=tx.now,
        slot=hashlib.sha256(given.kept_as.encode()).hexdigest(),
        attributes=given.attributes,
        uuid=given.uuid,
        cites=given.cites,
    )
    content = encode_direct(Triple(source=about, target=about, fact=fact))
    episode = NewEpisode(
        kind="fact_triple", content=content, metadata=given.metadata, producer=given.producer
    )
    task = tx.new_id()
    planned = [(given.uuid, episode)]
    quotas.spend(tx, access, "episodes", len(planned))
    intake.add_planned(tx, graph_id=graph.id, thread_key=None, task_uuid=task, planned=planned)
    return Receipt(uuids=[given.uuid], task_uuid=task)


def _about(tx: Transaction, access: Access, graph: Graph, subject: str | None) -> FoundEntity:
    if graph.kind == "user" and subject in (None, DEFAULT_PRODUCER):
        name = users.display_name(users.get(tx, access, graph.graph_id))
        return FoundEntity(name=name, who="user")
    return FoundEntity(name=(subject or graph.graph_id).strip())


def cited(tx: Transaction, access: Access, graph: Graph, uuids: Sequence[str]) -> tuple[int, ...]:
    """The log positions of cited episodes; each must exist and be visible."""
    if len(uuids) > FEATURE_CITATIONS_MAX:
        raise InvalidInput(f"citations: at most {FEATURE_CITATIONS_MAX}, got {len(uuids)}")
    found = tx.episodes.cited(graph_id=graph.id, uuids=rows.to_json(list(uuids)))
    seen = {row.uuid: row.seq for row in seeing.carriers(access, found)}
    missing = next((uuid for uuid in uuids if uuid not in seen), None)
    if missing is not None:
        raise NotFound(f"citations: no such episode in this project: {missing}")
    return tuple(sorted(seen.values()))


def taken_in(tx: Transaction, graph: Graph, uuid: str) -> str | None:
    """The uuid of a statement's fact: its own, or that of an earlier fact that says the same."""
    row = tx.features.fact_of_statement(uuid=uuid, graph_id=graph.id)
    return None if row is None else row


def waiting(tx: Transaction, access: Access, graph: Graph, uuid: str) -> int | None:
    """The row id of a statement that is not read yet; only for a caller who sees everything."""
    row = tx.features.statement_awaited(uuid=uuid, graph_id=graph.id)
    return None if row is None or access.visibility is not None else int(row.id)


def awaited(tx: Transaction, access: Access, graph: Graph, uuid: str) -> Fact | None:
    """A statement that is not read yet, as the fact it will be.

    Only for a caller who sees everything: its visibility is not known until it is folded in.
    """
    row = tx.features.statement_awaited(uuid=uuid, graph_id=graph.id)
    if row is None or access.visibility is not None:
        return None
    stated = msgspec.json.decode(row.content, type=Triple)
    cites = rows.to_json(stated.fact.cites)
    found = tx.episodes.uuids_by_seqs(graph_id=graph.id, seqs=cites)
    return Fact(
        id=0,
        uuid=uuid,
        graph_id=graph.id,
        name=stated.fact.name,
        fact=stated.fact.fact,
        source_uuid="",
        source_name=stated.source.name,
        source_labels=[],
        target_uuid="",
        target_name=stated.target.name,
        target_labels=[],
        attributes=stated.fact.attributes,
        episodes=list(found),
        created_at=rows.moment(row.received_at),
        valid_at=stated.fact.valid_at,
    )
