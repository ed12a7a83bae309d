"""A fact with what stands behind it and what ended it, and taking back what ended it."""

from recollect.api.native import facts_wire as wire
from recollect.api.router import Call, Route
from recollect.errors import NotFound
from recollect.graph.types import Access, Fact
from recollect.store.protocol import Transaction
from recollect.subjects import knowledge, provenance


async def why(call: Call) -> wire.FactWithReasons:
    """A fact, the episodes behind it, what ended it and on whose word, and what it ended. Episodes
    are those that the key may get as such."""
    found = await call.services.store.read(provenance.of_fact, call.access, call.path["uuid"])
    readable = provenance.with_episodes(found, call.access_for("graph.episode.get"))
    return wire.with_reasons(readable)


async def reopen(call: Call) -> wire.ToldFact:
    """Take back what ended a fact: it holds again, and the same words do not end it again. It is a
    conflict when the fact has no end."""
    return wire.fact(await call.services.store.write(_reopen, call.access, call.path["uuid"]))


def _reopen(tx: Transaction, access: Access, uuid: str) -> Fact:
    try:
        return knowledge.reopen_fact(tx, access, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error


ROUTES = [
    Route(
        "GET",
        "/api/v1/facts/{uuid}",
        "graph.edge.get",
        why,
        "Get a fact with what stands behind it and what ended it",
        answer=wire.FactWithReasons,
    ),
    Route(
        "POST",
        "/api/v1/facts/{uuid}/reopen",
        "graph.edge.reopen",
        reopen,
        "Take back what ended a fact",
        answer=wire.ToldFact,
        shows="graph.edge.get",
    ),
]
