-- What stands behind a fact, and what ended it.

-- name: evidence_of_fact
-- Every episode behind a fact in the order of the log, with what it does and where it says so.
SELECT e.*, t.thread_id AS thread_name, p.role AS support_role, p.span_start, p.span_end
FROM supports p JOIN episodes e ON e.id = p.episode_id
LEFT JOIN threads t ON t.id = e.thread_id
WHERE p.fact_id = :fact_id ORDER BY e.seq LIMIT :limit;

-- name: endings_of_fact
SELECT c.ended_at, c.expired_at, f.uuid AS by_fact, e.uuid AS by_episode
FROM closings c LEFT JOIN facts f ON f.id = c.by_fact_id
LEFT JOIN episodes e ON e.id = c.episode_id
WHERE c.fact_id = :fact_id ORDER BY c.id LIMIT :limit;
