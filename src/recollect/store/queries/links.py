"""Links between facts, entities and episodes: mentions, supports, neighbours."""

from typing import Any, NamedTuple

from recollect.graph.delta import SupportRole
from recollect.graph.types import EpisodeKind, MemoryKind
from recollect.store.queries.shapes import EntityRow
from recollect.store.statements import Keyed, Queries


class LinksBeforeRow(NamedTuple):
    id: int
    uuid: str
    source_id: int
    target_id: int
    name: str
    created_at: int


class EvidenceRow(NamedTuple):
    id: int
    uuid: str
    graph_id: int
    seq: int
    kind: EpisodeKind
    content: str
    role: str | None
    speaker: str | None
    source_description: str | None
    thread_id: int | None
    document_id: str | None
    metadata: str | None
    ignored: int
    strict_ontology: int
    created_at: int
    received_at: int
    processed_at: int | None
    task_uuid: str | None
    producer: str | None
    addressee: str | None
    extra: str | None
    kept_for: MemoryKind | None
    failure: str | None
    thread_name: str | None
    support_role: SupportRole
    span_start: int | None
    span_end: int | None


class SourcesOfFactsRow(NamedTuple):
    fact_id: int
    uuid: str
    metadata: str | None
    role: str | None
    speaker: str | None
    producer: str | None
    addressee: str | None
    created_at: int


class LinkQueries(Queries):
    """Links between facts, entities and episodes: mentions, supports, neighbours."""

    __slots__ = ()

    def before(self, *, graph_id: int, before: int | str, limit: int) -> list[LinksBeforeRow]:
        """The facts of a graph, only their entities and names, newest first."""
        return self._all(
            LinksBeforeRow, "links.before", graph_id=graph_id, before=before, limit=limit
        )

    def mentions_add(self, *, pairs: str | None) -> None:
        """Add pairs of an entity and an episode that mentions it; those that are there stay."""
        self._post("links.mentions_add", pairs=pairs)

    def support_insert(
        self,
        *,
        fact_id: int,
        episode_id: int,
        role: str,
        span_start: int | None,
        span_end: int | None,
    ) -> None:
        self._post(
            "links.support_insert",
            fact_id=fact_id,
            episode_id=episode_id,
            role=role,
            span_start=span_start,
            span_end=span_end,
        )

    def evidence_of_fact(self, *, fact_id: int, limit: int) -> list[EvidenceRow]:
        """All episodes that support a fact, in the order of the log, with their role and the span of text."""
        return self._all(EvidenceRow, "links.evidence_of_fact", fact_id=fact_id, limit=limit)

    def mentions_of_entity(self, *, entity_id: int) -> list[int]:
        return self._values(int, "links.mentions_of_entity", entity_id=entity_id)

    def mentions_join(self, *, kept: int, gone: int) -> int:
        return self._run("links.mentions_join", kept=kept, gone=gone)

    def neighbours(
        self,
        *,
        order: str,
        outwards: int,
        entity_id: int,
        fact_ids: str | None,
        inwards: int,
        labels: str | None,
        labels_not: str | None,
        after_uuid: str | None,
        after_key: Any,
        limit: int,
    ) -> list[Keyed[EntityRow]]:
        """The entities at the other ends of an entity's facts, or of those facts that are in *fact_ids*."""
        return self._page(
            EntityRow,
            f"links.neighbours/{order}",
            outwards=outwards,
            entity_id=entity_id,
            fact_ids=fact_ids,
            inwards=inwards,
            labels=labels,
            labels_not=labels_not,
            after_uuid=after_uuid,
            after_key=after_key,
            limit=limit,
        )

    def sources_of_facts(self, *, ids: str | None) -> list[SourcesOfFactsRow]:
        """The episodes that support facts, including hidden ones, as filters see them."""
        return self._all(SourcesOfFactsRow, "links.sources_of_facts", ids=ids)

    def newest(self, *, graph_id: int, limit: int) -> list[LinksBeforeRow]:
        """The facts of a graph, only their entities and names."""
        return self._all(LinksBeforeRow, "links.newest", graph_id=graph_id, limit=limit)
