-- Jobs, the queue and tasks.

-- name: job_insert
INSERT INTO jobs (id, graph_id, task_uuid, status, created_at)
VALUES (:episode_id, :graph_id, :task_uuid, 'pending', :now);

-- name: queue_enter
INSERT INTO queue (graph_id, project_id, place)
SELECT id, project_id, (SELECT coalesce(max(place), 0) + 1 FROM queue) FROM graphs
WHERE id = :graph_id
ON CONFLICT (graph_id) DO NOTHING;

-- name: queue_let_go
UPDATE queue SET lease = NULL, lease_until = 0 WHERE graph_id = :graph_id AND lease = :lease;

-- name: queue_oldest_free
-- The first free graph of the project that used least. Projects are found by hopping from one to the
-- next, not by reading all that waits. A moment too far ahead for any pause or lease was written
-- before the clock was set back, and holds nobody.
WITH RECURSIVE waiting (project_id) AS (
    SELECT min(project_id) FROM queue
    UNION ALL
    SELECT (SELECT min(q.project_id) FROM queue q WHERE q.project_id > w.project_id)
    FROM waiting w WHERE w.project_id IS NOT NULL
)
SELECT q.graph_id, q.project_id, coalesce(s.weight, 1) AS weight,
    max(coalesce(s.used, 0), coalesce((SELECT max(begun) FROM shares), 0)) AS turn
FROM waiting w
JOIN queue q ON q.graph_id = (
    SELECT f.graph_id FROM queue f
    WHERE f.project_id = w.project_id AND f.wait_until NOT BETWEEN :now + 1 AND :wait_end
      AND f.lease_until NOT BETWEEN :now + 1 AND :lease_end
    ORDER BY f.place LIMIT 1)
LEFT JOIN shares s ON s.project_id = q.project_id
ORDER BY turn, q.place LIMIT 1;

-- name: share_use
INSERT INTO shares (project_id, begun, used) VALUES (:project_id, :begun, :used)
ON CONFLICT (project_id) DO UPDATE SET begun = excluded.begun, used = excluded.used;

-- name: share_weigh
INSERT INTO shares (project_id, weight) VALUES (:project_id, :weight)
ON CONFLICT (project_id) DO UPDATE SET weight = excluded.weight;

-- name: share_weight
SELECT weight FROM shares WHERE project_id = :project_id;

-- name: queue_held
-- How many graphs are held just now, and whether one of them by someone who must be alone.
SELECT count(*) AS graphs, coalesce(max(alone), 0) AS alone FROM queue
WHERE lease IS NOT NULL AND lease_until > :now AND lease_until <= :lease_end;

-- name: queue_take
UPDATE queue SET lease = :lease, lease_until = :until, alone = :alone WHERE graph_id = :graph_id;

-- name: queue_hold_on
UPDATE queue SET lease_until = :until WHERE graph_id = :graph_id;

-- name: queue_lease
SELECT lease, lease_until, pauses FROM queue WHERE graph_id = :graph_id;

-- name: queue_give_back
-- It goes to the end of the queue.
UPDATE queue SET lease = NULL, lease_until = 0, alone = 0, wait_until = :wait_until,
    pauses = :pauses, reason = :reason, place = (SELECT max(place) + 1 FROM queue)
WHERE graph_id = :graph_id;

-- name: queue_free_owned
UPDATE queue SET lease = NULL, lease_until = 0, alone = 0
WHERE substr(lease, 1, length(:owner)) = :owner;

-- name: queue_free_all
UPDATE queue SET lease = NULL, lease_until = 0, alone = 0;

-- name: queue_leave
DELETE FROM queue
WHERE graph_id = :graph_id
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE graph_id = :graph_id AND status = 'pending');

-- name: jobs_next
SELECT j.id AS job_id, j.run, j.attempts + j.lost AS attempts, e.*, t.thread_id AS thread_name
FROM jobs j JOIN episodes e ON e.id = j.id LEFT JOIN threads t ON t.id = e.thread_id
WHERE j.graph_id = :graph_id AND j.status = 'pending'
ORDER BY j.id LIMIT :limit;

-- name: jobs_pending_among
SELECT id FROM jobs WHERE id IN (SELECT value FROM json_each(:ids)) AND status = 'pending';

-- name: jobs_started
UPDATE jobs SET started_at = coalesce(started_at, :now), run = :run
WHERE id IN (SELECT value FROM json_each(:ids));

