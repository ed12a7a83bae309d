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
-- order: created_at=t.created_at, updated_at=t.updated_at, thread_id=t.thread_id, user_id=u.user_id, id=t.id
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.project_id = :project_id
ORDER BY {key} {dir}, t.id {dir} LIMIT :limit OFFSET :offset;

-- name: threads_count
SELECT count(*) AS n FROM threads WHERE project_id = :project_id;

-- name: threads_of_user
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.user_id = :id
ORDER BY t.created_at DESC, t.id DESC LIMIT :limit;
