-- Episodes: what was said, in the order of the log.

-- name: said_by_episodes
SELECT DISTINCT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot,
    f.target_id <> f.source_id AS joins, n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM json_each(:episodes) j CROSS JOIN supports p ON p.episode_id = CAST(j.value AS BIGINT)
CROSS JOIN facts f ON f.id = p.fact_id CROSS JOIN entities n ON n.id = f.source_id AND n.graph_id = f.graph_id
WHERE p.role <> 'closes' AND f.extractor IS NOT NULL;

-- name: saying
SELECT DISTINCT p.episode_id FROM json_each(:episodes) j CROSS JOIN supports p
    ON p.episode_id = CAST(j.value AS BIGINT)
WHERE p.role <> 'closes' AND p.fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts));

-- name: messages_among
SELECT id, content, speaker, role FROM episodes
WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY id;

-- name: metadata
SELECT id, metadata FROM episodes WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY id;

-- name: of_summary
SELECT e.id, e.metadata, e.created_at, e.processed_at, e.ignored
FROM summaries s JOIN episodes e ON e.thread_id = s.thread_id
WHERE s.id = :id
UNION ALL
SELECT e.id, e.metadata, e.created_at, e.processed_at, e.ignored
FROM summaries s JOIN episodes e ON e.graph_id = s.graph_id AND e.document_id = s.document_id
WHERE s.id = :id
ORDER BY 1;

-- name: insert
INSERT INTO episodes
    (uuid, graph_id, seq, kind, content, role, speaker, source_description, thread_id,
     document_id, metadata, ignored, strict_ontology, created_at, received_at, processed_at,
     task_uuid, producer, addressee, extra, kept_for)
VALUES
    (:uuid, :graph_id, :seq, :kind, :content, :role, :speaker, :source_description, :thread_id,
     :document_id, :metadata, :ignored, :strict_ontology, :created_at, :received_at,
     :processed_at, :task_uuid, :producer, :addressee, :extra, :kept_for);

-- name: by_uuid
SELECT e.*, t.thread_id AS thread_name
FROM episodes e JOIN graphs g ON g.id = e.graph_id LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.uuid = :uuid AND g.project_id = :project_id AND e.kind <> 'nodes';

-- name: last
SELECT e.*, t.thread_id AS thread_name
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.graph_id = :graph_id AND e.ignored = 0 AND e.kind NOT IN ('fact_triple', 'nodes')
ORDER BY e.seq DESC LIMIT :limit;

-- name: page
-- order: uuid=e.uuid, created_at=e.created_at
SELECT e.*, t.thread_id AS thread_name, {key} AS page_key
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.graph_id = :graph_id AND e.ignored = 0 AND e.kind NOT IN ('fact_triple', 'nodes')
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, e.uuid) {cmp} (:after_key, :after_uuid))
  AND (CAST(:mentioned AS TEXT) IS NULL
       OR EXISTS (SELECT 1 FROM mentions m JOIN entities n ON n.id = m.entity_id
                  WHERE m.episode_id = e.id
                    AND n.uuid IN (SELECT value FROM json_each(:mentioned)))
       OR e.uuid IN (SELECT value FROM json_each(:mentioned)))
ORDER BY {key} {dir}, e.uuid {dir} LIMIT :limit;

-- name: by_time
SELECT e.*, t.thread_id AS thread_name
FROM (SELECT id FROM episodes
      WHERE graph_id = :graph_id AND kind NOT IN ('fact_triple', 'nodes')
      ORDER BY created_at, seq LIMIT :limit OFFSET :offset) i
JOIN episodes e ON e.id = i.id AND +e.graph_id = :graph_id LEFT JOIN threads t ON t.id = e.thread_id
ORDER BY e.created_at, e.seq;

-- name: judged
SELECT id, uuid, seq, role, speaker, metadata, created_at, producer, addressee FROM episodes
WHERE graph_id = :graph_id AND seq > :after_seq AND kind NOT IN ('fact_triple', 'nodes')
ORDER BY seq LIMIT :limit;

-- name: of_graph_count
SELECT count(*) AS n FROM episodes
WHERE graph_id = :graph_id AND kind NOT IN ('fact_triple', 'nodes');

-- name: of_document
SELECT e.*, t.thread_id AS thread_name
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.graph_id = :graph_id AND e.document_id = :document_id AND e.ignored = 0
  AND e.seq > :after
ORDER BY e.seq LIMIT :limit;

