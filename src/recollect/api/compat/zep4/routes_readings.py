"""What was read out of an episode, before it met the graph."""

from typing import Any

from msgspec.structs import replace

from recollect.api.compat.zep4 import answers
from recollect.api.compat.zep4.wire import readings as wire
from recollect.api.compat.zep4.wire.base import Page4, PageQuery4
from recollect.api.router import Call, Route
from recollect.graph.found import Found
from recollect.graph.types import Access
from recollect.store import readings
from recollect.store.protocol import Transaction
from recollect.subjects import episodes


def _traces(tx: Transaction, access: Access, path: dict[str, str]) -> Page4[wire.IngestionTrace4]:
    where = answers.place(tx, access, path)
    episode = episodes.get(tx, access, path["episode_uuid"])
    answers.within(where, episode.graph_id, "episode", episode.uuid)
    kept = readings.of_episode(tx, episode.id)
    if kept is None:
        return Page4(items=[], total_size=0)
    trace = wire.IngestionTrace4(
        uuid=episode.uuid,
        step="combined_extraction",
        status="recorded",
        input=wire.IngestionInput4(episode_content=episode.content),
        output=_output(kept.found),
        created_at=episode.received_at,
    )
    return Page4(items=[trace], total_size=1)


def _output(found: Found) -> wire.IngestionOutput4:
    return wire.IngestionOutput4(
        extracted_nodes=[
            wire.IngestionNode4(
                name=entity.name,
                labels=["Entity", entity.label] if entity.label else ["Entity"],
                summary=entity.summary,
                attributes=entity.attributes,
            )
            for entity in found.entities
        ],
        extracted_edges=[
            wire.IngestionEdge4(
                name=fact.name,
                fact=fact.fact,
                attributes=fact.attributes,
                valid_at=fact.valid_at,
                invalid_at=fact.invalid_at,
                expired_at=fact.expired_at,
            )
            for fact in found.facts
        ],
    )


async def list_traces(call: Call) -> Page4[wire.IngestionTrace4]:
    """What was found in an episode, once it was read."""
    found = await call.services.store.read(_traces, call.access, call.path)
    hidden: dict[str, Any] = {}
    if call.access_for("graph.node.get") is None:
        hidden["extracted_nodes"] = []
    if call.access_for("graph.edge.get") is None:
        hidden["extracted_edges"] = []
    told = [replace(one, output=replace(one.output, **hidden)) for one in found.items]
    return replace(found, items=told)


ROUTES = [
    Route(
        "GET",
        "/graphs/{graph_uuid}/episodes/{episode_uuid}/ingestion-traces",
        "graph.episode.get",
        list_traces,
        "Tell what was read out of an episode",
        query=PageQuery4,
        answer=Page4[wire.IngestionTrace4],
    ),
]
