"""Facts and nodes that a caller writes directly, and copies of whole graphs."""

from datetime import datetime

from recollect.api.router import Call, Route
from recollect.app import graphs, knowledge, remember
from recollect.app.refs import GraphRef
from recollect.app.remember import GivenNode, GivenTriple, Outcome, Receipt
from recollect.compat.zep import common, translate
from recollect.compat.zep.wire import graphs as graphs_wire
from recollect.compat.zep.wire import knowledge as knowledge_wire
from recollect.compat.zep.wire.base import shaped
from recollect.graph import checks
from recollect.graph.types import Entity
from recollect.records.cloning import ClonedEnds


async def add_fact_triple(call: Call) -> graphs_wire.AddTripleAnswer:
    """One fact between two nodes; what it did to the graph, if that is known soon."""
    sent: graphs_wire.AddFactTriple = call.body
    triple = _triple(sent)
    remember.check_triple(triple)
    receipt = await remember.add_triple(
        call.services,
        call.access,
        _ref(sent),
        triple,
        opens=common.opens_group(call, sent.graph_id, sent.group_id),
    )
    done = await _outcome(call, receipt)
    if done is None or not done.facts:
        return graphs_wire.AddTripleAnswer(task_id=receipt.task_uuid)
    fact = done.facts[0]
    ends = {node.uuid: node for node in await _nodes(call, done)}
    return graphs_wire.AddTripleAnswer(
        edge=translate.edge(fact),
        source_node=ends.get(fact.source_uuid),
        target_node=ends.get(fact.target_uuid),
        task_id=receipt.task_uuid,
    )


def _ref(sent: graphs_wire.AddFactTriple | graphs_wire.AddNodes) -> GraphRef:
    graph_id = translate.graph_id_of(sent.graph_id, sent.group_id)
    return GraphRef(user_id=sent.user_id, graph_id=graph_id)


def _triple(sent: graphs_wire.AddFactTriple) -> GivenTriple:
    return GivenTriple(
        fact=sent.fact,
        name=sent.fact_name,
        uuid=sent.fact_uuid,
        source=GivenNode(
            where="source_node_",
            name=sent.source_node_name,
            uuid=sent.source_node_uuid,
            label=remember.one_label("source_node_labels", sent.source_node_labels),
            summary=sent.source_node_summary,
            attributes=sent.source_node_attributes,
        ),
        target=GivenNode(
            where="target_node_",
            name=sent.target_node_name,
            uuid=sent.target_node_uuid,
            label=remember.one_label("target_node_labels", sent.target_node_labels),
            summary=sent.target_node_summary,
            attributes=sent.target_node_attributes,
        ),
        attributes=sent.edge_attributes,
        metadata=sent.metadata,
        created_at=checks.moment("created_at", sent.created_at),
        valid_at=checks.moment("valid_at", sent.valid_at),
        invalid_at=checks.moment("invalid_at", sent.invalid_at),
        expired_at=checks.moment("expired_at", sent.expired_at),
        expires_at=checks.moment("expires_at", sent.expires_at),
    )


async def _outcome(call: Call, receipt: Receipt) -> Outcome | None:
    """The outcome of a direct write, or None if it takes longer than a caller should wait.

    A name may match an existing node, which is only shown to callers who may read it.
    """
    return await remember.outcome(
        call.services,
        call.access,
        receipt.task_uuid,
        facts_for=call.access_for("graph.edge.get"),
        nodes_for=call.access_for("graph.node.get"),
    )


async def _nodes(call: Call, done: Outcome) -> list[knowledge_wire.Node]:
    """Nodes for the wire, as far as the key may read them."""
    access = call.access_for("graph.node.get")
    if access is None:
        return []
    listed = await knowledge.with_episodes(call.services, access, done.nodes)
    return [translate.listed_node(node) for node in listed]


async def add_nodes(call: Call) -> graphs_wire.AddNodesAnswer:
    """Nodes into a graph, each found again or made; with their uuids, if those are known soon."""
    sent: graphs_wire.AddNodes = call.body
    remember.node_count("nodes", len(sent.nodes))
    nodes = [_node(f"nodes[{number}].", item) for number, item in enumerate(sent.nodes)]
    times = [
        checks.moment(f"nodes[{number}].created_at", item.created_at)
        for number, item in enumerate(sent.nodes)
    ]
    remember.check_nodes([(n, item.metadata) for n, item in zip(nodes, sent.nodes, strict=True)])
    receipt = await remember.add_nodes(
        call.services,
        call.access,
        _ref(sent),
        [(n, item.metadata, at) for n, item, at in zip(nodes, sent.nodes, times, strict=True)],
    )
    done = await _outcome(call, receipt)
    made = done.nodes if done is not None and len(done.nodes) == len(nodes) else None
    return graphs_wire.AddNodesAnswer(
        nodes=[
            _added(item, at, made[number] if made else None)
            for number, (item, at) in enumerate(zip(sent.nodes, times, strict=True))
        ],
        task_id=receipt.task_uuid,
    )


def _node(where: str, item: graphs_wire.AddNodeItem) -> GivenNode:
    return GivenNode(
        where=where,
        name=item.name,
        label=None if item.label is None else remember.one_label(f"{where}label", [item.label]),
        summary=item.summary,
        attributes=item.attributes,
    )


def _added(
    item: graphs_wire.AddNodeItem, at: datetime | None, made: Entity | None
) -> graphs_wire.AddedNode:
    return shaped(
        graphs_wire.AddedNode,
        item,
        uuid=made.uuid if made else None,
        created_at=made.created_at if made else at,
    )


async def clone(call: Call) -> graphs_wire.CloneAnswer:
    """A copy of a user's graph as a new user, or of a standalone graph under a new id."""
    sent: graphs_wire.CloneGraph = call.body
    ends = ClonedEnds(
        source_user=sent.source_user_id,
        source_graph=translate.graph_id_of(sent.source_graph_id, sent.source_group_id, "source_"),
        target_user=sent.target_user_id,
        target_graph=translate.graph_id_of(sent.target_graph_id, sent.target_group_id, "target_"),
    )
    made = await graphs.clone(call.services, call.access, ends)
    if made.graph.kind == "user":
        return graphs_wire.CloneAnswer(user_id=made.graph.graph_id, task_id=made.task_uuid)
    return graphs_wire.CloneAnswer(
        graph_id=made.graph.graph_id, group_id=made.graph.graph_id, task_id=made.task_uuid
    )


ROUTES = [
    Route(
        "POST",
        "/graph/add-fact-triple",
        "graph.add_fact_triple",
        add_fact_triple,
        "Add a fact between two nodes",
        body=graphs_wire.AddFactTriple,
    ),
    Route(
        "POST",
        "/graph/nodes",
        "graph.add_nodes",
        add_nodes,
        "Add nodes to a graph",
        body=graphs_wire.AddNodes,
    ),
    Route(
        "POST",
        "/graph/clone",
        "graph.clone",
        clone,
        "Copy a graph to a new owner",
        body=graphs_wire.CloneGraph,
    ),
]
