"""Summaries of threads, documents and users."""

from typing import Any, NamedTuple

from recollect.store.queries.shapes import (
    MessageRow,
    MetadataRow,
    SaidFactRow,
    SourceRow,
)
from recollect.store.statements import Keyed, Queries


class UserFactsToldRow(NamedTuple):
    id: int
    fact: str
    predicate: str
    doubted_by: str


class SummaryRow(NamedTuple):
    id: int
    uuid: str
    graph_id: int
    thread_id: int | None
    document_id: str | None
    summary: str
    written: str | None
    written_count: int
    written_fact_id: int
    episode_count: int
    created_at: int
    updated_at: int
    covered_at: int | None


class SummarySoFarRow(NamedTuple):
    summary: SummaryRow | None
    on_facts: int
    thread_id: int | None


class SummariesRestingOnRow(NamedTuple):
    id: int
    graph_id: int
    of_thread: int


class SummaryExtentRow(NamedTuple):
    episodes: int
    seq: int | None


class ThreadSummaryRow(NamedTuple):
    id: int
    uuid: str
    graph_id: int
    thread_id: int | None
    document_id: str | None
    summary: str
    written: str | None
    written_count: int
    written_fact_id: int
    episode_count: int
    created_at: int
    updated_at: int
    covered_at: int | None
    thread_name: str


class UserSummaryRow(NamedTuple):
    graph_id: int
    summary: str
    basis: str
    episode_count: int
    updated_at: int


class UnwrittenSummaryRow(NamedTuple):
    summary: SummaryRow
    changes: int


