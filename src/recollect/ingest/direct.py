"""Facts and nodes that a caller writes directly: checked, then appended to the log like everything else.

Each becomes an episode of its own that carries the metadata and is never shown. What it changes in
the graph is decided when its job runs.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from recollect.errors import InvalidInput, NotFound
from recollect.graph.found import FoundEntity, FoundFact, Nodes, Triple, encode_direct
from recollect.graph.predicates import Predicates
from recollect.graph.types import (
    Access,
    Entity,
    Fact,
    Graph,
    Json,
    NewEpisode,
    Record,
    Task,
    Thread,
)
from recollect.ingest import direct_checks, intake
from recollect.ingest.direct_checks import GivenNode
from recollect.ingest.intake import Receipt
from recollect.limits import NODES_PER_CALL_MAX
from recollect.records import graphs, guidance, knowledge, seeing, telling, users
from recollect.records.guidance import Ontology
from recollect.store import rows
from recollect.store.protocol import Transaction

# The name of a fact that a caller adds to a session, which does not say what relation it expresses.
SESSION_FACT = "HAS_FACT"
_NEGATIONS = {"DOES_NOT_": "", "DO_NOT_": "", "IS_NOT_": "be ", "ARE_NOT_": "be "}


class GivenTriple(Record):
    """A fact between two nodes as a caller describes it."""

    fact: str
    name: str
    source: GivenNode
    target: GivenNode
    attributes: Json | None = None
    metadata: Json | None = None
    uuid: str | None = None
    created_at: datetime | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    expired_at: datetime | None = None
    expires_at: datetime | None = None  # unless other episodes state it as well
    where: str = ""  # prefix of its field names in the request
    attributes_word: str = "edge_attributes"


def check_triple(triple: GivenTriple) -> None:
    """Check the bounds of a triple; what depends on the graph is checked when it is added."""
    where = triple.where
    direct_checks.fact(f"{where}fact", triple.fact)
    direct_checks.fact_name(f"{where}fact_name", triple.name)
    direct_checks.node(triple.source)
    direct_checks.node(triple.target)
    direct_checks.attributes(f"{where}{triple.attributes_word}", triple.attributes)
    direct_checks.metadata(f"{where}metadata", triple.metadata)
    if triple.uuid is not None:
        direct_checks.uuid(f"{where}fact_uuid", triple.uuid)
    if triple.valid_at and triple.invalid_at and triple.invalid_at < triple.valid_at:
        raise InvalidInput(f"{where}invalid_at: must not be before valid_at")


def add_triple(
    tx: Transaction,
    access: Access,
    user_id: str | None,
    graph_id: str | None,
    triple: GivenTriple,
    predicates: Predicates,
    *,
    opens: bool = False,
) -> Receipt:
    """Append a checked triple to the graph that exactly one of the two ids names.

    *opens*: create the standalone graph if it does not exist yet.
    """
    graph = graphs.target(tx, access, user_id, graph_id, opens=opens)
    return add_triples(tx, access, graph, [triple], predicates)


def add_triples(
    tx: Transaction,
    access: Access,
    graph: Graph,
    triples: Sequence[GivenTriple],
    predicates: Predicates,
) -> Receipt:
    """Append checked triples to a graph, in the order given."""
    ontology = guidance.ontology_at(tx, access, guidance.scope_of(graph))
    episodes = []
    for triple in triples:
        field = f"{triple.where}{triple.attributes_word}"
        direct_checks.typed(field, triple.attributes, triple.name, ontology.edge_types)
        content = Triple(
            source=_source(tx, access, graph, triple.source, ontology),
            target=_entity(tx, access, graph, triple.target, ontology),
            fact=_fact(tx, graph, triple, predicates),
        )
        episodes.append(
            NewEpisode(
                kind="fact_triple",
                content=encode_direct(content),
                metadata=triple.metadata,
                created_at=triple.created_at,
                expires_at=triple.expires_at,
            )
        )
    return intake.add_direct(tx, access, graph.id, episodes)


def _fact(tx: Transaction, graph: Graph, triple: GivenTriple, predicates: Predicates) -> FoundFact:
    predicate, negated = relation(triple.name, predicates)
    said_at = triple.created_at or tx.now
    assumed = said_at if triple.invalid_at is None or said_at < triple.invalid_at else None
    return FoundFact(
        source=0,
        target=1,
        name=triple.name,
        predicate=predicate,
        negated=negated,
        fact=triple.fact.strip(),
        valid_at=triple.valid_at or assumed,
        invalid_at=triple.invalid_at,
        expired_at=triple.expired_at,
        dated=triple.valid_at is not None,
        attributes=direct_checks.known_values(triple.attributes) or None,
        uuid=_free_uuid(tx, graph, triple.uuid),
    )


def relation(name: str, predicates: Predicates) -> tuple[str, bool]:
    """The relation behind a fact's name, and whether the name says that it does not hold."""
    for prefix, verb in _NEGATIONS.items():
        if name.startswith(prefix):
            rest = name.removeprefix(prefix)
            phrase = verb + rest.lower().replace("_", " ")
            return predicates.of_phrase(phrase) or rest, True
    return predicates[name].name, False


def _free_uuid(tx: Transaction, graph: Graph, uuid: str | None) -> str | None:
    """The uuid that a caller wants, unless it is taken in another graph."""
    taken = None if uuid is None else tx.facts.uuid_taken(uuid=uuid)
    return uuid if taken is None or taken == graph.id else None


