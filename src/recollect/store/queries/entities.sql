-- Entities, the names they answer to, and what the sides of a wall know of a user.

-- name: direct_nodes_of_task
SELECT n.*
FROM jobs j JOIN episodes e ON e.id = j.id AND e.graph_id = j.graph_id JOIN mentions m ON m.episode_id = e.id
JOIN entities n ON n.id = m.entity_id
WHERE j.task_uuid = :task_uuid AND e.kind = 'nodes'
ORDER BY e.seq, n.id;

-- name: metadata
SELECT m.entity_id AS id, e.metadata
FROM mentions m JOIN episodes e ON e.id = m.episode_id
WHERE m.entity_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
GROUP BY m.entity_id, e.metadata ORDER BY m.entity_id, min(e.id);

-- name: own
SELECT id FROM entities WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND is_user = 1;

-- name: episodes
SELECT m.entity_id AS id, e.uuid, e.metadata
FROM mentions m JOIN episodes e ON e.id = m.episode_id
WHERE m.entity_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND e.kind NOT IN ('fact_triple', 'nodes')
ORDER BY m.entity_id, e.id DESC;

-- name: uuids_among
SELECT id, uuid FROM entities
WHERE graph_id = :graph_id
  AND (CAST(:ids AS TEXT) IS NULL OR id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)));

-- name: ids_mentioned_by
SELECT DISTINCT entity_id FROM mentions
WHERE episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes));

-- name: set_summaries
UPDATE entities SET summary = json_extract(k.value, '$[1]')
FROM json_each(:pairs) k WHERE entities.id = CAST(json_extract(k.value, '$[0]') AS BIGINT);

-- name: unname
UPDATE entities SET name = :name, names = :names, attributes = :attributes WHERE id = :id;

-- name: delete_unsupported
DELETE FROM entities
WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND is_user = 0
  AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = entities.id)
  AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.source_id = entities.id)
  AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.target_id = entities.id)
RETURNING id, graph_id;

-- name: ids_by_uuids
SELECT id FROM entities
WHERE graph_id = :graph_id AND uuid IN (SELECT value FROM json_each(:uuids)) ORDER BY id;

-- name: asked
SELECT k.key, n.id FROM json_each(:keys) j
CROSS JOIN entity_names k ON k.graph_id = :graph_id AND k.key = j.value
JOIN entities n ON n.id = k.entity_id AND n.graph_id = k.graph_id
ORDER BY n.id LIMIT 4096;

-- name: insert
INSERT INTO entities
    (id, uuid, graph_id, name, labels, summary, attributes, is_user, created_at, kind,
     is_assistant, names, side)
VALUES
    (coalesce((SELECT max(id) + 1 FROM entities WHERE id >= :first AND id < :end AND +graph_id = :graph_id), :first),
     :uuid, :graph_id, :name, :labels, :summary, :attributes, :is_user, :now, :kind,
     :is_assistant, :names, :side);

-- name: by_uuid
SELECT n.* FROM entities n JOIN graphs g ON g.id = n.graph_id
WHERE n.uuid = :uuid AND g.project_id = :project_id;

-- name: update
UPDATE entities
SET name = :name, labels = :labels, summary = :summary, attributes = :attributes
WHERE id = :id;

-- name: learn
UPDATE entities
SET name = :name, labels = :labels, summary = :summary, attributes = :attributes, kind = :kind,
    names = :names
WHERE id = :id;

-- name: names_add
INSERT INTO entity_names (graph_id, key, entity_id)
SELECT :graph_id, value, :entity_id FROM json_each(:keys) WHERE true ON CONFLICT DO NOTHING;

-- name: name_insert
INSERT INTO entity_names (graph_id, key, entity_id) VALUES (:graph_id, :key, :entity_id)
ON CONFLICT DO NOTHING;

-- name: names_delete
DELETE FROM entity_names WHERE entity_id = :entity_id AND substr(key, 1, 4) <> 'was:';

-- name: takes_in_nobody
DELETE FROM entity_names WHERE entity_id = :entity_id AND substr(key, 1, 4) = 'was:';

-- name: set_names
UPDATE entities SET names = :names WHERE id = :id;

-- name: ids_by_key
SELECT entity_id FROM entity_names
WHERE graph_id = :graph_id AND key = :key ORDER BY entity_id LIMIT :limit;

-- name: by_keys
SELECT n.* FROM json_each(:keys) j CROSS JOIN entities n
WHERE +n.graph_id = :graph_id AND n.id IN (SELECT k.entity_id FROM entity_names k
               JOIN entities m ON m.id = k.entity_id AND m.graph_id = k.graph_id
               WHERE k.graph_id = :graph_id AND k.key = j.value AND (m.side = :side OR m.is_user = 1)
               ORDER BY k.entity_id LIMIT :limit);

-- name: names_beside
SELECT j.value AS asked, e.entity_id, e.key FROM json_each(:keys) j CROSS JOIN entity_names e
WHERE e.graph_id = :graph_id AND substr(e.key, 1, 1) = '=' AND e.entity_id IN (SELECT k.entity_id FROM entity_names k
               JOIN entities m ON m.id = k.entity_id AND m.graph_id = k.graph_id
               WHERE k.graph_id = :graph_id AND k.key = j.value AND (m.side = :side OR m.is_user = 1)
               ORDER BY k.entity_id LIMIT :limit);

-- name: who
SELECT * FROM entities
WHERE graph_id = :graph_id AND (is_user = 1 OR is_assistant = 1) ORDER BY id;

