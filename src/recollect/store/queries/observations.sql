-- Observations, and what they are made of.

-- name: metadata
SELECT o.observation_id AS id, e.metadata
FROM observation_facts o JOIN supports p ON p.fact_id = o.fact_id
JOIN episodes e ON e.id = p.episode_id
WHERE o.observation_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
GROUP BY o.observation_id, e.metadata ORDER BY o.observation_id, min(e.id);

-- name: episodes
SELECT DISTINCT o.observation_id AS id, e.id AS episode_id, e.uuid, e.metadata
FROM observation_facts o JOIN supports p ON p.fact_id = o.fact_id
JOIN episodes e ON e.id = p.episode_id
WHERE o.observation_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
ORDER BY o.observation_id, e.id;

-- name: about
SELECT * FROM observations WHERE graph_id = (SELECT graph_id FROM entities WHERE id = :entity_id)
  AND (entity_id = :entity_id OR json_extract(key, '$[2]') = :uuid)
ORDER BY id;

-- name: move
UPDATE observations SET entity_id = :entity_id, key = :key WHERE id = :id;

-- name: patterns_touched
SELECT f.source_id, f.predicate, f.slot, f.gist, f.target_id = f.source_id AS alone,
    d.uuid AS target_uuid, f.extractor, f.side,
    (SELECT count(*) FROM (SELECT 1 FROM facts g
        WHERE g.source_id = f.source_id AND g.predicate = f.predicate
          AND g.side = f.side LIMIT 3)) AS of_relation,
    (SELECT count(*) FROM (SELECT 1 FROM facts g
        WHERE g.source_id = f.source_id AND g.slot = f.slot
          AND g.side = f.side LIMIT 3)) AS of_slot,
    (SELECT count(*) FROM (SELECT 1 FROM facts g
        WHERE g.source_id = f.source_id AND g.target_id = f.target_id
          AND g.side = f.side LIMIT 3)) AS of_pair,
    (SELECT count(*) FROM (SELECT 1 FROM facts g
        WHERE g.source_id = f.source_id AND g.gist = f.gist
          AND g.side = f.side LIMIT 3)) AS of_gist,
    (SELECT count(*) FROM (SELECT 1 FROM supports q
        WHERE q.fact_id = f.id AND q.role <> 'closes' LIMIT 3)) AS said
FROM supports p JOIN facts f ON f.id = p.fact_id
JOIN entities n ON n.id = f.source_id AND n.graph_id = f.graph_id
JOIN entities d ON d.id = f.target_id AND d.graph_id = f.graph_id
WHERE p.episode_id = :episode_id AND f.extractor IS NOT NULL AND f.negated = 0 AND f.ends = 0
  AND n.is_assistant = 0
ORDER BY f.id;

-- name: pattern_open_of_relation
SELECT f.id, f.fact, f.gist, f.valid_at, f.invalid_at, f.target_id = f.source_id AS alone,
    d.uuid AS target_uuid, d.name AS target_name,
    (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
     WHERE p.fact_id = f.id AND p.role <> 'closes' ORDER BY p.episode_id DESC LIMIT 1) AS said_at
FROM facts f JOIN entities d ON d.id = f.target_id AND d.graph_id = f.graph_id
WHERE f.source_id = :entity_id AND f.predicate = :predicate AND f.invalid_at IS NULL
  AND f.negated = 0 AND f.ends = 0 AND f.extractor IS NOT NULL AND f.side = :side
ORDER BY f.id DESC LIMIT :limit;

-- name: pattern_closed_of_relation
SELECT f.id, f.fact, f.gist, f.valid_at, f.invalid_at, f.target_id = f.source_id AS alone,
    d.uuid AS target_uuid, d.name AS target_name,
    (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
     WHERE p.fact_id = f.id AND p.role <> 'closes' ORDER BY p.episode_id DESC LIMIT 1) AS said_at
FROM facts f JOIN entities d ON d.id = f.target_id AND d.graph_id = f.graph_id
WHERE f.source_id = :entity_id AND f.predicate = :predicate AND f.invalid_at IS NOT NULL
  AND f.negated = 0 AND f.ends = 0 AND f.extractor IS NOT NULL AND f.side = :side
