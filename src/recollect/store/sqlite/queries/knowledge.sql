-- Entities, facts and their provenance.

-- name: entity_insert
INSERT INTO entities
    (id, uuid, graph_id, name, labels, summary, attributes, is_user, created_at, kind,
     is_assistant, names, side)
VALUES
    (coalesce((SELECT max(id) + 1 FROM entities WHERE id >= :first AND id < :end), :first),
     :uuid, :graph_id, :name, :labels, :summary, :attributes, :is_user, :now, :kind,
     :is_assistant, :names, :side);

-- name: entity_by_uuid
SELECT n.* FROM entities n JOIN graphs g ON g.id = n.graph_id
WHERE n.uuid = :uuid AND g.project_id = :project_id;

-- name: entity_update
UPDATE entities
SET name = :name, labels = :labels, summary = :summary, attributes = :attributes
WHERE id = :id;

-- name: entity_learn
-- What an episode adds to an entity.
UPDATE entities
SET name = :name, labels = :labels, summary = :summary, attributes = :attributes, kind = :kind,
    names = :names
WHERE id = :id;

-- name: entity_name_insert
INSERT INTO entity_names (graph_id, key, entity_id) VALUES (:graph_id, :key, :entity_id)
ON CONFLICT DO NOTHING;

-- name: entity_names_delete
-- But for the keys of those whom it has taken in by hand.
DELETE FROM entity_names WHERE entity_id = :entity_id AND key NOT GLOB 'was:*';

-- name: entity_takes_in_nobody
DELETE FROM entity_names WHERE entity_id = :entity_id AND key GLOB 'was:*';

-- name: entity_set_names
UPDATE entities SET names = :names WHERE id = :id;

-- name: entity_ids_by_key
-- A few for each key, the oldest first: a common first name must not cost more in a large graph.
SELECT entity_id FROM entity_names
WHERE graph_id = :graph_id AND key = :key ORDER BY entity_id LIMIT :limit;

-- name: entities_by_keys
-- The same for several keys on one side, with all that is known; whoever answers to more of them is
-- told again.
SELECT n.* FROM json_each(:keys) j CROSS JOIN entities n
WHERE n.id IN (SELECT k.entity_id FROM entity_names k JOIN entities m ON m.id = k.entity_id
               WHERE k.graph_id = :graph_id AND k.key = j.value AND (m.side = :side OR m.is_user = 1)
               ORDER BY k.entity_id LIMIT :limit);

-- name: entities_who
-- The user's own node and the assistant's, one for each side.
SELECT * FROM entities
WHERE graph_id = :graph_id AND (is_user = 1 OR is_assistant = 1) ORDER BY id;

-- name: entities_by_uuids_on_side
SELECT * FROM entities
WHERE graph_id = :graph_id AND uuid IN (SELECT value FROM json_each(:uuids))
  AND (side = :side OR is_user = 1) ORDER BY id;

-- name: facts_by_uuids_on_side
SELECT * FROM facts
WHERE graph_id = :graph_id AND uuid IN (SELECT value FROM json_each(:uuids)) AND side = :side
ORDER BY id;

-- name: user_side
-- What a user's node learned on one side, and all that it learned on any.
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

-- name: entity_by_id
SELECT * FROM entities WHERE id = :id;

-- name: entities_by_ids
SELECT * FROM entities WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- name: entities_by_uuids
SELECT * FROM entities
WHERE graph_id = :graph_id AND uuid IN (SELECT value FROM json_each(:uuids)) ORDER BY id;

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
    (id, uuid, graph_id, source_id, target_id, name, fact, attributes, rating, created_at,
     expired_at, valid_at, invalid_at, predicate, gist, negated, ends, slot, confidence,
     extractor, event_at, side)
VALUES
    (coalesce((SELECT max(id) + 1 FROM facts WHERE id >= :first AND id < :end), :first),
     :uuid, :graph_id, :source_id, :target_id, :name, :fact, :attributes, :rating, :created_at,
     :expired_at, :valid_at, :invalid_at, :predicate, :gist, :negated, :ends, :slot,
     :confidence, :extractor, :event_at, :side);

-- name: facts_open_by_source
SELECT * FROM facts WHERE source_id = :entity_id AND predicate = :value AND invalid_at IS NULL AND side = :side
ORDER BY id DESC LIMIT :limit;

-- name: facts_closed_by_source
SELECT * FROM facts WHERE source_id = :entity_id AND predicate = :value AND invalid_at >= :since AND side = :side
ORDER BY valid_at, id LIMIT :limit;

-- name: facts_open_by_target
SELECT * FROM facts WHERE target_id = :entity_id AND predicate = :value AND invalid_at IS NULL AND side = :side
ORDER BY id DESC LIMIT :limit;

-- name: facts_closed_by_target
SELECT * FROM facts WHERE target_id = :entity_id AND predicate = :value AND invalid_at >= :since AND side = :side
ORDER BY valid_at, id LIMIT :limit;

-- name: facts_open_by_slot
SELECT * FROM facts WHERE source_id = :entity_id AND slot = :value AND invalid_at IS NULL AND side = :side
ORDER BY id DESC LIMIT :limit;

