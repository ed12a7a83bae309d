"""Reads what is derived from many facts at once: observations and summaries."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from recollect.derive import summaries
from recollect.errors import NotFound
from recollect.graph import user_summary as rules
from recollect.graph.filters import (
    NO_FILTERS,
    EpisodeSource,
    Filters,
    dates_hold,
    needs_evidence,
    rests_on,
)
from recollect.graph.types import (
    Access,
    DocumentSummary,
    Entity,
    Graph,
    Json,
    Observation,
    Record,
    ThreadSummary,
)
from recollect.graph.user_summary import UserFact
from recollect.limits import USER_SUMMARY_FACTS_MAX
from recollect.records import graphs, guidance, seeing, telling, threads, users
from recollect.records.pages import Identified, Page, PageRequest, page_seen
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.observations import ObservationRow
from recollect.store.queries.shapes import SourceRow
from recollect.store.queries.summaries import SummaryRow, ThreadSummaryRow, UserFactsToldRow
from recollect.store.statements import Keyed


class DatedSummary(Identified, Protocol):
    """A row with its creation time."""

    @property
    def created_at(self) -> int: ...


R = TypeVar("R", bound=DatedSummary)
D = TypeVar("D", bound=DatedSummary)
Derived = TypeVar("Derived", Observation, ThreadSummary, DocumentSummary)

LABEL = "Observation"


def user_summary(tx: Transaction, access: Access, user_id: str) -> str:
    """A summary of a user, following the instructions for this user, or else the project's.

    It is the language model's text, if one was written for the same instructions; else it is composed
    from the facts that hold now; without any, it is the summary of the user's node. A caller that may not
    see the node gets NotFound. A caller with restricted visibility gets a summary of what they may see,
    whether or not there is more.
    """
    graph = graphs.of_user(tx, access, user_id)
    node = users.node(tx, access, user_id)
    where = guidance.scope_of(graph)
    asked = [item.text for item in guidance.instructions_at(tx, access, where, "summary")]
    written = tx.summaries.user_summary_of(graph_id=graph.id)
    same = written is not None and written.basis == rules.basis(asked)
    if written is not None and same and access.visibility is None:
        return str(written.summary)
    return rules.summarize(_told(tx, access, node), asked) or node.summary


def _told(tx: Transaction, access: Access, node: Entity) -> list[UserFact]:
    """The newest visible facts about a user that hold, without those that visible facts make doubtful."""
    now = rows.micros(tx.now)

    def narrow(found: Sequence[UserFactsToldRow]) -> list[UserFactsToldRow]:
        by = {row.id: set(rows.from_json(row.doubted_by)) for row in found}
        seen = seeing.ids(tx, access, "fact", sorted(by.keys() | set().union(*by.values())))
        return [row for row in found if row.id in seen and not by[row.id] & seen]

    found = seeing.first(
        access,
        lambda several: tx.summaries.user_facts_told(entity_id=node.id, now=now, limit=several),
        narrow,
        USER_SUMMARY_FACTS_MAX,
    )
    return [UserFact(number=row.id, fact=row.fact, predicate=row.predicate) for row in found]


def observation(tx: Transaction, access: Access, uuid: str) -> Observation:
    """An observation by its uuid."""
    row = tx.observations.by_uuid(uuid=uuid, project_id=access.project_id)
    found = _observations(tx, access, [row]) if row is not None else []
    if not found:
        raise NotFound(f"observation not found: {uuid}")
    return found[0]


def observations_by_ids(
    tx: Transaction, access: Access, graph: Graph, ids: Sequence[int]
) -> list[Observation]:
    """The observations of a graph with these row ids."""
    found = tx.observations.by_ids(ids=rows.to_json(list(ids)))
    return _observations(tx, access, [row for row in found if row.graph_id == graph.id])


def _observations(
    tx: Transaction, access: Access, found: Sequence[ObservationRow]
) -> list[Observation]:
    return telling.observations(tx, access, _with_basis(tx, found))


def observations_page(
    tx: Transaction,
    access: Access,
    graph: Graph,
    request: PageRequest,
    filters: Filters = NO_FILTERS,
) -> Page[Observation]:
    """A page of a graph's observations that pass the filters."""
    narrow = _Narrow(access, filters, tx.observations.sources)
    return _page(tx, access, graph, request, narrow, tx.observations.page, _observations)


def thread_summary(tx: Transaction, access: Access, thread_id: str) -> ThreadSummary:
    """The summary of a thread; NotFound until a message was processed."""
    thread = threads.get(tx, access, thread_id)
    row = tx.summaries.thread_summary_of(thread_id=thread.id)
    found = _thread_summaries(tx, access, [row]) if row is not None else []
    if not found:
        raise NotFound(f"no summary of this thread yet: {thread_id}")
    return found[0]


def thread_summaries_by_ids(
    tx: Transaction, access: Access, graph: Graph, ids: Sequence[int]
) -> list[ThreadSummary]:
    """The thread summaries of a graph with these row ids."""
    found = tx.summaries.thread_summaries_among(graph_id=graph.id, ids=rows.to_json(list(ids)))
    return _thread_summaries(tx, access, found)


def _thread_summaries(
    tx: Transaction, access: Access, found: Sequence[ThreadSummaryRow]
) -> list[ThreadSummary]:
    return telling.thread_summaries(tx, access, [_thread_summary(tx, row) for row in found])


