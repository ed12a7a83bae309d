"""Answers to writes, kept for a day for whoever sends the same request again.

An answer is written in the transaction of the write it tells of: both are there, or neither. So a
client that never heard it may ask again, and what it asked for is not done twice.
"""

from datetime import timedelta

from recollect.errors import Conflict, KeyReused
from recollect.graph.types import Access
from recollect.limits import KEPT_ANSWERS_S
from recollect.store import rows
from recollect.store.protocol import Transaction


def find(tx: Transaction, access: Access, key: str, request: str) -> bytes | None:
    """What was answered to *request* when it first came with this key; None: it never did.

    Each API key has idempotency keys of its own. *request* is a digest.
    """
    row = tx.answers.find(
        project_id=access.project_id,
        key_uuid=access.key_uuid,
        idempotency_key=key,
        since=_since(tx),
    )
    if row is None:
        return None
    if row.request != request:
        raise KeyReused("Idempotency-Key: it came with another request before")
    if row.answer is None:
        raise Conflict("this was done before, and what was answered has been erased since")
    return bytes(row.answer)


def keep(
    tx: Transaction, access: Access, key: str, request: str, answer: bytes, graph_id: int | None
) -> None:
    """Keep an answer; *graph_id* says whose words are in it, if anybody's."""
    tx.answers.expire(since=_since(tx))
    tx.answers.insert(
        project_id=access.project_id,
        key_uuid=access.key_uuid,
        idempotency_key=key,
        request=request,
        graph_id=graph_id,
        answer=answer,
        now=rows.micros(tx.now),
    )


def _since(tx: Transaction) -> int:
    return rows.micros(tx.now - timedelta(seconds=KEPT_ANSWERS_S))
