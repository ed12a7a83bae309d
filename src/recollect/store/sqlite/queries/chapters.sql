-- Chapters of a log, and what lies before a window. An episode has a place in them unless it is
-- bookkeeping, was ignored, or is only there to be learned from. Level 0 holds 32 places of the
-- log, every level above it 8 of the one below.

-- name: graph_condense
UPDATE graphs SET condenses = 1 WHERE id = :id AND condenses = 0;

-- name: graph_condensing
SELECT condenses, condensed, last_seq FROM graphs WHERE id = :id;

-- name: graph_condensed
UPDATE graphs SET condensed = :condensed WHERE id = :id;

-- name: chapter_waits
-- Whether an episode between two places of the log has still to be read.
SELECT 1 FROM episodes e JOIN jobs j ON j.id = e.id
WHERE e.graph_id = :graph_id AND e.seq BETWEEN :first AND :last AND j.status = 'pending' LIMIT 1;

-- name: chapter_told
-- Whether there is an episode between two places of the log.
SELECT 1 FROM episodes e
WHERE e.graph_id = :graph_id AND e.seq BETWEEN :first AND :last AND e.ignored = 0
  AND e.kind NOT IN ('fact_triple', 'nodes') AND coalesce(e.kept_for, '') <> 'semantic' LIMIT 1;

-- name: chapter_said
-- What the episodes between two places of the log say, as summaries see it.
SELECT DISTINCT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot,
    f.target_id <> f.source_id AS joins, n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM episodes e CROSS JOIN supports p ON p.episode_id = e.id
CROSS JOIN facts f ON f.id = p.fact_id CROSS JOIN entities n ON n.id = f.source_id
WHERE e.graph_id = :graph_id AND e.seq BETWEEN :first AND :last AND e.ignored = 0
  AND e.kind NOT IN ('fact_triple', 'nodes') AND coalesce(e.kept_for, '') <> 'semantic'
  AND p.role <> 'closes' AND f.extractor IS NOT NULL;

-- name: chapter_facts_of
-- What is kept of some chapters: pairs of a level and a number.
SELECT DISTINCT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot,
    f.target_id <> f.source_id AS joins, n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM json_each(:chapters) j CROSS JOIN chapters c ON c.graph_id = :graph_id
    AND c.level = json_extract(j.value, '$[0]') AND c.number = json_extract(j.value, '$[1]')
CROSS JOIN chapter_facts k ON k.chapter_id = c.id
CROSS JOIN facts f ON f.id = k.fact_id CROSS JOIN entities n ON n.id = f.source_id;

-- name: chapters_among
SELECT c.level, c.number FROM json_each(:chapters) j CROSS JOIN chapters c
    ON c.graph_id = :graph_id AND c.level = json_extract(j.value, '$[0]')
    AND c.number = json_extract(j.value, '$[1]') LIMIT 1;

-- name: chapter_put
INSERT INTO chapters (graph_id, level, number) VALUES (:graph_id, :level, :number)
ON CONFLICT (graph_id, level, number) DO NOTHING;

-- name: chapter_drop
DELETE FROM chapters WHERE graph_id = :graph_id AND level = :level AND number = :number;

-- name: chapter_facts_drop
DELETE FROM chapter_facts
WHERE chapter_id = (SELECT c.id FROM chapters c
                    WHERE c.graph_id = :graph_id AND c.level = :level AND c.number = :number)
  AND fact_id NOT IN (SELECT value FROM json_each(:facts));

-- name: chapter_facts_put
INSERT INTO chapter_facts (chapter_id, fact_id)
SELECT c.id, j.value FROM chapters c CROSS JOIN json_each(:facts) j
WHERE c.graph_id = :graph_id AND c.level = :level AND c.number = :number
ON CONFLICT DO NOTHING;

-- name: chapters_touched
-- Chapters that hold these episodes, or an episode behind one of these facts.
SELECT e.graph_id, (e.seq + 31) / 32 AS number FROM json_each(:episodes) j
JOIN episodes e ON e.id = j.value JOIN graphs g ON g.id = e.graph_id
WHERE (e.seq + 31) / 32 <= g.condensed
UNION
SELECT e.graph_id, (e.seq + 31) / 32 FROM json_each(:facts) j
JOIN supports p ON p.fact_id = j.value JOIN episodes e ON e.id = p.episode_id
JOIN graphs g ON g.id = e.graph_id
WHERE (e.seq + 31) / 32 <= g.condensed
ORDER BY 1, 2;

-- name: chapters_page
SELECT number FROM chapters
WHERE graph_id = :graph_id AND level = 0 AND number > :after ORDER BY number LIMIT :limit;

-- name: chapters_copy
INSERT INTO chapters (graph_id, level, number)
SELECT :graph_id, level, number FROM chapters WHERE graph_id = :source ORDER BY id;

-- name: chapter_facts_copy
-- Pairs are facts of the original, each with its copy.
INSERT INTO chapter_facts (chapter_id, fact_id)
SELECT copy.id, json_extract(j.value, '$[1]')
FROM json_each(:pairs) j CROSS JOIN chapter_facts k ON k.fact_id = json_extract(j.value, '$[0]')
CROSS JOIN chapters c ON c.id = k.chapter_id
CROSS JOIN chapters copy
    ON copy.graph_id = :graph_id AND copy.level = c.level AND copy.number = c.number;

-- name: graph_unlearn_chapters
DELETE FROM chapters WHERE graph_id = :graph_id;

-- name: window_episodes
-- The newest first, before some place of the log.
SELECT e.*, t.thread_id AS thread_name
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.graph_id = :graph_id AND e.seq < :before AND e.ignored = 0
  AND e.kind NOT IN ('fact_triple', 'nodes') AND coalesce(e.kept_for, '') <> 'semantic'
ORDER BY e.seq DESC LIMIT :limit;

-- name: window_left
-- What left the window, the newest first, without its words: between two places of the log.
SELECT e.id, e.uuid, e.seq, e.role, e.speaker, e.producer, e.addressee, e.metadata, e.created_at
FROM episodes e
WHERE e.graph_id = :graph_id AND e.seq > :after AND e.seq < :before AND e.ignored = 0
  AND e.kind NOT IN ('fact_triple', 'nodes') AND coalesce(e.kept_for, '') <> 'semantic'
ORDER BY e.seq DESC LIMIT :limit;

-- name: chapter_members
-- The oldest first, without their words, after some place of the log.
SELECT e.id, e.uuid, e.seq, e.metadata, e.created_at FROM episodes e
WHERE e.graph_id = :graph_id AND e.seq > :after AND e.seq <= :last AND e.ignored = 0
  AND e.kind NOT IN ('fact_triple', 'nodes') AND coalesce(e.kept_for, '') <> 'semantic'
ORDER BY e.seq LIMIT :limit;

-- name: said_by_episodes
SELECT DISTINCT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot,
    f.target_id <> f.source_id AS joins, n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM json_each(:episodes) j CROSS JOIN supports p ON p.episode_id = j.value
CROSS JOIN facts f ON f.id = p.fact_id CROSS JOIN entities n ON n.id = f.source_id
WHERE p.role <> 'closes' AND f.extractor IS NOT NULL;

-- name: episodes_saying
-- Which of some episodes state one of some facts.
SELECT DISTINCT p.episode_id FROM json_each(:episodes) j CROSS JOIN supports p
    ON p.episode_id = j.value
WHERE p.role <> 'closes' AND p.fact_id IN (SELECT value FROM json_each(:facts));

-- name: messages_among
SELECT id, content, speaker, role FROM episodes
WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;
