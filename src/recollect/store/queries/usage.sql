-- What keys and projects used of their days.

-- name: of_day
SELECT episodes, bytes FROM usage
WHERE project_id = :project_id AND key_uuid = :key_uuid AND day = :day;

-- name: add
INSERT INTO usage (project_id, key_uuid, day, episodes, bytes)
VALUES (:project_id, :key_uuid, :day, :episodes, :bytes)
ON CONFLICT (project_id, key_uuid, day)
DO UPDATE SET episodes = usage.episodes + excluded.episodes, bytes = usage.bytes + excluded.bytes
RETURNING episodes, bytes;

-- name: expire
DELETE FROM usage WHERE day < :before;