-- name: facts_closed_by_slot
SELECT * FROM facts WHERE source_id = :entity_id AND slot = :value AND invalid_at >= :since AND side = :side
ORDER BY valid_at, id LIMIT :limit;

-- name: facts_by_pair
SELECT * FROM facts WHERE source_id = :entity_id AND target_id = :target_id AND side = :side
ORDER BY id DESC LIMIT :limit;

-- name: facts_by_gist
SELECT * FROM facts WHERE source_id = :entity_id AND gist = :gist AND side = :side
ORDER BY id DESC LIMIT :limit;

-- name: fact_place
SELECT graph_id, side, 0 AS is_user FROM facts WHERE uuid = :uuid;

-- name: facts_by_uuids
SELECT * FROM facts
WHERE graph_id = :graph_id AND uuid IN (SELECT value FROM json_each(:uuids)) ORDER BY id;

-- name: facts_said
-- When the episode that states a fact happened.
SELECT s.fact_id, min(e.created_at) AS said_at
FROM json_each(:ids) j JOIN supports s ON s.fact_id = j.value AND s.role = 'states'
JOIN episodes e ON e.id = s.episode_id
GROUP BY s.fact_id;

-- name: fact_end
-- Sets both end times; learning something never deletes or rewrites a fact.
UPDATE facts SET invalid_at = :invalid_at, expired_at = :expired_at WHERE id = :id;

-- name: closing_insert
INSERT INTO closings (fact_id, by_fact_id, episode_id, ended_at, expired_at, judge, sure)
VALUES (:fact_id, :by_fact_id, :episode_id, :ended_at, :expired_at, :judge, :sure);

-- name: doubt_insert
INSERT INTO doubts (fact_id, by_fact_id, episode_id, judge, sure)
VALUES (:fact_id, :by_fact_id, :episode_id, :judge, :sure)
ON CONFLICT (fact_id, by_fact_id) DO UPDATE SET sure = max(sure, excluded.sure);

-- name: doubts_dispel
DELETE FROM doubts WHERE fact_id = :fact_id;

-- name: doubted_by_fact
SELECT fact_id FROM doubts WHERE by_fact_id = :fact_id ORDER BY fact_id;

-- name: doubts_drop_by
DELETE FROM doubts WHERE by_fact_id = :fact_id;

-- name: closings_by_hand
-- Someone set the end of a fact: that counts, whatever was said before.
DELETE FROM closings WHERE fact_id = :id;

-- name: profile_closings_add
-- What a user's record no longer tells has ended for good, whatever episodes said about it.
INSERT INTO closings (fact_id, ended_at, expired_at)
SELECT id, coalesce(invalid_at, :now), coalesce(expired_at, :now) FROM facts
WHERE source_id = :entity_id AND target_id = :entity_id AND name = :name AND extractor IS NULL;

-- name: entity_set_given
UPDATE entities SET given = :given WHERE id = :id;

-- name: fact_by_uuid
SELECT f.*
FROM fact_told f JOIN graphs g ON g.id = f.graph_id
WHERE f.uuid = :uuid AND g.project_id = :project_id;

-- name: facts_page
-- order: uuid=f.uuid, created_at=f.created_at, valid_at=coalesce(f.valid_at, 0)
-- Chosen before they are told: telling costs more than sorting.
SELECT f.*, {key} AS page_key FROM fact_told f
WHERE f.id IN (
    SELECT f.id FROM facts f
    WHERE f.graph_id = :graph_id
      AND (:after_uuid IS NULL OR ({key}, f.uuid) {cmp} (:after_key, :after_uuid))
    ORDER BY {key} {dir}, f.uuid {dir} LIMIT :limit)
ORDER BY {key} {dir}, f.uuid {dir};

-- name: facts_of_entity
SELECT f.*
FROM fact_told f
WHERE f.source_id = :entity_id OR f.target_id = :entity_id
ORDER BY f.id LIMIT :limit;

-- name: fact_ids_of_entity
SELECT id, fact FROM facts WHERE source_id = :entity_id OR target_id = :entity_id;

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

-- name: facts_begun
-- What is or was true in the world, newest knowledge first.
SELECT f.*
FROM fact_told f
WHERE f.graph_id = :graph_id AND (f.valid_at IS NULL OR f.valid_at <= :now)
ORDER BY f.id DESC LIMIT :limit;

-- name: fact_update
UPDATE facts
SET name = :name, fact = :fact, gist = :gist, attributes = :attributes,
    expired_at = :expired_at, valid_at = :valid_at, invalid_at = :invalid_at
WHERE id = :id;

-- name: fact_close
-- A profile fact that the user's record no longer tells.
UPDATE facts SET invalid_at = :invalid_at, expired_at = :now
WHERE source_id = :entity_id AND target_id = :entity_id AND name = :name AND expired_at IS NULL
RETURNING id;

-- name: mention_insert
INSERT INTO mentions (entity_id, episode_id) VALUES (:entity_id, :episode_id)
ON CONFLICT DO NOTHING;

-- name: support_insert
INSERT INTO supports (fact_id, episode_id, role, span_start, span_end)
VALUES (:fact_id, :episode_id, :role, :span_start, :span_end)
ON CONFLICT DO NOTHING;
