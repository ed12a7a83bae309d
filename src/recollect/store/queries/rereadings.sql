-- Episodes that wait for a second reading.

-- name: want
INSERT INTO rereadings (episode_id, graph_id, reader, status, reason, ready_at, created_at)
SELECT id, graph_id, :reader, 'waiting', :reason, :now, :now FROM episodes WHERE id = :episode_id
ON CONFLICT (episode_id) DO UPDATE
SET reader = excluded.reader, status = 'waiting', reason = excluded.reason, attempts = 0,
    error = NULL, ready_at = excluded.ready_at, lease = NULL, lease_until = 0, shown = NULL;

-- name: wait
SELECT 1 FROM rereadings
WHERE graph_id = :graph_id AND reader = :reader AND status = 'waiting' LIMIT 1;

-- name: next
WITH RECURSIVE owing (graph_id) AS (
    SELECT min(graph_id) FROM rereadings
    UNION ALL
    SELECT (SELECT min(r.graph_id) FROM rereadings r WHERE r.graph_id > o.graph_id)
    FROM owing o WHERE o.graph_id IS NOT NULL
)
SELECT r.episode_id, r.graph_id
FROM owing o
JOIN rereadings r ON r.episode_id = (
    SELECT f.episode_id FROM rereadings f
    WHERE f.graph_id = o.graph_id AND f.reader = :reader AND f.status = 'waiting'
    ORDER BY f.episode_id LIMIT 1)
JOIN graphs g ON g.id = r.graph_id
WHERE r.ready_at NOT BETWEEN :now + 1 AND :wait_end
  AND r.lease_until NOT BETWEEN :now + 1 AND :wait_end
  AND (CAST(:in_graph AS BIGINT) IS NULL OR r.graph_id = :in_graph)
  AND (CAST(:project_id AS BIGINT) IS NULL OR g.project_id = :project_id)
  AND (g.fold_from IS NULL OR :folded = 0)
ORDER BY r.ready_at, r.episode_id LIMIT 1;

-- name: in_order
SELECT r.episode_id, r.graph_id, r.ready_at, r.lease_until, g.fold_from, e.metadata
FROM rereadings r JOIN episodes e ON e.id = r.episode_id AND e.graph_id = r.graph_id
JOIN graphs g ON g.id = r.graph_id
WHERE r.reader = :reader AND r.status = 'waiting' AND g.project_id = :project_id
  AND (CAST(:in_graph AS BIGINT) IS NULL OR r.graph_id = :in_graph)
ORDER BY r.graph_id, r.episode_id;

-- name: following
SELECT episode_id FROM rereadings
WHERE graph_id = :graph_id AND reader = :reader AND status = 'waiting'
  AND lease_until NOT BETWEEN :now + 1 AND :wait_end AND ready_at NOT BETWEEN :now + 1 AND :wait_end
ORDER BY episode_id LIMIT :limit;

-- name: unfolded
SELECT DISTINCT r.graph_id FROM graphs g JOIN rereadings r ON r.graph_id = g.id
WHERE g.fold_from IS NOT NULL AND r.reader = :reader AND r.status = 'waiting'
  AND (CAST(:project_id AS BIGINT) IS NULL OR g.project_id = :project_id)
  AND (CAST(:in_graph AS BIGINT) IS NULL OR g.id = :in_graph);

-- name: take
UPDATE rereadings SET lease = :lease, lease_until = :until, shown = NULL
WHERE episode_id = :episode_id;

-- name: show
UPDATE rereadings SET shown = :shown WHERE episode_id = :episode_id AND lease = :lease;

-- name: taken
SELECT e.*, t.thread_id AS thread_name, r.reader, r.lease, r.lease_until, r.attempts, r.shown
FROM rereadings r JOIN episodes e ON e.id = r.episode_id AND e.graph_id = r.graph_id
LEFT JOIN threads t ON t.id = e.thread_id
WHERE r.episode_id = :episode_id;

-- name: done
DELETE FROM rereadings WHERE episode_id = :episode_id;

-- name: give_back
UPDATE rereadings SET lease = NULL, lease_until = 0, shown = NULL,
    ready_at = :ready_at, error = coalesce(:error, error)
