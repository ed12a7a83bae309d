-- Threads.

-- name: thread_insert
INSERT INTO threads
    (uuid, project_id, thread_id, user_id, graph_id, metadata, rating, created_at, updated_at)
VALUES
    (:uuid, :project_id, :thread_id, :user_id, :graph_id, :metadata, :rating, :now, :now);

-- name: thread_by_name
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.project_id = :project_id AND t.thread_id = :thread_id;

-- name: thread_place
-- All that an append needs to know of a thread.
SELECT id, graph_id FROM threads WHERE project_id = :project_id AND thread_id = :thread_id;

-- name: thread_update
UPDATE threads
SET metadata = :metadata, rating = :rating, ended_at = :ended_at, updated_at = :now
WHERE id = :id;

-- name: thread_delete
DELETE FROM threads WHERE id = :id;

-- name: thread_summary_ids
SELECT id FROM summaries WHERE thread_id = :thread_id;

-- name: threads_page
-- order: created_at=t.created_at, updated_at=t.updated_at, thread_id=t.thread_id, user_id=u.user_id, id=t.id, uuid=t.uuid
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.project_id = :project_id
  AND (:search = '' OR instr(lower(t.thread_id || ' ' || u.user_id), lower(:search)) > 0)
ORDER BY {key} {dir}, t.id {dir} LIMIT :limit OFFSET :offset;

-- name: threads_page_said
-- By when something was last said in them, or when they were last changed.
-- order: updated_at=said_at
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at,
    max(t.updated_at, coalesce(
        (SELECT e.created_at FROM episodes e
         WHERE e.thread_id = t.id AND e.kind NOT IN ('fact_triple', 'nodes')
         ORDER BY e.seq DESC LIMIT 1), 0)) AS said_at
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.project_id = :project_id
  AND (:search = '' OR instr(lower(t.thread_id || ' ' || u.user_id), lower(:search)) > 0)
ORDER BY {key} {dir}, t.id {dir} LIMIT :limit OFFSET :offset;

-- name: threads_count
SELECT count(*) AS n FROM threads t JOIN users u ON u.id = t.user_id
WHERE t.project_id = :project_id
  AND (:search = '' OR instr(lower(t.thread_id || ' ' || u.user_id), lower(:search)) > 0);

-- name: threads_of_user
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.user_id = :id
ORDER BY t.created_at DESC, t.id DESC LIMIT :limit;

-- name: thread_by_uuid
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.project_id = :project_id AND t.uuid = :uuid;

-- name: thread_uuids
SELECT thread_id, uuid FROM threads
WHERE project_id = :project_id AND thread_id IN (SELECT value FROM json_each(:thread_ids));

-- name: threads_page_of_user
-- order: created_at=t.created_at, updated_at=t.updated_at, uuid=t.uuid
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.user_id = :user_id
ORDER BY {key} {dir}, t.id {dir} LIMIT :limit OFFSET :offset;
