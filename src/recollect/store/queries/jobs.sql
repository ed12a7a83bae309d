-- Jobs: one for each episode that is to be read.

-- name: insert
INSERT INTO jobs (id, graph_id, task_uuid, status, created_at)
SELECT id, graph_id, :task_uuid, 'pending', :now FROM episodes
WHERE graph_id = :graph_id AND seq = :seq;

-- name: next
SELECT e.*, t.thread_id AS thread_name, j.run, j.attempts + j.lost AS attempts, j.task_uuid
FROM jobs j JOIN episodes e ON e.id = j.id AND e.graph_id = j.graph_id LEFT JOIN threads t ON t.id = e.thread_id
WHERE j.graph_id = :graph_id AND j.status = 'pending'
ORDER BY j.id LIMIT :limit;

-- name: pending_among
SELECT id FROM jobs WHERE +graph_id = :graph_id AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
  AND status = 'pending';

-- name: started
UPDATE jobs SET started_at = coalesce(started_at, :now), run = :run
WHERE +graph_id = :graph_id AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: given_back
UPDATE jobs SET run = NULL
WHERE +graph_id = :graph_id AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
  AND status = 'pending' AND run IS NOT NULL;

-- name: lost
UPDATE jobs SET lost = lost + 1, error = :error WHERE id = :id AND +graph_id = :graph_id AND status = 'pending'
RETURNING attempts + lost AS attempts;

-- name: clear
UPDATE jobs SET lost = 0, error = CASE WHEN attempts > 0 THEN error END
WHERE id IN (
    SELECT (SELECT min(j.id) FROM jobs j WHERE j.graph_id = q.graph_id AND j.status = 'pending')
    FROM queue q)
  AND lost > 0 AND run IS NOT 'alone' AND id IS NOT :but
RETURNING graph_id;

-- name: on_trial
SELECT s.id FROM queue q JOIN jobs s ON s.id = (
    SELECT min(j.id) FROM jobs j WHERE j.graph_id = q.graph_id AND j.status = 'pending')
WHERE s.lost > 0 ORDER BY s.lost DESC, s.id LIMIT 1;

-- name: suspected
UPDATE jobs SET run = 'single' WHERE id = :id AND +graph_id = :graph_id AND status = 'pending';

-- name: succeeded
UPDATE jobs SET status = 'succeeded', error = NULL, completed_at = :now
WHERE +graph_id = :graph_id AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND status = 'pending'
RETURNING id;

-- name: failed
UPDATE jobs SET attempts = attempts + 1, error = :error WHERE id = :id AND +graph_id = :graph_id
  AND status = 'pending'
RETURNING attempts + lost AS attempts;

-- name: park
UPDATE jobs SET status = 'parked', run = NULL, error = :error, completed_at = :now
WHERE id = :id AND +graph_id = :graph_id AND status = 'pending';

-- name: retry
UPDATE jobs SET status = 'pending', attempts = 0, lost = 0, completed_at = NULL
WHERE id = :id AND +graph_id = :graph_id AND status = 'parked';

-- name: parked
SELECT j.attempts + j.lost AS attempts, j.error, j.created_at, j.completed_at, j.task_uuid,
    e.uuid AS episode_uuid, e.metadata, g.uuid AS graph_uuid, g.kind AS graph_kind,
    g.graph_id AS graph_name, p.name AS project_name
FROM jobs j INDEXED BY jobs_parked
JOIN episodes e ON e.id = j.id AND e.graph_id = j.graph_id JOIN graphs g ON g.id = j.graph_id
JOIN projects p ON p.id = g.project_id
WHERE j.status = 'parked' AND (CAST(:project_id AS BIGINT) IS NULL OR g.project_id = :project_id)
ORDER BY j.id LIMIT :limit;

-- name: waiting
SELECT j.id, j.created_at, e.metadata, g.kind AS graph_kind, g.graph_id AS graph_name
FROM queue q JOIN graphs g ON g.id = q.graph_id
JOIN jobs j INDEXED BY jobs_pending ON j.graph_id = g.id AND j.status = 'pending'
JOIN episodes e ON e.id = j.id AND e.graph_id = j.graph_id
WHERE g.project_id = :project_id ORDER BY j.id LIMIT :limit;

-- name: parked_of_episode
SELECT j.id, j.graph_id
FROM episodes e JOIN jobs j ON j.id = e.id AND j.graph_id = e.graph_id JOIN graphs g ON g.id = e.graph_id
WHERE e.uuid = :episode_uuid AND j.status = 'parked' AND g.project_id = :project_id;
