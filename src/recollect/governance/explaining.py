"""Dry runs: what a key may do, and which rule decides about an object."""

from collections.abc import Iterable

from recollect.derive import effective
from recollect.errors import InvalidInput, NotFound
from recollect.governance import keys
from recollect.graph import checks, policy_spec, policy_trace, visibility
from recollect.graph.policy_trace import Trace
from recollect.graph.types import Carried, Json, Record
from recollect.graph.visibility import Value
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.graphs import ObjectByUuidRow


class Question(Record):
    """What to explain: an action of a key and, optionally, an object given by uuid or by metadata."""

    key_uuid: str
    action: str
    reads: bool
    object_uuid: str | None = None
    object_metadata: Json | None = None


def explain(tx: Transaction, project_id: int, asked: Question) -> Trace:
    """Which rules decide, and why; nothing is changed."""
    if asked.object_uuid is not None and asked.object_metadata is not None:
        raise InvalidInput("object_metadata: give either this or object_uuid, not both")
    key = keys.get_key(tx, asked.key_uuid, project_id)
    if key.is_admin:
        return policy_trace.unrestricted(asked.action, reads=asked.reads)
    given = keys.policy_of(tx, project_id, asked.key_uuid)
    trace = policy_trace.explain(
        given, asked.action, reads=asked.reads, metadata=_metadata(tx, project_id, asked)
    )
    for metadata in _evidence(tx, project_id, asked):
        fact = policy_trace.explain(given, asked.action, reads=asked.reads, metadata=metadata)
        trace = policy_trace.resting_on(trace, fact)
    return trace


def check_action(action: str, known: frozenset[str]) -> None:
    """Refuse an unknown action, and suggest a similar one."""
    policy_spec.action("action", action, known)


def _metadata(tx: Transaction, project_id: int, asked: Question) -> dict[str, list[Value]] | None:
    if asked.object_uuid is not None:
        return metadata_of(tx, project_id, asked.object_uuid)
    if asked.object_metadata is None:
        return None
    return visibility.effective([checks.episode_metadata("object_metadata", asked.object_metadata)])


def metadata_of(tx: Transaction, project_id: int, uuid: str) -> dict[str, list[Value]]:
    """The effective metadata of an object of a project, of any kind."""
    row = _object(tx, project_id, uuid)
    return effective.of(tx, row.kind, [row.id])[row.id]


def _object(tx: Transaction, project_id: int, uuid: str) -> ObjectByUuidRow:
    row = tx.graphs.object_by_uuid(uuid=uuid, project_id=project_id)
    if row is None:
        raise NotFound(f"object_uuid: there is no such object: {uuid}")
    return row


def _evidence(tx: Transaction, project_id: int, asked: Question) -> Iterable[Carried]:
    """The metadata of each fact that an observation rests on: a hidden fact hides the observation too."""
    if asked.object_uuid is None:
        return ()
    row = _object(tx, project_id, asked.object_uuid)
    if row.kind != "observation":
        return ()
    facts = tx.facts.of_observations(ids=rows.to_json([row.id]))
    return effective.of(tx, "fact", [fact.fact_id for fact in facts]).values()
