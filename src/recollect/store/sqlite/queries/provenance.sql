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

-- name: doubts_of_fact
-- Facts because of which one may be over.
SELECT by_fact_id AS fact_id, episode_id, judge, sure
FROM doubts WHERE fact_id = :fact_id ORDER BY sure DESC, by_fact_id LIMIT :limit;

-- name: doubts_of_graph
-- Facts that hold and may be over, with those because of which; not those that never held.
SELECT d.fact_id AS doubted_id, d.by_fact_id AS fact_id, d.episode_id, d.judge, d.sure
FROM doubts d JOIN facts f ON f.id = d.fact_id JOIN facts b ON b.id = d.by_fact_id
WHERE f.graph_id = :graph_id AND f.invalid_at IS NULL
  AND (b.valid_at IS NULL OR b.invalid_at IS NULL OR b.valid_at < b.invalid_at)
ORDER BY d.sure DESC, d.fact_id, d.by_fact_id LIMIT :limit;

-- name: fact_reopened
SELECT max(at) AS at FROM edits WHERE subject = :uuid AND kind = 'fact.reopen';
