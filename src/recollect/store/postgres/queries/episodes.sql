-- Episodes, where a number and its digits are told apart.

-- name: talk_before
SELECT metadata FROM episodes
WHERE graph_id = :graph_id AND seq < :seq AND producer IS NOT NULL AND thread_id IS NULL
  AND nullif(metadata::jsonb -> 'session_id', 'null') IS NOT nullif(CAST(:session AS JSONB), 'null')
  AND nullif(metadata::jsonb -> 'user_id', 'null') IS nullif(CAST(:user AS JSONB), 'null')
  AND kind NOT IN ('fact_triple', 'nodes')
ORDER BY seq DESC LIMIT 1;

-- name: before_in_talk
SELECT seq, content, role, speaker, metadata, created_at FROM episodes
WHERE graph_id = :graph_id AND seq < :seq
  AND nullif(metadata::jsonb -> 'session_id', 'null') IS nullif(CAST(:session AS JSONB), 'null')
  AND nullif(metadata::jsonb -> 'user_id', 'null') IS nullif(CAST(:user AS JSONB), 'null')
  AND producer IS NOT NULL AND thread_id IS NULL AND kind NOT IN ('fact_triple', 'nodes')
ORDER BY seq DESC LIMIT :limit;
