-- Policy sets, their versions, and what they are attached to.

-- name: set_insert
INSERT INTO policy_sets (uuid, project_id, name, version, mode, spec, created_at, updated_at)
VALUES (:uuid, :project_id, :name, 1, :mode, :spec, :now, :now);

-- name: set_update
UPDATE policy_sets SET version = version + 1, mode = :mode, spec = :spec, updated_at = :now
WHERE id = :id;

-- name: set_version_insert
INSERT INTO policy_set_versions (policy_set_id, version, mode, spec, created_at)
SELECT id, version, mode, spec, updated_at FROM policy_sets WHERE id = :id;

-- name: set_by_name
SELECT s.*, (SELECT count(*) FROM key_policy_sets a WHERE a.policy_set_id = s.id) AS keys,
       (SELECT count(*) FROM user_group_policy_sets a WHERE a.policy_set_id = s.id)
       + s.for_all_users AS user_groups
FROM policy_sets s WHERE s.project_id = :project_id AND s.name = :name;

-- name: set_by_uuid
SELECT s.*, (SELECT count(*) FROM key_policy_sets a WHERE a.policy_set_id = s.id) AS keys,
       (SELECT count(*) FROM user_group_policy_sets a WHERE a.policy_set_id = s.id)
       + s.for_all_users AS user_groups
FROM policy_sets s WHERE s.uuid = :uuid AND s.project_id = :project_id;

-- name: sets_of_project
SELECT s.*, (SELECT count(*) FROM key_policy_sets a WHERE a.policy_set_id = s.id) AS keys,
       (SELECT count(*) FROM user_group_policy_sets a WHERE a.policy_set_id = s.id)
       + s.for_all_users AS user_groups
FROM policy_sets s WHERE s.project_id = :project_id ORDER BY s.name LIMIT :limit;

-- name: sets_count
SELECT count(*) AS n FROM policy_sets WHERE project_id = :project_id;

-- name: set_versions
SELECT version, mode, spec, created_at FROM policy_set_versions
WHERE policy_set_id = :id ORDER BY version DESC LIMIT :limit;

-- name: specs
SELECT spec FROM policy_sets WHERE project_id = :project_id ORDER BY id;

-- name: total_bytes
SELECT coalesce(sum(length(spec)), 0) AS n FROM policy_sets WHERE project_id = :project_id;

-- name: set_delete
DELETE FROM policy_sets WHERE id = :id;

-- name: sets_of_key
SELECT s.*, 0 AS keys, 0 AS user_groups
FROM key_policy_sets a JOIN policy_sets s ON s.id = a.policy_set_id
WHERE a.key_id = :key_id ORDER BY s.id;

-- name: set_names_of_keys
SELECT k.uuid AS key_uuid, s.name
FROM api_keys k JOIN key_policy_sets a ON a.key_id = k.id
JOIN policy_sets s ON s.id = a.policy_set_id
WHERE k.project_id = :project_id ORDER BY s.id;

-- name: set_attach
INSERT INTO key_policy_sets (key_id, policy_set_id) VALUES (:key_id, :policy_set_id)
ON CONFLICT DO NOTHING;

-- name: set_detach
DELETE FROM key_policy_sets WHERE key_id = :key_id AND policy_set_id = :policy_set_id;

-- name: sets_of_group
SELECT s.*, 0 AS keys, 0 AS user_groups
FROM user_group_policy_sets a JOIN policy_sets s ON s.id = a.policy_set_id
WHERE a.group_id = :group_id ORDER BY s.id;

-- name: sets_of_all_users
SELECT s.*, 0 AS keys, 0 AS user_groups
FROM policy_sets s WHERE s.project_id = :project_id AND s.for_all_users = 1 ORDER BY s.id;

-- name: set_detach_from_group
DELETE FROM user_group_policy_sets
WHERE group_id = :group_id AND policy_set_id = :policy_set_id;

-- name: set_not_for_all_users
UPDATE policy_sets SET for_all_users = 0 WHERE id = :id AND for_all_users = 1;
