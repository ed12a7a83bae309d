-- The audit log.

-- name: head
SELECT number, hash FROM audit_entries
WHERE project_id = :project_id ORDER BY number DESC LIMIT 1;

-- name: follow
INSERT INTO audit_entries (project_id, number, at, actor, action, outcome, status, target, salt,
    target_digest, detail, hash)
SELECT :project_id, :number, :at, :actor, :action, :outcome, :status, :target, :salt,
    :target_digest, :detail, :hash
WHERE coalesce(
    (SELECT hash FROM audit_entries WHERE project_id = :project_id ORDER BY number DESC LIMIT 1),
    CASE WHEN :number = 1 THEN :before END
) = :before;

-- name: add
INSERT INTO audit_entries (project_id, number, at, actor, action, outcome, status, target, salt,
    target_digest, detail, hash)
VALUES (:project_id, :number, :at, :actor, :action, :outcome, :status, :target, :salt,
    :target_digest, :detail, :hash);

-- name: page
SELECT * FROM audit_entries
WHERE project_id = :project_id AND number < :before
    AND (CAST(:action AS TEXT) IS NULL OR action = :action)
    AND (CAST(:outcome AS TEXT) IS NULL OR outcome = :outcome)
    AND (CAST(:actor AS TEXT) IS NULL OR actor = :actor)
    AND (CAST(:since AS BIGINT) IS NULL OR at >= :since)
ORDER BY number DESC LIMIT :limit;

-- name: after
SELECT * FROM audit_entries
WHERE project_id = :project_id AND number > :after
ORDER BY number LIMIT :limit;

-- name: redact
UPDATE audit_entries SET target = NULL, salt = NULL
WHERE project_id = :project_id AND target IN (SELECT value FROM json_each(:targets));

-- name: names_user
SELECT uuid FROM users WHERE project_id = :project_id AND user_id = :id;

-- name: names_thread
SELECT uuid FROM threads WHERE project_id = :project_id AND thread_id = :id;

-- name: names_session_log
SELECT uuid FROM session_logs WHERE project_id = :project_id AND session_id = :id;

-- name: names_graph
SELECT uuid FROM graphs
WHERE project_id = :project_id AND kind IN ('standalone', 'user') AND graph_id = :id LIMIT 1;
