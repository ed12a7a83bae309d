-- Graphs: one for each user, and standalone ones.

-- name: distance
SELECT distance FROM graphs WHERE id = :id;

-- name: texts_bearing
SELECT p.key AS place FROM json_each(:pairs) p
WHERE EXISTS (
    SELECT 1 FROM mentions m JOIN episodes e ON e.id = m.episode_id
    WHERE m.entity_id = CAST(json_extract(p.value, '$[0]') AS BIGINT)
      AND (CAST(:among AS TEXT) IS NULL
           OR m.episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:among)))
      AND (instr(lower(e.content), lower(json_extract(p.value, '$[1]'))) > 0
           OR instr(lower(e.content), lower(trim(json_quote(json_extract(p.value, '$[1]')), '"'))) > 0
           OR instr(lower(coalesce(e.speaker, '')), lower(json_extract(p.value, '$[1]'))) > 0));

-- name: contents
SELECT (SELECT count(*) FROM episodes WHERE graph_id = :id) AS episodes,
    (SELECT count(*) FROM facts WHERE graph_id = :id) AS facts,
    (SELECT count(*) FROM entities WHERE graph_id = :id) AS entities,
    (SELECT count(*) FROM observations WHERE graph_id = :id) AS observations,
    (SELECT count(*) FROM summaries WHERE graph_id = :id AND thread_id IS NOT NULL)
        AS thread_summaries,
    (SELECT count(*) FROM summaries WHERE graph_id = :id AND document_id IS NOT NULL)
        AS document_summaries,
    (SELECT count(*) FROM user_summaries WHERE graph_id = :id) AS user_summaries,
    (SELECT count(*) FROM chapters WHERE graph_id = :id AND level = 0) AS chapters,
    (SELECT count(*) FROM index_rows WHERE graph_id = :id) AS index_rows,
    (SELECT count(*) FROM threads WHERE graph_id = :id) AS threads,
    (SELECT count(*) FROM guidance WHERE graph_id = :id) AS guidance,
    (SELECT count(*) FROM user_group_members m JOIN users u ON u.id = m.user_id
     WHERE u.graph_id = :id) AS group_memberships;

-- name: insert
INSERT INTO graphs
    (uuid, project_id, kind, graph_id, name, description, time_zone, rating, created_at, updated_at)
VALUES
    (:uuid, :project_id, :kind, :graph_id, :name, :description, :time_zone, :rating, :now, :now);

-- name: by_name
SELECT * FROM graphs WHERE project_id = :project_id AND kind = :kind AND graph_id = :graph_id;

-- name: by_uuid
SELECT * FROM graphs WHERE uuid = :uuid AND project_id = :project_id;

-- name: by_id
SELECT * FROM graphs WHERE id = :id;

-- name: update
UPDATE graphs
SET name = :name, description = :description, time_zone = :time_zone, rating = :rating,
    updated_at = :now
WHERE id = :id;

-- name: delete
DELETE FROM graphs WHERE id = :id;

-- name: page
-- order: created_at=created_at, graph_id=graph_id, name=coalesce(name, '')
SELECT * FROM graphs
WHERE project_id = :project_id AND kind = 'standalone'
  AND (:search = '' OR instr(lower(graph_id || ' ' || coalesce(name, '')), lower(:search)) > 0)
ORDER BY {key} {dir}, id {dir} LIMIT :limit OFFSET :offset;

-- name: page_after
-- order: created_at=created_at, name=coalesce(name, ''), uuid=uuid
SELECT *, {key} AS page_key FROM graphs
WHERE project_id = :project_id AND kind = 'standalone'
  AND (:search = '' OR instr(lower(graph_id || ' ' || coalesce(name, '')), lower(:search)) > 0)
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, uuid {dir} LIMIT :limit;

-- name: count
SELECT count(*) AS n FROM graphs
WHERE project_id = :project_id AND kind = 'standalone'
  AND (:search = '' OR instr(lower(graph_id || ' ' || coalesce(name, '')), lower(:search)) > 0);

-- name: names
SELECT kind, graph_id FROM graphs WHERE project_id = :project_id
ORDER BY kind, graph_id LIMIT :limit;

-- name: next_seq
UPDATE graphs SET last_seq = last_seq + :count WHERE id = :id RETURNING last_seq;

-- name: grow
UPDATE graphs SET last_seq = last_seq + :count
WHERE project_id = :project_id AND kind = :kind AND graph_id = :graph_id
RETURNING id, last_seq, NULL AS thread_key;

-- name: grow_by_thread
UPDATE graphs SET last_seq = last_seq + :count
WHERE id = (SELECT graph_id FROM threads WHERE project_id = :project_id AND thread_id = :thread_id)
RETURNING id, last_seq,
    (SELECT id FROM threads WHERE project_id = :project_id AND thread_id = :thread_id) AS thread_key;

-- name: next_version
UPDATE graphs SET index_version = index_version + :count WHERE id = :id RETURNING index_version;