def _source(
    tx: Transaction, access: Access, graph: Graph, node: GivenNode, ontology: Ontology
) -> FoundEntity:
    """The source of a triple; in a user's graph it defaults to the user."""
    if node.name is None and node.uuid is None and graph.kind == "user":
        named = msgspec.structs.replace(node, name=_user_name(tx, access, graph))
        found = _entity(tx, access, graph, named, ontology)
        return msgspec.structs.replace(found, who="user")
    return _entity(tx, access, graph, node, ontology)


def _user_name(tx: Transaction, access: Access, graph: Graph) -> str:
    return users.display_name(users.get(tx, access, graph.graph_id))


def _entity(
    tx: Transaction, access: Access, graph: Graph, node: GivenNode, ontology: Ontology
) -> FoundEntity:
    name = node.name
    if node.uuid is not None:
        name = _named_by(tx, access, graph, node)
    if name is None:
        raise InvalidInput(f"{node.where}name or {node.where}uuid: one of them is required")
    direct_checks.typed(
        f"{node.where}attributes", node.attributes, node.label, ontology.entity_types
    )
    return FoundEntity(
        name=name.strip(),
        label=node.label,
        summary=node.summary or None,
        attributes=direct_checks.known_values(node.attributes) or None,
        uuid=node.uuid,
    )


def _named_by(tx: Transaction, access: Access, graph: Graph, node: GivenNode) -> str:
    """The name of a node given by uuid; it must exist in this graph."""
    found = tx.entities.by_uuids(graph_id=graph.id, uuids=rows.to_json([node.uuid]))
    if not seeing.ids(tx, access, "entity", [row.id for row in found]):
        raise direct_checks.no_such_node(node)
    name: str = node.name or found[0].name
    return name


def check_nodes(nodes: Sequence[tuple[GivenNode, Json | None]]) -> None:
    """Check the nodes of one call with their metadata: their number, and the bounds of each."""
    direct_checks.node_count("nodes", len(nodes))
    for node, metadata in nodes:
        direct_checks.node(node)
        direct_checks.metadata(f"{node.where}metadata", metadata)


def add_nodes(
    tx: Transaction,
    access: Access,
    user_id: str | None,
    graph_id: str | None,
    nodes: Sequence[tuple[GivenNode, Json | None, datetime | None]],
) -> Receipt:
    """Append checked nodes, each with its metadata and its own time, in the order given."""
    graph = graphs.target(tx, access, user_id, graph_id)
    ontology = guidance.ontology_at(tx, access, guidance.scope_of(graph))
    episodes = [
        NewEpisode(
            kind="nodes",
            content=encode_direct(Nodes(nodes=(_entity(tx, access, graph, node, ontology),))),
            metadata=metadata,
            created_at=created_at,
        )
        for node, metadata, created_at in nodes
    ]
    return intake.add_direct(tx, access, graph.id, episodes)


def add_thread_facts(
    tx: Transaction, access: Access, thread: Thread, facts: Sequence[str]
) -> Receipt:
    """Append checked sentences as facts about the user of a thread, word for word."""
    user = FoundEntity(name=users.display_name(users.get(tx, access, thread.user_id)), who="user")
    episodes = [
        NewEpisode(
            kind="fact_triple",
            content=encode_direct(Triple(source=user, target=user, fact=_sentence(text, tx.now))),
        )
        for text in facts
    ]
    return intake.add_direct(tx, access, thread.graph_id, episodes, thread.id)


def _sentence(text: str, now: datetime) -> FoundFact:
    return FoundFact(
        source=0,
        target=0,
        name=SESSION_FACT,
        predicate=SESSION_FACT,
        fact=text.strip(),
        valid_at=now,
    )


class Outcome(Record):
    """The result of the direct writes of one task: facts and the nodes they join, or nodes in order."""

    facts: list[Fact]
    nodes: list[Entity]


def outcome(tx: Transaction, access: Access, task_uuid: str) -> Outcome:
    """The result of a finished task of this project."""
    told = tx.facts.direct_facts_of_task(task_uuid=task_uuid)
    facts = telling.facts(tx, access, [rows.fact(row) for row in told])
    found = tx.entities.direct_nodes_of_task(task_uuid=task_uuid)
    nodes = telling.entities(tx, access, [rows.entity(row) for row in found])
    if told:
        ends = (told[0].source_uuid, told[0].target_uuid)
        nodes = [node for uuid in ends if (node := _end(tx, access, uuid)) is not None]
    return Outcome(facts=facts, nodes=nodes)


def readable(
    tx: Transaction, facts_for: Access | None, nodes_for: Access | None, task_uuid: str
) -> Outcome:
    """The result of a task, limited to what each access may read; None may read nothing."""
    facts = outcome(tx, facts_for, task_uuid).facts if facts_for is not None else []
    nodes = outcome(tx, nodes_for, task_uuid).nodes if nodes_for is not None else []
    return Outcome(facts=facts, nodes=nodes)


def _end(tx: Transaction, access: Access, uuid: str) -> Entity | None:
    try:
        return knowledge.entity(tx, access, uuid)
    except NotFound:
        return None


def uuids(tx: Transaction, access: Access, task: Task) -> Json | None:
    """The uuids of what a task wrote, if it was a direct write and has finished."""
    if task.completed_at is None or task.jobs > NODES_PER_CALL_MAX:
        return None
    found = outcome(tx, access, task.uuid)
    if len(found.facts) == 1:
        fact = found.facts[0]
        return {
            "edge_uuid": fact.uuid,
            "source_node_uuid": fact.source_uuid,
            "target_node_uuid": fact.target_uuid,
        }
    return {"node_uuids": [node.uuid for node in found.nodes]} if found.nodes else None
