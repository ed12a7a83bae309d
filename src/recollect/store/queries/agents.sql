-- Agents.

-- name: insert
INSERT INTO agents (graph_id, security_domain, deployment_id, version, metadata)
VALUES (:graph_id, :security_domain, :deployment_id, :version, :metadata);

-- name: by_uuid
SELECT g.*, a.security_domain, a.deployment_id, a.version, a.metadata, a.revision
FROM graphs g JOIN agents a ON a.graph_id = g.id
WHERE g.uuid = :uuid AND g.project_id = :project_id;

-- name: update
UPDATE agents
SET deployment_id = :deployment_id, version = :version, metadata = :metadata,
    revision = revision + 1
WHERE graph_id = :graph_id;

-- name: page
-- order: created_at=g.created_at, updated_at=g.updated_at, name=coalesce(g.name, '')
SELECT g.*, a.security_domain, a.deployment_id, a.version, a.metadata, a.revision,
    {key} AS page_key
FROM graphs g JOIN agents a ON a.graph_id = g.id
WHERE g.project_id = :project_id
  AND (CAST(:agent_id AS TEXT) IS NULL OR g.graph_id = :agent_id)
  AND (CAST(:deployment_id AS TEXT) IS NULL OR a.deployment_id = :deployment_id)
  AND (CAST(:version AS TEXT) IS NULL OR a.version = :version)
  AND (:search = '' OR instr(lower(g.graph_id || ' ' || coalesce(g.name, '') || ' '
       || coalesce(a.deployment_id, '') || ' ' || coalesce(a.version, '')), lower(:search)) > 0)
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, g.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, g.uuid {dir} LIMIT :limit;
