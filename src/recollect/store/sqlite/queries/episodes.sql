-- The log. Episodes that carry what a caller wrote down directly are in no list: they are the
-- memory's own bookkeeping. A fact names the one that wrote it, so that one can be read by its uuid.

-- name: episode_insert
INSERT INTO episodes
    (uuid, graph_id, seq, kind, content, role, speaker, source_description, thread_id,
     document_id, metadata, ignored, strict_ontology, created_at, received_at, processed_at,
     task_uuid, producer, addressee, extra, kept_for)
VALUES
    (:uuid, :graph_id, :seq, :kind, :content, :role, :speaker, :source_description, :thread_id,
     :document_id, :metadata, :ignored, :strict_ontology, :created_at, :received_at,
     :processed_at, :task_uuid, :producer, :addressee, :extra, :kept_for);

-- name: episode_by_uuid
SELECT e.*, t.thread_id AS thread_name
FROM episodes e JOIN graphs g ON g.id = e.graph_id LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.uuid = :uuid AND g.project_id = :project_id AND e.kind <> 'nodes';

-- name: episodes_last
-- The newest first; the caller turns them round.
SELECT e.*, t.thread_id AS thread_name
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.graph_id = :graph_id AND e.ignored = 0 AND e.kind NOT IN ('fact_triple', 'nodes')
ORDER BY e.seq DESC LIMIT :limit;

-- name: episodes_page
-- order: uuid=e.uuid, created_at=e.created_at
SELECT e.*, t.thread_id AS thread_name, {key} AS page_key
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.graph_id = :graph_id AND e.ignored = 0 AND e.kind NOT IN ('fact_triple', 'nodes')
  AND (:after_uuid IS NULL OR ({key}, e.uuid) {cmp} (:after_key, :after_uuid))
  AND (:mentioned IS NULL
       OR EXISTS (SELECT 1 FROM mentions m JOIN entities n ON n.id = m.entity_id
                  WHERE m.episode_id = e.id
                    AND n.uuid IN (SELECT value FROM json_each(:mentioned)))
       OR e.uuid IN (SELECT value FROM json_each(:mentioned)))
ORDER BY {key} {dir}, e.uuid {dir} LIMIT :limit;

-- name: episodes_by_time
-- Their content is read only when it is known which they are.
SELECT e.*, t.thread_id AS thread_name
FROM (SELECT id FROM episodes
      WHERE graph_id = :graph_id AND kind NOT IN ('fact_triple', 'nodes')
      ORDER BY created_at, seq LIMIT :limit OFFSET :offset) i
JOIN episodes e ON e.id = i.id LEFT JOIN threads t ON t.id = e.thread_id
ORDER BY e.created_at, e.seq;

-- name: episodes_judged
-- What conditions and policies look at, in the order they were stored.
SELECT id, uuid, seq, role, speaker, metadata, created_at, producer, addressee FROM episodes
WHERE graph_id = :graph_id AND seq > :after_seq AND kind NOT IN ('fact_triple', 'nodes')
ORDER BY seq LIMIT :limit;

-- name: episodes_of_graph_count
SELECT count(*) AS n FROM episodes
WHERE graph_id = :graph_id AND kind NOT IN ('fact_triple', 'nodes');

-- name: episodes_of_document
SELECT e.*, t.thread_id AS thread_name
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.graph_id = :graph_id AND e.document_id = :document_id AND e.ignored = 0
  AND e.seq > :after
ORDER BY e.seq LIMIT :limit;

-- name: episodes_of_thread
SELECT e.*, t.thread_id AS thread_name
FROM episodes e JOIN threads t ON t.id = e.thread_id
WHERE e.thread_id = :thread_id AND (:ignored OR e.ignored = 0) AND e.seq > :after
  AND e.kind NOT IN ('fact_triple', 'nodes')
ORDER BY e.seq LIMIT :limit OFFSET :offset;

-- name: episodes_of_thread_last
-- The newest first; the caller turns them round.
SELECT e.*, t.thread_id AS thread_name
FROM episodes e JOIN threads t ON t.id = e.thread_id
WHERE e.thread_id = :thread_id AND e.seq < :before AND e.kind NOT IN ('fact_triple', 'nodes')
ORDER BY e.seq DESC LIMIT :limit;

