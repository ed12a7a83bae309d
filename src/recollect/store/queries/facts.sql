-- Facts, with their two clocks.

-- name: direct_facts_of_task
SELECT f.*
FROM jobs j JOIN episodes e ON e.id = j.id AND e.graph_id = j.graph_id JOIN supports p ON p.episode_id = e.id
JOIN fact_told f ON f.id = p.fact_id
WHERE j.task_uuid = :task_uuid AND e.kind = 'fact_triple' AND p.role <> 'closes'
ORDER BY e.seq, f.id;

-- name: uuid_taken
SELECT graph_id FROM facts WHERE uuid = :uuid;

-- name: metadata
SELECT p.fact_id AS id, e.metadata
FROM supports p JOIN episodes e ON e.id = p.episode_id
WHERE p.fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
GROUP BY p.fact_id, e.metadata ORDER BY p.fact_id, min(e.id);

-- name: of_observations
SELECT observation_id AS id, fact_id FROM observation_facts
WHERE observation_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY observation_id, fact_id;

-- name: about_entity
SELECT id, fact, invalid_at FROM facts
WHERE (source_id = :entity_id OR target_id = :entity_id) AND extractor IS NOT NULL
ORDER BY id DESC LIMIT :limit;

-- name: supported_only_by
SELECT f.id, f.graph_id, f.source_id, f.target_id FROM facts f
WHERE f.id IN (SELECT fact_id FROM supports
               WHERE episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes)))
  AND f.extractor IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM supports p WHERE p.fact_id = f.id
                  AND p.episode_id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes)));

-- name: said_only_by
SELECT f.id, f.graph_id, f.source_id, f.target_id FROM facts f
WHERE f.id IN (SELECT fact_id FROM supports
               WHERE episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes)))
  AND f.extractor IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM supports p WHERE p.fact_id = f.id
                  AND p.episode_id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes))
                  AND (p.role <> 'closes'
                       OR EXISTS (SELECT 1 FROM closings c WHERE c.fact_id = f.id
                                  AND c.episode_id = p.episode_id AND c.by_fact_id IS NULL)));

-- name: reopened_without
SELECT fact_id FROM closings
WHERE by_fact_id IS NULL AND episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes))
UNION
SELECT fact_id FROM closings WHERE by_fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts));

-- name: end_again
UPDATE facts
SET invalid_at = (SELECT min(c.ended_at) FROM closings c WHERE c.fact_id = facts.id),
    expired_at = (SELECT min(c.expired_at) FROM closings c WHERE c.fact_id = facts.id)
WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: around
SELECT source_id AS entity_id, id, graph_id, fact, invalid_at FROM facts
WHERE source_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
UNION
SELECT target_id, id, graph_id, fact, invalid_at FROM facts
WHERE target_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
ORDER BY 1, 2;

-- name: of_entities
SELECT id, graph_id, source_id, target_id FROM facts
WHERE source_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
UNION
SELECT id, graph_id, source_id, target_id FROM facts
WHERE target_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: ends
SELECT id, graph_id, source_id, target_id FROM facts WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: delete
DELETE FROM facts WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: ids_by_uuids
SELECT id FROM facts
WHERE graph_id = :graph_id AND uuid IN (SELECT value FROM json_each(:uuids)) ORDER BY id;

-- name: told_by_ids
SELECT f.* FROM fact_told f WHERE f.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: by_uuids_on_side
SELECT * FROM facts
WHERE graph_id = :graph_id AND uuid IN (SELECT value FROM json_each(:uuids)) AND side = :side
ORDER BY id;

-- name: insert
INSERT INTO facts
    (id, uuid, graph_id, source_id, target_id, name, fact, attributes, rating, created_at,
     expired_at, valid_at, invalid_at, predicate, gist, negated, ends, slot, confidence,
     extractor, event_at, side)
VALUES
    (coalesce((SELECT max(id) + 1 FROM facts WHERE id >= :first AND id < :end AND +graph_id = :graph_id), :first),
     :uuid, :graph_id, :source_id, :target_id, :name, :fact, :attributes, :rating, :created_at,
     :expired_at, :valid_at, :invalid_at, :predicate, :gist, :negated, :ends, :slot,
     :confidence, :extractor, :event_at, :side);

