-- What a project tells the memory. Lists are in the order things were first said.

-- name: guidance_put
-- A name that is known keeps its row, so its uuid and its place in the list stay.
INSERT INTO guidance
    (uuid, project_id, kind, scope, graph_id, name, value, created_at, updated_at)
VALUES
    (:uuid, :project_id, :kind, :scope, :graph_id, :name, :value, :now, :now)
ON CONFLICT (project_id, kind, scope, name)
    DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at;

-- name: guidance_at
SELECT * FROM guidance
WHERE project_id = :project_id AND kind = :kind AND scope = :scope
ORDER BY id;

-- name: guidance_named
SELECT * FROM guidance
WHERE project_id = :project_id AND kind = :kind AND scope = :scope AND name = :name;

-- name: guidance_delete
-- Without names everything at the scope goes.
DELETE FROM guidance
WHERE project_id = :project_id AND kind = :kind AND scope = :scope
  AND (:names IS NULL OR name IN (SELECT value FROM json_each(:names)));

-- name: guidance_by_uuid
SELECT * FROM guidance WHERE project_id = :project_id AND kind = :kind AND uuid = :uuid;

-- name: guidance_rename
UPDATE guidance SET name = :name WHERE project_id = :project_id AND uuid = :uuid;