ORDER BY f.invalid_at DESC, f.id DESC LIMIT :limit;

-- name: pattern_open_of_slot
SELECT f.id, f.fact, f.gist, f.valid_at, f.invalid_at, f.target_id = f.source_id AS alone,
    d.uuid AS target_uuid, d.name AS target_name,
    (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
     WHERE p.fact_id = f.id AND p.role <> 'closes' ORDER BY p.episode_id DESC LIMIT 1) AS said_at
FROM facts f JOIN entities d ON d.id = f.target_id AND d.graph_id = f.graph_id
WHERE f.source_id = :entity_id AND f.slot = :slot AND f.invalid_at IS NULL
  AND f.negated = 0 AND f.ends = 0 AND f.extractor IS NOT NULL AND f.side = :side
ORDER BY f.id DESC LIMIT :limit;

-- name: pattern_closed_of_slot
SELECT f.id, f.fact, f.gist, f.valid_at, f.invalid_at, f.target_id = f.source_id AS alone,
    d.uuid AS target_uuid, d.name AS target_name,
    (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
     WHERE p.fact_id = f.id AND p.role <> 'closes' ORDER BY p.episode_id DESC LIMIT 1) AS said_at
FROM facts f JOIN entities d ON d.id = f.target_id AND d.graph_id = f.graph_id
WHERE f.source_id = :entity_id AND f.slot = :slot AND f.invalid_at IS NOT NULL
  AND f.negated = 0 AND f.ends = 0 AND f.extractor IS NOT NULL AND f.side = :side
ORDER BY f.invalid_at DESC, f.id DESC LIMIT :limit;

-- name: pattern_said_of_pair
SELECT f.id, f.fact, f.gist, f.valid_at, f.invalid_at, 0 AS alone, d.uuid AS target_uuid,
    d.name AS target_name, f.predicate, max(f.negated, f.ends) AS other,
    (SELECT json_group_array(created_at) FROM
        (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
         WHERE p.fact_id = f.id AND p.role <> 'closes' ORDER BY p.episode_id DESC
         LIMIT :said_max)) AS said
FROM facts f JOIN entities d ON d.id = f.target_id AND d.graph_id = f.graph_id
WHERE f.source_id = :entity_id AND f.target_id = :target_id AND f.extractor IS NOT NULL AND f.side = :side
ORDER BY f.id DESC LIMIT :limit;

-- name: pattern_said_of_gist
SELECT f.id, f.fact, f.gist, f.valid_at, f.invalid_at, 1 AS alone, '' AS target_uuid,
    '' AS target_name, f.predicate, max(f.negated, f.ends) AS other,
    (SELECT json_group_array(created_at) FROM
        (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
         WHERE p.fact_id = f.id AND p.role <> 'closes' ORDER BY p.episode_id DESC
         LIMIT :said_max)) AS said
FROM facts f
WHERE f.source_id = :entity_id AND f.gist = :gist AND f.extractor IS NOT NULL AND f.side = :side
ORDER BY f.id DESC LIMIT :limit;

-- name: topic_window
SELECT e.id AS episode_id, e.created_at AS said_at, f.id, f.fact, f.gist, f.source_id, f.target_id
FROM episodes e
CROSS JOIN supports p ON p.episode_id = e.id AND p.role <> 'closes'
CROSS JOIN facts f ON f.id = p.fact_id
CROSS JOIN entities n ON n.id = f.source_id AND n.graph_id = f.graph_id
WHERE e.id IN (SELECT episode_id FROM readings
               WHERE graph_id = :graph_id AND seq <= :seq AND episode_id IS NOT NULL
                 AND coalesce(side, '') = :side
               ORDER BY seq DESC LIMIT :limit)
  AND f.side = :side AND e.kind = 'message' AND f.extractor IS NOT NULL AND f.slot IS NULL AND f.predicate <> 'HAS_PROCEDURE'
  AND n.is_assistant = 0
ORDER BY e.id DESC LIMIT :most;

