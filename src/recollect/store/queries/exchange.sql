-- Exporting a project and importing it again, record by record.

-- name: export_project_guidance
SELECT id AS row, uuid, kind, scope, name, value, created_at, updated_at
FROM guidance
WHERE project_id = :project_id AND graph_id IS NULL AND id > :after ORDER BY id LIMIT :limit;

-- name: export_user_groups
SELECT id AS row, uuid, name, description, version, created_at, updated_at
FROM user_groups WHERE project_id = :project_id AND id > :after ORDER BY id LIMIT :limit;

-- name: export_policy_sets
SELECT id AS row, uuid, name, version, mode, spec, for_all_users, created_at, updated_at
FROM policy_sets WHERE project_id = :project_id AND id > :after ORDER BY id LIMIT :limit;

-- name: export_policy_set_versions
SELECT s.uuid AS policy_set_id, v.version, v.mode, v.spec, v.created_at
FROM policy_set_versions v JOIN policy_sets s ON s.id = v.policy_set_id
WHERE v.policy_set_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY v.policy_set_id, v.version;

-- name: export_user_group_policy_sets
SELECT g.uuid AS group_id, s.uuid AS policy_set_id
FROM user_group_policy_sets k JOIN user_groups g ON g.id = k.group_id
JOIN policy_sets s ON s.id = k.policy_set_id
WHERE k.policy_set_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
ORDER BY k.policy_set_id, k.group_id;

-- name: export_collections
SELECT id AS row, uuid, name, description, metadata, created_at, updated_at
FROM collections WHERE project_id = :project_id AND id > :after ORDER BY id LIMIT :limit;

-- name: export_documents
SELECT d.id AS row, d.uuid, c.uuid AS collection_id, d.document_id, d.content, d.metadata,
    d.created_at, d.updated_at
FROM documents d JOIN collections c ON c.id = d.collection_id
WHERE d.collection_id = :collection_id AND d.id > :after ORDER BY d.id LIMIT :limit;

-- name: export_document_vectors
SELECT d.uuid AS document_id, v.terms, v.vector
FROM document_vectors v JOIN documents d ON d.id = v.document_id
WHERE v.document_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY v.document_id;

-- name: export_graph_ids
SELECT id FROM graphs WHERE project_id = :project_id ORDER BY id;

-- name: export_graph
SELECT uuid, kind, graph_id, name, description, time_zone, rating, last_seq, index_version,
    created_at, updated_at, edits, condenses, folded, fold_from, inputs,
    distance
FROM graphs WHERE id = :graph_id;

-- name: export_user
SELECT id AS row, uuid, user_id, entity_uuid, email, first_name, last_name, metadata, time_zone,
    disable_default_ontology, thread_count, created_at, updated_at
FROM users WHERE graph_id = :graph_id AND id > :after ORDER BY id LIMIT :limit;

-- name: export_user_group_members
SELECT g.uuid AS group_id, u.uuid AS user_id
FROM user_group_members m JOIN user_groups g ON g.id = m.group_id JOIN users u ON u.id = m.user_id
WHERE m.user_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY m.user_id, m.group_id;

-- name: export_threads
SELECT t.id AS row, t.uuid, t.thread_id, u.uuid AS user_id, t.metadata, t.rating, t.created_at,
    t.updated_at, t.ended_at
FROM threads t JOIN users u ON u.id = t.user_id
WHERE t.graph_id = :graph_id AND t.id > :after ORDER BY t.id LIMIT :limit;

-- name: export_graph_guidance
SELECT id AS row, uuid, kind, scope, name, value, created_at, updated_at
FROM guidance WHERE graph_id = :graph_id AND id > :after ORDER BY id LIMIT :limit;

-- name: export_episodes
SELECT e.seq AS row, e.id, e.uuid, e.seq, e.kind, e.content, e.role, e.speaker, e.source_description,
    t.uuid AS thread_id, e.document_id, e.metadata, e.ignored, e.strict_ontology, e.created_at,
    e.received_at, e.processed_at, e.task_uuid, e.producer, e.addressee, e.extra, e.kept_for,
    e.failure
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
WHERE e.graph_id = :graph_id AND e.seq > :after ORDER BY e.seq LIMIT :limit;

