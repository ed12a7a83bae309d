"""Correcting facts and entities by hand through the library."""

from recollect.errors import NotFound
from recollect.governance.audit_targets import Target
from recollect.graph.types import Access, Entity, Fact
from recollect.library.engine import Engine
from recollect.store.protocol import Transaction
from recollect.subjects import knowledge, merges


async def undo(engine: Engine, uuid: str) -> Fact:
    """Take back the last change by hand to a fact."""
    target = Target("edge", uuid)
    before = await engine.write("graph.edge.undo", target, merges.undo, uuid)
    await engine.opened.services.folder.fold(before.graph_id)
    return await engine.read(knowledge.fact, uuid)


async def merge(engine: Engine, uuid: str, other: str) -> Entity:
    """Let two entities be one."""
    target = Target("node", uuid)
    return await engine.write("graph.node.merge", target, merges.merge, uuid, other)


async def unmerge(engine: Engine, uuid: str) -> Entity:
    """Let an entity be one of its own again."""
    target = Target("node", uuid)
    before = await engine.write("graph.node.unmerge", target, merges.unmerge, uuid)
    await engine.opened.services.folder.fold(before.into.graph_id)
    return await engine.read(knowledge.entity, uuid)


async def reopen(engine: Engine, uuid: str) -> Fact:
    """Let a fact hold again, whatever ended it."""
    return await engine.write("graph.edge.reopen", Target("edge", uuid), _reopen, uuid)


def _reopen(tx: Transaction, access: Access, uuid: str) -> Fact:
    try:
        return knowledge.reopen_fact(tx, access, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error
