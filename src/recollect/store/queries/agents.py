"""Agents."""

from typing import Any, NamedTuple

from recollect.graph.types import GraphKind
from recollect.store.statements import Keyed, Queries


class AgentRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    kind: GraphKind
    graph_id: str
    name: str | None
    description: str | None
    time_zone: str | None
    rating: str | None
    last_seq: int
    index_version: int
    created_at: int
    updated_at: int
    edits: int
    index_epoch: int
    condenses: int
    condensed: int
    folded: int
    fold_from: int | None
    inputs: int
    distance: int
    changes: int
    security_domain: str
    deployment_id: str | None
    version: str | None
    metadata: str | None
    revision: int


class AgentQueries(Queries):
    """Agents."""

    __slots__ = ()

    def insert(
        self,
        *,
        graph_id: int,
        security_domain: str,
        deployment_id: str | None,
        version: int | str,
        metadata: str | None,
    ) -> None:
        self._post(
            "agents.insert",
            graph_id=graph_id,
            security_domain=security_domain,
            deployment_id=deployment_id,
            version=version,
            metadata=metadata,
        )

    def by_uuid(self, *, uuid: str, project_id: int) -> AgentRow | None:
        return self._one(AgentRow, "agents.by_uuid", uuid=uuid, project_id=project_id)

    def update(
        self,
        *,
        deployment_id: str | None,
        version: int | str | None,
        metadata: str | None,
        graph_id: int,
    ) -> None:
        self._post(
            "agents.update",
            deployment_id=deployment_id,
            version=version,
            metadata=metadata,
            graph_id=graph_id,
        )

    def page(
        self,
        *,
        order: str,
        project_id: int,
        agent_id: int | str | None,
        deployment_id: str | None,
        version: int | str | None,
        search: str,
        after_uuid: str | None,
        after_key: Any,
        limit: int,
    ) -> list[Keyed[AgentRow]]:
        return self._page(
            AgentRow,
            f"agents.page/{order}",
            project_id=project_id,
            agent_id=agent_id,
            deployment_id=deployment_id,
            version=version,
            search=search,
            after_uuid=after_uuid,
            after_key=after_key,
            limit=limit,
        )