-- name: export_episode_ids
SELECT id, seq AS row FROM episodes
WHERE graph_id = :graph_id AND seq > :after ORDER BY seq LIMIT :limit;

-- name: export_jobs
SELECT e.uuid AS id, j.task_uuid, j.status, j.attempts, j.lost, j.error, j.created_at,
    j.started_at, j.completed_at
FROM jobs j JOIN episodes e ON e.id = j.id AND e.graph_id = j.graph_id
WHERE j.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY j.id;

-- name: export_readings
-- Without what is left of deleted episodes: it is numbered after them, in this store.
SELECT e.uuid AS episode_id, r.seq, r.reader, r.found, r.vectors, r.read_at, r.side
FROM readings r JOIN episodes e ON e.id = r.episode_id AND e.graph_id = r.graph_id
WHERE r.episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY r.seq;

-- name: export_edits
SELECT seq, kind, subject, near, mark, change, vector, at, everywhere, side, walls
FROM edits WHERE graph_id = :graph_id
ORDER BY id;

-- name: export_mentions
SELECT n.uuid AS entity_id, e.uuid AS episode_id
FROM mentions m JOIN entities n ON n.id = m.entity_id JOIN episodes e ON e.id = m.episode_id
WHERE m.episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY m.episode_id, m.entity_id;

-- name: export_supports
SELECT f.uuid AS fact_id, e.uuid AS episode_id, p.role, p.span_start, p.span_end
FROM supports p JOIN facts f ON f.id = p.fact_id JOIN episodes e ON e.id = p.episode_id
WHERE p.episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY p.episode_id, p.fact_id;

-- name: export_entities
SELECT uuid, name, labels, summary, attributes, is_user, created_at, kind, is_assistant, names,
    given, side
FROM entities WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY id;

-- name: export_feature_set_types
SELECT uuid, is_org_level, tags, name, description, created_at
FROM feature_set_types WHERE graph_id = :graph_id ORDER BY id;

-- name: export_feature_categories
SELECT c.uuid, c.set_key, t.uuid AS set_type_id, c.name, c.prompt, c.description, c.created_at
FROM feature_categories c LEFT JOIN feature_set_types t ON t.id = c.set_type_id AND t.graph_id = c.graph_id
WHERE c.graph_id = :graph_id ORDER BY c.id;

-- name: export_feature_tags
SELECT t.uuid, c.uuid AS category_id, t.name, t.description
FROM feature_categories c JOIN feature_tags t ON t.category_id = c.id
WHERE c.graph_id = :graph_id ORDER BY t.id;

-- name: export_feature_categories_off
SELECT set_key, name FROM feature_categories_off WHERE graph_id = :graph_id ORDER BY set_key, name;

-- name: export_entity_ids
SELECT id FROM entities WHERE graph_id = :graph_id ORDER BY id;

-- name: export_entity_names
SELECT k.key, n.uuid AS entity_id FROM entity_names k
JOIN entities n ON n.id = k.entity_id AND n.graph_id = k.graph_id
WHERE k.entity_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY k.entity_id, k.key;

-- name: export_user_sides
SELECT n.uuid AS entity_id, s.side, s.names, s.attributes
FROM user_sides s JOIN entities n ON n.id = s.entity_id
WHERE s.entity_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY s.entity_id, s.side;

-- name: export_facts
SELECT f.uuid, s.uuid AS source_id, d.uuid AS target_id, f.name, f.fact,
    f.attributes, f.rating, f.created_at, f.expired_at, f.valid_at, f.invalid_at, f.predicate,
    f.gist, f.negated, f.ends, f.slot, f.confidence, f.extractor, f.event_at, f.kept_against,
    f.side
FROM facts f JOIN entities s ON s.id = f.source_id AND s.graph_id = f.graph_id
JOIN entities d ON d.id = f.target_id AND d.graph_id = f.graph_id
WHERE f.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY f.id;

-- name: export_fact_ids
SELECT id FROM facts WHERE graph_id = :graph_id ORDER BY id;

-- name: export_closings
SELECT f.uuid AS fact_id, b.uuid AS by_fact_id, e.uuid AS episode_id, c.ended_at, c.expired_at,
    c.judge, c.sure
