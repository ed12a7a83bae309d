"""Session logs: append-only episodes, and open turns."""

from typing import NamedTuple

from recollect.store.statements import Queries


class SessionLogRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    session_id: str
    user_id: int | None
    feeds: int
    metadata: str | None
    context: str | None
    last_number: int
    created_at: int
    updated_at: int
    user_name: str | None
    graph_id: int | None


class SessionLogItemsSizeRow(NamedTuple):
    items: int
    chars: int


class SessionLogItemsRow(NamedTuple):
    id: int
    number: int
    type: str
    meta: str
    payload: str


class SessionLogContentsRow(NamedTuple):
    log_episodes: int
    open_turns: int


class SessionLogsOfGraphRow(NamedTuple):
    session_id: str
    episodes: int


class SessionLogFedUuidsRow(NamedTuple):
    number: int
    uuid: str
    metadata: str | None


class SessionLogPageRow(NamedTuple):
    number: int
    type: str
    meta: str
    payload: str


class SessionLogSizesRow(NamedTuple):
    number: int
    size: int


class SessionTurnRow(NamedTuple):
    id: int
    log_id: int
    turn_id: str
    forked_at: int
    last_number: int
    owner: str
    created_at: int
    episodes: int


class SessionLogQueries(Queries):
    """Session logs: append-only episodes, and open turns."""

    __slots__ = ()

    def insert(
        self,
        *,
        uuid: str,
        project_id: int,
        session_id: str,
        user_id: int | None,
        feeds: int,
        metadata: str | None,
        context: str | None,
        now: int,
    ) -> None:
        self._post(
            "session_logs.insert",
            uuid=uuid,
            project_id=project_id,
            session_id=session_id,
            user_id=user_id,
            feeds=feeds,
            metadata=metadata,
            context=context,
            now=now,
        )

    def by_name(self, *, project_id: int, session_id: str) -> SessionLogRow | None:
        return self._one(
            SessionLogRow,
            "session_logs.by_name",
            project_id=project_id,
            session_id=session_id,
        )

    def page(self, *, project_id: int, after: int | str, limit: int) -> list[SessionLogRow]:
        return self._all(
            SessionLogRow,
            "session_logs.page",
            project_id=project_id,
            after=after,
            limit=limit,
        )

    def of_user(self, *, user_id: int, after: int | str, limit: int) -> list[SessionLogRow]:
        return self._all(
            SessionLogRow, "session_logs.of_user", user_id=user_id, after=after, limit=limit
        )

    def update(
        self, *, feeds: int | None, metadata: str | None, context: str | None, now: int, id: int
    ) -> None:
        self._post(
            "session_logs.update", feeds=feeds, metadata=metadata, context=context, now=now, id=id
        )

    def bind(self, *, user_id: int, id: int) -> None:
        self._post("session_logs.bind", user_id=user_id, id=id)

    def items_size(self, *, log_id: int) -> SessionLogItemsSizeRow | None:
        """How much there is to feed into a graph."""
        return self._one(SessionLogItemsSizeRow, "session_logs.items_size", log_id=log_id)

    def items(self, *, log_id: int) -> list[SessionLogItemsRow]:
        return self._all(SessionLogItemsRow, "session_logs.items", log_id=log_id)

    def advance(self, *, last_number: int, now: int, id: int) -> None:
        self._post("session_logs.advance", last_number=last_number, now=now, id=id)

    def delete(self, *, id: int | str) -> int:
        return self._run("session_logs.delete", id=id)

    def contents(self, *, id: int) -> SessionLogContentsRow | None:
        return self._one(SessionLogContentsRow, "session_logs.contents", id=id)

    def of_graph(self, *, graph_id: int) -> list[SessionLogsOfGraphRow]:
        """The logs that are deleted with a user, read before that happens."""
        return self._all(SessionLogsOfGraphRow, "session_logs.of_graph", graph_id=graph_id)

    def last_number(self, *, id: int) -> int | None:
        return self._value(int, "session_logs.last_number", id=id)

    def append(
        self, *, log_id: int, number: int, type: str, turn_id: str | None, meta: str, payload: str
    ) -> int:
        return self._insert(
            "session_logs.append",
            log_id=log_id,
            number=number,
            type=type,
            turn_id=turn_id,
            meta=meta,
            payload=payload,
        )

    def fed_insert(self, *, log_episode_id: int, uuid: str) -> int:
        return self._run("session_logs.fed_insert", log_episode_id=log_episode_id, uuid=uuid)

    def fed_uuids(self, *, log_id: int, after: int, upto: int) -> list[SessionLogFedUuidsRow]:
        return self._all(
            SessionLogFedUuidsRow, "session_logs.fed_uuids", log_id=log_id, after=after, upto=upto
        )

    def episodes_page(
        self, *, log_id: int, after: int, upto: int, types: str, limit: int
    ) -> list[SessionLogPageRow]:
        return self._all(
            SessionLogPageRow,
            "session_logs.episodes_page",
            log_id=log_id,
            after=after,
            upto=upto,
            types=types,
            limit=limit,
        )

    def episodes_page_of_turn(
        self, *, log_id: int, turn_id: str, after: int, upto: int, types: str, limit: int
    ) -> list[SessionLogPageRow]:
        return self._all(
            SessionLogPageRow,
            "session_logs.episodes_page_of_turn",
            log_id=log_id,
            turn_id=turn_id,
            after=after,
            upto=upto,
            types=types,
            limit=limit,
        )

    def sizes(
        self, *, log_id: int, after: int, upto: int, types: str, limit: int
    ) -> list[SessionLogSizesRow]:
        """The sizes of a window's first episodes, to keep a page within its byte limit."""
        return self._all(
            SessionLogSizesRow,
            "session_logs.sizes",
            log_id=log_id,
            after=after,
            upto=upto,
            types=types,
            limit=limit,
        )

    def sizes_of_turn(
        self, *, log_id: int, turn_id: str, after: int, upto: int, types: str, limit: int
    ) -> list[SessionLogSizesRow]:
        return self._all(
            SessionLogSizesRow,
            "session_logs.sizes_of_turn",
            log_id=log_id,
            turn_id=turn_id,
            after=after,
            upto=upto,
            types=types,
            limit=limit,
        )

    def nth_last(
        self, *, log_id: int, after: int, upto: int, types: str, skipped: int
    ) -> int | None:
        return self._value(
            int,
            "session_logs.nth_last",
            log_id=log_id,
            after=after,
            upto=upto,
            types=types,
            skipped=skipped,
        )

    def nth_last_of_turn(
        self, *, log_id: int, turn_id: str, after: int, upto: int, types: str, skipped: int
    ) -> int | None:
        return self._value(
            int,
            "session_logs.nth_last_of_turn",
            log_id=log_id,
            turn_id=turn_id,
            after=after,
            upto=upto,
            types=types,
            skipped=skipped,
        )

    def turn_insert(
        self, *, log_id: int, turn_id: str, forked_at: int, owner: str, now: int
    ) -> None:
        self._post(
            "session_logs.turn_insert",
            log_id=log_id,
            turn_id=turn_id,
            forked_at=forked_at,
            owner=owner,
            now=now,
        )

    def turn_by_name(self, *, log_id: int, turn_id: str) -> SessionTurnRow | None:
        return self._one(
            SessionTurnRow, "session_logs.turn_by_name", log_id=log_id, turn_id=turn_id
        )

    def turns_of_log(self, *, log_id: int) -> list[SessionTurnRow]:
        return self._all(SessionTurnRow, "session_logs.turns_of_log", log_id=log_id)

    def turns_lost(self, *, alive: int | str) -> list[SessionTurnRow]:
        """The turns of processes that are gone."""
        return self._all(SessionTurnRow, "session_logs.turns_lost", alive=alive)

    def turn_advance(self, *, last_number: int, id: int) -> None:
        self._post("session_logs.turn_advance", last_number=last_number, id=id)

    def turn_delete(self, *, id: int) -> int:
        return self._run("session_logs.turn_delete", id=id)

    def turn_append(
        self, *, turn_key: int, number: int, type: str, meta: str, payload: str
    ) -> None:
        self._post(
            "session_logs.turn_append",
            turn_key=turn_key,
            number=number,
            type=type,
            meta=meta,
            payload=payload,
        )

    def turn_working(self, *, turn_key: int) -> list[SessionLogPageRow]:
        return self._all(SessionLogPageRow, "session_logs.turn_working", turn_key=turn_key)

    def episode_delete(self, *, log_id: int, number: int) -> int:
        return self._run("session_logs.episode_delete", log_id=log_id, number=number)
