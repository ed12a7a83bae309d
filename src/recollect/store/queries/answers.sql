-- Answers kept under idempotency keys.

-- name: find
SELECT request, answer FROM kept_answers
WHERE project_id = :project_id AND key_uuid = :key_uuid AND idempotency_key = :idempotency_key
  AND created_at > :since;

-- name: insert
INSERT INTO kept_answers
    (project_id, key_uuid, idempotency_key, request, graph_id, answer, created_at)
VALUES (:project_id, :key_uuid, :idempotency_key, :request, :graph_id, :answer, :now);

-- name: expire
DELETE FROM kept_answers WHERE id IN
    (SELECT id FROM kept_answers WHERE created_at <= :since ORDER BY created_at LIMIT 1000);

-- name: unsay
UPDATE kept_answers SET answer = NULL WHERE graph_id = :graph_id AND answer IS NOT NULL;
