-- Deriving a graph again from its log.

-- name: graphs_all
SELECT g.*, p.name AS project_name FROM graphs g JOIN projects p ON p.id = g.project_id
WHERE (:graph_id IS NULL OR g.graph_id = :graph_id) ORDER BY g.id;

-- name: graph_edited
-- Something derived, or what it was derived with, was changed by hand: the log alone no longer
-- tells it. From an empty log nothing was derived yet.
UPDATE graphs SET edits = edits + 1 WHERE id = :id AND last_seq > 0;

-- name: graph_unedited
UPDATE graphs SET edits = 0 WHERE id = :id;

-- name: graphs_guided_anew
-- The project says something else from now on, to one graph or to all; what was read was read before.
UPDATE graphs SET edits = edits + 1
WHERE project_id = :project_id AND last_seq > 0 AND (:graph_id IS NULL OR id = :graph_id);

-- name: graph_unlearn_observations
DELETE FROM observations WHERE graph_id = :graph_id;

-- name: graph_unlearn_summaries
DELETE FROM summaries WHERE graph_id = :graph_id;

-- name: graph_unlearn_user_summary
DELETE FROM user_summaries WHERE graph_id = :graph_id;

-- name: graph_unlearn_facts
-- What an episode stands behind; what a user's profile tells stays.
DELETE FROM facts WHERE graph_id = :graph_id AND extractor IS NOT NULL;

-- name: graph_reopen_profile
-- What a user's record tells holds again, if only an episode said that it does not.
UPDATE facts SET invalid_at = NULL, expired_at = NULL
WHERE graph_id = :graph_id AND extractor IS NULL AND fact IN (SELECT value FROM json_each(:told))
  AND EXISTS (SELECT 1 FROM supports p WHERE p.fact_id = facts.id)
  AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.source_id = facts.source_id AND f.name = facts.name
                  AND f.extractor IS NULL AND f.expired_at IS NULL AND f.id <> facts.id);

-- name: graph_unlearn_supports
DELETE FROM supports WHERE fact_id IN (SELECT id FROM facts WHERE graph_id = :graph_id);

-- name: graph_unlearn_closings
DELETE FROM closings WHERE fact_id IN (SELECT id FROM facts WHERE graph_id = :graph_id)
  AND (episode_id IS NOT NULL OR by_fact_id IS NOT NULL
       OR EXISTS (SELECT 1 FROM facts f WHERE f.id = closings.fact_id
                  AND f.invalid_at IS NULL AND f.expired_at IS NULL));

-- name: graph_unlearn_mentions
DELETE FROM mentions
WHERE entity_id IN (SELECT id FROM entities WHERE graph_id = :graph_id AND is_user = 1);

-- name: graph_unlearn_entities
DELETE FROM entities WHERE graph_id = :graph_id AND is_user = 0;

-- name: graph_unlearn_index
DELETE FROM index_rows WHERE graph_id = :graph_id;

-- name: graph_next_epoch
-- Segments of the graph as it was are worth nothing.
UPDATE graphs SET index_epoch = index_epoch + 1 WHERE id = :id;

-- name: graph_owe_again
-- Every episode that was learned is owed again, as if it had never been tried; what waits was not
-- begun. What is parked stays so.
INSERT INTO jobs (id, graph_id, task_uuid, status, created_at)
SELECT id, graph_id, coalesce(task_uuid, uuid), 'pending', received_at FROM episodes
WHERE graph_id = :graph_id AND ignored = 0
ON CONFLICT (id) DO UPDATE
SET status = 'pending', run = NULL, attempts = 0, lost = 0, error = NULL, started_at = NULL,
    completed_at = NULL
WHERE jobs.status <> 'parked';

-- name: episodes_ignored
SELECT id FROM episodes WHERE graph_id = :graph_id AND ignored = 1 ORDER BY id;