FROM closings c JOIN facts f ON f.id = c.fact_id LEFT JOIN facts b ON b.id = c.by_fact_id
LEFT JOIN episodes e ON e.id = c.episode_id
WHERE c.fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY c.id;

-- name: export_doubts
SELECT f.uuid AS fact_id, b.uuid AS by_fact_id, e.uuid AS episode_id, d.judge, d.sure
FROM doubts d JOIN facts f ON f.id = d.fact_id JOIN facts b ON b.id = d.by_fact_id
JOIN episodes e ON e.id = d.episode_id
WHERE d.fact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY d.fact_id, d.by_fact_id;

-- name: export_observations
SELECT o.uuid, n.uuid AS entity_id, o.kind, o.key, o.name, o.summary, o.label,
    o.start_at, o.latest_evidence_at, o.end_at, o.created_at
FROM observations o JOIN entities n ON n.id = o.entity_id AND n.graph_id = o.graph_id
WHERE o.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY o.id;

-- name: export_observation_ids
SELECT id FROM observations WHERE graph_id = :graph_id ORDER BY id;

-- name: export_observation_facts
SELECT o.uuid AS observation_id, f.uuid AS fact_id
FROM observation_facts k JOIN observations o ON o.id = k.observation_id
JOIN facts f ON f.id = k.fact_id
WHERE k.observation_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
ORDER BY k.observation_id, k.fact_id;

-- name: export_summaries
SELECT s.uuid, t.uuid AS thread_id, s.document_id, s.summary, s.written,
    s.written_count, f.uuid AS written_fact_id, s.episode_count, s.created_at, s.updated_at,
    s.covered_at
FROM summaries s LEFT JOIN threads t ON t.id = s.thread_id
LEFT JOIN facts f ON f.id = s.written_fact_id AND f.graph_id = s.graph_id
WHERE s.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY s.id;

-- name: export_summary_ids
SELECT id FROM summaries WHERE graph_id = :graph_id ORDER BY id;

-- name: export_summary_facts
SELECT s.uuid AS summary_id, f.uuid AS fact_id
FROM summary_facts k JOIN summaries s ON s.id = k.summary_id JOIN facts f ON f.id = k.fact_id
WHERE k.summary_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY k.summary_id, k.fact_id;

-- name: export_user_summary
SELECT summary, basis, episode_count, updated_at FROM user_summaries WHERE graph_id = :graph_id;

-- name: export_index_rows
-- What says that its item is gone tells old segments so, and a new graph has none.
SELECT r.version AS row, r.version, r.item_kind,
    CASE r.item_kind
        WHEN 'episode' THEN (SELECT uuid FROM episodes WHERE id = r.item_id AND +graph_id = r.graph_id)
        WHEN 'entity' THEN (SELECT uuid FROM entities WHERE id = r.item_id AND +graph_id = r.graph_id)
        WHEN 'fact' THEN (SELECT uuid FROM facts WHERE id = r.item_id AND +graph_id = r.graph_id)
        WHEN 'observation' THEN (SELECT uuid FROM observations WHERE id = r.item_id AND +graph_id = r.graph_id)
        ELSE (SELECT uuid FROM summaries WHERE id = r.item_id AND +graph_id = r.graph_id)
    END AS item_id,
    r.terms, r.vector
FROM index_rows r
WHERE r.graph_id = :graph_id AND r.version > :after AND r.terms IS NOT NULL
ORDER BY r.version LIMIT :limit;

-- name: export_session_logs
SELECT l.uuid, l.session_id, u.uuid AS user_id, l.feeds, l.metadata, l.context,
    l.last_number, l.created_at, l.updated_at
FROM session_logs l LEFT JOIN users u ON u.id = l.user_id
WHERE l.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY l.id;

-- name: export_session_log_ids
-- Of the user, or of the agent, whose graph it is.
SELECT l.id FROM users u JOIN session_logs l ON l.user_id = u.id WHERE u.graph_id = :graph_id
UNION ALL
SELECT t.log_id FROM traces t WHERE t.graph_id = :graph_id ORDER BY 1;

