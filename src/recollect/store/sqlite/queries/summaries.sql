-- Observations, and summaries of threads, documents and users.

-- name: user_facts_told
-- What an entity is said to do or have and that has no end, the newest first, each with the facts
-- because of which it is more likely over than not.
SELECT f.id, f.fact, f.predicate,
    (SELECT json_group_array(d.by_fact_id) FROM doubts d
     JOIN facts b ON b.id = d.by_fact_id
     WHERE d.fact_id = f.id AND d.sure >= 0.5
       AND (b.invalid_at IS NULL OR b.valid_at IS NULL OR b.invalid_at > b.valid_at)) AS doubted_by
FROM facts f INDEXED BY facts_open_of_entity
WHERE f.source_id = :entity_id AND f.invalid_at IS NULL
  AND (f.valid_at IS NULL OR f.valid_at <= :now) AND (f.expired_at IS NULL OR f.expired_at > :now)
  AND f.predicate <> 'HAS_USER_ID'
ORDER BY f.id DESC LIMIT :limit;

-- name: patterns_touched
-- The facts an episode stands behind, and how many there are of their kind: three are as good as
-- many. What the user's record tells and what the assistant does makes no pattern.
SELECT f.source_id, f.predicate, f.slot, f.gist, f.target_id = f.source_id AS alone,
    d.uuid AS target_uuid, f.extractor, f.side,
    (SELECT count(*) FROM (SELECT 1 FROM facts g
        WHERE g.source_id = f.source_id AND g.predicate = f.predicate
          AND g.side = f.side LIMIT 3)) AS of_relation,
    (SELECT count(*) FROM (SELECT 1 FROM facts g
        WHERE g.source_id = f.source_id AND g.slot = f.slot
          AND g.side = f.side LIMIT 3)) AS of_slot,
    (SELECT count(*) FROM (SELECT 1 FROM facts g
        WHERE g.source_id = f.source_id AND g.target_id = f.target_id
          AND g.side = f.side LIMIT 3)) AS of_pair,
    (SELECT count(*) FROM (SELECT 1 FROM facts g
        WHERE g.source_id = f.source_id AND g.gist = f.gist
          AND g.side = f.side LIMIT 3)) AS of_gist,
    (SELECT count(*) FROM (SELECT 1 FROM supports q
        WHERE q.fact_id = f.id AND q.role <> 'closes' LIMIT 3)) AS said
FROM supports p JOIN facts f ON f.id = p.fact_id
JOIN entities n ON n.id = f.source_id JOIN entities d ON d.id = f.target_id
WHERE p.episode_id = :episode_id AND f.extractor IS NOT NULL AND f.negated = 0 AND f.ends = 0
  AND n.is_assistant = 0
ORDER BY f.id;

-- name: pattern_open_of_relation
SELECT f.id, f.fact, f.gist, f.valid_at, f.invalid_at, f.target_id = f.source_id AS alone,
    d.uuid AS target_uuid, d.name AS target_name,
    (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
     WHERE p.fact_id = f.id AND p.role <> 'closes' ORDER BY p.episode_id DESC LIMIT 1) AS said_at
FROM facts f JOIN entities d ON d.id = f.target_id
WHERE f.source_id = :entity_id AND f.predicate = :predicate AND f.invalid_at IS NULL
  AND f.negated = 0 AND f.ends = 0 AND f.extractor IS NOT NULL AND f.side = :side
ORDER BY f.id DESC LIMIT :limit;

-- name: pattern_closed_of_relation
SELECT f.id, f.fact, f.gist, f.valid_at, f.invalid_at, f.target_id = f.source_id AS alone,
    d.uuid AS target_uuid, d.name AS target_name,
    (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
     WHERE p.fact_id = f.id AND p.role <> 'closes' ORDER BY p.episode_id DESC LIMIT 1) AS said_at
FROM facts f JOIN entities d ON d.id = f.target_id
WHERE f.source_id = :entity_id AND f.predicate = :predicate AND f.invalid_at IS NOT NULL
  AND f.negated = 0 AND f.ends = 0 AND f.extractor IS NOT NULL AND f.side = :side
ORDER BY f.invalid_at DESC, f.id DESC LIMIT :limit;

-- name: pattern_open_of_slot
SELECT f.id, f.fact, f.gist, f.valid_at, f.invalid_at, f.target_id = f.source_id AS alone,
    d.uuid AS target_uuid, d.name AS target_name,
    (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
     WHERE p.fact_id = f.id AND p.role <> 'closes' ORDER BY p.episode_id DESC LIMIT 1) AS said_at
