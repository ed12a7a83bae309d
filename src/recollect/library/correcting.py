"""Correcting facts by hand through the library."""

from recollect.errors import NotFound
from recollect.governance.audit_targets import Target
from recollect.graph.types import Access, Fact
from recollect.library.engine import Engine
from recollect.store.protocol import Transaction
from recollect.subjects import knowledge


async def reopen(engine: Engine, uuid: str) -> Fact:
    """Let a fact hold again, whatever ended it."""
    return await engine.write("graph.edge.reopen", Target("edge", uuid), _reopen, uuid)


def _reopen(tx: Transaction, access: Access, uuid: str) -> Fact:
    try:
        return knowledge.reopen_fact(tx, access, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error
