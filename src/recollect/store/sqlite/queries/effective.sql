-- The metadata of the episodes behind things. Items with many episodes have few distinct maps, so
-- each is told once, in the order in which an episode first had it; hidden episodes count.

-- name: fact_metadata
SELECT p.fact_id AS id, e.metadata
FROM supports p JOIN episodes e ON e.id = p.episode_id
WHERE p.fact_id IN (SELECT value FROM json_each(:ids))
GROUP BY p.fact_id, e.metadata ORDER BY p.fact_id, min(e.id);

-- name: entity_metadata
SELECT m.entity_id AS id, e.metadata
FROM mentions m JOIN episodes e ON e.id = m.episode_id
WHERE m.entity_id IN (SELECT value FROM json_each(:ids))
GROUP BY m.entity_id, e.metadata ORDER BY m.entity_id, min(e.id);

-- name: entities_own
SELECT id FROM entities WHERE id IN (SELECT value FROM json_each(:ids)) AND is_user = 1;

-- name: episode_metadata
SELECT id, metadata FROM episodes WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- name: observation_metadata
SELECT o.observation_id AS id, e.metadata
FROM observation_facts o JOIN supports p ON p.fact_id = o.fact_id
JOIN episodes e ON e.id = p.episode_id
WHERE o.observation_id IN (SELECT value FROM json_each(:ids))
GROUP BY o.observation_id, e.metadata ORDER BY o.observation_id, min(e.id);

-- name: thread_summary_metadata
-- Every message of a thread counts, also those of roles that taught the graph nothing.
SELECT s.id, e.metadata FROM summaries s JOIN episodes e ON e.thread_id = s.thread_id
WHERE s.id IN (SELECT value FROM json_each(:ids))
GROUP BY s.id, e.metadata ORDER BY s.id, min(e.id);

-- name: document_summary_metadata
SELECT s.id, e.metadata
FROM summaries s JOIN episodes e ON e.graph_id = s.graph_id AND e.document_id = s.document_id
WHERE s.id IN (SELECT value FROM json_each(:ids))
GROUP BY s.id, e.metadata ORDER BY s.id, min(e.id);

-- name: entity_episodes
-- Every episode that is shown with an entity, the newest first.
SELECT m.entity_id AS id, e.uuid, e.metadata
FROM mentions m JOIN episodes e ON e.id = m.episode_id
WHERE m.entity_id IN (SELECT value FROM json_each(:ids)) AND e.kind NOT IN ('fact_triple', 'nodes')
ORDER BY m.entity_id, e.id DESC;

-- name: observation_episodes
SELECT DISTINCT o.observation_id AS id, e.id AS episode_id, e.uuid, e.metadata
FROM observation_facts o JOIN supports p ON p.fact_id = o.fact_id
JOIN episodes e ON e.id = p.episode_id
WHERE o.observation_id IN (SELECT value FROM json_each(:ids))
ORDER BY o.observation_id, e.id;

-- name: facts_of_observations
SELECT observation_id AS id, fact_id FROM observation_facts
WHERE observation_id IN (SELECT value FROM json_each(:ids)) ORDER BY observation_id, fact_id;

-- name: episodes_of_summary
-- What a summary of a thread or a document rests on; nothing was learned from ignored messages.
SELECT e.id, e.metadata, e.created_at, e.processed_at, e.ignored
FROM summaries s JOIN episodes e ON e.thread_id = s.thread_id
WHERE s.id = :id
UNION ALL
SELECT e.id, e.metadata, e.created_at, e.processed_at, e.ignored
FROM summaries s JOIN episodes e ON e.graph_id = s.graph_id AND e.document_id = s.document_id
WHERE s.id = :id
ORDER BY 1;

-- name: facts_about_entity
-- The newest facts at an entity that an episode told: those that its summary may speak of.
SELECT id, fact, invalid_at FROM facts
WHERE (source_id = :entity_id OR target_id = :entity_id) AND extractor IS NOT NULL
ORDER BY id DESC LIMIT :limit;

-- name: links_before
-- The facts of a graph by their ends and names alone, the newest first.
SELECT id, uuid, source_id, target_id, name, created_at FROM facts
WHERE graph_id = :graph_id AND uuid < :before ORDER BY uuid DESC LIMIT :limit;

-- name: entity_uuids_among
SELECT id, uuid FROM entities
WHERE graph_id = :graph_id AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)));

-- name: document_metadata_of
-- What documents of a collection are judged by, when not all of them may be seen.
SELECT d.metadata, v.vector IS NOT NULL AS embedded
FROM documents d JOIN document_vectors v ON v.document_id = d.id
WHERE d.collection_id = :collection_id ORDER BY d.id;

-- name: endings_of_facts
-- What gave facts an end, with the metadata of the episode that said so, if one did.
SELECT c.fact_id, c.episode_id, c.ended_at, c.expired_at, e.metadata
FROM closings c LEFT JOIN episodes e ON e.id = c.episode_id
WHERE c.fact_id IN (SELECT value FROM json_each(:ids)) ORDER BY c.id;
