-- What came of knowledge that a caller wrote down directly.

-- name: direct_facts_of_task
SELECT f.*
FROM jobs j JOIN episodes e ON e.id = j.id JOIN supports p ON p.episode_id = e.id
JOIN fact_told f ON f.id = p.fact_id
WHERE j.task_uuid = :task_uuid AND e.kind = 'fact_triple' AND p.role <> 'closes'
ORDER BY e.seq, f.id;

-- name: direct_nodes_of_task
SELECT e.seq, n.*
FROM jobs j JOIN episodes e ON e.id = j.id JOIN mentions m ON m.episode_id = e.id
JOIN entities n ON n.id = m.entity_id
WHERE j.task_uuid = :task_uuid AND e.kind = 'nodes'
ORDER BY e.seq, n.id;

-- name: fact_uuid_taken
-- Uuids are one of a kind in the whole store.
SELECT graph_id FROM facts WHERE uuid = :uuid;