-- name: open_by_source
SELECT * FROM facts WHERE source_id = :entity_id AND predicate = :value AND invalid_at IS NULL AND side = :side
ORDER BY id DESC LIMIT :limit;

-- name: closed_by_source
SELECT * FROM facts WHERE source_id = :entity_id AND predicate = :value AND invalid_at >= :since AND side = :side
ORDER BY valid_at, id LIMIT :limit;

-- name: open_by_target
SELECT * FROM facts WHERE target_id = :entity_id AND predicate = :value AND invalid_at IS NULL AND side = :side
ORDER BY id DESC LIMIT :limit;

-- name: closed_by_target
SELECT * FROM facts WHERE target_id = :entity_id AND predicate = :value AND invalid_at >= :since AND side = :side
ORDER BY valid_at, id LIMIT :limit;

-- name: open_by_slot
SELECT * FROM facts WHERE source_id = :entity_id AND slot = :value AND invalid_at IS NULL AND side = :side
ORDER BY id DESC LIMIT :limit;

-- name: closed_by_slot
SELECT * FROM facts WHERE source_id = :entity_id AND slot = :value AND invalid_at >= :since AND side = :side
ORDER BY valid_at, id LIMIT :limit;

-- name: by_pair
SELECT * FROM facts WHERE source_id = :entity_id AND target_id = :target_id AND side = :side
ORDER BY id DESC LIMIT :limit;

-- name: by_gist
SELECT * FROM facts WHERE source_id = :entity_id AND gist = :gist AND side = :side
ORDER BY id DESC LIMIT :limit;

-- name: place
SELECT graph_id, side, 0 AS is_user FROM facts WHERE uuid = :uuid;

-- name: by_uuids
SELECT * FROM facts
WHERE graph_id = :graph_id AND uuid IN (SELECT value FROM json_each(:uuids)) ORDER BY id;

-- name: said
SELECT s.fact_id, min(e.created_at) AS said_at
FROM json_each(:ids) j JOIN supports s ON s.fact_id = CAST(j.value AS BIGINT) AND s.role = 'states'
JOIN episodes e ON e.id = s.episode_id
GROUP BY s.fact_id;

-- name: end
UPDATE facts SET invalid_at = :invalid_at, expired_at = :expired_at WHERE id = :id;

-- name: by_uuid
SELECT f.*
FROM fact_told f JOIN graphs g ON g.id = f.graph_id
WHERE f.uuid = :uuid AND g.project_id = :project_id;

-- name: page
-- order: uuid=f.uuid, created_at=f.created_at, valid_at=coalesce(f.valid_at, 0)
SELECT f.*, {key} AS page_key FROM fact_told f
WHERE f.id IN (
    SELECT f.id FROM facts f
    WHERE f.graph_id = :graph_id
      AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, f.uuid) {cmp} (:after_key, :after_uuid))
    ORDER BY {key} {dir}, f.uuid {dir} LIMIT :limit)
ORDER BY {key} {dir}, f.uuid {dir};

-- name: of_entity
SELECT f.*
FROM fact_told f
WHERE f.source_id = :entity_id OR f.target_id = :entity_id
ORDER BY f.id LIMIT :limit;

-- name: ids_of_entity
SELECT id, fact FROM facts WHERE source_id = :entity_id OR target_id = :entity_id;

-- name: of_episode
SELECT f.*
FROM supports q JOIN fact_told f ON f.id = q.fact_id
WHERE q.episode_id = :episode_id
ORDER BY f.id LIMIT :limit;

-- name: holding
SELECT f.*
FROM fact_told f
WHERE f.graph_id = :graph_id
  AND (f.valid_at IS NULL OR f.valid_at <= :now)
  AND (f.invalid_at IS NULL OR f.invalid_at > :now)
  AND (f.expired_at IS NULL OR f.expired_at > :now)
ORDER BY f.id DESC LIMIT :limit;

-- name: begun
SELECT f.*
FROM fact_told f
WHERE f.graph_id = :graph_id AND (f.valid_at IS NULL OR f.valid_at <= :now)
ORDER BY f.id DESC LIMIT :limit;

-- name: update
UPDATE facts
SET name = :name, fact = :fact, gist = :gist, attributes = :attributes,
    expired_at = :expired_at, valid_at = :valid_at, invalid_at = :invalid_at
WHERE id = :id;

