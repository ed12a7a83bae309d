-- What a conversation taught the graph.

-- name: facts_of_thread
-- The newest first. A fact that nobody rated is not below any mark.
SELECT f.*
FROM fact_told f
WHERE f.id IN (SELECT p.fact_id FROM supports p
               WHERE p.episode_id IN (SELECT value FROM json_each(:episodes))
                 AND p.role <> 'closes')
  AND (:rating_min IS NULL OR f.rating IS NULL OR f.rating >= :rating_min)
ORDER BY f.id DESC LIMIT :limit;

-- name: episodes_that_state
-- What a thread said, and what was written down for it.
SELECT id, metadata FROM episodes WHERE thread_id = :thread_id;

-- name: episode_uuids_of_threads
-- What threads gave to their graphs.
SELECT e.uuid, e.metadata FROM episodes e
WHERE e.thread_id IN (SELECT value FROM json_each(:threads)) AND e.ignored = 0;

-- name: threads_of_facts
-- Which episodes of which threads state facts, the newest first.
SELECT p.fact_id, e.thread_id, e.uuid AS episode, e.metadata
FROM supports p JOIN episodes e ON e.id = p.episode_id
WHERE p.fact_id IN (SELECT value FROM json_each(:facts)) AND p.role <> 'closes'
  AND e.thread_id IS NOT NULL
ORDER BY p.fact_id, e.seq DESC;
