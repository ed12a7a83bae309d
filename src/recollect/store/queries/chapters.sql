-- Chapters: runs of a graph's log, condensed level by level.

-- name: condense
UPDATE graphs SET condenses = 1 WHERE id = :id AND condenses = 0;

-- name: condensing
SELECT condenses, condensed, last_seq FROM graphs WHERE id = :id;

-- name: condensed
UPDATE graphs SET condensed = :condensed WHERE id = :id;

-- name: waits
SELECT 1 FROM episodes e JOIN jobs j ON j.id = e.id AND j.graph_id = e.graph_id
WHERE e.graph_id = :graph_id AND e.seq BETWEEN :first AND :last AND j.status = 'pending' LIMIT 1;

-- name: told
SELECT 1 FROM episodes e
WHERE e.graph_id = :graph_id AND e.seq BETWEEN :first AND :last AND e.ignored = 0
  AND e.kind NOT IN ('fact_triple', 'nodes') AND coalesce(e.kept_for, '') <> 'semantic' LIMIT 1;

-- name: said
SELECT DISTINCT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot,
    f.target_id <> f.source_id AS joins, n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM episodes e CROSS JOIN supports p ON p.episode_id = e.id
CROSS JOIN facts f ON f.id = p.fact_id CROSS JOIN entities n ON n.id = f.source_id AND n.graph_id = f.graph_id
WHERE e.graph_id = :graph_id AND e.seq BETWEEN :first AND :last AND e.ignored = 0
  AND e.kind NOT IN ('fact_triple', 'nodes') AND coalesce(e.kept_for, '') <> 'semantic'
  AND p.role <> 'closes' AND f.extractor IS NOT NULL;

-- name: facts_of
SELECT DISTINCT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot,
    f.target_id <> f.source_id AS joins, n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM json_each(:chapters) j CROSS JOIN chapters c ON c.graph_id = :graph_id
    AND c.level = CAST(json_extract(j.value, '$[0]') AS BIGINT) AND c.number = CAST(json_extract(j.value, '$[1]') AS BIGINT)
CROSS JOIN chapter_facts k ON k.chapter_id = c.id
CROSS JOIN facts f ON f.id = k.fact_id CROSS JOIN entities n ON n.id = f.source_id AND n.graph_id = f.graph_id;

-- name: among
SELECT c.level, c.number FROM json_each(:chapters) j CROSS JOIN chapters c
    ON c.graph_id = :graph_id AND c.level = CAST(json_extract(j.value, '$[0]') AS BIGINT)
    AND c.number = CAST(json_extract(j.value, '$[1]') AS BIGINT) LIMIT 1;

-- name: put
INSERT INTO chapters (graph_id, level, number) VALUES (:graph_id, :level, :number)
ON CONFLICT (graph_id, level, number) DO NOTHING;

-- name: drop
DELETE FROM chapters WHERE graph_id = :graph_id AND level = :level AND number = :number;

-- name: facts_drop
DELETE FROM chapter_facts
WHERE chapter_id = (SELECT c.id FROM chapters c
                    WHERE c.graph_id = :graph_id AND c.level = :level AND c.number = :number)
  AND fact_id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts));

-- name: facts_put
INSERT INTO chapter_facts (chapter_id, fact_id)
SELECT c.id, CAST(j.value AS BIGINT) FROM chapters c CROSS JOIN json_each(:facts) j
WHERE c.graph_id = :graph_id AND c.level = :level AND c.number = :number
ON CONFLICT DO NOTHING;

-- name: touched
SELECT e.graph_id, (e.seq + 31) / 32 AS number FROM json_each(:episodes) j
JOIN episodes e ON e.id = CAST(j.value AS BIGINT) JOIN graphs g ON g.id = e.graph_id
WHERE (e.seq + 31) / 32 <= g.condensed
UNION
SELECT e.graph_id, (e.seq + 31) / 32 FROM json_each(:facts) j
JOIN supports p ON p.fact_id = CAST(j.value AS BIGINT) JOIN episodes e ON e.id = p.episode_id
JOIN graphs g ON g.id = e.graph_id
WHERE (e.seq + 31) / 32 <= g.condensed
ORDER BY 1, 2;

-- name: page
SELECT number FROM chapters
WHERE graph_id = :graph_id AND level = 0 AND number > :after ORDER BY number LIMIT :limit;

-- name: copy
INSERT INTO chapters (graph_id, level, number)
SELECT :graph_id, level, number FROM chapters WHERE graph_id = :source ORDER BY id;

-- name: facts_copy
INSERT INTO chapter_facts (chapter_id, fact_id)
SELECT copy.id, CAST(json_extract(j.value, '$[1]') AS BIGINT)
FROM json_each(:pairs) j CROSS JOIN chapter_facts k ON k.fact_id = CAST(json_extract(j.value, '$[0]') AS BIGINT)
CROSS JOIN chapters c ON c.id = k.chapter_id
CROSS JOIN chapters copy
    ON copy.graph_id = :graph_id AND copy.level = c.level AND copy.number = c.number;

-- name: forget_all
DELETE FROM chapters WHERE graph_id = :graph_id;

-- name: window_episodes
SELECT e.*, t.thread_id AS thread_name
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.graph_id = :graph_id AND e.seq < :before AND e.ignored = 0
  AND e.kind NOT IN ('fact_triple', 'nodes') AND coalesce(e.kept_for, '') <> 'semantic'
ORDER BY e.seq DESC LIMIT :limit;

-- name: window_left
SELECT e.id, e.uuid, e.seq, e.role, e.speaker, e.producer, e.addressee, e.metadata, e.created_at
FROM episodes e
WHERE e.graph_id = :graph_id AND e.seq > :after AND e.seq < :before AND e.ignored = 0
  AND e.kind NOT IN ('fact_triple', 'nodes') AND coalesce(e.kept_for, '') <> 'semantic'
ORDER BY e.seq DESC LIMIT :limit;

-- name: members
SELECT e.id, e.uuid, e.seq, e.metadata, e.created_at FROM episodes e
WHERE e.graph_id = :graph_id AND e.seq > :after AND e.seq <= :last AND e.ignored = 0
  AND e.kind NOT IN ('fact_triple', 'nodes') AND coalesce(e.kept_for, '') <> 'semantic'
ORDER BY e.seq LIMIT :limit;
