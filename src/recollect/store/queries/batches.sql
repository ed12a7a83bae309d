-- Batches of episodes that are handed in together, and their items.

-- name: insert
INSERT INTO batches
    (uuid, project_id, number, status, ignore_roles, strict_ontology, metadata, created_at,
     updated_at)
SELECT :uuid, :project_id, coalesce(max(number), 0) + 1, 'draft', :ignore_roles, :strict_ontology,
    :metadata, :now, :now
FROM batches WHERE project_id = :project_id;

-- name: by_uuid
SELECT * FROM batch_states WHERE uuid = :uuid AND project_id = :project_id;

-- name: page
SELECT * FROM batch_states
WHERE project_id = :project_id
  AND (CAST(:cursor AS BIGINT) IS NULL OR number < :cursor)
  AND (CAST(:status AS TEXT) IS NULL OR state = :status)
ORDER BY number DESC LIMIT :limit;

-- name: progress
SELECT p.pending, p.started,
    (SELECT count(*) FROM jobs WHERE task_uuid = :uuid AND status = 'parked') AS parked,
    (SELECT count(*) FROM batch_items WHERE batch_id = :id AND status = 'queued'
         AND episode_id IS NULL) AS canceled,
    (SELECT max(completed_at) FROM jobs
         WHERE task_uuid = :uuid AND status = 'succeeded') AS succeeded_at,
    (SELECT max(completed_at) FROM jobs
         WHERE task_uuid = :uuid AND status = 'parked') AS parked_at
FROM (SELECT count(*) AS pending, count(started_at) AS started FROM jobs
      WHERE task_uuid = :uuid AND status = 'pending') p;

-- name: grow
UPDATE batches SET item_count = item_count + :count, updated_at = :now WHERE id = :id;

-- name: close
UPDATE batches
SET status = :status, skipped_count = :skipped, failed_count = :failed, processed_at = :now,
    updated_at = :now
WHERE id = :id;

-- name: delete
DELETE FROM batches WHERE id = :id;

-- name: item_insert
INSERT INTO batch_items
    (uuid, batch_id, sequence_index, kind, status, user_id, graph_id, thread_id, content,
     created_at, updated_at)
VALUES
    (:uuid, :batch_id, :sequence_index, :kind, 'pending', :user_id, :graph_id, :thread_id,
     :content, :now, :now);

-- name: items_refuse_lost
UPDATE batch_items
SET status = 'failed', updated_at = :now,
    error = CASE
        WHEN thread_id IS NOT NULL THEN 'thread_id: thread not found: ' || thread_id
        WHEN user_id IS NOT NULL THEN 'user_id: user not found: ' || user_id
        WHEN graph_id IS NOT NULL THEN 'graph_id: graph not found: ' || graph_id
        WHEN kind = 'thread_message' THEN 'thread_id: the thread was deleted'
        ELSE 'user_id or graph_id: what it named was deleted'
    END
WHERE batch_id = :batch_id
  AND NOT EXISTS (SELECT 1 FROM threads t
                  WHERE t.project_id = :project_id AND t.thread_id = batch_items.thread_id)
  AND NOT EXISTS (SELECT 1 FROM graphs g
                  WHERE g.project_id = :project_id AND g.kind = 'user'
                    AND g.graph_id = batch_items.user_id)
  AND NOT EXISTS (SELECT 1 FROM graphs g
                  WHERE g.project_id = :project_id AND g.kind = 'standalone'
                    AND g.graph_id = batch_items.graph_id);

-- name: items_drop_content
UPDATE batch_items SET content = NULL WHERE batch_id = :batch_id;

-- name: items_forget_user
UPDATE batch_items
SET user_id = NULL, thread_id = NULL, content = NULL, updated_at = :now,
    error = CASE WHEN error IS NULL THEN NULL ELSE 'what it named was deleted' END