-- name: export_unbound_session_log_ids
SELECT l.id FROM session_logs l WHERE l.project_id = :project_id AND l.user_id IS NULL
  AND NOT EXISTS (SELECT 1 FROM traces t WHERE t.log_id = l.id)
ORDER BY l.id;

-- name: export_agent
SELECT security_domain, deployment_id, version, metadata, revision FROM agents
WHERE graph_id = :graph_id;

-- name: export_traces
SELECT l.uuid AS log_id, t.trace_id, t.objective, t.task_family, t.parent, t.family, t.learn_from,
    t.status, t.outcome, t.verification, t.closing_sequence, t.ended_at, t.task_uuid, t.revision
FROM traces t JOIN session_logs l ON l.id = t.log_id
WHERE t.log_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY t.log_id;

-- name: export_trace_events
SELECT v.number AS row, l.uuid AS log_id, v.number, v.uuid, v.event_id, v.erased_id,
    v.sequence
FROM trace_events v JOIN session_logs l ON l.id = v.log_id
WHERE v.log_id = :log_id AND v.number > :after ORDER BY v.number LIMIT :limit;

-- name: export_session_log_episodes
SELECT p.number AS row, l.uuid AS log_id, p.number, p.type, p.turn_id, p.meta, p.payload
FROM session_log_episodes p JOIN session_logs l ON l.id = p.log_id
WHERE p.log_id = :log_id AND p.number > :after ORDER BY p.number LIMIT :limit;

-- name: export_session_log_fed
-- An episode of a log is known by its log and its number.
SELECT e.uuid AS episode_id, l.uuid AS log_id, p.number
FROM session_log_fed k JOIN session_log_episodes p ON p.id = k.log_episode_id
JOIN session_logs l ON l.id = p.log_id JOIN episodes e ON e.id = k.episode_id
LEFT JOIN users u ON u.id = l.user_id LEFT JOIN traces t ON t.log_id = l.id
WHERE coalesce(u.graph_id, t.graph_id) = e.graph_id
  AND k.episode_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) ORDER BY k.episode_id;

-- name: export_api_keys
SELECT id AS row, uuid, name, prefix, hash, created_at, revoked_at, is_admin, role, mode, logs_reads,
    mcp_write
FROM api_keys WHERE project_id = :project_id AND id > :after ORDER BY id LIMIT :limit;

-- name: export_key_policy_sets
SELECT k.uuid AS key_id, s.uuid AS policy_set_id
FROM key_policy_sets a JOIN api_keys k ON k.id = a.key_id JOIN policy_sets s ON s.id = a.policy_set_id
WHERE a.key_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))
ORDER BY a.key_id, a.policy_set_id;

-- name: export_erasures
SELECT id AS row, uuid, at, kind, subject, mode, removed, kept, scrubbed
FROM erasures WHERE project_id = :project_id AND id > :after ORDER BY id LIMIT :limit;

-- name: export_audit_entries
SELECT number AS row, number, at, actor, action, outcome, status, target, salt, target_digest, detail,
    hash
FROM audit_entries WHERE project_id = :project_id AND number > :after ORDER BY number LIMIT :limit;

-- name: import_project
UPDATE projects SET description = :description, default_time_zone = :default_time_zone
WHERE id = :project_id;

-- name: import_finds_project_used
-- Whether a project holds anything that an import would have to be merged with.
SELECT EXISTS (SELECT 1 FROM graphs WHERE project_id = :project_id)
    OR EXISTS (SELECT 1 FROM guidance WHERE project_id = :project_id)
    OR EXISTS (SELECT 1 FROM user_groups WHERE project_id = :project_id)
    OR EXISTS (SELECT 1 FROM policy_sets WHERE project_id = :project_id)
    OR EXISTS (SELECT 1 FROM collections WHERE project_id = :project_id)
    OR EXISTS (SELECT 1 FROM session_logs WHERE project_id = :project_id) AS used;

-- name: import_finds_graph_anywhere
SELECT id FROM graphs WHERE uuid = :uuid;

-- name: import_api_key
INSERT INTO api_keys
    (uuid, project_id, name, prefix, hash, created_at, revoked_at, is_admin, role, mode, logs_reads,
     mcp_write)
