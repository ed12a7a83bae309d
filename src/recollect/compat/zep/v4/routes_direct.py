"""Nodes and edges that a caller writes directly."""

from functools import partial

import msgspec
from msgspec.structs import replace

from recollect.api.router import Call, Route
from recollect.app import remember
from recollect.app.refs import GraphRef
from recollect.app.remember import GivenNode, GivenTriple, Outcome
from recollect.app.tasks import Tracked, WithTask
from recollect.compat.zep.v4 import idempotency, translate
from recollect.compat.zep.v4.wire import knowledge as wire
from recollect.compat.zep.wire.base import shaped
from recollect.errors import InvalidInput, NotOffered
from recollect.graph import checks
from recollect.limits import NODES_PER_CALL_MAX

_read_nodes = msgspec.json.Decoder(wire.AddedNodes4).decode
_read_edges = msgspec.json.Decoder(wire.AddedEdges4).decode


def _ref(call: Call) -> GraphRef:
    return GraphRef(uuid=call.path["graph_uuid"])


def _given(number: int, sent: wire.NodeInput4) -> GivenNode:
    where = f"nodes[{number}]."
    label = None
    if sent.label is not None:
        label = remember.one_label(f"{where}label", [sent.label])
    return GivenNode(
        where=where,
        name=sent.name,
        label=label,
        summary=sent.summary,
        attributes=sent.attributes,
    )


def _added_nodes(sent: wire.AddNodes4, task: Tracked) -> wire.AddedNodes4:
    asked = [shaped(wire.AddedNode4, item, uuid=None, created_at=None) for item in sent.nodes]
    return wire.AddedNodes4(nodes=asked, task=translate.task(task))


async def add_nodes(call: Call) -> wire.AddedNodes4:
    """Nodes into a graph, each found again or made; with their uuids, if those are known soon."""
    sent: wire.AddNodes4 = call.body
    given = [(_given(n, item), item.metadata) for n, item in enumerate(sent.nodes)]
    remember.check_nodes(given)
    new = [(node, metadata, None) for node, metadata in given]
    add = remember.add_nodes_tracked.bind(call.services, call.access, _ref(call), new)
    done = _read_nodes(await idempotency.answer(call, add, partial(_added_nodes, sent)))
    came = await _came(call, done.task.uuid)
    if came is None or len(came.nodes) != len(done.nodes):
        return done
    named = [
        replace(asked, uuid=node.uuid, created_at=node.created_at)
        for asked, node in zip(done.nodes, came.nodes, strict=True)
    ]
    return replace(done, nodes=named)


async def _came(call: Call, task_uuid: str) -> Outcome | None:
    """The outcome of a direct write, as far as the key may read it; None if it takes too long."""
    return await remember.outcome(
        call.services,
        call.access,
        task_uuid,
        facts_for=call.access_for("graph.edge.get"),
        nodes_for=call.access_for("graph.node.get"),
    )


def _end(where: str, sent: wire.EdgeNodeRef4) -> GivenNode:
    return GivenNode(
        where=where,
        name=sent.name,
        uuid=sent.uuid,
        label=remember.one_label(f"{where}labels", sent.labels),
        summary=sent.summary,
        attributes=sent.attributes,
    )


def _triple(number: int, sent: wire.EdgeInput4) -> GivenTriple:
    where = f"edges[{number}]."
    return GivenTriple(
        where=where,
        attributes_word="attributes",
        fact=sent.fact,
        name=sent.fact_name,
        source=_end(f"{where}source_node.", sent.source_node),
        target=_end(f"{where}target_node.", sent.target_node),
        attributes=sent.attributes,
        metadata=sent.metadata,
        valid_at=checks.moment(f"{where}valid_at", sent.valid_at),
        invalid_at=checks.moment(f"{where}invalid_at", sent.invalid_at),
        expired_at=checks.moment(f"{where}expired_at", sent.expired_at),
        expires_at=checks.moment(f"{where}expires_at", sent.expires_at),
    )


def _added_edges(sent: wire.AddEdges4, made: WithTask[list[GivenTriple]]) -> wire.AddedEdges4:
    asked = [
        wire.AddedEdge4(
            uuid=str(triple.uuid),
            fact=item.fact,
            fact_name=item.fact_name,
            source_node=item.source_node,
            target_node=item.target_node,
            attributes=item.attributes,
            metadata=item.metadata,
            valid_at=triple.valid_at,
            invalid_at=triple.invalid_at,
            expired_at=triple.expired_at,
        )
        for item, triple in zip(sent.edges, made.value, strict=True)
    ]
    return wire.AddedEdges4(edges=asked, task=translate.task(made.task))


def _check_edges(sent: wire.AddEdges4) -> list[GivenTriple]:
    if not 1 <= len(sent.edges) <= NODES_PER_CALL_MAX:
        raise InvalidInput(f"edges: 1 to {NODES_PER_CALL_MAX} per call, got {len(sent.edges)}")
    triples = [_triple(number, item) for number, item in enumerate(sent.edges)]
    for triple in triples:
        remember.check_triple(triple)
    by_name = any(end.uuid is None for one in triples for end in (one.source, one.target))
    if sent.deduplicate is False and by_name:
        raise NotOffered(
            "deduplicate: a name always means the node that has it; give nodes by their uuids"
        )
    return triples


async def add_edges(call: Call) -> wire.AddedEdges4:
    """Facts between nodes; what they did to the graph, if that is known soon."""
    sent: wire.AddEdges4 = call.body
    triples = _check_edges(sent)
    add = partial(remember.add_triples, call.services, call.access, _ref(call), triples)
    done = _read_edges(await idempotency.answer(call, add, partial(_added_edges, sent)))
    came = await _came(call, done.task.uuid)
    if came is None or len(came.facts) != len(done.edges):
        return done
    joined = [
        replace(
            asked,
            uuid=fact.uuid,
            source_node_uuid=fact.source_uuid,
            target_node_uuid=fact.target_uuid,
        )
        for asked, fact in zip(done.edges, came.facts, strict=True)
    ]
    return replace(done, edges=joined)


ROUTES = [
    Route(
        "POST",
        "/graphs/{graph_uuid}/nodes",
        "graph.add_nodes",
        add_nodes,
        "Add nodes to a graph",
        body=wire.AddNodes4,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/edges",
        "graph.add_fact_triple",
        add_edges,
        "Add facts between nodes",
        body=wire.AddEdges4,
        also=(NotOffered,),
    ),
]
