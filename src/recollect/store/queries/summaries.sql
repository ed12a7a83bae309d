-- Summaries of threads, documents and users.

-- name: thread_summary_metadata
SELECT s.id, e.metadata FROM summaries s JOIN episodes e ON e.thread_id = s.thread_id
WHERE s.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
GROUP BY s.id, e.metadata ORDER BY s.id, min(e.id);

-- name: document_summary_metadata
SELECT s.id, e.metadata
FROM summaries s JOIN episodes e ON e.graph_id = s.graph_id AND e.document_id = s.document_id
WHERE s.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
GROUP BY s.id, e.metadata ORDER BY s.id, min(e.id);

-- name: user_facts_told
SELECT f.id, f.fact, f.predicate,
    (SELECT json_group_array(d.by_fact_id) FROM doubts d
     JOIN facts b ON b.id = d.by_fact_id
     WHERE d.fact_id = f.id AND d.sure >= 0.5
       AND (b.invalid_at IS NULL OR b.valid_at IS NULL OR b.invalid_at > b.valid_at)) AS doubted_by
FROM facts f INDEXED BY facts_open_of_entity
WHERE f.source_id = :entity_id AND f.invalid_at IS NULL
  AND (f.valid_at IS NULL OR f.valid_at <= :now) AND (f.expired_at IS NULL OR f.expired_at > :now)
  AND f.predicate <> 'HAS_USER_ID'
ORDER BY f.id DESC LIMIT :limit;

-- name: user_summaries_forget
DELETE FROM user_summaries
WHERE graph_id IN (SELECT graph_id FROM episodes WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes))
                   UNION SELECT graph_id FROM facts WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts)));

-- name: of_thread_of
SELECT s.*, EXISTS (SELECT 1 FROM summary_facts k WHERE k.summary_id = s.id) AS on_facts,
    e.thread_id AS place
FROM episodes e LEFT JOIN summaries s ON s.thread_id = e.thread_id
WHERE e.id = :episode_id AND e.thread_id IS NOT NULL;

-- name: of_document
SELECT s.*, EXISTS (SELECT 1 FROM summary_facts k WHERE k.summary_id = s.id) AS on_facts,
    s.thread_id AS place
FROM summaries s WHERE s.graph_id = :graph_id AND s.document_id = :document_id;

-- name: by_ids
SELECT * FROM summaries WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY id;

-- name: insert
INSERT INTO summaries
    (id, uuid, graph_id, thread_id, document_id, summary, episode_count, created_at, updated_at,
     covered_at)
VALUES
    (coalesce((SELECT max(id) + 1 FROM summaries WHERE id >= :first AND id < :end AND +graph_id = :graph_id), :first),
     :uuid, :graph_id, :thread_id, :document_id, :summary, 1, :now, :now, :covered_at);

-- name: update
UPDATE summaries
SET summary = :summary, episode_count = :episode_count, updated_at = :updated_at,
    covered_at = :covered_at, written = CASE WHEN :forget = 1 THEN NULL ELSE written END,
    written_count = CASE WHEN :forget = 1 THEN 0 ELSE written_count END,
    written_fact_id = CASE WHEN :forget = 1 THEN 0 ELSE written_fact_id END
WHERE id = :id;

-- name: delete
DELETE FROM summaries WHERE id = :id;

-- name: facts_said
SELECT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot, f.target_id <> f.source_id AS joins,
    n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM supports p JOIN facts f ON f.id = p.fact_id JOIN entities n ON n.id = f.source_id AND n.graph_id = f.graph_id
WHERE p.episode_id = :episode_id AND p.role <> 'closes' AND f.extractor IS NOT NULL
ORDER BY f.id;

-- name: facts_kept
SELECT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot, f.target_id <> f.source_id AS joins,
    n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM summary_facts k JOIN facts f ON f.id = k.fact_id
JOIN entities n ON n.id = f.source_id AND n.graph_id = f.graph_id
WHERE k.summary_id = :id ORDER BY f.id;

-- name: facts_add
INSERT INTO summary_facts (summary_id, fact_id)
SELECT :id, CAST(value AS BIGINT) FROM json_each(:facts) WHERE true ON CONFLICT DO NOTHING;

-- name: facts_drop
DELETE FROM summary_facts
WHERE summary_id = :id AND fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts));

-- name: resting_on
SELECT DISTINCT s.id, s.graph_id, s.thread_id IS NOT NULL AS of_thread
FROM summary_facts k JOIN summaries s ON s.id = k.summary_id
WHERE k.fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts)) ORDER BY 1;

-- name: closed_by
SELECT DISTINCT k.summary_id AS id FROM supports p JOIN summary_facts k ON k.fact_id = p.fact_id
WHERE p.episode_id = :episode_id AND p.role = 'closes' ORDER BY 1;

-- name: of_episodes
SELECT s.id, s.graph_id, 1 AS of_thread FROM episodes e JOIN summaries s ON s.thread_id = e.thread_id
WHERE e.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes))
UNION
SELECT s.id, s.graph_id, 0 FROM episodes e JOIN summaries s
    ON s.graph_id = e.graph_id AND s.document_id = e.document_id
