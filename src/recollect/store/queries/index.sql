-- The rows that search segments are built from, and their snapshots.

-- name: row_put
INSERT INTO index_rows (graph_id, version, item_kind, item_id, terms, vector)
VALUES (:graph_id, :version, :item_kind, :item_id, :terms, :vector)
ON CONFLICT (graph_id, item_kind, item_id) DO UPDATE
SET version = excluded.version, terms = excluded.terms, vector = excluded.vector;

-- name: rows_touch
INSERT INTO index_rows (graph_id, version, item_kind, item_id)
SELECT r.graph_id, :version + k.key, r.item_kind, r.item_id
FROM json_each(:ids) k CROSS JOIN index_rows r INDEXED BY index_rows_by_item
WHERE r.graph_id = :graph_id AND r.item_kind = :item_kind AND r.item_id = CAST(k.value AS BIGINT)
  AND r.terms IS NOT NULL
ON CONFLICT (graph_id, item_kind, item_id) DO UPDATE SET version = excluded.version;

-- name: rows_remove
INSERT INTO index_rows (graph_id, version, item_kind, item_id)
SELECT r.graph_id, :version + k.key, r.item_kind, r.item_id
FROM json_each(:ids) k CROSS JOIN index_rows r INDEXED BY index_rows_by_item
WHERE r.graph_id = :graph_id AND r.item_kind = :item_kind AND r.item_id = CAST(k.value AS BIGINT)
ON CONFLICT (graph_id, item_kind, item_id) DO UPDATE
SET version = excluded.version, terms = NULL, vector = NULL;

-- name: rows_among
SELECT item_id FROM index_rows INDEXED BY index_rows_by_item
WHERE graph_id = :graph_id AND item_kind = :item_kind
  AND item_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND terms IS NOT NULL;

-- name: vectors_of
SELECT item_id, vector FROM index_rows INDEXED BY index_rows_by_item
WHERE graph_id = :graph_id AND item_kind = :item_kind
  AND item_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND vector IS NOT NULL;

-- name: rows_between
SELECT version, item_kind, item_id, terms, vector FROM index_rows
WHERE graph_id = :graph_id AND version > :since AND version <= :until ORDER BY version;

-- name: facts
SELECT id, source_id, target_id, name, created_at, valid_at, invalid_at, expired_at, rating,
    attributes, CASE WHEN substr(extractor, 1, 6) IN ('agent:', 'model:') THEN 1 ELSE 0 END AS weighed,
    CASE WHEN event_at = valid_at AND slot IS NULL THEN 1 ELSE 0 END AS took_place,
    CASE WHEN ends = 1 OR negated = 1 THEN 1 ELSE 0 END AS denies,
    (SELECT json_group_array(json_array(by_fact_id, sure)) FROM doubts WHERE fact_id = facts.id)
        AS doubts
FROM facts WHERE +graph_id = :graph_id AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: endings
SELECT fact_id, episode_id, ended_at, expired_at FROM closings
WHERE fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY id;

-- name: entities
SELECT id, created_at, labels, attributes, is_user FROM entities
WHERE +graph_id = :graph_id AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: episodes
SELECT id, created_at, seq, role, speaker, metadata, producer, kept_for,
    nullif(addressee, '') AS addressee,
    CASE WHEN kind = 'message' AND instr(content, '?') > 0 AND length(content) <= 400
        THEN content END AS asked,
    ignored = 0 AND kind NOT IN ('fact_triple', 'nodes') AS open,
    CASE WHEN thread_id IS NOT NULL THEN 'thread ' || thread_id
        WHEN document_id IS NOT NULL THEN 'document ' || document_id
        WHEN producer IS NOT NULL AND coalesce(json_extract(metadata, '$.session_id'),
                json_extract(metadata, '$.user_id')) IS NOT NULL
            THEN 'session ' || json_array(json_extract(metadata, '$.session_id'),
                json_extract(metadata, '$.user_id'))
        WHEN kind = 'message' THEN 'messages' END AS strand
FROM episodes WHERE +graph_id = :graph_id AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: supports
SELECT fact_id AS item_id, episode_id FROM supports
WHERE episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: mentions
SELECT entity_id AS item_id, episode_id FROM mentions
WHERE episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: observations
SELECT o.id, o.created_at,
    (SELECT json_group_array(fact_id) FROM observation_facts WHERE observation_id = o.id) AS facts
FROM observations o
WHERE +o.graph_id = :graph_id AND o.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: summaries
SELECT id, created_at, 'thread ' || thread_id AS strand FROM summaries
WHERE +graph_id = :graph_id AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: snapshot
SELECT version, data FROM index_snapshots WHERE graph_id = :graph_id ORDER BY chunk;

-- name: snapshot_head
SELECT data FROM index_snapshots WHERE graph_id = :graph_id AND chunk = 0;

-- name: snapshot_put
INSERT INTO index_snapshots (graph_id, chunk, version, data)
VALUES (:graph_id, :chunk, :version, :data);

-- name: snapshot_drop
DELETE FROM index_snapshots WHERE graph_id = :graph_id;
