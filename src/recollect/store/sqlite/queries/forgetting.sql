-- What goes when episodes go.

-- name: facts_supported_only_by
-- What a user's record tells needs no episode: that one restated it does not make it that one's.
SELECT f.id, f.graph_id, f.source_id, f.target_id FROM facts f
WHERE f.id IN (SELECT fact_id FROM supports
               WHERE episode_id IN (SELECT value FROM json_each(:episodes)))
  AND f.extractor IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM supports p WHERE p.fact_id = f.id
                  AND p.episode_id NOT IN (SELECT value FROM json_each(:episodes)));

-- name: entity_ids_mentioned_by
SELECT DISTINCT entity_id FROM mentions
WHERE episode_id IN (SELECT value FROM json_each(:episodes));

-- name: facts_delete
DELETE FROM facts WHERE id IN (SELECT value FROM json_each(:ids));

-- name: episodes_delete
DELETE FROM episodes WHERE id IN (SELECT value FROM json_each(:ids));

-- name: entities_delete_unsupported
-- The user's own node stays, and so does a node that a surviving fact touches.
DELETE FROM entities
WHERE id IN (SELECT value FROM json_each(:ids)) AND is_user = 0
  AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = entities.id)
  AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.source_id = entities.id)
  AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.target_id = entities.id)
RETURNING id, graph_id;

-- name: episode_places
SELECT id, graph_id FROM episodes WHERE id IN (SELECT value FROM json_each(:ids));