WHERE e.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:episodes));

-- name: messages_of_thread
SELECT e.id, e.content, e.speaker, e.role FROM episodes e
WHERE e.thread_id = :thread_id AND e.seq <= :seq AND e.kind NOT IN ('fact_triple', 'nodes')
  AND e.ignored = 0
ORDER BY e.seq DESC LIMIT :limit;

-- name: messages_of_document
SELECT e.id, e.content, e.speaker, e.role FROM episodes e
WHERE e.graph_id = :graph_id AND e.document_id = :document_id AND e.seq <= :seq AND e.ignored = 0
ORDER BY e.seq DESC LIMIT :limit;

-- name: extent_of_thread
SELECT count(*) AS episodes, max(e.seq) AS seq FROM episodes e JOIN graphs g ON g.id = e.graph_id
WHERE e.thread_id = :thread_id AND e.processed_at IS NOT NULL AND e.ignored = 0
  AND e.seq <= g.folded;

-- name: extent_of_document
SELECT count(*) AS episodes, max(e.seq) AS seq FROM episodes e JOIN graphs g ON g.id = e.graph_id
WHERE e.graph_id = :graph_id AND e.document_id = :document_id AND e.processed_at IS NOT NULL
  AND e.ignored = 0 AND e.seq <= g.folded;

-- name: thread_summaries_page
-- order: uuid=s.uuid, created_at=s.created_at
SELECT s.*, t.thread_id AS thread_name, {key} AS page_key
FROM summaries s JOIN threads t ON t.id = s.thread_id
WHERE s.graph_id = :graph_id
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, s.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, s.uuid {dir} LIMIT :limit;

-- name: document_summaries_page
-- order: uuid=s.uuid, created_at=s.created_at
SELECT s.*, {key} AS page_key FROM summaries s
WHERE s.graph_id = :graph_id AND s.document_id IS NOT NULL
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, s.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, s.uuid {dir} LIMIT :limit;

-- name: thread_summary_of
SELECT s.*, t.thread_id AS thread_name FROM summaries s JOIN threads t ON t.id = s.thread_id
WHERE s.thread_id = :thread_id;

-- name: copied
SELECT * FROM summaries WHERE graph_id = :graph_id AND document_id IS NOT NULL ORDER BY id;

-- name: thread_summaries_among
SELECT s.*, t.thread_id AS thread_name FROM summaries s JOIN threads t ON t.id = s.thread_id
WHERE s.graph_id = :graph_id AND s.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY s.id;

-- name: thread_summary_sources
SELECT s.id, e.uuid, e.metadata, e.role, e.speaker, e.producer, e.addressee, e.created_at
FROM summaries s JOIN episodes e ON e.thread_id = s.thread_id
WHERE s.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: document_summary_sources
SELECT s.id, e.uuid, e.metadata, e.role, e.speaker, e.producer, e.addressee, e.created_at
FROM summaries s JOIN episodes e ON e.graph_id = s.graph_id AND e.document_id = s.document_id
WHERE s.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND e.ignored = 0;

-- name: user_summary_of
SELECT * FROM user_summaries WHERE graph_id = :graph_id;

-- name: facts_newer
SELECT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot, f.target_id <> f.source_id AS joins,
    n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM summary_facts k JOIN facts f ON f.id = k.fact_id
JOIN entities n ON n.id = f.source_id AND n.graph_id = f.graph_id
WHERE k.summary_id = :id AND k.fact_id > :after ORDER BY f.id;

-- name: unwritten
SELECT s.*, g.changes FROM summaries s JOIN graphs g ON g.id = s.graph_id
WHERE s.thread_id IS NOT NULL AND s.episode_count >= s.written_count + 6
  AND NOT EXISTS (SELECT 1 FROM queue q WHERE q.graph_id = s.graph_id)
ORDER BY s.updated_at LIMIT 1;

-- name: write
UPDATE summaries
SET written = coalesce(:written, written), written_count = :written_count,
    written_fact_id = CASE WHEN :written IS NULL THEN written_fact_id ELSE :fact_id END
WHERE id = :id AND :changes = (SELECT g.changes FROM graphs g WHERE g.id = summaries.graph_id);

-- name: unwrite
UPDATE summaries SET written = NULL, written_count = 0, written_fact_id = 0 WHERE id = :id;

-- name: user_summary_put
INSERT INTO user_summaries (graph_id, summary, basis, episode_count, updated_at)
SELECT :graph_id, :summary, :basis, :episode_count, :now FROM graphs
WHERE id = :graph_id AND changes = :changes
ON CONFLICT (graph_id) DO UPDATE
SET summary = excluded.summary, basis = excluded.basis, episode_count = excluded.episode_count,
    updated_at = excluded.updated_at;

-- name: thread_summary_ids
SELECT id FROM summaries WHERE thread_id = :thread_id;

-- name: document_summary_of
SELECT * FROM summaries WHERE graph_id = :graph_id AND document_id = :document_id;
