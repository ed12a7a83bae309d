-- Tasks, as clients follow them.

-- name: progress
SELECT count(*) AS jobs, count(*) FILTER (WHERE j.status = 'succeeded') AS succeeded,
    count(*) FILTER (WHERE j.status = 'parked') AS parked, min(j.created_at) AS created_at,
    min(j.started_at) AS started_at, max(j.completed_at) AS completed_at,
    max(j.error) AS error
FROM jobs j JOIN graphs g ON g.id = j.graph_id
WHERE j.task_uuid = :uuid AND g.project_id = :project_id;

-- name: insert
INSERT INTO tasks (uuid, project_id, graph_id, type, owed, created_at)
VALUES (:uuid, :project_id, :graph_id, :type, :owed, :now);

-- name: insert_of_graph
INSERT INTO tasks (uuid, project_id, graph_id, type, owed, created_at)
SELECT :uuid, project_id, id, :type, :owed, :now FROM graphs WHERE id = :graph_id;

-- name: by_uuid_told
SELECT t.id, t.uuid, t.type, t.owed, t.created_at, e.scrubbed,
    count(j.id) AS jobs, count(*) FILTER (WHERE j.status = 'succeeded') AS succeeded,
    count(*) FILTER (WHERE j.status = 'parked') AS parked, min(j.started_at) AS started_at,
    max(j.completed_at) AS completed_at, max(j.error) AS error
FROM tasks t LEFT JOIN jobs j ON j.task_uuid = t.uuid LEFT JOIN erasures e ON e.uuid = t.uuid
WHERE t.uuid = :uuid AND t.project_id = :project_id
GROUP BY t.id, e.scrubbed;

-- name: newest
SELECT t.id, t.uuid, t.type, t.owed, t.created_at, e.scrubbed,
    count(j.id) AS jobs, count(*) FILTER (WHERE j.status = 'succeeded') AS succeeded,
    count(*) FILTER (WHERE j.status = 'parked') AS parked, min(j.started_at) AS started_at,
    max(j.completed_at) AS completed_at, max(j.error) AS error
FROM (
    SELECT * FROM tasks
    WHERE project_id = :project_id AND id < :before AND (CAST(:type AS TEXT) IS NULL OR type = :type)
    ORDER BY id DESC LIMIT :limit
) t LEFT JOIN jobs j ON j.task_uuid = t.uuid LEFT JOIN erasures e ON e.uuid = t.uuid
GROUP BY t.id, t.uuid, t.type, t.owed, t.created_at, e.scrubbed ORDER BY t.id DESC;

-- name: episodes
SELECT e.id, e.uuid, e.metadata, j.status, j.started_at, j.completed_at, j.error
FROM jobs j JOIN episodes e ON e.id = j.id AND e.graph_id = j.graph_id
WHERE j.task_uuid = :uuid ORDER BY j.id LIMIT :limit;
