-- Threads of messages.

-- name: names_of_graph
SELECT thread_id FROM threads WHERE graph_id = :id ORDER BY thread_id;

-- name: of_facts
SELECT p.fact_id, e.thread_id, e.uuid AS episode, e.metadata
FROM supports p JOIN episodes e ON e.id = p.episode_id
WHERE p.fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts)) AND p.role <> 'closes'
  AND e.thread_id IS NOT NULL
ORDER BY p.fact_id, e.seq DESC;

-- name: insert
INSERT INTO threads
    (uuid, project_id, thread_id, user_id, graph_id, metadata, rating, created_at, updated_at)
VALUES
    (:uuid, :project_id, :thread_id, :user_id, :graph_id, :metadata, :rating, :now, :now);

-- name: by_name
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.project_id = :project_id AND t.thread_id = :thread_id;

-- name: place
SELECT id, graph_id FROM threads WHERE project_id = :project_id AND thread_id = :thread_id;

-- name: update
UPDATE threads
SET metadata = :metadata, rating = :rating, ended_at = :ended_at, updated_at = :now
WHERE id = :id;

-- name: delete
DELETE FROM threads WHERE id = :id;

-- name: page
-- order: created_at=t.created_at, updated_at=t.updated_at, thread_id=t.thread_id, user_id=u.user_id, id=t.id
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.project_id = :project_id
  AND (:search = '' OR instr(lower(t.thread_id || ' ' || u.user_id), lower(:search)) > 0)
ORDER BY {key} {dir}, t.id {dir} LIMIT :limit OFFSET :offset;

-- name: page_said
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

-- name: count
SELECT count(*) AS n FROM threads t JOIN users u ON u.id = t.user_id
WHERE t.project_id = :project_id
  AND (:search = '' OR instr(lower(t.thread_id || ' ' || u.user_id), lower(:search)) > 0);

-- name: of_user
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.user_id = :id
ORDER BY t.created_at DESC, t.id DESC LIMIT :limit;

-- name: by_uuid
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.project_id = :project_id AND t.uuid = :uuid;

-- name: uuids
SELECT thread_id, uuid FROM threads
WHERE project_id = :project_id AND thread_id IN (SELECT value FROM json_each(:thread_ids));

-- name: page_after
-- order: created_at=t.created_at, updated_at=t.updated_at, uuid=t.uuid
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at,
    {key} AS page_key
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.project_id = :project_id
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, t.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, t.uuid {dir} LIMIT :limit;

-- name: page_said_after
-- order: updated_at=said_at
SELECT * FROM (
    SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
        g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at,
        max(t.updated_at, coalesce(
            (SELECT e.created_at FROM episodes e
             WHERE e.thread_id = t.id AND e.kind NOT IN ('fact_triple', 'nodes')
             ORDER BY e.seq DESC LIMIT 1), 0)) AS said_at
    FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
    WHERE t.project_id = :project_id)
WHERE CAST(:after_uuid AS TEXT) IS NULL OR ({key}, uuid) {cmp} (:after_key, :after_uuid)
ORDER BY {key} {dir}, uuid {dir} LIMIT :limit;

-- name: page_of_user
-- order: created_at=t.created_at, updated_at=t.updated_at, uuid=t.uuid
SELECT t.id, t.uuid, t.thread_id, u.user_id, u.uuid AS user_uuid, t.graph_id,
    g.uuid AS graph_uuid, t.metadata, t.rating, t.created_at, t.updated_at, t.ended_at,
    {key} AS page_key
FROM threads t JOIN users u ON u.id = t.user_id JOIN graphs g ON g.id = t.graph_id
WHERE t.user_id = :user_id
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, t.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, t.uuid {dir} LIMIT :limit;
