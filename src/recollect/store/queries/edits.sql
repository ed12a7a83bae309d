-- Corrections by hand, in the order in which they were made.

-- name: part
UPDATE edits SET walls = kept.walls, side = coalesce(side_within(edits.side, kept.walls), ''),
    everywhere = CASE WHEN json_array_length(kept.walls) < json_array_length(:keys) THEN 1 ELSE 0 END
FROM (SELECT e.id, (SELECT json_group_array(w.value) FROM json_each(e.walls) w
                    WHERE w.value IN (SELECT value FROM json_each(:keys))) AS walls
      FROM edits e JOIN graphs g ON g.id = e.graph_id
      WHERE g.project_id = :project_id AND (CAST(:graph_id AS BIGINT) IS NULL OR g.id = :graph_id)) AS kept
WHERE edits.id = kept.id;

-- name: insert
INSERT INTO edits (graph_id, seq, kind, subject, near, mark, change, vector, at, side, walls)
SELECT g.id, coalesce(:seq, g.folded), :kind, :subject, :near, :mark, :change, :vector, :now, :side,
    p.guarded
FROM graphs g JOIN projects p ON p.id = g.project_id WHERE g.id = :graph_id;

-- name: first
SELECT seq FROM edits WHERE graph_id = :graph_id ORDER BY seq LIMIT 1;

-- name: due
SELECT * FROM edits WHERE graph_id = :graph_id AND (CAST(:before AS BIGINT) IS NULL OR seq < :before)
ORDER BY seq, id;

-- name: drop
DELETE FROM edits WHERE id = :id;

-- name: drop_of_gone
DELETE FROM edits WHERE graph_id = :graph_id AND (
    kind IN ('fact.update', 'fact.end', 'fact.reopen')
    AND NOT EXISTS (SELECT 1 FROM facts f
                    WHERE f.graph_id = edits.graph_id AND f.uuid = edits.subject)
    OR kind = 'entity.update'
    AND NOT EXISTS (SELECT 1 FROM entities n
                    WHERE n.graph_id = edits.graph_id AND n.uuid = edits.subject)
    AND NOT EXISTS (SELECT 1 FROM entity_names k WHERE k.graph_id = edits.graph_id
                    AND (k.key = 'was:' || edits.subject
                         OR k.key >= 'was:' || edits.subject || '['
                            AND k.key < 'was:' || edits.subject || '\')));

-- name: drop_of_unborn
DELETE FROM edits WHERE graph_id = :graph_id AND kind = 'entity.update'
  AND EXISTS (SELECT 1 FROM edits m WHERE m.graph_id = edits.graph_id AND m.kind = 'entity.merge'
              AND m.subject = edits.subject)
  AND NOT EXISTS (SELECT 1 FROM entities n
                    WHERE n.graph_id = edits.graph_id AND n.uuid = edits.subject)
  AND NOT EXISTS (SELECT 1 FROM entity_names k WHERE k.graph_id = edits.graph_id
                  AND (k.key = 'was:' || edits.subject
                       OR k.key >= 'was:' || edits.subject || '['
                          AND k.key < 'was:' || edits.subject || '\'));

-- name: newest_of
SELECT e.id, e.graph_id, e.seq, e.kind, e.near, e.everywhere
FROM edits e JOIN graphs g ON g.id = e.graph_id
WHERE e.subject = :subject AND g.project_id = :project_id
  AND e.kind IN (SELECT value FROM json_each(:kinds))
ORDER BY e.seq DESC, e.id DESC LIMIT 1;

-- name: merges_of_graph
SELECT id, subject, at FROM edits WHERE graph_id = :graph_id AND kind = 'entity.merge'
ORDER BY id DESC;

-- name: of_subject
SELECT mark FROM edits WHERE subject = :subject ORDER BY id;

-- name: newest
SELECT coalesce(max(id), 0) AS id FROM edits WHERE graph_id = :graph_id;
