"""Nodes and edges that a caller writes down."""

import msgspec
from msgspec.structs import replace

from recollect.api import once, waiting
from recollect.api.compat.zep4 import answers
from recollect.api.compat.zep4.wire import knowledge as wire
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput, NotOffered
from recollect.graph import checks
from recollect.graph.predicates import Predicates
from recollect.graph.types import Access
from recollect.ingest import direct, direct_checks, direct_results
from recollect.ingest.direct import GivenTriple
from recollect.ingest.direct_checks import GivenNode
from recollect.ingest.direct_results import Outcome
from recollect.limits import NODES_PER_CALL_MAX
from recollect.store.protocol import Transaction

Path = dict[str, str]
_read_nodes = msgspec.json.Decoder(wire.AddedNodes4).decode
_read_edges = msgspec.json.Decoder(wire.AddedEdges4).decode


def _given(number: int, sent: wire.NodeInput4) -> GivenNode:
    where = f"nodes[{number}]."
    label = None
    if sent.label is not None:
        label = direct_checks.one_label(f"{where}label", [sent.label])
    return GivenNode(
        where=where,
        name=sent.name,
        label=label,
        summary=sent.summary,
        attributes=sent.attributes,
    )


def _add_nodes(tx: Transaction, access: Access, path: Path, sent: wire.AddNodes4) -> Done:
    where = answers.place(tx, access, path)
    nodes = [(_given(n, item), item.metadata, None) for n, item in enumerate(sent.nodes)]
    receipt = direct.add_nodes(tx, access, where.user_id, where.graph_id, nodes)
    asked = [
        wire.AddedNode4(
            name=item.name,
            label=item.label,
            summary=item.summary,
            attributes=item.attributes,
            metadata=item.metadata,
        )
        for item in sent.nodes
    ]
    task = answers.task(tx, access, receipt.task_uuid, "graph.add_nodes")
    answer = wire.AddedNodes4(nodes=asked, task=task)
    return Done(answer=answer, graph_id=where.graph.id, made=receipt)


async def add_nodes(call: Call) -> wire.AddedNodes4:
    """Nodes into a graph, each found again or made; with their uuids, if those are known soon."""
    sent: wire.AddNodes4 = call.body
    direct.check_nodes([(_given(n, item), item.metadata) for n, item in enumerate(sent.nodes)])
    done = _read_nodes((await once.outcome(call, _add_nodes, call.path, sent)).body)
    came = await _came(call, done.task.uuid)
    if came is None or len(came.nodes) != len(done.nodes):
        return done
    named = [
        replace(asked, uuid=node.uuid, created_at=node.created_at)
        for asked, node in zip(done.nodes, came.nodes, strict=True)
    ]
    return replace(done, nodes=named)


async def _came(call: Call, task_uuid: str) -> Outcome | None:
    """What came of a direct write, as far as the key may read it; None when it takes long."""
    if not await waiting.completed(call, task_uuid):
        return None
    return await call.services.store.read(
        direct_results.readable,
        call.access_for("graph.edge.get"),
        call.access_for("graph.node.get"),
        task_uuid,
    )


def _end(where: str, sent: wire.EdgeNodeRef4) -> GivenNode:
    return GivenNode(
        where=where,
        name=sent.name,
        uuid=sent.uuid,
        label=direct_checks.one_label(f"{where}labels", sent.labels),
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
    )


def _add_edges(
    tx: Transaction,
    access: Access,
    path: Path,
    sent: wire.AddEdges4,
    triples: list[GivenTriple],
    predicates: Predicates,
) -> Done:
    where = answers.place(tx, access, path)
    named = [replace(triple, uuid=tx.new_id()) for triple in triples]
    receipt = direct.add_triples(tx, access, where.graph, named, predicates)
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
        for item, triple in zip(sent.edges, named, strict=True)
    ]
    task = answers.task(tx, access, receipt.task_uuid, "graph.edge.add")
    answer = wire.AddedEdges4(edges=asked, task=task)
    return Done(answer=answer, graph_id=where.graph.id, made=receipt)


def _check_edges(sent: wire.AddEdges4) -> list[GivenTriple]:
    if not 1 <= len(sent.edges) <= NODES_PER_CALL_MAX:
        raise InvalidInput(f"edges: 1 to {NODES_PER_CALL_MAX} per call, got {len(sent.edges)}")
    triples = [_triple(number, item) for number, item in enumerate(sent.edges)]
    for triple in triples:
        direct.check_triple(triple)
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
    done = _read_edges(
        (
            await once.outcome(call, _add_edges, call.path, sent, triples, call.services.predicates)
        ).body
    )
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
        answer=wire.AddedNodes4,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/edges",
        "graph.add_fact_triple",
        add_edges,
        "Add facts between nodes",
        body=wire.AddEdges4,
        answer=wire.AddedEdges4,
    ),
]
