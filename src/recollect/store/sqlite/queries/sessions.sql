-- What a conversation taught the graph.

-- name: facts_of_thread
-- The newest first. A fact that nobody rated is not below any mark.
SELECT f.*
FROM fact_told f
WHERE f.id IN (SELECT p.fact_id FROM episodes e JOIN supports p ON p.episode_id = e.id
               WHERE e.thread_id = :thread_id AND p.role <> 'closes')
  AND (:rating_min IS NULL OR f.rating IS NULL OR f.rating >= :rating_min)
ORDER BY f.id DESC LIMIT :limit;
