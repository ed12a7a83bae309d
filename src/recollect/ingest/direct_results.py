"""What came of knowledge that a caller wrote down directly."""

from recollect.graph.types import Access, Entity, Fact, Json, Record, Task
from recollect.limits import NODES_PER_CALL_MAX
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.subjects import knowledge


class Outcome(Record):
    """What came of the direct writes of one task: facts with their ends, or nodes in order."""

    facts: list[Fact]
    nodes: list[Entity]


def outcome(tx: Transaction, access: Access, task_uuid: str) -> Outcome:
    """What came of a task of this project that has ended."""
    facts = [rows.fact(row) for row in tx.all("direct_facts_of_task", task_uuid=task_uuid)]
    found = tx.all("direct_nodes_of_task", task_uuid=task_uuid)
    nodes = [rows.entity(row) for row in found]
    if facts:
        ends = (facts[0].source_uuid, facts[0].target_uuid)
        nodes = [knowledge.entity(tx, access, uuid) for uuid in ends]
    return Outcome(facts=facts, nodes=nodes)


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