VALUES
    (:uuid, :project_id, :name, :prefix, :hash, :created_at, :revoked_at, :is_admin, :role, :mode,
     :logs_reads, :mcp_write);

-- name: import_key_policy_set
INSERT INTO key_policy_sets (key_id, policy_set_id)
VALUES ((SELECT id FROM api_keys WHERE uuid = :key_id AND project_id = :project_id),
    (SELECT id FROM policy_sets WHERE uuid = :policy_set_id AND project_id = :project_id));

-- name: import_erasure
INSERT INTO erasures (uuid, project_id, at, kind, subject, mode, removed, kept, scrubbed)
VALUES (:uuid, :project_id, :at, :kind, :subject, :mode, :removed, :kept, :scrubbed);

-- name: import_audit_entry
INSERT INTO audit_entries
    (project_id, number, at, actor, action, outcome, status, target, salt, target_digest, detail, hash)
VALUES
    (:project_id, :number, :at, :actor, :action, :outcome, :status, :target, :salt, :target_digest,
     :detail, :hash);

-- name: import_guidance
INSERT INTO guidance
    (uuid, project_id, kind, scope, graph_id, name, value, created_at, updated_at)
VALUES
    (:uuid, :project_id, :kind, :scope, :graph_id, :name, :value, :created_at, :updated_at);

-- name: import_user_group
INSERT INTO user_groups (uuid, project_id, name, description, version, created_at, updated_at)
VALUES (:uuid, :project_id, :name, :description, :version, :created_at, :updated_at);

-- name: import_policy_set
INSERT INTO policy_sets
    (uuid, project_id, name, version, mode, spec, for_all_users, created_at, updated_at)
VALUES
    (:uuid, :project_id, :name, :version, :mode, :spec, :for_all_users, :created_at,
     :updated_at);

-- name: import_policy_set_version
INSERT INTO policy_set_versions (policy_set_id, version, mode, spec, created_at)
VALUES ((SELECT id FROM policy_sets WHERE uuid = :policy_set_id AND project_id = :project_id),
    :version, :mode, :spec, :created_at);

-- name: import_user_group_policy_set
INSERT INTO user_group_policy_sets (group_id, policy_set_id)
VALUES ((SELECT id FROM user_groups WHERE uuid = :group_id AND project_id = :project_id),
    (SELECT id FROM policy_sets WHERE uuid = :policy_set_id AND project_id = :project_id));

-- name: import_collection
INSERT INTO collections (uuid, project_id, name, description, metadata, created_at, updated_at)
VALUES (:uuid, :project_id, :name, :description, :metadata, :created_at, :updated_at);

-- name: import_document
INSERT INTO documents
    (uuid, collection_id, document_id, content, metadata, created_at, updated_at)
VALUES
    (:uuid, (SELECT id FROM collections WHERE uuid = :collection_id AND project_id = :project_id),
     :document_id, :content, :metadata, :created_at, :updated_at);

-- name: import_document_vector
INSERT INTO document_vectors (document_id, terms, vector)
SELECT d.id, :terms, :vector FROM documents d JOIN collections c ON c.id = d.collection_id
WHERE d.uuid = :document_id AND c.project_id = :project_id;

-- name: import_graph
INSERT INTO graphs
    (uuid, project_id, kind, graph_id, name, description, time_zone, rating, last_seq,
     index_version, created_at, updated_at, edits, condenses, folded, fold_from, inputs,
     distance)
VALUES
    (:uuid, :project_id, :kind, :graph_id, :name, :description, :time_zone, :rating, :last_seq,
     :index_version, :created_at, :updated_at, :edits, coalesce(:condenses, 0), :folded,
     :fold_from, :inputs, :distance);

-- name: import_user
INSERT INTO users
    (uuid, project_id, user_id, graph_id, entity_uuid, email, first_name, last_name, metadata,
     time_zone, disable_default_ontology, thread_count, created_at, updated_at)
VALUES
    (:uuid, :project_id, :user_id, :graph_id, :entity_uuid, :email, :first_name, :last_name,
     :metadata, :time_zone, :disable_default_ontology, :thread_count, :created_at, :updated_at);