-- name: episodes_of_thread_count
SELECT count(*) AS n FROM episodes
WHERE thread_id = :thread_id AND kind NOT IN ('fact_triple', 'nodes');

-- name: messages_of_thread
-- What the messages of a thread are judged by, when not all of them may be seen.
SELECT id, metadata FROM episodes
WHERE thread_id = :thread_id AND kind NOT IN ('fact_triple', 'nodes') ORDER BY seq;

-- name: episode_ids_of_thread
SELECT id FROM episodes WHERE thread_id = :thread_id AND (:ignored_only = 0 OR ignored = 1);

-- name: episodes_by_uuids
SELECT e.*, t.thread_id AS thread_name
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.graph_id = :graph_id AND e.uuid IN (SELECT value FROM json_each(:uuids))
  AND e.kind NOT IN ('fact_triple', 'nodes');

-- name: episode_set_metadata
UPDATE episodes SET metadata = :metadata WHERE id = :id;

-- name: episodes_processed
UPDATE episodes SET processed_at = :now, failure = NULL
WHERE id IN (SELECT value FROM json_each(:ids)) AND processed_at IS NULL;

-- name: episodes_of_entity
SELECT e.*, t.thread_id AS thread_name
FROM mentions m JOIN episodes e ON e.id = m.episode_id LEFT JOIN threads t ON t.id = e.thread_id
WHERE m.entity_id = :entity_id AND e.kind NOT IN ('fact_triple', 'nodes')
ORDER BY e.seq DESC LIMIT :limit;

-- name: episodes_before_in_thread
-- What was said just before an episode; the newest first.
SELECT seq, content, role, speaker, metadata, created_at FROM episodes
WHERE thread_id = (SELECT thread_id FROM episodes WHERE id = :id) AND seq < :seq
  AND kind NOT IN ('fact_triple', 'nodes')
ORDER BY seq DESC LIMIT :limit;

-- name: episodes_in_thread_before
-- The end of the thread that was spoken in before the one of an episode; the newest first.
SELECT seq, content, role, speaker, metadata, created_at FROM episodes
WHERE thread_id = (SELECT o.thread_id FROM episodes o
                   WHERE o.graph_id = :graph_id AND o.seq < :seq AND o.thread_id IS NOT NULL
                     AND o.thread_id <> (SELECT thread_id FROM episodes WHERE id = :id)
                   ORDER BY o.seq DESC LIMIT 1)
  AND seq < :seq AND kind NOT IN ('fact_triple', 'nodes')
ORDER BY seq DESC LIMIT :limit;

-- name: talk_before
-- The last episode of another talk of the same user of a memory client.
SELECT metadata FROM episodes
WHERE graph_id = :graph_id AND seq < :seq AND producer IS NOT NULL AND thread_id IS NULL
  AND json_extract(metadata, '$.session_id') IS NOT json_extract(:session, '$')
  AND json_extract(metadata, '$.user_id') IS json_extract(:user, '$')
  AND kind NOT IN ('fact_triple', 'nodes')
ORDER BY seq DESC LIMIT 1;

-- name: episodes_before_in_talk
-- Of memory clients; session and user are the JSON of what they call them, null when they name none.
SELECT seq, content, role, speaker, metadata, created_at FROM episodes
WHERE graph_id = :graph_id AND seq < :seq
  AND json_extract(metadata, '$.session_id') IS json_extract(:session, '$')
  AND json_extract(metadata, '$.user_id') IS json_extract(:user, '$')
  AND producer IS NOT NULL AND thread_id IS NULL AND kind NOT IN ('fact_triple', 'nodes')
ORDER BY seq DESC LIMIT :limit;

-- name: episodes_before_in_document
SELECT seq, content, role, speaker, metadata, created_at FROM episodes
WHERE graph_id = :graph_id AND document_id = :document_id AND seq < :seq
ORDER BY seq DESC LIMIT :limit;