WHERE episode_id = :episode_id;

-- name: failed
UPDATE rereadings SET attempts = attempts + 1, error = :error,
    status = CASE WHEN attempts + 1 >= :attempts_max THEN 'parked' ELSE status END
WHERE episode_id = :episode_id
RETURNING attempts, status;

-- name: free
UPDATE rereadings SET lease = NULL, lease_until = 0, shown = NULL
WHERE substr(lease, 1, length(:owner)) = :owner;

-- name: due_now
UPDATE rereadings SET ready_at = :now
WHERE reader = :reader AND status = 'waiting' AND ready_at > :now AND attempts = 0;

-- name: unshow
UPDATE rereadings SET lease = NULL, lease_until = 0, shown = NULL
WHERE graph_id = :graph_id AND lease IS NOT NULL;

-- name: page
SELECT r.episode_id, r.reader, r.status, r.reason, r.attempts, r.error, r.ready_at, r.lease_until,
    r.created_at, e.uuid AS episode_uuid, e.metadata, g.uuid AS graph_uuid, g.kind AS graph_kind,
    g.graph_id AS graph_name, p.name AS project_name
FROM rereadings r JOIN episodes e ON e.id = r.episode_id AND e.graph_id = r.graph_id
JOIN graphs g ON g.id = r.graph_id
JOIN projects p ON p.id = g.project_id
WHERE (CAST(:project_id AS BIGINT) IS NULL OR g.project_id = :project_id)
  AND (CAST(:status AS TEXT) IS NULL OR r.status = :status) AND r.episode_id > :after
ORDER BY r.episode_id LIMIT :limit;

-- name: retry
UPDATE rereadings SET status = 'waiting', attempts = 0, ready_at = :now,
    lease = CASE WHEN status = 'parked' THEN NULL ELSE lease END,
    lease_until = CASE WHEN status = 'parked' THEN 0 ELSE lease_until END
WHERE episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: counts
SELECT reader, status, count(*) AS n FROM rereadings GROUP BY reader, status
ORDER BY reader, status;

-- name: waiting_for
SELECT count(*) AS n FROM rereadings r JOIN graphs g ON g.id = r.graph_id
WHERE r.reader = :reader AND r.status = 'waiting' AND g.project_id = :project_id
  AND (CAST(:in_graph AS BIGINT) IS NULL OR r.graph_id = :in_graph);

-- name: want_guarded
INSERT INTO rereadings (episode_id, graph_id, reader, status, reason, ready_at, created_at)
SELECT e.id, e.graph_id,
    CASE WHEN r.reader LIKE 'model:%' THEN 'model' WHEN r.reader LIKE 'agent:%' THEN 'agent'
        ELSE 'embedded' END,
    'waiting', :reason, :now, :now
FROM graphs g JOIN episodes e ON e.graph_id = g.id JOIN readings r ON r.episode_id = e.id
WHERE g.project_id = :project_id AND e.kind IN ('message', 'text', 'json') AND r.reader <> 'none'
ON CONFLICT (episode_id) DO NOTHING;

-- name: want_all
INSERT INTO rereadings (episode_id, graph_id, reader, status, reason, ready_at, created_at)
SELECT e.id, e.graph_id, :reader, 'waiting', :reason, :now, :now
FROM readings r JOIN episodes e ON e.id = r.episode_id AND e.graph_id = r.graph_id
WHERE r.graph_id = :graph_id AND e.kind IN ('message', 'text', 'json')
  AND coalesce(e.kept_for, '') <> 'episodic'
  AND NOT EXISTS (SELECT 1 FROM rereadings w WHERE w.graph_id = :graph_id AND w.reason = :reason
                  AND w.status = 'waiting')
ON CONFLICT (episode_id) DO UPDATE
SET reader = excluded.reader, status = 'waiting', reason = excluded.reason, attempts = 0,
    error = NULL, ready_at = excluded.ready_at, lease = NULL, lease_until = 0, shown = NULL;

-- name: left
SELECT count(*) AS waiting FROM rereadings
WHERE status = 'waiting' AND reason = :reason
  AND graph_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:graphs));