-- name: import_user_group_member
INSERT INTO user_group_members (group_id, user_id)
VALUES ((SELECT id FROM user_groups WHERE uuid = :group_id AND project_id = :project_id),
    (SELECT id FROM users WHERE uuid = :user_id AND project_id = :project_id));

-- name: import_thread
INSERT INTO threads
    (uuid, project_id, thread_id, user_id, graph_id, metadata, rating, created_at, updated_at,
     ended_at)
VALUES
    (:uuid, :project_id, :thread_id,
     (SELECT id FROM users WHERE uuid = :user_id AND graph_id = :graph_id), :graph_id,
     :metadata, :rating, :created_at, :updated_at, :ended_at);

-- name: import_episode
INSERT INTO episodes
    (uuid, graph_id, seq, kind, content, role, speaker, source_description, thread_id,
     document_id, metadata, ignored, strict_ontology, created_at, received_at, processed_at,
     task_uuid, producer, addressee, extra, kept_for, failure)
VALUES
    (:uuid, :graph_id, :seq, :kind, :content, :role, :speaker, :source_description,
     (SELECT id FROM threads WHERE uuid = :thread_id AND graph_id = :graph_id),
     :document_id, :metadata, :ignored, :strict_ontology, :created_at, :received_at,
     :processed_at, :task_uuid, :producer, :addressee, :extra, :kept_for,
     :failure);

-- name: import_feature_set_type
INSERT INTO feature_set_types (uuid, graph_id, is_org_level, tags, name, description, created_at)
VALUES (:uuid, :graph_id, :is_org_level, :tags, :name, :description, :created_at);

-- name: import_feature_category
INSERT INTO feature_categories
    (uuid, graph_id, set_key, set_type_id, name, prompt, description, created_at)
VALUES (:uuid, :graph_id, :set_key,
    (SELECT id FROM feature_set_types WHERE uuid = :set_type_id AND graph_id = :graph_id),
    :name, :prompt, :description, :created_at);

-- name: import_feature_tag
INSERT INTO feature_tags (uuid, category_id, name, description)
VALUES (:uuid, (SELECT id FROM feature_categories WHERE uuid = :category_id AND graph_id = :graph_id),
    :name, :description);

-- name: import_feature_category_off
INSERT INTO feature_categories_off (graph_id, set_key, name) VALUES (:graph_id, :set_key, :name);

-- name: import_job
INSERT INTO jobs
    (id, graph_id, task_uuid, status, attempts, lost, error, created_at, started_at,
     completed_at)
SELECT id, graph_id, :task_uuid, :status, :attempts, :lost, :error, :created_at, :started_at,
    :completed_at
FROM episodes WHERE uuid = :id AND graph_id = :graph_id;

-- name: import_reading
INSERT INTO readings (graph_id, seq, episode_id, reader, found, vectors, read_at, side)
VALUES (:graph_id, :seq,
    (SELECT id FROM episodes WHERE uuid = :episode_id AND graph_id = :graph_id AND seq = :seq),
    :reader, :found, :vectors, :read_at, :side);

-- name: import_edit
INSERT INTO edits
    (graph_id, seq, kind, subject, near, mark, change, vector, at, everywhere, side, walls)
VALUES (:graph_id, :seq, :kind, :subject, :near, :mark, :change, :vector, :at,
    coalesce(:everywhere, 1), coalesce(:side, ''), coalesce(:walls, '[]'));

-- name: import_mention
INSERT INTO mentions (entity_id, episode_id)
VALUES ((SELECT id FROM entities WHERE uuid = :entity_id AND graph_id = :graph_id),
    (SELECT id FROM episodes WHERE uuid = :episode_id AND graph_id = :graph_id));

-- name: import_support
INSERT INTO supports (fact_id, episode_id, role, span_start, span_end)
VALUES ((SELECT id FROM facts WHERE uuid = :fact_id AND graph_id = :graph_id),
    (SELECT id FROM episodes WHERE uuid = :episode_id AND graph_id = :graph_id),
    :role, :span_start, :span_end);

-- name: import_entity
INSERT INTO entities
    (id, uuid, graph_id, name, labels, summary, attributes, is_user, created_at, kind, is_assistant,
     names, given, side)
