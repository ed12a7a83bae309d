-- What joins facts, entities and episodes: mentions, supports, neighbours.

-- name: before
SELECT id, uuid, source_id, target_id, name, created_at FROM facts
WHERE graph_id = :graph_id AND uuid < :before ORDER BY uuid DESC LIMIT :limit;

-- name: mentions_add
INSERT INTO mentions (entity_id, episode_id)
SELECT CAST(json_extract(value, '$[0]') AS BIGINT), CAST(json_extract(value, '$[1]') AS BIGINT)
FROM json_each(:pairs) WHERE true ON CONFLICT DO NOTHING;

-- name: support_insert
INSERT INTO supports (fact_id, episode_id, role, span_start, span_end)
VALUES (:fact_id, :episode_id, :role, :span_start, :span_end)
ON CONFLICT DO NOTHING;

-- name: evidence_of_fact
SELECT e.*, t.thread_id AS thread_name, p.role AS support_role, p.span_start, p.span_end
FROM supports p JOIN episodes e ON e.id = p.episode_id
LEFT JOIN threads t ON t.id = e.thread_id
WHERE p.fact_id = :fact_id ORDER BY e.seq LIMIT :limit;

-- name: mentions_of_entity
SELECT episode_id FROM mentions WHERE entity_id = :entity_id ORDER BY episode_id;

-- name: mentions_join
INSERT INTO mentions (entity_id, episode_id)
SELECT :kept, episode_id FROM mentions WHERE entity_id = :gone ON CONFLICT DO NOTHING;

-- name: neighbours
-- order: uuid=n.uuid, created_at=n.created_at
SELECT n.*, {key} AS page_key FROM entities n
WHERE n.id IN (
    SELECT target_id FROM facts
    WHERE :outwards = 1 AND source_id = :entity_id
      AND (CAST(:fact_ids AS TEXT) IS NULL OR id IN (SELECT CAST(value AS BIGINT) FROM json_each(:fact_ids)))
    UNION
    SELECT source_id FROM facts
    WHERE :inwards = 1 AND target_id = :entity_id
      AND (CAST(:fact_ids AS TEXT) IS NULL OR id IN (SELECT CAST(value AS BIGINT) FROM json_each(:fact_ids))))
  AND n.id <> :entity_id
  AND (CAST(:labels AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM json_each(n.labels) l
                                  WHERE l.value IN (SELECT value FROM json_each(:labels))))
  AND NOT EXISTS (SELECT 1 FROM json_each(n.labels) l
                  WHERE l.value IN (SELECT value FROM json_each(:labels_not)))
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, n.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, n.uuid {dir} LIMIT :limit;

-- name: sources_of_facts
SELECT s.fact_id, e.uuid, e.metadata, e.role, e.speaker, e.producer, e.addressee, e.created_at
FROM supports s JOIN episodes e ON e.id = s.episode_id
WHERE s.fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY s.fact_id, e.id;

-- name: newest
SELECT id, uuid, source_id, target_id, name, created_at FROM facts
WHERE graph_id = :graph_id ORDER BY uuid DESC LIMIT :limit;
