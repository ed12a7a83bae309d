"""Skills that are learned, and traces that are fetched from other services: what this server has
nothing behind.

Each is a route of its own that says so, and where what it is for can be had instead.
"""

from typing import cast

from recollect.api.router import Call, Method, Route
from recollect.errors import NotOffered

_UNLEARNED = (
    "this server learns no skills from what agents do; what is said in traces (POST "
    "/api/v4/agents/{agent_uuid}/traces) is remembered in the graph of the agent, which is searched "
    "like any other"
)
_UNFETCHED = (
    "this server keeps no credentials of other services; fetch the traces and tell them (POST "
    "/api/v4/agents/{agent_uuid}/traces and .../events), which may be done twice without harm"
)

_OF_OTHERS = ("agent.trace_import.", "trace_connection.")

# The client's method, the verb and the path.
METHODS: list[tuple[str, str, str]] = [
    ("agent.declare_breaking_change", "POST", "/agents/{agent_uuid}/breaking-changes"),
    ("agent.learning.get", "GET", "/agents/{agent_uuid}/learning"),
    ("agent.learning.list_runs", "GET", "/agents/{agent_uuid}/learning-runs"),
    ("agent.literal_policy.get", "GET", "/agents/{agent_uuid}/literal-policy"),
    ("agent.literal_policy.update", "PUT", "/agents/{agent_uuid}/literal-policy"),
    ("agent.skill.create", "POST", "/agents/{agent_uuid}/skills"),
    ("agent.skill.import_package", "POST", "/agents/{agent_uuid}/skills/import"),
    ("agent.skill.list", "POST", "/agents/{agent_uuid}/skills/list"),
    ("agent.skill.search", "POST", "/agents/{agent_uuid}/skills/search"),
    ("agent.skill.get", "GET", "/agents/{agent_uuid}/skills/{skill_uuid}"),
    ("agent.skill.approve", "POST", "/agents/{agent_uuid}/skills/{skill_uuid}/approve"),
    ("agent.skill.retire", "POST", "/agents/{agent_uuid}/skills/{skill_uuid}/retire"),
    ("agent.skill.create_version", "POST", "/agents/{agent_uuid}/skills/{skill_uuid}/versions"),
    ("agent.skill.candidate.list", "GET", "/agents/{agent_uuid}/skill-candidates"),
    ("agent.skill.candidate.get", "GET", "/agents/{agent_uuid}/skill-candidates/{review_uuid}"),
    (
        "agent.skill.evaluation.create_for_candidate",
        "POST",
        "/agents/{agent_uuid}/skill-candidates/{review_uuid}/candidates/{candidate_uuid}/evaluations",
    ),
    (
        "agent.skill.evaluation.create",
        "POST",
        "/agents/{agent_uuid}/skills/{skill_uuid}/evaluations",
    ),
    ("agent.skill.evidence.list", "GET", "/agents/{agent_uuid}/skills/{skill_uuid}/evidence"),
    (
        "agent.skill.export.create",
        "POST",
        "/agents/{agent_uuid}/skills/{skill_uuid}/versions/{version}/export",
    ),
    (
        "agent.skill.export.get",
        "GET",
        "/agents/{agent_uuid}/skills/{skill_uuid}/versions/{version}/export/{task_uuid}",
    ),
    ("agent.skill.publication.lookup", "GET", "/agents/{agent_uuid}/skill-publications"),
    ("agent.skill.publication.get", "GET", "/agents/{agent_uuid}/skills/{skill_uuid}/publication"),
    ("agent.skill.relation.list", "GET", "/agents/{agent_uuid}/skills/{skill_uuid}/relations"),
    ("agent.skill.use.create", "POST", "/agents/{agent_uuid}/skills/{skill_uuid}/uses"),
    (
        "agent.skill.use.add_outcome",
        "POST",
        "/agents/{agent_uuid}/skills/{skill_uuid}/uses/{use_uuid}/outcome",
    ),
    (
        "agent.skill.version.restore_version",
        "POST",
        "/agents/{agent_uuid}/skills/{skill_uuid}/restore-version",
    ),
    ("agent.skill.version.list", "GET", "/agents/{agent_uuid}/skills/{skill_uuid}/versions"),
    (
        "agent.skill.version.compare",
        "POST",
        "/agents/{agent_uuid}/skills/{skill_uuid}/versions/compare",
    ),
    (
        "agent.skill.version.get",
        "GET",
        "/agents/{agent_uuid}/skills/{skill_uuid}/versions/{version}",
    ),
    ("agent.split.plan", "POST", "/agents/{agent_uuid}/split-plan"),
    ("agent.task_family.list", "POST", "/agents/{agent_uuid}/task-families/list"),
    ("agent.task_family.rename", "POST", "/agents/{agent_uuid}/task-families/rename"),
    ("agent.trace_import.list", "GET", "/agents/{agent_uuid}/trace-imports"),
    ("agent.trace_import.create", "POST", "/agents/{agent_uuid}/trace-imports"),
    ("agent.trace_import.get", "GET", "/agents/{agent_uuid}/trace-imports/{import_uuid}"),
    ("agent.trace_import.delete", "DELETE", "/agents/{agent_uuid}/trace-imports/{import_uuid}"),
    ("agent.trace_import.update", "PATCH", "/agents/{agent_uuid}/trace-imports/{import_uuid}"),
    ("agent.trace_import.pause", "POST", "/agents/{agent_uuid}/trace-imports/{import_uuid}/pause"),
    (
        "agent.trace_import.resume",
        "POST",
        "/agents/{agent_uuid}/trace-imports/{import_uuid}/resume",
    ),
    ("agent.trace_import.run.list", "GET", "/agents/{agent_uuid}/trace-imports/{import_uuid}/runs"),
    (
        "agent.trace_import.run.create",
        "POST",
        "/agents/{agent_uuid}/trace-imports/{import_uuid}/runs",
    ),
    (
        "agent.trace_import.run.get",
        "GET",
        "/agents/{agent_uuid}/trace-imports/{import_uuid}/runs/{run_uuid}",
    ),
    (
        "agent.trace_import.run.item.list",
        "GET",
        "/agents/{agent_uuid}/trace-imports/{import_uuid}/runs/{run_uuid}/items",
    ),
    ("agent.verifier.list", "POST", "/agents/{agent_uuid}/verifiers/list"),
    ("agent.verifier.get", "GET", "/agents/{agent_uuid}/verifiers/{verifier_uuid}"),
    ("agent.verifier.update", "PATCH", "/agents/{agent_uuid}/verifiers/{verifier_uuid}"),
    (
        "agent.verifier.invalidate_evidence",
        "POST",
        "/agents/{agent_uuid}/verifiers/{verifier_uuid}/invalidate-evidence",
    ),
    ("agent.verifier.revoke", "POST", "/agents/{agent_uuid}/verifiers/{verifier_uuid}/revoke"),
    ("trace_connection.list", "GET", "/trace-connections"),
    ("trace_connection.create", "POST", "/trace-connections"),
    ("trace_connection.get", "GET", "/trace-connections/{connection_uuid}"),
    ("trace_connection.delete", "DELETE", "/trace-connections/{connection_uuid}"),
    ("trace_connection.update", "PATCH", "/trace-connections/{connection_uuid}"),
    ("trace_connection.verify", "POST", "/trace-connections/{connection_uuid}/verify"),
    ("trace_connection.project.list", "GET", "/trace-connections/{connection_uuid}/projects"),
    ("trace_connection.trace.get", "POST", "/trace-connections/{connection_uuid}/traces/get"),
    ("trace_connection.trace.list", "POST", "/trace-connections/{connection_uuid}/traces/list"),
]


def _route(method: str, verb: str, path: str) -> Route:
    why = _UNFETCHED if method.startswith(_OF_OTHERS) else _UNLEARNED

    async def refuse(call: Call) -> None:
        """Not offered; it says why."""
        raise NotOffered(f"{method}: {why}")

    words = method.replace("_", " ").replace(".", " ")
    return Route(cast(Method, verb), path, method, refuse, f"Refuse {words}, and say why")


ROUTES = [_route(*row) for row in METHODS]
