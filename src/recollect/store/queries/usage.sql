-- What keys and projects used of their days.

-- name: of_day
SELECT episodes, bytes FROM usage
WHERE project_id = :project_id AND key_uuid = :key_uuid AND day = :day;

-- name: on_day
SELECT p.name AS project, p.limits, u.key_uuid, k.name AS key_name, u.episodes, u.bytes
FROM usage u JOIN projects p ON p.id = u.project_id LEFT JOIN api_keys k ON k.uuid = u.key_uuid
WHERE u.day = :day ORDER BY p.name, u.key_uuid LIMIT :limit;

-- name: add
INSERT INTO usage (project_id, key_uuid, day, episodes, bytes)
VALUES (:project_id, :key_uuid, :day, :episodes, :bytes)
ON CONFLICT (project_id, key_uuid, day)
DO UPDATE SET episodes = usage.episodes + excluded.episodes, bytes = usage.bytes + excluded.bytes
RETURNING episodes, bytes;

-- name: expire
DELETE FROM usage WHERE day < :before;