-- name: close
UPDATE facts SET invalid_at = :invalid_at, expired_at = :now
WHERE source_id = :entity_id AND target_id = :entity_id AND name = :name AND expired_at IS NULL
RETURNING id;

-- name: reopened
SELECT max(at) AS at FROM edits WHERE subject = :uuid AND kind = 'fact.reopen';

-- name: from_place
SELECT * FROM facts WHERE source_id = :entity_id ORDER BY id DESC LIMIT :limit;

-- name: of_graph
SELECT * FROM facts WHERE graph_id = :graph_id ORDER BY id;

-- name: keep_against
UPDATE facts SET kept_against = :marks WHERE id = :id;

-- name: unsupported
SELECT id, graph_id, source_id, target_id FROM facts
WHERE graph_id = :graph_id AND extractor IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM supports p WHERE p.fact_id = facts.id);

-- name: stated_by
SELECT f.*, p.span_start, p.span_end, e.created_at AS said_at, i.vector,
    EXISTS (SELECT 1 FROM closings c WHERE c.fact_id = f.id AND c.episode_id = e.id
            AND c.by_fact_id IS NULL) AS ended_itself
FROM supports p JOIN facts f ON f.id = p.fact_id JOIN episodes e ON e.id = p.episode_id
LEFT JOIN index_rows i ON i.graph_id = f.graph_id AND i.item_kind = 'fact' AND i.item_id = f.id
WHERE p.episode_id = :episode_id AND p.role = 'states' ORDER BY f.id;

-- name: join_sources
UPDATE facts SET source_id = :kept WHERE source_id = :gone;

-- name: join_targets
UPDATE facts SET target_id = :kept WHERE target_id = :gone;

-- name: of_thread
SELECT f.*
FROM fact_told f
WHERE f.id IN (SELECT p.fact_id FROM supports p
               WHERE p.episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes))
                 AND p.role <> 'closes')
  AND (CAST(:rating_min AS DOUBLE PRECISION) IS NULL OR f.rating IS NULL OR f.rating >= :rating_min)
ORDER BY f.id DESC LIMIT :limit;

-- name: resting_on
SELECT DISTINCT fact_id FROM supports
WHERE episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes)) ORDER BY 1;

-- name: of_node_before
SELECT f.* FROM fact_told f
WHERE f.id IN (
    SELECT id FROM facts WHERE :outwards = 1 AND source_id = :entity_id AND id < :before
    UNION
    SELECT id FROM facts WHERE :inwards = 1 AND target_id = :entity_id AND id < :before
    ORDER BY id DESC LIMIT :limit)
ORDER BY f.id DESC;

-- name: between
SELECT f.* FROM fact_told f
WHERE f.id IN (
    SELECT id FROM facts
    WHERE :outwards = 1 AND source_id = :entity_id
      AND target_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:others))
      AND (CAST(:fact_ids AS TEXT) IS NULL OR id IN (SELECT CAST(value AS BIGINT) FROM json_each(:fact_ids)))
    UNION
    SELECT id FROM facts
    WHERE :inwards = 1 AND target_id = :entity_id
      AND source_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:others))
      AND (CAST(:fact_ids AS TEXT) IS NULL OR id IN (SELECT CAST(value AS BIGINT) FROM json_each(:fact_ids)))
    ORDER BY id DESC LIMIT :limit)
ORDER BY f.id DESC;

-- name: between_before
SELECT f.* FROM fact_told f
WHERE f.id IN (
    SELECT id FROM facts
    WHERE :outwards = 1 AND source_id = :entity_id AND id < :before
      AND target_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:others))
    UNION
    SELECT id FROM facts
    WHERE :inwards = 1 AND target_id = :entity_id AND id < :before
      AND source_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:others))
    ORDER BY id DESC LIMIT :limit)
ORDER BY f.id DESC;

-- name: page_among
-- order: uuid=f.uuid, created_at=f.created_at, valid_at=coalesce(f.valid_at, 0)
SELECT f.*, {key} AS page_key FROM fact_told f
WHERE f.id IN (
    SELECT f.id FROM facts f
    WHERE f.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND +f.graph_id = :graph_id
      AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, f.uuid) {cmp} (:after_key, :after_uuid))
    ORDER BY {key} {dir}, f.uuid {dir} LIMIT :limit)
ORDER BY {key} {dir}, f.uuid {dir};