-- name: object_by_uuid
SELECT 'fact' AS kind, o.id FROM facts o JOIN graphs g ON g.id = o.graph_id
WHERE o.uuid = :uuid AND g.project_id = :project_id
UNION ALL
SELECT 'entity', o.id FROM entities o JOIN graphs g ON g.id = o.graph_id
WHERE o.uuid = :uuid AND g.project_id = :project_id
UNION ALL
SELECT 'episode', o.id FROM episodes o JOIN graphs g ON g.id = o.graph_id
WHERE o.uuid = :uuid AND g.project_id = :project_id
UNION ALL
SELECT 'observation', o.id FROM observations o JOIN graphs g ON g.id = o.graph_id
WHERE o.uuid = :uuid AND g.project_id = :project_id
UNION ALL
SELECT CASE WHEN o.thread_id IS NULL THEN 'document_summary' ELSE 'thread_summary' END, o.id
FROM summaries o JOIN graphs g ON g.id = o.graph_id
WHERE o.uuid = :uuid AND g.project_id = :project_id
LIMIT 1;

-- name: parted
UPDATE graphs SET fold_from = 0, inputs = inputs + 1, changes = changes + 1
WHERE project_id = :project_id
  AND EXISTS (SELECT 1 FROM readings r WHERE r.graph_id = graphs.id);

-- name: fold_again
UPDATE graphs SET fold_from = min(coalesce(fold_from, :seq), :seq), inputs = inputs + 1,
    changes = changes + 1
WHERE id = :graph_id;

-- name: edited
UPDATE graphs SET changes = changes + 1 WHERE id = :graph_id;

-- name: folded
SELECT folded FROM graphs WHERE id = :graph_id;

-- name: has_folded
UPDATE graphs SET folded = :seq WHERE id = :graph_id AND folded < :seq;

-- name: fold_from_start
UPDATE graphs SET folded = 0, condensed = 0 WHERE id = :graph_id;

-- name: to_fold
SELECT id FROM graphs WHERE fold_from IS NOT NULL ORDER BY id;

-- name: fold_state
SELECT fold_from, folded, inputs, uuid FROM graphs WHERE id = :graph_id;

-- name: folded_again
UPDATE graphs SET folded = :folded, condensed = :condensed, fold_from = NULL, changes = changes + 1
WHERE id = :graph_id;

-- name: has_walls
SELECT 1 FROM readings WHERE graph_id = :graph_id AND side IS NOT NULL LIMIT 1;

-- name: all
SELECT * FROM graphs WHERE (CAST(:graph_id AS TEXT) IS NULL OR graph_id = :graph_id) ORDER BY id;

-- name: reopen_profile
UPDATE facts SET invalid_at = NULL, expired_at = NULL
WHERE graph_id = :graph_id AND extractor IS NULL AND fact IN (SELECT value FROM json_each(:told))
  AND EXISTS (SELECT 1 FROM supports p WHERE p.fact_id = facts.id)
  AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.source_id = facts.source_id AND f.name = facts.name
                  AND f.extractor IS NULL AND f.expired_at IS NULL AND f.id <> facts.id);

-- name: unlearn_supports
DELETE FROM supports WHERE fact_id IN (SELECT id FROM facts WHERE graph_id = :graph_id);

-- name: unlearn_closings
DELETE FROM closings WHERE fact_id IN (SELECT id FROM facts WHERE graph_id = :graph_id)
  AND (episode_id IS NOT NULL OR by_fact_id IS NOT NULL
       OR EXISTS (SELECT 1 FROM facts f WHERE f.id = closings.fact_id
                  AND f.invalid_at IS NULL AND f.expired_at IS NULL));

-- name: unlearn_doubts
DELETE FROM doubts WHERE fact_id IN (SELECT id FROM facts WHERE graph_id = :graph_id);

-- name: inputs
SELECT (SELECT count(*) FROM jobs WHERE graph_id = :graph_id AND status = 'pending')
        + (SELECT count(*) FROM jobs WHERE graph_id = :graph_id AND status = 'parked') AS unread,
    (SELECT count(*) FROM edits WHERE graph_id = :graph_id) AS edits,
    (SELECT count(*) FROM episodes WHERE graph_id = :graph_id) AS episodes,
    (SELECT count(*) FROM episodes e
     LEFT JOIN readings r ON r.graph_id = e.graph_id AND r.seq = e.seq
     WHERE e.graph_id = :graph_id AND e.processed_at IS NOT NULL AND e.ignored = 0
       AND r.seq IS NULL) AS unkept;

-- name: readers
SELECT DISTINCT reader FROM readings WHERE graph_id = :graph_id AND reader <> 'none'
ORDER BY reader;

-- name: entities_told
SELECT id, uuid, summary, given FROM entities WHERE graph_id = :graph_id AND summary <> ''
ORDER BY id;

-- name: time_zone
SELECT coalesce(u.time_zone, g.time_zone, p.default_time_zone) AS time_zone
FROM graphs g JOIN projects p ON p.id = g.project_id LEFT JOIN users u ON u.graph_id = g.id
WHERE g.id = :id;
