"""Observations, and what they are derived from."""

from typing import Any, NamedTuple

from recollect.graph.observations import PatternKind
from recollect.store.queries.shapes import (
    InGraphRow,
    MetadataRow,
    SourceRow,
)
from recollect.store.statements import Keyed, Queries


class ObservationEpisodesRow(NamedTuple):
    id: int
    episode_id: int
    uuid: str
    metadata: str | None


class ObservationRow(NamedTuple):
    id: int
    uuid: str
    graph_id: int
    entity_id: int
    kind: PatternKind
    key: str
    name: str
    summary: str
    label: str
    start_at: int | None
    latest_evidence_at: int | None
    end_at: int | None
    created_at: int


class PatternsTouchedRow(NamedTuple):
    source_id: int
    predicate: str
    slot: str | None
    gist: str
    alone: int
    target_uuid: str
    extractor: str | None
    side: str
    of_relation: int
    of_slot: int
    of_pair: int
    of_gist: int
    said: int


class PatternFactRow(NamedTuple):
    id: int
    fact: str
    gist: str
    valid_at: int | None
    invalid_at: int | None
    alone: int
    target_uuid: str
    target_name: str
    said_at: int | None  # None if the episodes that stated it are gone


class RepeatedFactRow(NamedTuple):
    id: int
    fact: str
    gist: str
    valid_at: int | None
    invalid_at: int | None
    alone: int
    target_uuid: str
    target_name: str
    predicate: str
    other: int
    said: str


class TopicWindowRow(NamedTuple):
    episode_id: int
    said_at: int
    id: int
    fact: str
    gist: str
    source_id: int
    target_id: int


class TopicPlaceRow(NamedTuple):
    graph_id: int
    seq: int
    user_id: int
    user_name: str


class TopicEntitiesRow(NamedTuple):
    id: int
    uuid: str
    name: str
    names: str


class TopicFactsRow(NamedTuple):
    id: int
    fact: str
    gist: str
    source_id: int
    target_id: int
    valid_at: int | None
    invalid_at: int | None
    alone: int
    target_uuid: str
    target_name: str
    said: str


class ObservationBasisRow(NamedTuple):
    id: int
    fact: str
    episode: str | None