VALUES
    (coalesce((SELECT max(id) + 1 FROM entities WHERE id >= :first AND id < :end AND +graph_id = :graph_id), :first),
     :uuid, :graph_id, :name, :labels, :summary, :attributes, :is_user, :created_at, :kind,
     :is_assistant, :names, :given, coalesce(:side, ''));

-- name: import_entity_name
INSERT INTO entity_names (graph_id, key, entity_id)
VALUES (:graph_id, :key,
    (SELECT id FROM entities WHERE uuid = :entity_id AND graph_id = :graph_id));

-- name: import_user_side
INSERT INTO user_sides (entity_id, side, names, attributes)
VALUES ((SELECT id FROM entities WHERE uuid = :entity_id AND graph_id = :graph_id),
    :side, :names, :attributes);

-- name: import_sides
-- Where another project's policies draw other walls.
UPDATE readings SET side = now.side FROM (
    SELECT r.seq, side(e.metadata, p.guarded) AS side
    FROM readings r JOIN graphs g ON g.id = r.graph_id JOIN projects p ON p.id = g.project_id
    LEFT JOIN episodes e ON e.id = r.episode_id AND e.graph_id = r.graph_id
    WHERE r.graph_id = :graph_id) AS now
WHERE readings.graph_id = :graph_id AND readings.seq = now.seq AND readings.side IS NOT now.side;

-- name: import_fact
INSERT INTO facts
    (id, uuid, graph_id, source_id, target_id, name, fact, attributes, rating, created_at,
     expired_at, valid_at, invalid_at, predicate, gist, negated, ends, slot, confidence,
     extractor, event_at, kept_against, side)
VALUES
    (coalesce((SELECT max(id) + 1 FROM facts WHERE id >= :first AND id < :end AND +graph_id = :graph_id), :first),
     :uuid, :graph_id,
     (SELECT id FROM entities WHERE uuid = :source_id AND graph_id = :graph_id),
     (SELECT id FROM entities WHERE uuid = :target_id AND graph_id = :graph_id),
     :name, :fact, :attributes, :rating, :created_at, :expired_at, :valid_at, :invalid_at,
     :predicate, :gist, :negated, :ends, :slot, :confidence, :extractor, :event_at,
     :kept_against, coalesce(:side, ''));

-- name: import_closing
INSERT INTO closings (fact_id, by_fact_id, episode_id, ended_at, expired_at, judge, sure)
VALUES ((SELECT id FROM facts WHERE uuid = :fact_id AND graph_id = :graph_id),
    (SELECT id FROM facts WHERE uuid = :by_fact_id AND graph_id = :graph_id),
    (SELECT id FROM episodes WHERE uuid = :episode_id AND graph_id = :graph_id),
    :ended_at, :expired_at, :judge, :sure);

-- name: import_doubt
INSERT INTO doubts (fact_id, by_fact_id, episode_id, judge, sure)
VALUES ((SELECT id FROM facts WHERE uuid = :fact_id AND graph_id = :graph_id),
    (SELECT id FROM facts WHERE uuid = :by_fact_id AND graph_id = :graph_id),
    (SELECT id FROM episodes WHERE uuid = :episode_id AND graph_id = :graph_id),
    :judge, :sure);

-- name: import_observation
INSERT INTO observations
    (id, uuid, graph_id, entity_id, kind, key, name, summary, label, start_at, latest_evidence_at,
     end_at, created_at)
VALUES
    (coalesce((SELECT max(id) + 1 FROM observations
                  WHERE id >= :first AND id < :end AND +graph_id = :graph_id), :first),
     :uuid, :graph_id,
     (SELECT id FROM entities WHERE uuid = :entity_id AND graph_id = :graph_id),
     :kind, :key, :name, :summary, :label, :start_at, :latest_evidence_at, :end_at,
     :created_at);

-- name: import_observation_fact
INSERT INTO observation_facts (observation_id, fact_id)
VALUES ((SELECT id FROM observations WHERE uuid = :observation_id AND graph_id = :graph_id),
    (SELECT id FROM facts WHERE uuid = :fact_id AND graph_id = :graph_id));

