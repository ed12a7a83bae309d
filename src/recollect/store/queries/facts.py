"""Facts, with valid time and transaction time."""

from typing import Any, NamedTuple

from recollect.store.queries.shapes import MetadataRow
from recollect.store.statements import Keyed, Queries


class WholeFactRow(NamedTuple):
    id: int
    uuid: str
    graph_id: int
    source_id: int
    target_id: int
    name: str
    fact: str
    attributes: str | None
    rating: float | None
    created_at: int
    expired_at: int | None
    valid_at: int | None
    invalid_at: int | None
    predicate: str
    gist: str
    negated: int
    ends: int
    slot: str | None
    confidence: float
    extractor: str | None
    event_at: int | None
    kept_against: str | None
    side: str
    source_uuid: str
    source_name: str
    source_labels: str
    target_uuid: str
    target_name: str
    target_labels: str
    episodes: str


class FactsOfObservationsRow(NamedTuple):
    id: int
    fact_id: int


class FactsAboutEntityRow(NamedTuple):
    id: int
    fact: str
    invalid_at: int | None


class FactEndsRow(NamedTuple):
    id: int
    graph_id: int
    source_id: int
    target_id: int


class FactsAroundRow(NamedTuple):
    entity_id: int
    id: int
    graph_id: int
    fact: str
    invalid_at: int | None


class FactRow(NamedTuple):
    id: int
    uuid: str
    graph_id: int
    source_id: int
    target_id: int
    name: str
    fact: str
    attributes: str | None
    rating: float | None
    created_at: int
    expired_at: int | None
    valid_at: int | None
    invalid_at: int | None
    predicate: str
    gist: str
    negated: int
    ends: int
    slot: str | None
    confidence: float
    extractor: str | None
    event_at: int | None
    kept_against: str | None
    side: str


class FactPlaceRow(NamedTuple):
    graph_id: int
    side: str
    is_user: int


class FactsSaidRow(NamedTuple):
    fact_id: int
    said_at: int


class FactIdsOfEntityRow(NamedTuple):
    id: int
    fact: str


class FactReopenedRow(NamedTuple):
    at: int | None


class StatedFactRow(NamedTuple):
    fact: FactRow
    span_start: int | None
    span_end: int | None
    said_at: int
    vector: bytes | None
    ended_itself: int


