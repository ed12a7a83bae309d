"""A fact with what stands behind it and what ended it, and taking back what ended it."""

from recollect.api.router import Call, Route
from recollect.app import provenance
from recollect.native import facts_wire as wire
from recollect.records.provenance import with_episodes


async def why(call: Call) -> wire.FactWithReasons:
    """A fact, the episodes behind it, what ended it and on whose word, and what it ended. Episodes
    are those that the key may get as such."""
    found = await provenance.of_fact(call.services, call.access, call.path["uuid"])
    readable = with_episodes(found, call.access_for("graph.episode.get"))
    return wire.with_reasons(readable)


async def reopen(call: Call) -> wire.ToldFact:
    """Take back what ended a fact: it holds again, and the same words do not end it again. It is a
    conflict when the fact has no end."""
    return wire.fact(await provenance.reopen(call.services, call.access, call.path["uuid"]))


ROUTES = [
    Route(
        "GET",
        "/api/v1/facts/{uuid}",
        "graph.edge.get",
        why,
        "Get a fact with what stands behind it and what ended it",
    ),
    Route(
        "POST",
        "/api/v1/facts/{uuid}/reopen",
        "graph.edge.reopen",
        reopen,
        "Take back what ended a fact",
        shows="graph.edge.get",
    ),
]
