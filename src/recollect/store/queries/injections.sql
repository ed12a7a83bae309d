-- What went into the contexts that somebody was given.

-- name: insert
INSERT INTO injections (uuid, project_id, graph_id, thread_id, key_uuid, at, form, question)
VALUES (:uuid, :project_id, :graph_id, :thread_id, :key_uuid, :at, :form, :question);

-- name: insert_line
INSERT INTO injection_lines (graph_id, injection_id, place, kind, item_uuid, text, score, reason)
VALUES (:graph_id, :injection_id, :place, :kind, :item_uuid, :text, :score, :reason);

-- name: trim
DELETE FROM injections WHERE project_id = :project_id
  AND (at < :before OR id <= (SELECT k.id FROM injections k WHERE k.project_id = :project_id
                              ORDER BY k.id DESC LIMIT 1 OFFSET :keep));

-- name: by_uuid
SELECT i.*, g.kind AS graph_kind, g.graph_id AS graph_name, t.thread_id AS thread_name
FROM injections i JOIN graphs g ON g.id = i.graph_id LEFT JOIN threads t ON t.id = i.thread_id
WHERE i.uuid = :uuid AND i.project_id = :project_id
  AND (CAST(:key_uuid AS TEXT) IS NULL OR i.key_uuid = :key_uuid);

-- name: page
SELECT i.*, g.kind AS graph_kind, g.graph_id AS graph_name, t.thread_id AS thread_name
FROM injections i JOIN graphs g ON g.id = i.graph_id LEFT JOIN threads t ON t.id = i.thread_id
WHERE i.project_id = :project_id
  AND (CAST(:key_uuid AS TEXT) IS NULL OR i.key_uuid = :key_uuid)
  AND (CAST(:graph_id AS BIGINT) IS NULL OR i.graph_id = :graph_id)
  AND (CAST(:before AS TEXT) IS NULL OR i.id < (SELECT b.id FROM injections b
                                WHERE b.uuid = :before AND b.project_id = :project_id))
ORDER BY i.id DESC LIMIT :limit;

-- name: lines
SELECT place, kind, item_uuid, text, score, reason FROM injection_lines
WHERE graph_id = :graph_id AND injection_id = :injection_id ORDER BY place;

-- name: drop_gone
DELETE FROM injection_lines WHERE graph_id = :graph_id AND (
    (kind = 'fact' AND NOT EXISTS (SELECT 1 FROM facts f
        WHERE f.uuid = injection_lines.item_uuid AND instr(injection_lines.text, f.fact) > 0))
    OR (kind = 'episode' AND NOT EXISTS (SELECT 1 FROM episodes e
        WHERE e.uuid = injection_lines.item_uuid)));

-- name: drop_derived
DELETE FROM injection_lines WHERE graph_id = :graph_id
  AND kind IS NOT NULL AND kind NOT IN ('fact', 'episode');

-- name: drop_questions
UPDATE injections SET question = NULL WHERE graph_id = :graph_id AND question IS NOT NULL;