class FactQueries(Queries):
    """Facts, with valid time and transaction time."""

    __slots__ = ()

    def direct_facts_of_task(self, *, task_uuid: str) -> list[WholeFactRow]:
        return self._all(WholeFactRow, "facts.direct_facts_of_task", task_uuid=task_uuid)

    def uuid_taken(self, *, uuid: str) -> int | None:
        """Uuids are unique in the whole store."""
        return self._value(int, "facts.uuid_taken", uuid=uuid)

    def metadata(self, *, ids: str) -> list[MetadataRow]:
        return self._all(MetadataRow, "facts.metadata", ids=ids)

    def of_observations(self, *, ids: str | None) -> list[FactsOfObservationsRow]:
        return self._all(FactsOfObservationsRow, "facts.of_observations", ids=ids)

    def about_entity(self, *, entity_id: int, limit: int) -> list[FactsAboutEntityRow]:
        """The newest facts about an entity that an episode stated: candidates for its summary."""
        return self._all(
            FactsAboutEntityRow, "facts.about_entity", entity_id=entity_id, limit=limit
        )

    def supported_only_by(self, *, episodes: str | None) -> list[FactEndsRow]:
        """The facts that only these episodes support.

        Facts of a user's record need no episode, so an episode that restates one is not its only support.
        """
        return self._all(FactEndsRow, "facts.supported_only_by", episodes=episodes)

    def said_only_by(self, *, episodes: str | None) -> list[FactEndsRow]:
        """The same, but an episode that only states a replacement does not count as stating the fact.

        One that states when the fact itself ended does.
        """
        return self._all(FactEndsRow, "facts.said_only_by", episodes=episodes)

    def reopened_without(self, *, episodes: str | None, facts: str | None) -> list[int]:
        """Facts that lose something that ended them: an episode, or a fact that replaced them.

        The episode must have said so itself: what it said through a fact that stays is not lost.
        """
        return self._values(int, "facts.reopened_without", episodes=episodes, facts=facts)

    def end_again(self, *, ids: str | None) -> None:
        """Recompute the end from the remaining closings; without any, the fact is open."""
        self._post("facts.end_again", ids=ids)

    def around(self, *, ids: str | None) -> list[FactsAroundRow]:
        """The facts of entities, oldest first for each entity."""
        return self._all(FactsAroundRow, "facts.around", ids=ids)

    def of_entities(self, *, ids: str | None) -> list[FactEndsRow]:
        return self._all(FactEndsRow, "facts.of_entities", ids=ids)

    def ends(self, *, ids: str | None) -> list[FactEndsRow]:
        return self._all(FactEndsRow, "facts.ends", ids=ids)

    def delete(self, *, ids: str | None) -> None:
        self._post("facts.delete", ids=ids)

    def ids_by_uuids(self, *, graph_id: int, uuids: str | None) -> list[int]:
        return self._values(int, "facts.ids_by_uuids", graph_id=graph_id, uuids=uuids)

    def told_by_ids(self, *, ids: str | None) -> list[WholeFactRow]:
        return self._all(WholeFactRow, "facts.told_by_ids", ids=ids)

    def by_uuids_on_side(self, *, graph_id: int, uuids: str | None, side: str) -> list[FactRow]:
        return self._all(
            FactRow, "facts.by_uuids_on_side", graph_id=graph_id, uuids=uuids, side=side
        )

    def insert(
        self,
        *,
        first: int,
        end: int,
        uuid: str,
        graph_id: int,
        source_id: int,
        target_id: int,
        name: str,
        fact: str,
        attributes: str | None,
        rating: float | str | None,
        created_at: int,
        expired_at: int | None,
        valid_at: int | None,
        invalid_at: int | None,
        predicate: str,
        gist: str,
        negated: int,
        ends: int,
        slot: str | None,
        confidence: float,
        extractor: str | None,
        event_at: int | None,
        side: str,
    ) -> int:
        return self._insert(
            "facts.insert",
            first=first,
            end=end,
            uuid=uuid,
            graph_id=graph_id,
            source_id=source_id,
            target_id=target_id,
            name=name,
            fact=fact,
            attributes=attributes,
            rating=rating,
            created_at=created_at,
            expired_at=expired_at,
            valid_at=valid_at,
            invalid_at=invalid_at,
            predicate=predicate,
            gist=gist,
            negated=negated,
            ends=ends,
            slot=slot,
            confidence=confidence,
            extractor=extractor,
            event_at=event_at,
            side=side,
        )

    def open_by_source(self, *, entity_id: int, value: str, side: str, limit: int) -> list[FactRow]:
        return self._all(
            FactRow,
            "facts.open_by_source",
            entity_id=entity_id,
            value=value,
            side=side,
            limit=limit,
        )

    def closed_by_source(
        self, *, entity_id: int, value: str, since: int, side: str, limit: int
    ) -> list[FactRow]:
        return self._all(
            FactRow,
            "facts.closed_by_source",
            entity_id=entity_id,
            value=value,
            since=since,
            side=side,
            limit=limit,
        )

    def open_by_target(self, *, entity_id: int, value: str, side: str, limit: int) -> list[FactRow]:
        return self._all(
            FactRow,
            "facts.open_by_target",
            entity_id=entity_id,
            value=value,
            side=side,
            limit=limit,
        )

    def closed_by_target(
        self, *, entity_id: int, value: str, since: int, side: str, limit: int
    ) -> list[FactRow]:
        return self._all(
            FactRow,
            "facts.closed_by_target",
            entity_id=entity_id,
            value=value,
            since=since,
            side=side,
            limit=limit,
        )

    def open_by_slot(self, *, entity_id: int, value: str, side: str, limit: int) -> list[FactRow]:
        return self._all(
            FactRow, "facts.open_by_slot", entity_id=entity_id, value=value, side=side, limit=limit
        )

    def closed_by_slot(
        self, *, entity_id: int, value: str, since: int, side: str, limit: int
    ) -> list[FactRow]:
        return self._all(
            FactRow,
            "facts.closed_by_slot",
            entity_id=entity_id,
            value=value,
            since=since,
            side=side,
            limit=limit,
        )

    def by_pair(self, *, entity_id: int, target_id: int, side: str, limit: int) -> list[FactRow]:
        return self._all(
            FactRow,
            "facts.by_pair",
            entity_id=entity_id,
            target_id=target_id,
            side=side,
            limit=limit,
        )

    def by_gist(self, *, entity_id: int, gist: str, side: str, limit: int) -> list[FactRow]:
        return self._all(
            FactRow, "facts.by_gist", entity_id=entity_id, gist=gist, side=side, limit=limit
        )

    def place(self, *, uuid: str) -> FactPlaceRow | None:
        return self._one(FactPlaceRow, "facts.place", uuid=uuid)

    def by_uuids(self, *, graph_id: int, uuids: str | None) -> list[FactRow]:
        return self._all(FactRow, "facts.by_uuids", graph_id=graph_id, uuids=uuids)

    def said(self, *, ids: str | None) -> list[FactsSaidRow]:
        """When the episode that states each fact happened."""
        return self._all(FactsSaidRow, "facts.said", ids=ids)

    def end(self, *, invalid_at: int | None, expired_at: int | None, id: int) -> None:
        """Set both end times; learning something never deletes or rewrites a fact."""
        self._post("facts.end", invalid_at=invalid_at, expired_at=expired_at, id=id)

    def by_uuid(self, *, uuid: str, project_id: int) -> WholeFactRow | None:
        return self._one(WholeFactRow, "facts.by_uuid", uuid=uuid, project_id=project_id)

    def page(
        self, *, order: str, graph_id: int, after_uuid: str | None, after_key: Any, limit: int
    ) -> list[Keyed[WholeFactRow]]:
        """Rows are selected before they are joined: the joins cost more than the sort."""
        return self._page(
            WholeFactRow,
            f"facts.page/{order}",
            graph_id=graph_id,
            after_uuid=after_uuid,
            after_key=after_key,
            limit=limit,
        )

    def of_entity(self, *, entity_id: int, limit: int) -> list[WholeFactRow]:
        return self._all(WholeFactRow, "facts.of_entity", entity_id=entity_id, limit=limit)

    def ids_of_entity(self, *, entity_id: int | str | None) -> list[FactIdsOfEntityRow]:
        return self._all(FactIdsOfEntityRow, "facts.ids_of_entity", entity_id=entity_id)

    def of_episode(self, *, episode_id: int, limit: int) -> list[WholeFactRow]:
        return self._all(WholeFactRow, "facts.of_episode", episode_id=episode_id, limit=limit)

    def holding(self, *, graph_id: int, now: int, limit: int) -> list[WholeFactRow]:
        """Facts that are true now and not known to be wrong, most recently learned first."""
        return self._all(WholeFactRow, "facts.holding", graph_id=graph_id, now=now, limit=limit)

    def begun(self, *, graph_id: int, now: int, limit: int) -> list[WholeFactRow]:
        """Facts that are or were true, most recently learned first."""
        return self._all(WholeFactRow, "facts.begun", graph_id=graph_id, now=now, limit=limit)

    def update(
        self,
        *,
        name: Any,
        fact: Any,
        gist: str,
        attributes: str | None,
        expired_at: int,
        valid_at: int,
        invalid_at: int,
        id: int,
    ) -> None:
        self._post(
            "facts.update",
            name=name,
            fact=fact,
            gist=gist,
            attributes=attributes,
            expired_at=expired_at,
            valid_at=valid_at,
            invalid_at=invalid_at,
            id=id,
        )

    def close(self, *, invalid_at: int, now: int, entity_id: int, name: str) -> list[int]:
        """Close a profile fact that the user's record no longer states."""
        return self._values(
            int, "facts.close", invalid_at=invalid_at, now=now, entity_id=entity_id, name=name
        )

    def reopened(self, *, uuid: str) -> FactReopenedRow | None:
        return self._one(FactReopenedRow, "facts.reopened", uuid=uuid)

    def from_place(self, *, entity_id: int | str | None, limit: int) -> list[FactRow]:
        return self._all(FactRow, "facts.from_place", entity_id=entity_id, limit=limit)

    def of_graph(self, *, graph_id: int) -> list[FactRow]:
        return self._all(FactRow, "facts.of_graph", graph_id=graph_id)

    def keep_against(self, *, marks: str | None, id: int) -> None:
        self._post("facts.keep_against", marks=marks, id=id)

    def unsupported(self, *, graph_id: int) -> list[FactEndsRow]:
        """Facts that only a deleted episode supported. Facts of a user's record need no episode."""
        return self._all(FactEndsRow, "facts.unsupported", graph_id=graph_id)

    def stated_by(self, *, episode_id: int) -> list[StatedFactRow]:
        """The facts that an episode states, with their spans and vectors.

        *ended_itself*: whether the episode itself says when the fact ended.
        """
        return self._all_with(StatedFactRow, FactRow, "facts.stated_by", episode_id=episode_id)

    def join_sources(self, *, kept: int, gone: int) -> int:
        return self._run("facts.join_sources", kept=kept, gone=gone)

    def join_targets(self, *, kept: int, gone: int) -> int:
        return self._run("facts.join_targets", kept=kept, gone=gone)

    def of_thread(
        self, *, episodes: str, rating_min: float | None, limit: int
    ) -> list[WholeFactRow]:
        """Newest first. An unrated fact passes any minimum rating."""
        return self._all(
            WholeFactRow, "facts.of_thread", episodes=episodes, rating_min=rating_min, limit=limit
        )

    def resting_on(self, *, episodes: str | None) -> list[int]:
        return self._values(int, "facts.resting_on", episodes=episodes)

    def of_node_before(
        self, *, outwards: int, entity_id: int, before: int, inwards: int, limit: int
    ) -> list[WholeFactRow]:
        """The facts of an entity, newest first; two flags say which end of the fact it must be."""
        return self._all(
            WholeFactRow,
            "facts.of_node_before",
            outwards=outwards,
            entity_id=entity_id,
            before=before,
            inwards=inwards,
            limit=limit,
        )

    def between(
        self,
        *,
        outwards: int,
        entity_id: int,
        others: str | None,
        fact_ids: str | None,
        inwards: int,
        limit: int,
    ) -> list[WholeFactRow]:
        """The facts that join an entity with others, newest first."""
        return self._all(
            WholeFactRow,
            "facts.between",
            outwards=outwards,
            entity_id=entity_id,
            others=others,
            fact_ids=fact_ids,
            inwards=inwards,
            limit=limit,
        )

    def between_before(
        self, *, outwards: int, entity_id: int, before: int, others: str, inwards: int, limit: int
    ) -> list[WholeFactRow]:
        """The same as `of_node_before`, for facts with one of the others at their other end."""
        return self._all(
            WholeFactRow,
            "facts.between_before",
            outwards=outwards,
            entity_id=entity_id,
            before=before,
            others=others,
            inwards=inwards,
            limit=limit,
        )

    def page_among(
        self,
        *,
        order: str,
        ids: str,
        graph_id: int,
        after_uuid: str | None,
        after_key: Any,
        limit: int,
    ) -> list[Keyed[WholeFactRow]]:
        return self._page(
            WholeFactRow,
            f"facts.page_among/{order}",
            ids=ids,
            graph_id=graph_id,
            after_uuid=after_uuid,
            after_key=after_key,
            limit=limit,
        )
