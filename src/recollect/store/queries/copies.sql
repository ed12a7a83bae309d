-- Copying one graph into another, table by table.

-- name: episodes_of
SELECT id, uuid FROM episodes WHERE graph_id = :graph_id AND ignored = 0 ORDER BY id;

-- name: entities_of
SELECT id, uuid FROM entities WHERE graph_id = :graph_id AND is_user = 0 ORDER BY id;

-- name: facts_of
SELECT f.id, f.uuid, f.source_id, f.target_id FROM facts f
WHERE f.graph_id = :graph_id
  AND (f.source_id IS NOT :user_node OR f.target_id IS NOT :user_node
       OR f.extractor IS NOT NULL OR f.expired_at IS NOT NULL)
ORDER BY f.id;

-- name: guidance_of
SELECT id FROM guidance WHERE graph_id = :graph_id ORDER BY id;

-- name: episodes
INSERT INTO episodes
    (uuid, graph_id, seq, kind, content, role, speaker, source_description, thread_id,
     document_id, metadata, ignored, strict_ontology, created_at, received_at, processed_at,
     task_uuid, producer, addressee, extra, kept_for, failure)
SELECT json_extract(c.value, '$[1]'), :graph_id, e.seq, e.kind, e.content, e.role, e.speaker,
    e.source_description, NULL, e.document_id, e.metadata, e.ignored, e.strict_ontology,
    e.created_at, e.received_at, e.processed_at, :task_uuid, e.producer, e.addressee,
    e.extra, e.kept_for, e.failure
FROM json_each(:pairs) c JOIN episodes e ON e.id = CAST(json_extract(c.value, '$[0]') AS BIGINT)
ORDER BY e.id;

-- name: entities
INSERT INTO entities
    (id, uuid, graph_id, name, labels, summary, attributes, is_user, created_at, kind, is_assistant,
     names, given, side)
SELECT coalesce((SELECT max(id) + 1 FROM entities WHERE id >= :first AND id < :end AND +graph_id = :graph_id), :first)
        + row_number() OVER (ORDER BY n.id) - 1,
    json_extract(c.value, '$[1]'), :graph_id, n.name, n.labels, n.summary, n.attributes,
    n.is_user, n.created_at, n.kind, n.is_assistant, n.names, n.given, n.side
FROM json_each(:pairs) c JOIN entities n ON n.id = CAST(json_extract(c.value, '$[0]') AS BIGINT)
ORDER BY n.id;

-- name: entity_names
INSERT INTO entity_names (graph_id, key, entity_id)
SELECT :graph_id, k.key, CAST(json_extract(c.value, '$[1]') AS BIGINT)
FROM json_each(:pairs) c JOIN entity_names k ON k.entity_id = CAST(json_extract(c.value, '$[0]') AS BIGINT)
WHERE CAST(json_extract(c.value, '$[0]') AS BIGINT) IS NOT :user_node;

-- name: facts
INSERT INTO facts
    (id, uuid, graph_id, source_id, target_id, name, fact, attributes, rating, created_at,
     expired_at, valid_at, invalid_at, predicate, gist, negated, ends, slot, confidence,
     extractor, event_at, kept_against, side)
SELECT coalesce((SELECT max(id) + 1 FROM facts WHERE id >= :first AND id < :end AND +graph_id = :graph_id), :first)
        + row_number() OVER (ORDER BY f.id) - 1,
    json_extract(c.value, '$[1]'), :graph_id, CAST(json_extract(c.value, '$[2]') AS BIGINT),
    CAST(json_extract(c.value, '$[3]') AS BIGINT), f.name, f.fact, f.attributes, f.rating, f.created_at,
    f.expired_at, f.valid_at, f.invalid_at, f.predicate, f.gist, f.negated, f.ends, f.slot,
    f.confidence, f.extractor, f.event_at, f.kept_against, f.side
FROM json_each(:pairs) c JOIN facts f ON f.id = CAST(json_extract(c.value, '$[0]') AS BIGINT)
ORDER BY f.id;

