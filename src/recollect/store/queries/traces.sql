-- Traces of agents: session logs with a status and an outcome.

-- name: insert
INSERT INTO traces
    (log_id, graph_id, trace_id, objective, task_family, parent, family, learn_from, task_uuid)
VALUES
    (:log_id, :graph_id, :trace_id, :objective, :task_family, :parent, :family, :learn_from,
     :task_uuid);

-- name: by_uuid
SELECT l.id, l.uuid, l.session_id, l.metadata, l.created_at, l.updated_at, t.graph_id, t.trace_id,
    t.objective, t.task_family, t.parent, t.family, t.learn_from, t.status, t.outcome,
    t.verification, t.closing_sequence, t.ended_at, t.task_uuid, t.revision,
    (SELECT coalesce(max(e.sequence), 0) FROM trace_events e WHERE e.log_id = l.id) AS last_sequence
FROM session_logs l JOIN traces t ON t.log_id = l.id
WHERE l.uuid = :uuid AND t.graph_id = :graph_id;

-- name: by_name
SELECT l.uuid FROM traces t JOIN session_logs l ON l.id = t.log_id
WHERE t.graph_id = :graph_id AND t.trace_id = :trace_id;

-- name: page
-- order: created_at=l.created_at, updated_at=l.updated_at
SELECT l.id, l.uuid, l.session_id, l.metadata, l.created_at, l.updated_at, t.graph_id, t.trace_id,
    t.objective, t.task_family, t.parent, t.family, t.learn_from, t.status, t.outcome,
    t.verification, t.closing_sequence, t.ended_at, t.task_uuid, t.revision,
    (SELECT coalesce(max(e.sequence), 0) FROM trace_events e WHERE e.log_id = l.id) AS last_sequence,
    {key} AS page_key
FROM traces t JOIN session_logs l ON l.id = t.log_id
WHERE t.graph_id = :graph_id
  AND (CAST(:status AS TEXT) IS NULL OR t.status = :status)
  AND (CAST(:outcome AS TEXT) IS NULL OR t.outcome = :outcome)
  AND (CAST(:verification AS TEXT) IS NULL OR t.verification = :verification)
  AND (CAST(:task_family AS TEXT) IS NULL OR t.task_family = :task_family)
  AND (CAST(:parent AS TEXT) IS NULL OR t.parent = :parent)
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, l.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, l.uuid {dir} LIMIT :limit;

-- name: change
UPDATE traces
SET task_family = :task_family, status = :status, outcome = :outcome, verification = :verification,
    closing_sequence = :closing_sequence, ended_at = :ended_at, revision = revision + 1
WHERE log_id = :log_id;

-- name: touched
UPDATE session_logs SET updated_at = :now WHERE id = :id;

-- name: task_put
INSERT INTO tasks (uuid, project_id, graph_id, type, owed, created_at)
SELECT :uuid, g.project_id, g.id, :type, (SELECT count(*) FROM jobs WHERE task_uuid = :uuid), :now
FROM graphs g WHERE g.id = :graph_id
ON CONFLICT (uuid) DO UPDATE SET owed = max(tasks.owed, excluded.owed);

-- name: session_log_is_trace
SELECT 1 AS there FROM traces WHERE log_id = :id;

-- name: metadata
SELECT l.metadata FROM traces t JOIN session_logs l ON l.id = t.log_id WHERE t.log_id = :log_id;

-- name: of_graph
SELECT l.id, l.session_id,
    (SELECT count(*) FROM session_log_episodes e WHERE e.log_id = l.id) AS episodes
FROM traces t JOIN session_logs l ON l.id = t.log_id WHERE t.graph_id = :graph_id
ORDER BY l.id;

-- name: event_insert
INSERT INTO trace_events (log_id, number, uuid, event_id, sequence)
VALUES (:log_id, :number, :uuid, :event_id, :sequence);

-- name: event_told
SELECT v.uuid, v.event_id, v.sequence, v.number, p.id, p.type, p.meta, p.payload,
    (SELECT count(*) FROM session_log_fed f JOIN jobs j ON j.id = f.episode_id
     WHERE f.log_episode_id = p.id AND j.status NOT IN ('succeeded', 'parked')) AS waiting,
    (SELECT count(*) FROM session_log_fed f JOIN jobs j ON j.id = f.episode_id
     WHERE f.log_episode_id = p.id AND j.status = 'parked') AS parked,
    (SELECT max(j.completed_at) FROM session_log_fed f JOIN jobs j ON j.id = f.episode_id
     WHERE f.log_episode_id = p.id) AS completed_at
FROM trace_events v JOIN session_log_episodes p ON p.log_id = v.log_id AND p.number = v.number
WHERE v.log_id = :log_id
  AND (v.uuid = :uuid OR v.event_id = :event_id OR v.sequence = :sequence)
ORDER BY v.sequence LIMIT 1;

-- name: events_page
SELECT v.uuid, v.event_id, v.sequence, v.number, p.id, p.type, p.meta, p.payload,
    (SELECT count(*) FROM session_log_fed f JOIN jobs j ON j.id = f.episode_id
     WHERE f.log_episode_id = p.id AND j.status NOT IN ('succeeded', 'parked')) AS waiting,
    (SELECT count(*) FROM session_log_fed f JOIN jobs j ON j.id = f.episode_id
     WHERE f.log_episode_id = p.id AND j.status = 'parked') AS parked,
    (SELECT max(j.completed_at) FROM session_log_fed f JOIN jobs j ON j.id = f.episode_id
     WHERE f.log_episode_id = p.id) AS completed_at
FROM trace_events v JOIN session_log_episodes p ON p.log_id = v.log_id AND p.number = v.number
WHERE v.log_id = :log_id AND v.sequence > :after ORDER BY v.sequence LIMIT :limit;

-- name: events_count
SELECT count(*) AS n FROM trace_events WHERE log_id = :log_id AND event_id IS NOT NULL;

-- name: event_erased
SELECT 1 AS there FROM trace_events
WHERE log_id = :log_id AND event_id IS NULL
  AND (erased_id = :erased_id OR sequence = :sequence) LIMIT 1;

-- name: sequences
SELECT sequence FROM trace_events
WHERE log_id = :log_id AND sequence <= :upto ORDER BY sequence;

-- name: fed_insert
INSERT INTO session_log_fed (episode_id, log_episode_id)
SELECT e.id, p.id FROM episodes e JOIN session_log_episodes p ON p.log_id = :log_id
WHERE e.uuid = :uuid AND p.number = :number;

-- name: fed
SELECT f.episode_id AS id FROM session_log_episodes p
JOIN session_log_fed f ON f.log_episode_id = p.id
WHERE p.log_id = :log_id AND (CAST(:number AS BIGINT) IS NULL OR p.number = :number) ORDER BY f.episode_id;

-- name: event_erase
UPDATE trace_events SET event_id = NULL, erased_id = :erased_id
WHERE log_id = :log_id AND number = :number;
