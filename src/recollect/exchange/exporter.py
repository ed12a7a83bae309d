"""Writes a project, or one of its graphs, to a file: from one snapshot, a page at a time."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from recollect.exchange import lines
from recollect.graph.types import Access, Graph, Project, Record
from recollect.ingest import rebuild, shares
from recollect.limits import EXCHANGE_ROWS_PER_PAGE
from recollect.records import graphs
from recollect.store import rows
from recollect.store.protocol import Transaction


class ExportRequest(Record):
    """What to export: one graph, by either of its ids, or the whole project.

    *copies*: include keys and logs, for a store that replaces this one.
    """

    project: Project
    user_id: str | None = None
    graph_id: str | None = None
    copies: bool = False


class ExportedGraph(Record):
    """One graph of a file, and the digest of everything derived in it."""

    kind: str
    graph_id: str
    episodes: int
    digest: str


class Exported(Record):
    """What an export wrote: its graphs, and how many records of each kind."""

    project: str
    graphs: tuple[ExportedGraph, ...]
    counts: dict[str, int]


Sink = Callable[[bytes], Any]
Progress = Callable[[int], Any]


def export(tx: Transaction, wanted: ExportRequest, sink: Sink, progress: Progress) -> Exported:
    """Write everything to *sink*, line by line; *progress* gets the number of graphs done."""
    return _Export(tx, wanted, sink, progress).run()


def graph_count(tx: Transaction, wanted: ExportRequest) -> int:
    """How many graphs an export will write."""
    return len(_graph_ids(tx, wanted))


def graphs_of(tx: Transaction, project_id: int) -> tuple[ExportedGraph, ...]:
    """The graphs of a project as they are now, in the order of an export."""
    told = []
    for graph_id in tx.exchange.graph_ids(project_id=project_id):
        (row,) = tx.exchange.export("graph", graph_id=graph_id)
        counted = tx.graphs.inputs(graph_id=graph_id)
        told.append(
            ExportedGraph(
                kind=row["kind"],
                graph_id=row["graph_id"],
                episodes=counted.episodes if counted else 0,
                digest=rebuild.digest(tx, graph_id),
            )
        )
    return tuple(told)


def _graph_ids(tx: Transaction, wanted: ExportRequest) -> list[int]:
    project = wanted.project
    if wanted.user_id is not None or wanted.graph_id is not None:
        # Without a key: an operator with access to the store's files sees all of them.
        access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
        found: Graph = graphs.target(tx, access, wanted.user_id, wanted.graph_id)
        return [found.id]
    return tx.exchange.graph_ids(project_id=project.id)


class _Export:
    """One export under way."""

    def __init__(
        self, tx: Transaction, wanted: ExportRequest, sink: Sink, progress: Progress
    ) -> None:
        self._tx = tx
        self._wanted = wanted
        self._sink = sink
        self._progress = progress
        self._counts: dict[str, int] = {}
        self._whole = wanted.user_id is None and wanted.graph_id is None
        self._checksum = lines.Checksum()

    def run(self) -> Exported:
        """The header, the records of the project, each graph, and the end."""
        project = self._wanted.project
        self._sink(lines.written(self._header()))
        if self._whole:
            self._project(project.id)
        if self._wanted.copies:
            self._keys_and_logs(project.id)
        ids = _graph_ids(self._tx, self._wanted)
        told = []
        for done, graph_id in enumerate(ids, start=1):
            told.append(self._graph(graph_id))
            self._progress(done)
        end = lines.End(records=sum(self._counts.values()), sha256=self._checksum.value)
        self._sink(lines.written(end))
        return Exported(project=project.name, graphs=tuple(told), counts=self._counts)

    def _header(self) -> lines.Header:
        project = self._wanted.project
        return lines.Header(
            version=lines.VERSION,
            holds="project" if self._whole else "graph",
            project=project.name,
            description=project.description if self._whole else None,
            default_time_zone=project.default_time_zone if self._whole else None,
            exported_at=self._tx.now.isoformat(timespec="seconds"),
            copied=self._copied() if self._wanted.copies else None,
        )

    def _copied(self) -> lines.CopiedProject:
        project = self._wanted.project
        return lines.CopiedProject(
            uuid=project.uuid,
            created_at=rows.micros(project.created_at),
            weight=shares.weight(self._tx, project.id),
        )

    def _project(self, project_id: int) -> None:
        self._all("guidance", "project_guidance", project_id=project_id)
        self._all("user_group", "user_groups", project_id=project_id)
        for ids in self._pages("policy_set", "policy_sets", project_id=project_id):
            self._of("policy_set_version", "policy_set_versions", ids)
            self._of("user_group_policy_set", "user_group_policy_sets", ids)
        for collections in self._pages("collection", "collections", project_id=project_id):
            for collection_id in collections:
                self._documents(collection_id)
        self._session_logs(
            self._tx.exchange.export("unbound_session_log_ids", project_id=project_id)
        )

    def _keys_and_logs(self, project_id: int) -> None:
        for ids in self._pages("api_key", "api_keys", project_id=project_id):
            self._of("key_policy_set", "key_policy_sets", ids)
        self._all("erasure", "erasures", project_id=project_id)
        self._all("audit_entry", "audit_entries", project_id=project_id)

    def _documents(self, collection_id: int) -> None:
        for ids in self._pages("document", "documents", collection_id=collection_id):
            self._of("document_vector", "document_vectors", ids)

    def _graph(self, graph_id: int) -> ExportedGraph:
        (row,) = self._tx.exchange.export("graph", graph_id=graph_id)
        self._put("graph", [row])
        before = self._counts.get("episode", 0)
        self._put("agent", self._tx.exchange.export("agent", graph_id=graph_id))
        self._people(graph_id)
        self._log(graph_id)
        self._knowledge(graph_id)
        self._session_logs(self._tx.exchange.export("session_log_ids", graph_id=graph_id))
        self._provenance(graph_id)
        self._all("index_row", "index_rows", graph_id=graph_id)
        digest = rebuild.digest(self._tx, graph_id)
        self._line(lines.written(lines.GraphMark(digest=digest)))
        return ExportedGraph(
            kind=row["kind"],
            graph_id=row["graph_id"],
            episodes=self._counts.get("episode", 0) - before,
            digest=digest,
        )

    def _people(self, graph_id: int) -> None:
        for ids in self._pages("user", "user", graph_id=graph_id):
            if self._whole:  # groups belong to the project
                self._of("user_group_member", "user_group_members", ids)
        self._all("thread", "threads", graph_id=graph_id)
        self._all("guidance", "graph_guidance", graph_id=graph_id)
        self._sorting(graph_id)

    def _sorting(self, graph_id: int) -> None:
        """How MemMachine clients organise features."""
        for record, part in (
            ("feature_set_type", "feature_set_types"),
            ("feature_category", "feature_categories"),
            ("feature_tag", "feature_tags"),
            ("feature_category_off", "feature_categories_off"),
        ):
            self._put(record, self._tx.exchange.export(part, graph_id=graph_id))

    def _log(self, graph_id: int) -> None:
        for page in self._cursor("episodes", graph_id=graph_id):
            self._put("episode", page)
            self._of("job", "jobs", [row["id"] for row in page])
            self._of("reading", "readings", [row["id"] for row in page])

    def _knowledge(self, graph_id: int) -> None:
        self._by_ids("entity", "entities", "entity_ids", graph_id)
        for ids in self._ids("entity_ids", graph_id):
            self._of("entity_name", "entity_names", ids)
            self._of("user_side", "user_sides", ids)
        self._by_ids("fact", "facts", "fact_ids", graph_id)
        for ids in self._ids("fact_ids", graph_id):
            self._of("closing", "closings", ids)
            self._of("doubt", "doubts", ids)
        for ids in self._ids("observation_ids", graph_id):
            self._of("observation", "observations", ids)
            self._of("observation_fact", "observation_facts", ids)
        for ids in self._ids("summary_ids", graph_id):
            self._of("summary", "summaries", ids)
            self._of("summary_fact", "summary_facts", ids)
        self._put("edit", self._tx.exchange.export("edits", graph_id=graph_id))
        self._put("user_summary", self._tx.exchange.export("user_summary", graph_id=graph_id))

    def _provenance(self, graph_id: int) -> None:
        for page in self._cursor("episode_ids", graph_id=graph_id):
            ids = [row["id"] for row in page]
            self._of("mention", "mentions", ids)
            self._of("support", "supports", ids)
            self._of("session_log_fed", "session_log_fed", ids)

    def _session_logs(self, found: Sequence[dict[str, Any]]) -> None:
        for row in found:
            self._of("session_log", "session_logs", [row["id"]])
            for page in self._cursor("session_log_episodes", log_id=row["id"]):
                self._put("session_log_episode", page)
            self._of("trace", "traces", [row["id"]])
            for page in self._cursor("trace_events", log_id=row["id"]):
                self._put("trace_event", page)

    def _by_ids(self, record: str, part: str, ids_part: str, graph_id: int) -> None:
        for ids in self._ids(ids_part, graph_id):
            self._of(record, part, ids)

    def _ids(self, part: str, graph_id: int) -> Iterator[list[int]]:
        found = [row["id"] for row in self._tx.exchange.export(part, graph_id=graph_id)]
        for start in range(0, len(found), EXCHANGE_ROWS_PER_PAGE):
            yield found[start : start + EXCHANGE_ROWS_PER_PAGE]

    def _of(self, record: str, part: str, ids: Sequence[int]) -> None:
        self._put(record, self._tx.exchange.export(part, ids=rows.to_json(list(ids))))

    def _all(self, record: str, part: str, **params: Any) -> None:
        for page in self._cursor(part, **params):
            self._put(record, page)

    def _pages(self, record: str, part: str, **params: Any) -> Iterator[list[int]]:
        for page in self._cursor(part, **params):
            self._put(record, page)
            yield [row["row"] for row in page]

    def _cursor(self, part: str, **params: Any) -> Iterator[list[dict[str, Any]]]:
        after = 0
        while page := self._tx.exchange.export(
            part, after=after, limit=EXCHANGE_ROWS_PER_PAGE, **params
        ):
            yield page
            after = page[-1]["row"]

    def _line(self, line: bytes) -> None:
        self._checksum.add(line)
        self._sink(line)

    def _put(self, record: str, found: Sequence[dict[str, Any]]) -> None:
        for row in found:
            self._line(lines.written_row(record, row))
        if found:
            self._counts[record] = self._counts.get(record, 0) + len(found)