-- name: of_thread
SELECT e.*, t.thread_id AS thread_name
FROM episodes e JOIN threads t ON t.id = e.thread_id
WHERE e.thread_id = :thread_id AND (:ignored = 1 OR e.ignored = 0) AND e.seq > :after
  AND e.kind NOT IN ('fact_triple', 'nodes')
ORDER BY e.seq LIMIT :limit OFFSET :offset;

-- name: of_thread_last
SELECT e.*, t.thread_id AS thread_name
FROM episodes e JOIN threads t ON t.id = e.thread_id
WHERE e.thread_id = :thread_id AND e.seq < :before AND e.kind NOT IN ('fact_triple', 'nodes')
ORDER BY e.seq DESC LIMIT :limit;

-- name: of_thread_count
SELECT count(*) AS n FROM episodes
WHERE thread_id = :thread_id AND kind NOT IN ('fact_triple', 'nodes');

-- name: messages_of_thread
SELECT id, metadata FROM episodes
WHERE thread_id = :thread_id AND kind NOT IN ('fact_triple', 'nodes') ORDER BY seq;

-- name: ids_of_thread
SELECT id FROM episodes WHERE thread_id = :thread_id AND (:ignored_only = 0 OR ignored = 1);

-- name: by_uuids
SELECT e.*, t.thread_id AS thread_name
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.graph_id = :graph_id AND e.uuid IN (SELECT value FROM json_each(:uuids))
  AND e.kind NOT IN ('fact_triple', 'nodes');

-- name: set_metadata
UPDATE episodes SET metadata = :metadata WHERE id = :id;

-- name: processed
UPDATE episodes SET processed_at = :now, failure = NULL
WHERE +graph_id = :graph_id AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
  AND processed_at IS NULL;

-- name: of_entity
SELECT e.*, t.thread_id AS thread_name
FROM mentions m JOIN episodes e ON e.id = m.episode_id LEFT JOIN threads t ON t.id = e.thread_id
WHERE m.entity_id = :entity_id AND e.kind NOT IN ('fact_triple', 'nodes')
ORDER BY e.seq DESC LIMIT :limit;

-- name: before_in_thread
SELECT seq, content, role, speaker, metadata, created_at FROM episodes
WHERE thread_id = (SELECT thread_id FROM episodes WHERE id = :id) AND seq < :seq
  AND kind NOT IN ('fact_triple', 'nodes')
ORDER BY seq DESC LIMIT :limit;

-- name: in_thread_before
SELECT seq, content, role, speaker, metadata, created_at FROM episodes
WHERE +graph_id = :graph_id AND thread_id = (SELECT o.thread_id FROM episodes o
                   WHERE o.graph_id = :graph_id AND o.seq < :seq AND o.thread_id IS NOT NULL
                     AND o.thread_id <> (SELECT thread_id FROM episodes
                                        WHERE id = :id AND +graph_id = :graph_id)
                   ORDER BY o.seq DESC LIMIT 1)
  AND seq < :seq AND kind NOT IN ('fact_triple', 'nodes')
ORDER BY seq DESC LIMIT :limit;

-- name: talk_before
SELECT metadata FROM episodes
WHERE graph_id = :graph_id AND seq < :seq AND producer IS NOT NULL AND thread_id IS NULL
  AND json_extract(metadata, '$.session_id') IS NOT json_extract(:session, '$')
  AND json_extract(metadata, '$.user_id') IS json_extract(:user, '$')
  AND kind NOT IN ('fact_triple', 'nodes')
ORDER BY seq DESC LIMIT 1;

-- name: before_in_talk
SELECT seq, content, role, speaker, metadata, created_at FROM episodes
WHERE graph_id = :graph_id AND seq < :seq
  AND json_extract(metadata, '$.session_id') IS json_extract(:session, '$')
  AND json_extract(metadata, '$.user_id') IS json_extract(:user, '$')
  AND producer IS NOT NULL AND thread_id IS NULL AND kind NOT IN ('fact_triple', 'nodes')
ORDER BY seq DESC LIMIT :limit;

-- name: before_in_document
SELECT seq, content, role, speaker, metadata, created_at FROM episodes
WHERE graph_id = :graph_id AND document_id = :document_id AND seq < :seq
ORDER BY seq DESC LIMIT :limit;

