-- The audit log, where nothing but a cast says what kind of NULL a parameter is.

-- name: follow
INSERT INTO audit_entries (project_id, number, at, actor, action, outcome, status, target, salt,
    target_digest, detail, hash)
SELECT :project_id, :number, :at, :actor, :action, :outcome, CAST(:status AS BIGINT), :target,
    CAST(:salt AS BYTEA), CAST(:target_digest AS BYTEA), :detail, CAST(:hash AS BYTEA)
WHERE coalesce(
    (SELECT hash FROM audit_entries WHERE project_id = :project_id ORDER BY number DESC LIMIT 1),
    CASE WHEN CAST(:number AS BIGINT) = 1 THEN CAST(:before AS BYTEA) END
) = CAST(:before AS BYTEA);
