-- Feature sets, categories and tags, and the episodes behind features.

-- name: sources
SELECT p.fact_id, e.producer, e.speaker, e.metadata
FROM supports p JOIN episodes e ON e.id = p.episode_id
WHERE p.fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND p.role <> 'closes'
ORDER BY p.fact_id, e.seq;

-- name: statement_awaited
SELECT id, content, received_at FROM episodes
WHERE uuid = :uuid AND graph_id = :graph_id AND kind = 'fact_triple' AND processed_at IS NULL;

-- name: fact_of_statement
SELECT f.uuid FROM episodes e JOIN supports p ON p.episode_id = e.id JOIN facts f ON f.id = p.fact_id
WHERE e.uuid = :uuid AND e.graph_id = :graph_id AND e.kind = 'fact_triple' AND p.role <> 'closes'
ORDER BY f.id LIMIT 1;

-- name: set_type_insert
INSERT INTO feature_set_types (uuid, graph_id, is_org_level, tags, name, description, created_at)
VALUES (:uuid, :graph_id, :is_org_level, :tags, :name, :description, :now);

-- name: set_type_like
SELECT id FROM feature_set_types
WHERE graph_id = :graph_id AND is_org_level = :is_org_level AND tags = :tags;

-- name: set_types_of
SELECT * FROM feature_set_types WHERE graph_id = :graph_id ORDER BY id;

-- name: set_type_delete
DELETE FROM feature_set_types WHERE uuid = :uuid AND graph_id = :graph_id;

-- name: category_insert
INSERT INTO feature_categories
    (uuid, graph_id, set_key, set_type_id, name, prompt, description, created_at)
VALUES (:uuid, :graph_id, :set_key, :set_type_id, :name, :prompt, :description, :now);

-- name: category_by_uuid
SELECT c.*, t.uuid AS set_type_uuid
FROM feature_categories c LEFT JOIN feature_set_types t ON t.id = c.set_type_id AND t.graph_id = c.graph_id
WHERE c.uuid = :uuid AND c.graph_id = :graph_id;

-- name: categories_of
SELECT c.*, t.uuid AS set_type_uuid
FROM feature_categories c LEFT JOIN feature_set_types t ON t.id = c.set_type_id AND t.graph_id = c.graph_id
WHERE c.graph_id = :graph_id ORDER BY c.id;

-- name: category_delete
DELETE FROM feature_categories WHERE id = :id AND graph_id = :graph_id;

-- name: tag_insert
INSERT INTO feature_tags (uuid, category_id, name, description)
VALUES (:uuid, :category_id, :name, :description);

-- name: tags_of
SELECT t.id, t.category_id, t.name FROM feature_categories c
JOIN feature_tags t ON t.category_id = c.id WHERE c.graph_id = :graph_id ORDER BY t.id;

-- name: tag_delete
DELETE FROM feature_tags WHERE uuid = :uuid
  AND category_id IN (SELECT id FROM feature_categories WHERE graph_id = :graph_id);

-- name: category_off_put
INSERT INTO feature_categories_off (graph_id, set_key, name) VALUES (:graph_id, :set_key, :name)
ON CONFLICT DO NOTHING;

-- name: category_off_drop
DELETE FROM feature_categories_off
WHERE graph_id = :graph_id AND set_key = :set_key AND name = :name;

-- name: categories_off_of
SELECT set_key, name FROM feature_categories_off WHERE graph_id = :graph_id;

-- name: set_keys
SELECT set_key FROM feature_categories WHERE graph_id = :graph_id AND set_key IS NOT NULL
UNION SELECT set_key FROM feature_categories_off WHERE graph_id = :graph_id
ORDER BY set_key;
