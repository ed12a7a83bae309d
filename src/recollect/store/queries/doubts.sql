-- Facts that something newer puts in doubt.

-- name: insert
INSERT INTO doubts (fact_id, by_fact_id, episode_id, judge, sure)
VALUES (:fact_id, :by_fact_id, :episode_id, :judge, :sure)
ON CONFLICT (fact_id, by_fact_id) DO UPDATE SET sure = max(doubts.sure, excluded.sure);

-- name: dispel
DELETE FROM doubts WHERE fact_id = :fact_id;

-- name: doubted_by_fact
SELECT fact_id FROM doubts WHERE by_fact_id = :fact_id ORDER BY fact_id;

-- name: drop_by
DELETE FROM doubts WHERE by_fact_id = :fact_id;

-- name: of_fact
SELECT by_fact_id AS fact_id, episode_id, judge, sure
FROM doubts WHERE fact_id = :fact_id ORDER BY sure DESC, by_fact_id LIMIT :limit;

-- name: of_graph
SELECT d.fact_id AS doubted_id, d.by_fact_id AS fact_id, d.episode_id, d.judge, d.sure
FROM doubts d JOIN facts f ON f.id = d.fact_id JOIN facts b ON b.id = d.by_fact_id
WHERE f.graph_id = :graph_id AND f.invalid_at IS NULL
  AND (b.valid_at IS NULL OR b.invalid_at IS NULL OR b.valid_at < b.invalid_at)
ORDER BY d.sure DESC, d.fact_id, d.by_fact_id LIMIT :limit;
