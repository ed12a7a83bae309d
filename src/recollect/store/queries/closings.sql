-- Which fact, episode or hand closed a fact.

-- name: endings_of_facts
SELECT c.fact_id, c.episode_id, c.ended_at, c.expired_at, e.metadata
FROM closings c LEFT JOIN episodes e ON e.id = c.episode_id
WHERE c.fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY c.id;

-- name: inherit
WITH RECURSIVE chain (fact_id, by_fact_id, episode_id, ended_at, expired_at, judge, sure) AS (
    SELECT c.fact_id, k.by_fact_id, k.episode_id, k.ended_at, k.expired_at, k.judge, k.sure
    FROM json_each(:facts) j JOIN closings c ON c.by_fact_id = CAST(j.value AS BIGINT)
    JOIN facts g ON g.id = CAST(j.value AS BIGINT) JOIN closings k ON k.fact_id = g.id
    WHERE g.negated = 0 AND g.ends = 0 AND k.by_fact_id IS NOT NULL
      AND c.fact_id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts))
    UNION
    SELECT h.fact_id, k.by_fact_id, k.episode_id, k.ended_at, k.expired_at, k.judge, k.sure
    FROM chain h JOIN facts g ON g.id = h.by_fact_id JOIN closings k ON k.fact_id = g.id
    WHERE g.negated = 0 AND g.ends = 0 AND k.by_fact_id IS NOT NULL
      AND h.by_fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts))
)
INSERT INTO closings (fact_id, by_fact_id, episode_id, ended_at, expired_at, judge, sure)
SELECT h.fact_id, h.by_fact_id, h.episode_id, max(h.ended_at, coalesce(f.valid_at, h.ended_at)),
    h.expired_at, h.judge, h.sure
FROM chain h JOIN facts f ON f.id = h.fact_id
WHERE h.by_fact_id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts)) AND h.by_fact_id <> h.fact_id
  AND NOT EXISTS (SELECT 1 FROM closings k
                  WHERE k.fact_id = h.fact_id AND k.by_fact_id = h.by_fact_id);

-- name: forget
DELETE FROM closings WHERE id IN (
    SELECT id FROM closings
    WHERE by_fact_id IS NULL AND episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes))
    UNION
    SELECT id FROM closings WHERE by_fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts)));

-- name: insert
INSERT INTO closings (fact_id, by_fact_id, episode_id, ended_at, expired_at, judge, sure)
VALUES (:fact_id, :by_fact_id, :episode_id, :ended_at, :expired_at, :judge, :sure);

-- name: by_hand
DELETE FROM closings WHERE fact_id = :id;

-- name: profile_closings_add
INSERT INTO closings (fact_id, ended_at, expired_at)
SELECT id, coalesce(invalid_at, :now), coalesce(expired_at, :now) FROM facts
WHERE source_id = :entity_id AND target_id = :entity_id AND name = :name AND extractor IS NULL;

-- name: endings_of_fact
SELECT by_fact_id AS fact_id, episode_id, ended_at, expired_at, judge, sure
FROM closings WHERE fact_id = :fact_id ORDER BY id LIMIT :limit;

-- name: closed_by_fact
SELECT fact_id, episode_id, ended_at, expired_at, judge, sure
FROM closings WHERE by_fact_id = :fact_id ORDER BY id LIMIT :limit;

-- name: put_by_hand
INSERT INTO closings (fact_id, ended_at, expired_at, judge)
VALUES (:fact_id, :ended_at, :expired_at, :judge);

-- name: closers_of_fact
SELECT DISTINCT coalesce(b.fact, f.fact) AS fact
FROM closings c JOIN facts f ON f.id = c.fact_id LEFT JOIN facts b ON b.id = c.by_fact_id
WHERE c.fact_id = :id AND (c.by_fact_id IS NOT NULL OR c.episode_id IS NOT NULL)
UNION
SELECT b.fact FROM doubts d JOIN facts b ON b.id = d.by_fact_id WHERE d.fact_id = :id;

-- name: without_reason
SELECT f.graph_id, f.uuid, f.fact, f.side, s.uuid AS source_uuid, c.ended_at, c.expired_at, c.judge,
    max(coalesce((SELECT min(e.seq) FROM supports p JOIN episodes e ON e.id = p.episode_id
                  WHERE p.fact_id = f.id), 0),
        coalesce((SELECT e.seq FROM episodes e WHERE e.id = c.episode_id), 0)) AS seq
FROM closings c JOIN facts f ON f.id = c.fact_id JOIN entities s ON s.id = f.source_id AND s.graph_id = f.graph_id
WHERE (c.episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes))
       OR c.by_fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts)))
  AND (c.by_fact_id IS NULL OR c.by_fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts)))
  AND (c.episode_id IS NULL OR c.episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes)))
  AND c.fact_id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts));