-- name: jobs_given_back
-- Whoever gives them back lives: nothing was lost.
UPDATE jobs SET run = NULL
WHERE id IN (SELECT value FROM json_each(:ids)) AND status = 'pending' AND run IS NOT NULL;

-- name: job_lost
UPDATE jobs SET lost = lost + 1 WHERE id = :id AND status = 'pending'
RETURNING attempts + lost AS attempts;

-- name: job_suspected
-- It has to be alone when it is tried next.
UPDATE jobs SET run = 'single' WHERE id = :id AND status = 'pending';

-- name: jobs_succeeded
-- Answers which of them still existed.
UPDATE jobs SET status = 'succeeded', error = NULL, completed_at = :now
WHERE id IN (SELECT value FROM json_each(:ids)) AND status = 'pending'
RETURNING id;

-- name: job_failed
UPDATE jobs SET attempts = attempts + 1, error = :error WHERE id = :id AND status = 'pending'
RETURNING attempts + lost AS attempts;

-- name: job_park
UPDATE jobs SET status = 'parked', run = NULL, error = :error, completed_at = :now
WHERE id = :id AND status = 'pending';

-- name: episode_failed
-- It may have been read once and owed again; now it is among those that could not be read.
UPDATE episodes SET processed_at = NULL, failure = :error WHERE id = :id;

-- name: episode_awaited
UPDATE episodes SET failure = NULL WHERE id = :id;

-- name: job_retry
-- As if it had never been tried. Jobs run in the order of their ids, so it runs before those of its
-- graph that came later and still wait.
UPDATE jobs SET status = 'pending', attempts = 0, lost = 0, completed_at = NULL
WHERE id = :id AND status = 'parked';

-- name: jobs_parked
SELECT j.attempts + j.lost AS attempts, j.error, j.created_at, j.completed_at, j.task_uuid,
    e.uuid AS episode_uuid, e.metadata, g.uuid AS graph_uuid, g.kind AS graph_kind,
    g.graph_id AS graph_name, p.name AS project_name
FROM jobs j INDEXED BY jobs_parked
JOIN episodes e ON e.id = j.id JOIN graphs g ON g.id = j.graph_id
JOIN projects p ON p.id = g.project_id
WHERE j.status = 'parked' AND (:project_id IS NULL OR g.project_id = :project_id)
ORDER BY j.id LIMIT :limit;

-- name: jobs_waiting
SELECT j.id, j.created_at, e.metadata, g.kind AS graph_kind, g.graph_id AS graph_name
FROM queue q JOIN graphs g ON g.id = q.graph_id
JOIN jobs j INDEXED BY jobs_pending ON j.graph_id = g.id AND j.status = 'pending'
JOIN episodes e ON e.id = j.id
WHERE g.project_id = :project_id ORDER BY j.id LIMIT :limit;

-- name: job_parked_of_episode
SELECT j.id, j.graph_id
FROM episodes e JOIN jobs j ON j.id = e.id JOIN graphs g ON g.id = e.graph_id
WHERE e.uuid = :episode_uuid AND j.status = 'parked' AND g.project_id = :project_id;

-- name: queue_state
-- due: graphs that could be worked on at this moment; held: graphs that are.
SELECT (SELECT count(*) FROM jobs WHERE status = 'pending') AS pending,
    (SELECT count(*) FROM jobs WHERE status = 'parked') AS parked,
    (SELECT min(id) FROM jobs WHERE status = 'pending') AS oldest_id,
    (SELECT min(created_at) FROM jobs WHERE status = 'pending') AS oldest,
    count(*) AS graphs,
    coalesce(sum(lease_until BETWEEN :now + 1 AND :lease_end), 0) AS held,
    coalesce(sum(wait_until NOT BETWEEN :now + 1 AND :wait_end
        AND lease_until NOT BETWEEN :now + 1 AND :lease_end), 0) AS due
FROM queue;

-- name: queue_reasons
-- What keeps graphs from being worked on, and how many.
SELECT reason, count(*) AS graphs FROM queue WHERE reason IS NOT NULL
GROUP BY reason ORDER BY graphs DESC, reason LIMIT :limit;

-- name: task_by_uuid
SELECT count(*) AS jobs, sum(j.status = 'succeeded') AS succeeded,
    sum(j.status = 'parked') AS parked, min(j.created_at) AS created_at,
    min(j.started_at) AS started_at, max(j.completed_at) AS completed_at,
    max(j.error) AS error
FROM jobs j JOIN graphs g ON g.id = j.graph_id
WHERE j.task_uuid = :uuid AND g.project_id = :project_id;
