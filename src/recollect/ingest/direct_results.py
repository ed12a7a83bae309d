"""What came of knowledge that a caller wrote down directly."""

from recollect.errors import NotFound
from recollect.graph.types import Access, Entity, Fact, Json, Record, Task
from recollect.limits import NODES_PER_CALL_MAX
from recollect.records import knowledge, telling
from recollect.store import rows
from recollect.store.protocol import Transaction


class Outcome(Record):
    """What came of the direct writes of one task: facts with their ends, or nodes in order."""

    facts: list[Fact]
    nodes: list[Entity]


def outcome(tx: Transaction, access: Access, task_uuid: str) -> Outcome:
    """What came of a task of this project that has ended."""
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
    """What came of a task as far as facts and nodes may be read; None may read none."""
    facts = outcome(tx, facts_for, task_uuid).facts if facts_for is not None else []
    nodes = outcome(tx, nodes_for, task_uuid).nodes if nodes_for is not None else []
    return Outcome(facts=facts, nodes=nodes)


def _end(tx: Transaction, access: Access, uuid: str) -> Entity | None:
    try:
        return knowledge.entity(tx, access, uuid)
    except NotFound:
        return None


def uuids(tx: Transaction, access: Access, task: Task) -> Json | None:
    """The uuids of what came of a task, if it was a direct write and has ended."""
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
