"""Reading what is derived from many facts at once: observations and summaries."""

from collections.abc import Iterable, Sequence

from recollect.errors import NotFound
from recollect.graph import comparing
from recollect.graph import user_summary as rules
from recollect.graph.filters import NO_FILTERS, Filters
from recollect.graph.types import (
    Access,
    DocumentSummary,
    Graph,
    Json,
    Observation,
    Record,
    ThreadSummary,
)
from recollect.graph.user_summary import Told
from recollect.limits import USER_SUMMARY_FACTS_MAX
from recollect.store import rows, summaries
from recollect.store.protocol import Row, Transaction
from recollect.subjects import graphs, guidance, threads, users
from recollect.subjects.pages import Page, PageRequest, page_of

LABEL = "Observation"
_ROWS_PER_LOOK = 200


def user_summary(tx: Transaction, access: Access, user_id: str) -> str:
    """What is known of a user, as the instructions for this user, or else the project's, ask.

    What a language model wrote, if one was asked the same; else put together from the facts that hold now;
    without any, what the user's node says of itself.
    """
    graph = graphs.of_user(tx, access, user_id)
    where = guidance.scope_of(graph)
    asked = [item.text for item in guidance.instructions_at(tx, access, where, "summary")]
    written = tx.one("user_summary_of", graph_id=graph.id)
    if written is not None and written["basis"] == rules.basis(asked):
        return str(written["summary"])
    node = users.node(tx, access, user_id)
    found = tx.all(
        "user_facts_told", entity_id=node.id, now=rows.micros(tx.now), limit=USER_SUMMARY_FACTS_MAX
    )
    facts = [Told(number=row["id"], fact=row["fact"], predicate=row["predicate"]) for row in found]
    return rules.summarize(facts, asked) or node.summary


def observation(tx: Transaction, access: Access, uuid: str) -> Observation:
    """An observation by its uuid."""
    row = tx.one("observation_by_uuid", uuid=uuid, project_id=access.project_id)
    if row is None:
        raise NotFound(f"observation not found: {uuid}")
    return _with_basis(tx, [row])[0]


def observations_by_ids(tx: Transaction, graph: Graph, ids: Sequence[int]) -> list[Observation]:
    """Those observations of a graph that have one of the row ids."""
    found = tx.all("observations_by_ids", ids=rows.to_json(list(ids)))
    return _with_basis(tx, [row for row in found if row["graph_id"] == graph.id])


def observations_page(
    tx: Transaction, graph: Graph, request: PageRequest, filters: Filters = NO_FILTERS
) -> Page[Observation]:
    """Observations of a graph, page by page; those that pass."""
    found = _look(
        tx, "observations_page", graph, request, _Narrow(filters, "observation_sources", tx)
    )
    whole = {item.id: item for item in _with_basis(tx, found)}
    return page_of(found, request, lambda row: whole[row["id"]])


def thread_summary(tx: Transaction, access: Access, thread_id: str) -> ThreadSummary:
    """The summary of a thread; there is none before a message was processed."""
    thread = threads.get(tx, access, thread_id)
    row = tx.one("thread_summary_of", thread_id=thread.id)
    if row is None:
        raise NotFound(f"no summary of this thread yet: {thread_id}")
    return _thread_summary(tx, row)


def thread_summaries_by_ids(
    tx: Transaction, graph: Graph, ids: Sequence[int]
) -> list[ThreadSummary]:
    """Those thread summaries of a graph that have one of the row ids."""
    found = tx.all("thread_summaries_among", graph_id=graph.id, ids=rows.to_json(list(ids)))
    return [_thread_summary(tx, row) for row in found]


def thread_summaries_page(
    tx: Transaction, graph: Graph, request: PageRequest, filters: Filters = NO_FILTERS
) -> Page[ThreadSummary]:
    """Summaries of a graph's threads, page by page; those that pass."""
    narrow = _Narrow(filters, "thread_summary_sources", tx)
    found = _look(tx, "thread_summaries_page", graph, request, narrow)
    return page_of(found, request, lambda row: _thread_summary(tx, row))


def document_summaries_page(
    tx: Transaction, graph: Graph, request: PageRequest, filters: Filters = NO_FILTERS
) -> Page[DocumentSummary]:
    """Summaries of a graph's documents, page by page; those that pass."""
    narrow = _Narrow(filters, "document_summary_sources", tx)
    found = _look(tx, "document_summaries_page", graph, request, narrow)
    return page_of(found, request, lambda row: _document_summary(tx, row))