FROM facts f JOIN entities d ON d.id = f.target_id
WHERE f.source_id = :entity_id AND f.slot = :slot AND f.invalid_at IS NULL
  AND f.negated = 0 AND f.ends = 0 AND f.extractor IS NOT NULL AND f.side = :side
ORDER BY f.id DESC LIMIT :limit;

-- name: pattern_closed_of_slot
SELECT f.id, f.fact, f.gist, f.valid_at, f.invalid_at, f.target_id = f.source_id AS alone,
    d.uuid AS target_uuid, d.name AS target_name,
    (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
     WHERE p.fact_id = f.id AND p.role <> 'closes' ORDER BY p.episode_id DESC LIMIT 1) AS said_at
FROM facts f JOIN entities d ON d.id = f.target_id
WHERE f.source_id = :entity_id AND f.slot = :slot AND f.invalid_at IS NOT NULL
  AND f.negated = 0 AND f.ends = 0 AND f.extractor IS NOT NULL AND f.side = :side
ORDER BY f.invalid_at DESC, f.id DESC LIMIT :limit;

-- name: pattern_said_of_pair
-- Facts of one relation between the same two, and when each of them was said.
SELECT f.id, f.fact, f.gist, f.valid_at, f.invalid_at, 0 AS alone, d.uuid AS target_uuid,
    d.name AS target_name, f.predicate, f.negated OR f.ends AS other,
    (SELECT json_group_array(created_at) FROM
        (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
         WHERE p.fact_id = f.id AND p.role <> 'closes' ORDER BY p.episode_id DESC
         LIMIT :said_max)) AS said
FROM facts f JOIN entities d ON d.id = f.target_id
WHERE f.source_id = :entity_id AND f.target_id = :target_id AND f.extractor IS NOT NULL AND f.side = :side
ORDER BY f.id DESC LIMIT :limit;

-- name: pattern_said_of_gist
SELECT f.id, f.fact, f.gist, f.valid_at, f.invalid_at, 1 AS alone, '' AS target_uuid,
    '' AS target_name, f.predicate, f.negated OR f.ends AS other,
    (SELECT json_group_array(created_at) FROM
        (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
         WHERE p.fact_id = f.id AND p.role <> 'closes' ORDER BY p.episode_id DESC
         LIMIT :said_max)) AS said
FROM facts f
WHERE f.source_id = :entity_id AND f.gist = :gist AND f.extractor IS NOT NULL AND f.side = :side
ORDER BY f.id DESC LIMIT :limit;

-- name: topic_window
-- What the newest messages of a user's graph say, up to one of them, and about whom: the facts of
-- which a topic is made out. What records tell and what the assistant does is on no topic.
SELECT e.id AS episode_id, e.created_at AS said_at, f.id, f.fact, f.gist, f.source_id, f.target_id
FROM episodes e
CROSS JOIN supports p ON p.episode_id = e.id AND p.role <> 'closes'
CROSS JOIN facts f ON f.id = p.fact_id
CROSS JOIN entities n ON n.id = f.source_id
WHERE e.id IN (SELECT episode_id FROM readings
               WHERE graph_id = :graph_id AND seq <= :seq AND episode_id IS NOT NULL
                 AND coalesce(side, '') = :side
               ORDER BY seq DESC LIMIT :limit)
  AND f.side = :side AND e.kind = 'message' AND f.extractor IS NOT NULL AND f.slot IS NULL AND f.predicate <> 'HAS_PROCEDURE'
  AND n.is_assistant = 0
ORDER BY e.id DESC LIMIT :most;

-- name: topic_place
-- The user of an episode's graph, and the episode's place in its log.
SELECT e.graph_id, e.seq, u.id AS user_id, u.name AS user_name
FROM episodes e JOIN entities u ON u.graph_id = e.graph_id AND u.is_user = 1
WHERE e.id = :episode_id AND e.kind = 'message';

-- name: topic_entities
SELECT id, uuid, name, names FROM entities
WHERE id IN (SELECT value FROM json_each(:ids)) AND is_user = 0 AND is_assistant = 0
  AND kind IS NOT 'value' ORDER BY id;

-- name: topic_facts
-- Facts on a topic, and when each of them was said.
SELECT f.id, f.fact, f.gist, f.source_id, f.target_id, f.valid_at, f.invalid_at, 1 AS alone,
    '' AS target_uuid,
    '' AS target_name,
    (SELECT json_group_array(created_at) FROM
        (SELECT e.created_at FROM supports p JOIN episodes e ON e.id = p.episode_id
         WHERE p.fact_id = f.id AND p.role <> 'closes' AND e.kind = 'message'
         ORDER BY p.episode_id DESC LIMIT :said_max)) AS said
