-- Projects and their keys.

-- name: project_insert
INSERT INTO projects (uuid, name, description, created_at)
VALUES (:uuid, :name, :description, :now);

-- name: project_by_name
SELECT * FROM projects WHERE name = :name;

-- name: project_by_id
SELECT * FROM projects WHERE id = :id;

-- name: project_first
SELECT id FROM projects ORDER BY id LIMIT 1;

-- name: project_touch
-- Writes a row as it is, to see whether writing is possible.
UPDATE projects SET name = name WHERE id = (SELECT min(id) FROM projects);

-- name: projects_all
SELECT * FROM projects ORDER BY id;

-- name: project_describe
UPDATE projects SET description = :description WHERE id = :id;

-- name: project_set_time_zone
UPDATE projects SET default_time_zone = :time_zone WHERE id = :id;

-- name: key_insert
INSERT INTO api_keys (uuid, project_id, name, prefix, hash, is_admin, role, mode, logs_reads,
                      mcp_write, created_at)
VALUES (:uuid, :project_id, :name, :prefix, :hash, :is_admin, :role, :mode, :logs_reads,
        :mcp_write, :now);

-- name: key_by_hash
SELECT k.*, p.uuid AS project_uuid, p.name AS project_name,
       EXISTS (SELECT 1 FROM key_policy_sets a WHERE a.key_id = k.id) AS has_policies
FROM api_keys k JOIN projects p ON p.id = k.project_id
WHERE k.hash = :hash;

-- name: key_by_uuid
SELECT k.*, p.uuid AS project_uuid, p.name AS project_name
FROM api_keys k JOIN projects p ON p.id = k.project_id
WHERE k.uuid = :uuid;

-- name: keys_all
SELECT k.*, p.uuid AS project_uuid, p.name AS project_name
FROM api_keys k JOIN projects p ON p.id = k.project_id
ORDER BY k.id;

-- name: keys_of_project
SELECT k.*, p.uuid AS project_uuid, p.name AS project_name
FROM api_keys k JOIN projects p ON p.id = k.project_id
WHERE k.project_id = :project_id ORDER BY k.id;

-- name: key_change
UPDATE api_keys
SET role = :role, mode = :mode, logs_reads = :logs_reads, mcp_write = :mcp_write
WHERE uuid = :uuid;

-- name: key_revoke
UPDATE api_keys SET revoked_at = :now WHERE uuid = :uuid AND revoked_at IS NULL;

-- name: key_named
SELECT id FROM api_keys
WHERE project_id = :project_id AND name = :name AND revoked_at IS NULL ORDER BY id LIMIT 1;

-- name: key_set_secret
-- The key stays the one it is, with its role and its policies; only what opens it changes.
UPDATE api_keys SET hash = :hash, prefix = :prefix WHERE id = :id;

-- name: key_replace_named
-- A key given in the environment replaces the one given before. One that was revoked stays, so
-- that it is known as such.
DELETE FROM api_keys
WHERE project_id = :project_id AND name = :name AND hash <> :hash AND revoked_at IS NULL;
