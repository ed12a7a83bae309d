-- API keys.

-- name: insert
INSERT INTO api_keys (uuid, project_id, name, prefix, hash, is_admin, role, mode, logs_reads,
                      mcp_write, created_at)
VALUES (:uuid, :project_id, :name, :prefix, :hash, :is_admin, :role, :mode, :logs_reads,
        :mcp_write, :now);

-- name: by_hash
SELECT k.*, p.uuid AS project_uuid, p.name AS project_name, p.limits AS project_limits,
       EXISTS (SELECT 1 FROM key_policy_sets a WHERE a.key_id = k.id) AS has_policies
FROM api_keys k JOIN projects p ON p.id = k.project_id
WHERE k.hash = :hash;

-- name: by_uuid
SELECT k.*, p.uuid AS project_uuid, p.name AS project_name, p.limits AS project_limits,
       EXISTS (SELECT 1 FROM key_policy_sets a WHERE a.key_id = k.id) AS has_policies
FROM api_keys k JOIN projects p ON p.id = k.project_id
WHERE k.uuid = :uuid;

-- name: all
SELECT k.*, p.uuid AS project_uuid, p.name AS project_name, p.limits AS project_limits,
       EXISTS (SELECT 1 FROM key_policy_sets a WHERE a.key_id = k.id) AS has_policies
FROM api_keys k JOIN projects p ON p.id = k.project_id
ORDER BY k.id;

-- name: of_project
SELECT k.*, p.uuid AS project_uuid, p.name AS project_name, p.limits AS project_limits,
       EXISTS (SELECT 1 FROM key_policy_sets a WHERE a.key_id = k.id) AS has_policies
FROM api_keys k JOIN projects p ON p.id = k.project_id
WHERE k.project_id = :project_id ORDER BY k.id;

-- name: change
UPDATE api_keys
SET role = :role, mode = :mode, logs_reads = :logs_reads, mcp_write = :mcp_write
WHERE uuid = :uuid;

-- name: revoke
UPDATE api_keys SET revoked_at = :now WHERE uuid = :uuid AND revoked_at IS NULL;

-- name: named
SELECT id FROM api_keys
WHERE project_id = :project_id AND name = :name AND revoked_at IS NULL ORDER BY id LIMIT 1;

-- name: set_secret
UPDATE api_keys SET hash = :hash, prefix = :prefix WHERE id = :id;

-- name: replace_named
DELETE FROM api_keys
WHERE project_id = :project_id AND name = :name AND hash <> :hash AND revoked_at IS NULL;
