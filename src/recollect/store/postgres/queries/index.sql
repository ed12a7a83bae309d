-- The index, where values are put together as JSON.

-- name: facts
SELECT id, source_id, target_id, name, created_at, valid_at, invalid_at, expired_at, rating,
    attributes, CASE WHEN substr(extractor, 1, 6) IN ('agent:', 'model:') THEN 1 ELSE 0 END AS weighed,
    CASE WHEN event_at = valid_at AND slot IS NULL THEN 1 ELSE 0 END AS took_place,
    CASE WHEN ends = 1 OR negated = 1 THEN 1 ELSE 0 END AS denies,
    (SELECT coalesce(json_agg(json_build_array(by_fact_id, sure)), '[]')::text
     FROM doubts WHERE fact_id = facts.id) AS doubts
FROM facts WHERE +graph_id = :graph_id AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

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
            THEN 'session ' || json_build_array(metadata::json -> 'session_id',
                metadata::json -> 'user_id')
        WHEN kind = 'message' THEN 'messages' END AS strand
FROM episodes WHERE +graph_id = :graph_id AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));
