-- What stands behind a fact, and what ended it.

-- name: evidence_of_fact
-- Every episode behind a fact in the order of the log, with what it does and where it says so.
SELECT e.*, t.thread_id AS thread_name, p.role AS support_role, p.span_start, p.span_end
FROM supports p JOIN episodes e ON e.id = p.episode_id
LEFT JOIN threads t ON t.id = e.thread_id
WHERE p.fact_id = :fact_id ORDER BY e.seq LIMIT :limit;

-- name: endings_of_fact
-- What gave a fact an end: which fact, which episode, and on whose word.
SELECT by_fact_id AS fact_id, episode_id, ended_at, expired_at, judge, sure
FROM closings WHERE fact_id = :fact_id ORDER BY id LIMIT :limit;

-- name: closed_by_fact
-- The facts that one fact gave an end.
SELECT fact_id, episode_id, ended_at, expired_at, judge, sure
FROM closings WHERE by_fact_id = :fact_id ORDER BY id LIMIT :limit;

-- name: fact_reopened
SELECT max(at) AS at FROM edits WHERE subject = :uuid AND kind = 'fact.reopen';
