-- Users.

-- name: insert
INSERT INTO users
    (uuid, project_id, user_id, graph_id, entity_uuid, email, first_name, last_name, metadata,
     time_zone, disable_default_ontology, created_at, updated_at)
VALUES
    (:uuid, :project_id, :user_id, :graph_id, :entity_uuid, :email, :first_name, :last_name,
     :metadata, :time_zone, :disable_default_ontology, :now, :now);

-- name: by_name
SELECT u.*, g.uuid AS graph_uuid, g.rating AS rating
FROM users u JOIN graphs g ON g.id = u.graph_id
WHERE u.project_id = :project_id AND u.user_id = :user_id;

-- name: by_uuid
SELECT u.*, g.uuid AS graph_uuid, g.rating AS rating
FROM users u JOIN graphs g ON g.id = u.graph_id
WHERE u.project_id = :project_id AND u.uuid = :uuid;

-- name: of_graph
SELECT u.*, g.uuid AS graph_uuid, g.rating AS rating
FROM users u JOIN graphs g ON g.id = u.graph_id
WHERE u.graph_id = :graph_id;

-- name: update
UPDATE users
SET email = :email, first_name = :first_name, last_name = :last_name, metadata = :metadata,
    time_zone = :time_zone, disable_default_ontology = :disable_default_ontology,
    updated_at = :now
WHERE id = :id;

-- name: count_threads
UPDATE users SET thread_count = thread_count + :change WHERE user_id = :user_id
  AND project_id = :project_id;

-- name: page
-- order: created_at=u.created_at, updated_at=u.updated_at, user_id=u.user_id, email=coalesce(u.email, ''), id=u.id
SELECT u.*, g.uuid AS graph_uuid, g.rating AS rating
FROM users u JOIN graphs g ON g.id = u.graph_id
WHERE u.project_id = :project_id
  AND (:search = '' OR instr(lower(u.user_id || ' ' || coalesce(u.email, '') || ' '
       || coalesce(u.first_name, '') || ' ' || coalesce(u.last_name, '')), lower(:search)) > 0)
ORDER BY {key} {dir}, u.id {dir} LIMIT :limit OFFSET :offset;

-- name: page_after
-- order: created_at=u.created_at, user_id=u.user_id, email=coalesce(u.email, ''), uuid=u.uuid
SELECT u.*, g.uuid AS graph_uuid, g.rating AS rating, {key} AS page_key
FROM users u JOIN graphs g ON g.id = u.graph_id
WHERE u.project_id = :project_id
  AND (:search = '' OR instr(lower(u.user_id || ' ' || coalesce(u.email, '') || ' '
       || coalesce(u.first_name, '') || ' ' || coalesce(u.last_name, '')), lower(:search)) > 0)
  AND (CAST(:after_uuid AS TEXT) IS NULL OR ({key}, u.uuid) {cmp} (:after_key, :after_uuid))
ORDER BY {key} {dir}, u.uuid {dir} LIMIT :limit;

-- name: count
SELECT count(*) AS n FROM users u
WHERE u.project_id = :project_id
  AND (:search = '' OR instr(lower(u.user_id || ' ' || coalesce(u.email, '') || ' '
       || coalesce(u.first_name, '') || ' ' || coalesce(u.last_name, '')), lower(:search)) > 0);