-- name: import_summary
INSERT INTO summaries
    (id, uuid, graph_id, thread_id, document_id, summary, written, written_count, written_fact_id,
     episode_count, created_at, updated_at, covered_at)
VALUES
    (coalesce((SELECT max(id) + 1 FROM summaries WHERE id >= :first AND id < :end AND +graph_id = :graph_id), :first),
     :uuid, :graph_id, (SELECT id FROM threads WHERE uuid = :thread_id AND graph_id = :graph_id),
     :document_id, :summary, :written, :written_count,
     coalesce((SELECT id FROM facts WHERE uuid = :written_fact_id AND graph_id = :graph_id), 0),
     :episode_count, :created_at, :updated_at, :covered_at);

-- name: import_summary_fact
INSERT INTO summary_facts (summary_id, fact_id)
VALUES ((SELECT id FROM summaries WHERE uuid = :summary_id AND graph_id = :graph_id),
    (SELECT id FROM facts WHERE uuid = :fact_id AND graph_id = :graph_id));

-- name: import_user_summary
INSERT INTO user_summaries (graph_id, summary, basis, episode_count, updated_at)
VALUES (:graph_id, :summary, :basis, :episode_count, :updated_at);

-- name: import_index_row
INSERT INTO index_rows (graph_id, version, item_kind, item_id, terms, vector)
VALUES (:graph_id, :version, :item_kind,
    CASE :item_kind
        WHEN 'episode' THEN
            (SELECT id FROM episodes WHERE uuid = :item_id AND graph_id = :graph_id)
        WHEN 'entity' THEN
            (SELECT id FROM entities WHERE uuid = :item_id AND graph_id = :graph_id)
        WHEN 'fact' THEN
            (SELECT id FROM facts WHERE uuid = :item_id AND graph_id = :graph_id)
        WHEN 'observation' THEN
            (SELECT id FROM observations WHERE uuid = :item_id AND graph_id = :graph_id)
        ELSE (SELECT id FROM summaries WHERE uuid = :item_id AND graph_id = :graph_id)
    END, :terms, :vector);

-- name: import_session_log
INSERT INTO session_logs
    (uuid, project_id, session_id, user_id, feeds, metadata, context, last_number, created_at,
     updated_at)
VALUES
    (:uuid, :project_id, :session_id,
     (SELECT id FROM users WHERE uuid = :user_id AND project_id = :project_id), :feeds,
     :metadata, :context, :last_number, :created_at, :updated_at);

-- name: import_session_log_episode
INSERT INTO session_log_episodes (log_id, number, type, turn_id, meta, payload)
VALUES ((SELECT id FROM session_logs WHERE uuid = :log_id AND project_id = :project_id),
    :number, :type, :turn_id, :meta, :payload);

-- name: import_agent
INSERT INTO agents (graph_id, security_domain, deployment_id, version, metadata, revision)
VALUES (:graph_id, :security_domain, :deployment_id, :version, :metadata, :revision);

-- name: import_trace
INSERT INTO traces
    (log_id, graph_id, trace_id, objective, task_family, parent, family, learn_from, status,
     outcome, verification, closing_sequence, ended_at, task_uuid, revision)
VALUES
    ((SELECT id FROM session_logs WHERE uuid = :log_id AND project_id = :project_id), :graph_id,
     :trace_id, :objective, :task_family, :parent, :family, :learn_from, :status, :outcome,
     :verification, :closing_sequence, :ended_at, :task_uuid, :revision);

-- name: import_trace_event
INSERT INTO trace_events (log_id, number, uuid, event_id, erased_id, sequence)
VALUES ((SELECT id FROM session_logs WHERE uuid = :log_id AND project_id = :project_id), :number,
    :uuid, :event_id, :erased_id, :sequence);

-- name: import_session_log_fed
INSERT INTO session_log_fed (episode_id, log_episode_id)
SELECT e.id, p.id
FROM episodes e JOIN session_logs l ON l.uuid = :log_id AND l.project_id = :project_id
JOIN session_log_episodes p ON p.log_id = l.id AND p.number = :number
WHERE e.uuid = :episode_id AND e.graph_id = :graph_id;

-- name: import_known_episodes
SELECT uuid FROM episodes WHERE uuid IN (SELECT value FROM json_each(:uuids));
