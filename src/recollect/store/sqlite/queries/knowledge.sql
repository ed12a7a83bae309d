-- Entities, facts and their provenance.

-- name: entity_insert
INSERT INTO entities (uuid, graph_id, name, labels, summary, attributes, is_user, created_at)
VALUES (:uuid, :graph_id, :name, :labels, :summary, :attributes, :is_user, :now);

-- name: entity_by_uuid
SELECT n.* FROM entities n JOIN graphs g ON g.id = n.graph_id
WHERE n.uuid = :uuid AND g.project_id = :project_id;

-- name: entity_update
UPDATE entities
SET name = :name, labels = :labels, summary = :summary, attributes = :attributes
WHERE id = :id;

-- name: entity_delete
DELETE FROM entities WHERE id = :id;

-- name: entities_page
-- order: uuid=n.uuid, created_at=n.created_at, degree=(SELECT count(*) FROM facts f WHERE f.source_id = n.id OR f.target_id = n.id)
SELECT n.*, {key} AS page_key FROM entities n
WHERE n.graph_id = :graph_id
  AND (:after_uuid IS NULL OR ({key}, n.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, n.uuid {dir} LIMIT :limit;

-- name: entities_of_episode
SELECT n.* FROM mentions m JOIN entities n ON n.id = m.entity_id
WHERE m.episode_id = :episode_id ORDER BY n.id LIMIT :limit;

-- name: fact_insert
INSERT INTO facts
    (uuid, graph_id, source_id, target_id, name, fact, attributes, rating, created_at,
     expired_at, valid_at, invalid_at)
VALUES
    (:uuid, :graph_id, :source_id, :target_id, :name, :fact, :attributes, :rating, :created_at,
     :expired_at, :valid_at, :invalid_at);

-- name: fact_by_uuid
SELECT f.*
FROM fact_told f JOIN graphs g ON g.id = f.graph_id
WHERE f.uuid = :uuid AND g.project_id = :project_id;

-- name: facts_page
-- order: uuid=f.uuid, created_at=f.created_at, valid_at=coalesce(f.valid_at, 0)
SELECT f.*, {key} AS page_key
FROM fact_told f
WHERE f.graph_id = :graph_id
  AND (:after_uuid IS NULL OR ({key}, f.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, f.uuid {dir} LIMIT :limit;

-- name: facts_of_entity
SELECT f.*
FROM fact_told f
WHERE f.source_id = :entity_id OR f.target_id = :entity_id
ORDER BY f.id LIMIT :limit;

-- name: facts_of_episode
SELECT f.*
FROM supports q JOIN fact_told f ON f.id = q.fact_id
WHERE q.episode_id = :episode_id
ORDER BY f.id LIMIT :limit;

-- name: facts_holding
-- What is true in the world and not known to be wrong, newest knowledge first.
SELECT f.*
FROM fact_told f
WHERE f.graph_id = :graph_id
  AND (f.valid_at IS NULL OR f.valid_at <= :now)
  AND (f.invalid_at IS NULL OR f.invalid_at > :now)
  AND (f.expired_at IS NULL OR f.expired_at > :now)
ORDER BY f.id DESC LIMIT :limit;

-- name: fact_update
UPDATE facts
SET name = :name, fact = :fact, attributes = :attributes, expired_at = :expired_at,
    valid_at = :valid_at, invalid_at = :invalid_at
WHERE id = :id;

-- name: fact_close
-- Sets both end times; learning something never deletes or rewrites a fact.
UPDATE facts SET invalid_at = :invalid_at, expired_at = :now
WHERE source_id = :entity_id AND target_id = :entity_id AND name = :name AND expired_at IS NULL;

-- name: fact_delete
DELETE FROM facts WHERE id = :id;

-- name: mention_insert
INSERT INTO mentions (entity_id, episode_id) VALUES (:entity_id, :episode_id)
ON CONFLICT DO NOTHING;

-- name: support_insert
INSERT INTO supports (fact_id, episode_id) VALUES (:fact_id, :episode_id)
ON CONFLICT DO NOTHING;