-- name: readings
INSERT INTO readings (graph_id, seq, episode_id, reader, found, vectors, read_at, side)
SELECT copy.graph_id, r.seq, copy.id, r.reader, r.found, r.vectors, r.read_at, r.side
FROM readings r JOIN episodes copy ON copy.graph_id = :graph_id AND copy.seq = r.seq
WHERE r.graph_id = :source;

-- name: edits_of
SELECT id, subject, near FROM edits WHERE graph_id = :graph_id ORDER BY id;

-- name: edits
INSERT INTO edits
    (graph_id, seq, kind, subject, near, mark, change, vector, at, everywhere, side, walls)
SELECT :graph_id, e.seq, e.kind, json_extract(c.value, '$[1]'), json_extract(c.value, '$[2]'),
    e.mark, e.change, e.vector, e.at, e.everywhere, e.side, e.walls
FROM json_each(:pairs) c JOIN edits e ON e.id = CAST(json_extract(c.value, '$[0]') AS BIGINT) ORDER BY e.id;

-- name: mentions
INSERT INTO mentions (entity_id, episode_id)
SELECT CAST(json_extract(c.value, '$[1]') AS BIGINT), copy.id
FROM json_each(:pairs) c JOIN mentions m ON m.entity_id = CAST(json_extract(c.value, '$[0]') AS BIGINT)
JOIN episodes e ON e.id = m.episode_id
JOIN episodes copy ON copy.graph_id = :graph_id AND copy.seq = e.seq;

-- name: supports
INSERT INTO supports (fact_id, episode_id, role, span_start, span_end)
SELECT CAST(json_extract(c.value, '$[1]') AS BIGINT), copy.id, p.role, p.span_start, p.span_end
FROM json_each(:pairs) c JOIN supports p ON p.fact_id = CAST(json_extract(c.value, '$[0]') AS BIGINT)
JOIN episodes e ON e.id = p.episode_id
JOIN episodes copy ON copy.graph_id = :graph_id AND copy.seq = e.seq;

-- name: closings
INSERT INTO closings (fact_id, by_fact_id, episode_id, ended_at, expired_at, judge, sure)
SELECT CAST(json_extract(c.value, '$[1]') AS BIGINT),
    (SELECT CAST(json_extract(b.value, '$[1]') AS BIGINT) FROM json_each(:pairs) b
     WHERE k.by_fact_id IS NOT NULL AND CAST(json_extract(b.value, '$[0]') AS BIGINT) = k.by_fact_id),
    copy.id, k.ended_at, k.expired_at, k.judge, k.sure
FROM json_each(:pairs) c JOIN closings k ON k.fact_id = CAST(json_extract(c.value, '$[0]') AS BIGINT)
LEFT JOIN episodes e ON e.id = k.episode_id
LEFT JOIN episodes copy ON copy.graph_id = :graph_id AND copy.seq = e.seq
ORDER BY k.id;

-- name: doubts
WITH pairs AS MATERIALIZED (
    SELECT CAST(json_extract(value, '$[0]') AS BIGINT) AS old,
        CAST(json_extract(value, '$[1]') AS BIGINT) AS new
    FROM json_each(:pairs)
)
INSERT INTO doubts (fact_id, by_fact_id, episode_id, judge, sure)
SELECT c.new, b.new, copy.id, d.judge, d.sure
FROM pairs c JOIN doubts d ON d.fact_id = c.old JOIN pairs b ON b.old = d.by_fact_id
JOIN episodes e ON e.id = d.episode_id
JOIN episodes copy ON copy.graph_id = :graph_id AND copy.seq = e.seq;

-- name: jobs
INSERT INTO jobs (id, graph_id, task_uuid, status, created_at, started_at, completed_at)
SELECT id, graph_id, :task_uuid,
    CASE WHEN processed_at IS NULL THEN 'pending' ELSE 'succeeded' END, CAST(:now AS BIGINT),
    CASE WHEN processed_at IS NULL THEN NULL ELSE :now END,
    CASE WHEN processed_at IS NULL THEN NULL ELSE :now END
FROM episodes WHERE graph_id = :graph_id ORDER BY id;

