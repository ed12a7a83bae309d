"""Episodes: what was said, in the order of the log."""

from typing import Any, NamedTuple

from recollect.graph.types import EpisodeKind, MemoryKind
from recollect.store.queries.shapes import (
    IdUuidRow,
    InGraphRow,
    MessageRow,
    MetadataRow,
    MetadataValueRow,
    SaidFactRow,
    ThreadedEpisodeRow,
)
from recollect.store.statements import Keyed, Queries


class EpisodesOfSummaryRow(NamedTuple):
    id: int
    metadata: str | None
    created_at: int
    processed_at: int | None
    ignored: int


class EpisodesJudgedRow(NamedTuple):
    id: int
    uuid: str
    seq: int
    role: str | None
    speaker: str | None
    metadata: str | None
    created_at: int
    producer: str | None
    addressee: str | None


class EarlierEpisodeRow(NamedTuple):
    seq: int
    content: str
    role: str | None
    speaker: str | None
    metadata: str | None
    created_at: int


class TriplesStatingNothingRow(NamedTuple):
    id: int
    graph_id: int
    content: str


class EpisodePlacesRow(NamedTuple):
    id: int
    graph_id: int
    seq: int


class EpisodeRow(NamedTuple):
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
    document_id: str
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


class EpisodePlaceInLogRow(NamedTuple):
    graph_id: int
    seq: int


class EpisodesCitedRow(NamedTuple):
    id: int
    uuid: str
    seq: int
    metadata: str | None


class EpisodeUuidsOfThreadsRow(NamedTuple):
    uuid: str
    metadata: str | None


class EpisodeUuidsOfEntitiesRow(NamedTuple):
    id: int
    episodes: str