class SummaryQueries(Queries):
    """Summaries of threads, documents and users."""

    __slots__ = ()

    def thread_summary_metadata(self, *, ids: str) -> list[MetadataRow]:
        """Every message of a thread counts, including those of ignored roles."""
        return self._all(MetadataRow, "summaries.thread_summary_metadata", ids=ids)

    def document_summary_metadata(self, *, ids: str) -> list[MetadataRow]:
        return self._all(MetadataRow, "summaries.document_summary_metadata", ids=ids)

    def user_facts_told(
        self, *, entity_id: int | str | None, now: int, limit: int
    ) -> list[UserFactsToldRow]:
        """Open facts with the entity as their subject, newest first.

        Each has the facts that make it more likely over than not.
        """
        return self._all(
            UserFactsToldRow, "summaries.user_facts_told", entity_id=entity_id, now=now, limit=limit
        )

    def user_summaries_forget(self, *, episodes: str | None, facts: str | None) -> None:
        """Delete what a language model wrote about a user: it may mention what was forgotten."""
        self._post("summaries.user_summaries_forget", episodes=episodes, facts=facts)

    def of_thread_of(self, *, episode_id: int) -> SummarySoFarRow | None:
        """The thread of an episode, and its summary so far."""
        return self._one_with(
            SummarySoFarRow, SummaryRow, "summaries.of_thread_of", episode_id=episode_id
        )

    def of_document(self, *, graph_id: int, document_id: str) -> SummarySoFarRow | None:
        return self._one_with(
            SummarySoFarRow,
            SummaryRow,
            "summaries.of_document",
            graph_id=graph_id,
            document_id=document_id,
        )

    def by_ids(self, *, ids: str | None) -> list[SummaryRow]:
        return self._all(SummaryRow, "summaries.by_ids", ids=ids)

    def insert(
        self,
        *,
        first: int,
        end: int,
        uuid: str,
        graph_id: int,
        thread_id: int | str | None,
        document_id: str | None,
        summary: str,
        now: int,
        covered_at: int | None,
    ) -> int:
        return self._insert(
            "summaries.insert",
            first=first,
            end=end,
            uuid=uuid,
            graph_id=graph_id,
            thread_id=thread_id,
            document_id=document_id,
            summary=summary,
            now=now,
            covered_at=covered_at,
        )

    def update(
        self,
        *,
        summary: str,
        episode_count: int,
        updated_at: int,
        covered_at: int | None,
        forget: int,
        id: int,
    ) -> None:
        self._post(
            "summaries.update",
            summary=summary,
            episode_count=episode_count,
            updated_at=updated_at,
            covered_at=covered_at,
            forget=forget,
            id=id,
        )

    def delete(self, *, id: int) -> None:
        self._post("summaries.delete", id=id)

    def facts_said(self, *, episode_id: int) -> list[SaidFactRow]:
        """The facts that an episode states, as summaries see them."""
        return self._all(SaidFactRow, "summaries.facts_said", episode_id=episode_id)

    def facts_kept(self, *, id: int | str | None) -> list[SaidFactRow]:
        return self._all(SaidFactRow, "summaries.facts_kept", id=id)

    def facts_add(self, *, id: int, facts: str | None) -> None:
        self._post("summaries.facts_add", id=id, facts=facts)

    def facts_drop(self, *, id: int, facts: str | None) -> None:
        self._post("summaries.facts_drop", id=id, facts=facts)

    def resting_on(self, *, facts: str | None) -> list[SummariesRestingOnRow]:
        return self._all(SummariesRestingOnRow, "summaries.resting_on", facts=facts)

    def closed_by(self, *, episode_id: int) -> list[int]:
        """Summaries that mention a fact which an episode ended."""
        return self._values(int, "summaries.closed_by", episode_id=episode_id)

    def of_episodes(self, *, episodes: str | None) -> list[SummariesRestingOnRow]:
        return self._all(SummariesRestingOnRow, "summaries.of_episodes", episodes=episodes)

    def messages_of_thread(
        self, *, thread_id: int | str | None, seq: int, limit: int
    ) -> list[MessageRow]:
        """Newest first, up to an episode: what follows it has not been read yet."""
        return self._all(
            MessageRow,
            "summaries.messages_of_thread",
            thread_id=thread_id,
            seq=seq,
            limit=limit,
        )

    def messages_of_document(
        self, *, graph_id: int, document_id: str | None, seq: int, limit: int
    ) -> list[MessageRow]:
        return self._all(
            MessageRow,
            "summaries.messages_of_document",
            graph_id=graph_id,
            document_id=document_id,
            seq=seq,
            limit=limit,
        )

    def extent_of_thread(self, *, thread_id: int | str) -> SummaryExtentRow | None:
        """Only as far as the graph has folded: during a fold, later episodes are still to come."""
        return self._one(SummaryExtentRow, "summaries.extent_of_thread", thread_id=thread_id)

    def extent_of_document(
        self, *, graph_id: int, document_id: str | None
    ) -> SummaryExtentRow | None:
        return self._one(
            SummaryExtentRow,
            "summaries.extent_of_document",
            graph_id=graph_id,
            document_id=document_id,
        )

    def thread_summaries_page(
        self, *, order: str, graph_id: int, after_uuid: str | None, after_key: Any, limit: int
    ) -> list[Keyed[ThreadSummaryRow]]:
        return self._page(
            ThreadSummaryRow,
            f"summaries.thread_summaries_page/{order}",
            graph_id=graph_id,
            after_uuid=after_uuid,
            after_key=after_key,
            limit=limit,
        )

    def document_summaries_page(
        self, *, order: str, graph_id: int, after_uuid: str | None, after_key: Any, limit: int
    ) -> list[Keyed[SummaryRow]]:
        return self._page(
            SummaryRow,
            f"summaries.document_summaries_page/{order}",
            graph_id=graph_id,
            after_uuid=after_uuid,
            after_key=after_key,
            limit=limit,
        )

    def thread_summary_of(self, *, thread_id: int | str) -> ThreadSummaryRow | None:
        return self._one(ThreadSummaryRow, "summaries.thread_summary_of", thread_id=thread_id)

    def copied(self, *, graph_id: int) -> list[SummaryRow]:
        return self._all(SummaryRow, "summaries.copied", graph_id=graph_id)

    def thread_summaries_among(self, *, graph_id: int, ids: str | None) -> list[ThreadSummaryRow]:
        return self._all(
            ThreadSummaryRow, "summaries.thread_summaries_among", graph_id=graph_id, ids=ids
        )

    def thread_summary_sources(self, *, ids: str) -> list[SourceRow]:
        """Every message of the thread, including those that nothing was learned from."""
        return self._all(SourceRow, "summaries.thread_summary_sources", ids=ids)

    def document_summary_sources(self, *, ids: str) -> list[SourceRow]:
        return self._all(SourceRow, "summaries.document_summary_sources", ids=ids)

    def user_summary_of(self, *, graph_id: int) -> UserSummaryRow | None:
        return self._one(UserSummaryRow, "summaries.user_summary_of", graph_id=graph_id)

    def facts_newer(self, *, id: int, after: int) -> list[SaidFactRow]:
        """Facts that a summary may mention and the language model has not seen yet."""
        return self._all(SaidFactRow, "summaries.facts_newer", id=id, after=after)

    def unwritten(self) -> UnwrittenSummaryRow | None:
        """The thread that has waited longest with enough new messages for a language model to summarise.

        Threads with unprocessed messages keep waiting.
        """
        return self._one_with(UnwrittenSummaryRow, SummaryRow, "summaries.unwritten")

    def write(
        self, *, written: str | None, written_count: int, fact_id: int, id: int | None, changes: int
    ) -> int:
        """Only if the summary has not changed meanwhile: something may have been forgotten."""
        return self._run(
            "summaries.write",
            written=written,
            written_count=written_count,
            fact_id=fact_id,
            id=id,
            changes=changes,
        )

    def unwrite(self, *, id: int) -> None:
        self._post("summaries.unwrite", id=id)

    def user_summary_put(
        self, *, graph_id: int, summary: str, basis: str, episode_count: int, now: int, changes: Any
    ) -> None:
        self._post(
            "summaries.user_summary_put",
            graph_id=graph_id,
            summary=summary,
            basis=basis,
            episode_count=episode_count,
            now=now,
            changes=changes,
        )

    def thread_summary_ids(self, *, thread_id: int | str) -> list[int]:
        return self._values(int, "summaries.thread_summary_ids", thread_id=thread_id)

    def document_summary_of(self, *, graph_id: int, document_id: str) -> SummaryRow | None:
        return self._one(
            SummaryRow, "summaries.document_summary_of", graph_id=graph_id, document_id=document_id
        )