-- name: index
INSERT INTO index_rows (graph_id, version, item_kind, item_id, terms, vector)
SELECT :graph_id, :after + r.version, r.item_kind, CAST(json_extract(c.value, '$[1]') AS BIGINT), r.terms, r.vector
FROM json_each(:pairs) c CROSS JOIN index_rows r
    ON r.graph_id = :source AND r.item_kind = :item_kind
    AND r.item_id = CAST(json_extract(c.value, '$[0]') AS BIGINT)
WHERE r.terms IS NOT NULL
ON CONFLICT (graph_id, item_kind, item_id) DO UPDATE
SET version = excluded.version, terms = excluded.terms, vector = excluded.vector;

-- name: guidance
INSERT INTO guidance
    (uuid, project_id, kind, scope, graph_id, name, value, created_at, updated_at)
SELECT json_extract(c.value, '$[1]'), g.project_id, g.kind, :scope, :graph_id, g.name, g.value,
    :now, :now
FROM json_each(:pairs) c JOIN guidance g ON g.id = CAST(json_extract(c.value, '$[0]') AS BIGINT)
ORDER BY g.id;

-- name: feature_set_types_of
SELECT id FROM feature_set_types WHERE graph_id = :graph_id ORDER BY id;

-- name: feature_categories_of
SELECT id FROM feature_categories WHERE graph_id = :graph_id ORDER BY id;

-- name: feature_tags_of
SELECT t.id FROM feature_categories c JOIN feature_tags t ON t.category_id = c.id
WHERE c.graph_id = :graph_id ORDER BY t.id;

-- name: feature_set_types
INSERT INTO feature_set_types (uuid, graph_id, is_org_level, tags, name, description, created_at)
SELECT json_extract(p.value, '$[1]'), :graph_id, t.is_org_level, t.tags, t.name, t.description,
    t.created_at
FROM json_each(:pairs) p JOIN feature_set_types t ON t.id = CAST(json_extract(p.value, '$[0]') AS BIGINT)
ORDER BY t.id;

-- name: feature_categories
INSERT INTO feature_categories
    (uuid, graph_id, set_key, set_type_id, name, prompt, description, created_at)
SELECT json_extract(p.value, '$[1]'), :graph_id, c.set_key, copy.id, c.name, c.prompt, c.description, c.created_at
FROM json_each(:pairs) p JOIN feature_categories c ON c.id = CAST(json_extract(p.value, '$[0]') AS BIGINT)
LEFT JOIN feature_set_types t ON t.id = c.set_type_id AND t.graph_id = c.graph_id
LEFT JOIN feature_set_types copy ON copy.graph_id = :graph_id
    AND copy.is_org_level = t.is_org_level AND copy.tags = t.tags
ORDER BY c.id;

-- name: feature_tags
INSERT INTO feature_tags (uuid, category_id, name, description)
SELECT json_extract(p.value, '$[1]'), copy.id, g.name, g.description
FROM json_each(:pairs) p JOIN feature_tags g ON g.id = CAST(json_extract(p.value, '$[0]') AS BIGINT)
JOIN feature_categories c ON c.id = g.category_id
LEFT JOIN feature_set_types t ON t.id = c.set_type_id AND t.graph_id = c.graph_id
LEFT JOIN feature_set_types kind ON kind.graph_id = :graph_id
    AND kind.is_org_level = t.is_org_level AND kind.tags = t.tags
JOIN feature_categories copy ON copy.graph_id = :graph_id AND copy.set_key IS c.set_key
    AND copy.name = c.name AND copy.set_type_id IS kind.id
ORDER BY g.id;

-- name: feature_categories_off
INSERT INTO feature_categories_off (graph_id, set_key, name)
SELECT :graph_id, set_key, name FROM feature_categories_off WHERE graph_id = :source;

-- name: counters
UPDATE graphs
SET last_seq = (SELECT last_seq FROM graphs WHERE id = :source),
    index_version = index_version + (SELECT index_version FROM graphs WHERE id = :source),
    condenses = (SELECT condenses FROM graphs WHERE id = :source),
    condensed = (SELECT condensed FROM graphs WHERE id = :source),
    folded = (SELECT folded FROM graphs WHERE id = :source),
    distance = :distance
WHERE id = :graph_id;
