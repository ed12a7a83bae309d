-- Graphs and their counters.

-- name: graph_insert
INSERT INTO graphs
    (uuid, project_id, kind, graph_id, name, description, time_zone, rating, created_at, updated_at)
VALUES
    (:uuid, :project_id, :kind, :graph_id, :name, :description, :time_zone, :rating, :now, :now);

-- name: graph_by_name
SELECT * FROM graphs WHERE project_id = :project_id AND kind = :kind AND graph_id = :graph_id;

-- name: graph_by_uuid
SELECT * FROM graphs WHERE uuid = :uuid AND project_id = :project_id;

-- name: graph_by_id
SELECT * FROM graphs WHERE id = :id;

-- name: graph_update
UPDATE graphs
SET name = :name, description = :description, time_zone = :time_zone, rating = :rating,
    updated_at = :now
WHERE id = :id;

-- name: graph_delete
DELETE FROM graphs WHERE id = :id;

-- name: graphs_page
-- order: created_at=created_at, graph_id=graph_id, name=coalesce(name, ''), uuid=uuid
SELECT * FROM graphs
WHERE project_id = :project_id AND kind = 'standalone'
  AND (:search = '' OR instr(lower(graph_id || ' ' || coalesce(name, '')), lower(:search)) > 0)
ORDER BY {key} {dir}, id {dir} LIMIT :limit OFFSET :offset;

-- name: graphs_count
SELECT count(*) AS n FROM graphs
WHERE project_id = :project_id AND kind = 'standalone'
  AND (:search = '' OR instr(lower(graph_id || ' ' || coalesce(name, '')), lower(:search)) > 0);

-- name: graph_names
-- Of users and standalone ones.
SELECT kind, graph_id FROM graphs WHERE project_id = :project_id
ORDER BY kind, graph_id LIMIT :limit;

-- name: graph_next_seq
UPDATE graphs SET last_seq = last_seq + :count WHERE id = :id RETURNING last_seq;

-- name: graph_next_version
UPDATE graphs SET index_version = index_version + :count WHERE id = :id RETURNING index_version;
