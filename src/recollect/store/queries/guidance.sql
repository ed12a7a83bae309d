-- Ontologies, instructions and templates.

-- name: put
INSERT INTO guidance
    (uuid, project_id, kind, scope, graph_id, name, value, created_at, updated_at)
VALUES
    (:uuid, :project_id, :kind, :scope, :graph_id, :name, :value, :now, :now)
ON CONFLICT (project_id, kind, scope, name)
    DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at;

-- name: at
SELECT * FROM guidance
WHERE project_id = :project_id AND kind = :kind AND scope = :scope
ORDER BY id;

-- name: named
SELECT * FROM guidance
WHERE project_id = :project_id AND kind = :kind AND scope = :scope AND name = :name;

-- name: delete
DELETE FROM guidance
WHERE project_id = :project_id AND kind = :kind AND scope = :scope
  AND (CAST(:names AS TEXT) IS NULL OR name IN (SELECT value FROM json_each(:names)));

-- name: by_uuid
SELECT * FROM guidance WHERE project_id = :project_id AND kind = :kind AND uuid = :uuid;

-- name: rename
UPDATE guidance SET name = :name WHERE project_id = :project_id AND uuid = :uuid;
