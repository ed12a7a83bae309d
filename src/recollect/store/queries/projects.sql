-- Projects, the tenants.

-- name: guarded
SELECT guarded FROM projects WHERE id = :project_id;

-- name: guards
UPDATE projects SET guarded = :keys WHERE id = :project_id;

-- name: insert
INSERT INTO projects (uuid, name, description, created_at)
VALUES (:uuid, :name, :description, :now);

-- name: by_name
SELECT * FROM projects WHERE name = :name;

-- name: by_id
SELECT * FROM projects WHERE id = :id;

-- name: first
SELECT id FROM projects ORDER BY id LIMIT 1;

-- name: touch
UPDATE projects SET name = name WHERE id = (SELECT min(id) FROM projects);

-- name: all
SELECT * FROM projects ORDER BY id;

-- name: describe
UPDATE projects SET description = :description WHERE id = :id;

-- name: limit
UPDATE projects SET limits = :limits WHERE id = :id;

-- name: set_time_zone
UPDATE projects SET default_time_zone = :time_zone WHERE id = :id;