-- name: by_uuids_on_side
SELECT * FROM entities
WHERE graph_id = :graph_id AND uuid IN (SELECT value FROM json_each(:uuids))
  AND (side = :side OR is_user = 1) ORDER BY id;

-- name: user_side
SELECT
    (SELECT names FROM user_sides WHERE entity_id = :entity_id AND side = :side) AS names,
    (SELECT attributes FROM user_sides WHERE entity_id = :entity_id AND side = :side) AS attributes,
    (SELECT json_group_array(v.value) FROM user_sides s, json_each(s.names) v
     WHERE s.entity_id = :entity_id) AS all_names,
    (SELECT json_group_array(v.key) FROM user_sides s, json_each(s.attributes) v
     WHERE s.entity_id = :entity_id) AS all_attributes;

-- name: user_side_put
INSERT INTO user_sides (entity_id, side, names, attributes)
VALUES (:entity_id, :side, :names, :attributes)
ON CONFLICT (entity_id, side) DO UPDATE SET names = excluded.names, attributes = excluded.attributes;

-- name: user_sides_of
SELECT side, names, attributes FROM user_sides WHERE entity_id = :entity_id ORDER BY side;

-- name: user_sides_drop
DELETE FROM user_sides WHERE entity_id IN (
    SELECT id FROM entities WHERE graph_id = :graph_id AND is_user = 1);

-- name: by_id
SELECT * FROM entities WHERE id = :id;

-- name: by_ids
SELECT * FROM entities WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY id;

-- name: by_uuids
SELECT * FROM entities
WHERE graph_id = :graph_id AND uuid IN (SELECT value FROM json_each(:uuids)) ORDER BY id;

-- name: delete
DELETE FROM entities WHERE id = :id;

-- name: page
-- order: uuid=n.uuid, created_at=n.created_at, degree=(SELECT count(*) FROM facts f WHERE f.source_id = n.id OR f.target_id = n.id)
SELECT n.*, {key} AS page_key FROM entities n
WHERE n.graph_id = :graph_id
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, n.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, n.uuid {dir} LIMIT :limit;

-- name: of_episode
SELECT n.* FROM mentions m JOIN entities n ON n.id = m.entity_id
WHERE m.episode_id = :episode_id ORDER BY n.id LIMIT :limit;

-- name: set_given
UPDATE entities SET given = :given WHERE id = :id;

-- name: named
SELECT id, uuid, name, names, kind, is_user FROM (
    SELECT n.id, n.uuid, n.name, n.names, n.kind, n.is_user, k.key
    FROM entity_names k JOIN entities n ON n.id = k.entity_id AND n.graph_id = k.graph_id
    WHERE k.graph_id = :graph_id AND k.key IN (SELECT value FROM json_each(:keys))
      AND n.is_assistant = 0 AND n.kind IS NOT 'value' AND (n.side = :side OR n.is_user = 1)
      AND NOT EXISTS (SELECT 1 FROM entity_names e
                      WHERE e.entity_id = k.entity_id AND e.graph_id = k.graph_id AND e.key < k.key
                        AND e.key IN (SELECT value FROM json_each(:keys)))
    ORDER BY k.key, k.entity_id LIMIT :limit) matched
WHERE kind = 'person' OR substr(key, 1, 1) = '=';

-- name: that_took_in
SELECT n.* FROM entity_names k JOIN entities n ON n.id = k.entity_id AND n.graph_id = k.graph_id
WHERE k.graph_id = :graph_id
  AND (k.key = 'was:' || :uuid OR k.key >= 'was:' || :uuid || '[' AND k.key < 'was:' || :uuid || '\')
ORDER BY n.id;

-- name: of_graph
SELECT * FROM entities WHERE graph_id = :graph_id AND is_user = 0 ORDER BY id;

-- name: answers
SELECT 1 FROM entity_names k JOIN entities n ON n.id = k.entity_id AND n.graph_id = k.graph_id
JOIN json_each(n.names) a ON a.value = :name
WHERE k.graph_id = :graph_id AND k.key = :key AND (CAST(:side AS TEXT) IS NULL
    OR (n.is_user = 0 AND n.side = :side)
    OR (n.is_user = 1 AND (SELECT coalesce(max(CASE WHEN s.side = :side THEN 1 ELSE 0 END), 1)
        FROM user_sides s JOIN json_each(s.names) t ON t.value = :name
        WHERE s.entity_id = n.id) = 1)) LIMIT 1;

-- name: unsupported
SELECT id FROM entities WHERE graph_id = :graph_id AND is_user = 0
  AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = entities.id);

-- name: mentioned_by
SELECT n.* FROM mentions m JOIN entities n ON n.id = m.entity_id
WHERE m.episode_id = :episode_id ORDER BY n.id;

-- name: taking_in
SELECT n.*, k.key AS taken_key FROM entity_names k JOIN entities n ON n.id = k.entity_id AND n.graph_id = k.graph_id
WHERE k.graph_id = :graph_id AND k.key IN (SELECT value FROM json_each(:keys)) ORDER BY n.id;

-- name: place
SELECT id, graph_id, side, is_user FROM entities WHERE uuid = :uuid;

-- name: labelled
SELECT id, uuid, name, labels FROM entities
WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY id;

-- name: page_among
-- order: uuid=n.uuid, created_at=n.created_at, degree=(SELECT count(*) FROM facts f WHERE f.source_id = n.id OR f.target_id = n.id)
SELECT n.*, {key} AS page_key FROM entities n
WHERE n.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND +n.graph_id = :graph_id
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, n.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, n.uuid {dir} LIMIT :limit;