FROM facts f WHERE f.id IN (SELECT value FROM json_each(:ids)) ORDER BY f.id;

-- name: observation_at
SELECT * FROM observations WHERE entity_id = :entity_id AND kind = :kind AND key = :key;

-- name: observations_by_ids
SELECT * FROM observations WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- name: observation_insert
INSERT INTO observations
    (id, uuid, graph_id, entity_id, kind, key, name, summary, label, start_at, latest_evidence_at,
     end_at, created_at)
VALUES
    (coalesce((SELECT max(id) + 1 FROM observations WHERE id >= :first AND id < :end), :first),
     :uuid, :graph_id, :entity_id, :kind, :key, :name, :summary, :label, :start_at,
     :latest_evidence_at, :end_at, :created_at);

-- name: observation_update
UPDATE observations
SET name = :name, summary = :summary, start_at = :start_at,
    latest_evidence_at = :latest_evidence_at, end_at = :end_at
WHERE id = :id;

-- name: observation_delete
DELETE FROM observations WHERE id = :id;

-- name: observation_fact_ids
SELECT fact_id FROM observation_facts WHERE observation_id = :id ORDER BY fact_id;

-- name: observation_facts_add
INSERT INTO observation_facts (observation_id, fact_id)
SELECT :id, value FROM json_each(:facts) WHERE 1 ON CONFLICT DO NOTHING;

-- name: observation_facts_drop
DELETE FROM observation_facts
WHERE observation_id = :id AND fact_id IN (SELECT value FROM json_each(:facts));

-- name: observations_resting_on
SELECT DISTINCT o.id, o.graph_id FROM observation_facts k JOIN observations o ON o.id = k.observation_id
WHERE k.fact_id IN (SELECT value FROM json_each(:facts)) ORDER BY 1;

-- name: observations_of_entities
SELECT id, graph_id FROM observations
WHERE entity_id IN (SELECT value FROM json_each(:entities)) ORDER BY id;

-- name: observations_delete_unfounded
DELETE FROM observations WHERE id IN (SELECT value FROM json_each(:ids))
  AND NOT EXISTS (SELECT 1 FROM observation_facts k WHERE k.observation_id = observations.id);

-- name: facts_resting_on
SELECT DISTINCT fact_id FROM supports
WHERE episode_id IN (SELECT value FROM json_each(:episodes)) ORDER BY 1;

-- name: observations_among
SELECT id FROM observations WHERE id IN (SELECT value FROM json_each(:ids));

-- name: user_summaries_forget
-- What a language model wrote about a user may speak of what was forgotten.
DELETE FROM user_summaries
WHERE graph_id IN (SELECT graph_id FROM episodes WHERE id IN (SELECT value FROM json_each(:episodes))
                   UNION SELECT graph_id FROM facts WHERE id IN (SELECT value FROM json_each(:facts)));

-- name: observation_by_uuid
SELECT o.* FROM observations o JOIN graphs g ON g.id = o.graph_id
WHERE o.uuid = :uuid AND g.project_id = :project_id;

