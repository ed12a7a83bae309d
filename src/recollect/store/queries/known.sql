-- What is known near an episode, for a reader that judges.

-- name: named
SELECT DISTINCT entity_id AS id FROM entity_names
WHERE graph_id = :graph_id AND key IN (SELECT value FROM json_each(:keys))
ORDER BY entity_id LIMIT :limit;

-- name: names_begun
SELECT value AS key FROM json_each(:keys) j
WHERE EXISTS (SELECT 1 FROM entity_names k WHERE k.graph_id = :graph_id AND k.key = j.value);

-- name: own
SELECT id FROM entities WHERE graph_id = :graph_id AND is_user = 1;

-- name: at_source
SELECT f.id FROM facts f
WHERE f.source_id = :entity_id AND f.invalid_at IS NULL
  AND EXISTS (SELECT 1 FROM supports p JOIN episodes e ON e.id = p.episode_id
              WHERE p.fact_id = f.id AND p.role = 'states' AND e.seq < :seq)
ORDER BY f.id DESC LIMIT :limit;

-- name: at_target
SELECT f.id FROM facts f
WHERE f.target_id = :entity_id AND f.invalid_at IS NULL
  AND EXISTS (SELECT 1 FROM supports p JOIN episodes e ON e.id = p.episode_id
              WHERE p.fact_id = f.id AND p.role = 'states' AND e.seq < :seq)
ORDER BY f.id DESC LIMIT :limit;

-- name: lately
SELECT p.fact_id AS id
FROM episodes e JOIN supports p ON p.episode_id = e.id AND p.role = 'states'
WHERE e.graph_id = :graph_id AND e.seq < :seq ORDER BY e.seq DESC, p.fact_id DESC LIMIT :limit;

-- name: closed_since
SELECT c.fact_id AS id FROM episodes e JOIN closings c ON c.episode_id = e.id
WHERE e.graph_id = :graph_id AND e.seq >= :seq ORDER BY e.seq LIMIT :limit;

-- name: facts
SELECT f.id, f.uuid, f.fact, f.name, f.source_id, f.target_id, s.uuid AS source, t.uuid AS target,
    f.valid_at, f.invalid_at, f.expired_at, f.event_at,
    (SELECT min(e.seq) FROM supports p JOIN episodes e ON e.id = p.episode_id
     WHERE p.fact_id = f.id AND p.role = 'states') AS seq
FROM json_each(:ids) j JOIN facts f ON f.id = CAST(j.value AS BIGINT)
JOIN entities s ON s.id = f.source_id AND s.graph_id = f.graph_id
JOIN entities t ON t.id = f.target_id AND t.graph_id = f.graph_id
WHERE f.graph_id = :graph_id ORDER BY f.id;

-- name: ends
SELECT c.fact_id AS id, c.ended_at, coalesce(e.seq, (
    SELECT min(b.seq) FROM supports p JOIN episodes b ON b.id = p.episode_id
    WHERE p.fact_id = c.by_fact_id AND p.role = 'states'), 0) AS seq
FROM json_each(:ids) j JOIN closings c ON c.fact_id = CAST(j.value AS BIGINT)
LEFT JOIN episodes e ON e.id = c.episode_id;

-- name: entities
SELECT n.* FROM json_each(:ids) j JOIN entities n ON n.id = CAST(j.value AS BIGINT)
WHERE n.graph_id = :graph_id
  AND (n.is_user = 1 OR n.is_assistant = 1
       OR EXISTS (SELECT 1 FROM mentions m JOIN episodes e ON e.id = m.episode_id
                  WHERE m.entity_id = n.id AND e.seq < :seq))
ORDER BY n.id;

-- name: relations
SELECT id, name FROM facts
WHERE graph_id = :graph_id AND extractor IS NOT NULL AND extractor NOT LIKE 'embedded%'
ORDER BY uuid LIMIT :limit;
