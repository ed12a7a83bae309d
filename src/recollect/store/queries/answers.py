"""Answers kept under idempotency keys."""

from typing import NamedTuple

from recollect.store.statements import Queries


class KeptAnswerRow(NamedTuple):
    request: str
    answer: bytes | None


class AnswerQueries(Queries):
    """Answers kept under idempotency keys."""

    __slots__ = ()

    def find(
        self, *, project_id: int, key_uuid: str, idempotency_key: str, since: int
    ) -> KeptAnswerRow | None:
        return self._one(
            KeptAnswerRow,
            "answers.find",
            project_id=project_id,
            key_uuid=key_uuid,
            idempotency_key=idempotency_key,
            since=since,
        )

    def insert(
        self,
        *,
        project_id: int,
        key_uuid: str,
        idempotency_key: str,
        request: str,
        graph_id: int | None,
        answer: bytes,
        now: int,
    ) -> None:
        self._post(
            "answers.insert",
            project_id=project_id,
            key_uuid=key_uuid,
            idempotency_key=idempotency_key,
            request=request,
            graph_id=graph_id,
            answer=answer,
            now=now,
        )

    def expire(self, *, since: int) -> int:
        """Delete a limited number per call, so that no request pays for a whole busy day's backlog."""
        return self._run("answers.expire", since=since)

    def unsay(self, *, graph_id: int) -> int:
        """Blank the answers that may contain what was erased from a graph."""
        return self._run("answers.unsay", graph_id=graph_id)
