-- What the digest of a graph is made of.

-- name: entities
SELECT uuid, name, labels, summary, attributes, kind, is_assistant, names, created_at, given
FROM entities
WHERE graph_id = :graph_id ORDER BY uuid;

-- name: facts
SELECT f.uuid, s.uuid AS source, t.uuid AS target, f.name, f.fact, f.attributes, f.rating,
    f.created_at, f.expired_at, f.valid_at, f.invalid_at, f.predicate, f.gist, f.negated, f.ends, f.slot,
    f.confidence, f.event_at
FROM facts f JOIN entities s ON s.id = f.source_id AND s.graph_id = f.graph_id
JOIN entities t ON t.id = f.target_id AND t.graph_id = f.graph_id
WHERE f.graph_id = :graph_id ORDER BY f.uuid;

-- name: supports
SELECT f.uuid AS fact, e.uuid AS episode, p.role, p.span_start, p.span_end
FROM supports p JOIN facts f ON f.id = p.fact_id JOIN episodes e ON e.id = p.episode_id
WHERE f.graph_id = :graph_id ORDER BY f.uuid, e.uuid;

-- name: closings
SELECT f.uuid AS fact, b.uuid AS by, e.uuid AS episode, c.ended_at, c.expired_at, c.judge, c.sure
FROM facts f JOIN closings c ON c.fact_id = f.id
LEFT JOIN facts b ON b.id = c.by_fact_id LEFT JOIN episodes e ON e.id = c.episode_id
WHERE f.graph_id = :graph_id ORDER BY 1, 2, 3, 4, 5, 6, 7;

-- name: doubts
SELECT f.uuid AS fact, b.uuid AS by, e.uuid AS episode, d.judge, d.sure
FROM facts f JOIN doubts d ON d.fact_id = f.id JOIN facts b ON b.id = d.by_fact_id
JOIN episodes e ON e.id = d.episode_id
WHERE f.graph_id = :graph_id ORDER BY 1, 2;

-- name: mentions
SELECT n.uuid AS entity, e.uuid AS episode
FROM mentions m JOIN entities n ON n.id = m.entity_id JOIN episodes e ON e.id = m.episode_id
WHERE n.graph_id = :graph_id ORDER BY n.uuid, e.uuid;

-- name: observations
-- The label is what the project asked for when it was made, of which the log does not tell.
SELECT o.uuid, n.uuid AS entity, o.kind, o.key, o.name, o.summary, o.start_at,
    o.latest_evidence_at, o.end_at, o.created_at
FROM observations o JOIN entities n ON n.id = o.entity_id AND n.graph_id = o.graph_id
WHERE o.graph_id = :graph_id ORDER BY o.uuid;

-- name: observation_facts
SELECT o.uuid AS observation, f.uuid AS fact
FROM observations o JOIN observation_facts k ON k.observation_id = o.id
JOIN facts f ON f.id = k.fact_id
WHERE o.graph_id = :graph_id ORDER BY o.uuid, f.uuid;

-- name: summaries
-- Without what a language model wrote: it would not write the same again.
SELECT s.uuid, t.uuid AS thread, s.document_id, s.summary, s.episode_count, s.created_at,
    s.updated_at, s.covered_at
FROM summaries s LEFT JOIN threads t ON t.id = s.thread_id
WHERE s.graph_id = :graph_id ORDER BY s.uuid;

-- name: summary_facts
SELECT s.uuid AS summary, f.uuid AS fact
FROM summaries s JOIN summary_facts k ON k.summary_id = s.id JOIN facts f ON f.id = k.fact_id
WHERE s.graph_id = :graph_id ORDER BY s.uuid, f.uuid;