WHERE (user_id = :user_id
       OR thread_id IN (SELECT t.thread_id FROM threads t JOIN users u ON u.id = t.user_id
                        WHERE u.project_id = :project_id AND u.user_id = :user_id))
  AND EXISTS (SELECT 1 FROM batches b
              WHERE b.id = batch_items.batch_id AND b.project_id = :project_id);

-- name: items_forget_thread
UPDATE batch_items
SET thread_id = NULL, content = NULL, updated_at = :now,
    error = CASE WHEN error IS NULL THEN NULL ELSE 'what it named was deleted' END
WHERE thread_id = :thread_id
  AND EXISTS (SELECT 1 FROM batches b
              WHERE b.id = batch_items.batch_id AND b.project_id = :project_id);

-- name: items_forget_graph
UPDATE batch_items
SET graph_id = NULL, content = NULL, updated_at = :now,
    error = CASE WHEN error IS NULL THEN NULL ELSE 'what it named was deleted' END
WHERE graph_id = :graph_id
  AND EXISTS (SELECT 1 FROM batches b
              WHERE b.id = batch_items.batch_id AND b.project_id = :project_id);

-- name: items_next
SELECT i.uuid, i.content, t.id AS thread_key,
    coalesce(t.graph_id, g.id) AS graph_key
FROM batch_items i
LEFT JOIN threads t ON t.project_id = :project_id AND t.thread_id = i.thread_id
LEFT JOIN graphs g ON g.project_id = :project_id
    AND g.kind = CASE WHEN i.user_id IS NULL THEN 'standalone' ELSE 'user' END
    AND g.graph_id = coalesce(i.user_id, i.graph_id)
WHERE i.batch_id = :batch_id
  AND i.sequence_index >= :first AND i.sequence_index < :first + :limit
ORDER BY i.sequence_index;

-- name: items_hand_in
UPDATE batch_items
SET episode_id = e.id, status = CASE WHEN e.ignored = 1 THEN 'skipped' ELSE 'queued' END,
    updated_at = :now, user_id = NULL, graph_id = NULL, thread_id = NULL, content = NULL
FROM episodes e
WHERE e.uuid = batch_items.uuid AND batch_items.batch_id = :batch_id
  AND batch_items.sequence_index >= :first AND batch_items.sequence_index < :first + :limit;

-- name: items_skipped
SELECT count(*) AS n FROM batch_items WHERE batch_id = :batch_id AND status = 'skipped';

-- name: items_page
SELECT * FROM (
    SELECT i.uuid, i.sequence_index, i.kind, i.created_at,
        coalesce(j.completed_at, j.started_at, i.updated_at) AS updated_at,
        coalesce(i.user_id, u.user_id) AS user_name, u.uuid AS user_uuid,
        coalesce(i.graph_id, CASE WHEN g.kind = 'standalone' THEN g.graph_id END) AS graph_name,
        g.uuid AS graph_uuid, coalesce(i.thread_id, t.thread_id) AS thread_name,
        coalesce(e.document_id, json_extract(i.content, '$.document_id')) AS document_id,
        i.error, j.error AS job_error,
        coalesce(e.metadata, json_extract(i.content, '$.metadata')) AS metadata,
        CASE
            WHEN i.status <> 'queued' THEN i.status
            WHEN e.id IS NULL THEN 'canceled'
            WHEN j.status = 'parked' THEN 'failed'
            WHEN j.status = 'succeeded' THEN 'succeeded'
            WHEN j.started_at IS NOT NULL THEN 'processing'
            ELSE 'queued'
        END AS state
    FROM batch_items i
    LEFT JOIN episodes e ON e.id = i.episode_id
    LEFT JOIN jobs j ON j.id = e.id AND j.graph_id = e.graph_id
    LEFT JOIN graphs g ON g.id = e.graph_id
    LEFT JOIN users u ON u.graph_id = g.id
    LEFT JOIN threads t ON t.id = e.thread_id
    WHERE i.batch_id = :batch_id AND i.sequence_index >= :cursor
)
WHERE CAST(:status AS TEXT) IS NULL OR state = :status
ORDER BY sequence_index LIMIT :limit;