-- name: queue_enter_anew
-- Whoever held the graph has lost it.
INSERT INTO queue (graph_id, ready_at) SELECT :graph_id, :now
WHERE EXISTS (SELECT 1 FROM jobs WHERE graph_id = :graph_id AND status = 'pending')
ON CONFLICT (graph_id) DO UPDATE
SET ready_at = excluded.ready_at, lease = NULL, lease_until = 0, alone = 0;

-- name: jobs_set_aside
UPDATE jobs SET status = 'parked' WHERE status = 'pending';

-- name: queue_empty
DELETE FROM queue;

-- name: graph_unread
SELECT (SELECT count(*) FROM jobs WHERE graph_id = :graph_id AND status = 'pending') AS pending,
    (SELECT count(*) FROM jobs WHERE graph_id = :graph_id AND status = 'parked') AS parked;

-- name: graph_readers
SELECT DISTINCT extractor FROM facts
WHERE graph_id = :graph_id AND extractor IS NOT NULL ORDER BY extractor;

-- name: digest_entities
SELECT uuid, name, labels, summary, attributes, kind, is_assistant, names, created_at, given
FROM entities
WHERE graph_id = :graph_id ORDER BY uuid;

-- name: digest_facts
SELECT f.uuid, s.uuid AS source, t.uuid AS target, f.name, f.fact, f.attributes, f.rating,
    f.created_at, f.expired_at, f.valid_at, f.invalid_at, f.predicate, f.gist, f.negated, f.ends, f.slot,
    f.confidence, f.event_at
FROM facts f JOIN entities s ON s.id = f.source_id JOIN entities t ON t.id = f.target_id
WHERE f.graph_id = :graph_id ORDER BY f.uuid;

-- name: digest_supports
SELECT f.uuid AS fact, e.uuid AS episode, p.role, p.span_start, p.span_end
FROM supports p JOIN facts f ON f.id = p.fact_id JOIN episodes e ON e.id = p.episode_id
WHERE f.graph_id = :graph_id ORDER BY f.uuid, e.uuid;

-- name: digest_closings
SELECT f.uuid AS fact, b.uuid AS by, e.uuid AS episode, c.ended_at, c.expired_at, c.judge, c.sure
FROM facts f JOIN closings c ON c.fact_id = f.id
LEFT JOIN facts b ON b.id = c.by_fact_id LEFT JOIN episodes e ON e.id = c.episode_id
WHERE f.graph_id = :graph_id ORDER BY 1, 2, 3, 4, 5, 6, 7;

-- name: digest_mentions
SELECT n.uuid AS entity, e.uuid AS episode
FROM mentions m JOIN entities n ON n.id = m.entity_id JOIN episodes e ON e.id = m.episode_id
WHERE n.graph_id = :graph_id ORDER BY n.uuid, e.uuid;

-- name: digest_observations
-- The label is what the project asked for when it was made, of which the log does not tell.
SELECT o.uuid, n.uuid AS entity, o.kind, o.key, o.name, o.summary, o.start_at,
    o.latest_evidence_at, o.end_at, o.created_at
FROM observations o JOIN entities n ON n.id = o.entity_id
WHERE o.graph_id = :graph_id ORDER BY o.uuid;

-- name: digest_observation_facts
SELECT o.uuid AS observation, f.uuid AS fact
FROM observations o JOIN observation_facts k ON k.observation_id = o.id
JOIN facts f ON f.id = k.fact_id
WHERE o.graph_id = :graph_id ORDER BY o.uuid, f.uuid;

-- name: digest_summaries
-- Without what a language model wrote: it would not write the same again.
SELECT s.uuid, t.uuid AS thread, s.document_id, s.summary, s.episode_count, s.created_at,
    s.updated_at, s.covered_at
FROM summaries s LEFT JOIN threads t ON t.id = s.thread_id
WHERE s.graph_id = :graph_id ORDER BY s.uuid;

-- name: digest_summary_facts
SELECT s.uuid AS summary, f.uuid AS fact
FROM summaries s JOIN summary_facts k ON k.summary_id = s.id JOIN facts f ON f.id = k.fact_id
WHERE s.graph_id = :graph_id ORDER BY s.uuid, f.uuid;
