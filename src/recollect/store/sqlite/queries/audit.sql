-- The audit log: entries are added, looked at and, of a target, made nameless.

-- name: audit_head
SELECT number, hash FROM audit_entries
WHERE project_id = :project_id ORDER BY number DESC LIMIT 1;

-- name: audit_follow
-- Adds nothing when the last entry is another one; the first one follows none.
INSERT INTO audit_entries (project_id, number, at, actor, action, outcome, status, target, salt,
    target_digest, detail, hash)
SELECT :project_id, :number, :at, :actor, :action, :outcome, :status, :target, :salt,
    :target_digest, :detail, :hash
WHERE coalesce(
    (SELECT hash FROM audit_entries WHERE project_id = :project_id ORDER BY number DESC LIMIT 1),
    CASE WHEN :number = 1 THEN :before END
) = :before;

-- name: audit_page
-- Newest first; what is not asked for is NULL.
SELECT * FROM audit_entries
WHERE project_id = :project_id AND number < :before
    AND (:action IS NULL OR action = :action)
    AND (:outcome IS NULL OR outcome = :outcome)
    AND (:actor IS NULL OR actor = :actor)
    AND (:since IS NULL OR at >= :since)
ORDER BY number DESC LIMIT :limit;

-- name: audit_after
SELECT * FROM audit_entries
WHERE project_id = :project_id AND number > :after
ORDER BY number LIMIT :limit;

-- name: audit_redact
UPDATE audit_entries SET target = NULL, salt = NULL
WHERE project_id = :project_id AND target IN (SELECT value FROM json_each(:targets));

-- name: audit_names_user
SELECT uuid FROM users WHERE project_id = :project_id AND user_id = :id;

-- name: audit_names_thread
SELECT uuid FROM threads WHERE project_id = :project_id AND thread_id = :id;

-- name: audit_names_session_log
SELECT uuid FROM session_logs WHERE project_id = :project_id AND session_id = :id;

-- name: audit_names_graph
SELECT uuid FROM graphs
WHERE project_id = :project_id AND kind IN ('standalone', 'user') AND graph_id = :id LIMIT 1;