class _Narrow:
    """What of the filters means something here: when it was made, and the episodes behind it."""

    def __init__(self, filters: Filters, sources: str, tx: Transaction) -> None:
        self._filters = filters
        self._sources = sources
        self._tx = tx

    @property
    def narrows(self) -> bool:
        """Whether anything can fail to pass."""
        return bool(self._filters.created_at) or self._asks_for_episodes

    @property
    def _asks_for_episodes(self) -> bool:
        chosen = self._filters
        return chosen.episode_uuids is not None or chosen.episode_metadata is not None

    def __call__(self, found: Sequence[Row]) -> list[Row]:
        """Those that pass."""
        dated = [
            row
            for row in found
            if comparing.dates_hold(self._filters.created_at, rows.moment(row["created_at"]))
        ]
        if not dated or not self._asks_for_episodes:
            return dated
        behind: dict[int, list[Row]] = {}
        listed = rows.to_json([row["id"] for row in dated])
        for source in self._tx.all(self._sources, ids=listed):
            behind.setdefault(source["id"], []).append(source)
        return [row for row in dated if self._rests(behind.get(row["id"], []))]

    def _rests(self, episodes: Iterable[Row]) -> bool:
        uuids, tree = self._filters.episode_uuids, self._filters.episode_metadata
        known = [(row["uuid"], rows.from_json(row["metadata"]) or {}) for row in episodes]
        named = uuids is None or any(uuid in uuids for uuid, _ in known)
        return named and (
            tree is None or any(comparing.tree_holds(tree, metadata) for _, metadata in known)
        )


def _look(
    tx: Transaction, query: str, graph: Graph, request: PageRequest, narrow: _Narrow
) -> list[Row]:
    """The rows of a page and one more; what does not pass is passed over, page after page."""
    bounds = request.bounds()
    wanted = bounds["limit"]
    if not narrow.narrows:
        return tx.all(query, order=request.order, graph_id=graph.id, **bounds)
    kept: list[Row] = []
    bounds["limit"] = _ROWS_PER_LOOK
    while len(kept) < wanted:
        found = tx.all(query, order=request.order, graph_id=graph.id, **bounds)
        kept += narrow(found)
        if len(found) < _ROWS_PER_LOOK:
            break
        bounds["after_key"], bounds["after_uuid"] = found[-1]["page_key"], found[-1]["uuid"]
    return kept[:wanted]


class _Basis(Record):
    facts: dict[str, None]
    episodes: dict[str, None]


def _with_basis(tx: Transaction, found: Sequence[Row]) -> list[Observation]:
    """Observations with the facts and the episodes they rest on."""
    behind = {row["id"]: _Basis(facts={}, episodes={}) for row in found}
    for row in tx.all("observation_basis", ids=rows.to_json(list(behind))):
        behind[row["id"]].facts[row["fact"]] = None
        if row["episode"] is not None:
            behind[row["id"]].episodes[row["episode"]] = None
    return [_observation(row, behind[row["id"]]) for row in found]


def _observation(row: Row, basis: _Basis) -> Observation:
    attributes: Json = {"pattern": row["kind"], "fact_uuids": list(basis.facts)}
    return Observation(
        id=row["id"],
        uuid=row["uuid"],
        graph_id=row["graph_id"],
        name=row["name"],
        summary=row["summary"],
        labels=[LABEL, row["label"]],
        attributes=attributes,
        episodes=list(basis.episodes),
        facts=list(basis.facts),
        start_at=rows.moment_or_none(row["start_at"]),
        latest_evidence_at=rows.moment_or_none(row["latest_evidence_at"]),
        end_at=rows.moment_or_none(row["end_at"]),
        created_at=rows.moment(row["created_at"]),
    )


def _thread_summary(tx: Transaction, row: Row) -> ThreadSummary:
    return ThreadSummary(
        id=row["id"],
        uuid=row["uuid"],
        graph_id=row["graph_id"],
        thread_id=row["thread_name"],
        summary=summaries.text_of(tx, row),
        created_at=rows.moment(row["created_at"]),
        updated_at=rows.moment(row["updated_at"]),
        covered_at=rows.moment_or_none(row["covered_at"]),
    )


def _document_summary(tx: Transaction, row: Row) -> DocumentSummary:
    return DocumentSummary(
        id=row["id"],
        uuid=row["uuid"],
        graph_id=row["graph_id"],
        document_id=row["document_id"],
        summary=summaries.text_of(tx, row),
        created_at=rows.moment(row["created_at"]),
        updated_at=rows.moment(row["updated_at"]),
        covered_at=rows.moment_or_none(row["covered_at"]),
    )