-- name: direct_episodes_behind
SELECT e.id, e.graph_id FROM episodes e
WHERE e.kind IN ('fact_triple', 'nodes') AND e.id IN (
    SELECT p.episode_id FROM supports p WHERE p.fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:facts))
    UNION SELECT m.episode_id FROM mentions m WHERE m.entity_id = :entity_id);

-- name: delete_useless
DELETE FROM episodes WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
  AND NOT EXISTS (SELECT 1 FROM supports p WHERE p.episode_id = episodes.id)
  AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.episode_id = episodes.id)
RETURNING id, graph_id;

-- name: triples_stating_nothing
SELECT id, graph_id, content FROM episodes
WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND kind = 'fact_triple'
  AND NOT EXISTS (SELECT 1 FROM supports p
                  WHERE p.episode_id = episodes.id AND p.role <> 'closes');

-- name: becomes_nodes
UPDATE episodes SET kind = 'nodes', content = :content WHERE id = :id;

-- name: delete
DELETE FROM episodes WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: places
SELECT id, graph_id, seq FROM episodes WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: ids_by_uuids
SELECT id, uuid FROM episodes
WHERE uuid IN (SELECT value FROM json_each(:uuids)) AND graph_id = :graph_id ORDER BY id;

-- name: by_ids
SELECT e.*, t.thread_id AS thread_name
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: failed
UPDATE episodes SET processed_at = NULL, failure = :error WHERE id = :id AND +graph_id = :graph_id;

-- name: awaited
UPDATE episodes SET failure = NULL WHERE id = :id AND +graph_id = :graph_id;

-- name: place_in_log
SELECT graph_id, seq FROM episodes WHERE id = :id;

-- name: to_read
SELECT e.id, e.metadata FROM episodes e JOIN graphs g ON g.id = e.graph_id
WHERE e.uuid = :uuid AND (CAST(:project_id AS BIGINT) IS NULL OR g.project_id = :project_id);

-- name: cited
SELECT id, uuid, seq, metadata FROM episodes
WHERE uuid IN (SELECT value FROM json_each(:uuids)) AND graph_id = :graph_id
  AND kind NOT IN ('fact_triple', 'nodes') ORDER BY seq;

-- name: ids_by_seqs
SELECT e.id FROM json_each(:seqs) s
CROSS JOIN episodes e ON e.graph_id = :graph_id AND e.seq = CAST(s.value AS BIGINT)
WHERE CAST(:side AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM readings r
    WHERE r.graph_id = :graph_id AND r.seq = e.seq AND r.side = :side)
ORDER BY e.seq;

-- name: uuids_by_seqs
SELECT e.uuid FROM json_each(:seqs) s
CROSS JOIN episodes e ON e.graph_id = :graph_id AND e.seq = CAST(s.value AS BIGINT)
ORDER BY e.seq;

-- name: stating_nothing
SELECT e.id FROM json_each(:ids) j CROSS JOIN episodes e ON e.id = CAST(j.value AS BIGINT)
WHERE NOT EXISTS (SELECT 1 FROM supports p WHERE p.episode_id = e.id) ORDER BY e.id;

-- name: that_state
SELECT id, metadata FROM episodes WHERE thread_id = :thread_id;

-- name: uuids_of_threads
SELECT e.uuid, e.metadata FROM episodes e
WHERE e.thread_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:threads)) AND e.ignored = 0;

-- name: uuids_of_entities
SELECT n.id,
    (SELECT json_group_array(uuid) FROM
        (SELECT e.uuid FROM mentions m JOIN episodes e ON e.id = m.episode_id
         WHERE m.entity_id = n.id AND e.kind NOT IN ('fact_triple', 'nodes')
         ORDER BY m.episode_id DESC LIMIT :limit)) AS episodes
FROM entities n WHERE n.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: page_among
-- order: uuid=e.uuid, created_at=e.created_at
SELECT e.*, t.thread_id AS thread_name, {key} AS page_key
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND +e.graph_id = :graph_id
  AND e.ignored = 0 AND e.kind NOT IN ('fact_triple', 'nodes')
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, e.uuid) {cmp} (:after_key, :after_uuid))
  AND (CAST(:mentioned AS TEXT) IS NULL
       OR EXISTS (SELECT 1 FROM mentions m JOIN entities n ON n.id = m.entity_id
                  WHERE m.episode_id = e.id
                    AND n.uuid IN (SELECT value FROM json_each(:mentioned)))
       OR e.uuid IN (SELECT value FROM json_each(:mentioned)))
ORDER BY {key} {dir}, e.uuid {dir} LIMIT :limit;