-- name: topic_place
SELECT e.graph_id, e.seq, u.id AS user_id, u.name AS user_name
FROM episodes e JOIN entities u ON u.graph_id = e.graph_id AND u.is_user = 1
WHERE e.id = :episode_id AND e.kind = 'message';

-- name: topic_entities
SELECT id, uuid, name, names FROM entities
WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND is_user = 0 AND is_assistant = 0
  AND kind IS NOT 'value' ORDER BY id;

-- name: topic_facts
SELECT f.id, f.fact, f.gist, f.source_id, f.target_id, f.valid_at, f.invalid_at, 1 AS alone,
    '' AS target_uuid,
    '' AS target_name,
    (SELECT json_group_array(created_at) FROM
        (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
         WHERE p.fact_id = f.id AND p.role <> 'closes' AND e.kind = 'message'
         ORDER BY p.episode_id DESC LIMIT :said_max)) AS said
FROM facts f WHERE f.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY f.id;

-- name: at
SELECT * FROM observations WHERE entity_id = :entity_id AND kind = :kind AND key = :key;

-- name: by_ids
SELECT * FROM observations WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY id;

-- name: insert
INSERT INTO observations
    (id, uuid, graph_id, entity_id, kind, key, name, summary, label, start_at, latest_evidence_at,
     end_at, created_at)
VALUES
    (coalesce((SELECT max(id) + 1 FROM observations
                  WHERE id >= :first AND id < :end AND +graph_id = :graph_id), :first),
     :uuid, :graph_id, :entity_id, :kind, :key, :name, :summary, :label, :start_at,
     :latest_evidence_at, :end_at, :created_at);

-- name: update
UPDATE observations
SET name = :name, summary = :summary, start_at = :start_at,
    latest_evidence_at = :latest_evidence_at, end_at = :end_at
WHERE id = :id;

-- name: delete
DELETE FROM observations WHERE id = :id;

-- name: fact_ids
SELECT fact_id FROM observation_facts WHERE observation_id = :id ORDER BY fact_id;

-- name: facts_add
INSERT INTO observation_facts (observation_id, fact_id)
SELECT :id, CAST(value AS BIGINT) FROM json_each(:facts) WHERE true ON CONFLICT DO NOTHING;

-- name: facts_drop
DELETE FROM observation_facts
WHERE observation_id = :id AND fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts));

-- name: resting_on
SELECT DISTINCT o.id, o.graph_id FROM observation_facts k JOIN observations o ON o.id = k.observation_id
WHERE k.fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts)) ORDER BY 1;

-- name: of_entities
SELECT id, graph_id FROM observations
WHERE entity_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:entities)) ORDER BY id;

-- name: delete_unfounded
DELETE FROM observations WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
  AND NOT EXISTS (SELECT 1 FROM observation_facts k WHERE k.observation_id = observations.id);

-- name: among
SELECT id FROM observations WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: by_uuid
SELECT o.* FROM observations o JOIN graphs g ON g.id = o.graph_id
WHERE o.uuid = :uuid AND g.project_id = :project_id;

-- name: page
-- order: uuid=o.uuid, created_at=o.created_at
SELECT o.*, {key} AS page_key FROM observations o
WHERE o.graph_id = :graph_id
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, o.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, o.uuid {dir} LIMIT :limit;

-- name: basis
SELECT o.observation_id AS id, f.uuid AS fact, e.uuid AS episode
FROM observation_facts o JOIN facts f ON f.id = o.fact_id
LEFT JOIN supports p ON p.fact_id = f.id
LEFT JOIN episodes e ON e.id = p.episode_id AND e.kind NOT IN ('fact_triple', 'nodes')
WHERE o.observation_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
ORDER BY o.observation_id, f.id, e.seq;

-- name: copied
SELECT * FROM observations WHERE graph_id = :graph_id ORDER BY id;

-- name: sources
SELECT DISTINCT o.observation_id AS id, e.uuid, e.metadata, e.role, e.speaker, e.producer,
    e.addressee, e.created_at
FROM observation_facts o JOIN supports p ON p.fact_id = o.fact_id
JOIN episodes e ON e.id = p.episode_id
WHERE o.observation_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));