def thread_summaries_page(
    tx: Transaction,
    access: Access,
    graph: Graph,
    request: PageRequest,
    filters: Filters = NO_FILTERS,
) -> Page[ThreadSummary]:
    """A page of the summaries of a graph's threads that pass the filters."""
    narrow = _Narrow(access, filters, tx.summaries.thread_summary_sources)
    return _page(
        tx, access, graph, request, narrow, tx.summaries.thread_summaries_page, _thread_summaries
    )


def document_summaries_page(
    tx: Transaction,
    access: Access,
    graph: Graph,
    request: PageRequest,
    filters: Filters = NO_FILTERS,
) -> Page[DocumentSummary]:
    """A page of the summaries of a graph's documents that pass the filters."""
    narrow = _Narrow(access, filters, tx.summaries.document_summary_sources)
    return _page(
        tx,
        access,
        graph,
        request,
        narrow,
        tx.summaries.document_summaries_page,
        _document_summaries,
    )


def document_summary(
    tx: Transaction, access: Access, graph: Graph, document_id: str
) -> DocumentSummary:
    """The summary of a document; NotFound until an episode of it was processed."""
    row = tx.summaries.document_summary_of(graph_id=graph.id, document_id=document_id)
    found = _document_summaries(tx, access, [row]) if row is not None else []
    if not found:
        raise NotFound(f"no summary of this document yet: {document_id}")
    return found[0]


def _document_summaries(
    tx: Transaction, access: Access, found: Sequence[SummaryRow]
) -> list[DocumentSummary]:
    made = [_document_summary(tx, row) for row in found]
    return telling.document_summaries(tx, access, made)


def _page(
    tx: Transaction,
    access: Access,
    graph: Graph,
    request: PageRequest,
    narrow: "_Narrow",
    read: Callable[..., list[Keyed[R]]],
    tell: Callable[[Transaction, Access, Sequence[R]], list[Derived]],
) -> Page[Derived]:
    """A page of the query's results that pass the filters and are visible."""
    return page_seen(
        lambda bounds: read(order=request.order, graph_id=graph.id, **bounds),
        request,
        lambda found: {one.id: one for one in tell(tx, access, narrow(found))},
        narrowing=narrow.narrows,
    )


class _Narrow:
    """The filters that apply here: creation time, and supporting episodes."""

    def __init__(
        self,
        access: Access,
        filters: Filters,
        sources: Callable[..., Sequence[SourceRow]],
    ) -> None:
        self._access = access
        self._filters = filters
        self._sources = sources

    @property
    def narrows(self) -> bool:
        """Whether any item could be filtered out or hidden."""
        hiding = self._access.visibility is not None
        return hiding or bool(self._filters.created_at) or needs_evidence(self._filters)

    def __call__(self, found: Sequence[D]) -> list[D]:
        """The rows that pass."""
        dated = [
            row
            for row in found
            if dates_hold(self._filters.created_at, rows.moment(row.created_at))
        ]
        if not dated or not needs_evidence(self._filters):
            return dated
        behind: dict[int, list[EpisodeSource]] = {}
        listed = rows.to_json([row.id for row in dated])
        # A filter must not reveal what the caller could not read.
        for row in seeing.carriers(self._access, self._sources(ids=listed)):
            behind.setdefault(row.id, []).append(seeing.source(row))
        return [row for row in dated if rests_on(self._filters, behind.get(row.id, []))]


class _Basis(Record):
    facts: dict[str, None]
    episodes: dict[str, None]


def _with_basis(tx: Transaction, found: Sequence[ObservationRow]) -> list[Observation]:
    """Observations with the facts and episodes they rest on."""
    behind = {row.id: _Basis(facts={}, episodes={}) for row in found}
    for row in tx.observations.basis(ids=rows.to_json(list(behind))):
        behind[row.id].facts[row.fact] = None
        if row.episode is not None:
            behind[row.id].episodes[row.episode] = None
    return [_observation(row, behind[row.id]) for row in found]


def _observation(row: ObservationRow, basis: _Basis) -> Observation:
    attributes: Json = {"pattern": row.kind, "fact_uuids": list(basis.facts)}
    return Observation(
        id=row.id,
        uuid=row.uuid,
        graph_id=row.graph_id,
        name=row.name,
        summary=row.summary,
        labels=[LABEL, row.label],
        attributes=attributes,
        episodes=list(basis.episodes),
        facts=list(basis.facts),
        start_at=rows.moment_or_none(row.start_at),
        latest_evidence_at=rows.moment_or_none(row.latest_evidence_at),
        end_at=rows.moment_or_none(row.end_at),
        created_at=rows.moment(row.created_at),
    )


def _thread_summary(tx: Transaction, row: ThreadSummaryRow) -> ThreadSummary:
    return ThreadSummary(
        id=row.id,
        uuid=row.uuid,
        graph_id=row.graph_id,
        thread_id=row.thread_name,
        summary=summaries.text_of(tx, row),
        created_at=rows.moment(row.created_at),
        updated_at=rows.moment(row.updated_at),
        covered_at=rows.moment_or_none(row.covered_at),
    )


def _document_summary(tx: Transaction, row: SummaryRow) -> DocumentSummary:
    return DocumentSummary(
        id=row.id,
        uuid=row.uuid,
        graph_id=row.graph_id,
        document_id=row.document_id or "",
        summary=summaries.text_of(tx, row),
        created_at=rows.moment(row.created_at),
        updated_at=rows.moment(row.updated_at),
        covered_at=rows.moment_or_none(row.covered_at),
    )
