-- The queue of graphs with pending jobs, its leases, and the shares of projects.

-- name: enter
INSERT INTO queue (graph_id, project_id, place)
SELECT id, project_id, (SELECT coalesce(max(place), 0) + 1 FROM queue) FROM graphs
WHERE id = :graph_id
ON CONFLICT (graph_id) DO NOTHING;

-- name: let_go
UPDATE queue SET lease = NULL, lease_until = 0 WHERE graph_id = :graph_id AND lease = :lease;

-- name: oldest_free
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

-- name: held
SELECT count(*) AS graphs, coalesce(max(alone), 0) AS alone FROM queue
WHERE lease IS NOT NULL AND lease_until > :now AND lease_until <= :lease_end;

-- name: take
UPDATE queue SET lease = :lease, lease_until = :until, alone = :alone WHERE graph_id = :graph_id;

-- name: hold_on
UPDATE queue SET lease_until = :until WHERE graph_id = :graph_id AND lease = :lease;

-- name: hold_on_all
UPDATE queue SET lease_until = :until
WHERE lease IS NOT NULL AND lease IN (SELECT value FROM json_each(:leases));

-- name: wait
UPDATE queue SET wait_until = :until WHERE graph_id = :graph_id;

-- name: due_now
UPDATE queue SET wait_until = 0 WHERE graph_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:graphs));

-- name: lease
SELECT lease, lease_until, pauses FROM queue WHERE graph_id = :graph_id;

-- name: give_back
UPDATE queue SET lease = NULL, lease_until = 0, alone = 0, wait_until = :wait_until,
    pauses = :pauses, reason = :reason, place = (SELECT max(place) + 1 FROM queue)
WHERE graph_id = :graph_id;

-- name: free_owned
UPDATE queue SET lease = NULL, lease_until = 0, alone = 0
WHERE substr(lease, 1, length(:owner)) = :owner;

-- name: free_all
UPDATE queue SET lease = NULL, lease_until = 0, alone = 0;

-- name: leave
DELETE FROM queue
WHERE graph_id = :graph_id
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE graph_id = :graph_id AND status = 'pending');

-- name: state
SELECT (SELECT count(*) FROM jobs WHERE status = 'pending') AS pending,
    (SELECT count(*) FROM jobs WHERE status = 'parked') AS parked,
    (SELECT min(id) FROM jobs WHERE status = 'pending') AS oldest_id,
    (SELECT min(created_at) FROM jobs WHERE status = 'pending') AS oldest,
    count(*) AS graphs,
    count(*) FILTER (WHERE lease_until BETWEEN :now + 1 AND :lease_end) AS held,
    count(*) FILTER (WHERE wait_until NOT BETWEEN :now + 1 AND :wait_end
        AND lease_until NOT BETWEEN :now + 1 AND :lease_end) AS due
FROM queue;

-- name: reasons
SELECT reason, count(*) AS graphs FROM queue WHERE reason IS NOT NULL
GROUP BY reason ORDER BY graphs DESC, reason LIMIT :limit;