-- name: observations_page
-- order: uuid=o.uuid, created_at=o.created_at
SELECT o.*, {key} AS page_key FROM observations o
WHERE o.graph_id = :graph_id
  AND (:after_uuid IS NULL OR ({key}, o.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, o.uuid {dir} LIMIT :limit;

-- name: observation_basis
-- The facts and the episodes behind observations.
SELECT o.observation_id AS id, f.uuid AS fact, e.uuid AS episode
FROM observation_facts o JOIN facts f ON f.id = o.fact_id
LEFT JOIN supports p ON p.fact_id = f.id
LEFT JOIN episodes e ON e.id = p.episode_id AND e.kind NOT IN ('fact_triple', 'nodes')
WHERE o.observation_id IN (SELECT value FROM json_each(:ids))
ORDER BY o.observation_id, f.id, e.seq;

-- name: summary_of_thread_of
-- The thread of an episode, and its summary so far.
SELECT e.thread_id AS place, s.*,
    EXISTS (SELECT 1 FROM summary_facts k WHERE k.summary_id = s.id) AS on_facts
FROM episodes e LEFT JOIN summaries s ON s.thread_id = e.thread_id
WHERE e.id = :episode_id AND e.thread_id IS NOT NULL;

-- name: summary_of_document
SELECT s.*, EXISTS (SELECT 1 FROM summary_facts k WHERE k.summary_id = s.id) AS on_facts
FROM summaries s WHERE s.graph_id = :graph_id AND s.document_id = :document_id;

-- name: summaries_by_ids
SELECT * FROM summaries WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- name: summary_insert
INSERT INTO summaries
    (id, uuid, graph_id, thread_id, document_id, summary, episode_count, created_at, updated_at,
     covered_at)
VALUES
    (coalesce((SELECT max(id) + 1 FROM summaries WHERE id >= :first AND id < :end), :first),
     :uuid, :graph_id, :thread_id, :document_id, :summary, 1, :now, :now, :covered_at);

-- name: summary_update
UPDATE summaries
SET summary = :summary, episode_count = :episode_count, updated_at = :updated_at,
    covered_at = :covered_at, written = CASE WHEN :forget THEN NULL ELSE written END,
    written_count = CASE WHEN :forget THEN 0 ELSE written_count END,
    written_fact_id = CASE WHEN :forget THEN 0 ELSE written_fact_id END
WHERE id = :id;

-- name: summary_delete
DELETE FROM summaries WHERE id = :id;

-- name: summary_facts_said
-- What an episode says, as summaries see it.
SELECT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot, f.target_id <> f.source_id AS joins,
    n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM supports p JOIN facts f ON f.id = p.fact_id JOIN entities n ON n.id = f.source_id
WHERE p.episode_id = :episode_id AND p.role <> 'closes' AND f.extractor IS NOT NULL
ORDER BY f.id;

-- name: summary_facts_kept
SELECT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot, f.target_id <> f.source_id AS joins,
    n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM summary_facts k JOIN facts f ON f.id = k.fact_id JOIN entities n ON n.id = f.source_id
WHERE k.summary_id = :id ORDER BY f.id;

-- name: summary_facts_add
INSERT INTO summary_facts (summary_id, fact_id)
SELECT :id, value FROM json_each(:facts) WHERE 1 ON CONFLICT DO NOTHING;

-- name: summary_facts_drop
DELETE FROM summary_facts
WHERE summary_id = :id AND fact_id IN (SELECT value FROM json_each(:facts));

-- name: summaries_resting_on
SELECT DISTINCT s.id, s.graph_id, s.thread_id IS NOT NULL AS of_thread
FROM summary_facts k JOIN summaries s ON s.id = k.summary_id
WHERE k.fact_id IN (SELECT value FROM json_each(:facts)) ORDER BY 1;

-- name: summaries_closed_by
-- Summaries that speak of a fact which an episode brings to an end.
SELECT DISTINCT k.summary_id AS id FROM supports p JOIN summary_facts k ON k.fact_id = p.fact_id
WHERE p.episode_id = :episode_id AND p.role = 'closes' ORDER BY 1;

-- name: summaries_of_episodes
SELECT s.id, s.graph_id, 1 AS of_thread FROM episodes e JOIN summaries s ON s.thread_id = e.thread_id
WHERE e.id IN (SELECT value FROM json_each(:episodes))
UNION
SELECT s.id, s.graph_id, 0 FROM episodes e JOIN summaries s
    ON s.graph_id = e.graph_id AND s.document_id = e.document_id
WHERE e.id IN (SELECT value FROM json_each(:episodes));

-- name: summary_messages_of_thread
-- The newest first, up to an episode: what follows it was not read yet.
SELECT e.id, e.content, e.speaker, e.role FROM episodes e
WHERE e.thread_id = :thread_id AND e.seq <= :seq AND e.kind NOT IN ('fact_triple', 'nodes')
  AND e.ignored = 0
ORDER BY e.seq DESC LIMIT :limit;

-- name: summary_messages_of_document
SELECT e.id, e.content, e.speaker, e.role FROM episodes e
WHERE e.graph_id = :graph_id AND e.document_id = :document_id AND e.seq <= :seq AND e.ignored = 0
ORDER BY e.seq DESC LIMIT :limit;

-- name: summary_extent_of_thread
-- As far as the graph has folded: when it is folded again, later episodes are still to come.
SELECT count(*) AS episodes, max(e.seq) AS seq FROM episodes e JOIN graphs g ON g.id = e.graph_id
WHERE e.thread_id = :thread_id AND e.processed_at IS NOT NULL AND e.ignored = 0
  AND e.seq <= g.folded;

-- name: summary_extent_of_document
SELECT count(*) AS episodes, max(e.seq) AS seq FROM episodes e JOIN graphs g ON g.id = e.graph_id
WHERE e.graph_id = :graph_id AND e.document_id = :document_id AND e.processed_at IS NOT NULL
  AND e.ignored = 0 AND e.seq <= g.folded;

-- name: thread_summaries_page
-- order: uuid=s.uuid, created_at=s.created_at
SELECT s.*, t.thread_id AS thread_name, {key} AS page_key
FROM summaries s JOIN threads t ON t.id = s.thread_id
WHERE s.graph_id = :graph_id
  AND (:after_uuid IS NULL OR ({key}, s.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, s.uuid {dir} LIMIT :limit;

-- name: document_summaries_page
-- order: uuid=s.uuid, created_at=s.created_at
SELECT s.*, {key} AS page_key FROM summaries s
WHERE s.graph_id = :graph_id AND s.document_id IS NOT NULL
  AND (:after_uuid IS NULL OR ({key}, s.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, s.uuid {dir} LIMIT :limit;

-- name: thread_summary_of
SELECT s.*, t.thread_id AS thread_name FROM summaries s JOIN threads t ON t.id = s.thread_id
WHERE s.thread_id = :thread_id;

-- name: entity_place
SELECT id, graph_id, side, is_user FROM entities WHERE uuid = :uuid;

-- name: copied_observations
SELECT * FROM observations WHERE graph_id = :graph_id ORDER BY id;

-- name: copied_summaries
SELECT * FROM summaries WHERE graph_id = :graph_id AND document_id IS NOT NULL ORDER BY id;

-- name: thread_summaries_among
SELECT s.*, t.thread_id AS thread_name FROM summaries s JOIN threads t ON t.id = s.thread_id
WHERE s.graph_id = :graph_id AND s.id IN (SELECT value FROM json_each(:ids)) ORDER BY s.id;

-- name: observation_sources
SELECT DISTINCT o.observation_id AS id, e.uuid, e.metadata, e.role, e.speaker, e.producer,
    e.addressee, e.created_at
FROM observation_facts o JOIN supports p ON p.fact_id = o.fact_id
JOIN episodes e ON e.id = p.episode_id
WHERE o.observation_id IN (SELECT value FROM json_each(:ids));

-- name: thread_summary_sources
-- Every message of the thread, also those that nothing was learned from.
SELECT s.id, e.uuid, e.metadata, e.role, e.speaker, e.producer, e.addressee, e.created_at
FROM summaries s JOIN episodes e ON e.thread_id = s.thread_id
WHERE s.id IN (SELECT value FROM json_each(:ids));

-- name: document_summary_sources
SELECT s.id, e.uuid, e.metadata, e.role, e.speaker, e.producer, e.addressee, e.created_at
FROM summaries s JOIN episodes e ON e.graph_id = s.graph_id AND e.document_id = s.document_id
WHERE s.id IN (SELECT value FROM json_each(:ids)) AND e.ignored = 0;

-- name: user_summary_of
SELECT * FROM user_summaries WHERE graph_id = :graph_id;

-- name: summary_facts_newer
-- What a summary may speak of and the language model had not heard yet.
SELECT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot, f.target_id <> f.source_id AS joins,
    n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM summary_facts k JOIN facts f ON f.id = k.fact_id JOIN entities n ON n.id = f.source_id
WHERE k.summary_id = :id AND k.fact_id > :after ORDER BY f.id;

-- name: summary_unwritten
-- The thread that waited longest for a language model to read enough that is new in it; threads of
-- which something still has to be learned wait on.
SELECT s.*, g.changes FROM summaries s JOIN graphs g ON g.id = s.graph_id
WHERE s.thread_id IS NOT NULL AND s.episode_count >= s.written_count + 6
  AND NOT EXISTS (SELECT 1 FROM queue q WHERE q.graph_id = s.graph_id)
ORDER BY s.updated_at LIMIT 1;

-- name: summary_write
-- Only what nobody changed meanwhile: something may have been forgotten.
UPDATE summaries
SET written = coalesce(:written, written), written_count = :written_count,
    written_fact_id = CASE WHEN :written IS NULL THEN written_fact_id ELSE :fact_id END
WHERE id = :id AND :changes = (SELECT g.changes FROM graphs g WHERE g.id = summaries.graph_id);

-- name: summary_unwrite
UPDATE summaries SET written = NULL, written_count = 0, written_fact_id = 0 WHERE id = :id;

-- name: user_summary_put
INSERT INTO user_summaries (graph_id, summary, basis, episode_count, updated_at)
SELECT :graph_id, :summary, :basis, :episode_count, :now FROM graphs
WHERE id = :graph_id AND changes = :changes
ON CONFLICT (graph_id) DO UPDATE
SET summary = excluded.summary, basis = excluded.basis, episode_count = excluded.episode_count,
    updated_at = excluded.updated_at;