class EpisodeQueries(Queries):
    """Episodes: what was said, in the order of the log."""

    __slots__ = ()

    def said_by_episodes(self, *, episodes: str | None) -> list[SaidFactRow]:
        return self._all(SaidFactRow, "episodes.said_by_episodes", episodes=episodes)

    def saying(self, *, episodes: str | None, facts: str | None) -> list[int]:
        """Which of these episodes state one of these facts."""
        return self._values(int, "episodes.saying", episodes=episodes, facts=facts)

    def messages_among(self, *, ids: str | None) -> list[MessageRow]:
        return self._all(MessageRow, "episodes.messages_among", ids=ids)

    def metadata(self, *, ids: str) -> list[MetadataRow]:
        return self._all(MetadataRow, "episodes.metadata", ids=ids)

    def of_summary(self, *, id: int) -> list[EpisodesOfSummaryRow]:
        """The episodes that a thread's or document's summary rests on; ignored messages taught it nothing."""
        return self._all(EpisodesOfSummaryRow, "episodes.of_summary", id=id)

    def insert(
        self,
        *,
        uuid: str,
        graph_id: int,
        seq: int,
        kind: str,
        content: str,
        role: str | None,
        speaker: str | None,
        source_description: str | None,
        thread_id: int | str | None,
        document_id: str | None,
        metadata: str | None,
        ignored: int,
        strict_ontology: int,
        created_at: int,
        received_at: int,
        processed_at: int | None,
        task_uuid: str | None,
        producer: str | None,
        addressee: str | None,
        extra: str | None,
        kept_for: str | None,
    ) -> None:
        self._post(
            "episodes.insert",
            uuid=uuid,
            graph_id=graph_id,
            seq=seq,
            kind=kind,
            content=content,
            role=role,
            speaker=speaker,
            source_description=source_description,
            thread_id=thread_id,
            document_id=document_id,
            metadata=metadata,
            ignored=ignored,
            strict_ontology=strict_ontology,
            created_at=created_at,
            received_at=received_at,
            processed_at=processed_at,
            task_uuid=task_uuid,
            producer=producer,
            addressee=addressee,
            extra=extra,
            kept_for=kept_for,
        )

    def by_uuid(self, *, uuid: str, project_id: int) -> ThreadedEpisodeRow | None:
        return self._one(ThreadedEpisodeRow, "episodes.by_uuid", uuid=uuid, project_id=project_id)

    def last(self, *, graph_id: int | str | None, limit: int) -> list[ThreadedEpisodeRow]:
        """Newest first; the caller reverses them."""
        return self._all(ThreadedEpisodeRow, "episodes.last", graph_id=graph_id, limit=limit)

    def page(
        self,
        *,
        order: str,
        graph_id: int,
        after_uuid: str | None,
        after_key: Any,
        mentioned: str,
        limit: int,
    ) -> list[Keyed[ThreadedEpisodeRow]]:
        return self._page(
            ThreadedEpisodeRow,
            f"episodes.page/{order}",
            graph_id=graph_id,
            after_uuid=after_uuid,
            after_key=after_key,
            mentioned=mentioned,
            limit=limit,
        )

    def by_time(self, *, graph_id: int, limit: int, offset: int) -> list[ThreadedEpisodeRow]:
        """Content is read only after the page is selected."""
        return self._all(
            ThreadedEpisodeRow, "episodes.by_time", graph_id=graph_id, limit=limit, offset=offset
        )

    def judged(self, *, graph_id: int, after_seq: int, limit: int) -> list[EpisodesJudgedRow]:
        """The columns that filters and policies evaluate, in the order of storing."""
        return self._all(
            EpisodesJudgedRow,
            "episodes.judged",
            graph_id=graph_id,
            after_seq=after_seq,
            limit=limit,
        )

    def of_graph_count(self, *, graph_id: int) -> int | None:
        return self._value(int, "episodes.of_graph_count", graph_id=graph_id)

    def of_document(
        self, *, graph_id: int, document_id: str, after: int, limit: int
    ) -> list[ThreadedEpisodeRow]:
        return self._all(
            ThreadedEpisodeRow,
            "episodes.of_document",
            graph_id=graph_id,
            document_id=document_id,
            after=after,
            limit=limit,
        )

    def of_thread(
        self, *, thread_id: int, ignored: int, after: int, limit: int, offset: int
    ) -> list[ThreadedEpisodeRow]:
        return self._all(
            ThreadedEpisodeRow,
            "episodes.of_thread",
            thread_id=thread_id,
            ignored=ignored,
            after=after,
            limit=limit,
            offset=offset,
        )

    def of_thread_last(
        self, *, thread_id: int, before: int, limit: int
    ) -> list[ThreadedEpisodeRow]:
        """Newest first; the caller reverses them."""
        return self._all(
            ThreadedEpisodeRow,
            "episodes.of_thread_last",
            thread_id=thread_id,
            before=before,
            limit=limit,
        )

    def of_thread_count(self, *, thread_id: int | str) -> int | None:
        return self._value(int, "episodes.of_thread_count", thread_id=thread_id)

    def messages_of_thread(self, *, thread_id: int | str) -> list[MetadataRow]:
        """The metadata that decides which messages of a thread are visible."""
        return self._all(MetadataRow, "episodes.messages_of_thread", thread_id=thread_id)

    def ids_of_thread(self, *, thread_id: int | str, ignored_only: int) -> list[int]:
        return self._values(
            int, "episodes.ids_of_thread", thread_id=thread_id, ignored_only=ignored_only
        )

    def by_uuids(self, *, graph_id: int, uuids: str | None) -> list[ThreadedEpisodeRow]:
        return self._all(ThreadedEpisodeRow, "episodes.by_uuids", graph_id=graph_id, uuids=uuids)

    def set_metadata(self, *, metadata: str | None, id: int) -> None:
        self._post("episodes.set_metadata", metadata=metadata, id=id)

    def processed(self, *, graph_id: int, now: int, ids: str | None) -> None:
        self._post("episodes.processed", graph_id=graph_id, now=now, ids=ids)

    def of_entity(self, *, entity_id: int, limit: int) -> list[ThreadedEpisodeRow]:
        return self._all(ThreadedEpisodeRow, "episodes.of_entity", entity_id=entity_id, limit=limit)

    def before_in_thread(self, *, id: int, seq: int, limit: int) -> list[EarlierEpisodeRow]:
        """What was said just before an episode; newest first."""
        return self._all(
            EarlierEpisodeRow, "episodes.before_in_thread", id=id, seq=seq, limit=limit
        )

    def in_thread_before(
        self, *, graph_id: int, seq: int, id: int, limit: int
    ) -> list[EarlierEpisodeRow]:
        """The end of the thread that was active before the thread of an episode; newest first."""
        return self._all(
            EarlierEpisodeRow,
            "episodes.in_thread_before",
            graph_id=graph_id,
            seq=seq,
            id=id,
            limit=limit,
        )

    def talk_before(
        self, *, graph_id: int, seq: int, session: str | None, user: str | None
    ) -> MetadataValueRow | None:
        """The last episode of another session of the same MemMachine user."""
        return self._one(
            MetadataValueRow,
            "episodes.talk_before",
            graph_id=graph_id,
            seq=seq,
            session=session,
            user=user,
        )

    def before_in_talk(
        self, *, graph_id: int, seq: int, session: str | None, user: str | None, limit: int
    ) -> list[EarlierEpisodeRow]:
        """For MemMachine clients; *session* and *user* are the client's names as JSON, null if not given."""
        return self._all(
            EarlierEpisodeRow,
            "episodes.before_in_talk",
            graph_id=graph_id,
            seq=seq,
            session=session,
            user=user,
            limit=limit,
        )

    def before_in_document(
        self, *, graph_id: int, document_id: str, seq: int, limit: int
    ) -> list[EarlierEpisodeRow]:
        return self._all(
            EarlierEpisodeRow,
            "episodes.before_in_document",
            graph_id=graph_id,
            document_id=document_id,
            seq=seq,
            limit=limit,
        )

    def direct_episodes_behind(
        self, *, facts: str | None, entity_id: int | None
    ) -> list[InGraphRow]:
        """The episodes that carry knowledge written by callers: for these facts and this entity."""
        return self._all(
            InGraphRow,
            "episodes.direct_episodes_behind",
            facts=facts,
            entity_id=entity_id,
        )

    def delete_useless(self, *, ids: str | None) -> list[InGraphRow]:
        """Such episodes are never listed: once nothing rests on them, their text would be unreachable."""
        return self._all(InGraphRow, "episodes.delete_useless", ids=ids)

    def triples_stating_nothing(self, *, ids: str | None) -> list[TriplesStatingNothingRow]:
        """Episodes that were written to state a fact which no longer exists."""
        return self._all(TriplesStatingNothingRow, "episodes.triples_stating_nothing", ids=ids)

    def becomes_nodes(self, *, content: str, id: int) -> int:
        return self._run("episodes.becomes_nodes", content=content, id=id)

    def delete(self, *, ids: str | None) -> None:
        self._post("episodes.delete", ids=ids)

    def places(self, *, ids: str | None) -> list[EpisodePlacesRow]:
        return self._all(EpisodePlacesRow, "episodes.places", ids=ids)

    def ids_by_uuids(self, *, uuids: str | None, graph_id: int) -> list[IdUuidRow]:
        return self._all(IdUuidRow, "episodes.ids_by_uuids", uuids=uuids, graph_id=graph_id)

    def by_ids(self, *, ids: str | None) -> list[ThreadedEpisodeRow]:
        return self._all(ThreadedEpisodeRow, "episodes.by_ids", ids=ids)

    def failed(self, *, graph_id: int, error: str, id: int) -> None:
        """The episode may have been read before and queued again; now it counts as unreadable."""
        self._post("episodes.failed", graph_id=graph_id, error=error, id=id)

    def awaited(self, *, graph_id: int, id: int) -> None:
        self._post("episodes.awaited", graph_id=graph_id, id=id)

    def place_in_log(self, *, id: int) -> EpisodePlaceInLogRow | None:
        return self._one(EpisodePlaceInLogRow, "episodes.place_in_log", id=id)

    def to_read(self, *, uuid: str, project_id: int | None) -> MetadataRow | None:
        return self._one(MetadataRow, "episodes.to_read", uuid=uuid, project_id=project_id)

    def cited(self, *, uuids: str | None, graph_id: int) -> list[EpisodesCitedRow]:
        return self._all(EpisodesCitedRow, "episodes.cited", uuids=uuids, graph_id=graph_id)

    def ids_by_seqs(self, *, seqs: str | None, graph_id: int, side: str | None) -> list[int]:
        """If *side* is given, only episodes on it."""
        return self._values(int, "episodes.ids_by_seqs", seqs=seqs, graph_id=graph_id, side=side)

    def uuids_by_seqs(self, *, seqs: str | None, graph_id: int) -> list[str]:
        return self._values(str, "episodes.uuids_by_seqs", seqs=seqs, graph_id=graph_id)

    def stating_nothing(self, *, ids: str | None) -> list[int]:
        """Which of these episodes support no fact."""
        return self._values(int, "episodes.stating_nothing", ids=ids)

    def that_state(self, *, thread_id: int | str) -> list[MetadataRow]:
        """All episodes of a thread, including those written for it by callers."""
        return self._all(MetadataRow, "episodes.that_state", thread_id=thread_id)

    def uuids_of_threads(self, *, threads: str | None) -> list[EpisodeUuidsOfThreadsRow]:
        """The episodes that threads contributed to their graphs."""
        return self._all(EpisodeUuidsOfThreadsRow, "episodes.uuids_of_threads", threads=threads)

    def uuids_of_entities(self, *, limit: int, ids: str | None) -> list[EpisodeUuidsOfEntitiesRow]:
        """The newest episodes that mention each entity, one more than is shown."""
        return self._all(
            EpisodeUuidsOfEntitiesRow, "episodes.uuids_of_entities", limit=limit, ids=ids
        )

    def page_among(
        self,
        *,
        order: str,
        ids: str | None,
        graph_id: int,
        after_uuid: str | None,
        after_key: Any,
        mentioned: str,
        limit: int,
    ) -> list[Keyed[ThreadedEpisodeRow]]:
        return self._page(
            ThreadedEpisodeRow,
            f"episodes.page_among/{order}",
            ids=ids,
            graph_id=graph_id,
            after_uuid=after_uuid,
            after_key=after_key,
            mentioned=mentioned,
            limit=limit,
        )
