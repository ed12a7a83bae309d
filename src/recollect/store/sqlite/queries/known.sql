-- What a reader is shown of a graph, as it was before one place of the log.

-- name: known_named
-- Entities whose whole name or alias is one of the keys.
SELECT DISTINCT entity_id AS id FROM entity_names
WHERE graph_id = :graph_id AND key IN (SELECT value FROM json_each(:keys))
ORDER BY entity_id LIMIT :limit;

-- name: names_begun
-- Which of some keys a name has.
SELECT value AS key FROM json_each(:keys) j
WHERE EXISTS (SELECT 1 FROM entity_names k WHERE k.graph_id = :graph_id AND k.key = j.value);

-- name: entities_named
-- Entities with one of the keys of names, those with a whole name first.
SELECT n.*
FROM entity_names k JOIN entities n ON n.id = k.entity_id
WHERE k.graph_id = :graph_id AND k.key IN (SELECT value FROM json_each(:keys))
  AND n.is_assistant = 0 AND n.kind IS NOT 'value' AND (n.side = :side OR n.is_user = 1)
GROUP BY n.id ORDER BY min(k.key), n.id LIMIT :limit;

-- name: known_own
SELECT id FROM entities WHERE graph_id = :graph_id AND is_user = 1;

-- name: known_at_source
-- Open facts of an entity that were stated before a place, the newest first.
SELECT f.id FROM facts f
WHERE f.source_id = :entity_id AND f.invalid_at IS NULL
  AND EXISTS (SELECT 1 FROM supports p JOIN episodes e ON e.id = p.episode_id
              WHERE p.fact_id = f.id AND p.role = 'states' AND e.seq < :seq)
ORDER BY f.id DESC LIMIT :limit;

-- name: known_at_target
SELECT f.id FROM facts f
WHERE f.target_id = :entity_id AND f.invalid_at IS NULL
  AND EXISTS (SELECT 1 FROM supports p JOIN episodes e ON e.id = p.episode_id
              WHERE p.fact_id = f.id AND p.role = 'states' AND e.seq < :seq)
ORDER BY f.id DESC LIMIT :limit;

-- name: known_lately
-- What was stated last before a place.
SELECT p.fact_id AS id
FROM episodes e JOIN supports p ON p.episode_id = e.id AND p.role = 'states'
WHERE e.graph_id = :graph_id AND e.seq < :seq ORDER BY e.seq DESC, p.fact_id DESC LIMIT :limit;

-- name: known_closed_since
-- What ended at a place or after it, the first ends first.
SELECT c.fact_id AS id FROM episodes e JOIN closings c ON c.episode_id = e.id
WHERE e.graph_id = :graph_id AND e.seq >= :seq ORDER BY e.seq LIMIT :limit;

-- name: known_facts
-- Facts with their ends and the place of the log that states each.
SELECT f.id, f.uuid, f.fact, f.name, f.source_id, f.target_id, s.uuid AS source, t.uuid AS target,
    f.valid_at, f.invalid_at, f.expired_at, f.event_at,
    (SELECT min(e.seq) FROM supports p JOIN episodes e ON e.id = p.episode_id
     WHERE p.fact_id = f.id AND p.role = 'states') AS seq
FROM json_each(:ids) j JOIN facts f ON f.id = j.value
JOIN entities s ON s.id = f.source_id JOIN entities t ON t.id = f.target_id
WHERE f.graph_id = :graph_id ORDER BY f.id;

-- name: known_ends
-- What gave facts an end, and from which place of the log on; one that nobody said counts always.
SELECT c.fact_id AS id, c.ended_at, coalesce(e.seq, (
    SELECT min(b.seq) FROM supports p JOIN episodes b ON b.id = p.episode_id
    WHERE p.fact_id = c.by_fact_id AND p.role = 'states'), 0) AS seq
FROM json_each(:ids) j JOIN closings c ON c.fact_id = j.value
LEFT JOIN episodes e ON e.id = c.episode_id;

-- name: known_entities
-- Those that were there before a place: the user, the assistant, and who was mentioned.
SELECT n.* FROM json_each(:ids) j JOIN entities n ON n.id = j.value
WHERE n.graph_id = :graph_id
  AND (n.is_user = 1 OR n.is_assistant = 1
       OR EXISTS (SELECT 1 FROM mentions m JOIN episodes e ON e.id = m.episode_id
                  WHERE m.entity_id = n.id AND e.seq < :seq))
ORDER BY n.id;

-- name: known_relations
-- Names of relations among the first facts of a graph, which stay the first ones. What the embedded
-- reader calls a relation beyond the table is the words of a text, and no name to go by.
SELECT id, name FROM facts
WHERE graph_id = :graph_id AND extractor IS NOT NULL AND extractor NOT LIKE 'embedded%'
ORDER BY uuid LIMIT :limit;
