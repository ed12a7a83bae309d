-- What readers found in each episode, and what deleted episodes left.

-- name: put
INSERT INTO readings (graph_id, seq, episode_id, reader, found, vectors, read_at, side)
SELECT e.graph_id, e.seq, e.id, :reader, :found, :vectors, :now, side(e.metadata, p.guarded)
FROM episodes e JOIN graphs g ON g.id = e.graph_id JOIN projects p ON p.id = g.project_id
WHERE e.id = :episode_id
ON CONFLICT (graph_id, seq) DO UPDATE
SET episode_id = excluded.episode_id, reader = excluded.reader, found = excluded.found,
    vectors = excluded.vectors, read_at = excluded.read_at, remains = NULL;

-- name: side
SELECT side FROM readings WHERE graph_id = :graph_id AND seq = :seq;

-- name: set_side
UPDATE readings SET side = :side WHERE episode_id = :episode_id;

-- name: part
UPDATE readings SET side = CASE WHEN remains IS NOT NULL THEN side_within(side, :keys)
    ELSE (SELECT side(e.metadata, :keys) FROM episodes e WHERE e.id = readings.episode_id) END
WHERE graph_id IN (SELECT id FROM graphs WHERE project_id = :project_id);

-- name: remainders_of_no_side
DELETE FROM readings
WHERE graph_id IN (SELECT id FROM graphs WHERE project_id = :project_id) AND remains IS NOT NULL
  AND (json_type(remains, '$.metadata') IS NOT 'object'
       OR EXISTS (SELECT 1 FROM json_each(readings.remains, '$.metadata') said
                  WHERE said.key IN (SELECT value FROM json_each(:keys))));

-- name: of_episode
SELECT * FROM readings WHERE episode_id = :episode_id;

-- name: by_reader
SELECT f.extractor AS reader, count(*) AS facts FROM facts f
WHERE f.extractor IS NOT NULL GROUP BY f.extractor ORDER BY f.extractor;

-- name: distance_of_episode
SELECT g.distance FROM episodes e JOIN graphs g ON g.id = e.graph_id WHERE e.id = :id;

-- name: steps_next
SELECT e.*, t.thread_id AS thread_name, r.found, r.vectors, r.read_at, r.remains, r.side, g.distance
FROM readings r JOIN graphs g ON g.id = r.graph_id
LEFT JOIN episodes e ON e.id = r.episode_id AND e.graph_id = r.graph_id LEFT JOIN threads t ON t.id = e.thread_id
WHERE r.graph_id = :graph_id AND r.seq > g.folded
  AND (r.remains IS NOT NULL OR e.processed_at IS NOT NULL)
ORDER BY r.seq LIMIT :limit;

-- name: of_episodes
SELECT e.*, t.thread_id AS thread_name, r.found, r.vectors, r.read_at, r.side
FROM readings r JOIN episodes e ON e.id = r.episode_id AND e.graph_id = r.graph_id
LEFT JOIN threads t ON t.id = e.thread_id
WHERE r.episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes)) ORDER BY r.graph_id, r.seq;

-- name: remainders_of_graph
SELECT * FROM readings WHERE graph_id = :graph_id AND remains IS NOT NULL ORDER BY seq;

-- name: remainder_put
INSERT INTO readings (graph_id, seq, reader, found, vectors, read_at, remains, side)
VALUES (:graph_id, :seq, :reader, :found, :vectors, :now, :remains, :side)
ON CONFLICT (graph_id, seq) DO UPDATE SET found = excluded.found, vectors = excluded.vectors;

-- name: remainder_delete
DELETE FROM readings WHERE graph_id = :graph_id AND seq = :seq AND remains IS NOT NULL;

-- name: steps_unread
SELECT e.*, t.thread_id AS thread_name, NULL AS run, 0 AS attempts,
    coalesce(e.task_uuid, '') AS task_uuid
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
LEFT JOIN readings r ON r.graph_id = e.graph_id AND r.seq = e.seq
WHERE e.graph_id = :graph_id AND e.processed_at IS NOT NULL AND e.ignored = 0 AND r.seq IS NULL
ORDER BY e.seq LIMIT :limit;
