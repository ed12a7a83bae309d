-- Receipts of what was erased.

-- name: insert
INSERT INTO erasures (uuid, project_id, at, kind, subject, mode, removed, kept)
VALUES (:uuid, :project_id, :at, :kind, :subject, :mode, :removed, :kept);

-- name: scrubbed
UPDATE erasures SET scrubbed = 1
WHERE id <= (SELECT e.id FROM erasures e WHERE e.uuid = :uuid) AND scrubbed = 0;

-- name: unscrubbed
SELECT uuid FROM erasures WHERE scrubbed = 0 ORDER BY id DESC LIMIT 1;

-- name: by_uuid
SELECT * FROM erasures WHERE uuid = :uuid AND project_id = :project_id;

-- name: page
SELECT * FROM erasures WHERE project_id = :project_id
  AND (CAST(:before AS TEXT) IS NULL OR id < (SELECT b.id FROM erasures b
                                WHERE b.uuid = :before AND b.project_id = :project_id))
ORDER BY id DESC LIMIT :limit;