class ObservationQueries(Queries):
    """Observations, and what they are derived from."""

    __slots__ = ()

    def metadata(self, *, ids: str) -> list[MetadataRow]:
        return self._all(MetadataRow, "observations.metadata", ids=ids)

    def episodes(self, *, ids: str | None) -> list[ObservationEpisodesRow]:
        return self._all(ObservationEpisodesRow, "observations.episodes", ids=ids)

    def about(self, *, entity_id: int, uuid: str) -> list[ObservationRow]:
        """Observations about an entity, or about others with it: then its uuid is third in the key."""
        return self._all(ObservationRow, "observations.about", entity_id=entity_id, uuid=uuid)

    def move(self, *, entity_id: Any, key: str | None, id: int | str | None) -> None:
        self._post("observations.move", entity_id=entity_id, key=key, id=id)

    def patterns_touched(self, *, episode_id: int) -> list[PatternsTouchedRow]:
        """The facts that an episode supports, and how many there are of their kind, counted up to three.

        Facts of the user's record and of the assistant make no pattern.
        """
        return self._all(PatternsTouchedRow, "observations.patterns_touched", episode_id=episode_id)

    def pattern_open_of_relation(
        self, *, entity_id: int, predicate: str, side: str, limit: int
    ) -> list[PatternFactRow]:
        return self._all(
            PatternFactRow,
            "observations.pattern_open_of_relation",
            entity_id=entity_id,
            predicate=predicate,
            side=side,
            limit=limit,
        )

    def pattern_closed_of_relation(
        self, *, entity_id: int, predicate: str, side: str, limit: int
    ) -> list[PatternFactRow]:
        return self._all(
            PatternFactRow,
            "observations.pattern_closed_of_relation",
            entity_id=entity_id,
            predicate=predicate,
            side=side,
            limit=limit,
        )

    def pattern_open_of_slot(
        self, *, entity_id: int, slot: str, side: str, limit: int
    ) -> list[PatternFactRow]:
        return self._all(
            PatternFactRow,
            "observations.pattern_open_of_slot",
            entity_id=entity_id,
            slot=slot,
            side=side,
            limit=limit,
        )

    def pattern_closed_of_slot(
        self, *, entity_id: int, slot: str, side: str, limit: int
    ) -> list[PatternFactRow]:
        return self._all(
            PatternFactRow,
            "observations.pattern_closed_of_slot",
            entity_id=entity_id,
            slot=slot,
            side=side,
            limit=limit,
        )

    def pattern_said_of_pair(
        self, *, said_max: int, entity_id: int, target_id: int | str, side: str, limit: int
    ) -> list[RepeatedFactRow]:
        """Facts of one relation between the same two entities, and when each was stated."""
        return self._all(
            RepeatedFactRow,
            "observations.pattern_said_of_pair",
            said_max=said_max,
            entity_id=entity_id,
            target_id=target_id,
            side=side,
            limit=limit,
        )

    def pattern_said_of_gist(
        self, *, said_max: int, entity_id: int, gist: str | None, side: str, limit: int
    ) -> list[RepeatedFactRow]:
        return self._all(
            RepeatedFactRow,
            "observations.pattern_said_of_gist",
            said_max=said_max,
            entity_id=entity_id,
            gist=gist,
            side=side,
            limit=limit,
        )

    def topic_window(
        self, *, graph_id: int, seq: int, side: str, limit: int, most: int
    ) -> list[TopicWindowRow]:
        """The facts stated by the newest messages of a user's graph, up to a given one, and their entities.

        Topics are found among these. Facts of records and of the assistant belong to no topic.
        """
        return self._all(
            TopicWindowRow,
            "observations.topic_window",
            graph_id=graph_id,
            seq=seq,
            side=side,
            limit=limit,
            most=most,
        )

    def topic_place(self, *, episode_id: int) -> TopicPlaceRow | None:
        """The user of an episode's graph, and the episode's place in the log."""
        return self._one(TopicPlaceRow, "observations.topic_place", episode_id=episode_id)

    def topic_entities(self, *, ids: str | None) -> list[TopicEntitiesRow]:
        return self._all(TopicEntitiesRow, "observations.topic_entities", ids=ids)

    def topic_facts(self, *, said_max: int, ids: str | None) -> list[TopicFactsRow]:
        """The facts of a topic, and when each was stated."""
        return self._all(TopicFactsRow, "observations.topic_facts", said_max=said_max, ids=ids)

    def at(
        self, *, entity_id: Any, kind: int | str | None, key: str | None
    ) -> ObservationRow | None:
        return self._one(ObservationRow, "observations.at", entity_id=entity_id, kind=kind, key=key)

    def by_ids(self, *, ids: str | None) -> list[ObservationRow]:
        return self._all(ObservationRow, "observations.by_ids", ids=ids)

    def insert(
        self,
        *,
        first: int,
        end: int,
        uuid: str,
        graph_id: int | str | None,
        entity_id: int,
        kind: str,
        key: str,
        name: str,
        summary: str,
        label: str,
        start_at: int | None,
        latest_evidence_at: int | None,
        end_at: int | None,
        created_at: int,
    ) -> int:
        return self._insert(
            "observations.insert",
            first=first,
            end=end,
            uuid=uuid,
            graph_id=graph_id,
            entity_id=entity_id,
            kind=kind,
            key=key,
            name=name,
            summary=summary,
            label=label,
            start_at=start_at,
            latest_evidence_at=latest_evidence_at,
            end_at=end_at,
            created_at=created_at,
        )

    def update(
        self,
        *,
        name: str,
        summary: str,
        start_at: int,
        latest_evidence_at: int,
        end_at: int,
        id: int,
    ) -> None:
        self._post(
            "observations.update",
            name=name,
            summary=summary,
            start_at=start_at,
            latest_evidence_at=latest_evidence_at,
            end_at=end_at,
            id=id,
        )

    def delete(self, *, id: int | str | None) -> None:
        self._post("observations.delete", id=id)

    def fact_ids(self, *, id: int | str | None) -> list[int]:
        return self._values(int, "observations.fact_ids", id=id)

    def facts_add(self, *, id: int, facts: str | None) -> None:
        self._post("observations.facts_add", id=id, facts=facts)

    def facts_drop(self, *, id: int, facts: str | None) -> None:
        self._post("observations.facts_drop", id=id, facts=facts)

    def resting_on(self, *, facts: str | None) -> list[InGraphRow]:
        return self._all(InGraphRow, "observations.resting_on", facts=facts)

    def of_entities(self, *, entities: str | None) -> list[InGraphRow]:
        return self._all(InGraphRow, "observations.of_entities", entities=entities)

    def delete_unfounded(self, *, ids: str | None) -> None:
        self._post("observations.delete_unfounded", ids=ids)

    def among(self, *, ids: str | None) -> list[int]:
        return self._values(int, "observations.among", ids=ids)

    def by_uuid(self, *, uuid: str, project_id: int) -> ObservationRow | None:
        return self._one(ObservationRow, "observations.by_uuid", uuid=uuid, project_id=project_id)

    def page(
        self, *, order: str, graph_id: int, after_uuid: str | None, after_key: Any, limit: int
    ) -> list[Keyed[ObservationRow]]:
        return self._page(
            ObservationRow,
            f"observations.page/{order}",
            graph_id=graph_id,
            after_uuid=after_uuid,
            after_key=after_key,
            limit=limit,
        )

    def basis(self, *, ids: str | None) -> list[ObservationBasisRow]:
        """The facts and episodes that support observations."""
        return self._all(ObservationBasisRow, "observations.basis", ids=ids)

    def copied(self, *, graph_id: int) -> list[ObservationRow]:
        return self._all(ObservationRow, "observations.copied", graph_id=graph_id)

    def sources(self, *, ids: str) -> list[SourceRow]:
        return self._all(SourceRow, "observations.sources", ids=ids)
