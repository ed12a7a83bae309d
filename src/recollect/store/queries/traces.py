"""Traces of agents: session logs with a status and an outcome."""

from typing import Any, NamedTuple

from recollect.store.queries.shapes import MetadataValueRow
from recollect.store.statements import Keyed, Queries


class TraceRow(NamedTuple):
    id: int
    uuid: str
    session_id: str
    metadata: str | None
    created_at: int
    updated_at: int
    graph_id: int
    trace_id: str | None
    objective: str
    task_family: str | None
    parent: str | None
    family: str
    learn_from: int
    status: Any
    outcome: str | None
    verification: str | None
    closing_sequence: int | None
    ended_at: int | None
    task_uuid: str
    revision: int
    last_sequence: int


class TracesOfGraphRow(NamedTuple):
    id: int
    session_id: str
    episodes: int


class TraceEventRow(NamedTuple):
    uuid: str
    event_id: str
    sequence: int
    number: int
    id: int
    type: str
    meta: str
    payload: str
    waiting: int
    parked: int
    completed_at: int | None


class TraceQueries(Queries):
    """Traces of agents: session logs with a status and an outcome."""

    __slots__ = ()

    def insert(
        self,
        *,
        log_id: int,
        graph_id: int,
        trace_id: str | None,
        objective: str,
        task_family: str | None,
        parent: str | None,
        family: str,
        learn_from: int,
        task_uuid: str,
    ) -> None:
        self._post(
            "traces.insert",
            log_id=log_id,
            graph_id=graph_id,
            trace_id=trace_id,
            objective=objective,
            task_family=task_family,
            parent=parent,
            family=family,
            learn_from=learn_from,
            task_uuid=task_uuid,
        )

    def by_uuid(self, *, uuid: str, graph_id: int) -> TraceRow | None:
        return self._one(TraceRow, "traces.by_uuid", uuid=uuid, graph_id=graph_id)

    def by_name(self, *, graph_id: int, trace_id: str) -> str | None:
        return self._value(str, "traces.by_name", graph_id=graph_id, trace_id=trace_id)

    def page(
        self,
        *,
        order: str,
        graph_id: int,
        status: str | None,
        outcome: str | None,
        verification: str | None,
        task_family: str | None,
        parent: str | None,
        after_uuid: str | None,
        after_key: Any,
        limit: int,
    ) -> list[Keyed[TraceRow]]:
        return self._page(
            TraceRow,
            f"traces.page/{order}",
            graph_id=graph_id,
            status=status,
            outcome=outcome,
            verification=verification,
            task_family=task_family,
            parent=parent,
            after_uuid=after_uuid,
            after_key=after_key,
            limit=limit,
        )

    def change(
        self,
        *,
        task_family: str | None,
        status: str,
        outcome: str | None,
        verification: str | None,
        closing_sequence: int | None,
        ended_at: int | None,
        log_id: int,
    ) -> None:
        self._post(
            "traces.change",
            task_family=task_family,
            status=status,
            outcome=outcome,
            verification=verification,
            closing_sequence=closing_sequence,
            ended_at=ended_at,
            log_id=log_id,
        )

    def touched(self, *, now: int, id: int) -> None:
        self._post("traces.touched", now=now, id=id)

    def task_put(self, *, uuid: str, type: str, now: int, graph_id: int) -> None:
        """The task of an ended trace covers the jobs of all its turns.

        When the trace ends again, it covers more.
        """
        self._post("traces.task_put", uuid=uuid, type=type, now=now, graph_id=graph_id)

    def session_log_is_trace(self, *, id: int) -> int | None:
        return self._value(int, "traces.session_log_is_trace", id=id)

    def metadata(self, *, log_id: int) -> MetadataValueRow | None:
        return self._one(MetadataValueRow, "traces.metadata", log_id=log_id)

    def of_graph(self, *, graph_id: int) -> list[TracesOfGraphRow]:
        """The traces that are deleted with an agent, read before that happens."""
        return self._all(TracesOfGraphRow, "traces.of_graph", graph_id=graph_id)

    def event_insert(
        self, *, log_id: int, number: int, uuid: str, event_id: str, sequence: int
    ) -> None:
        self._post(
            "traces.event_insert",
            log_id=log_id,
            number=number,
            uuid=uuid,
            event_id=event_id,
            sequence=sequence,
        )

    def event_told(
        self, *, log_id: int, uuid: str | None, event_id: str | None, sequence: int | None
    ) -> TraceEventRow | None:
        """One event, by whichever of its ids is given."""
        return self._one(
            TraceEventRow,
            "traces.event_told",
            log_id=log_id,
            uuid=uuid,
            event_id=event_id,
            sequence=sequence,
        )

    def events_page(self, *, log_id: int, after: int, limit: int) -> list[TraceEventRow]:
        return self._all(
            TraceEventRow, "traces.events_page", log_id=log_id, after=after, limit=limit
        )

    def events_count(self, *, log_id: int) -> int | None:
        return self._value(int, "traces.events_count", log_id=log_id)

    def event_erased(
        self, *, log_id: int, erased_id: str | None, sequence: int | None
    ) -> int | None:
        """Whether an event with this id, or at this place, was erased."""
        return self._value(
            int, "traces.event_erased", log_id=log_id, erased_id=erased_id, sequence=sequence
        )

    def sequences(self, *, log_id: int, upto: int) -> list[int]:
        """Includes erased events: they are not missing."""
        return self._values(int, "traces.sequences", log_id=log_id, upto=upto)

    def fed_insert(self, *, log_id: int, uuid: str, number: int) -> int:
        return self._run("traces.fed_insert", log_id=log_id, uuid=uuid, number=number)

    def fed(self, *, log_id: int, number: int | None) -> list[int]:
        """The episodes that a trace, or one of its events, became in its agent's graph."""
        return self._values(int, "traces.fed", log_id=log_id, number=number)

    def event_erase(self, *, erased_id: str, log_id: int, number: int) -> int:
        return self._run("traces.event_erase", erased_id=erased_id, log_id=log_id, number=number)
