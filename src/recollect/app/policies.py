"""The policy sets of a project, and the decisions they lead to."""

from recollect.app.stores import WithStore
from recollect.governance import audited, explaining, policies
from recollect.governance.explaining import Question, check_action
from recollect.governance.policies import PolicySet, PolicySetVersion
from recollect.graph.policy import PolicySetDocument
from recollect.graph.policy_trace import Trace
from recollect.graph.types import Access

__all__ = ["PolicySet", "PolicySetVersion", "Question", "check_action"]


async def apply(services: WithStore, access: Access, document: PolicySetDocument) -> PolicySet:
    """Create a policy set, or a new version of the one with that name if the document differs."""
    return await services.store.write(
        audited.on_behalf, access, policies.apply, access.project_id, document
    )


async def list_(services: WithStore, access: Access) -> list[PolicySet]:
    """The policy sets of the project, by name."""
    return await services.store.read(policies.list_sets, access.project_id)


async def get(services: WithStore, access: Access, name: str) -> PolicySet:
    """A policy set by its name or its uuid."""
    return await services.store.read(policies.get, access.project_id, name)


async def versions(services: WithStore, access: Access, name: str) -> list[PolicySetVersion]:
    """The versions of a policy set, newest first."""
    return await services.store.read(policies.versions, access.project_id, name)


async def at_version(
    services: WithStore, access: Access, name: str, version: int
) -> PolicySetVersion:
    """One version of a policy set."""
    return await services.store.read(policies.at_version, access.project_id, name, version)


async def delete(services: WithStore, access: Access, name: str, *, force: bool) -> PolicySet:
    """Delete a policy set with its versions; one that is attached only with *force*."""
    return await services.store.write(
        audited.on_behalf, access, policies.delete, access.project_id, name, force=force
    )


async def explain(services: WithStore, access: Access, asked: Question) -> Trace:
    """What a key may do, and which rule decides; nothing is carried out."""
    return await services.store.read(explaining.explain, access.project_id, asked)
